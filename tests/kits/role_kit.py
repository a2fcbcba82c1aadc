"""What the tests of the roles share: a small cast, played to its end, and what was seen.

Imported by its name: tests/kits is on the path of the tests (pyproject.toml).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from veilmix.crypto.entropy import Entropy, SeededEntropy
from veilmix.errors import Reason
from veilmix.machines.processes import play_apart
from veilmix.protocol.board.board import Board
from veilmix.protocol.board.strategies import RoundResult
from veilmix.protocol.ideal import DecisionRule, Ideal, PeopleTable, two_round
from veilmix.protocol.knowledge.run_record import RunRecord
from veilmix.protocol.knowledge.transcript import Transcript
from veilmix.protocol.rounds.ballots import Ballot, seal_ballot, seal_envelope
from veilmix.protocol.rounds.round_context import Round
from veilmix.protocol.wire.announcement import AnnouncedPolicy, Rules, Setting
from veilmix.protocol.wire.hiding_rules import Hiding
from veilmix.protocol.wire.messages import Body, Call, Decision, DecisionCertificate, Submission
from veilmix.protocol.wire.parties import Role
from veilmix.protocol.wire.schema import Feature, Schema
from veilmix.roles.cast import Cast
from veilmix.roles.network.instruments import Instrument, TranscriptRecorder
from veilmix.roles.network.memory_network import Endpoint, Fault, Network
from veilmix.roles.session import Stage, play
from veilmix.scenarios.attacks.faults import shuffler as misdeeds
from veilmix.scenarios.attacks.faults.shuffler import Act
from veilmix.scenarios.attacks.faults.users import fault

Row = tuple[str, ...]

STAGES: Mapping[str, Stage] = {"memory": play, "tls": play_apart}  # network -> what plays over it
stage: Stage = play  # over which `run` plays; tests/roles/conftest.py turns it

SCHEMA = Schema(
    (
        Feature("colour", ("red", "green", "blue")),
        Feature("city", None, 12),
        Feature("grown", ("yes", "no")),
    )
)
COLOURS, CITIES, GROWN = ("red", "green", "blue"), ("Oslo", "Zürich", "Rome", "Ur"), ("yes", "no")


def act(deed: str) -> Act:
    """The function of a shuffler's deed; AttributeError for what is none."""
    return getattr(misdeeds, deed.replace("-", "_"))  # type: ignore[no-any-return]


