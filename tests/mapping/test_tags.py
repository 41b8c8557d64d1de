"""Tags and hubs of one component beside those of its chart's values and of all components."""

from __future__ import annotations

from typing import Any

import pytest

from istio_convert import Outcome, convert
from istio_convert.source.nodes import to_data

HEAD = "apiVersion: install.istio.io/v1alpha1\nkind: IstioOperator\nspec:\n"
VERSION = "1.30.3"
#: component -> chart, the block of its own values, where its chart takes them
PLACES = {
    "pilot": ("istiod", "pilot", ("pilot",)),
    "cni": ("cni", "cni", ("cni",)),
    "ztunnel": ("ztunnel", "ztunnel", ()),
}


def _converted(component: str, tag: str, own: str = "", shared: str = "") -> tuple[dict[str, Any], dict[str, Outcome]]:
    """The values of the component's chart, and what became of each path."""
    block = PLACES[component][1]
    text = f"{HEAD}  components: {{{component}: {{enabled: true, hub: h, tag: {tag}}}}}\n"
    text += f"  tag: {shared}\n" if shared else ""
    text += f"  values: {{{block}: {{hub: lost, tag: {own}}}}}\n" if own else ""
    conversion = convert(text, to=VERSION)
    values = next(to_data(release.values) for release in conversion.releases if release.chart == PLACES[component][0])
    return values, {str(entry.path): entry.outcome for entry in conversion.report.entries}


def _own(values: dict[str, Any], component: str) -> dict[str, Any]:
    for step in PLACES[component][2]:
        values = values.get(step, {})
    return values


@pytest.mark.parametrize("component", PLACES)
def test_a_tag_that_loses_does_not_stay_when_the_winner_goes(component: str) -> None:
    for loser in ("custom-1", "1.22.0", "1.22.0-debug"):
        values, outcomes = _converted(component, "1.24.6", loser)
        assert "tag" not in _own(values, component), loser
        assert _own(values, component)["hub"] == "h"
        block = PLACES[component][1]
        assert outcomes[f"spec.components.{component}.tag"] is Outcome.RELEASE
        assert outcomes[f"spec.values.{block}.tag"] is Outcome.OVERRIDDEN
        assert outcomes[f"spec.values.{block}.hub"] is Outcome.OVERRIDDEN


@pytest.mark.parametrize("component", PLACES)
def test_the_chart_brings_its_own_tag_also_beside_one_for_all(component: str) -> None:
    values, outcomes = _converted(component, "1.24.6", shared="mine")
    assert values["global"]["tag"] == "mine"
    assert _own(values, component)["tag"] == VERSION
    assert outcomes["spec.tag"] is Outcome.MANUAL


@pytest.mark.parametrize("component", PLACES)
def test_the_variant_of_all_does_not_reach_a_tag_without_one(component: str) -> None:
    for tag, own in (("1.24.6", VERSION), ("custom-1", "custom-1")):
        values, _ = _converted(component, tag, shared="1.24.6-distroless")
        assert values["global"] == {"tag": f"{VERSION}-distroless"}
        assert _own(values, component)["tag"] == own
    values, _ = _converted(component, "1.24.6-debug", shared="1.24.6-distroless")
    assert values["global"] == {"variant": "distroless"}
    assert (_own(values, component)["variant"], "tag" in _own(values, component)) == ("debug", False)


def test_a_tag_of_the_values_also_keeps_the_chart_to_its_own() -> None:
    values = "{global: {tag: mine}, pilot: {tag: 1.22.0}}"
    conversion = convert(f"{HEAD}  values: {values}\n", to=VERSION)
    istiod = next(to_data(release.values) for release in conversion.releases if release.chart == "istiod")
    assert (istiod["pilot"]["tag"], istiod["global"]["tag"]) == (VERSION, "mine")


@pytest.mark.parametrize(("variant", "outcome"), [("distroless", Outcome.MANUAL), ("debug", Outcome.RELEASE)])
def test_two_variants_are_for_a_person(variant: str, outcome: Outcome) -> None:
    text = f"{HEAD}  components: {{pilot: {{tag: 1.24.6-debug}}}}\n  values: {{pilot: {{variant: {variant}}}}}\n"
    conversion = convert(text, to=VERSION)
    found = {str(entry.path): entry.outcome for entry in conversion.report.entries}
    assert found["spec.components.pilot.tag"] is outcome
