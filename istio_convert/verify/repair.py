"""From an unexplained difference to the patch that sets istioctl's value.

The comparison knows the place in the normal form; a patch needs it in the object as Helm and Kustomize render it. So
both objects are walked along the difference's steps, until one lacks the next step.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from istio_convert.errors import RenderError
from istio_convert.release import Patch, Target
from istio_convert.verify import kustomize
from istio_convert.verify.findings import Compared, Difference, Verification
from istio_convert.verify.manifests import Object, ObjectId, Rendered, api_group
from istio_convert.verify.normal import FREE_TEXTS, list_key
from istio_convert.verify.proof import Expected
from istio_convert.verify.tags import read_as_release

_WHY = "found by the proof"
#: Helm installs them before it renders: no patch reaches them.
_OUT_OF_REACH = ("CustomResourceDefinition",)
#: The order in which operations of one patch keep each other's list positions: removing comes last, from the end.
_ORDER = ("replace", "add", "remove")

_Pointer = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Repair:
    """One change to one object of Helm's side.

    Attributes:
        release: (namespace, name) of the release that brings the object.
        id: the object on istioctl's side; of one that only Helm has, on Helm's.
        target: what the patch is for.
        operation: of JSON 6902; empty to delete the object.
        pointer: its place as steps.
        settles: paths of the differences that it is meant to remove.
    """

    release: tuple[str, str]
    id: ObjectId
    target: Target
    operation: dict[str, Any] = field(hash=False)
    pointer: _Pointer
    settles: frozenset[str]

    @property
    def place(self) -> str:
        """The place of the object in words: ``Deployment istiod: spec.replicas``."""
        return f"{self.target.kind} {self.target.name}: {min(self.settles)}"


def repairs(proof: Verification, expected: Expected, actual: Sequence[Rendered]) -> list[Repair]:
    """The changes that would remove the unexplained differences, as far as a patch can say them.

    Args:
        proof: what was found.
        expected: istioctl's side.
        actual: Helm's side, as it was compared.

    Returns:
        Changes that Kustomize accepts, by object.
    """
    before = {item.id: item for item in expected.objects}
    after = {item.id: item for item in actual}
    # what one side calls otherwise is not deleted for the name that the other side has
    missing = {compared.id.kind for compared in proof.objects if not compared.candidate and compared.unexplained}
    found: list[Repair] = []
    for compared in proof.objects:
        if not compared.unexplained or compared.id.kind in _OUT_OF_REACH:
            continue
        theirs = after.get(compared.paired_with or compared.id)
        if theirs is not None:
            mine = before.get(compared.id)
            if mine is not None:
                found += _accepted(_changes(compared, mine, theirs, expected.tags), theirs.object)
            elif compared.id.kind not in missing:
                found += _accepted(_deletion(compared, theirs), theirs.object)
    return found


def patches_of(chosen: Sequence[Repair]) -> dict[tuple[str, str], list[Patch]]:
    """Repairs as patches, one an object, by (namespace, name) of the release."""
    by_object: dict[tuple[tuple[str, str], Target], list[Repair]] = {}
    for repair in chosen:
        by_object.setdefault((repair.release, repair.target), []).append(repair)
    result: dict[tuple[str, str], list[Patch]] = {}
    for (release, target), group in by_object.items():
        result.setdefault(release, []).append(_patch(target, group))
    return result


def _patch(target: Target, group: Sequence[Repair]) -> Patch:
    settled = sorted(path for repair in group for path in repair.settles)
    if not all(repair.operation for repair in group):
        return Patch(target, {"$patch": "delete"}, (f"{_WHY}: istioctl renders no such object",))
    ordered = sorted(group, key=lambda repair: _ORDER.index(repair.operation["op"]))
    kept = [repair for repair in ordered if repair.operation["op"] != "remove"]
    removed = [repair for repair in ordered if repair.operation["op"] == "remove"]
    removed.sort(key=lambda repair: _sortable(repair.pointer), reverse=True)
    operations = [repair.operation for repair in [*kept, *removed]]
    return Patch(target, operations, tuple(f"{_WHY}: {path}" for path in settled))


def _sortable(pointer: _Pointer) -> list[tuple[int, str]]:
    return [(step, "") if isinstance(step, int) else (-1, step) for step in pointer]


def _accepted(wanted: Sequence[Repair], obj: Object) -> list[Repair]:
    """Those that Kustomize carries out on the object."""
    if not wanted or _carried_out(wanted, obj):
        return list(wanted)
    return [repair for repair in wanted if _carried_out([repair], obj)]


def _carried_out(wanted: Sequence[Repair], obj: Object) -> bool:
    try:
        kustomize.apply({"": ([obj], [_patch(wanted[0].target, wanted)])})
    except RenderError:
        return False
    return True


def _target(item: Rendered) -> Target:
    api_version = str(item.object.get("apiVersion", ""))
    metadata = item.object.get("metadata")
    namespace = metadata.get("namespace") if isinstance(metadata, dict) else None
    version = api_version.rpartition("/")[2]
    return Target(api_group(api_version), version, item.id.kind, item.id.name, str(namespace) if namespace else None)


def _deletion(compared: Compared, theirs: Rendered) -> list[Repair]:
    settles = frozenset(difference.path for difference in compared.unexplained)
    release = (theirs.namespace, theirs.release)
    return [Repair(release, compared.id, _target(theirs), {}, (), settles)]


@dataclass(slots=True)
class _Change:
    op: str
    pointer: _Pointer
    value: Any
    paths: set[str] = field(default_factory=set)
    #: what of the value is wanted; all when empty
    parts: dict[str, None] = field(default_factory=dict)


def _changes(compared: Compared, mine: Rendered, theirs: Rendered, tags: Mapping[str, str]) -> list[Repair]:
    found: dict[tuple[str, _Pointer, str], _Change] = {}
    for difference in compared.unexplained:
        change = _change(difference, mine.object, theirs.object, compared.id.kind)
        if change is None or _is_invalid(change.value):
            continue
        # elements that are appended share their pointer, parts of one new map or list belong together
        apart = next(iter(change.parts), "") if change.pointer[-1:] == ("-",) else ""
        kept = found.setdefault((change.op, change.pointer, apart), change)
        kept.paths.add(difference.path)
        kept.parts |= change.parts
    result = []
    for change in found.values():
        operation = _operation(change, tags, compared.id.kind)
        if operation is not None:
            release = (theirs.namespace, theirs.release)
            settles = frozenset(change.paths)
            result.append(Repair(release, compared.id, _target(theirs), operation, change.pointer, settles))
    return result


def _is_invalid(value: Any) -> bool:
    """Whether istioctl made a step that selects an element the key of a map, which the API server refuses."""
    if isinstance(value, dict):
        return any(str(key).startswith("[") or _is_invalid(child) for key, child in value.items())
    return isinstance(value, list) and any(_is_invalid(child) for child in value)


def _change(difference: Difference, mine: Any, theirs: Any, kind: str) -> _Change | None:
    """The change at the first place where one side has nothing, or at the end of the path."""
    pointer: _Pointer = ()
    last = ""
    for number, step in enumerate(difference.steps):
        rest = difference.steps[number + 1 :]
        if isinstance(mine, dict | None) and isinstance(theirs, dict):
            inside = _get(mine, step)
            if step not in theirs:
                return None if inside is None else _addition((*pointer, step), inside, (step, *rest), kind)
            if inside is None and not _goes_on(step, theirs[step], rest):
                return _Change("remove", (*pointer, step), None)
            pointer, mine, theirs, last = (*pointer, step), inside, theirs[step], step
        elif isinstance(mine, list | None) and isinstance(theirs, list) and step.startswith("["):
            key = str(list_key(last, kind))
            own, other = _position(mine or [], key, step), _position(theirs, key, step)
            if other is None:
                if own is None or mine is None:
                    return None
                return _Change("add", (*pointer, "-"), mine[own], parts={step: None})
            if own is None or mine is None:
                return _Change("remove", (*pointer, other), None)
            pointer, mine, theirs = (*pointer, other), mine[own], theirs[other]
        else:
            break
    if mine is None or mine == theirs or not pointer:
        return None
    return _Change("replace", pointer, mine)


def _goes_on(step: str, child: Any, rest: Sequence[str]) -> bool:
    """Whether to go on below what only Helm's side has: its other parts may be explained."""
    return bool(rest) and ((step in FREE_TEXTS and isinstance(child, dict)) or rest[0].startswith("["))


