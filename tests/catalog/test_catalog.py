"""Questions to the catalog, answered from the committed data."""

from __future__ import annotations

import pytest

from istio_convert.catalog import ENDED_CHARTS, HELM_CHARTS, ISTIOCTL_CHARTS, MISSING, newest, resolve, versions
from istio_convert.catalog.data import load
from istio_convert.catalog.trees import leaf_items
from istio_convert.errors import InternalError, UnsupportedVersionError
from istio_convert.paths import Path, parse
from istio_convert.verify.explain import _READ_BY_ISTIOD

VERSIONS = [release.version for release in versions()]
SOME = ["1.22.0", "1.22.8", "1.24.6", "1.25.3", "1.27.9", "1.30.3", "1.31.0"]


def test_versions_are_every_release_in_order() -> None:
    assert len(VERSIONS) == len(set(VERSIONS)) >= 71
    assert VERSIONS[0] == "1.22.0"
    assert VERSIONS.index("1.28.9") + 1 == VERSIONS.index("1.28.10")
    for release in versions():
        assert release.provisional == (release.candidate is not None)
    assert newest() == [release.version for release in versions() if not release.provisional][-1]


@pytest.mark.parametrize(
    ("requested", "version"),
    [
        ("1.25.3", "1.25.3"),
        ("v1.25.3", "1.25.3"),
        (" 1.25.3 ", "1.25.3"),
        ("1.22", "1.22.8"),
        ("1.31.0", "1.31.0"),
        ("1.31", "1.31.0"),
    ],
)
def test_resolve(requested: str, version: str) -> None:
    assert resolve(requested).version == version


def test_a_candidate_is_an_alias_of_what_it_stands_for() -> None:
    for release in versions():
        if release.candidate:
            assert resolve(release.candidate) is resolve(release.version)
            assert resolve(release.candidate).provisional


@pytest.mark.parametrize(
    ("requested", "hint"),
    [
        ("1.21.3", "1.22.0"),
        ("1.25.77", "1.25.5 and 1.26.0"),
        ("1.99", VERSIONS[-1]),
        ("1.30.0-rc.9", "1.29.6 and 1.30.0"),
        ("latest", newest()),
    ],
)
def test_an_unknown_version_names_the_nearest(requested: str, hint: str) -> None:
    with pytest.raises(UnsupportedVersionError) as caught:
        resolve(requested)
    assert hint in str(caught.value.hint)


def test_allow_unknown_takes_the_nearest_older() -> None:
    assert resolve("1.25.77", allow_unknown=True).version == "1.25.5"
    assert resolve("1.99", allow_unknown=True).version == VERSIONS[-1]
    for requested in ("1.21.0", "latest"):
        with pytest.raises(UnsupportedVersionError):
            resolve(requested, allow_unknown=True)


@pytest.mark.parametrize(
    ("chart", "path", "reading", "not_reading"),
    [
        ("gateway", "lifecycle", "1.27.0", "1.26.8"),
        ("gateway", "dnsConfig.nameservers", "1.31.0", "1.30.3"),
        ("gateway", "envVarFrom", "1.27.0", "1.26.8"),
        ("gateway", "service.selectorLabels", "1.28.3", "1.28.2"),
        ("gateway", "service.selectorLabels.app", "1.27.6", "1.27.5"),
        ("gateway", "strategy", "1.24.0", "1.23.6"),
        ("cni", "env.X", "1.23.4", "1.23.3"),
        ("istiod", "taint.name", "1.30.3", "1.30.2"),
        ("istiod", "pilot.taint.name", "1.30.3", "1.30.2"),
        ("istiod", "istio_cni.enabled", "1.23.6", "1.24.0"),
        ("istiod", "resources.limits.cpu", "1.24.0", "1.23.6"),
        ("istiod", "pilot.resources.limits.cpu", "1.22.0", "1.22.0-none"),
        ("base", "base.validationFailurePolicy", "1.28.6", "1.28.5"),
        ("ztunnel", "global.hub", "1.22.4", "1.22.3"),
        ("gateway", "global.imagePullSecrets", "1.24.3", "1.24.2"),
        ("gateway", "global.platform", "1.24.0", "1.23.6"),
    ],
)
def test_when_a_path_is_read(chart: str, path: str, reading: str, not_reading: str) -> None:
    assert resolve(reading).chart(chart).reads(parse(path))
    if not not_reading.endswith("-none"):
        assert not resolve(not_reading).chart(chart).reads(parse(path))


