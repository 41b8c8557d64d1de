"""Every value side of the table moves just its place of the manifest, at every version where it is used."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import pytest

from istio_convert import ChartsMissingError, RenderError
from istio_convert.api import convert
from istio_convert.catalog import Catalog, resolve
from istio_convert.mapping.draft.control_plane import ControlPlane
from istio_convert.mapping.model import CONTAINER, POD, GatewaySlot, ManifestPath, Slot
from istio_convert.mapping.rules.chart_places import ALSO_RENDERED, SOLE_EFFECTS, SoleEffect
from istio_convert.mapping.rules.gateway import GATEWAY_SLOTS
from istio_convert.mapping.rules.table import rules
from istio_convert.mapping.rules.workload import OVERLAY_SLOTS, SLOTS
from istio_convert.paths import parse
from istio_convert.verify import helm
from istio_convert.verify.charts import ReleaseCharts, locate
from istio_convert.verify.effects import Moved, moved
from tests.verify.conftest import at_hand

pytestmark = [pytest.mark.charts, pytest.mark.render]
OPERATOR = "apiVersion: install.istio.io/v1alpha1\nkind: IstioOperator\n"
CHARTS = {"pilot": "istiod", "cni": "cni", "ztunnel": "ztunnel"}
KINDS = {"pilot": "Deployment", "cni": "DaemonSet", "ztunnel": "DaemonSet"}


class Case(NamedTuple):
    """One value side at one version."""

    id: str
    chart: str
    path: tuple[str, ...]
    probe: Any
    given: dict[str, Any]
    kind: str
    manifest: ManifestPath


def charts_of(version: str) -> ReleaseCharts:
    try:
        return locate(version)
    except ChartsMissingError as error:
        pytest.skip(str(error))


def plane(catalog: Catalog, slot: Slot) -> ControlPlane:
    """A control plane with the values that the slot is measured with."""
    settings = "spec: {values: {pilot: {autoscaleEnabled: false}}}\n" if slot.given else ""
    return ControlPlane(convert(OPERATOR + settings, to=catalog.version).operators[0], catalog)


def cases(catalog: Catalog) -> Iterator[Case]:
    for slot in (*SLOTS, *OVERLAY_SLOTS):
        for component, path in slot.values.items():
            probed = [(*path, key) for key in slot.probe] if isinstance(slot.probe, dict) and slot.convert else [path]
            reads = all(catalog.chart(CHARTS[component]).reads(one) for one in probed)
            if reads and plane(catalog, slot).value_is_equal(component, slot):
                container = ("name", catalog.workload(component).container)
                place = tuple(container if step == CONTAINER else step for step in slot.path)
                kind = KINDS[component] if slot.kind == "workload" else slot.kind
                name = f"{slot.id}@{component}"
                yield Case(name, CHARTS[component], path, slot.probe, dict(slot.given), kind, place)
    for gateway in GATEWAY_SLOTS:
        if gateway.value_path and catalog.chart("gateway").reads(gateway.value_path):
            yield gateway_case(gateway)


def gateway_case(slot: GatewaySlot) -> Case:
    return Case(slot.id, "gateway", slot.value_path, slot.probe, dict(slot.given), slot.kind, slot.path)


#: values that istioctl of some versions feeds to the chart as well, so that both decide alike about the budget
FED = {"k8s.hpaSpec.minReplicas@pilot", "k8s.replicaCount@pilot"}


def astray(case: Case, places: set[Moved], catalog: Catalog) -> list[Moved]:
    """Places that the value moved and the rule does not name."""
    fed = case.id in FED and catalog.behaviour("feeds_replicas_to_values")

    def named(place: Moved) -> bool:
        if case.id == "gateway.podDisruptionBudget":
            return place.kind == case.kind  # the value makes the object
        if fed and place.kind == "PodDisruptionBudget":
            return True
        return place.kind == case.kind and place.path[: len(case.manifest)] == case.manifest

    return sorted(place for place in places if not named(place))


class Wide(NamedTuple):
    """A value side of a rule that is no slot: what its value may move, as (kind, path).

    ``quiet``: charts of some versions read the value without rendering anything by it.
    """

    rule: str
    chart: str
    path: tuple[str, ...]
    probe: Any
    places: tuple[tuple[str, ManifestPath], ...]
    quiet: bool = False


def image(kind: str, container: str) -> tuple[str, ManifestPath]:
    return kind, (*POD, "containers", ("name", container), "image")


LABELS: ManifestPath = ("metadata", "labels")
POD_LABELS: ManifestPath = ("spec", "template", "metadata", "labels")
LABELLED = ("Deployment", "HorizontalPodAutoscaler", "Role", "RoleBinding", "Service", "ServiceAccount")
#: pods, and all objects that carry the gateway's labels
EVERYWHERE = (*((kind, LABELS) for kind in LABELLED), ("Deployment", POD_LABELS))
PROXY: ManifestPath = (*POD, "containers", ("name", "istio-proxy"))
ROOT = {"runAsUser": 0, "runAsGroup": 0, "runAsNonRoot": False}
WIDE = (
    Wide("component.hub", "istiod", ("pilot", "hub"), "example.com/x", (image("Deployment", "discovery"),)),
    Wide("component.hub", "cni", ("cni", "hub"), "example.com/x", (image("DaemonSet", "install-cni"),)),
    Wide("component.hub", "ztunnel", ("hub",), "example.com/x", (image("DaemonSet", "istio-proxy"),)),
    Wide("component.tag", "istiod", ("pilot", "tag"), "mine", (image("Deployment", "discovery"),)),
    Wide(
        "component.tag",
        "cni",
        ("cni", "tag"),
        "mine",
        # CNI tells its version to the nodes; istioctl's does by the same value
        (image("DaemonSet", "install-cni"), ("ConfigMap", ("data", "CURRENT_AGENT_VERSION"))),
    ),
    Wide("component.tag", "ztunnel", ("tag",), "mine", (image("DaemonSet", "istio-proxy"),)),
    Wide(
        "base.defaultRevision",
        "base",
        ("defaultRevision",),
        "r1",
        (
            ("ValidatingWebhookConfiguration", (*LABELS, "istio.io/rev")),
            ("ValidatingWebhookConfiguration", ("webhooks", ("name", "validation.istio.io"), "clientConfig")),
            # the base chart renders these for the default revision only
            ("ValidatingAdmissionPolicy", ()),
            ("ValidatingAdmissionPolicyBinding", ()),
        ),
    ),
    Wide(
        "base.once",
        "base",
        ("base", "excludedCRDs"),
        ["wasmplugins.extensions.istio.io"],
        (("CustomResourceDefinition", ()),),
    ),
    Wide("gateway.labels", "gateway", ("labels", "team"), "a", EVERYWHERE),
    Wide(
        "gateway.labels",
        "gateway",
        ("labels", "istio"),
        "a",
        (
            *EVERYWHERE,
            ("Deployment", ("spec", "selector", "matchLabels", "istio")),
            ("Service", ("spec", "selector", "istio")),
        ),
    ),
    Wide("gateway.labels", "gateway", ("service", "selectorLabels", "team"), "a", (("Service", ("spec", "selector")),)),
    Wide(
        "gateway.serviceAccount.name",
        "gateway",
        ("serviceAccount", "name"),
        "account",
        # the account itself, and its role, have another name
        (
            ("Deployment", (*POD, "serviceAccountName")),
            ("ServiceAccount", ()),
            ("Role", ()),
            ("RoleBinding", ()),
        ),
    ),
    Wide(
        "gateway.autoscaling",
        "gateway",
        ("autoscaling", "enabled"),
        False,
        (("HorizontalPodAutoscaler", ()), ("Deployment", ("spec", "replicas"))),
    ),
    Wide("gateway.revision", "gateway", ("revision",), "r1", (("Deployment", (*POD_LABELS, "istio.io/rev")),)),
    Wide(
        "gateway.platform",
        "gateway",
        ("global", "platform"),
        "openshift",
        (("Deployment", (*PROXY, "securityContext")),),
        quiet=True,
    ),
    Wide(
        "gateway.platform",
        "gateway",
        ("platform",),
        "openshift",
        (("Deployment", (*PROXY, "securityContext")),),
        quiet=True,
    ),
    Wide(
        "gateway.imagePullSecrets",
        "gateway",
        ("imagePullSecrets",),
        [{"name": "s"}],
        (("Deployment", (*POD, "imagePullSecrets")),),
    ),
    Wide("gateway.networkPolicy", "gateway", ("global", "networkPolicy", "enabled"), True, (("NetworkPolicy", ()),)),
    Wide("gateway.customService", "gateway", ("service", "type"), "None", (("Service", ()),)),
    Wide(
        "gateway.runAsRoot",
        "gateway",
        ("containerSecurityContext",),
        ROOT,
        # the pod's context is the chart's only where the container's is
        (("Deployment", (*PROXY, "securityContext")), ("Deployment", (*POD, "securityContext"))),
    ),
)
#: value sides that pass a value on to the same chart at the same path
SAME_PATH = {
    "tag",
    "values",
    "values.compatibilityVersion",
    "values.defaultRevision",
    "values.global.platform",
    "values.global.remotePilotAddress",
    "values.profile",
}


def test_every_value_side_is_measured() -> None:
    slots = {slot.id for slot in (*SLOTS, *OVERLAY_SLOTS, *GATEWAY_SLOTS)}
    others = {rule.id for rule in rules() if rule.value} - slots
    assert others == {wide.rule for wide in WIDE} | SAME_PATH


@pytest.mark.parametrize("version", at_hand())
def test_wider_values_move_what_their_rule_is_about(version: str) -> None:
    charts, catalog = charts_of(version), resolve(version)
    wrong: dict[str, Any] = {}
    for wide in WIDE:
        if not catalog.chart(wide.chart).reads(wide.path):
            continue
        places = moved(charts, wide.chart, wide.chart, wide.path, wide.probe, skip_schema=True)
        astray = [p for p in places if not any(p.kind == kind and p.path[: len(at)] == at for kind, at in wide.places)]
        name = f"{wide.rule} {'.'.join(wide.path)}"
        if astray or not (places or wide.quiet):
            wrong[name] = sorted(map(str, astray))[:4] or "moves nothing"
    assert wrong == {}


@pytest.mark.parametrize("version", at_hand())
def test_values_move_their_place_and_nothing_else(version: str) -> None:
    charts, catalog = charts_of(version), resolve(version)
    wrong: dict[str, Any] = {}
    measured = 0
    for case in cases(catalog):
        assert case.probe is not None, case.id
        try:
            places = moved(charts, case.chart, case.chart, case.path, case.probe, given=case.given, skip_schema=True)
        except RenderError as error:
            wrong[case.id] = str(error)
            continue
        measured += 1
        if not places:
            wrong[case.id] = "moves nothing"
        elif found := astray(case, places, catalog):
            wrong[case.id] = found[:4]
    assert wrong == {}
    assert measured > 40


#: values with which a chart renders what is no YAML: annotations on the line of the last label
NO_YAML = {("1.22", ("pilot", "serviceAccountAnnotations"))}


def known(
    catalog: Catalog, table: Mapping[str, tuple[SoleEffect, ...]]
) -> Iterator[tuple[SoleEffect, str, tuple[str, ...], str, list[ManifestPath]]]:
    """Values that the charts of a version read, with the places that a table names."""
    for component, effects in table.items():
        container = ("name", catalog.workload(component).container)
        for effect in effects:
            path = tuple(str(step) for step in effect.value)
            if catalog.chart(CHARTS[component]).reads(path):
                places = [tuple(container if s == CONTAINER else s for s in place) for place in effect.places]
                # a variable that is new moves with its name
                whole = [place[:-1] if place[-1] == "value" else place for place in places]
                kind = KINDS[component] if effect.kind == "workload" else effect.kind
                yield effect, CHARTS[component], path, kind, whole


@pytest.mark.parametrize("version", at_hand())
def test_values_of_sole_effect_move_nothing_but_the_places_of_the_table(version: str) -> None:
    charts, catalog = charts_of(version), resolve(version)
    wrong: dict[str, Any] = {}
    measured = 0
    for effect, chart, path, kind, named in known(catalog, SOLE_EFFECTS):
        if (catalog.minor, path) in NO_YAML:
            with pytest.raises(RenderError):
                moved(charts, chart, chart, path, effect.probe, given=effect.given, skip_schema=True)
            continue
        places = moved(charts, chart, chart, path, effect.probe, given=effect.given, skip_schema=True)
        measured += 1
        others = [p for p in places if p.kind != kind or not any(p.path[: len(n)] == n for n in named)]
        if others or not places:
            wrong[f"{chart} {path}"] = sorted(others)[:4] or "moves nothing"
    assert wrong == {}
    assert measured > 20


#: charts of some versions read them for other places only
ELSEWHERE = {("cni", "env"), ("global", "externalIstiod"), ("global", "trustBundleName"), ("pilot", "taint", "enabled")}


@pytest.mark.parametrize("version", at_hand())
def test_values_of_wider_effect_move_the_places_of_the_table(version: str) -> None:
    charts, catalog = charts_of(version), resolve(version)
    wrong: dict[str, Any] = {}
    measured = 0
    for effect, chart, path, kind, named in known(catalog, ALSO_RENDERED):
        places = moved(charts, chart, chart, path, effect.probe, given=effect.given, skip_schema=True)
        measured += 1
        missing = [n for n in named if not any(p.kind == kind and p.path[: len(n)] == n for p in places)]
        if missing and path not in ELSEWHERE:
            wrong[f"{chart} {path}"] = missing
    assert wrong == {}
    assert measured > 7


PROBES: tuple[Any, ...] = (True, "probe", [{"name": "probe", "key": "probe", "mountPath": "/probe"}], {"probe": "yes"})


def lengths(charts: ReleaseCharts, chart: str, values: dict[str, Any], kind: str) -> dict[tuple[Any, ...], int]:
    """How long the lists of a workload are."""
    found: dict[tuple[Any, ...], int] = {}

    def look(node: Any, path: tuple[Any, ...]) -> None:
        if isinstance(node, list):
            found[path] = len(node)
        for key, child in node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ():
            named = isinstance(child, dict) and "name" in child and isinstance(node, list)
            look(child, (*path, ("name", child["name"]) if named else key))

    for obj in helm.render(charts, chart, values, name=chart, namespace="istio-system", skip_schema=True):
        if obj["kind"] == kind:
            look(obj, ())
    return found


@pytest.mark.parametrize("component", list(CHARTS))
def test_what_adds_to_the_lists_of_a_workload_is_known(component: str) -> None:
    """A position behind the chart's own elements belongs to a value that adds there: of all that the chart reads."""
    version = at_hand()[-1]
    charts, catalog = charts_of(version), resolve(version)
    chart, kind = CHARTS[component], KINDS[component]
    before = lengths(charts, chart, {}, kind)
    tables = [
        (path, place)
        for table in (SOLE_EFFECTS, ALSO_RENDERED)
        for _, _, path, of, places in known(catalog, table)
        for place in places
        if of == kind
    ]
    container = ("name", catalog.workload(component).container)
    for slot in (*SLOTS, *OVERLAY_SLOTS):
        if component in slot.values and slot.kind == "workload":
            place = tuple(container if step == CONTAINER else step for step in slot.path)
            tables.append((slot.values[component], place))
    wrong = {}
    for text in sorted(catalog.chart(chart).read_paths):
        path = tuple(str(step) for step in parse(text))
        for probe in PROBES:
            tree: Any = probe
            for step in reversed(path):
                tree = {step: tree}
            try:
                after = lengths(charts, chart, tree, kind)
            except RenderError:
                continue  # it takes another kind of value
            for place in [place for place, length in before.items() if after.get(place, 0) > length]:
                spelled = (path, path[1:], (str(catalog.chart(chart).descope), *path))
                if not any(
                    at[: len(place)] == place[: len(at)] and any(one[: len(value)] == value for one in spelled)
                    for value, at in tables
                ):
                    wrong[text] = place
    assert before
    assert wrong == {}
