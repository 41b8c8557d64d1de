"""The way over: runbook and scripts from a conversion.

:func:`plan` is pure; :func:`files` writes the folder's texts from it.
"""

from __future__ import annotations

from istio_convert.migrate.model import Adoption, Command, Finding, Level, Plan, Removal, Stage, Step, Strategy
from istio_convert.migrate.objects import read_objects
from istio_convert.migrate.options import Options, revision_of
from istio_convert.migrate.output import files, plan_data, plan_json
from istio_convert.migrate.owners import has_nameless
from istio_convert.migrate.planning import plan
from istio_convert.migrate.rendering import render_old, render_stages
from istio_convert.migrate.stages import build as build_stages

__all__ = [
    "Adoption",
    "Command",
    "Finding",
    "Level",
    "Options",
    "Plan",
    "Removal",
    "Stage",
    "Step",
    "Strategy",
    "build_stages",
    "files",
    "has_nameless",
    "plan",
    "plan_data",
    "plan_json",
    "read_objects",
    "render_old",
    "render_stages",
    "revision_of",
]
