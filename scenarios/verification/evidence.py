"""A run as evidence: what its record holds, and what follows from it. What verify.py checks."""

from collections.abc import Mapping, Sequence
from functools import cached_property

from msgspec import UNSET

from ...crypto.identity import PublicIdentity
from ...errors import RoundBurned, VerificationError
from ...protocol.board import Board, replay
from ...protocol.messages import Certificate, Counts, Decision
from ...protocol.parties import Role
from ...protocol.programs import RoundResult, first_call
from ...protocol.promise import check_promise, promised_share, prove
from ...protocol.schema import Feature, Schema
from ...protocol.transcript import Transcript
from ...protocol.view import Record, View
from ..programs.evidence import NoGround
from ..programs.hierarchical.rounds import RoundRecord, Rounds
from ..programs.interface import Mode
from ..programs.registry import program_of, wire
from ..programs.topology import topology_of
from ..records.run_folder import Run
from ..scoring.outcome import Outcome
from ..scoring.result import Result, own
from ..serialization.decisions import proof_bytes, read_blanks
from .views import columns

RELEASED = 2  # how an ideal run's release is counted


class Evidence:
    """A run, and what follows from what it recorded."""

    def __init__(
        self,
        run: Run,
        again: bool | None,  # noqa: FBT001 - passed on
        known: Mapping[str, PublicIdentity] | None = None,
    ) -> None:
        self.run = run
        self.again = again
        self.known = known or {}

    @property
    def result(self) -> Result:
        """result.json."""
        return self.run.result

    @property
    def rounds(self) -> tuple[RoundRecord, ...]:
        """What result.json says the curator was given, where it asked for groups; else ()."""
        said = own(self.result, Rounds)
        return said.rounds if said else ()

    @property
    def transcript(self) -> Transcript:
        """What was recorded; NoGround for an ideal run."""
        if self.run.transcript is None:
            raise NoGround("an ideal run sends no messages")
        return self.run.transcript

    @cached_property
    def board(self) -> Board:
        """The board as its posts make it. Refused if one is not legal; none among peers."""
        if untold := topology_of(self.run.scenario).untold:
            raise NoGround(untold)
        return replay(self.transcript.posts)

    def counts(self, number: int) -> tuple[tuple[Counts, ...], str]:
        """The counts of a round and who vouches for them: the board, else the reader."""
        if self.run.transcript is None:
            return self._claimed(number), "result.json"
        tallies = self.board.tallies
        published = tallies[number - 1].counts if len(tallies) >= number else None
        if published is not None:
            return published, "the board"
        for read in self.transcript.reads:
            if read.round == number:
                return read.counts, f"what the {read.reader} read"
        raise NoGround(f"round {number} was not counted")

    def heard(self) -> tuple[list[RoundResult], str]:
        """The calls that the curator read the answers to, with their counts; who vouches for them.

        Of an ideal run only round 1 is recorded: NoGround if there was more.
        """
        if self.opens:
            return [], "what was announced"
        if self.run.transcript is None:
            if len(self.rounds) > 1:
                raise NoGround("an ideal run records no counts of groups")
            first = first_call(wire(self.run.scenario), self.schema)
            counts, whose = self.counts(1)
            return [RoundResult(first, counts)], whose
        results: list[RoundResult] = []
        whose = ""
        for call in self.board.calls[: len(self.board.tallies)]:
            if call.reader is Role.CURATOR:
                counts, whose = self.counts(call.round)
                results.append(RoundResult(call, counts))
        if not results:
            raise NoGround("round 1 was not counted")
        return results, whose

    @property
    def randomized(self) -> bool:
        """Whether people randomized what they said."""
        return program_of(self.run.scenario).reports

    @property
    def opens(self) -> bool:
        """Whether nothing is counted but what k people share."""
        return program_of(self.run.scenario).opens

    @property
    def statistical(self) -> bool:
        """Whether round 2 asked other people than round 1."""
        return self.run.scenario.population.setting != "fixed"

    @property
    def others(self) -> int | None:
        """How many people round 2 asked, if they are others than in round 1."""
        return self.run.scenario.population.round2_users if self.statistical else None

    def _claimed(self, number: int) -> tuple[Counts, ...]:
        """The counts that result.json claims (an ideal run has no other record)."""
        if self.randomized:
            return self._reported()
        if number == 1 and self.result.marginals:
            return tuple(
                {(value,): people for value, people in self.result.marginals[name].items()}
                for name in self.result.features
            )
        if number == RELEASED and self.result.release:
            return (dict(self.result.release.cells),)
        raise NoGround(f"round {number} was not counted")

    def _reported(self) -> tuple[Counts, ...]:
        """The counts of reports that result.json claims."""
        if self.result.release is None:
            raise NoGround("result.json does not hold the counts of reports, which are too many")
        counts: dict[str, dict[tuple[str, ...], int]] = {name: {} for name in columns(self.run)}
        for (feature, report), people in self.result.release.cells:
            counts[feature][report,] = people
        return tuple(counts.values())

    @property
    def decision(self) -> Decision:
        """What was decided; NoGround if nothing was."""
        decision = self.record.decision if self.run.transcript else self.decided()
        if decision is None:
            raise NoGround("nothing was decided")
        return decision

    def decided(self) -> Decision | None:
        """The decision that result.json claims."""
        said = self.result.decision
        if said is None:
            return None
        proof = said.certificate
        names = list(self.result.features)
        kept = tuple(names.index(name) for name in said.kept)
        numbers = proof.rule, proof.k, proof.n, proof.people
        data = proof_bytes(None if proof.proof is UNSET else proof.proof)
        claimed = Certificate(*numbers, proof.thresholds, proof.pivot, proof.c, data)
        return Decision(kept, claimed, read_blanks(said.blank or (), names))

    def promised(self, joint: Counts) -> float | None:
        """The share that is promised of the people of a release.

        None where groups were asked for that an ideal run does not record. VerificationError if
        it should not have been released: the promise cannot be proved of those who came.
        """
        from ..play.announcement import announced_policy
        from ..programs.registry import strategy

        decision, people = self.decision, sum(joint.values())
        known = self.excluded(joint) / people if people else 0.0
        if not self.run.scenario.defence.promise:
            return decision.certificate.value + known
        if self.run.transcript is None and len(self.rounds) > 1:
            return None
        calls = [first_call(wire(self.run.scenario), self.schema)]
        if self.run.transcript is not None:
            calls = self.board.calls[:-1]
        proved = prove(strategy(self.run.scenario), self.schema, calls, decision, joint)
        try:
            check_promise(announced_policy(self.run.scenario), decision, proved)
        except RoundBurned as why:
            raise VerificationError(f"the promise does not hold: {why}") from None
        return promised_share(decision, proved) + known

    def excluded(self, joint: Counts) -> int:
        """People of a release whose small crowd everybody knows by exclusion."""
        return program_of(self.run.scenario).excluded(joint, self.run.scenario, self.schema)

    @property
    def released(self) -> bool:
        """Whether the round for the analyst was completed."""
        if self.run.transcript is None:
            return self.result.release is not None
        board = self.board
        last = board.calls[-1].reader if board.calls else None
        return len(board.tallies) == len(board.calls) and last is Role.ANALYST and not board.burned

    @property
    def last(self) -> int:
        """The number of the round that the release comes from; 2 in an ideal run, which has none.

        The record of an ideal run holds the first counts and the release, whatever was between.
        """
        return RELEASED if self.run.transcript is None else len(self.board.calls)

    @cached_property
    def repeated(self) -> Outcome:
        """The run, run again."""
        from ..play.run import run

        mode: Mode = "ideal" if self.result.mode == "ideal" else "real"
        return run(self.run.scenario, self.result.seed, mode, worst_case_nodes=0)

    def view_of(self, members: Sequence[str]) -> View:
        """What these parties know together."""
        return self.record.view(members)

    @cached_property
    def record(self) -> Record:
        """What was recorded, ready to be looked at by many coalitions."""
        return Record(self.transcript, self.board)

    @property
    def schema(self) -> Schema:
        """The schema announced, or agreed on beforehand.

        Of an ideal run as far as a rule looks at it: sizes of domains.
        """
        if agreed := topology_of(self.run.scenario).agreed:
            return agreed(self.result)
        if self.run.transcript is not None:
            if self.board.announcement is None:
                raise NoGround("nothing was announced")
            return self.board.announcement.schema
        return Schema(
            tuple(
                Feature(feature.name, None, 1)
                if feature.open
                else Feature(feature.name, tuple(map(str, range(size))))
                for feature, size in zip(self.run.scenario.feature, self.run.sizes, strict=True)
            )
        )
