"""Which namespaces and revision tags of a dump ask for which control plane, and what to know about them."""

from __future__ import annotations

from collections.abc import Sequence

from istio_convert.migrate.model import Finding, Level, Stage, Strategy
from istio_convert.migrate.objects import Known, index
from istio_convert.migrate.options import Options

#: What to do about a tag that no release renders.
_TAG_ACTION = {
    Strategy.IN_PLACE: "They go on calling the same Service. Add them to the release's revisionTags, or keep them with "
    "`istioctl tag set`.",
    Strategy.CANARY: "Namespaces that name a tag of the old control plane move with the others. Then take the tag away "
    "(`istioctl tag remove`): the removal stops while it is there.",
}


def of_injection(
    rendered: Sequence[Known], live: Sequence[Known], stages: Sequence[Stage], options: Options, revision: str
) -> list[Finding]:
    """What a dump says about injection.

    Args:
        rendered: what the releases render.
        live: the dump.
        stages: the releases.
        options: how to go over.
        revision: the new revision of a canary.
    """
    homes = {release.namespace for stage in stages for release in stage.releases if release.chart == "gateway"}
    spaces = [item for item in live if item.id.kind == "Namespace"]
    disabled = [item for item in spaces if item.id.name in homes and item.labels.get("istio-injection") == "disabled"]
    both = [item for item in spaces if "istio-injection" in item.labels and "istio.io/rev" in item.labels]
    wanted = index(rendered)
    kept = [item for item in tags(live) if item.id not in wanted]
    canary = options.strategy is Strategy.CANARY
    taken = [
        item
        for item in tags(live)
        if canary and _tag(item) == options.tag and item.labels.get("istio.io/rev") != revision
    ]
    found = [
        (
            "injection-disabled",
            Level.BLOCKER,
            "A gateway's namespace has istio-injection=disabled: its pods would keep the image auto and never start.",
            "Remove the label: kubectl label namespace NAME istio-injection-",
            disabled,
        ),
        (
            "two-injection-labels",
            Level.NOTE,
            "These namespaces have istio-injection and istio.io/rev; istio-injection wins.",
            "The canary removes istio-injection from the namespaces that it moves.",
            both,
        ),
        (
            "revision-tags",
            Level.WARNING,
            "istioctl made these revision tags, and no release renders them.",
            _TAG_ACTION[options.strategy],
            kept,
        ),
        (
            "tag-taken",
            Level.BLOCKER,
            "The tag calls another control plane: with the new release its namespaces would move at once.",
            "Name another tag with --tag; the namespaces that name this one move with the others, in their step.",
            taken,
        ),
    ]
    return [
        Finding(name, level, text, action, tuple(sorted(str(item.id) for item in items)))
        for name, level, text, action, items in found
        if items
    ]


def tags(live: Sequence[Known]) -> list[Known]:
    """The webhooks of revision tags.

    Without the tag ``default`` of an installation without revision, which is taken over, or goes, with the injector.
    """
    return [
        item
        for item in live
        if item.id.kind == "MutatingWebhookConfiguration"
        and item.id.name.startswith("istio-revision-tag-")
        and not (_tag(item) == "default" and item.labels.get("istio.io/rev", "default") == "default")
    ]


def namespaces_of(live: Sequence[Known], revisions: Sequence[str]) -> tuple[str, ...]:
    """The namespaces that ask for the control planes of these revisions: by a label, by a revision, or by its tag."""
    wanted = {*revisions, *(_tag(item) for item in tags(live) if item.labels.get("istio.io/rev") in revisions)}
    names = []
    for item in live:
        if item.id.kind != "Namespace":
            continue
        enabled = item.labels.get("istio-injection") == "enabled" and "default" in wanted
        if enabled or item.labels.get("istio.io/rev", "") in wanted:
            names.append(item.id.name)
    return tuple(sorted(names))


def _tag(item: Known) -> str:
    return item.labels.get("istio.io/tag", "")
