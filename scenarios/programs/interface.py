"""What a release program is, what it is handed, and what it gives back: plain data between rooms.

The rooms above (scoring, play, verification) make or read these; the programs know no more of them.
Everybody else asks the registry for a program and then the program itself: nobody compares kinds.
`two_round/program.py` is one to inherit from where little differs.
"""

# pyright: reportReturnType=false
# A method of a Protocol is its docstring; mypy and the language take it for a stub.

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol

from ...protocol.messages import Call, Counts, Decision
from ...protocol.schema import Schema
from ...protocol.transcript import Row, Transcript
from ...protocol.view import View
from ..serialization.record import Record
from .dropped import Dropped
from .evidence import Claims, Evidence
from .findings import Findings

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from ...protocol.announcement import Policy
    from ...protocol.programs import RoundResult, Strategy
    from ..pages.pieces import Answer, Section
    from ..populations import Population
    from ..populations.facts import Facts
    from ..populations.samples import Samples
    from ..schema.model import Feature, Scenario
    from ..schema.model import Policy as PolicySection
    from ..schema.problems import Problem
    from ..wording import Block
    from .participation import Participation
    from .peers.found import PeersFound
    from .randomized.questions import Question

Mode = Literal["real", "ideal"]  # every message is sent, or the same questions without any
Report = Callable[[str], None]  # is told, in one line each, what an instrument has to say


@dataclass(frozen=True, slots=True)
class Considered:
    """A set of columns the curator looked at: what it could have promised, and by which rule.

    Attributes:
        columns: their names.
        promised: the share of people exposed, at most.
        rule: by which that is known.
        safe: whether it is within max_exposure.
    """

    columns: tuple[str, ...]
    promised: float
    rule: str
    safe: bool


class Raised(Record, frozen=True):
    """An alarm on the board: who raised it, about what in which round.

    Attributes:
        party: that raised it.
        round: from 1.
        cause: by its name.
        borne_out: whether the board shows it; else it is about nothing.
    """

    party: str
    round: int
    cause: str
    borne_out: bool = True


class Effect(Record, frozen=True):
    """What one attack has achieved.

    Attributes:
        attack: its name.
        parties: who committed it.
        unit: what is counted.
        value: what was achieved.
        of: the most it could be.
    """

    attack: str
    parties: tuple[str, ...]
    unit: str
    value: float
    of: float


@dataclass(frozen=True, slots=True)
class Played:
    """What either way of playing leaves: what was counted and decided, and who saw what.

    Attributes:
        calls: those that were answered.
        tallies: the counts of each.
        decision: the columns of the release; None: none was made.
        release, burned: people by combination, and why there are none; None: that is not so.
        refused: messages, by reason.
        digest: of all that stands on the board, 32 bytes.
        look: gives what some parties together have seen.
        transcript: None where no messages were sent.
        truth: by user and in the whole, what people answered; None where nobody kept it.
        attacks, alarms: what each attack has achieved, and who raised which alarm.
        unmet: the attacks and deviations that found no occasion, a sentence each.
        rows_read: gives what each attack reads of rows; None: what it has achieved.
        peers: what peers together learn; None where there are parties in the middle.
    """

    calls: tuple[Call, ...]
    tallies: tuple[tuple[Counts, ...], ...]
    decision: Decision | None
    release: Counts | None
    burned: str | None
    refused: Mapping[str, int]
    digest: bytes
    look: Callable[[tuple[str, ...]], View]
    transcript: Transcript | None = None
    truth: Mapping[int, Row] | None = None
    attacks: tuple[Effect, ...] = ()
    alarms: tuple[Raised, ...] = ()
    peers: "PeersFound | None" = None
    unmet: tuple[str, ...] = ()
    rows_read: Callable[[], tuple[Effect, ...]] | None = None


