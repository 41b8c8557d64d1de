"""Small pure functions that turn a field into the form that a chart's value has.

In: the node of a field, and facts about the chart. Out: a value, a patch for the rest, or both.
``general.py`` is for all charts (env, metrics, strategies, Service ports); ``gateway.py`` for places of a gateway's
pod; ``gateway_defaults.py`` says what istioctl's chart puts into every gateway; ``env_order.py`` keeps the order of
variables that refer to others. A rule names its converter; nothing here knows a rule.
"""
