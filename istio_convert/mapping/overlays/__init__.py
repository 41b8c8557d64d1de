"""Overlays as istioctl reads them, for gateways and the control plane alike.

In: the entries of ``k8s.overlays``. Out: steps of a path, and which leaves share whose fate.
``path.py`` parses and walks overlay paths; ``claims.py`` ties the kind, name and path of an overlay to its value;
``metrics.py`` finds places in metrics of autoscaling/v2beta1. What an overlay becomes is decided in
``controlplane/overlays.py`` and ``gateway/overlays.py``.
"""
