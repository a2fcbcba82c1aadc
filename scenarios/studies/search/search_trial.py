"""The trial of a coalition's strategies: each strategy is judged by the data that it reads.

The target is the first person outside the coalition. A strategy is a set of deviations; a world is
a session in which some people have other rows. A strategy reads the target's row if no exchange of
the target's row with another person's leaves the coalition's view unchanged. A strategy reads joint
counts if it distinguishes two assignments of rows that look equal while all parties follow the
protocol, and treats all honest people alike.
"""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum, auto

from ....protocol.board.alarms import borne_out
from ....protocol.board.board import Board
from ....protocol.search.crowds import (
    Play,
    Rows,
    Worlds,
    guess,
    guess_between,
    other_closed,
    other_joints,
    rotated,
)
from ....protocol.search.deviation import Deviation, text_of
from ....protocol.search.space import pairs, space
from ....protocol.wire import parties
from ....protocol.wire.messages import Alarm, Burned, Tally
from ...attacks.catalogue.deviations import entry_of
from ...programs.capability import AnswerKind
from ...programs.registry import answers_in
from ...schema.model import Scenario
from .search_result import Find, Noticed, Reads
from .search_session import TRUTH_PROBABILITY, SmallSession, kinds_of_rows, rows_of

GUESSED = (1, 2)  # seeds of the sessions over which the probability of a right guess is averaged
Strategy = tuple[Deviation, ...]
EMPTY_STRATEGY: Strategy = ()


WHEN: tuple[Noticed, ...] = ("before", "after", "never")


class Verdict(Enum):
    """The verdict on an attack strategy: the most that the coalition learns by the strategy.

    NO_EFFECT: no data. DISTINGUISHED: the coalition's view changes if honest people exchange their
    rows. JOINT: the coalition reads joint counts, or a row that should stay closed because fewer
    than k people submit it. TARGET_READ: the coalition reads the target's row.
    """

    NO_EFFECT = auto()
    DISTINGUISHED = auto()
    JOINT = auto()
    TARGET_READ = auto()


FINDS = (Verdict.JOINT, Verdict.TARGET_READ)


