"""All exceptions of nnrp-wire.

    NnrpError
    ├── WireError (also a ValueError)        bytes or values break a rule of the wire: the peer, or who built the packet
    │   ├── SourceTooShort                   ├── DestinationTooShort
    │   ├── InvalidMagic                     ├── UnsupportedVersionMajor
    │   ├── UnsupportedWireFormat            ├── InvalidHeaderLength
    │   ├── UnknownMessageType               ├── UnknownEnumValue
    │   ├── ReservedBitsSet                  ├── NonZeroReservedField
    │   ├── InvalidProtocolCombination       ├── PacketLengthMismatch
    │   ├── DeclaredLengthMismatch           ├── MessageLengthOverflow
    │   ├── FrameTooLarge                    ├── UnexpectedMessage
    │   └── InvalidRecoveryTicket
    └── UsageError                           our caller broke a rule of this library
        ├── FieldOutOfRange (also a ValueError)
        ├── SlotFinished
        └── ReaderOverrun

The subclasses of WireError are the error classes of wire.md section 10 whose layer is the codec, generated from the
table. A buffer that is not contiguous raises the builtin BufferError, a value of a wrong type or an unknown field name
TypeError.
"""

from __future__ import annotations

from ._error_classes_generated import (
    WIRE_ERRORS,
    DeclaredLengthMismatch,
    DestinationTooShort,
    FrameTooLarge,
    InvalidHeaderLength,
    InvalidMagic,
    InvalidProtocolCombination,
    InvalidRecoveryTicket,
    MessageLengthOverflow,
    NonZeroReservedField,
    PacketLengthMismatch,
    ReservedBitsSet,
    SourceTooShort,
    UnexpectedMessage,
    UnknownEnumValue,
    UnknownMessageType,
    UnsupportedVersionMajor,
    UnsupportedWireFormat,
)
from ._errors_base import FieldOutOfRange, NnrpError, ReaderOverrun, SlotFinished, UsageError, WireError

# Tracebacks and pickles name the module that people import from.
for _class in (*WIRE_ERRORS, FieldOutOfRange, NnrpError, ReaderOverrun, SlotFinished, UsageError, WireError):
    _class.__module__ = __name__
del _class

__all__ = [
    "WIRE_ERRORS",
    "DeclaredLengthMismatch",
    "DestinationTooShort",
    "FieldOutOfRange",
    "FrameTooLarge",
    "InvalidHeaderLength",
    "InvalidMagic",
    "InvalidProtocolCombination",
    "InvalidRecoveryTicket",
    "MessageLengthOverflow",
    "NnrpError",
    "NonZeroReservedField",
    "PacketLengthMismatch",
    "ReaderOverrun",
    "ReservedBitsSet",
    "SlotFinished",
    "SourceTooShort",
    "UnexpectedMessage",
    "UnknownEnumValue",
    "UnknownMessageType",
    "UnsupportedVersionMajor",
    "UnsupportedWireFormat",
    "UsageError",
    "WireError",
]
