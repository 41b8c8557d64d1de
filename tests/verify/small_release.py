"""A release of our own: charts under the names and in the places that Istio's have, as small as the tests allow."""

from __future__ import annotations

from pathlib import Path

CHARTS = {
    "base": "base",
    "istiod": "istio-control/istio-discovery",
    "cni": "istio-cni",
    "ztunnel": "ztunnel",
    "gateway": "gateway",
    "istio-ingress": "gateways/istio-ingress",
    "istio-egress": "gateways/istio-egress",
}
VALUES = """\
_internal_defaults:
  hub: gcr.io/istio-testing
  tag: latest
"""
CRDS = """\
{{- if .Values.base }}{{- if .Values.base.crds }}
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: things.example.com
  labels:
    app.kubernetes.io/instance: {{ .Release.Name | quote }}
spec:
  group: example.com
{{- end }}{{- end }}
"""
OBJECTS = """\
apiVersion: v1
kind: ConfigMap
metadata:
  name: given-{{ .Chart.Name }}
  namespace: {{ .Release.Namespace }}
data:
  values: {{ toJson .Values | quote }}
  chart: {{ .Chart.Version }}
---
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ .Chart.Name }}
  namespace: {{ .Release.Namespace }}
spec:
  selector:
    matchLabels: {app: {{ .Chart.Name }}}
  template:
    metadata:
      labels: {app: {{ .Chart.Name }}}
    spec:
      containers:
      - name: discovery
        image: example/{{ .Chart.Name }}:{{ .Chart.Version }}
        env:
        - name: A
          value: "1"
---
# nothing but a comment
"""
PROFILES = {
    "default": """\
apiVersion: install.istio.io/v1alpha1
kind: IstioOperator
spec:
  hub: gcr.io/istio-testing
  tag: latest
  components:
    base: {enabled: true}
    pilot: {enabled: true}
  values:
    global: {istioNamespace: istio-system}
    gateways: {istio-ingressgateway: {}, istio-egressgateway: {}}
""",
    "empty": """\
apiVersion: install.istio.io/v1alpha1
kind: IstioOperator
spec:
  components:
    base: {enabled: false}
    pilot: {enabled: false}
    ingressGateways: []
""",
}


def write_release(folder: Path, version: str = "1.0.0") -> Path:
    """Write the release; ``version`` goes into its charts (the default is what charts from source carry)."""
    for name, place in CHARTS.items():
        write_chart(folder / "manifests" / "charts" / place, name, version)
    profiles = folder / "manifests" / "profiles"
    profiles.mkdir(parents=True)
    for name, text in PROFILES.items():
        (profiles / f"{name}.yaml").write_text(text, encoding="utf-8")
    return folder


def write_chart(chart: Path, name: str, version: str) -> Path:
    (chart / "templates").mkdir(parents=True)
    (chart / "Chart.yaml").write_text(f"apiVersion: v2\nname: {name}\nversion: {version}\nappVersion: {version}\n")
    (chart / "values.yaml").write_text(VALUES, encoding="utf-8")
    (chart / "templates" / "objects.yaml").write_text(OBJECTS, encoding="utf-8")
    if name == "base":
        (chart / "templates" / "crds.yaml").write_text(CRDS, encoding="utf-8")
    return chart
