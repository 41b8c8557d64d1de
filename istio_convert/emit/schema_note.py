"""What to tell a person about a chart whose values schema refuses everything."""

from __future__ import annotations

from istio_convert.catalog import resolve
from istio_convert.release import Release

FIRST_HELM = "3.18.5"  # the first Helm whose validator takes these schemas at their word


def schema_note(release: Release) -> str:
    """One line: what is wrong, and the nearest chart release where it is repaired."""
    note = f"the {release.chart} chart's schema of {release.version} refuses everything under Helm >= {FIRST_HELM}"
    fixed = repaired_in(release)
    return f"{note}; repaired in {fixed}" if fixed else note


def repaired_in(release: Release) -> str | None:
    """The nearest later release of the chart whose schema works, when there is one."""
    return resolve(release.version, allow_unknown=True).chart(release.chart).fixed_in
