"""Run the fuzzer. It ends with 1 when it found something; each finding can be made again by its number."""

from __future__ import annotations

import argparse
import faulthandler
import sys
from collections.abc import Sequence
from pathlib import Path

from tests.fuzz.inputs import KINDS, make
from tests.fuzz.running import run


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the command line, run, say what came of it."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--seed", type=int, default=1, help="same seed, same inputs (1)")
    parser.add_argument("--count", type=int, default=3000, help="number of inputs (3000)")
    parser.add_argument("--start", type=int, default=0, help="number of the first input (0)")
    parser.add_argument("--seconds", type=float, help="stop after so long")
    parser.add_argument("--kinds", default=",".join(KINDS), help=f"which of {','.join(KINDS)}; they take turns")
    parser.add_argument("--render", type=int, default=0, metavar="N", help="render one conversion in N with the charts")
    parser.add_argument("--save", type=Path, default=Path("build/fuzz"), help="folder for findings (build/fuzz)")
    parser.add_argument("--show", type=int, metavar="NUMBER", help="write one input to stdout and do nothing else")
    chosen = parser.parse_args(arguments)
    kinds = tuple(chosen.kinds.split(","))
    if unknown := set(kinds) - set(KINDS):
        parser.error(f"no such kinds: {', '.join(sorted(unknown))}")
    if chosen.show is not None:
        given = make(chosen.seed, chosen.show, kinds)
        sys.stdout.buffer.write(given.data)
        print(f"# to {given.version}, target {given.target}", file=sys.stderr)
        return 0
    result = run(
        chosen.seed,
        range(chosen.start, chosen.start + chosen.count),
        kinds,
        seconds=chosen.seconds,
        render_every=chosen.render,
        save=chosen.save,
        progress=lambda text: print(text, file=sys.stderr, flush=True),
    )
    print(result.text())
    return 1 if result.findings else 0


if __name__ == "__main__":
    faulthandler.enable()
    sys.exit(main())
