"""The moves of a run: what the page is given, one after the other.

Everything that happened is a move, whoever saw it; the page shows of it what the chosen eyes see.

    post     a message on the board: everybody sees it
    send     a person hands in an envelope: seen by both ends, and by the network
    batch    a shuffler hands on all it has opened: the same
    silent   a person sealed an envelope and sent none: its own knowledge
    count    a reader opened and counted a round: its own knowledge
    refuse   a party refused messages: its own knowledge, until its account is on the board

An onion is called by the number `person * questions + question` of its round, so that it has the
same number wherever it is; the page uses it only where the eyes can follow the onion. What nobody
sealed is -1.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

Answers = tuple[tuple[str, ...], ...]  # per question of the round, the values said
Tables = tuple[tuple[tuple[tuple[str, ...], int], ...], ...]  # per question, values and people


@dataclass(frozen=True, slots=True)
class Post:
    """A message on the board. facts: what the page needs of it beside the sentence."""

    author: str
    kind: str
    round: int
    says: str
    facts: Mapping[str, Any] = field(default_factory=dict)

    def plain(self) -> dict[str, Any]:
        """Give the move as the page reads it."""
        return {
            "what": "post",
            "by": self.author,
            "kind": self.kind,
            "round": self.round,
            "says": self.says,
            **self.facts,
        }


@dataclass(frozen=True, slots=True)
class Send:
    """An envelope on its way to the first shuffler.

    person: index from 0, -1 if no person sent it. answers: what was sealed, told with the first
    envelope of a round only. fault: `altered`, `repeated`, `late`, `uninvited`, `copied`, `forged`,
    or "" for none. linked: whether it is the envelope this person sealed, so that whoever opens it
    knows who said it. copies: whose envelope it is a copy of, the person's own if of nobody's.
    """

    sender: str
    receiver: str
    round: int
    person: int
    answers: Answers | None
    fault: str
    linked: bool
    copies: int = -1

    def plain(self) -> dict[str, Any]:
        """Give the move as the page reads it."""
        plain: dict[str, Any] = {
            "what": "send",
            "by": self.sender,
            "to": self.receiver,
            "round": self.round,
            "person": self.person,
        }
        if self.answers is not None:
            plain["answers"] = self.answers
        if self.fault:
            plain["fault"] = self.fault
        if not self.linked:
            plain["unlinked"] = True
        if self.fault == "copied":
            plain["copies"] = self.copies
        return plain


@dataclass(frozen=True, slots=True)
class Silent:
    """Somebody who had sealed an envelope has not sent it in time."""

    person: int
    round: int
    answers: Answers

    def plain(self) -> dict[str, Any]:
        """Give the move as the page reads it."""
        return {
            "what": "silent",
            "by": f"user-{self.person + 1}",
            "round": self.round,
            "person": self.person,
            "answers": self.answers,
        }


@dataclass(frozen=True, slots=True)
class Batch:
    """All onions that leave a shuffler, in the order in which they leave."""

    sender: str
    receiver: str
    round: int
    onions: tuple[int, ...]

    def plain(self) -> dict[str, Any]:
        """Give the move as the page reads it."""
        return {
            "what": "batch",
            "by": self.sender,
            "to": self.receiver,
            "round": self.round,
            "onions": self.onions,
        }


@dataclass(frozen=True, slots=True)
class Count:
    """A reader has opened the last layer: per question the values, and how many said them."""

    reader: str
    round: int
    counts: Tables

    def plain(self) -> dict[str, Any]:
        """Give the move as the page reads it."""
        return {"what": "count", "by": self.reader, "round": self.round, "counts": self.counts}


@dataclass(frozen=True, slots=True)
class Refuse:
    """Messages that a party refused.

    envelopes: which, where that is known, as numbers of the session's envelopes from 0.
    """

    party: str
    round: int
    reason: str
    number: int
    envelopes: tuple[int, ...] = ()

    def plain(self) -> dict[str, Any]:
        """Give the move as the page reads it."""
        return {
            "what": "refuse",
            "by": self.party,
            "round": self.round,
            "reason": self.reason,
            "number": self.number,
            "envelopes": self.envelopes,
        }


Move = Post | Send | Silent | Batch | Count | Refuse
