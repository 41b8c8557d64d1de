"""Text -> documents of leaves that know their origin, Go's scalar rules, and the one YAML writer."""

from istio_convert.source.nodes import (
    Document,
    Leaf,
    Mapping,
    Node,
    Scalar,
    ScalarValue,
    Sequence,
    clone,
    from_data,
    get,
    leaves,
    put,
    to_data,
    walk,
)
from istio_convert.source.reader import read
from istio_convert.source.scalars import go_text_differs, needs_quotes, resolve
from istio_convert.source.writer import Commented, Flow, Literal, dump

__all__ = [
    "Commented",
    "Document",
    "Flow",
    "Leaf",
    "Literal",
    "Mapping",
    "Node",
    "Scalar",
    "ScalarValue",
    "Sequence",
    "clone",
    "dump",
    "from_data",
    "get",
    "go_text_differs",
    "leaves",
    "needs_quotes",
    "put",
    "read",
    "resolve",
    "to_data",
    "walk",
]
