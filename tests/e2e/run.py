"""Run the scripts of a plan with real kubectl and real Helm against a real API server.

    python tests/e2e/run.py [--helm PROGRAM]...

What it shows, for Helm 3 and, when a program of it is given, for Helm 4:

- in place: every object keeps its UID, its selector and its Service's spec; a second run changes no object; scripts
  that are killed again and again end the same; the way back leaves all in place.
- canary: the old objects go, and only they; what both control planes share keeps its UID.
- after both: each object that Helm says that a release renders has the marks of this release, and what has them not is
  named with the reason.

There are no controllers and no nodes, so that nothing ever becomes ready: ISTIO_CONVERT_NO_WAIT is set, and what is
waited for is not shown here. Needs etcd, a Go toolchain for the first run, and charts in the chart cache.
"""

from __future__ import annotations

import argparse
import json
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from istio_convert.errors import ChartsMissingError
from istio_convert.verify.charts import locate
from tests.e2e import mesh
from tests.e2e.cluster import Cluster, MissingProgramError, cluster, helms
from tests.e2e.folder import Folder, archives, plan
from tests.e2e.ownership import check_releases, check_rest, drop_leftovers
from tests.e2e.state import Key, State, bound, changed, comparable, state, unchanged, unlike


@contextmanager
def mesh_of(folder: Path, version: str) -> Iterator[Cluster]:
    """A cluster with the old mesh."""
    with cluster(folder) as made:
        mesh.install(made, version)
        yield made


OLDEST, OLD, NEXT, FURTHER = "1.22.8", "1.23.6", "1.24.6", "1.25.3"
_SPACES = {
    "istio-system": "the control plane's",
    "edge": "a gateway's",
    "kube-system": "the CNI node agent's, and Kubernetes' own",
    "istio-operator": "the operator's; the plan says to delete it when nothing else is in it",
    "shop": "an application's",
    "plain": "an application's",
}
GATEWAYS = (
    ("istio-system", "istio-ingressgateway"),
    ("istio-system", "istio-egressgateway"),
    ("edge", "istio-internal"),
)
#: What goes in place, because no chart renders it: a tag that would inject beside the injector, and the access to
#: Secrets that istioctl gives each gateway.
ORPHANS: set[Key] = {("MutatingWebhookConfiguration", "", "istio-revision-tag-default")} | {
    (kind, namespace, f"{name}-sds") for kind in ("Role", "RoleBinding") for namespace, name in GATEWAYS
}
#: What stays and is no release's, with the reason: no chart renders a namespace,
NAMESPACES: dict[Key, str] = {("Namespace", "", name): f"no chart renders it; {why}" for name, why in _SPACES.items()}
#: and a canary keeps the Services of the gateways.
SERVICES: dict[Key, str] = {
    ("Service", namespace, name): "keeps its address and selects the second gateway; the plan says to put it into Git"
    for namespace, name in GATEWAYS
}


def in_place(helm: str, work: Path) -> None:
    """The way in place, twice, against the same way with a killer behind it."""
    archives(work / "charts", NEXT)
    with mesh_of(work / "a", OLD) as made:
        before = state(made)
        way = Folder(made, helm, work / "a" / "migration", work / "charts")
        plan(way.folder, "--from", OLD, "--to", NEXT)
        way.run("00-preflight.sh")
        plan(way.folder, "--from", OLD, "--to", NEXT, "--live", str(way.folder / "backup" / "live.yaml"))
        said = way.run_all()
        after = state(made)
        gone = {key for key in before if key not in after}
        kept = unchanged(before, after, lambda key: key not in gone)
        show(f"in place: {kept} objects keep UID, selectors and Services")
        controller = {key for key in gone if key[2] == "istio-operator" or key[2] == "istiooperators.install.istio.io"}
        orphans = gone - controller
        assert orphans == ORPHANS, orphans ^ ORPHANS
        assert "never-match" not in str(after["MutatingWebhookConfiguration", "", "istio-sidecar-injector"])
        assert len(controller) == 6, controller
        show(f"in place: gone are the controller ({len(controller)} objects) and {len(orphans)} orphans")
        assert not bound(after), bound(after)
        show_owned("in place", way, before, after, NAMESPACES)
        assert "NOT WAITED FOR" in said
        way.run_all()
        again = state(made)
        assert changed(after, again) == [], changed(after, again)
        show("in place: a second run changes no object")
        expected = comparable(after)
    with mesh_of(work / "b", OLD) as made:
        way = Folder(made, helm, work / "b" / "migration", work / "charts")
        plan(way.folder, "--from", OLD, "--to", NEXT)
        way.run("00-preflight.sh")
        plan(way.folder, "--from", OLD, "--to", NEXT, "--live", str(way.folder / "backup" / "live.yaml"))
        kills = 0
        for script in way.scripts():
            calls = 1
            while way.kill_and_run(script.name, calls):
                kills += 1
                calls += 1 + calls
            way.run(script.name)
        differences = unlike(expected, comparable(state(made)))
        assert differences == [], differences
        show(f"in place: killed {kills} times on the way, it ends the same")
    with mesh_of(work / "c", OLD) as made:
        before = state(made)
        way = Folder(made, helm, work / "c" / "migration", work / "charts")
        plan(way.folder, "--from", OLD, "--to", NEXT)
        for script in way.scripts():
            if script.name < "80":
                way.run(script.name)
        last = [script.name[:2] for script in way.scripts() if script.name < "80"][-1]
        way.run("rollback.sh", last)
        after = state(made)
        kept = unchanged(before, after, lambda key: key[2] != "istio-revision-tag-default")
        tag = ("MutatingWebhookConfiguration", "", "istio-revision-tag-default")
        assert after[tag]["webhooks"] == before[tag]["webhooks"]
        controller_of = after["Deployment", "istio-operator", "istio-operator"]
        assert controller_of["spec"]["replicas"] == 1
        assert made.objects("secrets", "--all-namespaces", "--selector", "owner=helm") == []
        frozen = made.objects("istiooperators.install.istio.io", "--all-namespaces")[0]["metadata"]
        assert "install.istio.io/ignoreReconcile" not in frozen.get("annotations", {})
        show(f"in place: rolled back, {kept} objects are in place, the operator runs, Helm knows no release")


