"""What can go wrong before a packet is seen. The tree: NnrpError → CliError → ContainerError → NoPackets."""

from __future__ import annotations

from ..errors import NnrpError


class CliError(NnrpError):
    """The command cannot do what it was asked; the message is the one line that the user reads."""


class ContainerError(CliError):
    """The file, the hex text or the capture JSON around the packets cannot be read."""


class NoPackets(ContainerError):
    """The input was read to its end and nothing in it starts like a packet."""
