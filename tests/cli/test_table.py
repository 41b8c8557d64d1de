"""The command line as a table: arguments and standard input in; exit code, stdout and stderr out.

Success means an empty stderr with ``-q``, unless a case declares what is there.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import click
import pytest

from istio_convert.cli.main import cli
from tests.cli.running import BROKEN, CLEAN, MANUAL, PATCHED, matches, run

STREAM = ["apiVersion: source.toolkit.fluxcd.io/v1", "kind: HelmRepository", "...", "kind: HelmRelease", "..."]
HEAD = r"clean\.yaml -> Istio 1\.25\.3 \(as asked for\)"
RELEASES = [r"release +chart +version +namespace +patches", r"istio-base .*", r"istiod .*", r"istio-ingressgateway .*"]
TOTALS = r"\d+ fields: .*; nothing is lost"
NEEDED = r"3 fields: .*1 manual; 1 field needs you"
KIALI = r"manual\.yaml:6:16: manual addon\.kiali spec\.addonComponents\.kiali\.enabled: .*; .*"
USAGE = [r"Usage: istio-convert.*", r"Try .*", ""]
BROKEN_ERROR = [r"error: broken\.yaml:\d+:\d+: .*", r"(hint: .*)"]


@dataclass(frozen=True)
class Case:
    args: str
    code: int = 0
    stdout: list[str] = field(default_factory=list)
    stderr: list[str] = field(default_factory=list)
    stdin: str | None = None
    env: dict[str, str] = field(default_factory=dict)


CASES = [
    # convert
    Case("clean.yaml --to 1.25.3 -q", stdout=STREAM),
    Case("convert clean.yaml --to 1.25.3 -q", stdout=STREAM),
    Case("-q --to 1.25.3 clean.yaml", stdout=STREAM),
    Case("- --to 1.25.3 -q", stdin=CLEAN, stdout=STREAM),
    Case("clean.yaml --to 1.25.3", stdout=STREAM, stderr=[HEAD, *RELEASES, TOTALS]),
    Case("clean.yaml --to 1.25.3 --target argocd -q", stdout=["apiVersion: argoproj.io/v1alpha1", "..."]),
    Case("clean.yaml -o out --to 1.25.3 -q"),
    Case("clean.yaml -o out --to 1.25.3 --target helm -q"),
    Case("clean.yaml -o out --to 1.25.3 --target helmfile -q"),
    Case("clean.yaml -o out --to 1.25.3 -q --report -", stdout=[HEAD, *RELEASES, TOTALS]),
    Case("clean.yaml -o out --to 1.25.3 --report -", stdout=[HEAD, *RELEASES, TOTALS]),
    Case("clean.yaml -o out --to 1.25.3 --report - --report-format json -q", stdout=[r"\{", "...", r"\}"]),
    Case("clean.yaml -o out --to 1.25.3 --report r.json", stderr=[HEAD, *RELEASES, TOTALS]),
    Case("clean.yaml -o out --to 1.25.3 --report-format github", stderr=[r"clean\.yaml: \d+ fields.*"]),
    Case("manual.yaml --to 1.25.3 -q", stdout=STREAM),
    Case("manual.yaml -o out --to 1.25.3", stderr=["manual.yaml -> .*", KIALI, *RELEASES, NEEDED]),
    Case("manual.yaml --to 1.25.3 --fail-on manual -q", code=3, stdout=STREAM),
    Case("inert.yaml --to 1.25.3 --fail-on manual -q", stdout=STREAM),
    Case("inert.yaml --to 1.25.3 --fail-on inert -q", code=3, stdout=STREAM),
    Case("inert.yaml --to 1.25.3 --strict -q", code=3, stdout=STREAM),
    Case("manual.yaml --to 1.25.3 --fail-on never -q", stdout=STREAM),
    Case(
        "clean.yaml -q --set hub=registry.example.com --to 1.25.3",
        stdout=[*STREAM, ".*hub: registry.example.com", "..."],
    ),
    Case("clean.yaml -q", env={"ISTIO_CONVERT_TO": "1.24.6"}, stdout=[*STREAM, ".*version: 1.24.6", "..."]),
    Case("manual.yaml -q --to 1.25.3", env={"ISTIO_CONVERT_FAIL_ON": "manual"}, code=3, stdout=STREAM),
    # bad input
    Case("broken.yaml -q", code=1, stderr=BROKEN_ERROR),
    Case("broken.yaml -o out", code=1, stderr=BROKEN_ERROR),
    Case("broken.yaml -o out --report r.xml", code=1, stderr=BROKEN_ERROR),
    Case("broken.yaml -o out --report-format json", code=1, stderr=[r"\{", "...", r"\}"]),
    Case("broken.yaml -o out --report-format json -q", code=1, stderr=BROKEN_ERROR),
    Case("broken.yaml -o out --report - --report-format json", code=1, stdout=[r"\{", "..."], stderr=BROKEN_ERROR),
    Case("- -q", stdin="", code=1, stderr=["error: .*the input is empty", "hint: .*"]),
    Case("- -q", stdin="a: b\n", code=1, stderr=["error: -:1:1: no IstioOperator in the input: .*", "hint: .*"]),
    Case("missing.yaml -q", code=1, stderr=[r"error: missing\.yaml: no such file or folder"]),
    Case(
        "claen.yaml",
        code=1,
        stderr=[r"error: claen\.yaml: no such file or folder", r"hint: did you mean clean\.yaml\?"],
    ),
    Case("chek clean.yaml", code=1, stderr=["error: chek: no such file .*", "hint: did you mean the command check\\?"]),
    Case("clean.yaml --to 1.99 -q", code=1, stderr=["error: the catalog does not know Istio 1.99", "hint: nearest .*"]),
    Case("clean.yaml --to 1.99 --allow-unknown-version -q", stdout=STREAM),
    # wrong use
    Case("clean.yaml --tto 1.25.3", code=2, stderr=[*USAGE, "Error: No such option.*--to.*"]),
    Case("clean.yaml --target fluxx", code=2, stderr=[*USAGE, "Error: .*'flux', 'argocd', 'helmfile', 'helm'.*"]),
    Case("convert", code=2, stderr=[*USAGE, "Error: Missing argument 'OPERATOR.*"]),
    Case("clean.yaml --target helm", code=2, stderr=[*USAGE, "Error: .* give it -o DIR"]),
    Case("patched.yaml --to 1.25.3 --target argocd", code=2, stderr=["...", *USAGE, "Error: .* give it -o DIR"]),
    Case("clean.yaml -o out --diff out", code=2, stderr=[*USAGE, "Error: --diff .*"]),
    Case("clean.yaml --separate", code=2, stderr=[*USAGE, "Error: --separate .*"]),
    Case("clean.yaml --report -", code=2, stderr=[*USAGE, "Error: stdout carries the manifests.*"]),
    Case("clean.yaml -o out --report out/r.sarif", code=2, stderr=[*USAGE, "Error: --report names a file in .*"]),
    # check
    Case("check clean.yaml --to 1.25.3", stdout=[HEAD, TOTALS]),
    Case("check clean.yaml --to 1.25.3 -q"),
    Case("check - --to 1.25.3 -q", stdin=MANUAL, code=3),
    Case("check manual.yaml --to 1.25.3", code=3, stdout=["manual.yaml -> .*", KIALI, NEEDED]),
    Case("check manual.yaml --to 1.25.3 --fail-on lost -q"),
    Case("check inert.yaml --to 1.25.3 -q"),
    Case("check inert.yaml --to 1.25.3 --strict -q", code=3),
    Case("check broken.yaml -q", code=1, stderr=BROKEN_ERROR),
    Case(
        "check manual.yaml --to 1.25.3 --report-format github",
        code=3,
        stdout=["::warning file=manual.yaml,line=6.*", "..."],
    ),
    # the rest
    Case("versions", stdout=["...", r"1\.25\.3", "...", r"\S+  newest", "..."]),
    Case("versions --format json", stdout=[r"\{", "...", r"\}"]),
    Case("rules", stdout=["id +source +value +manifest", "...", r"gateway\.lifecycle +.*", "..."]),
    Case("rules --format json", stdout=[r"\{", "...", r"\}"]),
    Case("rules --format markdown", stdout=[r"\| rule \|.*", r"\|---.*", "..."]),
    Case(
        "explain components.pilot.k8s.afinity",
        code=1,
        stderr=["error: no rule is about .*", "hint: did you mean .*affinity.*"],
    ),
    Case("explain hub --to 1.99", code=1, stderr=["error: the catalog does not know .*", "hint: .*"]),
    Case("schema", stdout=[r"\{", "...", r"\}"]),
    Case("schema operator", stdout=[r"\{", "...", r"\}"]),
    Case(
        "schema values gateway --to 1.25.3",
        stdout=[r"\{", '.*gateway 1.25.3",', "...", r"\}"] and [r"\{", "...", r"\}"],
    ),
    Case(
        "schema values istiod-remote",
        stdout=[r"\{", "...", r'  "title": "Values of the Istio chart istiod-remote 1.23.6",', "..."],
    ),
    Case(
        "schema values istiod-remote --to 1.25.3",
        code=1,
        stderr=["error: Istio 1.25.3 has no chart istiod-remote", "hint: the last release with it is 1.23.6"],
    ),
    Case("schema values", code=2, stderr=[*USAGE, "Error: a chart goes with values.*"]),
    Case("schema report gateway", code=2, stderr=[*USAGE, "Error: a chart goes with values.*"]),
    Case("schema report --to 1.25.3", code=2, stderr=[*USAGE, "Error: --to is for values"]),
    Case("completion bash", stdout=["...", ".*_ISTIO_CONVERT_COMPLETE.*", "..."]),
    Case("completion zsh", stdout=["#compdef istio-convert", "..."]),
    Case("completion fish", stdout=["function .*", "..."]),
    Case("--version", stdout=[r"istio-convert \d+\.\d+\.\d+.*"]),
    Case(
        "--help", stdout=["Usage: istio-convert .*", "...", " +convert .*", "...", "Exit codes:|  Exit codes:", "..."]
    ),
    Case("convert --help", stdout=["Usage: istio-convert convert .*", "..."]),
    Case("", code=2, stderr=["Usage: istio-convert .*", "..."]),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.args or 'nothing'}{' +env' if case.env else ''}")
def test_cases(case: Case) -> None:
    ran = run(case.args.split(), case.stdin, case.env)
    assert ran.code == case.code, ran.stderr or ran.stdout
    matches(ran.stdout, case.stdout)
    matches(ran.stderr, case.stderr)


@pytest.mark.parametrize("command", ["convert", "check", "verify", "explain", "rules", "schema", "charts", "versions"])
def test_every_command_has_help(command: str) -> None:
    ran = run([command, "--help"])
    assert ran.code == 0
    assert ran.stdout.startswith(f"Usage: istio-convert {command} ")


def test_texts_of_the_table_are_what_they_say() -> None:
    """The operators that the cases lean on have the outcomes that their names promise."""
    assert "priorityClassName" in PATCHED
    assert BROKEN.endswith("[\n")


def every_option():
    context = click.Context(cli)
    for name in cli.list_commands(context):
        command = cli.get_command(context, name)
        subcommands = command.commands.values() if isinstance(command, click.Group) else [command]
        for sub in subcommands:
            yield from (option for option in sub.params if isinstance(option, click.Option))


def test_every_option_is_an_environment_variable_of_its_name() -> None:
    found = {max(option.opts, key=len): option.envvar for option in every_option()}
    assert found.pop("--charts") is None, "ISTIO_CONVERT_CHARTS is the cache"
    assert found == {name: "ISTIO_CONVERT_" + name[2:].replace("-", "_").upper() for name in found}
    assert {"--set", "--to", "--format", "--diff", "--config", "--quiet", "--flux-chart-ref"} <= set(found)


def test_several_sets_come_from_one_variable() -> None:
    ran = run(["clean.yaml", "-q"], env={"ISTIO_CONVERT_SET": "hub=a.example.com values.global.logAsJson=true"})
    assert "hub: a.example.com" in ran.stdout
    assert "logAsJson: true" in ran.stdout


def test_every_option_is_explained() -> None:
    assert [option.opts for option in every_option() if not option.help] == []
