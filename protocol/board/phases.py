"""The legal messages of each phase and of each round: two tables, enforced by the bulletin board.

`MOVES` lists for each phase the messages, their senders and receivers, and the next phase. The
diagram in the documentation is printed from this table (`diagram()`), so the two agree. `TURNS`
lists for each kind of post the parties that post it in a round, and the posts that come before. A
message that the tables do not list is refused and counted; the session goes on.

The state that the tables read is `Progress`. The content of a post is checked after its turn
(post_content.py).
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from ...errors import Reason, Refused
from ..wire.announcement import Announcement, Program
from ..wire.messages import Kind
from ..wire.parties import CURATOR, RANDOMNESS, Role, paired, role

if TYPE_CHECKING:
    from ..rounds.round_context import Round

BOARD = "board"


class Phase(StrEnum):
    """The phase of a session; the table MOVES lists the legal messages of each phase.

    OPENING: parties post keys. ANNOUNCED: the curator has posted the announcement. COLLECTING:
    users submit to a round. MIXING: shufflers forward. CHALLENGED: users look for missing ballots.
    TALLIED: counts are posted. DECIDED: the decision is posted. BURNT: the round was aborted.
    OVER: the session has ended.
    """

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
    """A legal message of a phase: its senders, its receivers, and the phase that follows.

    Attributes:
        speakers: the roles that may send it.
        hearers: the roles that may receive it; `board`: all parties, since it is posted.
        then: the phase that follows.
    """

    speakers: frozenset[Role]
    hearers: frozenset[str]
    then: Phase


def _move(speakers: str, hearers: str, then: Phase) -> Move:
    """Return the entry of a message that may be sent: its senders and receivers.

    speakers and hearers: role names, separated by spaces. then: the phase after the message.
    """
    return Move(
        frozenset(Role(name) for name in speakers.split()), frozenset(hearers.split()), then
    )


_CALL = _move("curator", BOARD, Phase.COLLECTING)
_BURNED = _move("curator shuffler analyst", BOARD, Phase.BURNT)
_CLOSED = _move("curator", BOARD, Phase.OVER)


def _head(phase: Phase) -> Mapping[Kind, Move]:
    """Return the table entry of the board's signed tree head, which does not change the phase.

    A signed tree head is the board's signature over its whole log.
    """
    return {Kind.HEAD: _move("board", BOARD, phase)}


def _alarm(phase: Phase) -> Mapping[Kind, Move]:
    """Return the table entry of an alarm, which is always legal and does not change the phase."""
    return {Kind.ALARM: _move("user curator shuffler analyst", BOARD, phase)}


def _roll(phase: Phase) -> Mapping[Kind, Move]:
    """Return the table entry of the roll: the list of users that got tokens in a round.

    The curator sends the roll to the analyst, or the analyst to the curator, also after the tally.
    A token is a blind credential for one submission. phase: the phase, which stays.
    """
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

# messages of users that are refused as late after the collection; other messages out of turn are
# refused as unexpected
_DUE = (Kind.ASK, Kind.SUBMISSION)
_COLLECTED = frozenset(Phase) - {Phase.OPENING, Phase.ANNOUNCED, Phase.COLLECTING}


def follow(phase: Phase, kind: Kind, speaker: Role, hearer: str) -> Phase:
    """Any party: return the phase after a message; Refused if the table does not allow it now.

    kind: the kind of message. speaker, hearer: the roles of sender and receiver; hearer `board`: a
    post. A user's request or submission after the collection is refused as late; every other
    message out of turn as unexpected.
    """
    move = MOVES[phase].get(kind)
    if move and speaker in move.speakers and hearer in move.hearers:
        return move.then
    late = kind in _DUE and speaker is Role.USER and phase in _COLLECTED
    raise Refused(Reason.LATE if late else Reason.UNEXPECTED)


@dataclass(frozen=True, slots=True)
class PostTurn:
    """The parties that post a kind of message in a round, and the posts that must come before.

    Attributes:
        parties: the name of a set of parties in PARTIES; empty: every party of the senders' roles.
        rules: names in RULES: the session has such posts if one of these rules applies; empty: it
            always has them.
        prerequisites: kinds of posts; all parties that owe them must have posted them before.
        in_order: whether each party waits for the party before it.
        repeats: whether a party may post this kind again in the same round.
    """

    parties: str = ""
    rules: tuple[str, ...] = ()
    prerequisites: tuple[Kind, ...] = ()
    in_order: bool = False
    repeats: bool = False


def _turn(parties: str, rules: str, *prerequisites: Kind, in_order: bool = False) -> PostTurn:
    """Return the entry of a kind of post in the table TURNS.

    parties: a name in PARTIES. rules: names in RULES, separated by spaces. prerequisites: kinds
    that must be posted before. in_order: whether the parties post one after the other.
    """
    return PostTurn(parties, tuple(rules.split()), prerequisites, in_order)


TURNS: Mapping[Kind, PostTurn] = {
    Kind.ROSTER: PostTurn(),
    Kind.KEY: PostTurn(),
    Kind.REGISTRY: PostTurn(),
    Kind.ANNOUNCEMENT: PostTurn(),
    Kind.CONSENT: PostTurn("keyholders", repeats=True),
    Kind.CALL: PostTurn(prerequisites=(Kind.CONSENT,), repeats=True),
    Kind.HEAD: PostTurn(repeats=True),
    Kind.ALARM: PostTurn("members", repeats=True),
    Kind.BURNED: PostTurn("members"),
    Kind.CLOSED: PostTurn(),
    # posts about tokens (blind credentials for a submission)
    Kind.MINT: _turn("minter", "tokens threshold"),
    Kind.ASK: _turn("", "tokens", Kind.MINT),
    Kind.GRANTED: PostTurn("reader", ("tokens",), (Kind.MINT,), repeats=True),
    Kind.ISSUED: _turn("reader", "tokens", Kind.MINT),
    # posts of a mix of onions, and of its countermeasures challenge and audit
    Kind.SHARE: _turn("openers", "challenge"),
    Kind.COIN: _turn("openers", "audit"),
    Kind.ACCEPTED: _turn("first", "challenge audit"),
    Kind.MIXED: _turn("shufflers", "onions", Kind.COIN, Kind.ACCEPTED, in_order=True),
    Kind.TRACED: _turn("paired", "audit"),
    Kind.TOSS: _turn("openers", "audit", Kind.MIXED, Kind.TRACED),
    Kind.OPENED: _turn("paired", "audit", Kind.TOSS),
    Kind.HEARD: _turn("reader", "challenge", Kind.MIXED, Kind.OPENED),
    Kind.SHOWN: _turn("shufflers", "challenge"),
    # posts of a verified mix, in which every step is proved
    Kind.KEYS: _turn("key owners", "verified"),
    Kind.HANDED: _turn("doors", "verified", Kind.KEYS, in_order=True),
    Kind.CHECKED: _turn("openers", "verified", Kind.HANDED),
    Kind.SHUFFLED: _turn("shufflers", "verified", Kind.CHECKED, in_order=True),
    Kind.SHARED: _turn("sharers", "verified", Kind.SHUFFLED),
    # posts of curator and analyst: counts and decision
    Kind.TALLY: PostTurn(
        "reader", prerequisites=(Kind.MIXED, Kind.OPENED, Kind.SHOWN, Kind.SHARED, Kind.ISSUED)
    ),
    Kind.DECISION: _turn("", "public threshold"),
    Kind.COMMITTED: _turn("", "committed"),
    Kind.CERTIFICATE: _turn("", "committed"),
}
BEFORE_CALLS = (Kind.ROSTER, Kind.KEY, Kind.REGISTRY, Kind.ANNOUNCEMENT, Kind.CONSENT)

RULES: Mapping[str, Callable[[Announcement], bool]] = {
    "tokens": lambda announced: announced.rules.tokens,
    "challenge": lambda announced: announced.rules.challenge,
    "audit": lambda announced: announced.rules.audit,
    "verified": lambda announced: announced.rules.verified,
    "onions": lambda announced: not announced.rules.verified,
    "threshold": lambda announced: announced.program is Program.THRESHOLD,
    "public": lambda announced: announced.policy.publish_marginals,
    "committed": lambda announced: announced.commits,
}
PARTIES: Mapping[str, Callable[["Progress"], Collection[str]]] = {
    "keyholders": lambda at: at.authors_of(Kind.KEY),
    "members": lambda at: {CURATOR, *at.authors_of(Kind.KEY)},
    "openers": lambda at: at.round.openers,
    "shufflers": lambda at: at.round.openers[:-1],
    "first": lambda at: at.round.openers[:1],
    "paired": lambda at: at.round.openers[: paired(len(at.round.openers) - 1)],
    "reader": lambda at: at.round.openers[-1:],
    "minter": lambda at: (RANDOMNESS,) if at.round.shape else at.round.openers[-1:],
    "key owners": lambda at: at.round.key_owners,
    "doors": lambda at: at.round.doors,
    "sharers": lambda at: at.round.openers if at.round.is_public else at.round.openers[:-1],
}


@dataclass(slots=True)
class Progress:
    """The state of a session that the tables of legal messages read; base class of `BoardState`.

    Attributes:
        phase: the phase of the session.
        announcement: the session's announcement; None before it is posted.
        plan: the current round, with its sizes and keys; None before the first call (a round's
            query).
        authors: the parties that have posted, by round (0: before the first call) and kind of post.
    """

    phase: Phase = Phase.OPENING
    announcement: Announcement | None = None
    plan: "Round | None" = field(default=None, compare=False)
    authors: dict[tuple[int, Kind], set[str]] = field(default_factory=dict)

    @property
    def number(self) -> int:
        """The number of the current round; 0 before the first round's query is posted."""
        return self.plan.call.round if self.plan else 0

    @property
    def announced(self) -> Announcement:
        """The session's announcement; to be read only after it is posted."""
        assert self.announcement is not None  # noqa: S101 - callers read it after it is posted
        return self.announcement

    @property
    def round(self) -> "Round":
        """The current round; to be read only after its call (the round's query) is posted."""
        assert self.plan is not None  # noqa: S101 - callers read it after the first call
        return self.plan

    def next_phase(self, author: str, kind: Kind) -> Phase:
        """Return the phase after a post.

        Refused unless it is the author's turn to post this kind.
        """
        then = follow(self.phase, kind, role(author), BOARD)
        if not self._has_turn(author, kind):
            raise Refused(Reason.UNEXPECTED)
        return then

    def advance(self, author: str, kind: Kind, number: int, then: Phase) -> None:
        """Note that a party's post was accepted, and enter the next phase.

        number: the round of the post. then: the phase that follows.
        """
        self.phase = then
        self.authors.setdefault((number, kind), set()).add(author)

    def authors_of(self, kind: Kind) -> Collection[str]:
        """Return the parties that have posted a kind of message in this round.

        Some kinds, such as keys, are posted before the first round; then these early posts count.
        """
        return self.authors.get((0 if kind in BEFORE_CALLS else self.number, kind), ())

    def is_complete(self, kind: Kind) -> bool:
        """Whether all parties that must post a kind of message in this round have done so.

        True if the session has no such posts.
        """
        due = self._parties(kind) if self._has_rule(kind) else ()
        return set(due) <= set(self.authors_of(kind))

    def _has_turn(self, author: str, kind: Kind) -> bool:
        """Whether a party may post a kind of message now.

        Parties in the table TURNS are compared by name. Users are not compared, because all users
        have the same turns.
        """
        turn, posted = TURNS[kind], self.authors_of(kind)
        if not self._has_rule(kind):
            return False
        listed = turn.parties and role(author) is not Role.USER
        due = tuple(self._parties(kind)) if listed else (author,)
        due = due[len(posted) :][:1] if turn.in_order else due
        fresh = turn.repeats or author not in posted
        return author in due and fresh and all(map(self.is_complete, turn.prerequisites))

    def _has_rule(self, kind: Kind) -> bool:
        """Whether the announced rules of this session allow posts of this kind."""
        rules, announced = TURNS[kind].rules, self.announcement
        return not rules or (announced is not None and any(RULES[r](announced) for r in rules))

    def _parties(self, kind: Kind) -> Collection[str]:
        """Return the names of the parties that must post this kind of message in this round."""
        return PARTIES[TURNS[kind].parties](self)


def diagram() -> str:
    """Return the table of legal messages as the text of a Mermaid state diagram.

    An arrow shows messages and the initials of their senders; receivers are named unless all
    parties receive the message. Messages of the same senders, receivers and phases share a line.
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
    """Return the first letters of role names, in capitals and sorted: `CU` for curator and user."""
    return "".join(sorted(role[0].upper() for role in roles))
