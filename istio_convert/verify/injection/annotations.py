"""Annotations that steer injection: a bad one refuses the pod.

Which annotations a release checks, and what each must be, is data (``schemas/injection/injector.json``).

Source of the facts: pkg/kube/inject/validate.go of Istio's release tags.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable, Iterator, Mapping

from istio_convert.verify.injection.facts import injector_facts
from istio_convert.verify.injection.mesh import ConfigRefusedError, annotated_proxy_config
from istio_convert.verify.quantities import amount

#: What Go's ParseBool takes.
BOOLEANS = {
    **dict.fromkeys(("1", "t", "T", "TRUE", "true", "True"), True),
    **dict.fromkeys(("0", "f", "F", "FALSE", "false", "False"), False),
}
_INTERFACE = re.compile(r"[a-zA-Z][a-zA-Z0-9_.\-]{0,14}\Z")
_UINT = re.compile(r"\+?\d+\Z")


def refused_annotations(annotations: Mapping[str, str], version: str) -> Iterator[str]:
    """Why the injector of a release refuses a pod for its annotations, one sentence each."""
    for entry in injector_facts(version)["annotations"]:
        name, kind = entry["name"], entry["is"]
        if name in annotations and not _CHECKS[kind](str(annotations[name])):
            yield f"the annotation {name} is no {kind}, and the injector refuses the pod"


def _is_number(text: str, highest: int) -> bool:
    return bool(_UINT.match(text)) and int(text) <= highest


def _is_port(text: str) -> bool:
    return _is_number(text.strip(), 65535)


def _are_ports(text: str) -> bool:
    return not text.strip() or all(_is_port(part) for part in text.strip().split(","))


def _are_ranges(text: str) -> bool:
    return not text or all(_is_range(part) for part in text.split(","))


def _is_range(text: str) -> bool:
    if "/" not in text or not re.search(r"/(0|[1-9]\d*)\Z", text):
        return False
    try:
        ipaddress.ip_interface(text)
    except ValueError:
        return False
    return True


def _is_proxy_config(text: str) -> bool:
    try:
        annotated_proxy_config({}, text)
    except ConfigRefusedError:
        return False
    return True


def _are_interfaces(text: str) -> bool:
    return not text or all(_INTERFACE.match(part.strip()) for part in text.split(","))


_CHECKS: Mapping[str, Callable[[str], bool]] = {
    "boolean": lambda text: text in BOOLEANS,
    "interfaces": _are_interfaces,
    "mode": lambda text: text in ("REDIRECT", "TPROXY", "NONE"),
    "number": lambda text: _is_number(text, 2**32 - 1),
    "port": _is_port,
    "ports": _are_ports,
    "ports or star": lambda text: text == "*" or _are_ports(text),
    "proxy config": _is_proxy_config,
    "quantity": lambda text: amount(text) is not None,
    "ranges": _are_ranges,
    "ranges or star": lambda text: text == "*" or _are_ranges(text),
}
