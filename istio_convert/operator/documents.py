"""Which documents of the input are IstioOperators, and what is around them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from istio_convert.errors import Issue, NotIstioOperatorError, Origin
from istio_convert.source.nodes import Document, Leaf, Mapping, Node, Scalar, Sequence, get

_FILE_NAME = re.compile(r"\S+\.(ya?ml|json)|\S*[/\\\\]\S*")
KIND = "IstioOperator"
API_VERSION = "install.istio.io/v1alpha1"


@dataclass(slots=True)
class OperatorDocument:
    """One IstioOperator as it stands in a file (or as an item of a List).

    Attributes:
        document: the YAML document it is part of.
        root: its tree (apiVersion, kind, metadata, spec, status).
        warnings: what is odd but understood.
    """

    document: Document
    root: Mapping
    warnings: list[Issue] = field(default_factory=list)

    @property
    def name(self) -> str:
        """metadata.name, or an empty string."""
        return _text(self.root, "metadata", "name")

    @property
    def namespace(self) -> str:
        """metadata.namespace, or an empty string."""
        return _text(self.root, "metadata", "namespace")


@dataclass(slots=True)
class Inputs:
    """All documents, sorted into operators and leaves that belong to none."""

    documents: list[Document]
    operators: list[OperatorDocument] = field(default_factory=list)
    foreign: list[Leaf] = field(default_factory=list)
    envelope: list[Leaf] = field(default_factory=list)


def _text(root: Node, *path: str) -> str:
    node = get(root, path)
    return str(node.value) if isinstance(node, Scalar) and node.value is not None else ""


def find_operators(documents: list[Document]) -> Inputs:
    """Sort the documents.

    Raises:
        NotIstioOperatorError: there is no IstioOperator among them.
    """
    inputs = Inputs(documents)
    for document in documents:
        root = document.root
        if isinstance(root, Mapping) and _text(root, "kind") == "List":
            _unpack_list(document, root, inputs)
        elif isinstance(root, Mapping) and (operator := _operator(document, root)):
            inputs.operators.append(operator)
        else:
            inputs.foreign.extend(document.leaves)
    if not inputs.operators:
        first = documents[0] if documents else None
        origin = (first.root.origin or Origin(first.file)) if first else None
        kind = _text(first.root, "kind") if first else ""
        hint = "a Helm values file is converted already; give the file with kind: IstioOperator"
        if first is None:
            raise NotIstioOperatorError("the input is empty", hint="give the file with kind: IstioOperator")
        found = f"its kind is {kind}" if kind else "it has no kind"
        if isinstance(first.root, Scalar) and _FILE_NAME.fullmatch(str(first.root.value)):
            found, hint = "it looks like the name of a file", "give the text of the file, not its name"
        raise NotIstioOperatorError(f"no IstioOperator in the input: {found}", origin=origin, hint=hint)
    return inputs


def _operator(document: Document, root: Mapping) -> OperatorDocument | None:
    kind, api_version = _text(root, "kind"), _text(root, "apiVersion")
    if kind.lower() == KIND.lower() or (not kind and api_version.startswith(("install.istio.io", "operator.istio.io"))):
        operator = OperatorDocument(document, root)
        where = root.origin
        node = root.items.get("apiVersion")
        if api_version != API_VERSION:
            words = f"apiVersion {api_version} is read as {API_VERSION}" if api_version else "apiVersion is missing"
            operator.warnings.append(Issue(words, node.origin if node else where))
        if kind != KIND:
            operator.warnings.append(Issue("kind is missing or misspelt; read as IstioOperator", where))
        return operator
    # istioctl takes a bare `spec:` too
    if not kind and not api_version and isinstance(root.items.get("spec"), Mapping | Scalar):
        spec = root.items["spec"]
        known = {"profile", "components", "values", "meshConfig", "hub", "tag", "revision", "addonComponents"}
        if not isinstance(spec, Mapping) or not spec.items or known & set(spec.items):
            operator = OperatorDocument(document, root)
            operator.warnings.append(Issue("apiVersion and kind are missing; read as IstioOperator", root.origin))
            return operator
    return None


def _unpack_list(document: Document, root: Mapping, inputs: Inputs) -> None:
    from istio_convert.source.nodes import leaves  # noqa: PLC0415 - rare form of input

    items = root.items.get("items")
    for key, node in root.items.items():
        if key != "items":
            inputs.envelope.extend(leaves(node))
    if not isinstance(items, Sequence):
        return
    if items.leaf is not None:
        inputs.envelope.append(items.leaf)
    for item in items.items:
        operator = _operator(document, item) if isinstance(item, Mapping) else None
        if operator:
            inputs.operators.append(operator)
        else:
            inputs.foreign.extend(leaves(item))
