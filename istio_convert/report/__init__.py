"""The report of a conversion and its renderings."""
