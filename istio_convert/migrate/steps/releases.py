"""One step for each release: the diff first, then the change, then waiting until it is ready."""

from __future__ import annotations

from istio_convert.migrate import git, rules, wayback
from istio_convert.migrate.context import Context
from istio_convert.migrate.model import Command, Stage, Step
from istio_convert.migrate.shell import TIMEOUT, command, line
from istio_convert.migrate.stages import SHARED, main_workload, object_of
from istio_convert.migrate.steps import traffic
from istio_convert.migrate.targets import Adopting, Place, flags
from istio_convert.release import Release

_FIRST = 30
_MUTATING = "mutatingwebhookconfiguration.admissionregistration.k8s.io"
#: istioctl and the operator make it for an installation without revision, and switch the injector's own selectors off.
_DEFAULT_TAG = "istio-revision-tag-default"


def steps(context: Context) -> list[Step]:
    """``30-…`` and following: the releases of the first stage, in order."""
    places = context.places(context.stages[0])
    return [_step(context, place, _FIRST + number) for number, place in enumerate(places)]


def default_step(context: Context, number: int) -> Step:
    """The default moves to the new control plane: what differs between the two stages is applied."""
    old, final = context.stages
    changed = [
        place
        for place in context.places(final)
        if _differs(place, old) or git.is_read(place.unit.release, context.options.target)
    ]
    revisions = context.old_revisions
    injector = f"istio-sidecar-injector-{context.revision}"
    change = [
        command("webhook_has_service", _MUTATING, injector + _suffix(changed), why="the new injector can be called")
    ]
    for place in changed:
        if place.unit.release.chart == "istiod" and "default" in revisions:
            suffix = _suffix([place])
            change += [
                command("copy", _MUTATING, _DEFAULT_TAG + suffix, why="istioctl's tag, which the release takes over"),
                command(
                    "remove", _MUTATING, "istio-sidecar-injector" + suffix,
                    why="the old injector and the tag default would both take the same pods",
                ),
            ]  # fmt: skip
        change += context.target.apply(place)
        change += context.target.wait(place)
    back = []
    for place in reversed([p for p in context.places(old) if any(c.unit.slug == p.unit.slug for c in changed)]):
        account = _account(place)
        if account and context.target.adopting is not Adopting.TRACKING:
            back.append(
                command(
                    "keep_when_dropped", "serviceaccount", account, place.unit.release.namespace,
                    why="the old gateway uses it too, and Helm would delete what a release no longer renders",
                )
            )  # fmt: skip
        is_tag_owner = place.unit.release.chart == "istiod" and "default" in revisions
        if is_tag_owner and context.target.adopting is not Adopting.TRACKING:
            tag = _DEFAULT_TAG + _suffix([place])
            back.append(command("keep_when_dropped", _MUTATING, tag, why="pods are injected at every moment"))
        back += context.target.apply(place)
        back += context.target.wait(place)
    if "default" in revisions:
        for place in changed:
            if place.unit.release.chart == "istiod":
                suffix = _suffix([place])
                back.append(command("put_back", _MUTATING, _DEFAULT_TAG + suffix, why="as istioctl made it"))
                back.append(command("put_back", _MUTATING, "istio-sidecar-injector" + suffix))
    validator = "istiod-default-validator"
    said, asked = git.committed(changed, context.options.target)
    return Step(
        number,
        "default-revision",
        f"Make revision {context.revision} the default",
        (
            ("base's `defaultRevision` decides which istiod `istiod-default-validator` calls. It moves before the old "
            "control plane goes, or every write of Istio configuration would fail."
            + (_TAG_FOLLOWS if _has_default_tag(final) else "")),
            ("The second gateways take over the ServiceAccounts of the first, whose names the principals of policies "
            "contain."),
            *said,
        ),
        (*traffic.unused(context), *asked),
        tuple(change),
        (
            command(
                "webhook_calls", "validatingwebhookconfiguration.admissionregistration.k8s.io", validator,
                f"istiod-{context.revision}",
            ),
        ),
        tuple(back),
    )  # fmt: skip


_TAG_FOLLOWS = " The tag `default` follows, for pods that ask for injection without naming a revision."


def _has_default_tag(stage: Stage) -> bool:
    return any("default" in (release.values_data().get("revisionTags") or ()) for release in stage.releases)


