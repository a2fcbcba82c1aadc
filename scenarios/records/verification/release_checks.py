"""Checks of decision and release: decided again, counted again, compared with the certified bound.

Each check returns its finding as text, or raises an error: VerificationError if the check fails,
NoGround if the run lacks the data for the check.
"""

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ....errors import Refused, VerificationError
from ....protocol.board.alarms import claim
from ....protocol.board.phases import Phase
from ....protocol.board.strategies import RoundResult
from ....protocol.wire.commitment import may_open, open_commitment
from ....protocol.wire.hiding_rules import BLANK, Redact
from ....protocol.wire.messages import Decision
from ....protocol.wire.parties import ANALYST, CURATOR
from ...programs.decision_proof import verify_decision
from ...programs.evidence import NoGround
from ...programs.hierarchical.round_counts import standings
from ...programs.registry import program_of, strategy
from ...programs.small_classes import exposed_people
from .agreement import require_equal, shortened
from .evidence import RecordEvidence
from .rows_per_person import check_cells, exposed_persons

if TYPE_CHECKING:
    from ...lab.scoring.result import WrittenWorstCase


def decision(evidence: RecordEvidence) -> str:
    """Check that the decision, with its certified bound, follows from the counts of round 1.

    For a curator with several rounds, every query must follow from the counts before it.
    """
    claimed = evidence.decision
    _check_openings(evidence)
    results, source = evidence.counted_rounds()
    scenario = evidence.run.scenario
    curating = strategy(scenario, evidence.round2_people)
    for number, result in enumerate(results[1:], start=1):
        step = curating.ask(evidence.schema, results[:number])
        require_equal(f"asked in round {number + 1}", step, result.call)
    _same_certainty(evidence, results)
    if (more := curating.ask(evidence.schema, results)) is not None:
        raise VerificationError(
            f"the curator decided, although it could still query the columns {more.asks} "
            "(numbers from 0) safely"
        )
    decided = curating.decide(evidence.schema, results)
    names = evidence.result.features
    require_equal("kept", [names[j] for j in decided.kept], [names[j] for j in claimed.kept])
    require_equal("left blank", decided.hidden, claimed.hidden)
    verify_decision(claimed, evidence.schema, results)
    if scenario.policy.rule != "worst-case":  # two solver versions may prove different bounds
        require_equal("certificate", claim(decided), claim(claimed))
    rounds_text = f", {len(results)} rounds of it" if len(results) > 1 else ""
    return f"decided again from {source}{rounds_text}: {_columns(evidence, claimed)}"


def _check_openings(evidence: RecordEvidence) -> None:
    """Raise VerificationError unless all recorded openings of the certificate fit its commitment.

    The curator commits to the certificate on the board. The curator must hold an opening of the
    commitment, and after a release the analyst, too. If the rules allow it, the curator must also
    have opened the certificate on the board by the end of the session.
    """
    if evidence.run.transcript is None or (committed := evidence.board.committed) is None:
        return
    board, openings = evidence.board, evidence.transcript.certificates
    holders = sorted(opening.party for opening in openings)
    if holders != [ANALYST, CURATOR] and (evidence.released or holders != [CURATOR]):
        raise VerificationError(
            "the transcript must hold the certificate as opened to the curator, and after a "
            "release also as opened to the analyst, but no other certificate"
        )
    for opening in openings:
        try:
            open_commitment(board.session, committed, opening.opened)
        except Refused:
            message = (
                f"{opening.party} has a certificate that does not match its commitment on the board"
            )
            raise VerificationError(message) from None
    totals = [total for tally in board.tallies for total in tally.totals]
    due = board.announcement and may_open(board.announcement.policy, committed.hidden, totals)
    if due and evidence.released and board.phase is Phase.OVER and not board.opened:
        raise VerificationError("the curator has not opened its certificate after the release")


def _same_certainty(evidence: RecordEvidence, results: Sequence[RoundResult]) -> None:
    """Raise VerificationError unless the curator's claimed knowledge is confirmed, by round.

    Two numbers are compared: people with a value that the curator is certain of, and the bound on
    exposed people. results: the curator's queries and their counts.
    """
    if not (claimed_rounds := evidence.rounds):
        return
    standing = standings(evidence.schema, results, evidence.run.scenario.policy.k)
    require_equal(
        "people with a value certain to the curator",
        [certainty.now for certainty in standing],
        [o.certain for o in claimed_rounds],
    )
    claimed = [record.promised for record in claimed_rounds if record.promised is not None]
    if claimed:
        require_equal(
            "bound on exposed people in a release of all columns",
            [certainty.promised for certainty in standing],
            claimed,
        )


def _columns(evidence: RecordEvidence, decision: Decision) -> str:
    """Return the released columns of a decision in words."""
    names = [evidence.result.features[column] for column in decision.kept]
    return f"keep {', '.join(names)}" if names else "keep nothing"


