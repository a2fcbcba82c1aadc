"""The interface of a release program, with the records that it reads and returns.

Scoring and play (scenarios/lab) and verification (scenarios/records) make and read these records.
Programs know nothing else about them. Other modules get a program from the registry and call its
methods; they never compare its kind with a name. A program with few differences inherits from
`curated/program.py`.
"""

# pyright: reportReturnType=false
# A method of a Protocol has only a docstring here, which pyright would report as a missing return.

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol

from ...protocol.wire.schema import Schema
from ..serialization.record import Record
from .dropped_columns import UnreleasedColumn
from .evidence import ProgramEvidence
from .findings import Findings

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from ...protocol.board.strategies import Strategy
    from ...protocol.knowledge.transcript import Row, Transcript
    from ...protocol.knowledge.view import View
    from ...protocol.wire.announcement import AnnouncedPolicy
    from ...protocol.wire.messages import Call, Counts, Decision
    from ..populations.facts import ScenarioFacts
    from ..populations.samples import Samples
    from ..schema.model import Expect, IncidenceSection, Local, Policy, Scenario
    from ..schema.problems import Problem
    from .capability import C, Capability
    from .noisy_questions import Question
    from .peer_findings import PeersFound

Mode = Literal[
    "real", "ideal"
]  # real: every message is sent; ideal: the same queries are answered without messages
Report = Callable[[str], None]  # a function that receives lines on the progress of a run


@dataclass(frozen=True, slots=True)
class ConsideredColumns:
    """A set of columns that the curator considered, with its exposure bound.

    Attributes:
        columns: the names of the columns.
        promised: the upper bound on the share of exposed people.
        rule: the name of the rule, the method that proves the bound.
        safe: whether the bound is within max_exposure.
    """

    columns: tuple[str, ...]
    promised: float
    rule: str
    safe: bool


class Raised(Record, frozen=True):
    """An alarm that a party raised on the board.

    Attributes:
        party: the party that raised the alarm.
        round: the number of the round, from 1.
        cause: the cause, by its name.
        borne_out: whether the board confirms the alarm; else the alarm is false.
    """

    party: str
    round: int
    cause: str
    borne_out: bool = True


class Effect(Record, frozen=True):
    """The measured effect of an attack in a session.

    Attributes:
        attack: the name of the attack.
        parties: the attackers.
        unit: the unit of value, such as people not counted.
        value: the number of units achieved.
        of: the largest number of units that the attack could achieve.
    """

    attack: str
    parties: tuple[str, ...]
    unit: str
    value: float
    of: float


@dataclass(frozen=True, slots=True)
class Played:
    """The outcome of a session, with or without messages: counts, decision and views.

    Attributes:
        calls: the queries that were answered.
        tallies: the counts of each of these queries.
        decision: the columns of the release; None: there was no decision.
        release: the number of people by combination of values; None without a release.
        burned: the reason for an abort; None without an abort.
        refused: the number of refused messages, by reason.
        digest: the digest of the whole board, 32 bytes.
        look: returns the pooled view of some parties.
        transcript: None if no messages were sent.
        truth: the full answer of each user; None if it was not recorded.
        attacks, alarms: the effect of each attack, and the alarms with their parties.
        unmet: the attacks and deviations that found no occasion, a sentence each.
        rows_read: returns the effect of each attack in rows that the attackers read; None:
            `attacks` has the effects.
        peers: the messages that coalitions of peers can trace; None in a central topology.
    """

    calls: "tuple[Call, ...]"
    tallies: "tuple[tuple[Counts, ...], ...]"
    decision: "Decision | None"
    release: "Counts | None"
    burned: str | None
    refused: Mapping[str, int]
    digest: bytes
    look: "Callable[[tuple[str, ...]], View]"
    transcript: "Transcript | None" = None
    truth: "Mapping[int, Row] | None" = None
    attacks: tuple[Effect, ...] = ()
    alarms: tuple[Raised, ...] = ()
    peers: "PeersFound | None" = None
    unmet: tuple[str, ...] = ()
    rows_read: Callable[[], tuple[Effect, ...]] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoringSettings:
    """The settings that the scores of a session take from its scenario.

    Attributes:
        program: the release program.
        policy: the policy of the curator.
        local: the noise that users add.
        incidence: the method that estimates the counts of sets.
        questions: the questions that are answered with noise; () without noise.
        names: the names of the announced features.
        sizes: the number of values of each column of the people.
        proving: the strategy by which the analyst proves the exposure bound of the release; None:
            the analyst proves no bound.
        coalitions: the parties of each coalition that is scored.
        knows: the columns that the attacker of the scenario knows; (): no columns are named.
        rows: the largest number of rows of a person; None: each has one.
        has_faults: whether parties commit faults.
        deviates: whether parties commit faults or deviations, which an ideal run does not play.
        expect: the results that the scenario expects.
    """

    program: "ReleaseProgram"
    policy: "Policy"
    local: "Local"
    incidence: "IncidenceSection"
    questions: "Sequence[Question]"
    names: tuple[str, ...]
    sizes: tuple[int, ...]
    proving: "Strategy | None"
    coalitions: tuple[tuple[str, ...], ...]
    knows: tuple[int, ...]
    rows: int | None
    has_faults: bool
    deviates: bool
    expect: "Expect"