def definitions(helm: str, work: Path) -> None:
    """The way in place to a base chart that keeps the definitions in its folder ``crds/``."""
    archives(work / "charts", OLD)
    with mesh_of(work / "e", OLDEST) as made:
        before = state(made)
        way = Folder(made, helm, work / "e" / "migration", work / "charts")
        plan(way.folder, "--from", OLDEST, "--to", OLD)
        way.run_all()
        after = state(made)
        crds = {key for key in after if key[0] == "CustomResourceDefinition"}
        assert unchanged(before, after, lambda key: key in crds) == len(crds)
        reason = "in the chart's folder crds/, which Helm counts to no release; has base's marks for later charts"
        show_owned("crds/", way, before, after, {**NAMESPACES, **dict.fromkeys(crds, reason)})
        key = ("Deployment", "istio-system", "istio-ingressgateway")
        assert "args" in proxy(after[key]), "there is nothing to drop: the hand-over need not speak of it"
        drop_leftovers(way, key[1], key[2])
        dropped = state(made)
        assert {"args", "env", "readinessProbe"} & proxy(dropped[key]).keys() == set()
        assert check_releases(way, dropped).keys() == check_releases(way, after).keys()
        assert unchanged(after, dropped) == len(after)
        show("crds/: what only the old istioctl set in a gateway's pods goes as the hand-over says")


