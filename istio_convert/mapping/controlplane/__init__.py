"""The charts that istioctl and Helm share: base, istiod, cni, ztunnel.

In: a component of an effective operator. Out: values and patches in its draft.
``passthrough.py`` gives a chart the values that it reads; ``settings.py`` applies k8s settings; ``overlays.py`` applies
overlays, ``overlay_targets.py``, ``list_positions.py`` and ``precedence.py`` say where one leads; then
``overridden_values.py`` and ``chart_owned_keys.py`` find what loses against them.
"""
