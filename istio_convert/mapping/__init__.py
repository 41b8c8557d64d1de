"""From effective operators to releases and ledger: mapping rules, and the engine that applies them.

In: an operator with its profile laid under it. Out: releases (values and patches), and one entry for every leaf.
``rules/`` is the table: open it to see where a field goes, or to add one. ``engine.py`` goes through the components and
alone writes the ledger. ``controlplane/`` and ``gateway/`` apply the table to the two kinds of charts. The packages are
layers, from the ground up: ``model``, ``draft``, ``converters``, ``rules``, ``overlays``, ``controlplane``,
``gateway``, ``checks``, ``engine``; tests/test_layers.py keeps the order.
"""
