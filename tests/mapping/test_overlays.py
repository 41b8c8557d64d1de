"""Overlays of the control plane that need more than a place."""

from __future__ import annotations

import pytest

from istio_convert import Outcome, convert

HEAD = "apiVersion: install.istio.io/v1alpha1\nkind: IstioOperator\nspec:\n"


@pytest.mark.parametrize(
    ("path", "value", "outcome"),
    [
        ("data.mesh", '"rootNamespace: x"', Outcome.MANUAL),  # istioctl reads such a text as YAML
        ("data.mesh", "{rootNamespace: x}", Outcome.MANUAL),
        ("data.mesh.rootNamespace", "x", Outcome.MANUAL),
        ("data.mesh", "plain text", Outcome.PATCH),
        ("metadata.annotations", "{a: b}", Outcome.PATCH),
    ],
)
def test_data_of_a_config_map_stay_texts(path: str, value: str, outcome: Outcome) -> None:
    overlay = f"{{kind: ConfigMap, name: istio, patches: [{{path: {path}, value: {value}}}]}}"
    conversion = convert(f"{HEAD}  components: {{pilot: {{k8s: {{overlays: [{overlay}]}}}}}}\n", to="1.25.3")
    found = {entry.outcome for entry in conversion.ledger.entries if "overlays" in entry.leaf.path}
    assert found == {outcome}
    assert bool([release for release in conversion.releases if release.patches]) is (outcome is Outcome.PATCH)
