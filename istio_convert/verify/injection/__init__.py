"""The pod that runs: a rendered workload's pod after injection, as istiod's webhook and the API server make it.

The order is theirs: the API server's defaults (:mod:`.typed`), the injector's check of annotations
(:mod:`.annotations`), its templates (:mod:`.rewriting`, :mod:`.engine`) merged strategically, the pod's own containers
once more on top, what it does afterwards (:mod:`.rework`), and the API server's defaults again. What differs by
release is data (:mod:`.facts`).

Source of the facts: pkg/kube/inject of Istio's release tags.
"""

from istio_convert.verify.injection.config import InjectorConfig, Namespace, injectors, of_chart
from istio_convert.verify.injection.injector import Injected, inject, inject_all
from istio_convert.verify.injection.selection import Selected, selected, serving
from istio_convert.verify.injection.typed import defaulted

__all__ = [
    "Injected",
    "InjectorConfig",
    "Namespace",
    "Selected",
    "defaulted",
    "inject",
    "inject_all",
    "injectors",
    "of_chart",
    "selected",
    "serving",
]