def _addition(pointer: _Pointer, value: Any, steps: Sequence[str], kind: str) -> _Change:
    """What Helm's side lacks; of texts and of keyed lists only what differs."""
    change = _Change("add", pointer, value)
    in_parts = (steps[0] in FREE_TEXTS and isinstance(value, dict)) or (
        isinstance(value, list) and list_key(steps[0], kind) is not None and len(steps) > 1 and steps[1][:1] == "["
    )
    if in_parts and len(steps) > 1:
        change.parts[steps[1]] = None
    return change


def _get(node: dict[str, Any] | None, step: str) -> Any:
    return None if node is None else node.get(step)


def _position(items: Sequence[Any], key: str, step: str) -> int | None:
    for position, item in enumerate(items):
        if isinstance(item, dict) and f"[{item.get(key)}]" == step:
            return position
    return None


def _operation(change: _Change, tags: Mapping[str, str], kind: str) -> dict[str, Any] | None:
    """The operation as Kustomize reads it; None when its value would bring a tag that the conversion leaves out."""
    path = "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in change.pointer)
    if change.op == "remove":
        return {"op": "remove", "path": path}
    names = [step for step in change.pointer if isinstance(step, str)]
    last = names[-1] if names[-1] != "-" else names[-2]
    value = change.value
    if change.parts and change.pointer[-1] != "-":
        value = _parts(value, change.parts, str(list_key(last, kind)))
    value = read_as_release({last: value}, tags)[last]
    if any(old != new and old in text for old, new in tags.items() for text in _texts(value)):
        return None
    return {"op": change.op, "path": path, "value": value}


def _parts(value: Any, parts: Collection[str], key: str) -> Any:
    if isinstance(value, dict):
        return {name: child for name, child in value.items() if name in parts}
    return [item for item in value if isinstance(item, dict) and f"[{item.get(key)}]" in parts]


def _texts(value: Any) -> Iterator[str]:
    """Texts with several lines, which may hold anything."""
    if isinstance(value, str) and "\n" in value:
        yield value
    elif isinstance(value, dict | list):
        for child in value.values() if isinstance(value, dict) else value:
            yield from _texts(child)


def without_failed(chosen: Sequence[Repair], proof: Verification) -> list[Repair]:
    """The repairs whose differences a later proof no longer finds."""
    left = {(identity, difference.path) for identity, difference in proof.unexplained}
    kept = []
    for repair in chosen:
        settled = frozenset(path for path in repair.settles if (repair.id, path) not in left)
        if settled:
            kept.append(replace(repair, settles=settled))
    return kept
