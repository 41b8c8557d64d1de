"""YAML text -> documents whose leaves know where they stand, with the values that Go would read.

Merge keys act as in go-yaml v2, which istioctl uses: in the order of the text, so that a merge key below a key wins
over it. Duplicate keys are refused, where Go would take the last one in silence.
"""

from __future__ import annotations

from ruamel.yaml.events import ScalarEvent

from istio_convert import paths
from istio_convert.errors import Origin, YamlError
from istio_convert.paths import Path
from istio_convert.source.compose import Alias, Collection, Raw, compose, place
from istio_convert.source.nodes import Document, Leaf, Mapping, Node, Scalar, ScalarValue, Sequence, leaves
from istio_convert.source.refusals import TEMPLATE_CAUSE, TEMPLATE_HINT, decode
from istio_convert.source.scalars import NUMERIC_START, TAG_PREFIX, WORDS, resolve, resolve_key

_MERGE_TAG = TAG_PREFIX + "merge"


def read(text: str | bytes, file: str) -> list[Document]:
    """Read all documents of an input; those without content (comments only) are left out.

    Args:
        text: the input; bytes must be UTF-8, with or without byte order mark.
        file: its name for origins; ``-`` for standard input.

    Returns:
        The documents in order; an empty list for an empty input. ``Document.index`` counts the empty ones too.

    Raises:
        YamlError: it is no YAML that istioctl could read, or is built to exhaust the reader. Has origin and hint.
    """
    roots = compose(decode(text, file), file)
    return [_Builder(file, index).document(root) for index, root in enumerate(roots) if not _is_empty(root)]


def _is_empty(root: Raw) -> bool:
    return isinstance(root, ScalarEvent) and not (root.value or root.style or root.tag or root.anchor)


