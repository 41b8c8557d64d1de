"""Hostile and contradicting options are refused before anything is written."""

from __future__ import annotations

from typing import Any

import pytest

from istio_convert import migrate
from istio_convert.api import convert
from istio_convert.emit import EmitOptions
from istio_convert.errors import InvalidNameError, OutputError
from istio_convert.migrate import Options, Strategy, files, read_objects
from istio_convert.verify.manifests import Rendered
from tests.migrate.plans import OPERATOR, make, thing

HOSTILE = ["a b", "$(reboot)", "a;b", "-rf", "a'b", "A", "a" * 64, "a\n", "../x", ""]


@pytest.mark.parametrize("text", HOSTILE[:-1])
@pytest.mark.parametrize("name", ["revision", "tag", "gateway_suffix"])
def test_labels(name: str, text: str) -> None:
    more: dict[str, Any] = {name: text}
    with pytest.raises(InvalidNameError):
        Options("1.24.6", **more).check()


@pytest.mark.parametrize("text", HOSTILE[:-1])
def test_pairs_and_lists(text: str) -> None:
    for more in (
        {"alb_ingress": f"edge/{text}"},
        {"old_application": f"{text}/x"},
        {"kube_namespaces": (text,)},
        {"dns_name": text},
    ):
        if more.get("dns_name") == "a" * 64 or more.get("alb_ingress") == "edge/" + "a" * 64:
            continue  # allowed there
        with pytest.raises(InvalidNameError):
            Options("1.24.6", **more).check()  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "more",
    [
        {"source_version": "new"},
        {"target": "ansible"},
        {"traffic": "magic"},
        {"traffic": "alb"},
        {"traffic": "dns"},
        {"weights": (50, 10, 100)},
        {"weights": (10, 50)},
        {"weights": ()},
        {"weights": (0, 100)},
        {"alb_port": 0, "traffic": "alb", "alb_ingress": "a/b"},
        {"gateway_suffix": ""},
    ],
)
def test_contradictions(more: dict[str, Any]) -> None:
    settings = {"source_version": "1.24.6", "strategy": Strategy.CANARY, **more}
    with pytest.raises(OutputError):
        Options(**settings).check()


@pytest.mark.parametrize("name", ["a;reboot", "$(reboot)", "a b", "a`b`"])
def test_names_in_operators_and_dumps(name: str) -> None:
    operator = OPERATOR.replace("name: control-plane", f'name: "{name}"')
    with pytest.raises(InvalidNameError):
        make(operator=operator)
    with pytest.raises(InvalidNameError):
        make(live=[thing("v1", "Service", name, "istio-system")])
    with pytest.raises(InvalidNameError):
        make(live=[thing("v1", f"Ser{name}", "x", "istio-system")])


def test_rbac_names_may_have_colons() -> None:
    live = [thing("rbac.authorization.k8s.io/v1", "ClusterRole", "istio:reader")]
    assert files(make(live=live))


def test_one_layout_for_argo_cd() -> None:
    conversion = convert(OPERATOR, to="1.25.3")
    rendered: dict[str, list[Rendered]] = {"final": []}
    options = Options("1.24.6", target="argocd")
    with pytest.raises(OutputError, match="one Application after the other"):
        migrate.plan(conversion, options, rendered, emit=EmitOptions(argocd_layout="applicationset"))


def test_dumps_are_documents_and_lists() -> None:
    text = "kind: Service\nmetadata: {name: a}\n---\nkind: List\nitems:\n- {kind: Pod, metadata: {name: b}}\n---\n- 1\n"
    assert [item["kind"] for item in read_objects(text, "dump")] == ["Service", "Pod"]
