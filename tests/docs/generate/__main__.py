"""The command."""

from __future__ import annotations

import sys

from tests.docs.generate import generated, outdated
from tests.docs.pages import ROOT


def main() -> int:
    """Write or check; 1 when a page is out of date."""
    found = outdated()
    for page in found:
        if "--check" not in sys.argv:
            (ROOT / page).write_text(generated(page), encoding="utf-8")
        print(page)
    return int("--check" in sys.argv and bool(found))


sys.exit(main())
