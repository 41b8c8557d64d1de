from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from istio_convert.catalog.ranges import contains, encode, version_key

ORDER = ["1.22.0", "1.22.1", "1.22.10", "1.23.0", "1.23.1", "1.24.0", "1.30.0"]


@pytest.mark.parametrize(
    ("text", "version", "inside"),
    [
        ("*", "1.22.0", True),
        ("1.24.0..", "1.24.0", True),
        ("1.24.0..", "1.23.9", False),
        ("..1.23.6", "1.23.6", True),
        ("..1.23.6", "1.24.0", False),
        ("1.22.4..1.22.8 1.24.0", "1.22.10", False),
        ("1.22.4..1.22.8 1.24.0", "1.24.0", True),
        ("1.28.8..1.28.99", "1.28.10", True),
        ("1.31.0..", "1.31.0-rc.0", False),
    ],
)
def test_contains(text: str, version: str, inside: bool) -> None:
    assert contains(text, version) is inside


@given(st.sets(st.sampled_from(ORDER), min_size=1))
def test_encode_is_the_inverse_of_contains(members: set[str]) -> None:
    text = encode(members, ORDER)
    assert {version for version in ORDER if contains(text, version)} == members


def test_patch_releases_are_ordered_as_numbers() -> None:
    assert sorted(["1.28.10", "1.28.9", "1.28.10-rc.1"], key=version_key) == ["1.28.9", "1.28.10-rc.1", "1.28.10"]


@pytest.mark.parametrize("text", ["", "1", "1.2", "latest", "1.25.x"])
def test_no_version(text: str) -> None:
    with pytest.raises(ValueError):
        version_key(text)
