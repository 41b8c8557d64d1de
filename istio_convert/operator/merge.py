"""Merging of trees as istioctl merges them: maps deeply, everything else replaces, null removes."""

from __future__ import annotations

from typing import NamedTuple

from istio_convert.source.nodes import Leaf, Mapping, Node, leaves


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


def merged(base: Mapping, over: Mapping, overrides: list[Override], why: str) -> Mapping:
    """``over`` laid over ``base``. Neither is changed; the result shares with them what is in one of them only.

    Args:
        base: what is there.
        over: what wins.
        overrides: leaves of ``base`` that lose are appended here.
        why: the reason written for them.
    """
    result = Mapping(dict(base.items), None if over.items else base.leaf, base.origin)
    for key, node in over.items.items():
        present = base.items.get(key)
        if present is node:
            continue
        if isinstance(present, Mapping) and isinstance(node, Mapping):
            keeps_leaf = False
            if present.leaf is not None and node.items:
                _lose(present, node, overrides, why)
            elif node.leaf is not None and node.leaf is present.leaf:
                pass  # the same map once more
            elif node.leaf is not None and not present.items and present.leaf is None:
                keeps_leaf = True
            elif node.leaf is not None:
                # an empty map merged into a map changes nothing
                overrides.append(Override(node.leaf, next(leaves(present), None), "an empty map changes nothing"))
            below = merged(present, node, overrides, why)
            if keeps_leaf:
                below.leaf = node.leaf
            result.items[key] = below
            continue
        if present is not None:
            _lose(present, node, overrides, why)
        result.items[key] = node
    return result


def _lose(present: Node, node: Node, overrides: list[Override], why: str) -> None:
    lost = list(leaves(present))
    if not lost:  # what a profile sets
        return
    new = list(leaves(node))
    kept = set(new)
    winner = new[0] if new else None
    overrides.extend(Override(leaf, winner, why) for leaf in lost if leaf not in kept)
