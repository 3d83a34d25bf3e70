"""`python -m nnrp_wire.cli`, the same command as `nnrp-wire`."""

from __future__ import annotations

import sys

from . import main

if __name__ == "__main__":
    sys.exit(main())
