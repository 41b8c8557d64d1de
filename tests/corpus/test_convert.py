"""Every operator of the corpus converts at every version, or fails with one clear error."""

from __future__ import annotations

import pytest

from istio_convert import InputError, Outcome, Source, YamlError, convert
from istio_convert.source import read
from tests.corpus.operators import VERSIONS, need_corpus

pytestmark = pytest.mark.corpus


@pytest.mark.parametrize("version", VERSIONS)
def test_every_operator_converts_or_says_why_not(version: str) -> None:
    converted = refused = 0
    for path in need_corpus():
        text = path.read_bytes()
        try:
            conversion = convert(Source(path.name, text), to=version)
        except InputError as error:
            refused += 1
            assert error.message, path
            assert error.origin is not None, path
            assert error.origin.file == path.name
            continue
        converted += 1
        leaves = [leaf.path for document in read(text, path.name) for leaf in document.leaves]
        assert sorted(map(str, leaves)) == sorted(str(entry.leaf.path) for entry in conversion.ledger.entries), path
        assert all(e.action for e in conversion.ledger.entries if e.outcome in (Outcome.MANUAL, Outcome.LOST)), path
        assert not [e for e in conversion.ledger.entries if e.outcome is Outcome.LOST], path
    assert converted > 100
    assert refused < converted / 3


def test_broken_files_are_refused_with_line_and_hint() -> None:
    refused = []
    for path in need_corpus():
        try:
            convert(Source(path.name, path.read_bytes()), to="1.25.3")
        except YamlError as error:
            assert error.origin is not None
            assert error.origin.line > 0, path
            assert error.hint, path
            refused.append(path.name)
        except InputError:
            continue
    assert len(refused) >= 16
