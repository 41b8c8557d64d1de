"""What the injector does to a pod after its templates: variables of the cluster, metrics, probes, order.

Source of the facts: ``postProcessPod`` in pkg/kube/inject/webhook.go and app_probe.go of Istio's release tags.
"""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Mapping
from typing import Any

from istio_convert.verify.injection.config import InjectorConfig
from istio_convert.verify.injection.facts import NETWORK, PROXY, STATUS, injector_facts
from istio_convert.verify.injection.typed import containers
from istio_convert.verify.injection.view import is_true
from istio_convert.verify.manifests import Object

_PROMETHEUS = ("prometheus_io_path", "prometheus_io_port", "prometheus_io_scrape")
_TARGETS = "prometheus_istio_io_scrape_targets"
_SECURE_PORT = "prometheus_istio_io_secure_port"
_MERGE = "prometheus.istio.io/merge-metrics"
_REWRITE = "sidecar.istio.io/rewriteAppHTTPProbers"
_STATUS_PORT = "status.sidecar.istio.io/port"


class PodRefusedError(ValueError):
    """The injector refuses the pod; the message says why."""


def rework(
    pod: Object,
    from_templates: Object,
    injector: InjectorConfig,
    variables: Mapping[str, str],
    *,
    hold: bool,
) -> None:
    """Do to a merged pod what the injector does last.

    Args:
        pod: the pod; changed.
        from_templates: what the templates gave by themselves.
        injector: the injector.
        variables: the variables that the webhook's path, istiod's values or the pod's label decide.
        hold: whether applications wait for the proxy, which is then the first container.

    Raises:
        PodRefusedError: the injector refuses the pod.
    """
    pod["metadata"].setdefault("annotations", {})
    pod["metadata"].setdefault("labels", {})
    proxy = proxy_of(pod)
    if proxy is not None and variables:
        kept = [variable for variable in proxy.get("env") or [] if variable.get("name") not in variables]
        proxy["env"] = [*kept, *({"name": name, "value": value} for name, value in sorted(variables.items()))]
    _merge_metrics(pod, proxy, injector)
    _secure_metrics(pod, proxy, injector)
    if proxy is not None:
        _rewrite_probes(pod, proxy, injector)
    if "ISTIO_META_NETWORK" in variables:
        pod["metadata"]["labels"][NETWORK] = variables["ISTIO_META_NETWORK"]
    pod["metadata"]["annotations"][STATUS] = _status(from_templates, injector)
    for name, text in (injector.config.get("injectedAnnotations") or {}).items():
        pod["metadata"]["annotations"][str(name)] = str(text)
    _reorder(pod, injector, hold=hold)


def proxy_of(pod: Object) -> dict[str, Any] | None:
    """The proxy's container, wherever it is."""
    return next((c for c in containers(pod, "containers", "initContainers") if c.get("name") == PROXY), None)


# -- metrics -----------------------------------------------------------------------------------------------------------


def _as_label(name: str) -> str:
    """The name of an annotation as Prometheus reads it."""
    return re.sub(r"[^a-zA-Z0-9_]", "_", name)


def _merge_metrics(pod: Object, proxy: dict[str, Any] | None, injector: InjectorConfig) -> None:
    """Metrics of the application go through the agent: its annotations become a variable, and the agent's take over."""
    annotations = pod["metadata"]["annotations"]
    facts = injector_facts(injector.version)
    given = {_as_label(name): str(text) for name, text in annotations.items()}
    merge = is_true(annotations.get(_MERGE))
    if merge is None:
        merge = injector.mesh.get("enablePrometheusMerge") is not False
    if is_true(given.get("prometheus_io_scrape")) is False or not merge:
        return
    port = str(injector.mesh["defaultConfig"].get("statusPort"))
    if given.get("prometheus_io_port") == port:
        return
    scraped = {key: given.get(f"prometheus_io_{key}", "") for key in ("scrape", "path", "port")}
    targets = []
    if facts["scrape_targets"]:
        targets = _scrape_targets(given.get(_TARGETS, ""))
        if targets:
            scraped |= {"port": targets[0]["port"], "path": targets[0]["path"]}
        for target in [target["port"] for target in targets] or ([scraped["port"]] if scraped["port"] else []):
            _check_port(target, port, facts)
    if proxy is not None and (any(scraped.values()) or targets):
        written = json.dumps({**scraped, **({"targets": targets} if targets else {})}, separators=(",", ":"))
        proxy["env"] = [*(proxy.get("env") or []), {"name": "ISTIO_PROMETHEUS_ANNOTATIONS", "value": written}]
    cleared = {*_PROMETHEUS, *([_TARGETS] if facts["scrape_targets"] else [])}
    for name in [name for name in annotations if _as_label(name) in cleared]:
        del annotations[name]
    annotations |= {
        "prometheus.io/port": port,
        "prometheus.io/path": "/stats/prometheus",
        "prometheus.io/scrape": "true",
    }


def _scrape_targets(text: str) -> list[dict[str, str]]:
    found = []
    for entry in (part.strip() for part in text.split(",")):
        port, _, path = (part.strip() for part in entry.partition(":"))
        if entry and not port:
            return []
        if entry:
            found.append({"port": port, "path": path or "/metrics"})
    return found


def _check_port(text: str, agent: str, facts: Mapping[str, Any]) -> None:
    number = int(text) if re.fullmatch(r"[+-]?\d+", text) else 0
    if not 1 <= number <= 65535:
        raise PodRefusedError("the port to scrape is no port, and the injector refuses the pod")
    if str(number) == agent or str(number) in facts["reserved_ports"]:
        raise PodRefusedError(f"the port to scrape, {number}, is Istio's own, and the injector refuses the pod")