@pytest.mark.parametrize("version", SOME)
def test_what_is_copied_and_read_by_nobody_is_unread(version: str) -> None:
    istiod = resolve(version).chart("istiod")
    for text in ("global.useMCP", "global.mtls.enabled", "global.proxy.accessLogFile", "global.nonsense"):
        assert istiod.unread(parse(text)), text
    for text in (
        "global",
        "global.hub",
        "global.proxy.image",
        "global.network",
        "revision",
        "nonsense",
        "meshConfig.x",
    ):
        assert not istiod.unread(parse(text)), text


def test_rules_and_proof_know_the_same_readings_of_istiod() -> None:
    """The proof shares no data with the rules, so that a slip of one shows in the other."""
    data = load("behaviours.json")["injector"]["read_by_istiod"]
    assert sorted(data) == sorted(".".join(path) for path in _READ_BY_ISTIOD)


def test_reads_counts_what_lies_above_and_below_and_cuts_positions() -> None:
    istiod = resolve("1.30.3").chart("istiod")
    assert istiod.reads(("telemetry",))
    assert istiod.reads(("tolerations", 0, "key"))
    assert istiod.reads(("global", "arch", "amd64"))
    assert istiod.only_dumped(("global", "arch", "amd64"))
    assert not istiod.only_dumped(("global", "hub"))
    assert not istiod.reads(("telemetry", "v1"))
    assert not istiod.reads(("nonsense",))
    assert istiod.dumps_all_values
    assert not resolve("1.25.5").chart("istiod").dumps_all_values


@pytest.mark.parametrize("version", VERSIONS)
def test_every_version_answers_for_every_chart(version: str) -> None:
    catalog = resolve(version)
    for name in HELM_CHARTS + ISTIOCTL_CHARTS:
        chart = catalog.chart(name)
        assert chart.read_paths
        assert chart.skeleton.objects
        for path, value in leaf_items(chart.defaults):
            assert chart.default(path) == value
            assert value != "$version"


@pytest.mark.parametrize(
    ("version", "chart", "path", "value"),
    [
        ("1.25.3", "istiod", ("global", "hub"), "docker.io/istio"),
        ("1.30.3", "istiod", ("global", "hub"), "registry.istio.io/release"),
        ("1.25.3", "istiod", ("global", "tag"), "1.25.3"),
        ("1.25.3", "ztunnel", ("tag",), "1.25.3"),
        ("1.25.3", "ztunnel", ("global", "tag"), "1.25.3"),
        ("1.25.3", "ztunnel", ("global", "istioNamespace"), "istio-system"),
        ("1.22.3", "ztunnel", ("global", "istioNamespace"), MISSING),
        ("1.23.6", "istiod", ("pilot", "autoscaleMax"), 5),
        ("1.24.0", "istiod", ("pilot", "autoscaleMax"), 5),
        ("1.24.0", "istiod", ("autoscaleMax",), 5),
        ("1.24.6", "gateway", ("labels",), {}),
        ("1.25.0", "gateway", ("labels", "istio.io/dataplane-mode"), "none"),
        ("1.25.0", "gateway", ("no", "such"), MISSING),
        ("1.24.0", "gateway", ("replicaCount", "x"), MISSING),
    ],
)
def test_defaults(version: str, chart: str, path: Path, value: object) -> None:
    assert resolve(version).chart(chart).default(path) == value


