"""A small chart repository of our own, served on this machine, for the real clients to render from.

Its charts carry the names of Istio's, so that the output can be used as it is; they render their values as JSON, so
that a test sees exactly what arrived.
"""

from __future__ import annotations

import hashlib
import io
import json
import tarfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import HTTPServer, SimpleHTTPRequestHandler
from pathlib import Path

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


def chart_files(name: str, version: str, *, strict: bool = False) -> dict[str, str]:
    files = {
        "Chart.yaml": f"apiVersion: v2\nname: {name}\nversion: {version}\nappVersion: {version}\n",
        "values.yaml": "{}\n",
        "templates/objects.yaml": OBJECTS,
    }
    if name == "base" and version == "1.23.6":
        files["crds/crds.yaml"] = DEFINITION
    if strict:
        files["values.schema.json"] = STRICT_SCHEMA
    return files


def archive(name: str, version: str, *, strict: bool = False) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as tar:
        for path, text in chart_files(name, version, strict=strict).items():
            info = tarfile.TarInfo(f"{name}/{path}")
            info.size = len(text.encode())
            tar.addfile(info, io.BytesIO(text.encode()))
    return buffer.getvalue()


def write_repository(folder: Path, url: str) -> None:
    entries: dict[str, list[dict[str, object]]] = {}
    for name in NAMES:
        for version in VERSIONS:
            content = archive(name, version, strict=name == "gateway" and version == "1.25.3")
            file = f"{name}-{version}.tgz"
            (folder / file).write_bytes(content)
            entry = {"apiVersion": "v2", "name": name, "version": version, "urls": [f"{url}/{file}"]}
            entries.setdefault(name, []).append({**entry, "digest": hashlib.sha256(content).hexdigest()})
    (folder / "index.yaml").write_text(json.dumps({"apiVersion": "v1", "entries": entries}))


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name in the base class
        pass


@contextmanager
def serve(folder: Path) -> Iterator[str]:
    """The URL of a repository with every chart, on this machine."""
    server = HTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(folder)))
    url = f"http://127.0.0.1:{server.server_port}"
    write_repository(folder, url)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield url
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