def release(evidence: RecordEvidence) -> str:
    """Check that the release fits the decision and the counts of round 1.

    Columns, number of people and sums of the counts are compared. For noisy reports only the number
    of reports is compared.
    """
    if evidence.randomized:
        return _reports(evidence)
    if not evidence.released:
        raise NoGround("nothing was released")
    claimed = evidence.decision
    (joint,), source = evidence.counts(evidence.last)
    if any(len(cell) != len(claimed.kept) for cell in joint):
        raise VerificationError("the release has other columns than the decision names")
    if evidence.run.transcript is not None:
        require_equal("columns of the last query", evidence.board.calls[-1].asks, (claimed.kept,))
        require_equal("people released", (sum(joint.values()),), evidence.board.tallies[-1].totals)
    if evidence.opens:
        program = program_of(evidence.run.scenario)
        if less := exposed_people(program, joint, claimed.certificate.k):
            raise VerificationError(f"{less:,} people have released values that fewer than k share")
        return f"{sum(joint.values()):,} people in {len(joint):,} combinations, from {source}"
    if evidence.rows > 1:
        return f"{check_cells(evidence, joint)}, from {source}; none more often than round 1 allows"
    singles, _ = evidence.counts(1)
    joint_people, sums_before = sum(joint.values()), {sum(count.values()) for count in singles}
    cells = f"{joint_people:,} people in {len(joint):,} combinations, from {source}"
    if evidence.statistical:
        return f"{cells}; round 1 asked other people"
    blanked = {rule.column: rule for rule in claimed.hidden if isinstance(rule, Redact)}
    # The released people with a value are among the people of round 1 with the value: users may
    # leave in between, but no user may join or change a value. So a sum of released counts is at
    # most the count of round 1. Sum and count are equal if no user left and no value of the column
    # is hidden. A larger sum shows invented or moved people.
    for place, column in enumerate(claimed.kept):
        sums: Counter[tuple[str, ...]] = Counter()
        for cell, people in joint.items():
            sums[cell[place],] += people
        name = evidence.result.features[column]
        if column in blanked:
            del sums[BLANK,]
            unhidden = [value for (value,) in sums if value in blanked[column].values]
            if unhidden:
                raise VerificationError(
                    f"{name}: {shortened(unhidden)} should have been left blank"
                )
        if sums_before == {joint_people} and column not in blanked:
            require_equal(f"sums over {name}", dict(sums), dict(singles[column]))
        elif more := sums - Counter(singles[column]):
            raise VerificationError(
                f"{name}: the release has more people with a value than round 1: "
                f"{shortened(dict(more))} too many"
            )
    return f"{cells}; sums {'as' if sums_before == {joint_people} else 'at most'} in round 1"


def _reports(evidence: RecordEvidence) -> str:
    """Check that the number of counted noisy reports is the number on the board."""
    counts, source = evidence.counts(1)
    totals = tuple(sum(count.values()) for count in counts)
    if evidence.run.transcript is not None:
        require_equal("reports", totals, evidence.board.tallies[0].totals)
    different = sum(len(count) for count in counts)
    return f"{sum(totals):,} reports, {different:,} different ones, from {source}"


def exposure(evidence: RecordEvidence) -> str:
    """Check the true exposure and the certified bound, recomputed from the release."""
    claimed_exposure = evidence.result.exposure
    claimed = evidence.decision
    if not evidence.released:
        require_equal("promised", claimed.certificate.value, claimed_exposure.promised)
        require_equal("true exposure", 0.0, claimed_exposure.true)
        require_equal("worst case", None, claimed_exposure.worst_case)
        return "nothing was released, so nobody is exposed by it"
    (joint,), _ = evidence.counts(evidence.last)
    if (promise := evidence.promised(joint)) is not None:
        require_equal("promised", promise, claimed_exposure.promised)
    if evidence.rows > 1:
        below, people, how = exposed_persons(evidence, joint)
        require_equal("true exposure", below / people, claimed_exposure.true)
        keeps(below, people, claimed_exposure.promised)
        k = claimed.certificate.k
        return f"{below:,} of {people:,} persons have a row that fewer than {k} have; {how}"
    people = sum(joint.values())
    excluded = evidence.excluded(joint)
    program = program_of(evidence.run.scenario)
    below = exposed_people(program, joint, claimed.certificate.k) + excluded
    require_equal("true exposure", below / people, claimed_exposure.true)
    if claimed_exposure.worst_case is not None:
        _check_worst_case(claimed_exposure.worst_case, below, people)
    keeps(below, people, claimed_exposure.promised)
    k = claimed.certificate.k
    if evidence.opens:
        return (
            f"{below:,} of {people:,} people with a value that fewer than {k} share, or in "
            f"a crowd that small, known by exclusion ({excluded:,})"
        )
    return f"{below:,} of {people:,} people in a crowd smaller than {k}"


def _check_worst_case(worst: "WrittenWorstCase", below: int, people: int) -> None:
    """Raise VerificationError if the claimed worst case contradicts the release or itself.

    The worst case is the largest exposure of any table with the release's marginals. below: exposed
    people of the release, of `people` in all.
    """
    if worst.high * people < below - 0.5:
        raise VerificationError(f"{below} people are exposed, more than the worst case claimed")
    if worst.low > worst.high or worst.proven != (worst.low == worst.high):
        raise VerificationError(
            f"the worst case is {worst.low:g} to {worst.high:g}, proven: {worst.proven}; a worst "
            "case is proven exactly if its bounds are equal"
        )


def keeps(below: int, people: int, promise: float) -> None:
    """Raise VerificationError if more people of a release are exposed than was promised.

    below: exposed people. people: all people. promise: the certified share of exposed people.
    """
    if below / people > promise:
        raise VerificationError(
            f"the promised bound does not hold: {below:,} of {people:,} people in the release are "
            f"exposed, and {promise:.4%} at most were promised"
        )
