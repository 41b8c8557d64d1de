"""Releases that the tests of all targets share."""

from __future__ import annotations

from typing import Any

from ruamel.yaml import YAML

from istio_convert.release import Patch, Release, Target
from istio_convert.source.nodes import Mapping, from_data

PEM = "-----BEGIN CERTIFICATE-----\nMIIB+TCCAWKgAwIBAgIBATANBg==\n\n-----END CERTIFICATE-----\n"
HARD_TEXTS = {
    "flux": "a ${X} b $${Y} c $$ d $Z",
    "template": "{{ x }} {{- .Values.y -}} {{{",
    "envoy": "[%START_TIME%] %REQ(:METHOD)% %RESP(X?Y):5%\n",
    "env": "$(HOST_IP):8080",
    "shell": "`id` $(id) 'a' \"b\" ; rm -rf ~ && \\",
    "backslashes": "\\d+\\.\\w \\\\ \\n",
    "trailing": "ends with blanks   ",
    "trailing-lines": "first   \n  second\t\n\n\n",
    "leading": "  starts with blanks\n first\n",
    "pem": PEM,
    "emoji": "ünïcödé 😀 \u2028 \u00a0",
    "control": "bell \x07 escape \x1b[0m tab \t",
    "yaml": "- a: 'b' # c",
    "boolean": "yes",
    "octal": "0644",
    "number": "012345678901",
    "float": "1e3",
    "null": "~",
    "date": "2024-01-01",
    "empty": "",
    "colon": "key: value",
    "comment": " # not a comment",
    "long": "x" * 300 + " " + "y" * 300,
}


def mapping(data: dict[str, Any]) -> Mapping:
    node = from_data(data)
    assert isinstance(node, Mapping)
    return node


def target(kind: str, name: str, namespace: str | None = "istio-system") -> Target:
    groups = {
        "Deployment": ("apps", "v1"),
        "ConfigMap": ("", "v1"),
        "Service": ("", "v1"),
        "ClusterRole": ("rbac.authorization.k8s.io", "v1"),
    }
    return Target(*groups[kind], kind, name, namespace)


def base(version: str = "1.25.3", **changes: Any) -> Release:
    return Release("istio-base", "base", version, "istio-system", "base", **changes)


def istiod(version: str = "1.25.3", **changes: Any) -> Release:
    fields = {"depends_on": ["istio-base"], **changes}
    return Release("istiod", "istiod", version, "istio-system", "pilot", **fields)


def gateway(name: str = "istio-ingressgateway", namespace: str = "istio-system", **changes: Any) -> Release:
    fields = {"version": "1.25.3", "depends_on": ["istiod"], **changes}
    return Release(name, "gateway", namespace=namespace, component="ingressGateways", **fields)


def tolerations() -> Patch:
    body = {"spec": {"template": {"spec": {"tolerations": [{"key": "dedicated", "operator": "Exists"}]}}}}
    return Patch(target("Deployment", "istiod"), body, ("replaces the list; the chart's value would only add",))


def removal() -> Patch:
    body = [{"op": "remove", "path": "/spec/template/spec/containers/0/resources/limits"}]
    return Patch(target("Deployment", "istiod"), body, ("the limit goes", "a null would be written as it is"))


def load(text: str) -> Any:
    return YAML(typ="safe", pure=True).load(text)


def load_all(text: str) -> list[Any]:
    return list(YAML(typ="safe", pure=True).load_all(text))
