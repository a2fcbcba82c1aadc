"""The legal messages of each phase, with senders and receivers: one table, enforced by the board.

The diagram in the documentation is printed from this table (`diagram()`), so it cannot be out of
date. A message that the table does not list is refused and counted; the session goes on.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from ...errors import Reason, Refused
from ..wire.messages import Kind
from ..wire.parties import Role

BOARD = "board"


class Phase(StrEnum):
    """The phase of a session, as the board shows it."""

    OPENING = "opening"
    ANNOUNCED = "announced"
    COLLECTING = "collecting"
    MIXING = "mixing"
    CHALLENGED = "challenged"
    TALLIED = "tallied"
    DECIDED = "decided"
    BURNT = "burnt"
    OVER = "over"


@dataclass(frozen=True, slots=True)
class Move:
    """A legal message: its senders, its receivers (`board`: all parties), and the next phase.

    Attributes:
        speakers: the roles that may send it.
        hearers: the roles that may receive it; `board`: all parties.
        then: the phase that follows.
    """

    speakers: frozenset[Role]
    hearers: frozenset[str]
    then: Phase


def _move(speakers: str, hearers: str, then: Phase) -> Move:
    return Move(
        frozenset(Role(name) for name in speakers.split()), frozenset(hearers.split()), then
    )


_CALL = _move("curator", BOARD, Phase.COLLECTING)
_BURNED = _move("curator shuffler analyst", BOARD, Phase.BURNT)
_CLOSED = _move("curator", BOARD, Phase.OVER)


def _head(phase: Phase) -> Mapping[Kind, Move]:
    """Return the move of the board's signed head, in sessions with signed posts."""
    return {Kind.HEAD: _move("board", BOARD, phase)}


def _alarm(phase: Phase) -> Mapping[Kind, Move]:
    """Return the move of an alarm, which is legal at any time and does not change the phase."""
    return {Kind.ALARM: _move("user curator shuffler analyst", BOARD, phase)}


def _roll(phase: Phase) -> Mapping[Kind, Move]:
    """Return the move of a reader's roll of users with tokens; it may arrive after its tally."""
    return {Kind.ROLL: _move("curator analyst", "curator analyst", phase)}


