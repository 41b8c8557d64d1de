"""The judgement on a gateway: the pod of Helm's side against istioctl's, without a rule about injection.

What injection changes for every gateway of a release is measured: a gateway of the same name that sets nothing goes the
same way, and what it lost or got, place by place and value by value, is what any other may lose or get. What the mesh's
own settings change is measured on the same operator with its gateways' settings taken out; it may give another value
only where the bare gateway has one of its own. Everything else is a finding.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from istio_convert import InputError, RenderError
from istio_convert.source.nodes import to_data
from istio_convert.source.writer import dump
from istio_convert.verify.charts import ReleaseCharts
from istio_convert.verify.reference.inputs import read_operators
from tests.pods.attribution import Attribution
from tests.pods.backends import Answer, Backend
from tests.pods.normal import table
from tests.pods.sides import Gateway, Key, Sides, sides

#: What is no finding, and what is, the worst last.
STATES = ("no gateway", "refused by the conversion", "never ran", "same", "different", "auto", "refused", "not judged")
_ABSENT = "(none)"
#: Texts that injection gives to every gateway and in which it describes the pod that it has before it: the containers
#: beside the proxy, and their ports.
DESCRIBES = ("env[ISTIO_META_APP_CONTAINERS]", "env[ISTIO_META_POD_PORTS]")


@dataclass(frozen=True)
class Difference:
    """One place of the pod that is not the same.

    Attributes:
        kind: ``lacking`` (only istioctl's pod has it), ``other value``, or ``woken`` (only Helm's has it).
        place: where in the pod.
        before: istioctl's value.
        after: Helm's value.
        leaves: the fields of the operator that istioctl takes it from, with the outcome that the report gives them.
        said: that the report's words, or its fields left to a person, name it.
    """

    kind: str
    place: str
    before: Any
    after: Any
    leaves: tuple[str, ...] = ()
    said: bool = False

    @property
    def change(self) -> tuple[str, str, str]:
        """Place and both values, to compare changes by."""
        return self.place, json.dumps(self.before), json.dumps(self.after)


@dataclass(frozen=True)
class Verdict:
    """What became of one gateway.

    Attributes:
        case: name of the operator.
        key: namespace and name of the gateway.
        state: one of :data:`STATES`.
        words: of who refused it.
        differences: findings, when it is different.
        for_all: how many places differ as they do for every gateway.
    """

    case: str
    key: Key
    state: str
    words: str = ""
    differences: tuple[Difference, ...] = ()
    for_all: int = 0

    @property
    def is_false(self) -> bool:
        """Whether the report promised something else."""
        return self.state in ("refused", "auto", "not judged") or any(not one.said for one in self.differences)


@dataclass
class Judge:
    """Judges operators at one release.

    Attributes:
        charts: of the release.
        backend: who makes the pods.
    """

    charts: ReleaseCharts
    backend: Backend
    _bare: dict[Any, dict[Key, dict[tuple[str, str, str], Difference]]] = field(default_factory=dict)

    def judge(self, case: str, text: str) -> list[Verdict]:
        """Every gateway of an operator."""
        try:
            both = sides(text, self.charts, case)
        except InputError as error:
            return [Verdict(case, ("", ""), "refused by the conversion", error.message)]
        except RenderError as error:
            state = "never ran" if "istioctl" in error.message else "refused"
            return [Verdict(case, ("", ""), state, error.message)]
        if not both.gateways:
            return [Verdict(case, ("", ""), "no gateway")]
        bare = self._changes_of(_stripped(text, case), case)
        answers = self._answers(both)
        return [self._gateway(case, text, both, gateway, answers[gateway.key], bare) for gateway in both.gateways]

    def for_every_gateway(self, key: Key = ("istio-system", "istio-ingressgateway")) -> list[Difference]:
        """What injection changes for a gateway that sets nothing."""
        changes = self._changes_of(_bare_operator(key, _NO_SPEC), "bare")
        return list(changes.get(key, {}).values())

    def _answers(self, both: Sides) -> dict[Key, tuple[Answer | None, Answer | None, Answer | None]]:
        self.backend.serve(both.planes, sorted(both.namespaces))
        found = {}
        for one in both.gateways:
            own = self._run(one.istioctls)
            without = own if one.without == one.istioctls else self._run(one.without)
            found[one.key] = own, without, self._run(one.helms)
        return found

    def _run(self, workload: Any) -> Answer | None:
        return None if workload is None else self.backend.run(workload)

    def _changes_of(self, text: str, case: str) -> dict[Key, dict[tuple[str, str, str], Difference]]:
        """What changes for each gateway of an operator, by place and values; empty where a side has no pod."""
        if text not in self._bare:
            found: dict[Key, dict[tuple[str, str, str], Difference]] = {}
            try:
                both = sides(text, self.charts, case)
                answers = self._answers(both)
            except (InputError, RenderError):
                answers = {}
            for key, (own, _, helms) in answers.items():
                if own and helms and own.pod and helms.pod:
                    listed = differences(table(own.pod), table(helms.pod))
                    found[key] = {one.change: one for one in listed}
            self._bare[text] = found
        return self._bare[text]

    def _gateway(
        self,
        case: str,
        text: str,
        both: Sides,
        gateway: Gateway,
        answers: tuple[Answer | None, Answer | None, Answer | None],
        mesh: Mapping[Key, Mapping[tuple[str, str, str], Difference]],
    ) -> Verdict:
        own, without, helms = answers
        if own is None:
            return Verdict(case, gateway.key, "refused", "a gateway that istioctl does not make")
        if own.state != "accepted":
            return Verdict(case, gateway.key, "never ran", own.refusal or "its image is auto")
        if helms is None:
            claimed = without is not None
            return Verdict(case, gateway.key, "refused" if claimed else "same", "no workload on Helm's side")
        if helms.state != "accepted":
            return Verdict(case, gateway.key, helms.state, helms.refusal)
        wanted = without if without and without.pod else own
        assert wanted.pod is not None
        assert helms.pod is not None
        listed = [*_kinds(gateway), *differences(table(wanted.pod), table(helms.pod))]
        strict = self._changes_of(
            _bare_operator(gateway.key, to_data(both.conversion.operators[-1].user), gateway.component), case
        )
        usual = _usual(listed, strict.get(gateway.key, {}), mesh.get(gateway.key, {}))
        attribution = Attribution(text, case, self.charts, both, self.backend, gateway.key)
        promised = attribution.promised([one for one in listed if one in usual], table(wanted.pod))
        odd = [one for one in listed if one not in usual or one.place in promised]
        if not odd:
            return Verdict(case, gateway.key, "same", for_all=len(listed))
        named = tuple(attribution.named(one) for one in odd)
        return Verdict(case, gateway.key, "different", differences=named, for_all=len(listed) - len(odd))


def _kinds(gateway: Gateway) -> list[Difference]:
    """The workloads' kinds, when they are not the same."""
    before, after = ((one or {}).get("kind") for one in (gateway.without or gateway.istioctls, gateway.helms))
    return [Difference("other value", "kind", before, after)] if before != after else []


