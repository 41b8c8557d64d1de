"""The built-in istioctl against a real one, on every operator of the corpus."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from istio_convert.errors import InputError, RenderError
from istio_convert.verify import reference
from istio_convert.verify.charts import ReleaseCharts
from istio_convert.verify.manifests import ObjectId, object_id, parse_objects, without_log
from istio_convert.verify.normal import normal_form
from tests.corpus.operators import need_corpus
from tests.verify.conftest import official_charts

pytestmark = [pytest.mark.corpus, pytest.mark.charts, pytest.mark.render]
ISTIOCTL = os.environ.get("ISTIO_CONVERT_ISTIOCTL", "")
VERSION = os.environ.get("ISTIO_CONVERT_ISTIOCTL_VERSION", "1.25.3")
Objects = dict[ObjectId, dict[str, object]]


def real(path: Path, manifests: Path) -> Objects | None:
    """What istioctl renders; None when it refuses the operator."""
    command = [ISTIOCTL, "manifest", "generate", "--force", "-f", str(path), "-d", str(manifests)]
    environment = {**os.environ, "KUBECONFIG": os.devnull}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    if done.returncode:
        return None
    return {object_id(obj): normal_form(obj) for obj in parse_objects(without_log(done.stdout))}


def is_released() -> bool:
    """Whether a release build made istioctl: it puts its own hub and tag in place of those of charts from source."""
    command = [ISTIOCTL, "version", "--remote=false"]
    return VERSION in subprocess.run(command, capture_output=True, text=True, check=True).stdout


def built_in(path: Path, charts: ReleaseCharts) -> Objects | None:
    """What the built-in istioctl renders; None when it refuses to.

    Raises:
        InputError: nothing to render, so nothing to compare: the conversion refuses such files, too.
    """
    try:
        rendered = reference.generate([(path.name, path.read_text("utf-8-sig"))], charts)
    except RenderError:
        return None
    return {object_id(item.object): normal_form(item.object) for item in rendered}


@pytest.mark.skipif(
    not ISTIOCTL, reason="no istioctl here: ISTIO_CONVERT_ISTIOCTL=/path/to/istioctl-1.25.3 pytest tests/corpus"
)
def test_the_built_in_istioctl_agrees_with_the_real_one() -> None:
    charts = official_charts(VERSION)
    as_is = ReleaseCharts(charts.version, charts.charts, charts.profiles, released=is_released())
    manifests = (charts.profiles or Path()).parent
    different: dict[str, list[str]] = {}
    rendered = 0
    for path in need_corpus():
        try:
            theirs, ours = real(path, manifests), built_in(path, as_is)
        except InputError:
            continue
        if theirs is None:
            continue  # the built-in one takes more: several operators in a file, types that istioctl's own refuse
        rendered += 1
        if ours is None:
            different[path.name] = ["refused by the built-in one only"]
        elif found := sorted(str(i) for i in {*theirs, *ours} if theirs.get(i) != ours.get(i)):
            different[path.name] = found
    assert different == {}
    assert rendered > 0
