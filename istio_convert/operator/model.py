"""Typed view of the IstioOperator resource, used to check its shape.

The fields are those of ``install.istio.io/v1alpha1`` from 1.5 to today; fields of dead releases are listed so that they
are recognised. Unknown fields are allowed here (they end in the ledger); wrong shapes are not.
Source: the operator API types of Istio's release tags.
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StrictBool, StrictInt, StrictStr, ValidationError

from istio_convert.errors import Issue, Origin
from istio_convert.source.nodes import Mapping, Node, Scalar, get, to_data


def _no_text_for_maps(value: Any) -> Any:
    if value is not None and not isinstance(value, dict):
        raise ValueError("a map is needed here")
    return value


AnyMap = Annotated[dict[str, Any], BeforeValidator(_no_text_for_maps)]
StringMap = dict[str, StrictStr | bool | int | float | None]
Text = StrictStr | int | float | None


class _Model(BaseModel):
    model_config = ConfigDict(extra="allow", frozen=True, populate_by_name=True)


class OverlayPatch(_Model):
    """One path and the value to put there; no value deletes."""

    path: StrictStr | None = None
    value: Any = None


class Overlay(_Model):
    """Patches for one rendered object, found by kind and name."""

    api_version: StrictStr | None = Field(None, alias="apiVersion")
    kind: StrictStr | None = None
    name: StrictStr | None = None
    patches: list[OverlayPatch] | None = None


class EnvVar(_Model):
    """One environment variable."""

    name: StrictStr
    value: Text | bool = None
    value_from: AnyMap | None = Field(None, alias="valueFrom")


class ServicePort(_Model):
    """One port of a Service."""

    name: StrictStr | None = None
    port: StrictInt | None = None
    protocol: StrictStr | None = None
    target_port: StrictInt | StrictStr | None = Field(None, alias="targetPort")
    node_port: StrictInt | None = Field(None, alias="nodePort")


class Service(_Model):
    """The part of a ServiceSpec whose shape decides how ports are mapped; the rest is passed on."""

    type: StrictStr | None = None
    ports: list[ServicePort] | None = None
    external_ips: list[StrictStr] | None = Field(None, alias="externalIPs")
    load_balancer_source_ranges: list[StrictStr] | None = Field(None, alias="loadBalancerSourceRanges")
    load_balancer_ip: StrictStr | None = Field(None, alias="loadBalancerIP")


class HpaSpec(_Model):
    """Spec of a HorizontalPodAutoscaler (autoscaling/v2, or v2beta1 metrics)."""

    min_replicas: StrictInt | None = Field(None, alias="minReplicas")
    max_replicas: StrictInt | None = Field(None, alias="maxReplicas")
    metrics: list[AnyMap] | None = None
    behavior: AnyMap | None = None


class Kubernetes(_Model):
    """``k8s`` settings of a component."""

    affinity: AnyMap | None = None
    env: list[EnvVar] | None = None
    hpa_spec: HpaSpec | None = Field(None, alias="hpaSpec")
    image_pull_policy: StrictStr | None = Field(None, alias="imagePullPolicy")
    node_selector: StringMap | None = Field(None, alias="nodeSelector")
    overlays: list[Overlay] | None = None
    pod_annotations: StringMap | None = Field(None, alias="podAnnotations")
    pod_disruption_budget: AnyMap | None = Field(None, alias="podDisruptionBudget")
    priority_class_name: StrictStr | None = Field(None, alias="priorityClassName")
    readiness_probe: AnyMap | None = Field(None, alias="readinessProbe")
    replica_count: StrictInt | None = Field(None, alias="replicaCount")
    resources: AnyMap | None = None
    security_context: AnyMap | None = Field(None, alias="securityContext")
    service: Service | None = None
    service_annotations: StringMap | None = Field(None, alias="serviceAnnotations")
    strategy: AnyMap | None = None
    tolerations: list[AnyMap] | None = None
    volumes: list[AnyMap] | None = None
    volume_mounts: list[AnyMap] | None = Field(None, alias="volumeMounts")


class Component(_Model):
    """A component that exists once."""

    enabled: StrictBool | None = None
    namespace: StrictStr | None = None
    hub: StrictStr | None = None
    tag: Text = None
    k8s: Kubernetes | None = None


class Gateway(Component):
    """One entry of ingressGateways or egressGateways."""

    name: StrictStr | None = None
    label: StringMap | None = None


class Components(_Model):
    """``spec.components``."""

    base: Component | None = None
    pilot: Component | None = None
    cni: Component | None = None
    ztunnel: Component | None = None
    istiod_remote: Component | None = Field(None, alias="istiodRemote")
    ingress_gateways: list[Gateway] | None = Field(None, alias="ingressGateways")
    egress_gateways: list[Gateway] | None = Field(None, alias="egressGateways")


class Spec(_Model):
    """``spec``."""

    profile: StrictStr | None = None
    install_package_path: StrictStr | None = Field(None, alias="installPackagePath")
    hub: StrictStr | None = None
    tag: Text = None
    namespace: StrictStr | None = None
    revision: Text = None
    compatibility_version: Text = Field(None, alias="compatibilityVersion")
    mesh_config: AnyMap | None = Field(None, alias="meshConfig")
    components: Components | None = None
    addon_components: AnyMap | None = Field(None, alias="addonComponents")
    values: AnyMap | None = None
    unvalidated_values: AnyMap | None = Field(None, alias="unvalidatedValues")


class IstioOperator(_Model):
    """The whole resource."""

    api_version: StrictStr | None = Field(None, alias="apiVersion")
    kind: StrictStr | None = None
    metadata: AnyMap | None = None
    spec: Spec | None = None


#: what a wrong shape should have been, by pydantic's error type
_WORDS = {
    "list_type": "a list is needed here",
    "dict_type": "a map is needed here",
    "model_type": "a map is needed here",
    "model_attributes_type": "a map is needed here",
    "string_type": "a string is needed here",
    "bool_type": "true or false is needed here, without quotes",
    "int_type": "a whole number is needed here",
    "int_parsing": "a whole number is needed here",
    "int_from_float": "a whole number is needed here",
    "missing": "a name is needed here",
}


def shape_issues(root: Node) -> list[Issue]:
    """Every place where an operator has the wrong shape, in input order. Values are not shown."""
    try:
        IstioOperator.model_validate(to_data(root))
    except ValidationError as error:
        issues: dict[tuple[Origin, str], Issue] = {}
        for problem in error.errors(include_url=False, include_input=False, include_context=False):
            path, node = _known_part(root, problem["loc"])
            words = _WORDS.get(problem["type"], problem["msg"].removeprefix("Value error, "))
            where = node.origin or Origin("operator")
            found = f" ({_shape(node)} found)" if "needed" in words and problem["type"] != "missing" else ""
            issues.setdefault((where, path), Issue(f"{path or 'document'}: {words}{found}", where))
        return [issues[key] for key in sorted(issues)]
    return []


def _known_part(root: Node, location: tuple[str | int, ...]) -> tuple[str, Node]:
    """The longest part of pydantic's location that exists in the tree (it adds names of union members)."""
    from istio_convert.paths import render  # noqa: PLC0415 - keeps the import list of the hot path short

    node, path = root, []
    for step in location:
        child = get(node, (step,))
        if child is None:
            break
        node = child
        path.append(step)
    return render(tuple(path)), node


def _shape(node: Node) -> str:
    if isinstance(node, Mapping):
        return "a map"
    if not isinstance(node, Scalar):
        return "a list"
    if node.value is None:
        return "nothing"
    return {str: "a string", bool: "true or false", int: "a number", float: "a number"}[type(node.value)]
