"""Merging of trees as istioctl merges them: maps deeply, everything else replaces, null removes."""

from __future__ import annotations

from typing import NamedTuple

from istio_convert.source.nodes import Leaf, Mapping, Node, clone, leaves


class Override(NamedTuple):
    """A leaf that another one replaces.

    Attributes:
        leaf: the one that no longer counts.
        winner: the one that does; None when it belongs to the program's own settings.
        why: the rule of precedence, in words.
    """

    leaf: Leaf
    winner: Leaf | None
    why: str


def merge(base: Mapping, over: Mapping, overrides: list[Override], why: str) -> None:
    """Merge ``over`` into ``base``; leaves of ``base`` that lose are appended to ``overrides``.

    ``over`` is copied, so that later merges do not change it.
    """
    if over.items:
        base.leaf = None
    for key, node in over.items.items():
        present = base.items.get(key)
        if isinstance(present, Mapping) and isinstance(node, Mapping):
            if present.leaf is not None and node.items:
                _lose(present, node, overrides, why)
            elif node.leaf is not None and node.leaf is present.leaf:
                pass  # the same map once more
            elif node.leaf is not None and not present.items and present.leaf is None:
                present.leaf = node.leaf
            elif node.leaf is not None:
                # an empty map merged into a map changes nothing
                overrides.append(Override(node.leaf, next(leaves(present), None), "an empty map changes nothing"))
            merge(present, node, overrides, why)
            continue
        if present is not None:
            _lose(present, node, overrides, why)
        base.items[key] = clone(node)


def _lose(present: Node, node: Node, overrides: list[Override], why: str) -> None:
    new = list(leaves(node))
    kept = set(new)
    winner = new[0] if new else None
    overrides.extend(Override(leaf, winner, why) for leaf in leaves(present) if leaf not in kept)
