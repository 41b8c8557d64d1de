"""For any operator: either one clear error, or a ledger with an entry for every leaf and nothing from nowhere."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from istio_convert import ClosedLedger, Conversion, InputError, Outcome, convert
from istio_convert.source import dump, read
from istio_convert.source.nodes import leaves, to_data, walk
from tests.corpus.operators import VERSIONS
from tests.properties.operators import OPERATORS

TARGETS = st.sampled_from(VERSIONS)
SETTINGS = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def attempt(operator: dict[str, Any], version: str) -> Conversion | None:
    try:
        return convert(dump(operator), to=version)
    except InputError as error:
        assert error.message
        assert error.origin is not None
        return None


def check_ledger(ledger: ClosedLedger, text: str) -> None:
    expected = [leaf.path for document in read(text, "operator.yaml") for leaf in document.leaves]
    assert [entry.leaf.path for entry in ledger.entries] == expected
    for entry in ledger.entries:
        if entry.outcome in (Outcome.VALUE, Outcome.PATCH):
            assert entry.places, entry
        else:
            assert entry.reason, entry
        if entry.outcome in (Outcome.MANUAL, Outcome.LOST):
            assert entry.action, entry


@SETTINGS
@given(OPERATORS, TARGETS)
def test_every_leaf_has_exactly_one_entry(operator: dict[str, Any], version: str) -> None:
    conversion = attempt(operator, version)
    if conversion is not None:
        check_ledger(conversion.ledger, dump(operator))


@SETTINGS
@given(OPERATORS, TARGETS)
def test_every_emitted_value_that_came_from_a_leaf_is_in_its_entry(operator: dict[str, Any], version: str) -> None:
    conversion = attempt(operator, version)
    if conversion is None:
        return
    entries = {id(entry.leaf): entry for entry in conversion.ledger.entries}
    for release in conversion.releases:
        for _, node in walk(release.values):
            for leaf in leaves(node):
                entry = entries[id(leaf)]
                assert entry.outcome in (Outcome.VALUE, Outcome.MANUAL), entry
                assert any(place.release == release.name for place in entry.places), entry


@SETTINGS
@given(OPERATORS, TARGETS)
def test_two_runs_are_equal(operator: dict[str, Any], version: str) -> None:
    first, second = attempt(operator, version), attempt(operator, version)
    if first is None or second is None:
        assert first is second
        return
    assert [(r.name, r.values_data(), r.patches) for r in first.releases] == [
        (r.name, r.values_data(), r.patches) for r in second.releases
    ]
    assert [(e.outcome, e.places, e.reason) for e in first.ledger.entries] == [
        (e.outcome, e.places, e.reason) for e in second.ledger.entries
    ]


@SETTINGS
@given(OPERATORS, TARGETS)
def test_the_tree_of_the_input_stays_as_it_was_read(operator: dict[str, Any], version: str) -> None:
    """Operators share their nodes with the input, and with the profile."""
    conversion = attempt(operator, version)
    for effective in conversion.operators if conversion is not None else []:
        for document, before in zip(effective.documents, read(dump(operator), "operator.yaml"), strict=True):
            assert to_data(document.root) == to_data(before.root)
            assert [leaf.path for leaf in leaves(document.root)] == [leaf.path for leaf in before.leaves]


@pytest.mark.parametrize("text", ["", "# nothing", "a: 1", "kind: ConfigMap", "[]", "null", "spec: 1"])
def test_what_is_no_operator_is_refused_with_words(text: str) -> None:
    with pytest.raises(InputError) as caught:
        convert(text, to="1.25.3")
    assert caught.value.message
