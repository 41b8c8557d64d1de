"""The fuzzer: ``python -m tests.fuzz``, or ``make fuzz``."""
