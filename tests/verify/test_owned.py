"""Names that the official charts set themselves: proven, and taken by Kustomize."""

from __future__ import annotations

import pytest

from istio_convert import convert
from istio_convert.errors import RenderError
from istio_convert.release import Patch, Target
from istio_convert.source.nodes import Scalar, put
from istio_convert.verify import candidate, verify
from istio_convert.verify.charts import ReleaseCharts

pytestmark = [pytest.mark.charts, pytest.mark.render]
pytest.importorskip("helm_python")

OPERATOR = """\
apiVersion: install.istio.io/v1alpha1
kind: IstioOperator
spec:
  profile: minimal
  values:
    pilot:
      podLabels: {app: x, istio.io/dataplane-mode: ambient, mine: a}
  components:
    pilot:
      k8s:
        podAnnotations: {prometheus.io/scrape: "false", mine: a}
        overlays:
        - kind: Deployment
          name: istiod
          patches:
          - {path: "spec.template.spec.containers.[name:discovery].resources", value: {requests: {cpu: 9}}}
    cni:
      enabled: true
      k8s:
        podAnnotations: {sidecar.istio.io/inject: "true"}
        overlays:
        - kind: DaemonSet
          name: istio-cni-node
          patches:
          - {path: spec.template.metadata.labels, value: {k8s-app: istio-cni-node, mine: a}}
          - {path: spec.template.metadata.labels.more, value: b}
          - {path: "spec.template.spec.containers.[name:install-cni].resources", value: {requests: {cpu: 9}}}
    ztunnel:
      enabled: true
      k8s:
        overlays:
        - kind: DaemonSet
          name: ztunnel
          patches:
          - {path: spec.template.metadata.labels.app, value: z}
          - {path: spec.template.metadata.annotations, value: {only: mine}}
          - {path: spec.template.spec.nodeSelector, value: {disk: ssd}}
"""


def test_is_proven(official: ReleaseCharts) -> None:
    conversion = convert(OPERATOR, to=official.version)
    proof = verify([("operator.yaml", OPERATOR)], conversion.releases, official.version, charts=official)
    assert not proof.unexplained
    assert {release.name for release in conversion.releases if release.patches} >= {"istiod", "istio-cni", "ztunnel"}


def test_such_a_name_as_a_value_is_an_error_beside_patches(official: ReleaseCharts) -> None:
    conversion = convert("apiVersion: install.istio.io/v1alpha1\nkind: IstioOperator\n", to=official.version)
    [istiod] = [release for release in conversion.releases if release.name == "istiod"]
    put(istiod.values, ("pilot", "podAnnotations", "prometheus.io/scrape"), Scalar("false"))
    assert candidate.render([istiod], official)
    target = Target("apps", "v1", "Deployment", "istiod", "istio-system")
    istiod.patches = [Patch(target, {"spec": {"template": {"spec": {"dnsPolicy": "None"}}}})]
    with pytest.raises(RenderError, match=r"release istiod, .*annotations\.prometheus\\\.io/scrape twice"):
        candidate.render([istiod], official)
