"""The scripts, written from the steps."""

from __future__ import annotations

from istio_convert.migrate.library import library
from istio_convert.migrate.model import Command, Plan, Step
from istio_convert.migrate.shell import line

_ROLLBACK = r"""#!/usr/bin/env bash
# The way back. Name the LAST step that was run, whether or not it ended:
#
#   ./rollback.sh 32        undoes step 32 and every step before it, the last one first, down to the freeze
#   ./rollback.sh 51 50     undoes the steps from 51 down to 50, and none before 50
#   ./rollback.sh 50 50     undoes step 50 only
#
# It stops at the first step that cannot be undone, before it undoes any step below it. Every rollback may be run again.
set -euo pipefail
cd -- "$(dirname -- "${BASH_SOURCE[0]}")"

# the steps that change something, and the numbers of all
steps=(
@STEPS@
)
numbers='@NUMBERS@'
usage() {
  echo "usage: $0 LAST [FIRST]   LAST: the last step that was run; it and all before it (down to FIRST) are undone" >&2
  echo "the steps: $numbers" >&2
  exit 2
}
last="${1:-}"
first="${2:-00}"
case "$last$first" in
  [0-9][0-9][0-9][0-9]) ;;
  *) usage ;;
esac
for wanted in "$last" ${2+"$2"}; do
  case " $numbers " in
    *" $wanted "*) ;;
    *) usage ;;
  esac
done
if [[ "$first" > "$last" ]]; then
  usage
fi
for ((position = ${#steps[@]} - 1; position >= 0; position--)); do
  step="${steps[position]}"
  if [[ ! "${step:0:2}" > "$last" && ! "${step:0:2}" < "$first" ]]; then
    "./$step" rollback
  fi
done
"""


def scripts(plan: Plan) -> dict[str, str]:
    """File name -> text of every script, ``lib.sh`` included."""
    files = {step.script: script(step, plan.cluster) for step in plan.steps}
    names = "\n".join(f"  {line(step.script)}" for step in plan.steps if step.rollback)
    numbers = " ".join(f"{step.number:02d}" for step in plan.steps)
    back = _ROLLBACK.replace("@STEPS@", names).replace("@NUMBERS@", numbers)
    return {**files, "rollback.sh": back, "lib.sh": library()}


def script(step: Step, cluster: str = "") -> str:
    """One script; with what tells its cluster from others, it stops in any other one, whatever it is to do."""
    lines = [
        "#!/usr/bin/env bash",
        f"# {step.title}",
        "#",
        f"#   ./{step.script}             checks, changes, checks again; may be run again at any time",
        f"#   ./{step.script} check       only the checks before the change",
        f"#   ./{step.script} rollback    back to the state before this step",
        "set -euo pipefail",
        "# shellcheck source=/dev/null",
        '. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"',
    ]
    for name, commands in step.parts:
        lines += ["", f"{name}() {{", *(_body(commands) or ["  :"]), "}"]
    first = [line("planned_for", cluster)] if cluster else []
    lines += ["", *first, line("main", step.title) + ' "$@"']
    return "\n".join(lines) + "\n"


def _body(commands: tuple[Command, ...]) -> list[str]:
    lines: list[str] = []
    for item in commands:
        if item.why:
            lines.append(f"  # {item.why}")
        indent = "    " if item.guard else "  "
        if item.guard:
            lines.append(f"  if {item.guard}; then")
        lines += [indent + part for part in item.text.split("\n")]
        if item.guard:
            lines.append("  fi")
    return lines
