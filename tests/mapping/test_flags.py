"""``--set`` as istioctl takes it apart."""

from __future__ import annotations

from typing import Any

import pytest

from istio_convert import InputError, convert

TEXT = "apiVersion: install.istio.io/v1alpha1\nkind: IstioOperator\nspec: {profile: minimal}\n"


def value_of(text: str, *, to: str = "1.25.3") -> Any:
    conversion = convert(TEXT, to=to, sets=[f"values.pilot.env.X={text}"])
    return next(r for r in conversion.releases if r.chart == "istiod").values_data()["pilot"]["env"]["X"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("012", 12),
        ("+5", 5),
        ("1_000", 1000.0),
        ("1__0", "1__0"),
        ("_1", "_1"),
        ("0x10", "0x10"),
        ("0x1p4", 16.0),
        ("0x_1.8p-1", 0.75),
        ("99999999999999999999", 1e20),
        ("1e400", "1e400"),
        ("0x1p9999", "0x1p9999"),
        (".5", 0.5),
        ("5.", 5.0),
        ("T", True),
        ("yes", "yes"),
        ("a\\,b", "a,b"),
        ("null", "null"),
    ],
)
def test_values_are_read_as_go_reads_them(text: str, expected: object) -> None:
    found = value_of(text)
    assert (found, type(found)) == (expected, type(expected))


def test_a_second_equals_sign_is_part_of_the_value_where_istioctl_takes_it_so() -> None:
    assert value_of("a=b=c", to="1.31.0") == "a=b=c"


def test_before_it_is_refused_because_istioctl_takes_the_flag_for_a_path() -> None:
    with pytest.raises(InputError, match=r"istioctl 1\.25\.3 takes the whole flag as a path"):
        value_of("a=b=c")
