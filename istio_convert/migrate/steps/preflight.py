"""Before anything changes: what must hold, what was found, and a copy of how things are."""

from __future__ import annotations

from istio_convert.catalog.ranges import minor_of
from istio_convert.migrate import git, rules
from istio_convert.migrate.context import Context
from istio_convert.migrate.model import Command, Step
from istio_convert.migrate.shell import Raw, command, line, present
from istio_convert.migrate.targets import chart


def step(context: Context) -> Step:
    """``00-preflight.sh``."""
    options, version = context.options, context.conversion.version
    before = [Command("kubectl version --output yaml >/dev/null", "the cluster answers")]
    if window := rules.kubernetes_window(version):
        before.append(command("kubernetes_between", *window, why=f"Istio {minor_of(version)} supports no older one"))
    before += [command("has_program", program, why="needed") for program in context.target.programs]
    if context.target.helm:
        oldest, why = context.target.helm
        before.append(command("helm_at_least", oldest, why=why))
    before += [
        command("kubectl", "get", "customresourcedefinition.apiextensions.k8s.io", name, why="the tool is there")
        for name in context.target.definitions
    ]
    before += git.preflight(context.stages, options.target, context.emit)
    homes = sorted({r.namespace for stage in context.stages for r in stage.releases if r.chart == "gateway"})
    before += [command("injection_possible", home, why="a gateway gets its proxy by injection") for home in homes]
    before.append(
        Command(
            line("istioctl", "experimental", "precheck", "--from-version", minor_of(options.source_version)),
            f"with the istioctl of {version}; without one on PATH this check is left out",
            "has_istioctl",
        )
    )
    before += [
        command("finding", f.level.value, f.id, f.text, f.action, why=", ".join(f.details), folded=True)
        for f in context.findings
    ]
    before.append(Command("no_blockers", "stops here while blockers are open"))
    change = [
        command("save", "backup/live.yaml", "dump_cluster", why="how it was, for --live"),
        *(
            command(
                "save", f"backup/operator-{namespace}-{name}.yaml", "kubectl", "get",
                "istiooperators.install.istio.io", name, "--namespace", namespace, "--output", "yaml",
                guard=present("istiooperators.install.istio.io", name, namespace),
            )
            for namespace, name in context.frozen
        ),
        *_charts(context),
    ]  # fmt: skip
    return Step(
        0,
        "preflight",
        "Preflight",
        (
            (
                "Changes nothing in the cluster. It checks versions and tools, repeats the findings of this plan and "
                "stops at blockers, copies how things are into `backup/` (no Secrets), and pulls the charts, so that "
                "the diff and the upgrade later use the same bytes."
            ),
            (
                "The first `backup/live.yaml` stays, as it shows how the cluster was. When something was fixed in the "
                "cluster before step 10: delete that file, run the preflight again (with `ACCEPT` for the blockers "
                "that are fixed, since they are those of the old dump), and plan with the new one."
            ),
        ),
        tuple(before),
        tuple(change),
        (Command("test -s backup/live.yaml", "the copy is there"),),
        (),
        "Nothing to go back to.",
    )


def _charts(context: Context) -> list[Command]:
    commands = []
    names = {
        (place.unit.release.chart, place.unit.release.version) for s in context.stages for place in context.places(s)
    }
    for name, version in sorted(names):
        archive = chart(f"{name}-{version}.tgz")
        source = context.emit.chart_url
        where = (f"{source}/{name}",) if context.emit.is_oci else (name, "--repo", source)
        pull = line("helm", "pull", *where, "--version", version, "--destination", Raw('"$CHARTS"'))
        commands.append(Command(pull, "once, at this version", f"missing_chart {archive}"))
    return commands
