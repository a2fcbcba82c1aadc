"""The trial of one coalition: which of its strategies read the row of the target.

The target is the first person who is not in the coalition: every set of people of a deviation
contains it, or all others. Joint counts are read by a strategy for which all honest people are one
crowd, and that tells apart rows whose views are equal where everybody follows the protocol.
"""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum, auto

from ...protocol import parties
from ...protocol.alarms import borne_out
from ...protocol.board import Board
from ...protocol.messages import Alarm, Burned, Tally
from ...protocol.search.crowds import (
    Play,
    Rows,
    Worlds,
    guess,
    guess_between,
    other_closed,
    other_joints,
    rotated,
)
from ...protocol.search.deviation import Deviation, text_of
from ...protocol.search.pairs import pairs
from ...protocol.search.space import space
from ..catalogue.deviations import entry_of
from ..programs.registry import program_of
from ..schema.model import Scenario
from .search_result import Find, Noticed, Reads
from .search_session import KEPT, SmallSession, kinds_of_rows, rows_of

GUESSED = (1, 2)  # seeds over which guesses are averaged
Strategy = tuple[Deviation, ...]
NOTHING: Strategy = ()


WHEN: tuple[Noticed, ...] = ("before", "after", "never")


class Verdict(Enum):
    """The result of a strategy.

    NOTHING: nothing. TOLD: rows are told apart. JOINT: joint counts are read, or a row that fewer
    than k people say. ALONE: the target's row is read.
    """

    NOTHING = auto()
    TOLD = auto()
    JOINT = auto()
    ALONE = auto()


FINDS = (Verdict.JOINT, Verdict.ALONE)


