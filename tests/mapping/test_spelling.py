"""Names inside meshConfig, Kubernetes settings and overlays that nobody knows."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from istio_convert import Source, convert
from istio_convert.catalog import resolve
from istio_convert.catalog.names import Names, kubernetes_names, mesh_names
from istio_convert.mapping.checks.spelling import MESH, SETTINGS, misspelt, unknown
from istio_convert.paths import render
from istio_convert.source.nodes import Mapping, from_data
from tests.cli.running import run

HEAD = "apiVersion: install.istio.io/v1alpha1\nkind: IstioOperator\nspec:\n"
FIXTURES = Path(__file__).parent.parent.parent / "fixtures"
VERSIONS = ("1.22.8", "1.25.3", "1.31.0")
IGNORED = "no release of istiod from 1.22.0 on knows the field spec.{}: it is ignored"
REFUSED = "Kubernetes has no field spec.components.{}: istioctl refuses it, the API server drops or refuses it"


def warnings(spec: str, to: str = "1.25.3") -> list[str]:
    return [str(issue) for issue in convert(Source("op.yaml", f"{HEAD}{spec}\n"), to=to).warnings]


def mesh(text: str) -> str:
    return f"  meshConfig:\n    {text}"


def k8s(text: str) -> str:
    return f"  components:\n    pilot:\n      k8s:\n        {text}"


def gateway(text: str) -> str:
    return f"  components:\n    ingressGateways:\n    - name: istio-ingressgateway\n      k8s:\n        {text}"


def overlay(patch: str, kind: str = "Deployment") -> str:
    return k8s(f"overlays:\n        - kind: {kind}\n          name: istiod\n          patches:\n          - {patch}")


TYPOS = [
    (
        mesh("accesslogEncoding: JSON"),
        f"op.yaml:5:24: {IGNORED.format('meshConfig.accesslogEncoding')}",
        "did you mean spec.meshConfig.accessLogEncoding?",
    ),
    (
        mesh("defaultConfig: {holdApplicationUntilProxyStart: true}"),
        f"op.yaml:5:53: {IGNORED.format('meshConfig.defaultConfig.holdApplicationUntilProxyStart')}",
        "did you mean spec.meshConfig.defaultConfig.holdApplicationUntilProxyStarts?",
    ),
    (
        mesh("outBoundTrafficPolicy:\n      mode: REGISTRY_ONLY"),
        f"op.yaml:6:7: {IGNORED.format('meshConfig.outBoundTrafficPolicy')}",
        "did you mean spec.meshConfig.outboundTrafficPolicy?",
    ),
    (
        mesh("outboundTrafficPolicy:\n      mode: REGISTRYONLY"),
        (
            "op.yaml:6:13: spec.meshConfig.outboundTrafficPolicy.mode is none of the words that istiod 1.25.3 knows "
            "there: istioctl and istiod refuse it"
        ),
        "did you mean REGISTRY_ONLY?",
    ),
    (
        mesh("h2UpgradePolicy: maybe"),
        (
            "op.yaml:5:22: spec.meshConfig.h2UpgradePolicy is none of the words that istiod 1.25.3 knows there: "
            "istioctl and istiod refuse it"
        ),
        "one of DO_NOT_UPGRADE, UPGRADE",
    ),
    (
        mesh("concurrency: 2"),
        f"op.yaml:5:18: {IGNORED.format('meshConfig.concurrency')}",
        "did you mean spec.meshConfig.defaultConfig.concurrency?",
    ),
    (
        mesh("defaultConfig: {accessLogFile: /dev/stdout}"),
        f"op.yaml:5:36: {IGNORED.format('meshConfig.defaultConfig.accessLogFile')}",
        "did you mean spec.meshConfig.accessLogFile?",
    ),
    (
        mesh("extensionProviders: [{name: a}, {name: b, zipkin: {servise: s, port: 1}}]"),
        f"op.yaml:5:65: {IGNORED.format('meshConfig.extensionProviders[1].zipkin.servise')}",
        "did you mean spec.meshConfig.extensionProviders[1].zipkin.service?",
    ),
    (
        mesh("defaultConfig: {tracing: {customTags: {team: {literl: {value: a}}}}}"),
        f"op.yaml:5:59: {IGNORED.format('meshConfig.defaultConfig.tracing.customTags.team.literl')}",
        "did you mean spec.meshConfig.defaultConfig.tracing.customTags.team.literal?",
    ),
    (
        mesh("mixerCheckServer: a"),
        f"op.yaml:5:23: {IGNORED.format('meshConfig.mixerCheckServer')}",
        "correct it, or remove it",
    ),
    (
        mesh("zoneAwareLbSetting: {}"),
        (
            "op.yaml:5:25: istiod 1.25.3 knows no field spec.meshConfig.zoneAwareLbSetting and ignores it; "
            "1.31.0 and later know it"
        ),
        "correct it, or remove it",
    ),
    (
        "  values:\n    meshConfig: {trustDomian: a}",
        f"op.yaml:5:31: {IGNORED.format('values.meshConfig.trustDomian')}",
        "did you mean spec.values.meshConfig.trustDomain?",
    ),
    (
        "  values:\n    global: {meshNetworks: {net1: {gateway: [{port: 1}]}}}",
        f"op.yaml:5:45: {IGNORED.format('values.global.meshNetworks.net1.gateway')}",
        "did you mean spec.values.global.meshNetworks.net1.gateways?",
    ),
    (
        "  values:\n    pilot: {resources: {request: {cpu: 1}}}",
        "op.yaml:5:34: Kubernetes has no field spec.values.pilot.resources.request: the API server drops or refuses it",
        "did you mean spec.values.pilot.resources.requests?",
    ),
    (
        "  values:\n    gateways: {istio-ingressgateway: {resources: {requests: {cpu: 1cpu}}}}",
        (
            "op.yaml:5:67: spec.values.gateways.istio-ingressgateway.resources.requests.cpu is no quantity that "
            "Kubernetes can read: the API server refuses it"
        ),
        "such as 500m, 2 or 1Gi",
    ),
    (
        k8s("hpaSpec: {maxReplica: 3}"),
        f"op.yaml:7:31: {REFUSED.format('pilot.k8s.hpaSpec.maxReplica')}",
        "did you mean spec.components.pilot.k8s.hpaSpec.maxReplicas?",
    ),
    (
        k8s("podDisruptionBudget: {minAvailble: 1}"),
        f"op.yaml:7:44: {REFUSED.format('pilot.k8s.podDisruptionBudget.minAvailble')}",
        "did you mean spec.components.pilot.k8s.podDisruptionBudget.minAvailable?",
    ),
    (
        gateway("service: {externalTrafficPolcy: Local}"),
        f"op.yaml:8:41: {REFUSED.format('ingressGateways[0].k8s.service.externalTrafficPolcy')}",
        "did you mean spec.components.ingressGateways[0].k8s.service.externalTrafficPolicy?",
    ),
    (
        gateway("service: {externalTrafficPolicy: Near}"),
        (
            "op.yaml:8:42: spec.components.ingressGateways[0].k8s.service.externalTrafficPolicy is none of the words "
            "that Kubernetes knows there: the API server refuses it"
        ),
        "one of Cluster, Local",
    ),
    (
        k8s("resources: {requests: {cpu: 500milli}}"),
        (
            "op.yaml:7:37: spec.components.pilot.k8s.resources.requests.cpu is no quantity that Kubernetes can read: "
            "istioctl and the API server refuse it"
        ),
        "such as 500m, 2 or 1Gi",
    ),
    (
        k8s("strategy: {rollingUpdate: {maxsurge: 1}}"),
        (
            "op.yaml:7:46: Kubernetes has no field spec.components.pilot.k8s.strategy.rollingUpdate.maxsurge: the API "
            "server drops or refuses it"
        ),  # istioctl takes it, but writes it as it is
        "did you mean spec.components.pilot.k8s.strategy.rollingUpdate.maxSurge?",
    ),
    (
        k8s("securityContext: {allowPrivilegeEscalation: false}"),
        f"op.yaml:7:53: {REFUSED.format('pilot.k8s.securityContext.allowPrivilegeEscalation')}",
        "correct it, or remove it",  # a field of containers, and this is a pod's
    ),
    (
        overlay("path: spec.template.spec.dnsconfig\n            value: {}"),
        (
            "op.yaml:11:19: Deployment has no field spec.template.spec.dnsconfig in Kubernetes: the API server drops "
            "or refuses it"
        ),
        "did you mean spec.template.spec.dnsConfig?",
    ),
    (
        overlay("path: spec.template.spec.containers.[name:discovery].lifecyle\n            value: {}"),
        (
            "op.yaml:11:19: Deployment has no field spec.template.spec.containers[name:discovery].lifecyle in "
            "Kubernetes: the API server drops or refuses it"
        ),
        "did you mean spec.template.spec.containers[name:discovery].lifecycle?",
    ),
    (
        overlay("path: spec.hostNetwork\n            value: true"),
        "op.yaml:11:19: Deployment has no field spec.hostNetwork in Kubernetes: the API server drops or refuses it",
        "correct it, or remove it",
    ),
    (
        overlay("path: spec.template.spec.dnsConfig\n            value: {nameserver: [1.2.3.4]}"),
        (
            "op.yaml:12:33: Kubernetes has no field spec.components.pilot.k8s.overlays[0].patches[0].value.nameserver: "
            "the API server drops or refuses it"
        ),
        "did you mean spec.components.pilot.k8s.overlays[0].patches[0].value.nameservers?",
    ),
    (
        overlay('path: spec.template.spec.dnsConfig\n            value: "nameserver: [1.2.3.4]"'),
        (
            "op.yaml:12:20: Kubernetes has no field spec.components.pilot.k8s.overlays[0].patches[0].value.nameserver: "
            "the API server drops or refuses it"
        ),
        "did you mean spec.components.pilot.k8s.overlays[0].patches[0].value.nameservers?",
    ),
    (
        overlay("path: webhooks.[name:x].failurPolicy\n            value: Fail", "ValidatingWebhookConfiguration"),
        (
            "op.yaml:11:19: ValidatingWebhookConfiguration has no field webhooks[name:x].failurPolicy in Kubernetes: "
            "the API server drops or refuses it"
        ),
        "did you mean webhooks[name:x].failurePolicy?",
    ),
]


@pytest.mark.parametrize(("spec", "words", "hint"), TYPOS, ids=[words.split(": ")[1][:70] for _, words, _ in TYPOS])
def test_a_name_that_nobody_knows_is_a_warning(spec: str, words: str, hint: str) -> None:
    assert warnings(spec) == [f"{words} ({hint})"]


RIGHT = [
    mesh("access_log_encoding: JSON"),  # the name of the .proto file is as good
    mesh("outboundTrafficPolicy: {mode: 1}"),  # protobuf's JSON takes the number of a word
    mesh("defaultConfig: {proxyMetadata: {ANY_NAME: a}, tracing: {zipkin: {address: a}}}"),
    mesh("defaultConfig: {drainDuration: 45s, image: {imageType: distroless}, tracing: {sampling: 1.5}}"),
    mesh("extensionProviders: [{name: a, envoyFileAccessLog: {path: /a, logFormat: {labels: {any: {name: a}}}}}]"),
    mesh("accessLogFile: null"),
    "  values: {global: {proxy: {resources: {limits: {cpu: 2}}, lifecycle: {preStop: {exec: {command: [a]}}}}}}",
    "  values: {pilot: {env: {ANY: a}, seccompProfile: {type: RuntimeDefault}, nodeSelector: {any: a}}}",
    k8s("resources: {requests: {cpu: 0.5, memory: 1.5Gi, example.com/gpu: 1}, limits: {cpu: 12e3, memory: 1E}}"),
    k8s("hpaSpec: {metrics: [{type: Resource, resource: {name: cpu, targetAverageUtilization: 60}}]}"),
    k8s("hpaSpec: {metrics: [{type: Resource, resource: {name: cpu, target: {type: Value, averageValue: 1}}}]}"),
    k8s("env: [{name: A, valueFrom: {secretKeyRef: {name: a, key: b, optional: true}}}]"),
    k8s("affinity: {podAntiAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 1, podAffinityTerm: "
        "{topologyKey: a, labelSelector: {matchLabels: {any: a}}}}]}}"),
    k8s("imagePullPolicy: ''"),
    gateway("service: {type: LoadBalancer, selector: {any: a}, ports: [{name: a, port: 1, protocol: TCP}]}"),
    overlay("path: metadata.annotations.example\\.com/any\n            value: a"),
    overlay("path: spec.template.spec.containers.[name:discovery].args[0]\n            value: a"),
    overlay("path: spec.template.spec.volumes[-1]\n            value: {name: a, secret: {secretName: b}}"),
    overlay("path: spec.template.spec.containers.[name:discovery]\n            value: {name: discovery, image: a}"),
    overlay("path: spec.any.thing\n            value: a", "EnvoyFilter"),  # no object that is known here
    "  components: {cni: {enabled: false, k8s: {affinity: {any: a}}}}",  # it is off
    "  components: {cni: {enabled: true, k8s: {strategy: {type: OnDelete}}}}",  # manual: a DaemonSet has none
]  # fmt: skip


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("spec", RIGHT)
def test_nothing_is_said_about_what_is_right(spec: str, version: str) -> None:
    found = misspelt(convert(f"{HEAD}{spec}\n", to=version).operators[0].user, resolve(version))
    assert [str(issue) for issue in found] == []


def paths(names: Names, kind: str, path: tuple[str, ...], seen: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Every path of names below a type, each type once in a path."""
    known = names.known(kind.removeprefix("*"))
    if not isinstance(known, dict) or kind in seen:
        return
    if kind[0] == "*":
        path = (*path, "any")
    for name, below in known.items():
        yield (*path, name)
        if below:
            yield from paths(names, below, (*path, name), (*seen, kind))


