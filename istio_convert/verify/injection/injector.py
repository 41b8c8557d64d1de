"""Injection itself: from a workload to its pod."""

from __future__ import annotations

import copy
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from istio_convert.errors import RenderError
from istio_convert.verify.injection.annotations import refused_annotations
from istio_convert.verify.injection.config import InjectorConfig, Namespace
from istio_convert.verify.injection.engine import Job, TemplateFailedError, run
from istio_convert.verify.injection.facts import (
    AUTO,
    NETWORK,
    OVERRIDES,
    PROXY,
    PROXY_CONFIG,
    STATUS,
    TEMPLATES,
    injector_facts,
)
from istio_convert.verify.injection.mesh import ConfigRefusedError, annotated_proxy_config
from istio_convert.verify.injection.rework import PodRefusedError, proxy_of, rework
from istio_convert.verify.injection.rewriting import TemplateRefusedError, rewritten
from istio_convert.verify.injection.selection import selected
from istio_convert.verify.injection.typed import TypeRefusedError, conform, containers, defaulted
from istio_convert.verify.injection.view import template_data
from istio_convert.verify.manifests import Object, parse_document
from istio_convert.verify.reference import strategic

_GROUPS = ("containers", "initContainers")


@dataclass(frozen=True, slots=True)
class Injected:
    """What became of a pod.

    Attributes:
        pod: the pod after injection, with the API server's defaults; the pod as it arrived when it is not injected.
        refusals: why the injector refuses it, one sentence each; the workload then has no pod.
        injected: whether the injector worked on it.
        why: why it is not injected; empty when it is.
        templates: the templates that were run, in order.
    """

    pod: Object
    refusals: tuple[str, ...] = ()
    injected: bool = False
    why: str = ""
    templates: tuple[str, ...] = ()

    @property
    def runs(self) -> bool:
        """Whether no container waits for an image that nobody writes."""
        return not self.refusals and all(container.get("image") != AUTO for container in containers(self.pod))


def inject(
    workload: Object,
    injector: InjectorConfig | None,
    *,
    namespace: Namespace | None = None,
    pull_secrets: Sequence[Mapping[str, Any]] = (),
    native_sidecars: bool = False,
) -> Injected:
    """The pod of a workload after injection.

    Args:
        workload: a Deployment, DaemonSet or other workload with a template, or a Pod; not changed.
        injector: the injector that its webhooks may call; None for none.
        namespace: its namespace; without it, one of the workload's name for it that has no labels.
        pull_secrets: those of its ServiceAccount, which a pod without its own gets.
        native_sidecars: whether istiod makes the proxy of a sidecar an init container.

    Returns:
        The pod; see :class:`Injected`. It shares nothing with the workload.
    """
    request = Request(workload, namespace, tuple(pull_secrets))
    return inject_all([request], [injector], native_sidecars=native_sidecars)[0]


@dataclass(frozen=True, slots=True)
class Request:
    """A workload to inject.

    Attributes:
        workload: the workload; not changed.
        namespace: its namespace.
        pull_secrets: those of its ServiceAccount.
    """

    workload: Object
    namespace: Namespace | None = None
    pull_secrets: tuple[Mapping[str, Any], ...] = ()

    @property
    def home(self) -> Namespace:
        """The namespace, made up of what the workload says when nothing is known about it."""
        named = (self.workload.get("metadata") or {}).get("namespace")
        return self.namespace or Namespace(str(named or "default"))


@dataclass(slots=True)
class _Work:
    """One pod on its way."""

    owner: Object
    namespace: Namespace
    injector: InjectorConfig
    arrived: Object
    proxy: Mapping[str, Any] = field(default_factory=dict)
    variables: dict[str, str] = field(default_factory=dict)
    templates: tuple[str, ...] = ()


def inject_all(
    requests: Sequence[Request],
    candidates: Sequence[InjectorConfig | None],
    *,
    native_sidecars: bool = False,
) -> list[Injected]:
    """The pods of several workloads, all templates run in one rendering.

    Args:
        requests: the workloads.
        candidates: for each, the injector; None for none.
        native_sidecars: see :func:`inject`.
    """
    results: list[Injected | None] = [None] * len(requests)
    jobs: list[Job] = []
    running: list[tuple[int, _Work, int]] = []
    for number, (request, injector) in enumerate(zip(requests, candidates, strict=True)):
        arrived = pod_of(request)
        if injector is None:
            results[number] = Injected(arrived, why="no istiod is there to inject it")
            continue
        choice = selected(arrived, request.home, injector)
        if choice.webhook is None or choice.why:
            results[number] = Injected(arrived, why=choice.why)
            continue
        try:
            arrived = defaulted(conform(arrived))
            work = _Work(request.workload, request.home, injector, arrived)
            own = _prepare(work, choice.webhook, native_sidecars=native_sidecars)
        except (PodRefusedError, TypeRefusedError, ConfigRefusedError, TemplateRefusedError) as error:
            results[number] = Injected(arrived, (str(error),), injected=True)
            continue
        running.append((number, work, len(own)))
        jobs += own
    outputs = run(jobs)
    at = 0
    for number, work, count in running:
        results[number] = _finish(work, outputs[at : at + count])
        at += count
    return [result for result in results if result is not None]


