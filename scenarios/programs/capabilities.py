"""The optional parts of a release program: interfaces that only some programs implement.

A program lists its parts in `capabilities`. A caller requests a part by its class; None means that
the program lacks this part.

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
    """The part of a release program with users that add noise to answers before encryption.

    The analyst counts the noisy answers (reports); no curator decides on released columns.
    """

    answers = AnswerKind.REPORTS

    def problems(self, scenario: "Scenario") -> "Iterator[Problem]":
        """Yield a problem if [local] has a mechanism that the release program cannot use."""
        raise NotImplementedError

    def questions(self, scenario: "Scenario", people: "Population") -> "tuple[Question, ...]":
        """Return a question for each report of a person: its columns, values and randomizer."""
        raise NotImplementedError

    def recorded_questions(
        self, scenario: "Scenario", result: "Claims", sizes: Sequence[int]
    ) -> "Sequence[Question]":
        """Return the questions of a recorded run, without the answers of people.

        sizes: the number of values of each column. Raises VerificationError for a record without
        the counts of reports.
        """
        raise NotImplementedError

    def schema(self, scenario: "Scenario", schema: "Schema") -> "Schema":  # noqa: ARG002
        """Return the announced features: one feature for each report, in place of people's own."""
        return schema

    def names(self, scenario: "Scenario", names: Sequence[str]) -> tuple[str, ...]:  # noqa: ARG002
        """Return the names of the announced features, a feature for each report.

        names: the names of the people's features, before noise.
        """
        return tuple(names)

    def received(self, view: "View", sizes: Sequence[int], information: float | None) -> "Received":
        """Return the leakage about people to a coalition with reports in its view.

        sizes: the number of values of each column. information: bits that a person's reports carry
        about its values; None if no report was counted.
        """
        from ...analysis.trust import received_reports

        return received_reports(view, sizes, information or 0.0)


class ThresholdOpening(Capability):
    """The part of a release program by which the analyst decrypts only rows that k people share.

    Such a row is open, every other row stays closed. The only round is the release.

    Attributes:
        parties: the parties of a session besides shufflers, curator and analyst.
    """

    keys = ("prefixes", "close", "sample", "epsilon")
    answers = AnswerKind.OPENED
    parties: tuple[str, ...] = ()

    def participation(self, policy: "Policy") -> "Participation | None":
        """Return the random draw by which a person takes part; None if all people take part."""
        raise NotImplementedError

    def exposed(self, release: "Counts", k: int) -> int:
        """Return the number of people with a released prefix that fewer than k people share.

        A prefix is the first values of a row, which may be released without the rest of the row.
        """
        raise NotImplementedError

    def excluded(self, release: "Counts", policy: "Policy", schema: "Schema") -> int:
        """Return the number of people in small classes that a release reveals by exclusion.

        Their rows stayed encrypted, because fewer than k people share each row. The values that the
        release shows rule out other values, so 1 to k - 1 people must have the remaining values.
        """
        raise NotImplementedError

    def variants(self, policy: "Policy") -> "Iterator[tuple[str, Policy]]":
        """Yield (suffix, policy): the variants that a comparison of release programs plays.

        The suffix, such as " prefixes", is added to the program's name in the table of the
        comparison.
        """
        raise NotImplementedError


class ColumnDecision(Capability):
    """The part of a release program by which a curator decides, after round 1, on columns."""

    def options(
        self,
        policy: "Policy",
        schema: "Schema",
        counts: "Sequence[Counts] | None",
        new_people: int | None,
    ) -> "tuple[ConsideredColumns, ...]":
        """Return the exposure bound of each set of columns after round 1; () with many columns.

        counts: the counts of round 1; None: it was not counted. new_people: the number of people in
        round 2 if they are other people; None: the same people.
        """
        raise NotImplementedError

    def considered(self, session: "Session") -> "tuple[ConsideredColumns, ...]":
        """Return the sets of columns that the curator considered, each with its exposure bound."""
        raise NotImplementedError

    def dropped(self, session: "Session") -> "tuple[UnreleasedColumn, ...]":  # noqa: ARG002
        """Return each suppressed column of a session, with the limits that would admit it.

        () if the release program does not compute such limits.
        """
        return ()


class RuleDecision(ColumnDecision):
    """The part of a release program that decides by its policy's rule, from single columns.

    The rule bounds the exposure of a set of columns from the counts of each column by itself.
    """

    def unreleased(
        self, policy: "Policy", rule: str, schema: "Schema", counts: Sequence[Sequence[int]]
    ) -> "Iterator[UnreleasedColumn]":
        """Yield each suppressed column with the limits that would admit it to the release.

        rule: the name of the method that bounds exposure. counts: for each column, the people with
        each value.
        """
        raise NotImplementedError


class WeighedChoice(Capability):
    """The part of a release program that maximizes the released weight within max_exposure.

    The keys of [policy] that set weights, or require and forbid columns, are accepted with this
    part only.
    """

    keys = ("prefer", "weights", "required", "forbidden")


class OwnProof(Capability):
    """The part of a release program that proves its decisions itself, not by a rule of `analysis`.

    A decision's certificate names the rule that proves its exposure bound. Here that name begins
    with the kind of the program.
    """

    def verify(
        self, decision: "Decision", schema: "Schema", round_results: "Sequence[RoundResult]"
    ) -> None:
        """Raise VerificationError unless the curator's counts prove a decision's certificate.

        round_results: the curator's queries with their counts.
        """
        raise NotImplementedError


class OwnFindings(Capability):
    """The part of a release program that adds its own scores, `findings`, to result.json."""

    def record(self) -> "type[Findings]":
        """Return the record type of the release program's findings."""
        raise NotImplementedError


class FixedColumns(Capability):
    """The part of a release program with fixed released columns, at any exposure bound."""

    def columns(self, policy: "Policy", schema: "Schema") -> tuple[str, ...]:
        """Return the names of the columns that are released under a policy."""
        raise NotImplementedError


class DeeperQueries(Capability):
    """The part of a release program that queries groups of columns after the single columns."""

    keys = ("curator_exposure", "ask")

    def calls(self, policy: "Policy", columns: Sequence[int]) -> "Iterator[Call]":
        """Yield the queries for groups of columns that a session can have at most.

        Every group of columns counts as safe to query here.
        """
        raise NotImplementedError
