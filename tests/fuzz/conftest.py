"""Makes the targets beside the tests importable; the tests themselves are imported without their folder on the path."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
