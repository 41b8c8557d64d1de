"""Plans to test with: an operator, what its releases render (identities and what the plan compares), a dump."""

from __future__ import annotations

import re
from typing import Any

from istio_convert import migrate
from istio_convert.api import convert
from istio_convert.migrate import Options, Plan, Strategy
from istio_convert.verify.manifests import Rendered

OPERATOR = """
apiVersion: install.istio.io/v1alpha1
kind: IstioOperator
metadata: {name: control-plane, namespace: istio-system}
spec:
  tag: 1.24.6
  components:
    ingressGateways:
      - name: istio-ingressgateway
        enabled: true
        label: {team: edge}
        k8s:
          service:
            type: NodePort
            ports:
              - {name: http2, port: 80, targetPort: 8080, nodePort: 30080}
"""


def thing(api: str, kind: str, name: str, namespace: str = "", **more: Any) -> dict[str, Any]:
    """An object."""
    metadata: dict[str, Any] = {"name": name}
    if namespace:
        metadata["namespace"] = namespace
    metadata |= more.pop("metadata", {})
    return {"apiVersion": api, "kind": kind, "metadata": metadata, **more}


def injector(revision: str = "default", *, tag: str = "", ready: int = 1, bundle: str = "Q0E=") -> list[dict[str, Any]]:
    """An istiod and the webhook that calls it; with a tag, the webhook of the tag."""
    suffix = "" if revision == "default" else f"-{revision}"
    service = {"name": f"istiod{suffix}", "namespace": "istio-system"}
    client = {"service": service, **({"caBundle": bundle} if bundle else {})}
    labels = {"istio.io/rev": revision, **({"istio.io/tag": tag} if tag else {})}
    name = f"istio-revision-tag-{tag}" if tag else f"istio-sidecar-injector{suffix}"
    status = {"readyReplicas": ready} if ready else {}
    return [
        thing(
            "admissionregistration.k8s.io/v1", "MutatingWebhookConfiguration", name,
            metadata={"labels": labels}, webhooks=[{"clientConfig": client}],
        ),
        thing("v1", "Service", service["name"], "istio-system", spec={"selector": {"app": "istiod"}}),
        thing("apps/v1", "Deployment", service["name"], "istio-system", status=status),
    ]  # fmt: skip


def records(*names: str) -> list[dict[str, Any]]:
    """What Helm keeps of releases that are deployed."""
    return [
        thing(
            "v1", "Secret", f"sh.helm.release.v1.{name}.v1", "istio-system",
            metadata={"labels": {"owner": "helm", "status": "deployed", "name": name}},
        )
        for name in names
    ]  # fmt: skip


def rendered_for(stages: tuple[migrate.Stage, ...]) -> dict[str, list[Rendered]]:
    """One Deployment and one ServiceAccount for each release, a definition for base."""
    found = {}
    for stage in stages:
        objects = []
        for release in stage.releases:
            if release.chart == "base":
                crd = thing("apiextensions.k8s.io/v1", "CustomResourceDefinition", "gateways.networking.istio.io")
                objects.append(Rendered(release.name, release.namespace, crd))
                continue
            for api, kind in (("apps/v1", "Deployment"), ("v1", "ServiceAccount")):
                objects.append(
                    Rendered(release.name, release.namespace, thing(api, kind, release.name, release.namespace))
                )
        found[stage.name] = objects
    return found


def make(
    target: str = "helm",
    strategy: Strategy = Strategy.IN_PLACE,
    *,
    operator: str = OPERATOR,
    source: str = "1.24.6",
    to: str = "1.25.3",
    live: list[dict[str, Any]] | None = None,
    charts: bool = True,
    before: list[dict[str, Any]] | None = None,
    **options: Any,
) -> Plan:
    """A plan."""
    chosen = Options(source, strategy, target, **options)
    conversion = convert(operator, to=to)
    beside = None
    if strategy is Strategy.CANARY:
        beside = convert(operator, to=to, sets=[f"revision={migrate.revision_of(chosen, to)}"])
    stages = migrate.build_stages(conversion, chosen, beside)
    old = None if before is None else [Rendered("Pilot", "istio-system", item) for item in before]
    rendered = rendered_for(stages) if charts else None
    return migrate.plan(conversion, chosen, rendered, live, before=old, beside=beside)


def shown_commands(runbook: str) -> list[str]:
    """The lines of every block of commands in a runbook, but for comments."""
    blocks = re.findall(r"```sh\n(.*?)```", runbook, re.S)
    return [line.strip() for block in blocks for line in block.splitlines() if line and not line.startswith("#")]
