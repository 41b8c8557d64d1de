"""Whose objects are whose in a dump: the planned operators by name, namespace and revision, and everybody else."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from istio_convert.migrate.model import Converted
from istio_convert.migrate.objects import OWNER, OWNER_NAMESPACE, Known, look_up, text_map
from istio_convert.migrate.options import label, subdomain
from istio_convert.verify.manifests import ObjectId

#: What charts write when nobody tells them the owner.
_NO_OWNER = ("", "unknown")
_MANAGED = "operator.istio.io/managed"
_COMPONENT = "operator.istio.io/component"
_REVISION = "istio.io/rev"
Place = tuple[str, str]  # (namespace, name)


@dataclass(frozen=True, slots=True)
class Claim:
    """How labels name one planned operator.

    Attributes:
        name: the owner: the resource's name, or what istioctl before 1.24 makes of it.
        namespace: the owner's namespace.
        revision: of its control plane; ``default`` for none.
    """

    name: str
    namespace: str
    revision: str


@dataclass(frozen=True, slots=True)
class Owners:
    """The planned operators against the rest of the cluster.

    Attributes:
        operators: the planned IstioOperators.
        others: the IstioOperators of the dump that are not planned.
        claims: how labels name the planned ones.
        rendered: what the release of today renders for the planned ones, as far as that is known.
        alone: nothing in the dump is an operator's but what the planned ones own.
    """

    operators: tuple[Place, ...]
    others: tuple[Place, ...]
    claims: tuple[Claim, ...]
    rendered: frozenset[ObjectId]
    alone: bool

    def own(self, item: Known) -> bool:
        """Whether a planned operator is known to own an object; in doubt it does not."""
        if item.release:
            return True  # rendered, for no other operators than these
        return self._claimed(item) and (self.alone or not _shared(item))

    def _claimed(self, item: Known) -> bool:
        revision = item.labels.get(_REVISION, "")
        claims = [claim for claim in self.claims if revision in ("", claim.revision)]
        owner, namespace = item.labels.get(OWNER, ""), item.labels.get(OWNER_NAMESPACE, "")
        if owner in _NO_OWNER:
            return bool(claims) and item.id in self.rendered
        if not namespace and owner in {name for _, name in self.others}:
            return False  # two of that name
        return any(claim.name == owner and namespace in ("", claim.namespace) for claim in claims)


def owners(conversion: Converted, live: Sequence[Known] | None, before: Iterable[Known] | None = None) -> Owners:
    """Sort the IstioOperators of files and dump. A file without a namespace is looked for in the control plane's.

    Raises:
        InvalidNameError: a name or namespace has another form than Kubernetes gives it.
    """
    there = [(item.id.namespace, item.id.name) for item in live or () if item.id.kind == "IstioOperator"]
    planned: set[Place] = set()
    claims: dict[Claim, None] = {}
    for operator in conversion.operators:
        revision = str(operator.value("revision") or "")
        for document in operator.documents:
            homes = [document.namespace or operator.namespace]
            same = [namespace for namespace, name in there if name == document.name]
            if not document.namespace and len(same) == 1:
                homes = same  # applied with `--namespace`
            # istioctl before 1.24, and the resource that it left in the cluster before that
            saved = "-".join(word for word in ("installed-state", document.name, revision) if word)
            for home in homes:
                planned |= {(home, document.name)} if document.name else set()
                planned |= {(home, saved)} & set(there)
                for name in filter(None, (document.name, saved)):
                    claims[Claim(name, home, revision or "default")] = None
    others = set(there) - planned
    for namespace, name in planned | others:
        label(namespace, "the namespace of an IstioOperator")
        subdomain(name, "the name of an IstioOperator")
    rendered = frozenset(item.id for item in before or ())
    found = Owners(tuple(sorted(planned)), tuple(sorted(others)), tuple(claims), rendered, True)
    foreign = (item for item in live or () if made_by_operator(item) and not found._claimed(item))  # noqa: SLF001
    alone = not others and next(foreign, None) is None
    return Owners(found.operators, found.others, found.claims, rendered, alone)


def made_by_operator(item: Known) -> bool:
    """Whether istioctl or the operator made an object, by its labels; Helm's objects do not count."""
    if item.annotations.get("meta.helm.sh/release-name"):
        return False
    if _MANAGED in item.labels or item.labels.get(OWNER, "") not in _NO_OWNER:
        return True
    # rendered objects of the old release: the labels come with applying, the component's label does not
    return bool(item.release) and not item.get("metadata", "resourceVersion")


def has_nameless(live: Iterable[Mapping[str, Any]]) -> bool:
    """Whether a dump has objects of istioctl that name no owner: only rendering them tells whose they are."""
    labels = (text_map(item, "metadata", "labels") for item in live if look_up(item, "metadata"))
    return any(_MANAGED in found and found.get(OWNER, "") in _NO_OWNER for found in labels)


def _shared(item: Known) -> bool:
    """Whether an object may serve several control planes: the last one to apply it has put its name on it."""
    if item.labels.get(_COMPONENT, "").lower() == "base":
        return True
    return not item.id.namespace and not item.labels.get(_REVISION)


__all__ = ["Claim", "Owners", "has_nameless", "made_by_operator", "owners"]
