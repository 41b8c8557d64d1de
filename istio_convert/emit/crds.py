"""How a release brings the custom resource definitions of Istio.

Up to 1.23 the base chart keeps them in ``crds/``, which Helm installs once and never updates; istioctl always updates
them. From 1.24 they are templates like any other object and nothing is to be done.
"""

from __future__ import annotations

from enum import Enum

from istio_convert.catalog.ranges import contains
from istio_convert.release import Release

_IN_CRDS_FOLDER = "..1.23.999"


class CrdHandling(str, Enum):
    """What a target must do about the definitions of a release."""

    NOTHING = "nothing"
    APPLY = "apply"  # the chart's crds/ folder must be applied at every upgrade
    SKIP = "skip"  # the chart renders them as templates and also has the folder: the folder must be left alone


def crd_handling(release: Release) -> CrdHandling:
    """What to do for a release."""
    if release.chart != "base" or not contains(_IN_CRDS_FOLDER, release.version):
        return CrdHandling.NOTHING
    settings = release.values_data().get("base")
    templated = isinstance(settings, dict) and settings.get("enableCRDTemplates") is True
    return CrdHandling.SKIP if templated else CrdHandling.APPLY
