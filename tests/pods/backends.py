"""What becomes of a workload's pod: asked of real programs, never worked out here.

:class:`KubeInject` is the injector as ``istioctl kube-inject`` runs it, with a real API server before and after it
where there is one. :mod:`tests.e2e.webhook` is a real istiod's webhook on a real API server.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from istio_convert.verify.manifests import Object, parse_objects, without_log
from tests.pods.sides import Plane, pod_of
from tests.pods.structure import problems

#: Where the programs are looked for.
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "istio-convert" / "e2e"


@dataclass(frozen=True)
class Answer:
    """What became of a workload.

    Attributes:
        pod: the pod that would run; None when it was refused.
        refusal: the words of who refused it.
    """

    pod: Object | None
    refusal: str = ""

    @property
    def state(self) -> str:
        """``refused``, ``auto`` (accepted with an image that nobody can pull) or ``accepted``."""
        if self.pod is None:
            return "refused"
        spec = self.pod["spec"]
        images = [one.get("image") for one in (*spec["containers"], *(spec.get("initContainers") or ()))]
        return "auto" if "auto" in images else "accepted"


class Server(Protocol):
    """An API server, asked by dry run."""

    def fill_in(self, workload: Object) -> Answer:
        """A workload as the server would store it."""
        ...

    def admit(self, pod: Object) -> Answer:
        """A pod as the server would store it."""
        ...


class Backend(Protocol):
    """Who makes pods of workloads."""

    @property
    def name(self) -> str:
        """What it is called in results."""
        ...

    def serve(self, planes: Sequence[Plane], namespaces: Sequence[str]) -> None:
        """From now on these inject, and these namespaces are there."""
        ...

    def run(self, workload: Object) -> Answer:
        """The pod that would run."""
        ...


def istioctl(version: str) -> str | None:
    """The istioctl of a release: what ``ISTIO_CONVERT_ISTIOCTL_<version>`` names, else the one in the cache."""
    return found(f"istioctl-{version}")


def found(program: str) -> str | None:
    """The path of a program, by a variable (``ISTIO_CONVERT_ISTIOCTL_1_25_3``) or in the cache; None if neither."""
    variable = "ISTIO_CONVERT_" + "".join(one if one.isalnum() else "_" for one in program).upper()
    given = os.environ.get(variable)
    path = Path(given) if given else CACHE / program
    return str(path) if path.exists() else None


class KubeInject:
    """The injector as istioctl runs it on a file."""

    def __init__(self, program: str, server: Server | None = None) -> None:
        self._program, self._server = program, server
        self._folder = tempfile.TemporaryDirectory()
        self._planes: list[tuple[Plane, Path]] = []
        self._runs: dict[str, Answer] = {}

    @property
    def name(self) -> str:
        """``istioctl kube-inject``, and whether an API server is asked too."""
        return "istioctl kube-inject" + (" and an API server" if self._server else "")

    def serve(self, planes: Sequence[Plane], namespaces: Sequence[str]) -> None:
        """Write down what to inject with."""
        self._planes = []
        for plane in planes:
            folder = Path(self._folder.name) / f"{abs(hash(plane)):x}"
            if not folder.exists():
                folder.mkdir()
                (folder / "config").write_text(plane.config)
                (folder / "values").write_text(plane.values)
                (folder / "mesh").write_text(plane.mesh)
            self._planes.append((plane, folder))

    def run(self, workload: Object) -> Answer:
        """Fill in, inject where a webhook of an istiod matches, ask whether it would be taken."""
        template = None
        if self._server:
            filled = self._server.fill_in(workload)
            if filled.pod is None:
                return filled
            template = filled.pod["spec"]["template"]
        pod = pod_of(workload, template)
        for plane, folder in self._planes:
            if any(matches(hook, pod) for one in plane.configurations for hook in one["webhooks"]):
                injected = self._inject(pod, plane, folder)
                if injected.pod is None:
                    return injected
                pod = injected.pod
                break
        if self._server:
            return self._server.admit(pod)
        wrong = problems(pod)
        return Answer(None, "; ".join(wrong)) if wrong else Answer(pod)

    def _inject(self, pod: Object, plane: Plane, folder: Path) -> Answer:
        text = json.dumps(pod)
        key = f"{folder}\n{text}"
        if key not in self._runs:
            self._runs[key] = self._inject_anew(text, plane, folder)
        return self._runs[key]

    def _inject_anew(self, text: str, plane: Plane, folder: Path) -> Answer:
        files = {"--injectConfigFile": "config", "--valuesFile": "values", "--meshConfigFile": "mesh"}
        command = [self._program, "kube-inject", "-f", "-", "--revision", plane.revision or "default"]
        for flag, file in files.items():
            command += [flag, str(folder / file)]
        environment = {**os.environ, "KUBECONFIG": os.devnull}
        done = subprocess.run(command, input=text, capture_output=True, text=True, check=False, env=environment)
        objects = list(parse_objects(without_log(done.stdout))) if done.returncode == 0 else []
        if not objects:
            lines = [line for line in without_log(done.stderr).splitlines() if line.startswith("Error")]
            return Answer(None, "; ".join(lines) or done.stderr[-300:])
        return Answer(objects[0])


def matches(webhook: Mapping[str, Any], pod: Object) -> bool:
    """Whether a webhook's selectors choose a pod; its namespace has no labels but its name."""
    namespace = {"kubernetes.io/metadata.name": pod["metadata"]["namespace"]}
    labels = pod["metadata"].get("labels") or {}
    return _selects(webhook.get("namespaceSelector"), namespace) and _selects(webhook.get("objectSelector"), labels)


def _selects(selector: Mapping[str, Any] | None, labels: Mapping[str, str]) -> bool:
    chosen = selector or {}
    if any(labels.get(key) != value for key, value in (chosen.get("matchLabels") or {}).items()):
        return False
    return all(_holds(one, labels) for one in chosen.get("matchExpressions") or ())


def _holds(expression: Mapping[str, Any], labels: Mapping[str, str]) -> bool:
    key, values = expression["key"], expression.get("values") or ()
    operators = {
        "In": labels.get(key) in values,
        "NotIn": labels.get(key) not in values,
        "Exists": key in labels,
        "DoesNotExist": key not in labels,
    }
    return operators[expression["operator"]]
