"""The tables of mapping rules."""