@dataclass(frozen=True, slots=True)
class Session:
    """A session that was played, as its program scores it.

    Attributes:
        scenario: what was played.
        crowd: the people.
        played: what came of it.
        present: the indices of the people who answered in a round.
    """

    scenario: "Scenario"
    crowd: "Samples"
    played: Played
    present: Callable[[int], "npt.NDArray[np.intp]"]


@dataclass(frozen=True, slots=True)
class Scored:
    """What a program itself finds in a session.

    Attributes:
        findings: its own record; None where it has nothing beside what every run has.
        release: of reports; a program whose curator decides leaves it to the session.
        information: bits that a person's reports carry about its values; None where none are made.
    """

    findings: Findings | None = None
    release: Counts | None = None
    information: float | None = None


class ReleaseProgram(Protocol):
    """One way to ask people and release what they said.

    Attributes:
        kind: the kind of policy in a scenario file.
        wire: the sequence of questions on the wire, a value of protocol/announcement.py's Program.
        compared: the row of a comparison that it is played in; None if it is not compared.
        note: what that row says of it.
        reports: whether people randomize what they say, and nothing is decided.
        chooses: whether it chooses columns, and so reads prefer, weights, required and forbidden.
        by_rule: whether the rule of the policy alone decides, from single columns.
        listed: whether it releases the columns named in `keep`.
        again: whether it asks the same people again, by the coverage bound alone.
        deepens: whether it asks more than once, and so reads curator_exposure and ask.
        opens: whether its one round is the release, of which the reader opens what k people share.
        on_paper: whether a class can play it with envelopes (report/cards.py).
        among_peers: whether everybody can decide by it, from counts of round 1 that all see.
        held: whether people have columns, and not sets of elements.
        member: one of the people, and several. unit: what one answer is about.
        recomputed: what `verify` finds again, in a clause; None if nothing.
        largest: what the later rounds are reckoned for, in a sentence; None if it asks once.
    """

    kind: str
    wire: str
    compared: str | None
    note: str
    reports: bool
    chooses: bool
    listed: bool
    by_rule: bool
    again: bool
    deepens: bool
    opens: bool
    on_paper: bool
    among_peers: bool
    held: bool
    member: tuple[str, str]
    unit: str
    recomputed: str | None
    largest: str | None

    def rounds(self, features: int, policy: "PolicySection") -> int:
        """The most rounds that a session with so many features has."""

    def check(self, scenario: "Scenario", facts: "Facts") -> "Iterator[Problem]":
        """What this program cannot do of what a scenario says."""

    def facts(self, scenario: "Scenario", base: Path) -> "tuple[Facts, list[Problem]]":
        """Who takes part, and what is asked of the source in vain."""

    def samples(self, scenario: "Scenario", seed: int | None) -> "Samples":
        """Draw the people. Raises DataError for data that do not fit."""

    def asks(self, scenario: "Scenario", names: tuple[str, ...]) -> "tuple[Feature, ...]":
        """The [[feature]] tables of a scenario, as a run folder keeps them."""

    def schema(self, scenario: "Scenario", schema: Schema) -> Schema:
        """The features that are announced."""

    def names(self, scenario: "Scenario", names: Sequence[str]) -> tuple[str, ...]:
        """The names of the announced features."""

    def recorded(self, scenario: "Scenario", sizes: Sequence[int]) -> tuple[str, ...]:
        """The features that a run was asked about, from its record. sizes: values of each."""

    def policy(self, scenario: "Scenario") -> "Policy":
        """What is announced of the policy."""

    def questions(self, scenario: "Scenario", people: "Population") -> "tuple[Question, ...]":
        """The questions that are answered with noise; () where none are."""

    def participation(self, policy: "PolicySection") -> "Participation | None":
        """The rate at which people take part, each by its own draw; None: everybody does."""

    def noise(
        self, scenario: "Scenario", result: Claims, sizes: Sequence[int]
    ) -> "Sequence[Question]":
        """The same of a recorded run, as far as their noise goes."""

    def strategy(self, scenario: "Scenario", others: int | None) -> "Strategy":
        """What the curator asks and decides. others: people of round 2, if they are others."""

    def fixed_columns(self, policy: "PolicySection", schema: Schema) -> tuple[str, ...] | None:
        """The columns that are released whatever the bound says; None where it chooses."""

    def calls(self, policy: "PolicySection", schema: Schema) -> "Sequence[Call]":
        """The questions of a session at its largest, the release included."""

    def sizes(self, people: "Population") -> tuple[int, ...]:
        """The number of values of each column."""

    def considered(self, session: Session) -> tuple[Considered, ...]:
        """Sets of columns, with what could be promised of each."""

    def dropped(self, session: Session) -> tuple[Dropped, ...]:
        """Why each column that is not kept is not."""

    def score(self, session: Session) -> Scored:
        """What this program finds in a session beside what every run has."""

    def exposed(self, release: Counts, k: int) -> int:
        """People of a release who are in a crowd smaller than k."""

    def excluded(self, release: Counts, scenario: "Scenario", schema: Schema) -> int:
        """People of whom nothing is released and whose small crowd is known by exclusion."""

    def findings(self) -> type[Findings] | None:
        """The record of what it finds itself; None where it finds nothing of its own."""

    def proves(self, rule: str) -> bool:
        """Whether a certificate by this rule is one of this program's."""

    def verify_decision(
        self, decision: Decision, schema: Schema, heard: "Sequence[RoundResult]"
    ) -> None:
        """Raises VerificationError unless what was read proves what a decision claims."""

    def verify(self, evidence: Evidence) -> str:
        """Recompute what it found itself from the record, and say what was found.

        Raises VerificationError if another thing is claimed, NoGround if nothing is.
        """

    def steps(self, scenario: "Scenario", answering: str, mixing: str) -> list[str]:
        """What will happen, a sentence a step. answering, mixing: the steps that all have."""

    def advice(self, scenario: "Scenario", people: "Population") -> "Iterator[str]":
        """What else would have less error, in lines for whoever checks the scenario."""

    def describe(self, people: "Population") -> list[str]:
        """What people are asked about, in lines."""

    def promise(self, scenario: "Scenario") -> str:
        """What is promised, in words."""

    def summary(self, outcome: Any) -> "Iterator[Block]":
        """What it found, for people: after round 1 of a run that is told of."""

    def explained(self, outcome: Any) -> "Iterator[str]":
        """What follows the table of the sets of columns, line by line."""

    def scores(self, outcome: Any) -> "Iterator[tuple[str, str, str]]":
        """Rows of the table of scores: name, value, meaning."""

    def remark(self) -> str:
        """How its figures are to be read; empty if there is nothing to say."""

    def answers(self, result: Claims) -> "tuple[Answer, ...]":
        """What was released, and how exposed people are, for the head of the page of a run.

        () where a release of columns and the crowds in it say that.
        """

    def section(self, scenario: "Scenario", result: Claims) -> "Iterator[Section]":
        """Its parts of the page of a run; none where it has nothing to add."""

    def stage_rule(self, policy: "PolicySection") -> str:
        """How it decides, in sentences for whoever watches the stage."""

    def stage_announcement(self, policy: "Policy") -> str:
        """What its announcement says of it, in a clause, for whoever watches the stage."""

    def stage_hiding(self, call: Call) -> str:
        """What people do to their values before they answer a call, in a clause; "" for nothing."""

    def stage_decision(self, decision: Decision, columns: Sequence[str], reader: str) -> str:
        """What a decision says, in a sentence. reader: who decides."""

    def stage_release(self, policy: "Policy", schema: Schema, release: Counts) -> str:
        """Return a sentence on users without a released value; "" if there is none."""

    def options(
        self,
        policy: "PolicySection",
        schema: Schema,
        counts: Sequence[Counts] | None,
        others: int | None,
    ) -> tuple[Considered, ...]:
        """What could be promised of each set of columns, once round 1 is counted, for the stage.

        counts: those of round 1, None where it was not counted. others: people of round 2, if they
        are others. () where nothing is decided.
        """