@dataclass(frozen=True, slots=True)
class Session:
    """A session that was played, as its release program scores it.

    Attributes:
        settings: the scenario's settings for scores.
        crowd: the people.
        played: the outcome of the session.
        present: returns the indices of the respondents of a round.
    """

    settings: ScoringSettings
    crowd: "Samples"
    played: Played
    present: Callable[[int], "npt.NDArray[np.intp]"]


@dataclass(frozen=True, slots=True)
class Scored:
    """The findings of a release program in a session, in addition to the scores that every run has.

    Attributes:
        findings: the program's own record; None if the scores of every run are all findings.
        release: the counts of reports, if people report with noise; else None, because the session
            has the release.
        information: bits that a person's reports carry about its values; None without reports.
        considered: sets of columns, each with its exposure bound.
        dropped: each suppressed column with the limits that would admit it.
    """

    findings: Findings | None = None
    release: "Counts | None" = None
    information: float | None = None
    considered: tuple[ConsideredColumns, ...] = ()
    dropped: tuple[UnreleasedColumn, ...] = ()


class ReleaseProgram(Protocol):
    """The interface of a release program: it queries people, and decides on a release.

    Attributes:
        kind: the kind of policy in a scenario file.
        wire: the sequence of queries in a session, a value of `Program` in
            protocol/wire/announcement.py.
        compared: the row of a comparison table that shows the program; None if it is not compared.
        note: the remark in that row.
        capabilities: the parts that only some programs have (capabilities.py).
        recomputed: the findings that `verify` recomputes, in a clause; None without such findings.
    """

    kind: str
    wire: str
    compared: str | None
    note: str
    capabilities: "tuple[Capability, ...]"
    recomputed: str | None

    def capability(self, kind: "type[C]") -> "C | None":
        """Return the optional part `kind` of the release program, such as its noise, or None."""

    def rounds(self, policy: "Policy", schema: Schema) -> "Sequence[Call]":
        """Return the largest possible queries of a session, the release included."""

    def check(self, scenario: "Scenario", facts: "ScenarioFacts") -> "Iterator[Problem]":
        """Yield a problem for each request of a scenario that this release program cannot meet."""

    def policy(self, scenario: "Scenario") -> "AnnouncedPolicy":
        """Return the part of the policy that the session's announcement states."""

    def strategy(self, scenario: "Scenario", others: int | None) -> "Strategy":
        """Return the curator's strategy: its queries, and its decision from their counts.

        others: the number of people in round 2 if they are other people; None: the same people.
        """

    def score(self, session: Session) -> Scored:
        """Return the findings that only this release program has in a session.

        Scores that every run has, such as exposure and leakage, are computed in lab/scoring.
        """

    def verify(self, evidence: ProgramEvidence) -> str:
        """Recompute the release program's own findings from a record; return a summary.

        Raises VerificationError if a claim in result.json differs, NoGround if there is no such
        claim.
        """
