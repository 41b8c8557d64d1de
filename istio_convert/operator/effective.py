"""The effective operator: what istioctl would work with after merging profile, files and flags.

Source: operator/pkg/render of Istio's release tags (merge order: default profile < named profile < files < --set, then
hub, tag, revision, compatibilityVersion and meshConfig become values, then the user's own values once more on top).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache

from istio_convert.catalog import Catalog
from istio_convert.errors import Issue, ModelError
from istio_convert.operator.documents import Inputs, OperatorDocument
from istio_convert.operator.merge import Override, merged
from istio_convert.operator.setflags import apply_set
from istio_convert.operator.shape import shape_issues
from istio_convert.source.nodes import Document, Mapping, Scalar, clone, get, leaves, mapping_of, put

FILE_ORDER = "a later file or document wins"
VALUES_ORDER = "spec.values wins over the field of the spec that becomes the same value"

SPEC_ORDER = "from 1.24 on istioctl writes meshConfig and the switches of components over spec.values"
#: values that the spec writes into the user's own maps, where it does so
WRITTEN_INTO_OWN_MAPS: tuple[tuple[str, ...], ...] = (
    ("meshConfig",),
    ("pilot", "enabled"),
    ("pilot", "cni", "enabled"),
)

#: fields of the spec that istioctl turns into values; meshConfig is a map and is merged
TRANSLATIONS = {
    "hub": ("global", "hub"),
    "tag": ("global", "tag"),
    "revision": ("revision",),
    "compatibilityVersion": ("compatibilityVersion",),
    "meshConfig": ("meshConfig",),
}


@dataclass(slots=True)
class Effective:
    """One operator after merging.

    Attributes:
        title: how messages call it.
        documents: what it was merged from, in order.
        set_flags: the document of the --set flags, when there were any.
        user: the user's spec, merged from documents and flags.
        spec: profile and user's spec merged (without values).
        values: what the charts get to see.
        profile: name of the profile in force (``default`` when none is named).
        profile_known: whether the target release has it.
        namespace: the control plane's namespace.
        overrides: leaves that lost against another.
    """

    title: str
    documents: list[OperatorDocument]
    set_flags: Document | None
    user: Mapping
    spec: Mapping = field(default_factory=Mapping)
    values: Mapping = field(default_factory=Mapping)
    profile: str = "default"
    profile_known: bool = True
    namespace: str = "istio-system"
    overrides: list[Override] = field(default_factory=list)

    def value(self, *path: str) -> object:
        """The plain scalar at a path of the values, or None."""
        node = get(self.values, path)
        return node.value if isinstance(node, Scalar) else None

    def component(self, name: str) -> Mapping:
        """The settings of a single component; empty when there are none."""
        node = get(self.spec, ("components", name))
        return node if isinstance(node, Mapping) else Mapping()


def group(inputs: Inputs) -> list[list[OperatorDocument]]:
    """Which documents make one operator.

    A document with a name that differs from the one before starts a new operator; one without a name, or with the
    same name, is laid over the one before, as istioctl does with several ``-f``.
    """
    groups: list[list[OperatorDocument]] = []
    names: dict[tuple[str, str], int] = {}
    for document in inputs.operators:
        identity = (document.namespace, document.name)
        if document.name and identity in names:
            groups[names[identity]].append(document)
        elif groups and not document.name:
            groups[-1].append(document)
        else:
            if groups and not groups[-1][0].name and document.name and len(groups) == 1 and not names:
                groups[-1].append(document)
            else:
                groups.append([document])
            names[identity] = len(groups) - 1
    return groups


@dataclass(slots=True)
class UserSpec:
    """What the documents and flags of one operator say together.

    Attributes:
        tree: the merged ``spec``.
        set_flags: the document of the flags, when there were any.
        overrides: leaves that lost against another.
    """

    tree: Mapping
    set_flags: Document | None
    overrides: list[Override]


def user_spec(documents: list[OperatorDocument], sets: list[str]) -> UserSpec:
    """Merge the documents of one operator and the flags.

    Raises:
        ModelError: wrong shapes, all of them listed.
    """
    issues: list[Issue] = []
    overrides: list[Override] = []
    tree = Mapping()
    for operator in documents:
        issues += shape_issues(operator.root)
        spec = operator.root.items.get("spec")
        if isinstance(spec, Mapping):
            tree = merged(tree, spec, overrides, FILE_ORDER)
    if issues:
        raise ModelError(issues)
    if not sets:
        return UserSpec(tree, None, overrides)
    tree = clone(tree)  # the flags are written into it
    return UserSpec(tree, apply_set(Mapping({"spec": tree}), sets, overrides), overrides)


def build(documents: list[OperatorDocument], spec: UserSpec, catalog: Catalog) -> Effective:
    """Merge one operator with its profile, for the release of the catalog.

    Raises:
        ModelError: a revision that istioctl refuses, or a flag that it takes apart otherwise.
    """
    user = spec.tree
    first = documents[0]
    title = first.name or first.document.file
    effective = Effective(title, documents, spec.set_flags, user, overrides=list(spec.overrides))
    _check_words(user)
    _check_flags(spec.set_flags, catalog)
    profile = user.items.get("profile")
    if isinstance(profile, Scalar) and profile.value:
        effective.profile = str(profile.value)
    effective.profile_known = catalog.istioctl_profile(effective.profile) is not None
    base, profile_values = _profile_trees(catalog, effective.profile if effective.profile_known else "default")
    shown = Mapping({key: node for key, node in user.items.items() if key not in {"values", "unvalidatedValues"}})
    effective.spec = merged(base, shown, [], "")
    effective.values = _values(effective, profile_values, catalog)
    namespace = effective.value("global", "istioNamespace")
    if isinstance(namespace, str) and namespace:
        effective.namespace = namespace
    return effective


@lru_cache(maxsize=64)
def _profile_trees(catalog: Catalog, profile: str) -> tuple[Mapping, Mapping]:
    """What a profile sets: the spec without its values, and the values. Shared by all operators, never changed."""
    settings = dict(catalog.istioctl_profile(profile) or {})
    for name in ("profile", "hub", "tag"):
        settings.pop(name, None)
    values = settings.pop("values", {})
    return mapping_of(settings), mapping_of(values)


def _values(effective: Effective, profile_values: Mapping, catalog: Catalog) -> Mapping:
    """Values of the profile, of the translated fields, of the user, in the order of istioctl."""
    own = effective.user.items.get("values")
    own = own if isinstance(own, Mapping) else Mapping()
    values = merged(profile_values, own, [], "")
    for name, path in TRANSLATIONS.items():
        node = effective.spec.items.get(name)
        if node is None or (isinstance(node, Scalar) and node.value is None):
            continue
        layer = Mapping()
        put(layer, path, as_text(node) if isinstance(node, Scalar) else node)
        values = merged(values, layer, [], "")
    state = _component_state(effective, values, old=catalog.behaviour("old_component_state"))
    values = merged(values, state, [], "")
    if catalog.behaviour("spec_wins_over_own_maps"):
        own = clone(own)
        for path in WRITTEN_INTO_OWN_MAPS:
            _lose_to_spec(effective, values, own, path)
    values = merged(values, own, effective.overrides, VALUES_ORDER)
    unvalidated = effective.user.items.get("unvalidatedValues")
    if isinstance(unvalidated, Mapping):
        values = merged(values, unvalidated, effective.overrides, "spec.unvalidatedValues wins over spec.values")
    return values


def _lose_to_spec(effective: Effective, values: Mapping, own: Mapping, path: tuple[str, ...]) -> None:
    """Take out of the user's values what the spec has written over, and note what lost."""
    holder = get(own, path[:-1])
    mine = holder.items.get(path[-1]) if isinstance(holder, Mapping) else None
    theirs = get(values, path)
    if mine is None or theirs is None:
        return
    if isinstance(mine, Mapping) and isinstance(theirs, Mapping):
        for key in list(mine.items):
            _lose_to_spec(effective, values, own, (*path, key))
        return
    alive = set(leaves(theirs))
    lost = [leaf for leaf in leaves(mine) if leaf not in alive]
    if lost and isinstance(holder, Mapping):
        del holder.items[path[-1]]
        winner = next(leaves(theirs), None)
        effective.overrides.extend(Override(leaf, winner, SPEC_ORDER) for leaf in lost)


