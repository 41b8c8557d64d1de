"""One release in the making, and what is known about the leaves on the way.

In: values, patches and findings that the mappers bring. Out: the finished release, and claims that the engine settles.
``release.py`` holds values and decides what the chart does anyway; ``patches.py`` writes Kustomize patches;
``claims.py`` turns several findings about a leaf into one; ``control_plane.py`` names the objects of a control plane;
``strategic_merge.py``, ``trees.py``, ``template_text.py`` and ``image_tags.py`` are what all mappers need.
"""
