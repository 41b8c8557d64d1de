"""Templates inside quoted texts: valid YAML, yet istioctl and Helm take them letter by letter."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from istio_convert.errors import Issue
from istio_convert.operator.documents import OperatorDocument
from istio_convert.paths import Path, render
from istio_convert.source.nodes import Leaf, get, leaves

#: how a text must look before its leaves are looked at one by one
MARKS = ("{{", "{%", "<%")
_HINT = "render it first, for example by helm template, and convert the result; leave it where the text is meant so"
_TEMPLATES = (
    (re.compile(r"\{\{.*?\}\}"), "a template ({{ … }}) that is not rendered"),
    (re.compile(r"\{%.*?%\}"), "a Jinja template ({% … %}) that is not rendered"),
    (re.compile(r"<%.*?%>"), "an ERB template (<% … %>) that is not rendered"),
)
# A text of several lines may be a template for another program, such as an annotation of Vault's injector: only what
# Helm alone fills in is a leftover there.
_HELM = re.compile(r"\{\{[^}\n]*(?:\.Values|\.Release|\.Chart|\binclude)\b")
_LOOKED_AT: tuple[Path, ...] = (("metadata", "name"), ("metadata", "namespace"), ("spec",))
#: texts that istiod takes for templates when it injects a proxy
_OF_THE_INJECTOR = tuple(
    ("spec", root, *path)
    for root in ("values", "unvalidatedValues")
    for path in (("sidecarInjectorWebhook", "templates"), ("global", "podDNSSearchNamespaces"))
)


def unrendered(operators: Iterable[OperatorDocument]) -> Iterator[Issue]:
    """One warning for each field of the operators whose text, or whose key, looks like a template left over."""
    for operator in operators:
        meant = {id(leaf) for path in _OF_THE_INJECTOR if (node := get(operator.root, path)) for leaf in leaves(node)}
        for path in _LOOKED_AT:
            if (node := get(operator.root, path)) is None:
                continue
            for leaf in leaves(node):
                if id(leaf) not in meant and (cause := _cause(leaf)):
                    yield Issue(f"{render(leaf.path)} holds {cause}", leaf.origin, _HINT)


def _cause(leaf: Leaf) -> str:
    """What of a template a leaf holds; empty when it holds none."""
    texts = [step for step in leaf.path if isinstance(step, str)]
    if isinstance(leaf.value, str):
        texts.append(leaf.value)
    for text in texts:
        if "\n" in text.strip() and not _HELM.search(text):
            continue
        for pattern, cause in _TEMPLATES:
            if pattern.search(text):
                return cause
    return ""
