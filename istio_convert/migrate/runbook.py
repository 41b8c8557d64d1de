"""``RUNBOOK.md``, written from the same steps as the scripts."""

from __future__ import annotations

from istio_convert.emit.marker import YOURS
from istio_convert.migrate.library import FUNCTIONS
from istio_convert.migrate.model import Command, Finding, Plan, Step, Strategy

_PARTS = {
    "before": "Check before",
    "change": "Change",
    "after": "Check after",
    "rollback": "Way back",
}


def runbook(plan: Plan) -> str:
    """The runbook as Markdown."""
    way = "in place" if plan.strategy is Strategy.IN_PLACE else "by a canary"
    lines = [
        f"# Istio {plan.source_version} -> {plan.version}, from IstioOperator to {_TOOLS[plan.target]}, {way}",
        "",
        *_incidents(plan),
        (
            "Run the scripts in the order of their numbers. Each checks, changes, checks again, and may be run again "
            "at any time: what is done is passed over. `./NN-….sh check` only looks, `./NN-….sh rollback` undoes "
            "this one step. `./rollback.sh LAST` goes all the way back: name the last step that was run, whether or "
            "not it ended; it and every step before it are undone, the last one first."
        ),
        "",
        "Every command below is one that the scripts run. The short ones are functions of `lib.sh`:",
        "",
        "| function | what it does |",
        "|---|---|",
        *(f"| `{name}` | {text} |" for name, text in FUNCTIONS if name.split()[0] in _used(plan)),
        "",
        (
            "`lib.sh` names the variables that it reads: `CONTEXT`, `TIMEOUT`, `CHARTS`, `APPLY=git`, `ACCEPT`, and "
            "`ISTIO_CONVERT_NO_WAIT=1`, which leaves out every wait for readiness and says so each time."
        ),
        *(("", _OF_ONE_CLUSTER) if plan.cluster else ()),
        "",
        "## Before you start",
        "",
        *_findings(plan.findings),
        "",
        "## Never run these again",
        "",
        *(f"- `{name}`: {reason}." for name, reason in plan.never),
        "",
        "## The way",
        "",
        "| step | what | script |",
        "|---|---|---|",
        *(f"| {step.number:02d} | {step.title} | `{step.script}` |" for step in plan.steps),
    ]
    for step in plan.steps:
        lines += ["", *_step(step)]
    lines += ["", "## Hand-over", "", *(f"- {note}" for note in plan.hand_over)]
    lines += ["", "## Your notes", "", _NOTES, "", YOURS]
    return "\n".join(lines) + "\n"


_NOTES = (
    "Write them at the end of this file, below its last line: a new plan keeps them there. When anything above it was "
    "changed, it is written only with `--force`."
)
_OF_ONE_CLUSTER = (
    "Every script stops in another cluster than that of the dump, which it knows by the UID of the namespace "
    "`kube-system`; with `ACCEPT=other-cluster` it goes on."
)
_TOOLS = {"flux": "Flux", "argocd": "Argo CD", "helmfile": "helmfile", "helm": "Helm"}


def _used(plan: Plan) -> set[str]:
    """First words of all commands and guards."""
    found: set[str] = set()
    for step in plan.steps:
        for _, commands in step.parts:
            for item in commands:
                if item.text.startswith("finding "):
                    continue
                found.update(item.text.replace("\n", " ").split())
                found.update(item.guard.split()[:1])
    return found


def _incidents(plan: Plan) -> list[str]:
    """The box for the person on call."""
    rows = [
        f"| {item.when} | {', then '.join(f'`{text}`' for text in item.run)} | {item.effect} |"
        for item in plan.incidents
    ]
    kept = ["", _COPIES.format(" and ".join(f"`{path}`" for path, _ in plan.copies))] if plan.copies else []
    return ["## Incident? Do this", "", _HERE, "", "| when | run | what it does |", "|---|---|---|", *rows, *kept, ""]


_HERE = (
    "Stop the script that runs (Ctrl-C), go to this folder, and name the cluster (`export CONTEXT=…`) unless it is the "
    "current one. Every way back may be run again."
)
_COPIES = (
    "For the old istioctl, {} keeps what was given to `plan`, unchanged and with all its values, secrets included. "
    "Keep this folder where that file may be kept."
)


def _findings(findings: tuple[Finding, ...]) -> list[str]:
    if not findings:
        return ["Nothing was found."]
    lines = []
    for finding in findings:
        lines.append(f"- **{finding.level.value}** `{finding.id}`: {finding.text} {finding.action}")
        lines += [f"    - {name}" for name in finding.details]
    return lines


def _step(step: Step) -> list[str]:
    lines = [f"### {step.number:02d} {step.title}", ""]
    for paragraph in step.why:
        lines += [paragraph, ""]
    for name, commands in step.parts:
        note = f" {step.rollback_note}" if name == "rollback" and step.rollback_note else ""
        shown = [item for item in commands if not item.folded and not item.text.startswith("finding ")]
        folded = [item for item in commands if item.folded and not item.text.startswith("finding ")]
        if not shown and not folded and not note:
            continue
        lines += [f"**{_PARTS[name]}.**{note}", ""]
        if shown:
            lines += ["```sh", *_commands(shown), "```", ""]
        if folded:
            lines += [f"<details><summary>{len(folded)} objects</summary>", "", "```sh", *_commands(folded), "```"]
            lines += ["", "</details>", ""]
    while lines and not lines[-1]:
        lines.pop()
    return lines


def _commands(commands: list[Command]) -> list[str]:
    lines: list[str] = []
    for item in commands:
        if item.why:
            lines.append(f"# {item.why}")
        lines += item.text.split("\n")
    return lines