def differences(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[Difference]:
    """Where two pods differ."""
    found = []
    for place in sorted({*before, *after}):
        one, other = before.get(place, _ABSENT), after.get(place, _ABSENT)
        if one != other:
            kind = "lacking" if other is _ABSENT else "woken" if one is _ABSENT else "other value"
            found.append(Difference(kind, place, one, other))
    return found


def _usual(
    listed: Sequence[Difference],
    strict: Mapping[tuple[str, str, str], Difference],
    mesh: Mapping[tuple[str, str, str], Difference],
) -> list[Difference]:
    """The differences that every gateway has, and those where the mesh's settings give them another value."""
    places = {one.place for one in strict.values()}
    return [
        one
        for one in listed
        if one.change in strict or (one.change in mesh and one.place in places) or one.place.endswith(DESCRIBES)
    ]


_NO_SPEC: dict[str, Any] = {}
_HEAD = {"apiVersion": "install.istio.io/v1alpha1", "kind": "IstioOperator"}


def _bare_operator(key: Key, user: Any, component: str = "ingressGateways") -> str:
    """An operator with a gateway of a name that sets nothing; hub, tag and revision as the user has them."""
    namespace, name = key
    given = user if isinstance(user, dict) else {}
    kept = {one: given[one] for one in ("hub", "tag", "revision") if isinstance(given.get(one), str)}
    entry = {"name": name, "namespace": namespace, "enabled": True}
    spec = {"profile": "default", **kept, "components": {component: [entry]}}
    return dump({**_HEAD, "metadata": {"name": "bare", "namespace": "istio-system"}, "spec": spec})


def _stripped(text: str, name: str) -> str:
    """The same operators with their gateways' settings taken out: name, namespace and labels are left."""
    documents = []
    for document in read_operators([(name, text)]):
        tree = json.loads(json.dumps(document))
        spec = tree.get("spec") or {}
        (spec.get("values") or {}).pop("gateways", None)
        for kind in ("ingressGateways", "egressGateways"):
            listed = (spec.get("components") or {}).get(kind)
            if isinstance(listed, list):
                kept = ("name", "namespace", "enabled", "label")
                spec["components"][kind] = [{key: one[key] for key in kept if key in one} for one in listed if one]
        documents.append(dump(tree))
    return "---\n".join(documents)
