"""Gives each control-plane chart the values that it reads, and nothing else.

The charts are those that istioctl renders, so a value means the same under Helm; each chart gets only what the catalog
says it reads at the target version. What a table names specially is looked up there first.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from istio_convert.catalog import did_you_mean
from istio_convert.ledger import Outcome
from istio_convert.mapping.controlplane.effective_values import values_for
from istio_convert.mapping.draft.claims import Claim
from istio_convert.mapping.draft.control_plane import ControlPlane
from istio_convert.mapping.draft.image_tags import SHARED, TAG_PATHS, TagMapper
from istio_convert.mapping.draft.release import Draft, settings_in_force
from istio_convert.mapping.rules.values import VALUE_RULES, ValueRule
from istio_convert.operator.effective import Effective
from istio_convert.paths import Path, render
from istio_convert.source.nodes import Mapping, Node, Scalar, from_data, get, leaves, to_data

RULE = "values"
UNREAD = "values.unread"
TAKES_AWAY = "it takes away what the profile and the platform set there"
_RULES = {rule.path: [other for other in VALUE_RULES if other.path == rule.path] for rule in VALUE_RULES}
_KEPT = "the value is kept, so that the injector's ConfigMap, which holds a copy, stays the same"


@dataclass(slots=True)
class Passthrough:
    """Passes the effective values to one chart."""

    effective: Effective
    draft: Draft
    tags: list[tuple[Path, Node]] = field(default_factory=list)
    null: Scalar | None = None

    def run(self) -> None:
        """Fill the release's values."""
        tree = values_for(self.draft.release.chart, self.effective)
        self._walk(tree, ())
        for path, node in sorted(self.tags, key=lambda tag: tag[0] != SHARED):  # a component's own looks at it
            TagMapper(self.draft).carry(path, node)

    def _walk(self, node: Mapping, path: Path) -> None:
        for key, child in node.items.items():
            below = (*path, key)
            if isinstance(child, Mapping) and child.items and not self._named(below):
                self._walk(child, below)
                continue
            if below == (self.draft.chart.descope,) and isinstance(child, Scalar) and child.value is None:
                self._take_away(below, child)
                continue
            if self._refused(below, child) or not self.draft.chart.reads(below):
                continue
            rule = _rule(self.draft.release.chart, below)
            if rule is not None and self._special(rule, child):
                continue
            if (unread := self._unread(below)) is not None:
                self._keep_copied(below, child, unread)
                continue
            if below in TAG_PATHS:
                self.tags.append((below, child))
                continue
            self.draft.set_value(below, child, RULE, reason=self._remark(below))

    def _take_away(self, path: Path, node: Scalar) -> None:
        """A null in the place of all values of the chart takes away what the files that the chart reads set there."""
        layers = settings_in_force(self.draft.catalog, self.effective.values)
        if self._refused(path, node):
            return
        if any(layer.get(str(path[0])) for layer in layers):
            self.null = node
            self.draft.set_value(path, node, RULE, reason=TAKES_AWAY)
            return
        for leaf in leaves(node):
            reason = "nothing is set there that it would take away"
            self.draft.claims.add(leaf, Claim(Outcome.DEFAULT, "default", None, reason))

    def settle(self) -> None:
        """Leave a null to a person when settings became values below it: it cannot take away the rest any more."""
        path = (self.draft.chart.descope or "",)
        if self.null is None or not isinstance(get(self.draft.release.values, path), Mapping):
            return
        reason = f"{TAKES_AWAY}; other settings become values below {render(path)}, and bring that back"
        action = "remove it, and give the value of each setting that is to be another"
        for leaf in leaves(self.null):
            self.draft.claims.add(leaf, Claim(Outcome.MANUAL, RULE, None, reason, action))

    def _named(self, path: Path) -> bool:
        """Whether a map as a whole is looked at by a table."""
        return self.draft.chart.refusal(path, {}) is not None

    def _special(self, rule: ValueRule, node: Node) -> bool:
        """Apply a rule of the table; True when it settled the value."""
        problem = rule.problem(ControlPlane(self.effective, self.draft.catalog), node)
        if not problem:
            return rule.drops_program_settings and next(leaves(node), None) is None
        for leaf in leaves(node):
            self.draft.claims.add(leaf, Claim(Outcome.MANUAL, rule.id, None, problem.reason, problem.action))
        return True

    def _refused(self, path: Path, node: Node) -> bool:
        refusal = self.draft.chart.refusal(path, to_data(node))
        if refusal is None:
            return False
        reason = f"the {self.draft.release.chart} chart refuses to install with {render(path)}"
        action = f"instead: {refusal.instead}"
        for leaf in leaves(node):
            self.draft.claims.add(leaf, Claim(Outcome.MANUAL, "values.refused", None, reason, action))
        return True

    def _unread(self, path: Path) -> str | None:
        """Why nothing reads what the chart copies into a ConfigMap; None when something may."""
        chart = self.draft.chart
        if (live := chart.dead(path)) is not None:
            return f"nothing reads it at {chart.version}, its place is {live} now; {_KEPT}"
        if chart.unread(path) and not self._own_templates:
            return f"nothing reads it at {chart.version}; {_KEPT}"
        return None

    def _keep_copied(self, path: Path, node: Node, reason: str) -> None:
        """Give the chart what it only copies, without the leaves: they have no effect, and the copy is no place."""
        self.draft.set_value(path, from_data(to_data(node)), UNREAD)
        action = "" if self.draft.chart.dead(path) else did_you_mean(self.draft.catalog, path)
        for leaf in leaves(node):
            self.draft.claims.add(leaf, Claim(Outcome.INERT, UNREAD, None, reason, action))

    def _remark(self, path: Path) -> str:
        if self.draft.chart.only_dumped(path):
            return (
                f"{self.draft.chart.name} copies it into the injector's ConfigMap; no template that is shipped reads it"
            )
        return ""

    @property
    def _own_templates(self) -> bool:
        """Whether the user brings injection templates, which may read anything."""
        templates = get(self.effective.values, ("sidecarInjectorWebhook", "templates"))
        return isinstance(templates, Mapping) and bool(templates.items)


def _rule(chart: str, path: Path) -> ValueRule | None:
    return next((rule for rule in _RULES.get(path, ()) if not rule.charts or chart in rule.charts), None)
