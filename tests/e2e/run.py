"""Run the scripts of a plan with real kubectl and real Helm against a real API server.

    python tests/e2e/run.py [--helm PROGRAM]...

What it shows, for Helm 3 and, when a program of it is given, for Helm 4:

- in place: every object keeps its UID, its selector and its Service's spec; Helm owns all that was adopted; a second
  run changes no object; scripts that are killed again and again end the same; the way back leaves all in place.
- canary: the old objects go, and only they; what both control planes share keeps its UID.

There are no controllers and no nodes, so that nothing ever becomes ready: ISTIO_CONVERT_NO_WAIT is set, and what is
waited for is not shown here. Needs etcd, a Go toolchain for the first run, and charts in the chart cache.
"""

from __future__ import annotations

import argparse
import os
import re
import signal
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from istio_convert.errors import ChartsMissingError
from istio_convert.verify.charts import locate
from istio_convert.verify.charts.layout import HELM_CHARTS, pack
from tests.e2e import mesh
from tests.e2e.cluster import Cluster, MissingProgramError, cluster, helms

KINDS = (
    "deployments.apps,daemonsets.apps,services,serviceaccounts,configmaps,horizontalpodautoscalers.autoscaling,"
    "poddisruptionbudgets.policy,roles.rbac.authorization.k8s.io,rolebindings.rbac.authorization.k8s.io,"
    "networkpolicies.networking.k8s.io"
)
CLUSTER_KINDS = (
    "namespaces,clusterroles.rbac.authorization.k8s.io,clusterrolebindings.rbac.authorization.k8s.io,"
    "mutatingwebhookconfigurations.admissionregistration.k8s.io,"
    "validatingwebhookconfigurations.admissionregistration.k8s.io,customresourcedefinitions.apiextensions.k8s.io"
)
Key = tuple[str, str, str]
State = dict[Key, dict[str, Any]]


def state(made: Cluster) -> State:
    """Every object that is not the API server's own."""
    found = made.objects(KINDS, "--all-namespaces") + made.objects(CLUSTER_KINDS)
    return {
        (item["kind"], item["metadata"].get("namespace", ""), item["metadata"]["name"]): item
        for item in found
        if not item["metadata"]["name"].startswith(("system:", "kube-root-ca", "kubernetes"))
        and item["metadata"].get("labels", {}).get("kubernetes.io/bootstrapping") != "rbac-defaults"
    }


def comparable(found: State) -> State:
    """Objects without what differs between two clusters."""
    unlike = ("uid", "resourceVersion", "creationTimestamp", "generation", "managedFields", "selfLink")
    address = ("clusterIP", "clusterIPs", "healthCheckNodePort")
    result = {}
    for key, item in found.items():
        metadata = {name: value for name, value in item["metadata"].items() if name not in unlike}
        copy = {**item, "metadata": metadata}
        copy.pop("status", None)
        if item["kind"] == "Service":
            spec = {name: value for name, value in item["spec"].items() if name not in address}
            spec["ports"] = [{k: v for k, v in port.items() if k != "nodePort"} for port in spec.get("ports", [])]
            copy["spec"] = spec
        if item["kind"] == "Namespace":
            copy.pop("spec", None)
        result[key] = copy
    return result