class _Builder:
    """Builds the tree of one document. The composer has bounded depth and size, so recursion is safe here."""

    def __init__(self, file: str, index: int) -> None:
        self.file = file
        self.index = index
        self.leaves: list[Leaf] = []
        self.replaced = False  # a merge key has replaced or been replaced by a key: self.leaves holds too many

    def document(self, raw: Raw) -> Document:
        root = self.node(raw, (), ())
        return Document(self.file, self.index, root, list(leaves(root)) if self.replaced else self.leaves)

    def node(self, raw: Raw, path: Path, via: tuple[Origin, ...]) -> Node:
        if isinstance(raw, ScalarEvent):
            return self.scalar(raw, path, via)
        if isinstance(raw, Alias):
            return self.node(raw.target, path, (*via, place(raw.event, self.file)))
        event = raw.event
        if event.ctag is not None:
            self.check_tag(raw)
        mark = event.start_mark
        origin = Origin(self.file, mark.line + 1, mark.column + 1)
        if raw.is_map:
            items: dict[str, Node] = {}
            self.fill(items, raw, path, via)
            return Mapping(items, None if items else self.empty_leaf(origin, path, "{}", via), origin)
        elements = [self.node(item, (*path, number), via) for number, item in enumerate(raw.items)]
        return Sequence(elements, None if elements else self.empty_leaf(origin, path, "[]", via), origin)

    def scalar(self, event: ScalarEvent, path: Path, via: tuple[Origin, ...]) -> Scalar:
        text: str = event.value
        mark = event.start_mark
        line, column = mark.line + 1, mark.column + 1
        origin = Origin(self.file, line, column)
        value: ScalarValue = text
        if event.ctag is not None or (not event.style and (text in WORDS or text[0] in NUMERIC_START)):
            tag = event.tag
            try:
                value = resolve(text, not event.style, None if tag == "!" else tag)
            except YamlError as error:
                raise YamlError(error.message, origin=origin, hint=error.hint) from None
        leaf = Leaf(self.file, self.index, path, line, column, text, value, via)
        self.leaves.append(leaf)
        return Scalar(value, leaf, origin)

    def empty_leaf(self, origin: Origin, path: Path, text: str, via: tuple[Origin, ...]) -> Leaf:
        leaf = Leaf(self.file, self.index, path, origin.line, origin.column, text, {} if text == "{}" else [], via)
        self.leaves.append(leaf)
        return leaf

    def fill(self, items: dict[str, Node], raw: Collection, path: Path, via: tuple[Origin, ...]) -> None:
        """Add the entries of a parsed map to ``items``, which merge keys may have filled before."""
        own: dict[str, ScalarEvent] = {}
        pairs = iter(raw.items)
        for raw_key, raw_value in zip(pairs, pairs, strict=True):
            event = raw_key
            if not isinstance(event, ScalarEvent):
                event = raw_key.target if isinstance(raw_key, Alias) else raw_key
                if not isinstance(event, ScalarEvent):
                    raise self.collection_as_key(raw, event)
            key: str = event.value
            if key == "<<" and event is raw_key and _is_merge(event):
                self.merge(items, event, raw_value, path, via)
                continue
            if event.ctag is not None or (not event.style and (key in WORDS or key[0] in NUMERIC_START)):
                key = self.key(event)
            if (first := own.get(key)) is not None:
                raise YamlError(
                    f"duplicate key {paths.render((*path, key))}, first on line {first.start_mark.line + 1}",
                    origin=place(raw_key.event if isinstance(raw_key, Alias) else event, self.file),
                    hint=(
                        "separate two documents by ---"
                        if key in ("apiVersion", "kind") and not path
                        else "keep one of the two; Go's reader takes one of them without a word"
                    ),
                )
            own[key] = event
            if key in items:
                self.replaced = True
            items[key] = self.node(raw_value, (*path, key), via)

    def key(self, event: ScalarEvent) -> str:
        """The key of a scalar that may be something else than its text."""
        tag = event.tag
        try:
            return resolve_key(event.value, not event.style, None if tag == "!" else tag)
        except YamlError as error:
            raise YamlError(error.message, origin=place(event, self.file), hint=error.hint) from None

    def merge(self, items: dict[str, Node], key: ScalarEvent, raw: Raw, path: Path, via: tuple[Origin, ...]) -> None:
        """Add what a merge key (``<<``) brings, the last of a list first, so that earlier ones win."""
        sources = raw.items if isinstance(raw, Collection) and not raw.is_map else [raw]
        for source in reversed(sources):
            used_at = place(source.event if isinstance(source, Alias) else key, self.file)
            target = source.target if isinstance(source, Alias) else source
            if not isinstance(target, Collection) or not target.is_map:
                raise YamlError(
                    "a merge key (<<) whose value is no map and no list of maps",
                    origin=place(key, self.file),
                    hint="give it an alias of a map, or quote the key",
                )
            merged: dict[str, Node] = {}
            self.fill(merged, target, path, (*via, used_at))
            self.replaced = self.replaced or not items.keys().isdisjoint(merged)
            items.update(merged)

    def collection_as_key(self, parent: Collection, key: Collection) -> YamlError:
        if _is_template(parent) or _is_template(key):
            outer = parent if _is_template(parent) else key
            return YamlError(TEMPLATE_CAUSE, origin=place(outer.event, self.file), hint=TEMPLATE_HINT)
        return YamlError(
            "a map or list as a key",
            origin=place(key.event, self.file),
            hint="JSON, and so Kubernetes, has text keys only",
        )

    def check_tag(self, raw: Collection) -> None:
        """Go ignores YAML's own tags on maps and lists; any other belongs to a tool that has not run."""
        tag = raw.event.tag
        if tag and tag != "!" and not tag.startswith(TAG_PREFIX):
            raise YamlError(
                "a tag that Kubernetes does not know",
                origin=place(raw.event, self.file),
                hint="remove the tag, or render the file with the tool that reads it",
            )


def _is_merge(event: ScalarEvent) -> bool:
    return bool(event.tag == _MERGE_TAG or (not event.style and event.tag is None))


def _is_template(raw: Collection) -> bool:
    """Whether a parsed map is ``{{ … }}``: to YAML a map in flow style whose first key is one too."""
    if not (raw.is_map and raw.event.flow_style and raw.items):
        return False
    inner, outer = raw.items[0], raw.event.start_mark
    if not (isinstance(inner, Collection) and inner.is_map and inner.event.flow_style):
        return False
    start = inner.event.start_mark
    return bool((start.line, start.column) == (outer.line, outer.column + 1))