def _step(context: Context, place: Place, number: int) -> Step:
    release = place.unit.release
    beside = context.canary and release.chart not in SHARED
    workload = main_workload(release)
    after = list(context.target.wait(place))
    if workload:
        resource, name = workload
        after.append(
            command(
                "wait_for", "kubectl", "rollout", "status", resource, name, "--namespace", release.namespace, TIMEOUT
            )
        )
        if context.target.adopting is not Adopting.TRACKING and context.options.target != "flux":
            after.append(command("owned", release.name, release.namespace, resource, name, release.namespace))
    before = [
        *_prepared(release),
        Command(
            line(
                "show_changes", place.stage.name, place.unit.slug, release.name, release.namespace, place.archive,
                *flags(place),
            ),
            "read it before the change: run this script with the word check",
        ),
    ]  # fmt: skip
    fresh = not beside and context.is_new(release)
    if context.adoptions is None and not beside:
        before.insert(0, command("fail", "there is no list of objects to adopt: see 20-adopt.sh"))
    why = [_BESIDE[release.chart] if beside else _NEW if fresh else rules.restart_note(release.chart)]
    why += [f"Note: {note}" for note in release.notes]
    said, asked = git.committed([place], context.options.target)
    why += said
    before += asked
    return Step(
        number,
        place.unit.slug,
        f"{'Install' if beside or fresh else 'Take over'} {release.chart} as {release.namespace}/{release.name}",
        tuple(why),
        tuple(before),
        (*context.target.apply(place), *_without_default_tag(context, place)),
        tuple(after),
        tuple(_back(context, place, beside=beside)),
        ""
        if beside
        else _NEW_BACK
        if fresh
        else f"The release lets go; its objects stay as they are {wayback.note(context)}"
        + (_DEFINITIONS if release.chart == "base" else ""),
    )


def _prepared(release: Release) -> list[Command]:
    """Checks that the steps before this one have run."""
    found = [
        command("no_controller_runs", why="step 10 has run: two would write the same objects"),
        command("all_operators_frozen"),
    ]
    if release.chart == "gateway":
        revision = str(release.values_data().get("revision") or "")
        words = ("injector_ready", release.namespace, *((revision,) if revision else ()))
        found.append(command(*words, why="istiod and its injector fill in the image auto; without them the pods hang"))
    return found


_DEFINITIONS = " Definitions stay at the newer version, which an older istiod can use."
_NEW = "The dump has no such workload: this release makes a new one, and no pod that runs restarts."
_NEW_BACK = (
    "The release lets go. The objects that it has made stay, since a dump may be incomplete: look at them, and delete "
    "them by hand."
)
_BESIDE = {
    "istiod": "A second control plane with a revision of its own. No pod uses it before its namespace moves.",
    "gateway": "A second gateway beside the first, under another name and another label `app`, so that no Service "
    "selects the pods of the other; the label `istio` stays, so that the same Gateway resources configure both.",
}


def _without_default_tag(context: Context, place: Place) -> list[Command]:
    """In place, istioctl's tag goes when Helm's injector, whose selectors are on again, takes the same pods."""
    if not _drops_default_tag(context, place):
        return []
    suffix = _suffix([place])
    return [
        *context.target.wait(place),
        command(
            "switch_injector_on", "istio-sidecar-injector" + suffix,
            why="istioctl's tag default had switched it off",
        ),
        command("remove", _MUTATING, _DEFAULT_TAG + suffix, why="both would inject the same pods"),
    ]  # fmt: skip


def _drops_default_tag(context: Context, place: Place) -> bool:
    release = place.unit.release
    if context.canary or release.chart != "istiod" or object_of(release) != "istiod":
        return False
    return "default" not in (release.values_data().get("revisionTags") or ())


def _back(context: Context, place: Place, *, beside: bool) -> list[Command]:
    release = place.unit.release
    if not beside:
        back = context.target.release(place)
        if _drops_default_tag(context, place):
            tag = _DEFAULT_TAG + _suffix([place])
            back.append(command("put_back", _MUTATING, tag, why="the operator switches the injector off again"))
        return back
    commands = []
    if release.chart == "istiod":
        commands.append(command("no_proxies_of", context.revision, why="pods would lose their control plane"))
    return [*commands, *context.target.uninstall(place)]


def _account(place: Place) -> str:
    """The ServiceAccount that a second gateway takes over."""
    if place.unit.release.chart != "gateway":
        return ""
    settings = place.unit.release.values_data().get("serviceAccount")
    return str(settings.get("name") or "") if isinstance(settings, dict) else ""


def _differs(place: Place, old: Stage) -> bool:
    before = next(
        (r for r in old.releases if (r.namespace, r.name) == (place.unit.release.namespace, place.unit.release.name)),
        None,
    )
    return before is None or before.values_data() != place.unit.release.values_data()


def _suffix(places: list[Place]) -> str:
    """Webhooks of an istiod outside istio-system carry its namespace."""
    for place in places:
        if place.unit.release.chart == "istiod" and place.unit.release.namespace != "istio-system":
            return f"-{place.unit.release.namespace}"
    return ""
