"""Applying a release's patches with the real Kustomize (``kubectl kustomize``, or ``kustomize build``).

Only the objects that patches are for go through it: a patch with a full target touches nothing else.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from istio_convert.errors import RenderError
from istio_convert.release import Patch, Target
from istio_convert.verify.manifests import Object, ObjectId, as_yaml, object_id, parse_objects

_TIMEOUT = 120


def find_program() -> list[str]:
    """The command that builds a kustomization folder, without the folder.

    Raises:
        RenderError: neither kubectl nor kustomize is here.
    """
    for name, words in (("kubectl", ["kustomize"]), ("kustomize", ["build"])):
        beside = Path(sys.executable).parent / name
        program = str(beside) if beside.is_file() else shutil.which(name)
        if program:
            return [program, *words]
    raise RenderError("applying patches needs kubectl or kustomize", hint="pip install 'istio-convert[render]'")


def matches(target: Target, obj: Object) -> bool:
    """Whether Kustomize would select the object: group, version, kind, name and, when given, namespace, as written."""
    metadata = obj.get("metadata") or {}
    return (
        obj.get("apiVersion") == target.api_version
        and obj.get("kind") == target.kind
        and metadata.get("name") == target.name
        and (target.namespace is None or metadata.get("namespace") == target.namespace)
    )


def apply(releases: Mapping[str, tuple[Sequence[Object], Sequence[Patch]]]) -> dict[str, list[Object]]:
    """Apply patches to rendered objects.

    Args:
        releases: release name to its rendered objects and its patches.

    Returns:
        Release name to its objects after patching, in their order; an object that a patch deletes is gone.

    Raises:
        RenderError: a patch selects no object or several, or Kustomize refuses it.
    """
    wanted = {name: _targeted(name, objects, patches) for name, (objects, patches) in releases.items() if patches}
    patched: dict[str, dict[ObjectId, Object]] = {}
    for batch in _batches(wanted):
        built = _build({name: (wanted[name], releases[name][1]) for name in batch})
        owner = {object_id(obj): name for name in batch for obj in wanted[name]}
        for name in batch:
            patched[name] = {}
        for obj in built:
            if object_id(obj) not in owner:
                raise RenderError(f"a patch changes the identity of an object: now {object_id(obj)}")
            patched[owner[object_id(obj)]][object_id(obj)] = obj
    result: dict[str, list[Object]] = {}
    for name, (objects, _) in releases.items():
        if name not in wanted:
            result[name] = list(objects)
            continue
        changed = {id(obj) for obj in wanted[name]}
        result[name] = []
        for obj in objects:
            after = patched[name].get(object_id(obj)) if id(obj) in changed else obj
            if after is not None:
                result[name].append(after)
    return result


def _targeted(release: str, objects: Sequence[Object], patches: Sequence[Patch]) -> list[Object]:
    """The objects that patches are for, each once."""
    for identity, times in Counter(map(object_id, objects)).items():
        if times > 1:
            raise RenderError(f"release {release} renders {identity} {times} times, which Kustomize refuses")
    chosen: dict[int, Object] = {}
    for patch in patches:
        found = [obj for obj in objects if matches(patch.target, obj)]
        if len(found) != 1:
            target = patch.target
            where = f" in namespace {target.namespace}" if target.namespace else ""
            raise RenderError(
                f"release {release}: the patch for {target.api_version} {target.kind} {target.name}{where} "
                f"selects {len(found) or 'no'} object{'s' if len(found) != 1 else ''}, not exactly one"
            )
        chosen[id(found[0])] = found[0]
    return list(chosen.values())


def _batches(wanted: Mapping[str, Sequence[Object]]) -> list[list[str]]:
    """Releases that may share one Kustomize run: no object in two of them."""
    batches: list[tuple[list[str], set[ObjectId]]] = []
    for name, objects in wanted.items():
        ids = {object_id(obj) for obj in objects}
        for names, taken in batches:
            if not ids & taken:
                names.append(name)
                taken.update(ids)
                break
        else:
            batches.append(([name], ids))
    return [names for names, _ in batches]


def patch_document(patch: Patch) -> dict[str, Any] | list[dict[str, Any]]:
    """A patch as Kustomize wants it: a strategic merge patch names its object."""
    if isinstance(patch.body, list):
        return patch.body
    body = dict(patch.body)
    metadata = {**(body.pop("metadata", None) or {}), "name": patch.target.name}
    if patch.target.namespace:
        metadata["namespace"] = patch.target.namespace
    return {"apiVersion": patch.target.api_version, "kind": patch.target.kind, "metadata": metadata, **body}


def patch_entry(patch: Patch) -> dict[str, Any]:
    """A patch as an entry of ``patches`` in a kustomization, its text as JSON."""
    target = {
        "group": patch.target.group,
        "version": patch.target.version,
        "kind": patch.target.kind,
        "name": patch.target.name,
        "namespace": patch.target.namespace,
    }
    return {
        "target": {key: value for key, value in target.items() if value},
        "patch": as_yaml(patch_document(patch)),
    }


def _build(releases: Mapping[str, tuple[Sequence[Object], Sequence[Patch]]]) -> list[Object]:
    """Run Kustomize once over several releases, each a kustomization of its own."""
    with tempfile.TemporaryDirectory(prefix="istio-convert-") as scratch:
        root = Path(scratch)
        folders = []
        for number, (objects, patches) in enumerate(releases.values()):
            folder = root / f"r{number}"
            folder.mkdir()
            stream = "\n---\n".join(map(as_yaml, objects))
            (folder / "objects.yaml").write_text(stream, encoding="utf-8")
            _write(folder, {"resources": ["objects.yaml"], "patches": [patch_entry(patch) for patch in patches]})
            folders.append(folder.name)
        _write(root, {"resources": folders, "sortOptions": {"order": "fifo"}})
        command = [*find_program(), str(root)]
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=_TIMEOUT)
        except (OSError, subprocess.TimeoutExpired) as error:
            raise RenderError(f"{command[0]}: Kustomize does not run") from error
    if done.returncode != 0:
        reason = done.stderr.strip().splitlines()[-1:] or ["no reason given"]
        names = ", ".join(releases)
        raise RenderError(f"Kustomize refuses the patches of {names}: {_without_bodies(reason[0], scratch)}")
    return list(parse_objects(done.stdout, "kustomize"))


def _write(folder: Path, kustomization: Mapping[str, Any]) -> None:
    header = {"apiVersion": "kustomize.config.k8s.io/v1beta1", "kind": "Kustomization"}
    (folder / "kustomization.yaml").write_text(as_yaml({**header, **kustomization}), encoding="utf-8")


def _without_bodies(reason: str, scratch: str) -> str:
    """An error of Kustomize without the patch texts that it quotes (they may be secret) and without scratch paths."""
    return reason.replace(scratch, "").split("{", 1)[0].strip().rstrip(":") or "a patch is malformed"