@pytest.mark.parametrize("version", VERSIONS)
def test_no_name_can_be_misspelt_without_a_word(version: str) -> None:
    catalog = resolve(version)
    places = [((*place,), kind, mesh_names(version)) for place, kind in MESH[:1]]
    places += [(("components", "pilot", "k8s", name), kind, kubernetes_names()) for name, kind in SETTINGS.items()]
    count = 0
    for place, kind, names in places:
        for path in paths(names, kind, place):
            count += 1
            assert unknown(path, catalog) is None, path
            odd = unknown((*path[:-1], f"{path[-1]}x"), catalog)
            assert odd is not None, path
            if len(path[-1]) > 3:
                assert odd.hint == f"did you mean {render(('spec', *path))}?", path
    assert count > 950


def test_a_value_is_never_shown() -> None:
    spec = mesh("outboundTrafficPolicy: {mode: hunter2}\n    accessLogEncoding: hunter2\n    foo: hunter2")
    found = warnings(spec)
    assert len(found) == 3
    assert "hunter2" not in "".join(found)


@pytest.mark.parametrize("spec", [spec for spec, _, _ in TYPOS])
def test_the_field_is_carried_and_the_exit_code_is_zero(spec: str, tmp_path: Path) -> None:
    (tmp_path / "op.yaml").write_text(f"{HEAD}{spec}\n", encoding="utf-8")
    ran = run([str(tmp_path / "op.yaml"), "--to", "1.25.3", "-o", str(tmp_path / "out")])
    assert ran.code == 0, ran.stderr
    assert ran.stderr.count("warning: ") == 1


