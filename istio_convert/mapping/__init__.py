"""Mapping rules (tables) and the engine that applies them and writes the ledger."""
