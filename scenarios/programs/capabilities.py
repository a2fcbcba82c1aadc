"""The parts of a release program that only some programs have.

A program lists its parts in `capabilities`. A caller asks for a part by its class and uses its
content; None: the program does not have this part.

    noise = capability(scenario, LocalNoise)     # registry.py
    schema = noise.schema(scenario, schema) if noise else schema
"""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from .capability import AnswerKind, Capability

if TYPE_CHECKING:
    from ...analysis.trust import Received
    from ...protocol.board.strategies import RoundResult
    from ...protocol.knowledge.view import View
    from ...protocol.wire.messages import Call, Counts, Decision
    from ...protocol.wire.schema import Schema
    from ..populations import Population
    from ..schema.model import Policy, Scenario
    from ..schema.problems import Problem
    from .dropped_columns import UnreleasedColumn
    from .evidence import Claims
    from .findings import Findings
    from .interface import ConsideredColumns, Session
    from .noisy_questions import Question
    from .random_participation import Participation


class LocalNoise(Capability):
    """The noise that users add to their answers: the analyst reads reports.

    There is no decision by the curator.
    """

    answers = AnswerKind.REPORTS

    def problems(self, scenario: "Scenario") -> "Iterator[Problem]":
        """Yield a problem if [local] does not have the mechanism of this noise."""
        raise NotImplementedError

    def questions(self, scenario: "Scenario", people: "Population") -> "tuple[Question, ...]":
        """Return the questions that are answered with noise."""
        raise NotImplementedError

    def recorded_questions(
        self, scenario: "Scenario", result: "Claims", sizes: Sequence[int]
    ) -> "Sequence[Question]":
        """Return the questions of a recorded run, as far as their noise is concerned.

        sizes: the number of values of each column. Raises VerificationError for a record without
        the counts of reports.
        """
        raise NotImplementedError

    def schema(self, scenario: "Scenario", schema: "Schema") -> "Schema":  # noqa: ARG002
        """Return the announced features: reports in place of values."""
        return schema

    def names(self, scenario: "Scenario", names: Sequence[str]) -> tuple[str, ...]:  # noqa: ARG002
        """Return the names of the announced features."""
        return tuple(names)

    def received(self, view: "View", sizes: Sequence[int], information: float | None) -> "Received":
        """Return the leakage of a view of reports.

        sizes: the number of values of each column. information: bits that a person's reports carry
        about its values; None if no report was counted.
        """
        from ...analysis.trust import received_reports

        return received_reports(view, sizes, information or 0.0)


class ThresholdOpening(Capability):
    """The opening of rows that k people share: the only round is the release.

    Attributes:
        parties: the parties of a session besides the central ones.
    """

    keys = ("prefixes", "close", "sample", "epsilon")
    answers = AnswerKind.OPENED
    parties: tuple[str, ...] = ()

    def participation(self, policy: "Policy") -> "Participation | None":
        """Return the rate of random participation; None if all take part."""
        raise NotImplementedError

    def exposed(self, release: "Counts", k: int) -> int:
        """Return the number of people with a value in a prefix that fewer than k share."""
        raise NotImplementedError

    def excluded(self, release: "Counts", policy: "Policy", schema: "Schema") -> int:
        """Return the number of people with closed rows in a small class known to all readers."""
        raise NotImplementedError

    def variants(self, policy: "Policy") -> "Iterator[tuple[str, Policy]]":
        """Yield the policies of a comparison, each with the end of its name."""
        raise NotImplementedError


class ColumnDecision(Capability):
    """The decision of the curator on columns, from the counts of round 1."""

    def options(
        self,
        policy: "Policy",
        schema: "Schema",
        counts: "Sequence[Counts] | None",
        new_people: int | None,
    ) -> "tuple[ConsideredColumns, ...]":
        """Return the exposure bound of each set of columns after round 1.

        counts: the counts of round 1, None if it was not counted. new_people: the number of new
        people in round 2, None if it has the people of round 1. () with many columns.
        """
        raise NotImplementedError

    def considered(self, session: "Session") -> "tuple[ConsideredColumns, ...]":
        """Return the sets of columns of a session, each with its exposure bound."""
        raise NotImplementedError

    def dropped(self, session: "Session") -> "tuple[UnreleasedColumn, ...]":  # noqa: ARG002
        """Return the reason for each suppressed column; () if no single limit is the reason."""
        return ()


class RuleDecision(ColumnDecision):
    """The decision by the rule of the policy alone, from single columns."""

    def unreleased(
        self, policy: "Policy", rule: str, schema: "Schema", counts: Sequence[Sequence[int]]
    ) -> "Iterator[UnreleasedColumn]":
        """Yield the limits that would admit each suppressed column.

        counts: the people with each value, for each column.
        """
        raise NotImplementedError


class WeighedChoice(Capability):
    """The choice of the heaviest columns within the promise."""

    keys = ("prefer", "weights", "required", "forbidden")


class OwnProof(Capability):
    """The proof of a decision by a rule that is called after the kind of the program."""

    def verify(
        self, decision: "Decision", schema: "Schema", round_results: "Sequence[RoundResult]"
    ) -> None:
        """Raise VerificationError unless the round results prove the claims of a decision."""
        raise NotImplementedError


class OwnFindings(Capability):
    """The findings of a program beside the scores of every run."""

    def record(self) -> "type[Findings]":
        """Return their type."""
        raise NotImplementedError


class FixedColumns(Capability):
    """The columns that are released for any bound."""

    def columns(self, policy: "Policy", schema: "Schema") -> tuple[str, ...]:
        """Return their names."""
        raise NotImplementedError


class DeeperQueries(Capability):
    """The queries for groups of columns, between the first counts and the release."""

    keys = ("curator_exposure", "ask")

    def calls(self, policy: "Policy", columns: Sequence[int]) -> "Iterator[Call]":
        """Yield the queries, as if all of the largest allowed number were safe."""
        raise NotImplementedError
