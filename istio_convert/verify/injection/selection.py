"""Whether a pod is injected at all: the webhooks' selectors, and the pods that the injector passes over.

Source of the facts: the selectors of the rendered MutatingWebhookConfigurations, and ``injectRequired`` in
pkg/kube/inject/inject.go of Istio's release tags.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from istio_convert.verify.injection.config import InjectorConfig, Namespace
from istio_convert.verify.injection.facts import INJECT, REVISION, injector_facts
from istio_convert.verify.manifests import Object


class Selected(NamedTuple):
    """Whether the injector gets and takes a pod.

    Attributes:
        webhook: the webhook that calls it; None when none does.
        why: why the pod is not injected; empty when it is.
    """

    webhook: Object | None
    why: str = ""


def selected(pod: Mapping[str, Any], namespace: Namespace, injector: InjectorConfig) -> Selected:
    """Whether an injector injects a pod.

    Args:
        pod: the pod.
        namespace: where it is created.
        injector: the injector.
    """
    metadata = pod.get("metadata") or {}
    labels = {str(key): str(value) for key, value in (metadata.get("labels") or {}).items()}
    webhook = next((hook for hook in injector.webhooks if _calls(hook, labels, namespace)), None)
    if webhook is None:
        return Selected(None, _not_called(labels, namespace, injector))
    passed = injector_facts(injector.version)["passed_over"]
    if passed["host_network"] and (pod.get("spec") or {}).get("hostNetwork"):
        return Selected(webhook, "the pod is on the host's network, and the injector passes over such pods")
    if namespace.name in passed["namespaces"]:
        return Selected(webhook, f"the injector passes over every pod in {namespace.name}")
    if not _required(metadata, labels, injector):
        return Selected(webhook, "the injector's policy does not take the pod")
    return Selected(webhook)


def _calls(hook: Mapping[str, Any], labels: Mapping[str, str], namespace: Namespace) -> bool:
    return matches(hook.get("namespaceSelector"), namespace.all_labels) and matches(hook.get("objectSelector"), labels)


def matches(selector: Any, labels: Mapping[str, str]) -> bool:
    """Whether a label selector matches; an empty one matches everything."""
    if not isinstance(selector, Mapping):
        return True
    wanted = selector.get("matchLabels") or {}
    if any(labels.get(str(key)) != str(value) for key, value in wanted.items()):
        return False
    return all(_holds(expression, labels) for expression in selector.get("matchExpressions") or [])


def _holds(expression: Mapping[str, Any], labels: Mapping[str, str]) -> bool:
    key, operator = str(expression.get("key")), expression.get("operator")
    values = [str(value) for value in expression.get("values") or []]
    present = labels.get(key)
    return {
        "In": present is not None and present in values,
        "NotIn": present is None or present not in values,
        "Exists": present is not None,
        "DoesNotExist": present is None,
    }.get(str(operator), False)


def _not_called(labels: Mapping[str, str], namespace: Namespace, injector: InjectorConfig) -> str:
    revision = injector.revision or "default"
    if labels.get(INJECT) == "false":
        return f"the pod's label {INJECT} is false"
    if namespace.labels.get("istio-injection") == "disabled":
        return f"the namespace {namespace.name} has istio-injection: disabled"
    if not injector.webhooks:
        return f"istiod of revision {revision} has no webhook"
    if REVISION in labels:
        return f"no webhook of revision {revision} calls for the pod's label {REVISION}: {labels[REVISION]}"
    return f"no webhook of revision {revision} matches the labels of pod and namespace"


def _required(metadata: Mapping[str, Any], labels: Mapping[str, str], injector: InjectorConfig) -> bool:
    """The policy that the injector itself goes by, once it is called."""
    annotations = metadata.get("annotations") or {}
    asked = str(labels.get(INJECT, annotations.get(INJECT, "")))
    switch = injector_facts(injector.version)["switch"][0]
    word = asked.lower() if switch["any_case"] else asked
    if word in switch["on"]:
        return injector.config.get("policy") in ("enabled", "disabled")
    if word != "" and (switch["other"] == "off" or word in switch.get("off", ())):
        return False
    for key, inject in (("neverInjectSelector", False), ("alwaysInjectSelector", True)):
        for selector in injector.config.get(key) or []:
            if selector and matches(selector, labels):
                return inject
    return injector.config.get("policy") == "enabled"


def serving(
    pod: Mapping[str, Any], namespace: Namespace, candidates: Sequence[InjectorConfig]
) -> InjectorConfig | None:
    """The injector whose webhook the pod reaches; None when no webhook of any matches."""
    return next((item for item in candidates if selected(pod, namespace, item).webhook is not None), None)
