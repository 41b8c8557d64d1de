"""The IstioOperator: its typed shape, merging as istioctl merges, the effective operator and its components."""