def people(number: int) -> list[Row]:
    """Give so many rows, in which every value occurs and no column follows from another."""
    return [
        (COLOURS[i % 3], CITIES[(i * i + i // 5) % 4], GROWN[(i // 3) % 2]) for i in range(number)
    ]


def keep(*columns: int, share: float = 1.0) -> DecisionRule:
    """Give the rule that keeps these columns and promises no more than a share of the people."""

    def decide(schema: Schema, marginals: Sequence[Sequence[int]], n: int) -> Decision:
        assert len(marginals) == len(schema.features)
        return Decision(columns, DecisionCertificate("fixed", 2, n, int(share * n)))

    return decide


class Asking:
    """Asks for fixed groups, one call a round, and keeps fixed columns."""

    def __init__(
        self,
        rounds: Sequence[tuple[Sequence[tuple[int, ...]], tuple[Hiding, ...]]] = (),
        kept: tuple[int, ...] = (0, 2),
        hidden: tuple[Hiding, ...] = (),
    ) -> None:
        self.rounds, self.kept, self.hidden = rounds, kept, hidden
        self.heard: list[Sequence[RoundResult]] = []

    def ask(self, schema: Schema, heard: Sequence[RoundResult]) -> Call | None:
        self.heard.append(list(heard))
        if len(heard) > len(self.rounds):
            return None
        groups, hidden = self.rounds[len(heard) - 1]
        return Call(len(heard) + 1, Role.CURATOR, tuple(groups), hidden)

    def decide(self, schema: Schema, heard: Sequence[RoundResult]) -> Decision:
        n = max(sum(count.values()) for count in heard[0].counts)
        return Decision(self.kept, DecisionCertificate("fixed", 2, n, 0), self.hidden)


Ballots = Callable[[Round], Sequence[Ballot]]


def ballots(*said: tuple[int, tuple[str, ...]]) -> Ballots:
    """Give what somebody says in a round: to which question, and which values."""
    return lambda _plan: [Ballot(ask, values) for ask, values in said]


class Saying(Endpoint):
    """A user that in one round answers with ballots of its own making, in a well-made envelope."""

    def __init__(self, network: Network, party: str, number: int, values: Ballots) -> None:
        super().__init__(network, party)
        self.number, self.values = number, values

    async def send(self, plan: Round, receiver: str, body: Body) -> None:
        """Send others in that round."""
        if plan.call.round == self.number and isinstance(body, Submission):
            entropy = SeededEntropy(99).fork(self.party)
            onions = [
                seal_ballot(plan, ballot, entropy.random(16), entropy)[0]
                for ballot in self.values(plan)
            ]
            body = Submission(seal_envelope(plan, onions, entropy), witness=plan.witness)
        await super().send(plan, receiver, body)


def attack(**users: str | tuple[str, Sequence[int]]) -> dict[str, Fault]:
    """Give faults by party; `user_3="late"` or `user_3=("late", [2])`."""
    return {
        name.replace("_", "-"): fault(what) if isinstance(what, str) else fault(*what)
        for name, what in users.items()
    }


@dataclass
class Run:
    """A session that has been played."""

    board: Board
    transcript: Transcript
    reports: list[str] = field(default_factory=list)

    def refused(self, party: str, number: int) -> dict[Reason, int]:
        """What a party says it refused in a round."""
        counts: dict[Reason, int] = {}
        for refusal in self.transcript.refusals:
            if (refusal.party, refusal.round) == (party, number):
                counts[refusal.reason] = counts.get(refusal.reason, 0) + refusal.count
        return counts

    @property
    def decision(self) -> Decision | None:
        """What was decided, with the certificate that the curator has."""
        return RunRecord(self.transcript, self.board).decision

    @property
    def results(self) -> tuple[Any, ...]:
        """Everything that a run is for."""
        reads = tuple(read.counts for read in self.transcript.reads)
        return reads, self.decision, self.board.burned

    def ideal(self) -> tuple[Any, ...]:
        """The same, as `ideal` below gives it.

        What a reader counted before it burned the round itself is no result of the session.
        """
        tallies = len(self.board.tallies)
        reads = tuple(read.counts for read in self.transcript.reads)[:tallies]
        release = reads[1][0] if len(reads) == 2 else None
        return reads, self.decision, release, self.board.burned


def cast(rows: Sequence[Row], **changes: Any) -> Cast:
    """Assemble a session over these rows; `changes` are other fields."""
    entropy: Entropy = SeededEntropy(changes.pop("seed", 1))
    fields: dict[str, Any] = {
        "title": "a test",
        "schema": SCHEMA,
        "policy": AnnouncedPolicy(2, 0.5, "fixed"),
        "rules": Rules(min_dropout=3),
        "suite": "sealedbox",
        "shufflers": 1,
        "people": len(rows),
        "row": rows.__getitem__,
        "decide": keep(0, 2),
        "entropy": entropy,
        "threads": 2,
    }
    return Cast(**fields | changes)


def run(what: Cast | Sequence[Row], instruments: Sequence[Instrument] = (), **changes: Any) -> Run:
    """Play a session and record it."""
    played = what if isinstance(what, Cast) else cast(what, **changes)
    transcript, reports = Transcript.sized(played.people), list[str]()
    board = stage(played, [TranscriptRecorder(transcript), *instruments], reports.append)
    return Run(board, transcript, reports)


def ideal(played: Cast, absent: Mapping[int, Sequence[int]] | None = None) -> tuple[Any, ...]:
    """Answer the same questions without a message; `absent[r]` are missing in round r."""
    gone = absent or {}
    asked = [
        {i for i in range(played.people) if number in played.rounds(i)} - set(gone.get(number, ()))
        for number in (1, 2)
    ]
    fixed = played.policy.setting is Setting.FIXED
    asked[1] = asked[0] & asked[1] if fixed else asked[1] - asked[0]
    first, second = ([played.row(i) for i in sorted(people)] for people in asked)
    answer: Ideal = two_round(
        *(played.schema, (table(played, first), table(played, second))),
        *(played.policy, played.rules, played.decide),
    )
    return answer.tallies, answer.decision, answer.release, answer.burned


def table(played: Cast, rows: Sequence[Row]) -> PeopleTable:
    """Write rows as the ideal functionality takes them."""
    columns = range(len(played.schema.features))
    values = tuple(tuple(sorted({row[column] for row in rows})) for column in columns)
    codes = [[values[column].index(row[column]) for column in columns] for row in rows]
    return PeopleTable(values, np.array(codes, dtype=np.int64).reshape(len(rows), len(columns)))


def happened(transcript: Transcript) -> list[tuple[Any, ...]]:
    """Tell what a transcript tells, whatever order things that happened at once are in."""
    return sorted(
        (
            event.time,
            event.round,
            str(event.kind),
            event.sender,
            event.receiver,
            event.size,
            event.names,
        )
        for event in transcript.events
    )
