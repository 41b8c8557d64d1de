"""Typed view of the IstioOperator resource; its shape is checked with it (:mod:`~istio_convert.operator.shape`).

The fields are those of ``install.istio.io/v1alpha1`` from 1.5 to today; fields of dead releases are listed so that they
are recognised. Unknown fields are allowed here (they end in the ledger); wrong shapes are not.
Source: the operator API types of Istio's release tags.
``schemas/operator.schema.json`` is generated from these classes.
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StrictBool, StrictInt, StrictStr


def _no_text_for_maps(value: Any) -> Any:
    if value is not None and not isinstance(value, dict):
        raise ValueError("a map is needed here")
    return value


AnyMap = Annotated[dict[str, Any], BeforeValidator(_no_text_for_maps)]
StringMap = dict[str, StrictStr | bool | int | float | None]
Text = StrictStr | int | float | None


class _Model(BaseModel):
    # deferred: one validator for the whole tree when it is asked for, instead of one for every class
    model_config = ConfigDict(extra="allow", frozen=True, defer_build=True)


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


def json_schema() -> dict[str, Any]:
    """The JSON Schema (2020-12) of the resource."""
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **IstioOperator.model_json_schema()}
