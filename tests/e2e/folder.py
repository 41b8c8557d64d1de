"""A migration folder: how it is planned, and how its scripts are run, and killed."""

from __future__ import annotations

import os
import re
import signal
import stat
import subprocess
import sys
from pathlib import Path

from istio_convert.verify.charts import locate
from istio_convert.verify.charts.layout import HELM_CHARTS, pack
from tests.e2e import mesh
from tests.e2e.cluster import Cluster


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
