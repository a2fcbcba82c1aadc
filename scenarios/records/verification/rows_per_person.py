"""Checks of a run in which persons have several rows: sums, exposure and risks of persons.

The release gives the number of persons with each row, but does not show which rows belong to the
same person. The rows of each person are known from the sealed answers in a full transcript, or by
drawing the people from the seed again. They are used only if they have the released counts. If no
such rows are known, the check only tests that the claimed exposure is possible.
"""

from collections import Counter
from collections.abc import Iterable

import numpy as np

from ....analysis.exposure.persons import Persons
from ....errors import LocalError, VerificationError
from ....protocol.board.strategies import RoundResult
from ....protocol.board.sum_check import disagreement
from ....protocol.wire.messages import Counts
from ....protocol.wire.rows_per_person import is_dummy, people_among, without_dummies
from ...lab.scoring.person_rounds import SeveralRows
from ...lab.scoring.rows_per_person import risks_of
from ...programs.evidence import NoGround
from ...programs.registry import samples
from ...serialization.record import plain
from .agreement import require_equal
from .evidence import RecordEvidence

Cell = tuple[str, ...]
Answers = dict[int, set[Cell]]  # person -> its different released rows


def check_cells(evidence: RecordEvidence, joint: Counts) -> str:
    """Check that no released row has more persons than each of its values had in round 1.

    joint: the released counts. Returns the finding.
    """
    rows, (singles, _) = evidence.rows, evidence.counts(1)
    counted_people = max(people_among(sum(count.values()), rows) for count in singles)
    people = people_among(sum(joint.values()), rows)
    if people > counted_people:
        raise VerificationError(
            f"{people:,} persons released, {counted_people:,} were counted in round 1"
        )
    for place, column in enumerate(evidence.decision.kept):
        for cell, person_count in without_dummies(joint).items():
            if person_count > singles[column].get((cell[place],), 0):
                name = evidence.result.features[column]
                raise VerificationError(
                    f"{name}: {person_count:,} persons have the row {', '.join(cell)}, more than "
                    "were "
                    f"counted with {cell[place]!r}"
                )
    first, last = evidence.board.calls[0], evidence.board.calls[-1]
    ask = disagreement(RoundResult(first, singles), last, joint, rows)
    if ask is not None:
        names = ", ".join(evidence.result.features[column] for column in ask)
        raise VerificationError(
            f"{names}: the release does not fit the counts of round 1: a value has fewer persons "
            "than were counted, without as many missing ballots"
        )
    return f"{people:,} persons, {len(without_dummies(joint)):,} different rows"


def exposed_persons(evidence: RecordEvidence, joint: Counts) -> tuple[int, int, str]:
    """Return the exposed persons, all persons, and the source of the first number in words.

    joint: the released counts.

    Raises:
        VerificationError: the claimed exposure is impossible by the release.
    """
    k, people = evidence.decision.certificate.k, people_among(sum(joint.values()), evidence.rows)
    claimed = round(evidence.result.exposure.true * people)
    persons = released_persons(evidence, joint)
    if persons is not None:
        return persons.below(range(persons.codes.shape[1]), k), people, "counted again"
    small = [person_count for person_count in without_dummies(joint).values() if person_count < k]
    low, high = max(small, default=0), min(sum(small), people)
    if not low <= claimed <= high:
        raise VerificationError(
            f"true exposure: {claimed:,} persons claimed; the release allows {low:,} to {high:,}"
        )
    return claimed, people, f"possible by the release, which allows {low:,} to {high:,}"


def check_risks(evidence: RecordEvidence) -> str:
    """Check the risks from attackers that know one released row of each person."""
    claimed = evidence.result.reidentification
    (joint,), _ = evidence.counts(evidence.last)
    persons = released_persons(evidence, joint)
    if not claimed or persons is None:
        raise NoGround("it is not known which released rows belong to the same person")
    actual = risks_of(persons, evidence.run.scenario.policy.k, evidence.result.users)
    require_equal("risks", plain(actual), plain(claimed))
    return "risks recomputed from the persons of the release"


def check_counts(evidence: RecordEvidence) -> None:
    """Raise VerificationError unless the persons and dummies of each round are as claimed.

    Dummies are ballots without an answer; persons with fewer rows send them.
    """
    rounds = range(1, len(evidence.board.tallies) + 1)
    tallies = [evidence.counts(number)[0] for number in rounds]
    claimed = evidence.result.several_rows or None
    actual = SeveralRows.from_tallies(evidence.rows, tallies)
    require_equal("several_rows", plain(actual), plain(claimed) if claimed else None)


def released_persons(evidence: RecordEvidence, joint: Counts) -> Persons | None:
    """Return the persons with their released rows; None if they are not known.

    joint: the released counts, which the persons must have.
    """
    answers = _sealed(evidence) or _drawn(evidence)
    counted = Counter(cell for person_cells in answers.values() for cell in person_cells)
    if not answers or dict(counted) != without_dummies(joint):
        return None
    owner = [place for place, person_cells in enumerate(answers.values()) for _ in person_cells]
    cells = [cell for person_cells in answers.values() for cell in sorted(person_cells)]
    codes = [np.unique(column, return_inverse=True)[1] for column in zip(*cells, strict=True)]
    return Persons.from_table(np.array(codes).T, np.array(owner))


def _sealed(evidence: RecordEvidence) -> Answers:
    """Return the rows that each counted person sealed for the release; {} if unrecorded."""
    if evidence.run.transcript is None or not evidence.transcript.sealed_answers:
        return {}
    released_columns = evidence.decision.kept
    respondents = evidence.record.respondents.get((evidence.last, released_columns), frozenset())
    return {
        sealed_answers.user: {
            values for _, values in sealed_answers.answers if not is_dummy(values)
        }
        for sealed_answers in evidence.transcript.sealed_answers
        if sealed_answers.round == evidence.last and sealed_answers.user in respondents
    }


def _drawn(evidence: RecordEvidence) -> Answers:
    """Return the released columns of each person's rows, drawn from the seed again.

    {} without a seed, or if the source of the people is missing or has changed.
    """
    seed = evidence.result.seed
    if seed is None:
        return {}
    try:
        people = samples(evidence.run.scenario, seed).people
    except LocalError:  # the source of the people is missing or has changed
        return {}
    if people.several is None:
        return {}
    released_columns = evidence.decision.kept
    return {
        person: set(_rows(map(people.row, people.several.rows(person)), released_columns))
        for person in range(people.n)
    }


def _rows(rows: Iterable[Cell], released_columns: Iterable[int]) -> Iterable[Cell]:
    """Return rows cut down to the released columns, given by number."""
    columns = tuple(released_columns)
    return (tuple(row[column] for column in columns) for row in rows)
