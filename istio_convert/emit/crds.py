"""How a release brings the custom resource definitions of Istio.

Old base charts keep them in ``crds/``, which Helm installs once and never updates, while istioctl always updates them.
Newer ones render them as templates, like any other object, and nothing is to be done.
"""

from __future__ import annotations

from enum import Enum

from istio_convert.catalog import resolve
from istio_convert.release import Release

_TEMPLATED = ("base", "enableCRDTemplates")


class CrdHandling(str, Enum):
    """What a target must do about the definitions of a release."""

    NOTHING = "nothing"
    APPLY = "apply"  # the chart's crds/ folder must be applied at every upgrade
    SKIP = "skip"  # the chart renders them as templates and also has the folder: the folder must be left alone


def crd_handling(release: Release) -> CrdHandling:
    """What to do for a release."""
    if release.chart != "base":
        return CrdHandling.NOTHING
    facts = resolve(release.version, allow_unknown=True).chart("base")
    if facts.default(_TEMPLATED) is not False:
        return CrdHandling.NOTHING
    settings = release.values_data().get("base")
    templated = isinstance(settings, dict) and settings.get("enableCRDTemplates") is True
    return CrdHandling.SKIP if templated else CrdHandling.APPLY
