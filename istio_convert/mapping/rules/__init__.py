"""The table: one entry for each field of the operator, and nothing else.

An entry says the field, the place in the values, the place in the manifest, why, and an example that runs as a test.
``general.py`` and ``spec.py``: fields of the operator; ``values.py``: values; ``workload.py``: k8s settings of the
control plane; ``gateway.py`` and ``gateway_pod.py``: gateways; ``chart_places.py``: values that decide one rendered
place; ``table.py`` joins all of them for ``rules``, ``explain``, docs and tests.
"""
