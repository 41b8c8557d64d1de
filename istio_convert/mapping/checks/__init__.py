"""After the fact: what only shows when all mappers are done.

In: drafts and open leaves. Out: findings and warnings.
``unclaimed_leaves.py`` names every leaf that no rule took; ``conflicts.py`` compares one release from two operators;
``cluster_singletons.py`` settles what exists once per cluster; ``unwritable_names.py`` finds keys that Kustomize cannot
write; ``spelling.py`` warns of names that nobody knows, ``suggestions.py`` says what was meant.
"""
