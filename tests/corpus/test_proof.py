"""The proof over every operator of the corpus, at every version whose charts are in the cache."""

from __future__ import annotations

import pytest

from istio_convert import ChartsMissingError
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