@pytest.mark.parametrize(
    ("version", "chart", "path", "first"),
    [
        ("1.23.6", "istiod", (), ("pilot", "sidecarInjectorWebhook")),
        ("1.23.6", "istiod", ("pilot",), ("autoscaleEnabled", "autoscaleMin", "autoscaleMax")),
        ("1.24.0", "istiod", ("pilot",), ("autoscaleEnabled", "autoscaleMin", "autoscaleMax")),
        ("1.24.0", "istiod", ("pilot", "cni"), ("enabled", "provider")),
        ("1.23.6", "istiod", ("pilot", "cni"), ("enabled", "provider")),
        ("1.25.3", "cni", ("cni", "repair"), ("enabled", "hub", "tag", "labelPods")),
        ("1.25.3", "ztunnel", ("global",), ("hub", "tag", "variant")),
        ("1.22.3", "ztunnel", ("global",), ()),
        ("1.25.3", "gateway", ("service",), ("type", "ports", "annotations")),
        ("1.25.3", "istiod", ("no", "such"), ()),
        ("1.25.3", "istiod", ("pilot", "autoscaleMax"), ()),
    ],
)
def test_keys_are_in_the_order_of_the_charts_values(
    version: str, chart: str, path: Path, first: tuple[str, ...]
) -> None:
    order = tuple(resolve(version).chart(chart).order(path))
    assert order[: len(first)] == first
    assert bool(order) == bool(first)


@pytest.mark.parametrize("version", SOME)
def test_the_order_names_every_key_of_the_defaults_once(version: str) -> None:
    for name in HELM_CHARTS + ISTIOCTL_CHARTS:
        chart = resolve(version).chart(name)
        maps: list[tuple[Path, object]] = [((), chart.defaults)]
        while maps:
            path, value = maps.pop()
            if isinstance(value, dict):
                maps += [((*path, key), child) for key, child in value.items()]
                order = tuple(chart.order(path))
                assert len(order) == len(set(order))
                assert set(order) >= set(value) or len(value) < 2, (name, path)


def test_traits() -> None:
    assert resolve("1.23.6").chart("istiod").descope is None
    assert resolve("1.24.0").chart("istiod").descope == "pilot"
    assert resolve("1.24.0").chart("cni").descope == "cni"
    assert not resolve("1.22.3").chart("ztunnel").flattens_global
    assert resolve("1.22.4").chart("ztunnel").flattens_global
    assert not resolve("1.24.2").chart("gateway").flattens_global
    assert resolve("1.24.3").chart("gateway").flattens_global


@pytest.mark.parametrize(
    ("version", "fixed_in"),
    [("1.22.0", "1.25.5"), ("1.25.4", "1.25.5"), ("1.26.0", "1.26.4"), ("1.27.0", "1.27.1"), ("1.27.1", None)],
)
def test_broken_schemas_and_the_release_that_repairs_them(version: str, fixed_in: str | None) -> None:
    gateway = resolve(version).chart("gateway")
    assert gateway.schema_broken is (fixed_in is not None)
    assert gateway.fixed_in == fixed_in


def test_environment_variables_that_templates_set() -> None:
    istiod = resolve("1.30.3").chart("istiod")
    assert {"REVISION", "PILOT_CERT_PROVIDER", "CA_TRUSTED_NODE_ACCOUNTS", "EXTERNAL_ISTIOD"} <= istiod.template_env
    assert {"ISTIO_META_CLUSTER_ID", "CA_ADDR"} <= istiod.injection_env
    assert "local-certs" not in istiod.template_env
    assert resolve("1.30.3").chart("gateway").template_env == {"ISTIO_META_REQUESTED_NETWORK_VIEW"}


def test_helm_profiles() -> None:
    old, new = resolve("1.23.6"), resolve("1.24.0")
    assert "openshift" in old.helm_profiles
    assert "openshift" not in new.helm_profiles
    assert old.platforms == frozenset()
    assert "openshift" in new.platforms
    assert new.compatibility_versions == {"1.21", "1.22", "1.23"}
    assert new.helm_profile("ambient")["pilot"]["env"]["PILOT_ENABLE_AMBIENT"] == "true"
    assert new.platform("openshift")["cni"]["chained"] is False
    assert resolve("1.25.5").compatibility("1.23")["ambient"]["reconcileIptablesOnStartup"] is False
    for nothing in (new.helm_profile("platform-openshift"), new.platform("x"), new.compatibility("1.10")):
        assert nothing == {}


