"""The evidence of a run: the content of its record, and data derived from it, for the checks."""

import json
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

from msgspec import UNSET

from ....crypto.identity import PublicIdentity
from ....errors import RoundBurned, VerificationError
from ....protocol.board.board import Board, replay
from ....protocol.board.promise import check_promise, promised_share, prove
from ....protocol.board.strategies import RoundResult, first_call
from ....protocol.knowledge.transcript import Transcript
from ....protocol.knowledge.view import View, ViewedRun
from ....protocol.wire.hiding_rules import Redact
from ....protocol.wire.messages import Counts, Decision, DecisionCertificate
from ....protocol.wire.parties import Role
from ....protocol.wire.rows_per_person import dummy
from ....protocol.wire.schema import Feature, Schema
from ...lab.scoring.outcome import Outcome
from ...lab.scoring.person_rounds import SeveralRows
from ...lab.scoring.result import Result, findings_as
from ...programs.capability import AnswerKind
from ...programs.evidence import NoGround
from ...programs.hierarchical.rounds import RoundRecord, Rounds
from ...programs.interface import Mode
from ...programs.registry import answers_in, program_of, wire
from ...programs.small_classes import excluded_people
from ...programs.topology import topology_of
from ..run_folder import Run
from .views import columns

RELEASED = 2  # number of the release's round in an ideal run; round 1 counts the marginals


