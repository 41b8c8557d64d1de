"""The whole folder: runbook, scripts, ``plan.json`` and the releases of every stage."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from istio_convert.emit import EmitOptions, Files, emit
from istio_convert.migrate import git
from istio_convert.migrate.findings import OPEN_FIELDS
from istio_convert.migrate.model import Command, Plan, Step
from istio_convert.migrate.runbook import runbook
from istio_convert.migrate.scripts import scripts

FORMAT = "istio-convert/plan/v1"
#: From releases/STAGE/TARGET to the plan's folder.
_ROOT = "../../.."


def files(plan: Plan, options: EmitOptions | None = None) -> Files:
    """Relative path -> text, in a fixed order; a text that starts with ``#!`` is meant to be executable.

    Args:
        plan: the plan.
        options: how the releases are written.

    Raises:
        InvalidNameError: a name must not reach a path or a script.
    """
    todo = next((finding.objects for finding in plan.findings if finding.id == OPEN_FIELDS), ())
    how = replace(options or EmitOptions(), todo=todo, plan_root=_ROOT)
    result: Files = {"RUNBOOK.md": runbook(plan), **scripts(plan), "plan.json": plan_json(plan)}
    result |= dict(plan.copies)
    for stage in plan.stages:
        for target in dict.fromkeys((plan.target, "helm")):
            written = emit(stage.releases, target, git.stage_options(stage, how))
            result |= {f"releases/{stage.name}/{target}/{path}": text for path, text in written.items()}
    return result


def plan_json(plan: Plan) -> str:
    """The plan for other tools, without values of the releases."""
    return json.dumps(plan_data(plan), indent=2, ensure_ascii=False) + "\n"


def plan_data(plan: Plan) -> dict[str, Any]:
    """The plan as plain data."""
    return {
        "format": FORMAT,
        "from": plan.source_version,
        "to": plan.version,
        "strategy": plan.strategy.value,
        "target": plan.target,
        "cluster": plan.cluster or None,
        "findings": [
            {
                "id": f.id,
                "level": f.level.value,
                "text": f.text,
                "action": f.action,
                "objects": list(f.objects),
                "differences": list(f.differences),
            }
            for f in plan.findings
        ],
        "incidents": [{"when": i.when, "run": list(i.run), "effect": i.effect} for i in plan.incidents],
        "operators": [path for path, _ in plan.copies],
        "stages": [
            {
                "name": stage.name,
                "releases": [
                    {"name": r.name, "chart": r.chart, "version": r.version, "namespace": r.namespace}
                    for r in stage.releases
                ],
            }
            for stage in plan.stages
        ],
        "adopt": None if plan.adoptions is None else [
            {
                "release": item.release,
                "releaseNamespace": item.release_namespace,
                "resource": item.resource,
                "name": item.name,
                "namespace": item.namespace or None,
            }
            for item in plan.adoptions
        ],
        "remove": None if plan.removals is None else [
            {"resource": item.resource, "name": item.name, "namespace": item.namespace or None}
            for item in plan.removals
        ],
        "steps": [_step(step) for step in plan.steps],
        "never": [{"command": name, "reason": reason} for name, reason in plan.never],
    }  # fmt: skip


def _step(step: Step) -> dict[str, Any]:
    return {
        "number": step.number,
        "name": step.name,
        "title": step.title,
        "script": step.script,
        **{name: [_command(item) for item in commands] for name, commands in step.parts},
    }


def _command(item: Command) -> dict[str, str]:
    data = {"run": item.text}
    if item.why:
        data["why"] = item.why
    if item.guard:
        data["if"] = item.guard
    return data
