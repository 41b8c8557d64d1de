"""The prose of the README that each target's folder carries."""