def test_flags_and_merged_files_are_looked_at() -> None:
    conversion = convert(f"{HEAD}  meshConfig: {{rootNamspace: a}}\n", to="1.25.3", sets=["meshConfig.trustDomian=b"])
    assert [(issue.origin.file, issue.hint) for issue in conversion.warnings if issue.origin] == [
        ("operator.yaml", "did you mean spec.meshConfig.rootNamespace?"),
        ("--set", "did you mean spec.meshConfig.trustDomain?"),
    ]


@pytest.mark.parametrize("fixture", sorted(FIXTURES.glob("*/input.yaml")), ids=lambda path: path.parent.name)
@pytest.mark.parametrize("version", VERSIONS)
def test_the_fixtures_hold_nothing_unknown(fixture: Path, version: str) -> None:
    conversion = convert(Source(fixture.name, fixture.read_bytes()), to=version)
    catalog = resolve(version)
    assert [str(issue) for one in conversion.operators for issue in misspelt(one.user, catalog)] == []


def test_a_spec_of_odd_shapes_is_no_trouble() -> None:
    tree = from_data(
        {
            "meshConfig": {"defaultConfig": [], "outboundTrafficPolicy": "a", "extensionProviders": {"a": 1}},
            "components": {"pilot": None, "cni": {"k8s": None}, "ingressGateways": [None, {"k8s": {"overlays": [1]}}]},
            "values": [],
        }
    )
    assert isinstance(tree, Mapping)
    assert [issue.message for issue in misspelt(tree, resolve("1.25.3"))] == [
        IGNORED.format("meshConfig.extensionProviders.a")
    ]
