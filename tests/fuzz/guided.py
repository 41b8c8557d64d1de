"""Let atheris, where it is installed, find bytes by coverage: ``python -m tests.fuzz.guided``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

try:
    import atheris
except ImportError:
    sys.exit("atheris is not installed: pip install atheris")

with atheris.instrument_imports(include=["istio_convert"]):
    from tests.corpus.operators import VERSIONS
    from tests.fuzz.inputs import TARGETS, Input, texts
    from tests.fuzz.judge import HANG, Verdict, judge
    from tests.fuzz.running import Result

_BUILD = Path("build/fuzz")


def main() -> None:
    """Write the first inputs, hand over to atheris; it ends the program itself."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.guided", description=__doc__)
    parser.add_argument("--seed", type=int, default=1, help="of atheris (1)")
    parser.add_argument("--count", type=int, default=10_000, help="number of inputs (10000)")
    parser.add_argument("--save", type=Path, default=_BUILD, help="folder for inputs and findings (build/fuzz)")
    chosen = parser.parse_args()
    seeds = chosen.save / "seeds"
    seeds.mkdir(parents=True, exist_ok=True)
    for number, data in enumerate(texts()):
        (seeds / f"{number:03}").write_bytes(bytes([number % 256]) + data)
    found = Result(chosen.seed)

    def one(data: bytes) -> None:
        verdict = _judge(data)
        if verdict.finding:
            found.add(_input(data), verdict)
            found.save(chosen.save)
            raise AssertionError(f"{verdict.finding}\n{verdict.details}")

    flags = [
        f"-seed={chosen.seed}",
        f"-runs={chosen.count}",
        f"-artifact_prefix={chosen.save}/",
        "-max_len=24000",
        "-len_control=0",
    ]
    atheris.Setup([sys.argv[0], *flags, f"-timeout={10 * HANG:.0f}", str(seeds)], one)
    atheris.Fuzz()


def _input(data: bytes) -> Input:
    """The first byte chooses version and target."""
    head = data[0] if data else 0
    version, target = VERSIONS[head % len(VERSIONS)], TARGETS[head // len(VERSIONS) % len(TARGETS)]
    return Input("bytes", 0, data[1:], version, target, 1.0)


def _judge(data: bytes) -> Verdict:
    return judge(_input(data))


if __name__ == "__main__":
    main()
