"""Judge every gateway by the programs that make its pod in a cluster, and by no rule of ours.

    python tests/e2e/pods.py [--version VERSION]... [--by webhook|kube-inject] [--only PREFIX]... [--out FOLDER]

Every gateway of the generator (tests/pods/gateways), of fixtures/ and of ISTIO_CONVERT_CORPUS is converted. The pods of
istioctl's side and of Helm's are created by dry run: a real API server fills them in and validates them, a real
istiod's webhook injects them. What must not be: a pod that is refused, or left at the image ``auto``, where istioctl's
is accepted; a field that the report calls ``value`` or ``patch`` and the pod lacks; a change that neither every gateway
of the release has nor the report names.

The programs are looked for in ``~/.cache/istio-convert/e2e`` under their name and release (``pilot-discovery-1.25.3``,
``istioctl-1.25.3``, ``kube-apiserver-1.32.9``), or where a variable names one (``ISTIO_CONVERT_ISTIOCTL_1_25_3``,
``ISTIO_CONVERT_PILOT_DISCOVERY_1_25_3``, ``KUBE_APISERVER``). What is not there is skipped, and said.
"""

from __future__ import annotations

import argparse
import signal
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from istio_convert.errors import ChartsMissingError  # noqa: E402
from istio_convert.verify.charts import locate  # noqa: E402
from tests.corpus.operators import operators  # noqa: E402
from tests.e2e.api import ApiServer  # noqa: E402
from tests.e2e.cluster import Cluster, MissingProgramError, built_api_server, cluster  # noqa: E402
from tests.e2e.webhook import webhook  # noqa: E402
from tests.pods.backends import Backend, KubeInject, found  # noqa: E402
from tests.pods.figures import as_json, by_kind, findings  # noqa: E402
from tests.pods.gateways import Case, cases  # noqa: E402
from tests.pods.judging import Judge, Verdict  # noqa: E402

VERSIONS = ("1.23.6", "1.25.3", "1.31.0-rc.0")


def everything() -> Iterator[Case]:
    """Every operator that there is: generated, of the fixtures, of the corpus."""
    yield from cases()
    for path in sorted((ROOT / "fixtures").glob("*/input.yaml")):
        yield Case(f"fixture/{path.parent.name}", path.read_text(encoding="utf-8"))
    yield Case("fixture/e2e", Path(__file__).with_name("operator.yaml").read_text(encoding="utf-8"))
    for path in operators():
        yield Case(f"corpus/{path.stem}", path.read_bytes().decode("utf-8-sig", errors="replace"))


def backend(version: str, by: str, running: Cluster, folder: Path, stack: ExitStack) -> Backend:
    """Who makes the pods.

    Raises:
        MissingProgramError: it is not here.
    """
    program = found(f"pilot-discovery-{version}")
    if by != "kube-inject" and program:
        return stack.enter_context(webhook(program, running, folder / f"webhook-{version}"))
    if by == "webhook":
        raise MissingProgramError(f"pilot-discovery-{version} is not built")
    program = found(f"istioctl-{version}")
    if not program:
        raise MissingProgramError(f"neither pilot-discovery-{version} nor istioctl-{version} is built")
    return KubeInject(program, ApiServer(running.kubeconfig))


def run(version: str, judging: Judge, chosen: Sequence[Case]) -> list[Verdict]:
    """Judge cases, and say how it goes."""
    start, verdicts = time.monotonic(), []
    for number, case in enumerate(chosen, 1):
        try:
            verdicts += judging.judge(case.name, case.text)
        except AssertionError as error:  # a program that broke must not end the run, nor pass unseen
            verdicts.append(Verdict(case.name, ("", ""), "not judged", str(error)))
        if number % 100 == 0:
            print(f"{version}: {number} of {len(chosen)} operators, {time.monotonic() - start:.0f} s", flush=True)
    false = sum(one.is_false for one in verdicts)
    seconds = time.monotonic() - start
    print(
        f"{version} by {judging.backend.name}: {len(verdicts)} gateways in {seconds:.0f} s, {false} false", flush=True
    )
    return verdicts


def main() -> int:
    """Run everything; 1 when a report promised what the pod does not have."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--version", action="append", help="a release; may be given several times")
    parser.add_argument(
        "--by", choices=["webhook", "kube-inject"], help="who injects; by default the best that is here"
    )
    parser.add_argument("--only", action="append", help="judge only cases whose name begins so")
    parser.add_argument("--out", type=Path, help="a folder for the figures and findings")
    arguments = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that the servers end too
    chosen = [one for one in everything() if not arguments.only or one.name.startswith(tuple(arguments.only))]
    false = 0
    for version in arguments.version or VERSIONS:
        try:
            built_api_server()
            charts = locate(version)
            with tempfile.TemporaryDirectory() as name, ExitStack() as stack:
                running = stack.enter_context(cluster(Path(name) / "cluster"))
                judging = Judge(charts, backend(version, arguments.by or "", running, Path(name), stack))
                verdicts = run(version, judging, chosen)
                usual = judging.for_every_gateway()
        except (MissingProgramError, ChartsMissingError) as error:
            print(f"SKIPPED {version}: {error}", flush=True)
            continue
        false += sum(one.is_false for one in verdicts)
        print(by_kind(verdicts), *findings(verdicts), sep="\n", flush=True)
        if arguments.out:
            arguments.out.mkdir(parents=True, exist_ok=True)
            (arguments.out / f"{version}.json").write_text(as_json(verdicts, usual))
            (arguments.out / f"{version}.md").write_text(by_kind(verdicts) + "\n\n" + "\n".join(findings(verdicts)))
    return 1 if false else 0


if __name__ == "__main__":
    sys.exit(main())
