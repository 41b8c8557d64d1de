"""Injection by the real ``istioctl kube-inject``, in place of the built-in injector.

Which webhook matches, and the API server's defaults, stay built in: the program knows neither. It runs the template
``sidecar`` for a pod that names none, knows no aliases, and no webhook's path.
"""

from __future__ import annotations

import copy
import os
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from istio_convert.errors import RenderError
from istio_convert.verify.injection.config import InjectorConfig
from istio_convert.verify.injection.injector import Injected, Request, pod_of
from istio_convert.verify.injection.selection import selected
from istio_convert.verify.injection.typed import defaulted
from istio_convert.verify.manifests import Object, as_yaml, parse_objects

#: Long enough for a program that waits for nothing; one that asks for a cluster waits for ever.
_TIMEOUT = 120


def inject_all_with_program(
    requests: Sequence[Request],
    candidates: Sequence[InjectorConfig | None],
    istioctl: str | os.PathLike[str],
) -> list[Injected]:
    """The pods of several workloads, injected by istioctl; see :func:`.injector.inject_all`.

    Args:
        requests: the workloads.
        candidates: for each, the injector; None for none.
        istioctl: path of the program.

    Raises:
        RenderError: the program cannot be run.
    """
    results: list[Injected | None] = [None] * len(requests)
    groups: dict[int, list[int]] = {}
    for number, (request, injector) in enumerate(zip(requests, candidates, strict=True)):
        arrived = pod_of(request)
        if injector is None:
            results[number] = Injected(arrived, why="no istiod is there to inject it")
        elif why := selected(arrived, request.home, injector).why:
            results[number] = Injected(arrived, why=why)
        else:
            groups.setdefault(id(injector), []).append(number)
    for numbers in groups.values():
        injector = candidates[numbers[0]]
        if injector is not None:
            given = [requests[number] for number in numbers]
            for number, result in zip(numbers, _injected(given, injector, istioctl), strict=True):
                results[number] = result
    return [result for result in results if result is not None]


def _injected(
    requests: Sequence[Request], injector: InjectorConfig, istioctl: str | os.PathLike[str]
) -> list[Injected]:
    """All at once, or one half after the other when the program refuses one of them."""
    arrived = [pod_of(request) for request in requests]
    done = _run([_given(request, pod) for request, pod in zip(requests, arrived, strict=True)], injector, istioctl)
    if isinstance(done, list) and len(done) == len(requests):
        return [
            Injected(defaulted(_pod(obj, pod["metadata"]["namespace"])), injected=True)
            for obj, pod in zip(done, arrived, strict=True)
        ]
    if len(requests) == 1:
        return [Injected(arrived[0], (str(done),), injected=True)]
    middle = len(requests) // 2
    return [*_injected(requests[:middle], injector, istioctl), *_injected(requests[middle:], injector, istioctl)]


def _given(request: Request, pod: Object) -> Object:
    """The workload with the pod as the API server would make it."""
    workload = copy.deepcopy(request.workload)
    if workload.get("kind") == "Pod":
        return pod
    workload.setdefault("metadata", {})["namespace"] = request.home.name
    workload["spec"]["template"] = {"metadata": pod["metadata"], "spec": pod["spec"]}
    return workload


def _pod(obj: Object, namespace: str) -> Object:
    template = obj if obj.get("kind") == "Pod" else (obj.get("spec") or {}).get("template") or {}
    metadata = {key: value for key, value in (template.get("metadata") or {}).items() if value is not None}
    metadata["namespace"] = namespace
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": template.get("spec") or {}}


def _run(objects: Sequence[Object], injector: InjectorConfig, istioctl: str | os.PathLike[str]) -> list[Object] | str:
    with tempfile.TemporaryDirectory(prefix="istio-convert-") as scratch:
        files = {
            "config.yaml": injector.config_text,
            "values.yaml": injector.values_text,
            "mesh.yaml": injector.mesh_text,
            "objects.yaml": "\n---\n".join(as_yaml(obj) for obj in objects),
        }
        for name, text in files.items():
            Path(scratch, name).write_text(text, encoding="utf-8")
        command = [
            os.fspath(istioctl),
            "kube-inject",
            "--filename",
            f"{scratch}/objects.yaml",
            "--injectConfigFile",
            f"{scratch}/config.yaml",
            "--valuesFile",
            f"{scratch}/values.yaml",
            "--meshConfigFile",
            f"{scratch}/mesh.yaml",
            "--revision",
            injector.revision or "default",
        ]
        environment = {**os.environ, "KUBECONFIG": os.devnull}
        try:
            done = subprocess.run(
                command, capture_output=True, text=True, check=False, timeout=_TIMEOUT, env=environment
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise RenderError(f"{os.fspath(istioctl)} kube-inject cannot be run: {error}") from error
    if done.returncode != 0:
        lines = [line for line in done.stderr.splitlines() if line.startswith("Error: ")]
        return " ".join((lines[-1] if lines else done.stderr).split())
    return list(parse_objects(done.stdout, "istioctl kube-inject"))
