"""Chart repositories, served on this machine, that the real clients render from: small charts of our own, or a release.

Our charts carry the names of Istio's, so that the output can be used as it is; they render their values as JSON, so
that a test sees exactly what arrived.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TypeAlias

from istio_convert.verify.charts import locate
from istio_convert.verify.charts.layout import ENDED_CHARTS, HELM_CHARTS, pack

#: name and version of a chart -> its files
Charts: TypeAlias = Mapping[tuple[str, str], Mapping[str, bytes]]

VERSIONS = ("1.23.6", "1.25.3")
NAMES = ("base", "istiod", "cni", "ztunnel", "gateway")
# refuses everything, as the gateway chart of some releases does
STRICT_SCHEMA = '{"type": "object", "properties": {}, "additionalProperties": false, "required": ["impossible"]}'
OBJECTS = """\
apiVersion: v1
kind: ConfigMap
metadata:
  name: values-of-{{ .Release.Name }}
  namespace: {{ .Release.Namespace }}
  labels:
    chart: {{ .Chart.Name }}-{{ .Chart.Version }}
data:
  values: {{ toJson .Values | quote }}
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: texts-of-{{ .Release.Name }}
  namespace: {{ .Release.Namespace }}
data:
  template: "{{ "{{ .Values.is.not.for.helm }}" }}"
---
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ .Release.Name }}
  namespace: {{ .Release.Namespace }}
spec:
  selector:
    matchLabels:
      app: {{ .Release.Name }}
  template:
    metadata:
      labels:
        app: {{ .Release.Name }}
    spec:
      containers:
        - name: discovery
          image: example/{{ .Chart.Name }}:{{ .Chart.Version }}
          resources:
            limits:
              cpu: "1"
          args: [one, two]
"""
DEFINITION = """\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: things.example.com
spec:
  group: example.com
  names: {kind: Thing, plural: things}
  scope: Namespaced
  versions:
    - name: v1
      served: true
      storage: true
      schema: {openAPIV3Schema: {type: object}}
"""


def chart_files(name: str, version: str) -> dict[str, bytes]:
    files = {
        "Chart.yaml": f"apiVersion: v2\nname: {name}\nversion: {version}\nappVersion: {version}\n",
        "values.yaml": "{}\n",
        "templates/objects.yaml": OBJECTS,
    }
    if name == "base" and version == "1.23.6":
        files["crds/crds.yaml"] = DEFINITION
    if name == "gateway" and version == "1.25.3":
        files["values.schema.json"] = STRICT_SCHEMA
    return {path: text.encode() for path, text in files.items()}


def own_charts() -> Charts:
    return {(name, version): chart_files(name, version) for name in NAMES for version in VERSIONS}


def charts_of_release(version: str) -> Charts:
    """The charts of an Istio release from the chart cache, as they were published.

    Raises:
        ChartsMissingError: they are not on this machine.
    """
    found = locate(version)
    names = [name for name in HELM_CHARTS + ENDED_CHARTS if name in found.charts]
    return {(name, version): found.files(name) for name in names}


def write_repository(folder: Path, url: str, charts: Charts) -> None:
    entries: dict[str, list[dict[str, object]]] = {}
    for (name, version), files in charts.items():
        content = pack(files, name)
        file = f"{name}-{version}.tgz"
        (folder / file).write_bytes(content)
        entry = {"apiVersion": "v2", "name": name, "version": version, "urls": [f"{url}/{file}"]}
        entries.setdefault(name, []).append({**entry, "digest": hashlib.sha256(content).hexdigest()})
    (folder / "index.yaml").write_text(json.dumps({"apiVersion": "v1", "entries": entries}))


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name in the base class
        pass


@contextmanager
def serve(folder: Path, charts: Charts) -> Iterator[str]:
    """The URL of a repository with these charts, on this machine."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(folder)))
    url = f"http://127.0.0.1:{server.server_port}"
    write_repository(folder, url, charts)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield url
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
