"""The roots of the exception tree; nnrp_wire.errors draws and re-exports the whole of it."""

from __future__ import annotations

# typing is for type checkers only: importing it would be a third of the time that importing this package takes.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, ClassVar

    import numpy.typing as npt

    from .wire import Stage

__all__ = ["FieldOutOfRange", "NnrpError", "ReaderOverrun", "SlotFinished", "UsageError", "WireError"]


class NnrpError(Exception):
    """Everything this package raises on its own account."""


class WireError(NnrpError, ValueError):
    """Bytes, or values that were to become bytes, break a rule of the wire.

    One subclass per error class of wire.md section 10. Decoders and encoders raise the same class for the same breach.
    Attributes, None where they say nothing:

    - `rule`: the text of the broken rule, as in the table of the wire;
    - `stage`: the `Stage` whose check found it;
    - `layout`, `field`: names of the layout and field the rule is about;
    - `offset`: bytes from the start of the packet (or of the layout or region, when only that was given);
    - `expected`, `found`: numbers as they stand on the wire; for an enum `expected` is its name;
    - `rows`: from `scan` and the functions that make columns, the rows before the breach.
    """

    error_class: ClassVar[str] = "wire_error"
    rows: npt.NDArray[Any] | None = None

    def __init__(
        self,
        message: str = "",
        /,
        *,
        rule: str | None = None,
        stage: Stage | None = None,
        layout: str | None = None,
        field: str | None = None,
        offset: int = 0,
        expected: int | str | bytes | None = None,
        found: int | bytes | None = None,
    ) -> None:
        super().__init__(message)
        self.rule = rule
        self.stage = stage
        self.layout = layout
        self.field = field
        self.offset = offset
        self.expected = expected
        self.found = found


class UsageError(NnrpError):
    """Our caller broke a rule of this library; no peer is at fault."""


class FieldOutOfRange(UsageError, ValueError):
    """A value handed to a builder does not fit its field.

    Attributes: `layout`, `field`, `minimum`, `maximum`, `found`.
    """

    def __init__(
        self,
        message: str = "",
        /,
        *,
        layout: str | None = None,
        field: str | None = None,
        minimum: int = 0,
        maximum: int = 0,
        found: object = None,
    ) -> None:
        super().__init__(message)
        self.layout = layout
        self.field = field
        self.minimum = minimum
        self.maximum = maximum
        self.found = found


class SlotFinished(UsageError):
    """A ResultSlot was used after its terminal packet."""


class ReaderOverrun(UsageError):
    """A PacketReader was fed more than it may hold without being read from."""
