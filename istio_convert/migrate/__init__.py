"""The way over: runbook and scripts from a conversion."""
