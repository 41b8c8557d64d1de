"""The charts that istioctl and Helm share: base, istiod, cni, ztunnel.

In: a component of an effective operator. Out: values and patches in its draft.
``passthrough.py`` gives a chart the values that it reads; ``settings.py`` applies k8s settings; ``overlays.py`` applies
overlays, and ``overlay_targets.py``, ``list_positions.py`` and ``precedence.py`` say where one leads. Then
``overridden_values.py`` and ``chart_owned_keys.py`` find what loses against them. Facts for all of these:
``effective_values.py`` (values in force), ``rendered_objects.py`` and ``value_sources.py`` (what a value renders).
"""
