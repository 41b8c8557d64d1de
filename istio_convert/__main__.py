"""``python -m istio_convert``."""

from __future__ import annotations

from istio_convert.cli.main import main

if __name__ == "__main__":
    main()