@dataclass(slots=True)
class Trial:
    """The trial of a coalition: the sessions in which its strategies of deviations are played.

    Attributes:
        scenario: the scenario of the small session.
        members: the parties of the coalition.
        seeds: the seeds of the sessions that confirm a difference between views, in order.
        times: whether the view has the exact times of posts on the board.
        errors: strategies that ended a session with an error of a role (a party's code).
        session: plays the strategies.
        rows: the true rows of the people.
        honest: the sessions in which all parties follow the protocol, for changed rows of people.
        joints: changed rows of people that give the same honest view; None: not computed yet.
    """

    scenario: Scenario
    members: tuple[str, ...]
    seeds: tuple[int, ...]
    times: bool = False
    errors: int = 0
    session: SmallSession = field(init=False)
    rows: Rows = field(init=False)
    honest: Worlds = field(init=False)
    joints: tuple[Rows, ...] | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        """Prepare the small session, the people's rows and the sessions without deviations."""
        self.session = SmallSession(self.scenario, self.members, times=self.times)
        self.rows = rows_of(self.scenario, self.session.people)
        self.honest = self.worlds(EMPTY_STRATEGY)

    @property
    def target(self) -> int:
        """The index of the target: the coalition tries to read this person's row."""
        return self.session.honest[0]

    def worlds(self, strategy: Strategy) -> Worlds:
        """Return the worlds of a strategy: its sessions with changed rows of people.

        A world is played once its view is asked for.
        """
        return Worlds(self._play(strategy), self.rows, self.session.honest, self.seeds)

    def _play(self, strategy: Strategy) -> Play:
        """Return a function from people's rows and a seed to the coalition's view of a strategy."""

        def view(rows: Rows, seed: int) -> Hashable:
            """Return the coalition's view of the session with these rows and this seed."""
            return self.session.view(strategy, rows, seed)

        return view

    def watched(self) -> Reads | None:
        """Return the kind of data that the coalition reads by following the protocol, if any.

        The row of the target counts in any case. Joint counts, or rows that should stay closed
        (fewer than k people submit them), count only if no single member reads them alone.
        """
        if self.honest.is_alone(self.target):
            return "row"
        single = [
            Trial(self.scenario, (member,), self.seeds, self.times) for member in self.members
        ]
        for rows in self._candidates() if len(single) > 1 else ():
            is_unread = all(trial.is_same_alone(rows) for trial in single)
            if is_unread and self.honest.are_apart(self.rows, rows):
                return self.beyond
        return None

    @property
    def beyond(self) -> Reads:
        """The kind of data, besides a person's row, that the search looks for.

        `joint`: joint counts of columns. `closed`, in a release program that opens a row only if k
        people submit it: a row that fewer people submit.
        """
        return "closed" if self.session.setting.opens else "joint"

    def is_same_alone(self, rows: Rows) -> bool:
        """Whether the coalition's view stays the same for changed rows if no party deviates."""
        first = self.seeds[0]
        return self.honest.view(rows, first) == self.honest.view(self.rows, first)

    def strategies(self, *, with_pairs: bool = False) -> Iterator[Strategy]:
        """Yield the strategies of the coalition: single deviations, then pairs.

        with_pairs: whether pairs of deviations are included.
        """
        setting = self.session.setting
        events = self.session.play(EMPTY_STRATEGY, self.rows, self.seeds[0]).record.events
        singles = space(setting, events)
        yield from ((single,) for single in singles)
        if with_pairs:
            yield from pairs(setting, singles)

    def verdict(self, strategy: Strategy) -> Verdict:
        """Return the verdict on a strategy, after playing it.

        A strategy has no effect if the coalition's view in its first session equals the honest
        view.
        """
        errors_before = self.session.errors
        worlds, first = self.worlds(strategy), self.seeds[0]
        coalition_view = worlds.view(self.rows, first)
        self.errors += self.session.errors > errors_before
        if coalition_view == self.honest.view(self.rows, first):
            return Verdict.NO_EFFECT
        is_told = coalition_view != worlds.view(rotated(self.rows, self.session.honest), first)
        if is_told and worlds.is_alone(self.target):
            return Verdict.TARGET_READ
        if self.reads_joint(worlds):
            return Verdict.JOINT
        return Verdict.DISTINGUISHED if is_told else Verdict.NO_EFFECT

    def other_rows(self) -> tuple[Rows, ...]:
        """Return assignments of other rows to people that give the coalition the same honest view.

        Each assignment has other joint counts, or another row in place of a row that stays closed
        because fewer than k people submit it.
        """
        if self.joints is None:
            self.joints = tuple(filter(self.is_same_alone, self._candidates()))
        return self.joints

    def _candidates(self) -> tuple[Rows, ...]:
        """Return tables (rows of all people) that may look like the true one in an honest session.

        A row stays encrypted if fewer than k people submit it and the release program decrypts only
        rows of k people. For such a program, each table has another row in place of an encrypted
        one. For any other program, each table has other joint counts.
        """
        if self.session.setting.opens:
            kinds = kinds_of_rows(self.scenario)
            return other_closed(self.rows, self.session.honest, kinds, self.scenario.policy.k)
        return other_joints(self.rows, self.session.honest)

    def reads_joint(self, worlds: Worlds) -> bool:
        """Whether a strategy that treats honest people alike reads joint counts or a closed row.

        A row stays closed if fewer than k people submit it. The strategy reads joint counts or a
        closed row if the coalition distinguishes two assignments of rows that look equal in an
        honest session. A strategy that leaves people out, or tells people apart, does not count,
        because it may only read the values of a few. So all people whose row affects the honest
        view have to remain exchangeable.
        """
        all_other_rows = self.other_rows()
        if not any(worlds.are_apart(self.rows, rows) for rows in all_other_rows):
            return False
        crowds, least_crowd = worlds.crowds(), sum(self.honest.crowds())
        return len(crowds) == 1 and crowds[0] >= least_crowd

    def find(self, strategy: Strategy, place: int, verdict: Verdict = Verdict.TARGET_READ) -> Find:
        """Return the record of a strategy by which the coalition reads data of people.

        place: the number of the strategy in the order of its coalition, from 1. verdict: the kind
        of data: the target's row, or (`JOINT`) joint counts or a row that should stay closed.
        """
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

    def _guess(self, worlds: Worlds, verdict: Verdict, strategy_worlds: Worlds) -> float:
        """Return the probability that the attacker's best guess of the data is right.

        worlds: the sessions of the attacker, with a strategy or honest. verdict: the kind of data:
        the target's row, or (`JOINT`) joint counts or, if `beyond` is `closed`, a row that should
        stay encrypted. strategy_worlds: the sessions of the strategy that was found. If people
        report with noise, the best guess of a value is the report, which is true with a known
        probability.
        """
        if verdict is Verdict.JOINT and self.beyond == "closed":
            other_row = next(
                rows for rows in self.other_rows() if strategy_worlds.are_apart(self.rows, rows)
            )
            return guess_between(worlds, other_row, GUESSED)
        is_joint = verdict is Verdict.JOINT
        column = len(self.rows[0]) - 1 if is_joint else 0
        right = guess(worlds, self.target, GUESSED, column, knows=is_joint)
        noise = answers_in(self.scenario) is AnswerKind.REPORTS
        return right * TRUTH_PROBABILITY + (1 - right) * (1 - TRUTH_PROBABILITY) if noise else right

    def noticed(self, strategy: Strategy) -> Noticed:
        """Return when an honest party noticed a strategy, relative to the release.

        `before`, `after` or `never`; the earliest of all seeds.
        """
        plays = (self.session.play(strategy, self.rows, seed) for seed in self.seeds)
        notices = {notice(play.board, self.members) for play in plays}
        return next(time_noticed for time_noticed in WHEN if time_noticed in notices)


def notice(board: Board, members: Sequence[str]) -> Noticed:
    """Return when an honest party aborted a round or raised an alarm that the board confirms.

    An abort or alarm by a member of the coalition does not count: the member could leave it out.

    Returns:
        `before` the release, `after` it, or `never`.
    """
    released = False
    for entry in board.entries:
        body = entry.message.body
        alarm = isinstance(body, Alarm) and borne_out(board, body)
        if entry.author not in members and (isinstance(body, Burned) or alarm):
            return "after" if released else "before"
        released |= isinstance(body, Tally) and entry.author == parties.ANALYST
    return "never"
