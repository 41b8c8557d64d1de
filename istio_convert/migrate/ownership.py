"""Which objects change hands, and which are left without an owner: set algebra over identities."""

from __future__ import annotations

from collections.abc import Sequence

from istio_convert.migrate.model import Adoption, Removal, Stage
from istio_convert.migrate.objects import (
    KEPT_KINDS,
    Known,
    deletion_order,
    index,
    resource_of,
)
from istio_convert.migrate.owners import Owners, made_by_operator
from istio_convert.verify.manifests import ObjectId


def adoptions(rendered: Sequence[Known], before: Sequence[Known] | None) -> tuple[Adoption, ...]:
    """Every object that a release renders and that is live, in the order of the releases.

    Args:
        rendered: what the releases of all stages render.
        before: what is there now, when that is known; without it every rendered object is listed, and the script
            passes over those that are not there.
    """
    live = index(before) if before is not None else None
    found = []
    for item in index(rendered).values():
        # definitions are always listed: a dump may lack them, and missing one stops Helm
        if live is not None and item.id not in live and item.id.kind != "CustomResourceDefinition":
            continue
        found.append(Adoption(item.release, item.release_namespace, item.resource, item.id.name, item.id.namespace))
    return tuple(found)


def orphans(
    rendered: Sequence[Known], before: Sequence[Known], keep: set[ObjectId], owners: Owners
) -> tuple[list[Known], list[Known]]:
    """What an operator made and no release renders, in the order in which it is deleted: what goes, and what stays.

    Args:
        rendered: what the final releases render.
        before: what is there now: a dump of the cluster, or what the old istioctl renders.
        keep: objects that stay although no release renders them; they are in neither list.
        owners: only what the planned operators are known to own goes.
    """
    wanted = index(rendered)
    gone = deletion_order(
        [
            item
            for item in index(before).values()
            if item.id not in wanted
            and item.id not in keep
            and item.id.kind not in KEPT_KINDS
            and made_by_operator(item)
        ]
    )
    return [item for item in gone if owners.own(item)], [item for item in gone if not owners.own(item)]


def removals(gone: Sequence[Known]) -> tuple[Removal, ...]:
    """Objects as the last step deletes them."""
    return tuple(Removal(resource_of(item.id), item.id.name, item.id.namespace) for item in gone)


def components(rendered: Sequence[Known], stage: Stage) -> dict[str, list[Known]]:
    """The rendered objects of each release of a stage, by ``namespace/name``."""
    found: dict[str, list[Known]] = {f"{release.namespace}/{release.name}": [] for release in stage.releases}
    for item in rendered:
        key = f"{item.release_namespace}/{item.release}"
        if key in found:
            found[key].append(item)
    return found


def twice(rendered: Sequence[Known]) -> list[Known]:
    """Objects that two releases render: they would fight over them."""
    owners: dict[ObjectId, set[tuple[str, str]]] = {}
    for item in rendered:
        owners.setdefault(item.id, set()).add((item.release_namespace, item.release))
    return [item for item in index(rendered).values() if len(owners[item.id]) > 1]


__all__ = ["adoptions", "components", "orphans", "removals", "twice"]