def _component_state(effective: Effective, values: Mapping, *, old: bool) -> Mapping:
    """What tells the charts which components there are; istioctl sets it before the user's own values once more."""
    state = Mapping()

    def switch(component: str, path: tuple[str, ...]) -> None:
        enabled = get(effective.spec, ("components", component, "enabled"))
        on = bool(enabled.value) if isinstance(enabled, Scalar) else False
        leaf = enabled.leaf if isinstance(enabled, Scalar) else None
        put(state, path, Scalar(on, leaf, enabled.origin if enabled else None))

    switch("pilot", ("pilot", "enabled"))
    switch("cni", ("istio_cni", "enabled") if old else ("pilot", "cni", "enabled"))
    if old:
        switch("base", ("global", "enabled"))
        namespace = get(effective.spec, ("components", "base", "namespace")) or get(
            values, ("global", "istioNamespace")
        )
        text = namespace.value if isinstance(namespace, Scalar) and namespace.value else "istio-system"
        leaf = namespace.leaf if isinstance(namespace, Scalar) else None
        put(state, ("global", "namespace"), Scalar(text, leaf))
    return state


def as_text(node: Scalar) -> Scalar:
    """The scalar as istioctl prints it into a values path: numbers become their shortest text."""
    if isinstance(node.value, str) or node.value is None:
        return node
    text = str(node.value).lower() if isinstance(node.value, bool) else f"{node.value:g}"
    return Scalar(text, node.leaf, node.origin)


def _check_words(user: Mapping) -> None:
    """Refuse what istioctl refuses, with the right words."""
    issues = []
    revision = user.items.get("revision")
    if isinstance(revision, Scalar) and revision.value is not None:
        text = str(revision.value)
        if text and not _is_label(text):
            suggestion = text.lower().replace(".", "-").replace("_", "-")
            hint = "revisions are DNS labels: lower-case letters, digits and dashes"
            if _is_label(suggestion):
                hint += "; dots become dashes, such as 1-23-2"
            issues.append(Issue("spec.revision is no valid revision, istioctl refuses it", revision.origin, hint))
    if issues:
        raise ModelError(issues)


def _check_flags(flags: Document | None, catalog: Catalog) -> None:
    """Refuse flags that istioctl of the target version takes apart otherwise than they are meant."""
    if flags is None or catalog.behaviour("set_flag_splits_once"):
        return
    words = f"the value of --set holds a '=': istioctl {catalog.version} takes the whole flag as a path"
    hint = "write the setting into an operator file"
    issues = [Issue(words, leaf.origin, hint) for leaf in flags.leaves if "=" in leaf.text]
    if issues:
        raise ModelError(issues)


def _is_label(text: str) -> bool:
    import re  # noqa: PLC0415 - only operators with a revision need it

    return bool(re.fullmatch(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?", text))