class RecordEvidence:
    """A saved run, with the results that follow from its record, each computed once.

    run: the run as read. wants_replay: whether to run the scenario again; None: if it is small.
    known_identities: public identities known beforehand, by name. A property raises NoGround if the
    record lacks the data for it; then a check that needs it is not made.
    """

    def __init__(
        self,
        run: Run,
        wants_replay: bool | None,  # noqa: FBT001 - passed on
        known_identities: Mapping[str, PublicIdentity] | None = None,
    ) -> None:
        """Keep the run and the options of the checks.

        wants_replay: whether to run the scenario again; None: if it is small.
        known_identities: public identities known beforehand, by name.
        """
        self.run = run
        self.wants_replay = wants_replay
        self.known_identities = known_identities or {}

    @property
    def result(self) -> Result:
        """The content of result.json."""
        return self.run.result

    @property
    def rounds(self) -> tuple[RoundRecord, ...]:
        """The curator's rounds in result.json, if it asks for groups of columns; else ()."""
        claimed = findings_as(self.result, Rounds)
        return claimed.rounds if claimed else ()

    @property
    def transcript(self) -> Transcript:
        """The recorded messages; NoGround for an ideal run."""
        if self.run.transcript is None:
            raise NoGround("an ideal run sends no messages")
        return self.run.transcript

    @cached_property
    def board(self) -> Board:
        """The bulletin board that the posts form.

        Raises Refused if a post is illegal. Raises NoGround for a run among peers: their board has
        another form.
        """
        if untold := topology_of(self.run.scenario).untold:
            raise NoGround(untold)
        return replay(self.transcript.posts)

    def counts(self, number: int) -> tuple[tuple[Counts, ...], str]:
        """Return the counts of a round, for each question, and the source of the counts in words.

        number: the number of the round. The source is result.json for an ideal run; else the board,
        or if the counts are not published, the reader's record in the transcript.
        """
        if self.run.transcript is None:
            return self._claimed(number), "result.json"
        tallies = self.board.tallies
        published = tallies[number - 1].counts if len(tallies) >= number else None
        if published is not None:
            return published, "the board"
        for reading in self.transcript.reads:
            if reading.round == number:
                return reading.counts, f"what the {reading.reader} read"
        raise NoGround(f"round {number} was not counted")

    def counted_rounds(self) -> tuple[list[RoundResult], str]:
        """Return the curator's calls (queries) with their counts, and the source of the counts.

        The record of an ideal run holds only round 1: NoGround if there were more rounds.
        """
        if self.opens:
            return [], "what was announced"
        if self.run.transcript is None:
            if len(self.rounds) > 1:
                raise NoGround("an ideal run records no counts of groups of columns")
            first = first_call(wire(self.run.scenario), self.schema)
            counts, source = self.counts(1)
            return [RoundResult(first, counts)], source
        results: list[RoundResult] = []
        source = ""
        for call in self.board.calls[: len(self.board.tallies)]:
            if call.reader is Role.CURATOR:
                counts, source = self.counts(call.round)
                results.append(RoundResult(call, counts))
        if not results:
            raise NoGround("round 1 was not counted")
        return results, source

    @property
    def randomized(self) -> bool:
        """Whether people randomized their answers."""
        return answers_in(self.run.scenario) is AnswerKind.REPORTS

    @property
    def rows(self) -> int:
        """The number of ballots of each person for a question; 1 if each person has one row."""
        return self.run.scenario.population.rows or 1

    @property
    def opens(self) -> bool:
        """Whether the release program opens only rows that at least k people share."""
        return answers_in(self.run.scenario) is AnswerKind.OPENED

    @property
    def statistical(self) -> bool:
        """Whether round 2 asked other people than round 1."""
        return self.run.scenario.population.setting != "fixed"

    @property
    def round2_people(self) -> int | None:
        """The number of people in round 2, if they are other people than in round 1; else None."""
        return self.run.scenario.population.round2_users if self.statistical else None

    def _claimed(self, number: int) -> tuple[Counts, ...]:
        """Return the counts of a round from result.json, because an ideal run has no transcript.

        number: the number of the round.
        """
        if self.randomized:
            return self._reported()
        if self.result.several_rows:
            return self._with_dummies(number, self.result.several_rows)
        return self._claimed_counts(number)

    def _with_dummies(self, number: int, several: SeveralRows) -> tuple[Counts, ...]:
        """Return the counts of persons in result.json, with claimed dummies as one more cell.

        A dummy fills up the ballots of a person with fewer rows than others. number: the round.
        several: the claimed persons and dummies of all rounds.
        """
        counts = self._claimed_counts(number)
        blank = several.rounds[number - 1].dummies
        width = len(self.result.release.columns) if number > 1 and self.result.release else 1
        return tuple(
            {**each, dummy(width): dummy_count} if dummy_count else each
            for each, dummy_count in zip(counts, blank, strict=True)
        )

    def _claimed_counts(self, number: int) -> tuple[Counts, ...]:
        """Return the counts that result.json claims for a round: 1, marginals; 2, the release."""
        if number == 1 and self.result.marginals:
            return tuple(
                {(value,): people for value, people in self.result.marginals[name].items()}
                for name in self.result.features
            )
        if number == RELEASED and self.result.release:
            return (dict(self.result.release.cells),)
        raise NoGround(f"round {number} was not counted")

    def _reported(self) -> tuple[Counts, ...]:
        """Return the counts of randomized reports that result.json claims, by announced column."""
        if self.result.release is None:
            raise NoGround(
                "result.json leaves out the counts of reports: there were too many to list"
            )
        counts: dict[str, dict[tuple[str, ...], int]] = {name: {} for name in columns(self.run)}
        for (feature, report), people in self.result.release.cells:
            counts[feature][report,] = people
        return tuple(counts.values())

    @property
    def decision(self) -> Decision:
        """The curator's decision; NoGround if there is no decision."""
        decision = self.record.decision if self.run.transcript else self.decided()
        if decision is None:
            raise NoGround("no decision was made")
        return decision

    def decided(self) -> Decision | None:
        """Return the curator's decision that result.json claims; None without a decision."""
        claimed_decision = self.result.decision
        if claimed_decision is None:
            return None
        proof = claimed_decision.certificate
        names = list(self.result.features)
        kept_columns = tuple(names.index(name) for name in claimed_decision.kept)
        numbers = proof.rule, proof.k, proof.n, proof.people
        data = b"" if proof.proof is UNSET else _proof_bytes(proof.proof)
        claimed = DecisionCertificate(*numbers, proof.thresholds, proof.pivot, proof.c, data)
        suppressed = tuple(
            Redact(names.index(rule.feature), rule.values, rule.cover)
            for rule in claimed_decision.blank or ()
        )
        return Decision(kept_columns, claimed, suppressed)

    def promised(self, joint: Counts) -> float | None:
        """Return the certified share of exposed people, for a release with the counts `joint`.

        None for an ideal run with several rounds of the curator, whose counts are not recorded.
        Raises VerificationError if the release was not allowed, because the counts of its
        respondents do not prove the bound.
        """
        from ...lab.play.announcement import announced_policy
        from ...programs.registry import strategy

        decision, people = self.decision, sum(joint.values())
        excluded = self.excluded(joint) / people if people else 0.0
        if not self.run.scenario.defence.promise:
            return decision.certificate.value + excluded
        if self.run.transcript is None and len(self.rounds) > 1:
            return None
        calls = [first_call(wire(self.run.scenario), self.schema)]
        if self.run.transcript is not None:
            calls = self.board.calls[:-1]
        proved = prove(strategy(self.run.scenario), self.schema, calls, decision, joint)
        try:
            check_promise(announced_policy(self.run.scenario), decision, proved)
        except RoundBurned as burn:
            raise VerificationError(
                f"the certified bound on exposed people does not hold: {burn}"
            ) from None
        return promised_share(decision, proved) + excluded

    def excluded(self, joint: Counts) -> int:
        """Return the number of people in small classes that are unpublished, but deducible.

        A small class has fewer than k people. It is deducible if the published counts leave no
        other values for the remaining people. joint: the published counts.
        """
        scenario = self.run.scenario
        return excluded_people(program_of(scenario), joint, scenario.policy, self.schema)

    @property
    def released(self) -> bool:
        """Whether the analyst's round was completed, so that there is a release."""
        if self.run.transcript is None:
            return self.result.release is not None
        board = self.board
        last = board.calls[-1].reader if board.calls else None
        return len(board.tallies) == len(board.calls) and last is Role.ANALYST and not board.burned

    @property
    def last(self) -> int:
        """The number of the release's round; 2 in an ideal run.

        The record of an ideal run holds only the counts of round 1 and the release.
        """
        return RELEASED if self.run.transcript is None else len(self.board.calls)

    @cached_property
    def repeated(self) -> Outcome:
        """The outcome of running the scenario again with the same seed."""
        from ...lab.play.run import run

        mode: Mode = "ideal" if self.result.mode == "ideal" else "real"
        return run(self.run.scenario, self.result.seed, mode, worst_case_nodes=0)

    def view_of(self, members: Sequence[str]) -> View:
        """Return the pooled view of a coalition, given by the names of its members."""
        return self.record.view(members)

    @cached_property
    def record(self) -> ViewedRun:
        """The run's messages and board, in a form that computes many coalitions' views fast."""
        return ViewedRun(self.transcript, self.board)

    @property
    def schema(self) -> Schema:
        """The schema (the features and their domains) that was announced, or agreed on beforehand.

        For an ideal run the schema has numbers in place of values, because rules read only the
        sizes of domains.
        """
        if agreed := topology_of(self.run.scenario).agreed:
            return agreed(self.result)
        if self.run.transcript is not None:
            if self.board.announcement is None:
                raise NoGround("no announcement was posted")
            return self.board.announcement.schema
        return Schema(
            tuple(
                Feature(feature.name, None, 1)
                if feature.open
                else Feature(feature.name, tuple(map(str, range(size))))
                for feature, size in zip(self.run.scenario.feature, self.run.sizes, strict=True)
            )
        )


def _proof_bytes(proof: Any) -> bytes:
    """Return the proof of a certificate in the bytes that a certificate holds: JSON without spaces.

    proof: the proof as result.json holds it; None gives empty bytes.
    """
    return json.dumps(proof, separators=(",", ":")).encode() if proof is not None else b""
