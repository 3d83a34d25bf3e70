"""`--summary`: counts by message type, by session, and of broken rules. Nothing is kept of a packet but its counts."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from ._model import Breach, Finding, Kind

# A recording may name any number of sessions; counts beyond these many are added up, so that memory stays bounded.
SESSIONS_KEPT = 10_000


@dataclass(slots=True)
class Count:
    """Packets, their bytes, and how many of them broke a rule."""

    packets: int = 0
    bytes: int = 0
    refused: int = 0

    def add(self, size: int, refused: bool) -> None:
        self.packets += 1
        self.bytes += size
        self.refused += refused

    def as_dict(self) -> dict[str, int]:
        return {"packets": self.packets, "bytes": self.bytes, "refused": self.refused}


@dataclass(slots=True)
class Summary:
    """What was seen so far."""

    total: Count = field(default_factory=Count)
    messages: dict[str, Count] = field(default_factory=dict)
    sessions: dict[int, Count] = field(default_factory=dict)
    other_sessions: Count = field(default_factory=Count)
    breaches: Counter[tuple[str, str]] = field(default_factory=Counter)
    warnings: Counter[tuple[str, str]] = field(default_factory=Counter)
    others: Counter[Kind] = field(default_factory=Counter)
    gap_bytes: int = 0

    def add(self, finding: Finding) -> None:
        piece = finding.piece
        self.breaches.update(map(_key, finding.breaches))
        self.warnings.update(map(_key, finding.warnings))
        if piece.kind is not Kind.PACKET:
            self.others[piece.kind] += 1
            self.gap_bytes += piece.size if piece.kind is Kind.GAP else 0
            return
        refused = bool(finding.breaches)
        self.total.add(piece.size, refused)
        self.messages.setdefault(finding.message, Count()).add(piece.size, refused)
        if finding.session_id is not None:
            self._session(finding.session_id).add(piece.size, refused)

    def _session(self, session_id: int) -> Count:
        count = self.sessions.get(session_id)
        if count is None:
            if len(self.sessions) >= SESSIONS_KEPT:
                return self.other_sessions
            count = self.sessions[session_id] = Count()
        return count

    def broken(self, strict: bool) -> bool:
        """Whether a rule was broken; under `strict` the rules of a sender and bytes outside all packets count too."""
        return bool(self.breaches or (strict and (self.warnings or self.others[Kind.GAP])))

    def as_dict(self) -> dict[str, Any]:
        return {
            "kind": "summary",
            **self.total.as_dict(),
            "messages": {name: count.as_dict() for name, count in sorted(self.messages.items())},
            "sessions": {str(session): count.as_dict() for session, count in sorted(self.sessions.items())},
            "other_sessions": self.other_sessions.as_dict(),
            "breaches": _rows(self.breaches),
            "warnings": _rows(self.warnings),
            "gaps": {"count": self.others[Kind.GAP], "bytes": self.gap_bytes},
            "ends": self.others[Kind.END],
            "foreign": self.others[Kind.FOREIGN],
            "unreadable": self.others[Kind.UNREADABLE],
        }

    def sentence(self) -> str:
        """The one line that closes a listing."""
        words = [
            _many(self.total.packets, "packet"),
            f"{self.total.refused} refused" if self.total.refused else "",
            _many(sum(self.warnings.values()), "sender note") if self.warnings else "",
            _many(self.others[Kind.END], "end", "s of stream", " of stream") if self.others[Kind.END] else "",
            f"{self.others[Kind.FOREIGN]} not NNRP" if self.others[Kind.FOREIGN] else "",
            _many(self.others[Kind.UNREADABLE], "unreadable row") if self.others[Kind.UNREADABLE] else "",
            f"{self.gap_bytes} bytes outside all packets" if self.others[Kind.GAP] else "",
        ]
        return ", ".join(filter(None, words))


def _many(count: int, noun: str, plural: str = "s", singular: str = "") -> str:
    return f"{count} {noun}{singular if count == 1 else plural}"


def _key(breach: Breach) -> tuple[str, str]:
    return breach.stage, breach.error


def _rows(counter: Counter[tuple[str, str]]) -> list[dict[str, Any]]:
    return [{"stage": stage, "error": error, "count": count} for (stage, error), count in counter.most_common()]
