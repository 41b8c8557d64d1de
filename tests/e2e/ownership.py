"""Whether Helm owns what its releases render, by what Helm itself says that they render."""

from __future__ import annotations

import json
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any

from istio_convert.migrate import read_objects
from tests.e2e.folder import Folder
from tests.e2e.state import Key, State, key_of

_NAME, _NAMESPACE = "meta.helm.sh/release-name", "meta.helm.sh/release-namespace"
_LABEL = "app.kubernetes.io/managed-by"


def check_releases(way: Folder, found: State) -> State:
    """Check each release that Helm knows, and give the live objects that the releases render.

    - Helm knows the releases of the plan's last stage, and no other one; each is deployed.
    - Each object that a release renders, after its post-renderer, is in the cluster, once, with the label and both
      annotations of this release.
    - No other object says that it belongs to a release, but for the definitions in the folder ``crds/`` of a chart:
      Helm does not count them to the release, and they are marked all the same, since later charts render them.
    """
    known = {(item["namespace"], item["name"]): item for item in json.loads(_helm(way, "list", "-A", "-o", "json"))}
    stages = json.loads((way.folder / "plan.json").read_text(encoding="utf-8"))["stages"]
    planned = {(item["namespace"], item["name"]): item for item in stages[-1]["releases"]}
    assert sorted(known) == sorted(planned), sorted(known)
    marked: dict[Key, tuple[str, str]] = {}
    owned: State = {}
    for (namespace, name), release in known.items():
        assert release["status"] == "deployed", release
        hooks = _helm(way, "get", "hooks", name, "--namespace", namespace)
        assert hooks.strip() == "", f"{namespace}/{name} has hooks, which Helm does not own"
        manifest = _helm(way, "get", "manifest", name, "--namespace", namespace)
        rendered = Counter(_short(item) for item in read_objects(manifest, name))
        # kubectl stops at an object that is not there, and gives each one the namespace that Helm gives it
        live = _objects(
            way.cluster.run("get", "--namespace", namespace, "--filename", "-", "-o", "json", text=manifest)
        )
        assert Counter(map(_short, live)) == rendered, f"{namespace}/{name}"
        assert rendered, f"{namespace}/{name} renders nothing"
        chart = Path(way.environment["CHARTS"]) / "{chart}-{version}.tgz".format(**planned[namespace, name])
        folder = read_objects(_helm(way, "show", "crds", str(chart)), chart.name)
        marked |= {key_of(item): (namespace, name) for item in folder}
        for item in live:
            key, metadata = key_of(item), item["metadata"]
            assert key not in owned, f"two releases render {key}"
            owned[key] = item
            assert metadata.get("labels", {}).get(_LABEL) == "Helm", f"{namespace}/{name} has no label on {key}"
            assert _owner(item) == (namespace, name), f"{key} belongs to {_owner(item)}, not to {namespace}/{name}"
    claimed = {key: _owner(item) for key, item in found.items() if _owner(item) != ("", "") and key not in owned}
    assert claimed == marked, f"owned by a release that does not render it: {sorted(claimed.items() ^ marked.items())}"
    return owned


def check_rest(before: State, after: State, owned: State, reasons: dict[Key, str]) -> dict[Key, str]:
    """Check that exactly the objects with a reason are of before, still there, and no release's; give the reasons."""
    rest = (before.keys() & after.keys()) - owned.keys()
    assert rest == reasons.keys(), f"unexplained: {sorted(rest ^ reasons.keys())}"
    return {key: reasons[key] for key in sorted(rest)}


def drop_leftovers(way: Folder, namespace: str, name: str) -> None:
    """What the hand-over says about fields that only the old istioctl set: apply as their owner what Helm renders."""
    manifest = _helm(way, "get", "manifest", name, "--namespace", namespace)
    words = ("apply", "--server-side", "--force-conflicts", "--field-manager=istio-operator", "--filename", "-")
    way.cluster.run(*words, "--namespace", namespace, text=manifest)


def _helm(way: Folder, *words: str) -> str:
    return subprocess.run(
        [way.environment["HELM"], *words], env=way.environment, capture_output=True, text=True, check=True
    ).stdout


def _objects(text: str) -> list[dict[str, Any]]:
    data = json.loads(text)
    items: list[dict[str, Any]] = data["items"] if data["kind"] == "List" else [data]
    return items


def _short(item: dict[str, Any]) -> tuple[str, str, str]:
    return item["apiVersion"].rpartition("/")[0], item["kind"], item["metadata"]["name"]


def _owner(item: dict[str, Any]) -> tuple[str, str]:
    annotations = item["metadata"].get("annotations", {})
    return annotations.get(_NAMESPACE, ""), annotations.get(_NAME, "")
