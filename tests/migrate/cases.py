"""The worked scenarios under ``fixtures/migrations``: their input, their objects, their plans.

``rendered.yaml`` holds what the plan needs of rendered objects: identity, selectors, ports, ServiceAccounts. Objects
of charts themselves are not part of this project; a test renders the charts, when they are at hand, and compares.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from istio_convert import migrate
from istio_convert.api import Conversion, Source, convert
from istio_convert.migrate import Options, Plan, Stage, Strategy
from istio_convert.source import read
from istio_convert.source.nodes import to_data
from istio_convert.source.writer import Flow, dump
from istio_convert.verify.manifests import Rendered

FOLDER = Path(__file__).resolve().parents[2] / "fixtures" / "migrations"


@dataclass(frozen=True)
class Case:
    """One scenario.

    Attributes:
        name: its folder.
        settings: ``case.yaml``.
    """

    name: str
    settings: dict[str, Any]

    @property
    def folder(self) -> Path:
        return FOLDER / self.name

    @property
    def charts(self) -> str:
        """The release whose charts render the same identities."""
        return str(self.settings["charts"])

    @property
    def options(self) -> Options:
        more = dict(self.settings.get("options") or {})
        if "weights" in more:
            more["weights"] = tuple(more["weights"])
        return Options(
            str(self.settings["from"]), Strategy(self.settings["strategy"]), str(self.settings["target"]), **more
        )

    def sources(self) -> list[tuple[str, str]]:
        return [(f"fixtures/migrations/{self.name}/input.yaml", (self.folder / "input.yaml").read_text("utf-8"))]

    def conversions(self) -> tuple[Conversion, Conversion | None]:
        to = str(self.settings["to"])
        source = Source(*self.sources()[0])
        beside = None
        if self.options.strategy is Strategy.CANARY:
            beside = convert(source, to=to, sets=[f"revision={migrate.revision_of(self.options, to)}"])
        return convert(source, to=to), beside

    def stages(self) -> tuple[Stage, ...]:
        conversion, beside = self.conversions()
        return migrate.build_stages(conversion, self.options, beside)

    def rendered(self) -> dict[str, list[Rendered]]:
        data = load(self.folder / "rendered.yaml")
        return {
            stage: [Rendered(item["release"], item["namespace"], item["object"]) for item in items]
            for stage, items in data.items()
        }

    def live(self) -> list[dict[str, Any]] | None:
        path = self.folder / "live.yaml"
        return migrate.read_objects(path.read_text("utf-8"), path.name) if path.exists() else None

    def plan(self) -> Plan:
        conversion, beside = self.conversions()
        return migrate.plan(
            conversion, self.options, self.rendered(), self.live(), beside=beside, sources=self.sources()
        )


def load(path: Path) -> Any:
    """The data of a file with one document."""
    [document] = read(path.read_text("utf-8"), path.name)
    return to_data(document.root)


def cases() -> list[Case]:
    """Every scenario."""
    return [Case(path.parent.name, load(path)) for path in sorted(FOLDER.glob("*/case.yaml"))]


def skeleton(found: dict[str, list[Rendered]]) -> dict[str, list[dict[str, Any]]]:
    """What the plan needs of rendered objects."""
    return {
        stage: [
            {"release": item.release, "namespace": item.namespace, "object": essence(item.object)} for item in items
        ]
        for stage, items in found.items()
    }


def essence(item: dict[str, Any]) -> dict[str, Any]:
    """Identity and what a plan compares."""
    metadata = {key: item["metadata"][key] for key in ("name", "namespace") if item["metadata"].get(key)}
    kept: dict[str, Any] = {"apiVersion": item["apiVersion"], "kind": item["kind"], "metadata": metadata}
    spec = item.get("spec") or {}
    if item["kind"] in ("Deployment", "DaemonSet"):
        template = spec["template"]
        labels = {key: template["metadata"]["labels"].get(key) for key in ("app", "istio", "team")}
        kept["spec"] = {
            "selector": spec["selector"],
            "template": {
                "metadata": {"labels": {key: value for key, value in labels.items() if value}},
                "spec": {"serviceAccountName": template["spec"]["serviceAccountName"]},
            },
        }
        if "replicas" in spec:
            kept["spec"]["replicas"] = spec["replicas"]
    elif item["kind"] == "Service":
        names = ("port", "protocol", "targetPort")
        kept["spec"] = {
            "selector": spec.get("selector") or {},
            "ports": [{key: port[key] for key in names if key in port} for port in spec.get("ports") or []],
        }
    return kept


def text(data: dict[str, list[dict[str, Any]]]) -> str:
    """``rendered.yaml``, one object a line."""
    return dump({stage: [Flow(item) for item in items] for stage, items in data.items()})
