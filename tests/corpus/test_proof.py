"""The proof over every operator of the corpus, at every version whose charts are in the cache."""

from __future__ import annotations

import pytest

from istio_convert import ChartsMissingError, InputError, RenderError, Source, convert
from istio_convert.proving import prove as close_the_loop
from istio_convert.verify.charts import locate
from tests.corpus.operators import VERSIONS, need_corpus
from tests.corpus.proving import prove

pytestmark = [pytest.mark.corpus, pytest.mark.charts, pytest.mark.render]


@pytest.mark.parametrize("version", VERSIONS)
def test_nothing_unexplained(version: str) -> None:
    operators = need_corpus()
    try:
        locate(version)
    except ChartsMissingError as error:
        pytest.skip(str(error))
    proofs = {path.name: prove(path, version) for path in operators}
    different = {name: proof.details[:5] for name, proof in proofs.items() if proof.state == "different"}
    assert different == {}
    proven = [name for name, proof in proofs.items() if proof.state in ("proven", "partly")]
    assert len(proven) > 100, {name: proof for name, proof in proofs.items() if name not in proven}


def test_the_rules_suffice() -> None:
    """What only the proof places is a missing rule."""
    operators = need_corpus()
    try:
        locate("1.25.3")
    except ChartsMissingError as error:
        pytest.skip(str(error))
    derived, proven = {}, 0
    for path in operators:
        try:
            proof = close_the_loop(convert(Source(path.name, path.read_bytes()), to="1.25.3"))
        except (InputError, RenderError):
            continue  # counted by the test above
        proven += proof.verification.proven
        if places := [repair.place for repair in proof.derived]:
            derived[path.name] = places
        assert not [entry for entry in proof.conversion.ledger.entries if entry.derived], path
    assert derived == {}
    assert proven > 100
