"""Gateways, whose Helm chart is another than the one that istioctl uses.

In: a gateway of an effective operator. Out: values and patches of the gateway chart.
``inputs.py`` is what istioctl gives to its chart; ``objects.py`` builds the objects that this chart renders (with
``affinity.py``); ``overlays.py`` changes them as istioctl does; ``mapper.py`` looks up each place in the table;
``labels.py`` and ``remainder.py`` take care of identity and of what no entry is for.
"""
