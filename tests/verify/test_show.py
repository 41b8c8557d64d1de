"""A proof as text, JSON and Markdown."""

from __future__ import annotations

import json

from istio_convert.verify import Compared, Difference, Kind, Verification, to_json, to_markdown, to_text
from istio_convert.verify.manifests import ObjectId
from istio_convert.verify.show import left_behind

PROOF = Verification(
    "1.25.3",
    (
        Compared(ObjectId("", "Service", "n", "same"), "pilot", "istiod"),
        Compared(
            ObjectId("apps", "Deployment", "n", "gw"),
            "ingressGateways",
            "gw",
            (
                Difference(Kind.INJECTION, "spec.image", "hunter2", "auto", "the injector writes it"),
                Difference(Kind.UNEXPLAINED, "spec.replicas", 1, 2),
                Difference(Kind.UNEXPLAINED, "spec.extra", after="hunter2"),
            ),
        ),
        Compared(
            ObjectId("rbac", "Role", "n", "gw-sds"),
            "ingressGateways",
            "gw",
            (Difference(Kind.ORPHAN, "metadata.name", "gw-sds", "gw", "delete it"),),
            ObjectId("rbac", "Role", "n", "gw"),
        ),
        Compared(ObjectId("", "Hook", "", "h"), "", "base", (Difference(Kind.NEW, "", why="made elsewhere"),)),
    ),
    "built-in istioctl 1.25.3",
    ("a note",),
    {"1.11.4": "1.25.3", "1.25.3-debug": "1.25.3-debug"},
)


def test_text() -> None:
    assert to_text(PROOF).splitlines() == [
        "Istio 1.25.3: Helm against built-in istioctl 1.25.3",
        "note: a note",
        "note: image tag 1.11.4 is read as 1.25.3",
        "unexplained Deployment n/gw: spec.replicas: not the same",
        "unexplained Deployment n/gw: spec.extra: only with Helm",
        "orphan Role n/gw-sds: delete it",
        "new Hook h: made elsewhere",
        "4 objects: 1 equal, 1 only with istioctl, 1 only with Helm, 1 unexplained. 2 unexplained differences.",
    ]
    everything = to_text(PROOF, everything=True)
    assert "injection Deployment n/gw: spec.image: not the same: the injector writes it" in everything
    assert "hunter2" not in everything
    assert 'spec.image: not the same ("hunter2" / "auto")' in to_text(PROOF, everything=True, show_values=True)


def test_json() -> None:
    data = json.loads(to_json(PROOF))
    assert (data["schemaVersion"], data["version"], data["proven"]) == (1, "1.25.3", False)
    assert data["totals"]["unexplained"] == 1
    assert data["totals"]["release-label"] == 0
    gateway = data["objects"][1]
    assert (gateway["kind"], gateway["namespace"], gateway["name"], gateway["class"]) == (
        "Deployment",
        "n",
        "gw",
        "unexplained",
    )
    assert [d["change"] for d in gateway["differences"]] == ["changed", "changed", "added"]
    assert data["objects"][2]["pairedWith"] == "gw"
    assert "hunter2" not in to_json(PROOF)
    shown = json.loads(to_json(PROOF, show_values=True))["objects"][1]["differences"]
    assert (shown[1]["istioctl"], shown[1]["helm"]) == (1, 2)
    assert "istioctl" not in shown[2]


def test_markdown() -> None:
    page = to_markdown(PROOF)
    assert "| Deployment n/gw | ingressGateways | gw | unexplained |" in page
    assert "## Unexplained" in page
    assert "- `Role n/gw-sds`: `metadata.name` not the same: delete it" in page
    assert "\n## Only with Helm\n" in page
    assert "hunter2" not in page


def test_a_proof() -> None:
    proof = Verification("1.25.3", PROOF.objects[:1], "x")
    assert proof.proven
    assert to_text(proof).endswith("1 objects: 1 equal. The same.\n")
    assert not PROOF.proven
    assert [str(identity) for identity, _ in PROOF.unexplained] == ["Deployment n/gw"] * 2


def test_markdown_says_a_reason_once() -> None:
    def gateway(name: str, *paths: str) -> Compared:
        differences = [Difference(Kind.INJECTION, path, "hunter2", "auto", "the injector writes it") for path in paths]
        other = Difference(Kind.INJECTION, "spec.args", "hunter2", why="from the template")
        return Compared(ObjectId("apps", "Deployment", "n", name), "ingressGateways", name, (*differences, other))

    page = to_markdown(Verification("1.25.3", (gateway("a", "x", "y"), gateway("b", "x", "y"), gateway("c", "x"))))
    assert page.partition("## Provided by injection\n\n")[2].splitlines() == [
        "- the injector writes it:",
        "  - `Deployment n/a`, `Deployment n/b`: `x` not the same, `y` not the same",
        "  - `Deployment n/c`: `x` not the same",
        "- `Deployment n/a`, `Deployment n/b`, `Deployment n/c`: `spec.args` only with istioctl: from the template",
    ]


def test_what_is_left_behind_is_named_with_what_to_do() -> None:
    assert left_behind(PROOF) == ("Role n/gw-sds: delete it",)
