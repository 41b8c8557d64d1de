"""Running injection templates with Helm's engine: many templates over many pods in one rendering."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from istio_convert.errors import RenderError
from istio_convert.verify.charts.layout import pack
from istio_convert.verify.injection.functions import TEMPLATES

_CHART = b"apiVersion: v2\nname: injection\nversion: 0.0.0\n"
_RUN = """
{{- range .Values.jobs }}
{{ tpl (get $.Values.templates .template) .data | toJson }}
{{- end }}
"""


@dataclass(frozen=True, slots=True)
class Job:
    """One template over one pod.

    Attributes:
        template: the template, as :func:`.rewriting.rewritten` gives it.
        data: what it reads.
    """

    template: str
    data: Mapping[str, Any]


class TemplateFailedError(ValueError):
    """The engine refuses a template; the message is its own."""


def run(jobs: Sequence[Job]) -> list[str | TemplateFailedError]:
    """The text that each template gives, or why it gives none.

    Args:
        jobs: what to run, all in one rendering; one that fails is found by running each for itself.
    """
    if not jobs:
        return []
    try:
        return list(_run(jobs))
    except TemplateFailedError as error:
        if len(jobs) == 1:
            return [error]
    middle = len(jobs) // 2
    return [*run(jobs[:middle]), *run(jobs[middle:])]


def _run(jobs: Sequence[Job]) -> list[str]:
    names = {template: f"t{number}" for number, template in enumerate(dict.fromkeys(job.template for job in jobs))}
    values = {
        "templates": {name: template for template, name in names.items()},
        "jobs": [{"template": names[job.template], "data": job.data} for job in jobs],
    }
    sdk, chart = _chart()
    try:
        rendered = chart.render(values, name="injection", namespace="default", is_install=True)
    except sdk.HelmError as error:
        raise TemplateFailedError(" ".join(str(error).split())) from error
    text = next(text for name, text in rendered.items() if name.endswith("run.txt"))
    return [json.loads(line) for line in text.splitlines() if line.strip()]


@lru_cache(maxsize=1)
def _chart() -> tuple[Any, Any]:
    try:
        import helm_python  # noqa: PLC0415 (an optional dependency)
    except ImportError as error:
        raise RenderError("injection needs the Helm SDK", hint="pip install 'istio-convert[render]'") from error
    files = {
        "Chart.yaml": _CHART,
        "templates/_functions.tpl": TEMPLATES.encode(),
        "templates/run.txt": _RUN.encode(),
    }
    return helm_python, helm_python.Chart.load_archive(pack(files, "injection"))