class Folder:
    """A migration folder and how its scripts are run."""

    def __init__(self, made: Cluster, helm: str, folder: Path, charts: Path) -> None:
        self.cluster, self.folder = made, folder
        self.environment = {
            **{name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ},
            "KUBECONFIG": str(made.kubeconfig),
            "KUBECTL": made.kubectl,
            "HELM": helm,
            "CHARTS": str(charts),
            "ISTIOCTL": "/nonexistent/istioctl",
            "ISTIO_CONVERT_NO_WAIT": "1",
            "ACCEPT": os.environ.get("ACCEPT", ""),
        }

    def scripts(self) -> list[Path]:
        """The numbered scripts in order."""
        return sorted(path for path in self.folder.iterdir() if re.match(r"\d\d-.*\.sh$", path.name))

    def run(self, *words: str, expect: int = 0) -> str:
        """Run a script, and give what it said."""
        result = subprocess.run(
            ["bash", f"./{words[0]}", *words[1:]],
            cwd=self.folder,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=600,
        )
        said = result.stdout + result.stderr
        if result.returncode != expect:
            raise AssertionError(f"{' '.join(words)} ended with {result.returncode}:\n{said[-4000:]}")
        return said

    def run_all(self) -> str:
        """Run every script in order."""
        return "".join(self.run(path.name) for path in self.scripts())

    def kill_and_run(self, name: str, calls: int) -> bool:
        """Run a script and kill it, with all that it started, at its n-th call of kubectl or Helm.

        Returns:
            Whether it was killed; False when it ended before.
        """
        counter = self.folder.parent / "counter"
        counter.write_bytes(b"")
        environment = dict(self.environment)
        for variable in ("KUBECTL", "HELM"):
            wrapper = self.folder.parent / f"counting-{variable.lower()}"
            wrapper.write_text(
                "#!/usr/bin/env bash\n"
                f"printf x >>'{counter}'\n"
                f"if [[ \"$(wc -c <'{counter}')\" -ge {calls} ]]; then kill -KILL 0; fi\n"
                f"exec '{self.environment[variable]}' \"$@\"\n"
            )
            wrapper.chmod(wrapper.stat().st_mode | stat.S_IXUSR)
            environment[variable] = str(wrapper)
        process = subprocess.Popen(
            ["bash", f"./{name}"],
            cwd=self.folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        code = process.wait(600)
        if code not in (0, -signal.SIGKILL):
            raise AssertionError(f"{name}, killed at call {calls}, ended with {code}")
        return code != 0


def plan(folder: Path, *words: str) -> None:
    """``istio-convert plan``."""
    command = [sys.executable, "-m", "istio_convert", "plan", str(mesh.OPERATOR), "--target", "helm"]
    result = subprocess.run([*command, "-o", str(folder), *words], capture_output=True, text=True, check=False)
    if result.returncode:
        raise AssertionError(f"plan ended with {result.returncode}:\n{result.stderr}")


def archives(folder: Path, version: str) -> None:
    """The charts of a release as archives, as a repository has them."""
    folder.mkdir(exist_ok=True)
    charts = locate(version)
    for name in HELM_CHARTS:
        (folder / f"{name}-{version}.tgz").write_bytes(pack(charts.files(name), name))


def unchanged(before: State, after: State, keys: Callable[[Key], bool] = lambda _: True) -> int:
    """Check that objects of before are still the same ones, with their selectors and Services; give their number."""
    number = 0
    for key, old in before.items():
        if not keys(key):
            continue
        number += 1
        assert key in after, f"deleted: {key}"
        new = after[key]
        assert new["metadata"]["uid"] == old["metadata"]["uid"], f"recreated: {key}"
        if key[0] == "Service":
            assert new["spec"] == old["spec"], f"Service changed: {key}: {old['spec']} {new['spec']}"
        if key[0] in ("Deployment", "DaemonSet", "PodDisruptionBudget"):
            assert new["spec"]["selector"] == old["spec"]["selector"], f"selector changed: {key}"
    return number


@contextmanager
def mesh_of(folder: Path, version: str) -> Iterator[Cluster]:
    """A cluster with the old mesh."""
    with cluster(folder) as made:
        mesh.install(made, version)
        yield made


OLD, NEXT, FURTHER = "1.23.6", "1.24.6", "1.25.3"


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
        tag = ("MutatingWebhookConfiguration", "", "istio-revision-tag-default")
        assert tag in orphans, "it would inject beside the injector"
        assert all(key == tag or key[2].endswith("-sds") for key in orphans), orphans
        assert "never-match" not in str(after["MutatingWebhookConfiguration", "", "istio-sidecar-injector"])
        assert len(controller) == 6, controller
        show(f"in place: gone are the controller ({len(controller)} objects) and {len(orphans)} orphans")
        owned = owned_by_helm(after)
        assert not bound(after), bound(after)
        show(f"in place: Helm owns {owned} objects; none carries the operator's owner labels")
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
        removal = next(script.name for script in way.scripts() if script.name.startswith("80"))
        for script in way.scripts():
            if script.name < "80":
                way.run(script.name)
        way.run("rollback.sh", "79", "30")
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
        for script in way.scripts():
            if script.name < "80":
                way.run(script.name)
        middle = state(made)
        changes = {"MutatingWebhookConfiguration", "Service"}
        unchanged(before, middle, lambda key: key[0] not in changes)
        shop = middle["Namespace", "", "shop"]["metadata"]["labels"]
        assert shop["istio.io/rev"] == "stable"
        assert "istio-injection" not in shop
        show("canary: both control planes are there, the old one untouched; the namespace names the tag")
        way.run(removal)
        way.run("90-after.sh")
        after = state(made)
        gone = {key for key in before if key not in after}
        unchanged(before, after, lambda key: key not in gone and key[0] != "Service")
        services = {key for key in before if key[0] == "Service" and key in after and "gateway" in key[2]}
        for key in services:
            assert after[key]["spec"]["clusterIP"] == before[key]["spec"]["clusterIP"]
        assert services, "the gateways' Services keep their addresses"
        old = [key for key in after if key[1:] == ("istio-system", "istiod")]
        assert old == [], old
        for name in ("istiod-1-25-3", "istio-ingressgateway-helm"):
            assert ("Deployment", "istio-system", name) in after
        validator = after["ValidatingWebhookConfiguration", "", "istiod-default-validator"]
        assert validator["webhooks"][0]["clientConfig"]["service"]["name"] == "istiod-1-25-3"
        assert not bound(after), bound(after)
        definitions = [key for key in before if key[0] == "CustomResourceDefinition" and "install" not in key[2]]
        assert all(after[key]["metadata"]["uid"] == before[key]["metadata"]["uid"] for key in definitions)
        show(
            f"canary: {len(gone)} old objects went, {len(definitions)} definitions and {len(services)} addresses stayed"
        )
        way.run(removal, "rollback")
        back = state(made)
        missing = [key for key in gone if key not in back and key[0] != "MutatingWebhookConfiguration"]
        assert missing == [], missing
        show("canary: what was removed came back from backup/removed")


def owned_by_helm(found: State) -> int:
    """The number of objects that a Helm release owns."""
    return sum("meta.helm.sh/release-name" in item["metadata"].get("annotations", {}) for item in found.values())


def bound(found: State) -> list[Key]:
    """Objects that the operator could prune."""
    label = "install.operator.istio.io/owning-resource"
    return [k for k, i in found.items() if i["metadata"].get("labels", {}).get(label, "unknown") != "unknown"]


def changed(before: State, after: State) -> list[Key]:
    """Objects that another resource version, or no longer exist, or are new."""
    keys = before.keys() | after.keys()
    return sorted(
        key
        for key in keys
        if key not in before
        or key not in after
        or before[key]["metadata"]["resourceVersion"] != after[key]["metadata"]["resourceVersion"]
    )


def unlike(left: State, right: State) -> list[Key]:
    """Objects that differ."""
    return sorted(key for key in left.keys() | right.keys() if left.get(key) != right.get(key))


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
        for version in (OLD, NEXT, FURTHER):
            locate(version)
        for helm in chosen_helms:
            version = subprocess.run(
                [helm, "version", "--template", "{{.Version}}"], capture_output=True, text=True, check=True
            )
            show(f"Helm {version.stdout}; readiness is not waited for, there are no controllers")
            with tempfile.TemporaryDirectory() as folder:
                if chosen.only != "canary":
                    in_place(helm, Path(folder))
                if chosen.only != "in-place":
                    canary(helm, Path(folder))
    except (MissingProgramError, ChartsMissingError) as error:
        print(f"SKIPPED: {error}", flush=True)
        return 0
    return 0


if __name__ == "__main__":
    sys.exit(main())
