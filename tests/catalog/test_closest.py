"""The path that a misspelled one may have meant."""

from __future__ import annotations

import pytest

from istio_convert.catalog import did_you_mean, resolve
from istio_convert.paths import parse

VERSIONS = ("1.22.8", "1.25.3", "1.31.0")


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("pilot.autoScaleEnabled", "pilot.autoscaleEnabled"),
        ("pilot.traceSampeling", "pilot.traceSampling"),
        ("globl.proxy.privilegd", "global.proxy.privileged"),
        ("pilot.podAnnotation.team", "pilot.podAnnotations.team"),
        ("pilot.toleration[0].key", "pilot.tolerations[0].key"),
        ("proxy.privileged", "global.proxy.privileged"),
        ("ztunnel.resource.requests.cpu", "ztunnel.resources.requests.cpu"),
        ("gateways.istio-ingresgateway.autoscaleMin", "gateways.istio-ingressgateway.autoscaleMin"),
    ],
)
def test_a_misspelled_path_is_found(version: str, written: str, meant: str) -> None:
    assert did_you_mean(resolve(version), parse(written)) == f"did you mean values.{meant}?"


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize(
    "written",
    [
        "kiali.enabled",  # an addon that ended, and not cni.enabled
        "mixer.policy.enabled",
        "global.useMCP",
        "pilot.autoscale.enabled",  # autoscaleMin is a number: nothing can be below it
        "pilot.traceSampling",  # it is read
    ],
)
def test_one_that_is_like_none_is_left_alone(version: str, written: str) -> None:
    assert did_you_mean(resolve(version), parse(written)) == ""


def test_the_answer_is_that_of_the_release() -> None:
    """Before the root was read as well, what stands there was below ``pilot``."""
    assert did_you_mean(resolve("1.22.8"), ("traceSampling",)) == "did you mean values.pilot.traceSampling?"
    assert did_you_mean(resolve("1.25.3"), ("traceSampling",)) == ""