MOVES: Mapping[Phase, Mapping[Kind, Move]] = {
    Phase.OPENING: {
        Kind.ROSTER: _move("curator", BOARD, Phase.OPENING),
        Kind.KEY: _move("shuffler analyst", BOARD, Phase.OPENING),
        Kind.REGISTRY: _move("curator", BOARD, Phase.OPENING),
        Kind.ANNOUNCEMENT: _move("curator", BOARD, Phase.ANNOUNCED),
        Kind.BURNED: _BURNED,
    },
    Phase.ANNOUNCED: {
        Kind.CONSENT: _move("shuffler analyst", BOARD, Phase.ANNOUNCED),
        Kind.DECISION: _move("curator", BOARD, Phase.DECIDED),
        Kind.CALL: _CALL,
        Kind.BURNED: _BURNED,
        **_alarm(Phase.ANNOUNCED),
    },
    Phase.COLLECTING: {
        Kind.MINT: _move("curator analyst randomness", BOARD, Phase.COLLECTING),
        Kind.ASK: _move("user", f"curator analyst {BOARD}", Phase.COLLECTING),
        Kind.GRANT: _move("curator analyst", "user", Phase.COLLECTING),
        Kind.GRANTED: _move("curator analyst", BOARD, Phase.COLLECTING),
        Kind.QUERY: _move("user", "randomness", Phase.COLLECTING),
        Kind.EVALUATED: _move("randomness", "user", Phase.COLLECTING),
        Kind.SHARE: _move("shuffler curator analyst", BOARD, Phase.COLLECTING),
        Kind.SUBMISSION: _move("user", "shuffler curator analyst", Phase.COLLECTING),
        Kind.KEYS: _move("shuffler curator analyst", BOARD, Phase.COLLECTING),
        Kind.HANDED: _move("shuffler curator analyst", BOARD, Phase.COLLECTING),
        Kind.CHECKED: _move("shuffler curator analyst", BOARD, Phase.COLLECTING),
        Kind.SHUFFLED: _move("shuffler", BOARD, Phase.MIXING),
        Kind.ACCEPTED: _move("shuffler", BOARD, Phase.COLLECTING),
        Kind.COIN: _move("shuffler curator analyst", BOARD, Phase.COLLECTING),
        Kind.MIXED: _move("shuffler", BOARD, Phase.MIXING),
        Kind.BURNED: _BURNED,
        **_head(Phase.COLLECTING),
        **_roll(Phase.COLLECTING),
        **_alarm(Phase.COLLECTING),
    },
    Phase.MIXING: {
        Kind.BATCH: _move("shuffler", "shuffler curator analyst", Phase.MIXING),
        Kind.MIXED: _move("shuffler", BOARD, Phase.MIXING),
        Kind.ISSUED: _move("curator analyst", BOARD, Phase.MIXING),
        Kind.TALLY: _move("curator analyst", BOARD, Phase.TALLIED),
        Kind.BURNED: _BURNED,
        Kind.TRACED: _move("shuffler", BOARD, Phase.MIXING),
        Kind.TOSS: _move("shuffler curator analyst", BOARD, Phase.MIXING),
        Kind.OPENED: _move("shuffler", BOARD, Phase.MIXING),
        Kind.SHUFFLED: _move("shuffler", BOARD, Phase.MIXING),
        Kind.SHARED: _move("shuffler curator analyst", BOARD, Phase.MIXING),
        Kind.HEARD: _move("curator analyst", BOARD, Phase.CHALLENGED),
        **_roll(Phase.MIXING),
        **_alarm(Phase.MIXING),
    },
    Phase.CHALLENGED: {
        Kind.SHOWN: _move("shuffler", BOARD, Phase.CHALLENGED),
        Kind.ISSUED: _move("curator analyst", BOARD, Phase.CHALLENGED),
        Kind.TALLY: _move("curator analyst", BOARD, Phase.TALLIED),
        Kind.BURNED: _BURNED,
        **_roll(Phase.CHALLENGED),
        **_alarm(Phase.CHALLENGED),
    },
    Phase.TALLIED: {
        Kind.CALL: _CALL,
        Kind.DECISION: _move("curator", BOARD, Phase.DECIDED),
        Kind.COMMITTED: _move("curator", BOARD, Phase.DECIDED),
        Kind.CERTIFICATE: _move("curator", BOARD, Phase.TALLIED),
        Kind.BURNED: _BURNED,
        Kind.CLOSED: _CLOSED,
        **_roll(Phase.TALLIED),
        **_alarm(Phase.TALLIED),
    },
    Phase.DECIDED: {
        Kind.CALL: _CALL,
        Kind.BURNED: _BURNED,
        Kind.CLOSED: _CLOSED,
        **_roll(Phase.DECIDED),
        **_alarm(Phase.DECIDED),
    },
    Phase.BURNT: {Kind.CLOSED: _CLOSED, **_alarm(Phase.BURNT)},
    Phase.OVER: {**_head(Phase.OVER), **_alarm(Phase.OVER)},
}

_DUE = (Kind.ASK, Kind.SUBMISSION)  # messages of a user, while answers are collected
_COLLECTED = frozenset(Phase) - {Phase.OPENING, Phase.ANNOUNCED, Phase.COLLECTING}


def follow(phase: Phase, kind: Kind, speaker: Role, hearer: str) -> Phase:
    """Any party: the phase after a message, or Refused if the table does not allow it now.

    A user's request or submission after the collection is late; every other message out of turn is
    unexpected.
    """
    move = MOVES[phase].get(kind)
    if move and speaker in move.speakers and hearer in move.hearers:
        return move.then
    late = kind in _DUE and speaker is Role.USER and phase in _COLLECTED
    raise Refused(Reason.LATE if late else Reason.UNEXPECTED)


def diagram() -> str:
    """Return the table as a Mermaid state diagram: messages, and the initials of their senders.

    Receivers are named unless all parties receive the message. Messages of the same senders,
    receivers and phases share a line.
    """
    lines = ["stateDiagram-v2", f"    [*] --> {Phase.OPENING}"]
    for phase, moves in MOVES.items():
        equal_moves: dict[tuple[str, str], list[str]] = {}
        for kind, move in moves.items():
            ends = _initials(move.speakers)
            if move.hearers != {BOARD}:
                ends += f" to {_initials(move.hearers)}"
            equal_moves.setdefault((move.then, ends), []).append(kind.name.lower())
        lines += [
            f"    {phase} --> {then}: {', '.join(names)} ({ends})"
            for (then, ends), names in equal_moves.items()
        ]
    return "\n".join([*lines, f"    {Phase.OVER} --> [*]"])


def _initials(roles: Iterable[str]) -> str:
    return "".join(sorted(role[0].upper() for role in roles))
