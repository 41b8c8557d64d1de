"""What came of many gateways, in a table that reads itself."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict

from tests.pods.judging import STATES, Difference, Verdict


def by_kind(verdicts: Sequence[Verdict]) -> str:
    """A Markdown table: kinds of cases by what became of them."""
    kinds = sorted({verdict.case.split("/")[0] for verdict in verdicts})
    lines = ["| kind | " + " | ".join(STATES) + " | false |", "|---|" + "---|" * (len(STATES) + 1)]
    for kind in (*kinds, "all"):
        chosen = [one for one in verdicts if kind in (one.case.split("/")[0], "all")]
        states = Counter(one.state for one in chosen)
        false = sum(one.is_false for one in chosen)
        lines.append(f"| {kind} | " + " | ".join(str(states[state]) for state in STATES) + f" | {false} |")
    return "\n".join(lines)


def findings(verdicts: Iterable[Verdict], *, most: int = 12) -> Iterator[str]:
    """Each false promise in a few lines."""
    for verdict in verdicts:
        if not verdict.is_false:
            continue
        yield f"{verdict.case} {'/'.join(verdict.key)}: {verdict.state} {verdict.words}".rstrip()
        for one in [d for d in verdict.differences if not d.said][:most]:
            said = "; ".join(one.leaves) or "of no field"
            yield f"    {one.kind} {one.place}: {one.before} -> {one.after}   [{said}]"


def as_json(verdicts: Sequence[Verdict], usual: Sequence[Difference]) -> str:
    """Everything, to be read by a program."""
    return json.dumps(
        {"for-every-gateway": [asdict(one) for one in usual], "gateways": [asdict(one) for one in verdicts]}, indent=1
    )