def canary(helm: str, work: Path) -> None:
    """A second control plane over two minors; the operator and its control plane go."""
    archives(work / "charts", FURTHER)
    with mesh_of(work / "d", OLD) as made:
        before = state(made)
        way = Folder(made, helm, work / "d" / "migration", work / "charts")
        words = ("--from", OLD, "--to", FURTHER, "--strategy", "canary", "--tag", "stable")
        plan(way.folder, *words)
        way.run("00-preflight.sh")
        plan(way.folder, *words, "--live", str(way.folder / "backup" / "live.yaml"))
        traffic = next(script.name for script in way.scripts() if script.name.endswith("-traffic-100.sh"))
        removal = next(script.name for script in way.scripts() if script.name.startswith("80"))
        for script in way.scripts():
            if script.name < "80":
                way.run(script.name)
        last = [script.name[:2] for script in way.scripts() if script.name < "80"][-1]
        way.run("rollback.sh", last, "30")
        back = state(made)
        unchanged(before, back, lambda key: key[0] != "MutatingWebhookConfiguration")
        for name in ("istio-sidecar-injector", "istio-revision-tag-default"):
            key = ("MutatingWebhookConfiguration", "", name)
            assert back[key]["webhooks"] == before[key]["webhooks"], name
        left = sorted(key for key in back if "1-25-3" in key[2] or key[2].startswith("istio-ingressgateway-helm"))
        assert left == [], left
        shop = back["Namespace", "", "shop"]["metadata"]["labels"]
        assert shop["istio-injection"] == "enabled"
        assert "istio.io/rev" not in shop
        show(
            "canary: rolled back to the adoption, every old object is in place and nothing of the second plane is left"
        )
        made.apply([mesh.pod(namespace, name) for _, namespace, name in SERVICES], "test")
        unmoved = mesh.pod("plain", "cart")
        made.apply([unmoved], "test")
        for script in way.scripts():
            if script.name.startswith("61"):
                said = way.run(script.name, expect=1)
                assert f"plain/{unmoved['metadata']['name']}\nSTOP: these pods" in said, said
                made.run("delete", "pod", unmoved["metadata"]["name"], "--namespace", "plain", "--grace-period=0")
                show("canary: a pod of the old revision stops the restart, the pods of the old gateways do not")
            if script.name == traffic:
                ready(made, "istio-ingressgateway", 3)
                ready(made, "istio-ingressgateway-helm", 2)
                assert "blocker fewer-pods: istio-system/istio-ingressgateway-helm" in way.run(script.name, expect=1)
                ready(made, "istio-ingressgateway-helm", 3)
                show("canary: all traffic does not go to fewer pods")
            if script.name < "80":
                way.run(script.name)
        middle = state(made)
        changes = {"MutatingWebhookConfiguration", "Service"}
        unchanged(before, middle, lambda key: key[0] not in changes)
        shop = middle["Namespace", "", "shop"]["metadata"]["labels"]
        assert shop["istio.io/rev"] == "stable"
        assert "istio-injection" not in shop
        show("canary: both control planes are there, the old one untouched; the namespace names the tag")
        old_tag = mesh.revision_tag("old", "default")
        made.apply([old_tag], "istioctl")
        assert f"/{old_tag['metadata']['name']}" in way.run(removal, expect=1)
        made.run("delete", old_tag["kind"], old_tag["metadata"]["name"])
        assert all(key in state(made) for key in middle), "it stopped before the first deletion"
        show("canary: a revision tag of the old control plane stops the removal")
        way.run(removal)
        way.run("90-after.sh")
        after = state(made)
        gone = {key for key in before if key not in after}
        unchanged(before, after, lambda key: key not in gone and key[0] != "Service")
        for key in SERVICES:
            assert after[key]["spec"]["clusterIP"] == before[key]["spec"]["clusterIP"]
        old = [key for key in after if key[1:] == ("istio-system", "istiod")]
        assert old == [], old
        for name in ("istiod-1-25-3", "istio-ingressgateway-helm"):
            assert ("Deployment", "istio-system", name) in after
        validator = after["ValidatingWebhookConfiguration", "", "istiod-default-validator"]
        assert validator["webhooks"][0]["clientConfig"]["service"]["name"] == "istiod-1-25-3"
        assert not bound(after), bound(after)
        show_owned("canary", way, before, after, {**NAMESPACES, **SERVICES})
        definitions = [key for key in before if key[0] == "CustomResourceDefinition" and "install" not in key[2]]
        assert all(after[key]["metadata"]["uid"] == before[key]["metadata"]["uid"] for key in definitions)
        show(
            f"canary: {len(gone)} old objects went, {len(definitions)} definitions and {len(SERVICES)} addresses stayed"
        )
        way.run(removal, "rollback")
        back = state(made)
        missing = [key for key in gone if key not in back and key[0] != "MutatingWebhookConfiguration"]
        assert missing == [], missing
        show("canary: what was removed came back from backup/removed")


def proxy(deployment: dict[str, Any]) -> dict[str, Any]:
    """The container of a gateway."""
    [container] = deployment["spec"]["template"]["spec"]["containers"]
    found: dict[str, Any] = container
    return found


def ready(made: Cluster, name: str, pods: int) -> None:
    """Say that a Deployment has pods, as its controller would."""
    status = {"status": {"readyReplicas": pods, "replicas": pods, "availableReplicas": pods}}
    words = ("patch", "deployment.apps", name, "--namespace", "istio-system", "--subresource=status", "--type=merge")
    made.run(*words, "--patch", json.dumps(status))


def show_owned(title: str, way: Folder, before: State, after: State, reasons: dict[Key, str]) -> None:
    """Check who owns what, and name what is no release's."""
    owned = check_releases(way, after)
    show(f"{title}: Helm owns the {len(owned)} objects that its releases render; none has the operator's owner labels")
    for key, reason in check_rest(before, after, owned, reasons).items():
        show(f"{title}: of no release: {' '.join(filter(None, key))}: {reason}")


_START = time.monotonic()


def show(text: str) -> None:
    """One line of the result."""
    print(f"[{time.monotonic() - _START:5.0f} s] {text}", flush=True)


def main() -> int:
    """Run everything."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--helm", action="append", help="a Helm program; may be given twice, for Helm 3 and Helm 4")
    parser.add_argument("--only", choices=["in-place", "canary"], help="one of the two ways")
    chosen = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that the servers end too
    try:
        chosen_helms = chosen.helm or helms()
        for version in (OLDEST, OLD, NEXT, FURTHER):
            locate(version)
        for helm in chosen_helms:
            program = subprocess.run(
                [helm, "version", "--template", "{{.Version}}"], capture_output=True, text=True, check=True
            )
            show(f"Helm {program.stdout}; readiness is not waited for, there are no controllers")
            with tempfile.TemporaryDirectory() as folder:
                if chosen.only != "canary":
                    in_place(helm, Path(folder))
                    definitions(helm, Path(folder))
                if chosen.only != "in-place":
                    canary(helm, Path(folder))
    except (MissingProgramError, ChartsMissingError) as error:
        print(f"SKIPPED: {error}", flush=True)
        return 0
    return 0


if __name__ == "__main__":
    sys.exit(main())