def test_istioctl_profiles_are_laid_over_default() -> None:
    catalog = resolve("1.25.3")
    default, demo = catalog.istioctl_profile("default"), catalog.istioctl_profile("demo")
    assert default is not None
    assert demo is not None
    assert default["tag"] == "1.25.3"
    assert default["components"]["egressGateways"] == [{"name": "istio-egressgateway", "enabled": False}]
    assert demo["components"]["egressGateways"] == [{"name": "istio-egressgateway", "enabled": True}]
    assert demo["components"]["base"] == {"enabled": True}
    assert demo["values"]["profile"] == "demo"
    assert catalog.istioctl_profile("nonsense") is None
    assert catalog.istioctl_profiles >= {"default", "demo", "minimal", "empty", "ambient", "openshift", "remote"}


@pytest.mark.parametrize(
    ("name", "yes", "no"),
    [
        ("feeds_replicas_to_values", ["1.28.8", "1.28.10", "1.31.0"], ["1.28.7", "1.29.6", "1.30.3"]),
        ("feeds_cpu_to_values", ["1.31.0"], ["1.30.3", "1.28.10"]),
        ("unmatched_overlay_is_error", ["1.22.0", "1.23.6"], ["1.24.0"]),
        ("merges_service_ports", ["1.23.6"], ["1.24.0"]),
        ("skips_replica_count_when_autoscaled", ["1.23.6"], ["1.24.0"]),
        ("drops_min_available_beside_max_unavailable", ["1.24.2"], ["1.23.6", "1.24.1"]),
        ("null_resources_dropped", ["1.28.6", "1.29.1", "1.30.0"], ["1.28.5", "1.29.0"]),
    ],
)
def test_behaviours(name: str, yes: list[str], no: list[str]) -> None:
    assert all(resolve(version).behaviour(name) for version in yes)
    assert not any(resolve(version).behaviour(name) for version in no)


def test_names_of_the_program_that_do_not_exist_are_bugs() -> None:
    catalog = resolve("1.25.3")
    with pytest.raises(InternalError):
        catalog.behaviour("nonsense")
    with pytest.raises(InternalError):
        catalog.chart("nonsense")
    with pytest.raises(InternalError):
        catalog.workload("base")


@pytest.mark.parametrize("version", SOME)
def test_a_workload_is_what_its_chart_renders(version: str) -> None:
    catalog = resolve(version)
    assert set(catalog.workloads) == {"pilot", "cni", "ztunnel", "ingressGateways", "egressGateways"}
    for workload in catalog.workloads.values():
        skeleton = catalog.chart(workload.chart).skeleton
        name = workload.name or "some-gateway"
        containers: Path = ("spec", "template", "spec", "containers")
        elements = skeleton.elements(workload.kind, name, containers)
        assert elements is not None
        assert workload.container in elements.names


@pytest.mark.parametrize("name", [*HELM_CHARTS, *ENDED_CHARTS, *ISTIOCTL_CHARTS])
def test_data_is_facts_in_the_agreed_form(name: str) -> None:
    sections = {"defaults", "dumped", "dead", "injection", "injection_env", "profile_keys", "reads", "refused"}
    definitions = {"crds"} if name == "base" else set()
    assert set(load(f"{name}.json")) == sections | definitions | {"order", "schema", "template_env", "traits"}
    assert set(load(f"{name}.skeleton.json")) == {"objects", "optional", "taken", "places", "lists"}


def test_definitions_are_known_by_release() -> None:
    before, after = (resolve(version).chart("base").crds for version in ("1.29.6", "1.30.3"))
    assert "gateways.networking.istio.io" in before
    assert after - before == {"trafficextensions.extensions.istio.io"}
