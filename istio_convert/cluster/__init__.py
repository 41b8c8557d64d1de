"""A running cluster as the input: what is read, and what of Istio is found in it. Nothing is ever written.

``kinds.py`` is the table of what is read, and of the role that this needs; ``reading.py`` runs ``kubectl get``;
``inventory.py`` finds operators, control planes, gateways, tags and owners in the objects; ``show.py`` prints them.
"""

from __future__ import annotations

from istio_convert.cluster.inventory import Gateway, Inventory, Operator, Plane, Tag, take_inventory
from istio_convert.cluster.kinds import KINDS, cluster_role
from istio_convert.cluster.reading import Kubectl, Reading, read_cluster
from istio_convert.cluster.show import to_data, to_text

__all__ = [
    "KINDS",
    "Gateway",
    "Inventory",
    "Kubectl",
    "Operator",
    "Plane",
    "Reading",
    "Tag",
    "cluster_role",
    "read_cluster",
    "take_inventory",
    "to_data",
    "to_text",
]
