"""Fetching the official charts of a release, from a Helm repository or an OCI registry.

Downloads resume where they stopped, are checked against the digests of the repository's index or the registry's
manifests, and enter the cache only when all of them are there.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence

from istio_convert.verify.charts import index, oci
from istio_convert.verify.charts.add import store_charts
from istio_convert.verify.charts.cache import cache_root
from istio_convert.verify.charts.download import Progress, fetch
from istio_convert.verify.charts.layout import ENDED_CHARTS, HELM_CHARTS, version_key

#: The chart repository that istio.io documents, and the registry beside it.
OFFICIAL_REPOSITORY = "https://istio-release.storage.googleapis.com/charts"
OFFICIAL_REGISTRY = "oci://gcr.io/istio-release/charts"


def pull(
    version: str,
    *,
    repository: str = OFFICIAL_REPOSITORY,
    charts: Sequence[str] = HELM_CHARTS,
    optional: Sequence[str] = ENDED_CHARTS,
    progress: Progress | None = None,
) -> str:
    """Fetch the official charts of a release into the cache.

    The repository holds the charts that Helm users install. istioctl's own gateway charts and profiles are only in the
    release archive, so the proof still needs ``--reference`` or an added release.

    Args:
        version: the release.
        repository: a Helm repository's address (``index.yaml`` lies below it), ``oci://HOST/PATH`` of a registry
            folder, or the word ``oci`` for the official registry.
        charts: which charts.
        optional: charts that come too when the repository has them at this release.
        progress: called with the chart's name, the bytes so far, and the bytes in all when known.

    Returns:
        The release.

    Raises:
        VerifyError: the repository cannot be reached, lacks a chart of this release, or sends what its index denies.
    """
    version_key(version)
    address = OFFICIAL_REGISTRY if repository == "oci" else repository
    find = oci.find if address.startswith(oci.SCHEME) else index.find
    wanted = find(address, version, charts, optional)
    partial = cache_root() / ".partial" / version
    partial.mkdir(parents=True, exist_ok=True)
    archives = {archive.name: fetch(archive, partial, progress) for archive in wanted}
    store_charts(version, archives, "pull")
    shutil.rmtree(partial)
    return version