def _secure_metrics(pod: Object, proxy: dict[str, Any] | None, injector: InjectorConfig) -> None:
    annotations = pod["metadata"]["annotations"]
    if not injector_facts(injector.version)["scrape_targets"] or proxy is None:
        return
    if any(_as_label(name) == _SECURE_PORT for name in annotations):
        return
    for variable in proxy.get("env") or []:
        if variable.get("name") == "ENVOY_SECURE_MERGED_METRICS_PORT" and variable.get("value") not in (None, "", "0"):
            annotations["prometheus.istio.io/secure-port"] = variable["value"]
            return


# -- probes ------------------------------------------------------------------------------------------------------------


def _rewrite_probes(pod: Object, proxy: dict[str, Any], injector: InjectorConfig) -> None:
    """Probes of the application go through the agent, which the kubelet reaches without mutual TLS."""
    annotations = pod["metadata"]["annotations"]
    asked = is_true(annotations.get(_REWRITE))
    if asked is None:
        asked = injector.value("sidecarInjectorWebhook", "rewriteAppHTTPProbe") is True
    if not asked:
        return
    facts = injector_facts(injector.version)
    port = int(injector.mesh["defaultConfig"].get("statusPort") or 0)
    handled: dict[str, Any] = {}
    others = [c for c in containers(pod, "initContainers", "containers") if c.get("name") != PROXY]
    for container in others:
        handled |= _handled(container, port, facts)
    if handled:
        written = json.dumps(dict(sorted(handled.items())), separators=(",", ":"))
        proxy["env"] = [*(proxy.get("env") or []), {"name": "ISTIO_KUBE_APP_PROBERS", "value": written}]
    chosen = str(annotations.get(_STATUS_PORT, port))
    port = int(chosen) if chosen.isdigit() else 0
    for container in others:
        _redirect(container, port, facts)


def _places(container: Mapping[str, Any], facts: Mapping[str, Any]) -> list[tuple[dict[str, Any], str, bool]]:
    """The probes and hooks of a container, the agent's path for each, and whether it is a probe."""
    name = str(container.get("name"))
    found = [
        (container[entry["field"]], entry["path"].format(container=name), True)
        for entry in facts["probes"]
        if isinstance(container.get(entry["field"]), dict)
    ]
    for entry in facts["hooks"]:
        hook = (container.get("lifecycle") or {}).get(entry["field"])
        if isinstance(hook, dict):
            found.append((hook, entry["path"].format(container=name), False))
    return found


def _handled(container: Mapping[str, Any], agent: int, facts: Mapping[str, Any]) -> dict[str, Any]:
    """What the agent is to do, by path; ports by name resolved."""
    named = {port.get("name"): port.get("containerPort") for port in container.get("ports") or [] if port.get("name")}
    found: dict[str, Any] = {}
    for probe, path, is_probe in _places(container, facts):
        timeout = {"timeoutSeconds": probe["timeoutSeconds"]} if is_probe and probe.get("timeoutSeconds") else {}
        if is_probe and "grpc" in probe and not {"httpGet", "tcpSocket"} & probe.keys():
            found[path] = {"grpc": copy.deepcopy(probe["grpc"]), **timeout}
            continue
        kind = next((kind for kind in ("httpGet", "tcpSocket") if isinstance(probe.get(kind), dict)), None)
        if kind is None:
            continue
        handler = probe[kind]
        if isinstance(handler.get("port"), str):
            if handler["port"] not in named:
                continue
            handler["port"] = named[handler["port"]]
        elif handler.get("port") == agent:
            continue
        found[path] = {kind: copy.deepcopy(handler), **timeout}
    return found


def _redirect(container: dict[str, Any], agent: int, facts: Mapping[str, Any]) -> None:
    for probe, path, is_probe in _places(container, facts):
        kinds = ("httpGet", "tcpSocket", "grpc") if is_probe else ("httpGet", "tcpSocket")
        kind = next((kind for kind in kinds if isinstance(probe.get(kind), dict)), None)
        if kind is None:
            continue
        action = probe.pop(kind) if kind == "httpGet" else {}
        probe.pop(kind, None)
        action |= {"port": agent, "path": path}
        if action.get("scheme") == "HTTPS":
            action["scheme"] = "HTTP"
        probe["httpGet"] = action


# -- the rest ----------------------------------------------------------------------------------------------------------


def _status(from_templates: Object, injector: InjectorConfig) -> str:
    spec = from_templates["spec"]
    named = {
        key: [item.get("name", "") for item in spec.get(key) or []] or None
        for key in ("initContainers", "containers", "volumes", "imagePullSecrets")
    }
    return json.dumps({**named, "revision": injector.revision or "default"}, separators=(",", ":"))


def _reorder(pod: Object, injector: InjectorConfig, *, hold: bool) -> None:
    facts = injector_facts(injector.version)
    spec = pod["spec"]
    spec["containers"] = _moved(spec.get("containers") or [], PROXY, first=hold)
    initial = spec.get("initContainers")
    if not initial:
        return
    native = any(container.get("name") == PROXY for container in initial)
    order = facts["order_with_native_proxy" if native else "order_else"]
    for name in order["first"]:
        initial = _moved(initial, name, first=True)
    for name in order["last"]:
        initial = _moved(initial, name, first=False)
    spec["initContainers"] = initial


def _moved(items: list[dict[str, Any]], name: str, *, first: bool) -> list[dict[str, Any]]:
    chosen = [item for item in items if item.get("name") == name]
    rest = [item for item in items if item.get("name") != name]
    return [*chosen, *rest] if first else [*rest, *chosen]
