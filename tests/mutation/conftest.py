"""Makes the list beside the test importable; the test itself is imported without its folder on the path."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
