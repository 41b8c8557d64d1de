"""Values that are not simply handed to the charts that read them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from istio_convert.mapping.draft.control_plane import ControlPlane
from istio_convert.mapping.model import Example, Rule
from istio_convert.paths import Path
from istio_convert.source.nodes import Node, Scalar


@dataclass(frozen=True, slots=True)
class Problem:
    """Why a value cannot be carried, and what to do."""

    reason: str
    action: str


@dataclass(frozen=True, slots=True)
class ValueRule(Rule):
    """One special value.

    Attributes:
        path: its path in the values.
        charts: charts that the rule is for; empty for all that read it.
        check: finds what is wrong with a value, for this control plane at this version; None when nothing is.
        drops_program_settings: leave the value out when it comes from istioctl's profile and not from the operator.
    """

    path: Path = ()
    charts: tuple[str, ...] = ()
    check: Callable[[ControlPlane, Node], Problem | None] | None = None
    drops_program_settings: bool = False

    def problem(self, plane: ControlPlane, node: Node) -> Problem | None:
        """What is wrong with the value, or None."""
        return self.check(plane, node) if self.check is not None else None


def _text(node: Node) -> str:
    return str(node.value) if isinstance(node, Scalar) and node.value not in (None, "") else ""


def _profile(plane: ControlPlane, node: Node) -> Problem | None:
    name, catalog = _text(node), plane.catalog
    if not name or name in catalog.helm_profiles:
        return None
    known = ", ".join(sorted(catalog.helm_profiles))
    return Problem(
        f"the charts of {catalog.version} have no such profile and refuse to render", f"choose one of {known}"
    )


def _compatibility(plane: ControlPlane, node: Node) -> Problem | None:
    name, catalog = _text(node), plane.catalog
    if not name or name in catalog.compatibility_versions:
        return None
    known = ", ".join(sorted(catalog.compatibility_versions))
    return Problem(
        f"the charts of {catalog.version} do not ship this compatibility version and refuse to render",
        f"remove it, or choose one of {known}",
    )


def _platform(plane: ControlPlane, node: Node) -> Problem | None:
    name, catalog = _text(node), plane.catalog
    if not name or not catalog.platforms or name in catalog.platforms:
        return None
    known = ", ".join(sorted(catalog.platforms))
    return Problem(f"the charts of {catalog.version} do not know this platform", f"remove it, or choose one of {known}")


def _remote_address(plane: ControlPlane, node: Node) -> Problem | None:
    if not _text(node) or plane.is_remote or not plane.catalog.behaviour("remote_address_doubles_service"):
        return None
    return Problem(
        f"beside a local istiod the chart of {plane.catalog.version} renders the Service {plane.istiod} twice, once "
        "for the remote address and once for istiod; neither Helm nor Kustomize can apply both",
        "remove it, as pods reach the local istiod without it, or install no istiod here (profile remote)",
    )


VALUE_RULES: tuple[ValueRule, ...] = (
    ValueRule(
        id="values.defaultRevision",
        source="values.defaultRevision",
        path=("defaultRevision",),
        drops_program_settings=True,
        value="defaultRevision of base",
        why="istioctl's profile empties it because istioctl makes the default validator itself; under Helm base makes it",
        example=Example(
            spec="values: {defaultRevision: blue}", release="istio-base", values={"defaultRevision": "blue"}
        ),
    ),
    ValueRule(
        id="values.profile",
        source="values.profile",
        path=("profile",),
        check=_profile,
        value="profile of every chart",
        why="a chart fails on a profile that it does not ship",
        example=Example(spec="profile: demo", values={"profile": "demo"}),
    ),
    ValueRule(
        id="values.compatibilityVersion",
        source="compatibilityVersion",
        path=("compatibilityVersion",),
        check=_compatibility,
        value="compatibilityVersion of every chart",
        why="a chart ships files for the few releases before it and fails on others",
        example=Example(spec="compatibilityVersion: '1.24'", values={"compatibilityVersion": "1.24"}),
    ),
    ValueRule(
        id="values.global.platform",
        source="values.global.platform",
        path=("global", "platform"),
        check=_platform,
        value="global.platform of every chart",
        why="a chart fails on a platform that it does not know",
        example=Example(spec="values: {global: {platform: openshift}}", values={"global": {"platform": "openshift"}}),
    ),
    ValueRule(
        id="values.global.remotePilotAddress",
        source="values.global.remotePilotAddress",
        path=("global", "remotePilotAddress"),
        charts=("istiod",),
        check=_remote_address,
        value="global.remotePilotAddress of istiod",
        why="charts of 1.25 and 1.26 render istiod's Service a second time for the address of a remote one, also beside "
        "a local istiod",
        example=Example(
            spec="values: {global: {remotePilotAddress: istiod.example.com}}",
            outcome="manual",
            leaf="values.global.remotePilotAddress",
        ),
    ),
)
