"""The command `nnrp-wire`: look into NNRP bytes (`inspect`) and into the table of the wire (`layouts`).

Here lives what turns bytes into something a person or a script can read: containers, splitting, description, rendering.
What does not live here: any knowledge of offsets, sizes or rules, which all comes from `nnrp_wire.wire`.
Run it as `nnrp-wire …` or `python -m nnrp_wire.cli …`; it needs the extra `cli` (typer and rich).
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

__all__ = ["main"]

_EXTRA = frozenset({"click", "rich", "typer"})


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command with `argv` (default: the process's arguments) and return its exit code.

    0 read, 1 nothing could be read, 2 usage (a missing extra included), 3 rules broken under `--strict`,
    130 interrupted, 141 the reader of our output went away.
    """
    try:
        from ._app import run  # imported late: `import nnrp_wire.cli` must not need the extra
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in _EXTRA:
            raise
        print("nnrp-wire: the command needs typer and rich: pip install nnrp-wire[cli]", file=sys.stderr)
        return 2
    try:
        return run(argv)
    except KeyboardInterrupt:  # between the parts that answer for themselves
        return 130