def pod_of(request: Request) -> Object:
    """The pod that a controller makes of a workload, with the API server's defaults, as the webhook sees it."""
    workload = request.workload
    if workload.get("kind") == "Pod":
        template: Mapping[str, Any] = workload
    else:
        found = (workload.get("spec") or {}).get("template")
        template = found if isinstance(found, Mapping) else {}
    metadata = dict(template.get("metadata") or {})
    metadata["namespace"] = request.home.name
    raw: Object = {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": template.get("spec") or {}}
    pod: Object = copy.deepcopy(raw)
    pod["metadata"].pop("creationTimestamp", None)
    if request.pull_secrets and not pod["spec"].get("imagePullSecrets"):
        pod["spec"]["imagePullSecrets"] = [dict(secret) for secret in request.pull_secrets]
    return defaulted(pod)


def _prepare(work: _Work, webhook: Mapping[str, Any], *, native_sidecars: bool) -> list[Job]:
    """Check a pod, choose its templates, and say what to run."""
    injector, metadata = work.injector, work.arrived["metadata"]
    annotations = metadata.get("annotations") or {}
    if refused := list(refused_annotations(annotations, injector.version)):
        raise PodRefusedError("; ".join(refused))
    work.proxy = annotated_proxy_config(injector.mesh["defaultConfig"], annotations.get(PROXY_CONFIG, ""))
    work.variables = _variables(work, webhook)
    work.templates = _chosen(annotations, injector)
    data = template_data(
        work.arrived, work.owner, work.proxy, injector, work.namespace, native_sidecars=native_sidecars
    )
    environment = tuple(sorted(injector.environment.items()))
    jobs = []
    for name in work.templates:
        if name not in injector.templates:
            known = ", ".join(sorted(injector.templates))
            raise PodRefusedError(f"the injector has no template {name!r} and refuses the pod (it has {known})")
        jobs.append(Job(rewritten(injector.templates[name], environment), data))
    return jobs


def _chosen(annotations: Mapping[str, str], injector: InjectorConfig) -> tuple[str, ...]:
    asked = annotations.get(TEMPLATES)
    names = injector.default_templates if asked is None else [name.strip() for name in str(asked).split(",")]
    return tuple(found for name in names for found in injector.aliases.get(name, [name]))


def _variables(work: _Work, webhook: Mapping[str, Any]) -> dict[str, str]:
    """The variables that win over every template: of the webhook's path, of istiod's values, of the pod's label."""
    facts = injector_facts(work.injector.version)
    found = _of_path(webhook, facts["path_variables"])
    cluster = found.get("ISTIO_META_CLUSTER_ID") or work.injector.value("global", "multiCluster", "clusterName")
    network = found.get("ISTIO_META_NETWORK") or work.injector.value("global", "network")
    network = (work.arrived["metadata"].get("labels") or {}).get(NETWORK, network)
    if cluster:
        found["ISTIO_META_CLUSTER_ID"] = str(cluster)
    if network:
        found["ISTIO_META_NETWORK"] = str(network)
    return found


def _of_path(webhook: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, str]:
    """The variables in the path at which a webhook calls: ``/inject/cluster/A/net/B``."""
    config = webhook.get("clientConfig") or {}
    path = str((config.get("service") or {}).get("path") or "")
    if config.get("url"):
        path = "/" + str(config["url"]).partition("://")[2].partition("/")[2]
    parts = path.removesuffix("/").split("/", 2)
    if len(parts) < 3:
        return {}
    if parts[2].startswith(":ENV:"):
        pairs = [pair.split("=", 1) for pair in parts[2].split(":ENV:")[1:]]
        return {names.get(pair[0], pair[0].upper()): pair[1] for pair in pairs if len(pair) == 2 and pair[0]}
    steps = parts[2].split("/")
    return {
        names.get(key, key.upper()): text.replace("--slash--", "/")
        for key, text in zip(steps[::2], steps[1::2], strict=False)
        if key
    }


def _finish(work: _Work, outputs: Sequence[str | TemplateFailedError]) -> Injected:
    """Merge what the templates gave, and do the rest."""
    try:
        pod = _merged(work, outputs)
    except (PodRefusedError, TypeRefusedError, RenderError) as error:
        message = error.message if isinstance(error, RenderError) else str(error)
        return Injected(work.arrived, (message,), injected=True, templates=work.templates)
    return Injected(defaulted(pod), injected=True, templates=work.templates)


def _merged(work: _Work, outputs: Sequence[str | TemplateFailedError]) -> Object:
    pod = copy.deepcopy(work.arrived)
    alone: Object = {"apiVersion": "v1", "kind": "Pod", "metadata": {}, "spec": {}}
    for name, output in zip(work.templates, outputs, strict=True):
        if isinstance(output, TemplateFailedError):
            raise PodRefusedError(f"the template {name} cannot be run: {output}")
        try:
            overlay = parse_document(output) or {}
        except RenderError as error:
            raise PodRefusedError(f"the template {name} gives no YAML map") from error
        alone = _overlaid(alone, overlay, name)
        pod = _overlaid(_with_native_proxy(pod, alone), overlay, name)
    pod, overrides = _with_own_containers(pod, alone, work)
    if overrides and STATUS not in (work.arrived["metadata"].get("annotations") or {}):
        written = json.dumps(overrides, separators=(",", ":"), ensure_ascii=False)
        pod["metadata"].setdefault("annotations", {})[OVERRIDES] = written
    _adjust_users(pod, work)
    hold = work.proxy.get("holdApplicationUntilProxyStarts") is True
    hold = hold or work.injector.value("global", "proxy", "holdApplicationUntilProxyStarts") is True
    rework(pod, alone, work.injector, work.variables, hold=hold)
    return conform(pod)


def _overlaid(pod: Object, overlay: Mapping[str, Any], name: str) -> Object:
    try:
        return conform(strategic.apply("Pod", pod, dict(overlay)))
    except TypeRefusedError as error:
        raise PodRefusedError(f"after the template {name} the pod is none: {error}") from error


def _with_native_proxy(pod: Object, alone: Object) -> Object:
    """The pod's own proxy container among the init containers, when the template has it there."""
    asked = (pod["metadata"].get("annotations") or {}).get("sidecar.istio.io/nativeSidecar")
    in_template = any(c.get("name") == PROXY for c in containers(alone, "initContainers"))
    own = [c for c in containers(pod, "containers") if c.get("name") == PROXY]
    if not in_template or not own or asked == "false":
        return pod
    spec = dict(pod["spec"])
    spec["containers"] = [c for c in spec["containers"] if c.get("name") != PROXY]
    spec["initContainers"] = [*(spec.get("initContainers") or []), *own]
    return {**pod, "spec": spec}


def _with_own_containers(pod: Object, alone: Object, work: _Work) -> tuple[Object, Object]:
    """The pod's own containers once more on top of what the templates made of them, and the list of these."""
    overrides: dict[str, list[Object]] = {}
    for group in _GROUPS:
        for container in containers(alone, group):
            own = _own(work.arrived, container.get("name"), group)
            if own is None:
                continue
            own = {key: value for key, value in own.items() if (key, value) != ("image", AUTO)}
            overrides.setdefault(group, []).append(own)
            pod = _overlaid(pod, {"spec": {group: [copy.deepcopy(own)]}}, "of its own")
    return pod, overrides


def _own(pod: Object, name: Any, group: str) -> Object | None:
    groups = ("containers",) if group == "containers" else _GROUPS
    return next((c for part in groups for c in containers(pod, part) if c.get("name") == name), None)


def _adjust_users(pod: Object, work: _Work) -> None:
    """The init container of a sidecar runs as the user that the pod's own proxy container names."""
    own = proxy_of(work.arrived)
    context = (own or {}).get("securityContext") or {}
    ids = {key: context[key] for key in ("runAsUser", "runAsGroup") if context.get(key) is not None}
    named = {c.get("name"): c for c in containers(pod, "initContainers")}
    initial = named.get("istio-init") or named.get("istio-validation")
    if not ids or initial is None:
        return
    mode = (pod["metadata"].get("annotations") or {}).get("sidecar.istio.io/interceptionMode")
    transparent = "TPROXY" in (mode, work.proxy.get("interceptionMode"))
    proxy = proxy_of(pod)
    if transparent and "runAsUser" in ids and proxy is not None:
        proxy.setdefault("securityContext", {})["runAsUser"] = 0
    if not transparent and initial.get("name") == "istio-validation":
        initial.setdefault("securityContext", {}).update(ids)
    arguments = initial.get("args") or []
    if ids.get("runAsUser") and "-u" in arguments[:-1]:
        arguments[arguments.index("-u") + 1] = str(ids["runAsUser"])