@dataclass(slots=True)
class Trial:
    """A coalition, and the sessions in which its strategies are played.

    Attributes:
        scenario: the small session's.
        members: the coalition.
        seeds: that confirm a difference; the first is played first.
        errors: strategies that ended a session with an error of a role.
        session: what plays them.
        rows: of the people.
        honest: the worlds in which everybody follows the protocol.
        joints: other rows whose honest view is the same; None: they are not worked out yet.
    """

    scenario: Scenario
    members: tuple[str, ...]
    seeds: tuple[int, ...]
    errors: int = 0
    session: SmallSession = field(init=False)
    rows: Rows = field(init=False)
    honest: Worlds = field(init=False)
    joints: tuple[Rows, ...] | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        self.session = SmallSession(self.scenario, self.members)
        self.rows = rows_of(self.scenario, self.session.people)
        self.honest = self.worlds(NOTHING)

    @property
    def target(self) -> int:
        """The index of the person whose row is wanted."""
        return self.session.honest[0]

    def worlds(self, strategy: Strategy) -> Worlds:
        """Return the worlds of a strategy, none of which is played yet."""
        return Worlds(self._play(strategy), self.rows, self.session.honest, self.seeds)

    def _play(self, strategy: Strategy) -> Play:
        def view(rows: Rows, seed: int) -> Hashable:
            return self.session.view(strategy, rows, seed)

        return view

    def watches(self) -> bool:
        """Whether the coalition reads the target's row although it follows the protocol."""
        return self.honest.is_alone(self.target)

    def watched(self) -> Reads | None:
        """What the coalition reads although it follows the protocol; None: nothing.

        Of joint counts and closed rows: what no member reads by itself.
        """
        if self.honest.is_alone(self.target):
            return "row"
        single = [Trial(self.scenario, (member,), self.seeds) for member in self.members]
        for rows in self._candidates() if len(single) > 1 else ():
            is_unread = all(one.is_same_alone(rows) for one in single)
            if is_unread and self.honest.are_apart(self.rows, rows):
                return self.beyond
        return None

    @property
    def beyond(self) -> Reads:
        """The reading that is looked for beside the rows of people by name."""
        return "closed" if self.session.setting.opens else "joint"

    def is_same_alone(self, rows: Rows) -> bool:
        """Whether other rows give the coalition, which follows the protocol, the same view."""
        first = self.seeds[0]
        return self.honest.view(rows, first) == self.honest.view(self.rows, first)

    def strategies(self, *, with_pairs: bool = False) -> Iterator[Strategy]:
        """Yield the strategies of the coalition: single deviations, then pairs."""
        setting = self.session.setting
        events = self.session.play(NOTHING, self.rows, self.seeds[0]).record.events
        singles = space(setting, events)
        yield from ((one,) for one in singles)
        if with_pairs:
            yield from pairs(setting, singles)

    def verdict(self, strategy: Strategy) -> Verdict:
        """Play a strategy, and judge it.

        A strategy whose first session is the honest one has no effect.
        """
        before = self.session.errors
        worlds, first = self.worlds(strategy), self.seeds[0]
        seen = worlds.view(self.rows, first)
        self.errors += self.session.errors > before
        if seen == self.honest.view(self.rows, first):
            return Verdict.NOTHING
        told = seen != worlds.view(rotated(self.rows, self.session.honest), first)
        if told and worlds.is_alone(self.target):
            return Verdict.ALONE
        if self.reads_joint(worlds):
            return Verdict.JOINT
        return Verdict.TOLD if told else Verdict.NOTHING

    def other_rows(self) -> tuple[Rows, ...]:
        """Return rows with other joint counts, or closed rows, of the same honest view."""
        if self.joints is None:
            self.joints = tuple(filter(self.is_same_alone, self._candidates()))
        return self.joints

    def _candidates(self) -> tuple[Rows, ...]:
        """Return rows that an honest session may not tell from the true ones."""
        if self.session.setting.opens:
            kinds = kinds_of_rows(self.scenario)
            return other_closed(self.rows, self.session.honest, kinds, self.scenario.policy.k)
        return other_joints(self.rows, self.session.honest)

    def reads_joint(self, worlds: Worlds) -> bool:
        """Whether a strategy that treats all people alike tells joints apart that nobody is told.

        One that leaves people out, or knows them from others, is no such strategy: it may tell the
        values of a few. Whoever is free in an honest session has a row that stays closed.
        """
        others = self.other_rows()
        if not any(worlds.are_apart(self.rows, rows) for rows in others):
            return False
        crowds, least = worlds.crowds(), sum(self.honest.crowds())
        return len(crowds) == 1 and crowds[0] >= least

    def find(self, strategy: Strategy, place: int, verdict: Verdict = Verdict.ALONE) -> Find:
        """Return what is told of a strategy that reads the target's row, or joint counts."""
        worlds = self.worlds(strategy)
        is_joint = verdict is Verdict.JOINT
        return Find(
            strategy=tuple(map(entry_of, strategy)),
            words=text_of(strategy),
            reads=self.beyond if is_joint else "row",
            crowd=len(worlds.honest) if is_joint else 1,
            guess=self._guess(worlds, verdict, worlds),
            honest=self._guess(self.honest, verdict, worlds),
            noticed=self.noticed(strategy),
            place=place,
        )

    def _guess(self, worlds: Worlds, verdict: Verdict, found: Worlds) -> float:
        """Return how often the best guess of what a strategy reads is right.

        found: the worlds of the strategy that was found. Reports of values that are equally likely
        are equally likely too, and the best guess of a report is that of its value.
        """
        if verdict is Verdict.JOINT and self.beyond == "closed":
            other = next(rows for rows in self.other_rows() if found.are_apart(self.rows, rows))
            return guess_between(worlds, other, GUESSED)
        is_joint = verdict is Verdict.JOINT
        column = len(self.rows[0]) - 1 if is_joint else 0
        right = guess(worlds, self.target, GUESSED, column, knows=is_joint)
        has_noise = program_of(self.scenario).reports
        return right * KEPT + (1 - right) * (1 - KEPT) if has_noise else right

    def noticed(self, strategy: Strategy) -> Noticed:
        """Return when an honest party noticed: the earliest, over the seeds."""
        played = (self.session.play(strategy, self.rows, seed) for seed in self.seeds)
        found = {notice(one.board, self.members) for one in played}
        return next(when for when in WHEN if when in found)


def notice(board: Board, members: Sequence[str]) -> Noticed:
    """Return when an honest party burned a round or raised an alarm that the board bears out.

    Burns of members show nothing: they need not have burned.
    """
    released = False
    for entry in board.entries:
        body = entry.message.body
        alarm = isinstance(body, Alarm) and borne_out(board, body)
        if entry.author not in members and (isinstance(body, Burned) or alarm):
            return "after" if released else "before"
        released |= isinstance(body, Tally) and entry.author == parties.ANALYST
    return "never"
