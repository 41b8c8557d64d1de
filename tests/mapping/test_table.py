"""The table itself: ids, words, and that nothing depends on its order."""

from __future__ import annotations

import random
from typing import Any

import pytest

from istio_convert import Conversion, convert
from istio_convert.mapping.checks import unclaimed_leaves
from istio_convert.mapping.controlplane import settings
from istio_convert.mapping.gateway import mapper
from istio_convert.mapping.rules.table import manifest_side, rules, value_side

OPERATOR = """
apiVersion: install.istio.io/v1alpha1
kind: IstioOperator
spec:
  addonComponents: {kiali: {enabled: true}, other: {enabled: false}}
  components:
    pilot:
      k8s:
        hpaSpec: {minReplicas: 2, scaleTargetRef: {name: istiod}, metrics: []}
        env: [{name: A, value: "1"}]
        strategy: {type: Recreate}
    ingressGateways:
      - name: istio-ingressgateway
        enabled: true
        k8s:
          resources: {requests: {cpu: 300m}}
          overlays:
            - kind: Deployment
              name: istio-ingressgateway
              patches:
                - {path: spec.template.spec.dnsPolicy, value: None}
                - {path: spec.template.spec.hostNetwork, value: true}
"""


def outcome(conversion: Conversion) -> Any:
    return (
        [(e.leaf.path, e.outcome, e.rule, set(e.places), e.reason) for e in conversion.ledger.entries],
        [(r.name, r.values_data(), {p.target: p.body for p in r.patches}) for r in conversion.releases],
    )


@pytest.mark.parametrize("seed", range(5))
def test_the_order_of_the_table_does_not_matter(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = outcome(convert(OPERATOR, to="1.25.3"))
    for module, name in ((settings, "SLOTS"), (mapper, "GATEWAY_SLOTS"), (unclaimed_leaves, "FIELD_RULES")):
        table = list(getattr(module, name))
        random.Random(seed).shuffle(table)
        monkeypatch.setattr(module, name, tuple(table))
    assert outcome(convert(OPERATOR, to="1.25.3")) == expected


def test_every_rule_says_why_in_one_sentence() -> None:
    for rule in rules():
        assert rule.why, rule.id
        assert "\n" not in rule.why, rule.id
        assert rule.source, rule.id


def test_rules_about_places_name_them() -> None:
    sides = {rule.id: (value_side(rule), manifest_side(rule)) for rule in rules()}
    assert sides["k8s.affinity"] == (
        "pilot.affinity (pilot), cni.affinity (cni), affinity (ztunnel)",
        "Deployment/DaemonSet spec.template.spec.affinity",
    )
    assert sides["gateway.lifecycle"][0] == "lifecycle"
