"""Re-identification by a randomized report: the success of attackers, and PIE.

PIE (personal information entropy) is the information in a report about its sender. The mix
separates a person's reports, so an attacker sees a single report at a time. Each attacker is scored
with the question whose reports identify most people.

For generalized randomized response (GRR), and for small randomizers, the scores are exact sums over
all reports. For other randomizers they are means over random draws of a person and a report, from a
fixed seed, with standard errors. P(y | k) is the probability of report y from a person with values
k in the known columns; P(y) is that of report y from any person; E is the mean over draws:

    found = E [max over k of P(y | k) / P(y)]        bits = E [log2 P(y | k) / P(y)]

`found` is the expected number of people named correctly.
"""

from collections.abc import Sequence
from math import sqrt
from typing import Any, NamedTuple

import numpy as np

from ....analysis.exposure.cells import cells_of, distinct
from ....analysis.reidentification import pie, pie_bound
from ....analysis.reidentification.attacks.side_information import people_found
from ...populations.samples import Samples
from ...programs.incidence.information import SEED, bits_of, draws_of
from ...programs.noisy_questions import Question
from .reidentification import (
    AttackSuccess,
    Reidentified,
    ReportPie,
    bayes_error,
    known_sets,
)

# Most entries of a matrix to compute the scores as exact sums; with more entries they are sampled.
# A matrix has a column for each report. It has a row for each value, or for each combination of
# values that the attacker knows.
SMALL = 1 << 20
EVERY_SET = "every set"


class ReportGuess(NamedTuple):
    """The success of an attacker that sees one report: people found and bits, with standard errors.

    A standard error of 0 means exact.

    Attributes:
        expected_matches: expected number of people named correctly by the best guesses.
        found_error: the standard error of `expected_matches`.
        bits: information in a report about its sender.
        bits_error: the standard error of `bits`.
    """

    expected_matches: float
    found_error: float
    bits: float
    bits_error: float


def in_reports(
    questions: Sequence[Question], asked: Sequence[int], crowd: Samples, present: Any
) -> Reidentified | None:
    """Return the re-identification scores of people's reports; None for fewer than two people.

    Args:
        questions: the questions that people answer with randomized reports.
        asked: a set of columns that an attacker knows, besides the usual sets (single columns, all
            but one, all).
        crowd: the people of the scenario.
        present: the indices of the people with a report.
    """
    people = crowd.people
    if len(present) < 2:
        return None
    if all(question.packed for question in questions):
        return in_pieces(questions, people.codes[present])
    rows, row_counts = distinct(people.codes[present])
    names = people.schema.names
    attacks = []
    for known_columns in known_sets(len(names), asked):
        guesses = [
            (guess(question, rows, row_counts, known_columns), question.name)
            for question in questions
        ]
        best, name = max(guesses, key=lambda pair: pair[0].expected_matches)
        knows = tuple(names[column] for column in known_columns)
        attacks.append(_attack(knows, name, best, len(present)))
    reports = tuple(_report(question, rows, row_counts, len(present)) for question in questions)
    return Reidentified(len(present), len(people.source_codes), tuple(attacks), None, reports)


def _attack(knows: tuple[str, ...], report: str, best: "ReportGuess", people: int) -> AttackSuccess:
    """Return the success of an attacker by its best guess from a report.

    A noisy report makes the attacker certain of no person.

    knows: the columns that the attacker knows. report: the name of the question. best: the success.
    people: the number of people.
    """
    wrong = bayes_error(best.expected_matches, people)
    return AttackSuccess(
        knows,
        (report,),
        best.expected_matches,
        best.found_error,
        wrong,
        0,
        best.bits,
        best.bits_error,
    )


def in_pieces(questions: Sequence[Question], codes: Any) -> Reidentified | None:
    """Return the re-identification scores of owners' bit vectors, reported in pieces (sets.py).

    An owner answers with a set of elements, written as a bit vector that is cut into pieces. The
    attacker knows the set of every owner, and sees a single reported piece. None for fewer than two
    owners.

    questions: a question for each piece. codes: the true pieces, shape (owners, pieces).
    """
    if len(codes) < 2:
        return None
    rows, row_counts = distinct(codes)
    every = tuple(range(codes.shape[1]))
    guesses = [guess(question, rows, row_counts, every) for question in questions]
    best, piece = max(
        zip(guesses, questions, strict=True), key=lambda pair: pair[0].expected_matches
    )
    attack = _attack((EVERY_SET,), piece.name, best, len(codes))
    bounds = [pie_bound(question.randomizer, len(codes)) for question in questions]
    reports = tuple(
        ReportPie(
            question.name,
            piece_guess.bits,
            piece_guess.bits_error,
            bound.contraction,
            bound.exact,
            bound.attained,
        )
        for question, piece_guess, bound in zip(questions, guesses, bounds, strict=True)
    )
    return Reidentified(len(codes), len(codes), (attack,), None, reports)


def _report(question: Question, rows: Any, row_counts: Any, people: int) -> ReportPie:
    """Return the PIE (information about the sender) of the reports to a question, with its bounds.

    rows: the different rows of the people. row_counts: the number of people with each. people: the
    number of all people.
    """
    # A report Y depends on a person U only through the true value X, so I(U; Y) = I(X; Y).
    report_guess = guess(question, rows, row_counts, question.columns)
    bound = pie_bound(question.randomizer, people)
    return ReportPie(
        question.name,
        report_guess.bits,
        report_guess.bits_error,
        bound.contraction,
        bound.exact,
        bound.attained,
    )


def guess(
    question: Question, rows: Any, row_counts: Any, known_columns: Sequence[int]
) -> ReportGuess:
    """Return the success of an attacker that sees one report and knows some columns of all people.

    rows: the different rows of the people. row_counts: the number of people with each.
    known_columns: the indices of the known columns.
    """
    randomizer = question.randomizer
    mine = cells_of(rows, known_columns)
    if question.packed:
        values, inputs = bits_of(question), len(question.domain)
        true_values = rows[:, question.columns[0]]
    elif not (randomizer.takes_bits or randomizer.takes_rows):
        values, true_values, inputs = (
            np.arange(randomizer.a)[:, None],
            rows[:, question.columns[0]],
            randomizer.a,
        )
    elif randomizer.takes_bits and randomizer.bits <= 10:
        true_values = rows[:, list(question.columns)] @ (1 << np.arange(randomizer.bits)[::-1])
        inputs = 1 << randomizer.bits
        values = (np.arange(inputs)[:, None] >> np.arange(randomizer.bits)[::-1]) & 1
    else:
        true_values = cells_of(rows, question.columns)
        inputs = int(true_values.max()) + 1
        values = np.zeros((inputs, len(question.columns)), rows.dtype)
        values[true_values] = rows[:, list(question.columns)]
    counts = _table(mine, true_values, row_counts, inputs)
    small = (
        not (question.packed or randomizer.takes_rows)
        and randomizer.outputs * max(randomizer.inputs, counts.shape[0]) <= SMALL
    )
    if randomizer.identity_form is not None or small:
        bits = pie(counts, randomizer) if counts.shape[0] > 1 else 0.0
        return ReportGuess(people_found(counts, randomizer), 0.0, bits, 0.0)
    return _drawn(question, counts, values)


def _table(mine: Any, true_values: Any, row_counts: Any, inputs: int) -> Any:
    """Return the number of people by known values (rows) and true value (columns).

    The known values are in the columns that the attacker knows. The matrix is sparse.

    Args:
        mine: for each different row, the number of its combination of values in the known columns.
        true_values: for each different row, the code of the value that the report is about.
        row_counts: the number of people with each different row.
        inputs: the number of possible true values.
    """
    from scipy.sparse import coo_array

    counts = coo_array(
        (row_counts, (mine, true_values)), shape=(int(mine.max()) + 1, inputs)
    ).tocsr()
    counts.sum_duplicates()
    return counts


def _drawn(question: Question, counts: Any, values: Any) -> ReportGuess:
    """Return the success of an attacker, estimated from random reports.

    counts: people by the values that the attacker knows (rows) and true value (columns). values:
    the inputs of the randomizer, a row for each true value.
    """
    rng = np.random.default_rng(SEED)
    width = max(values.shape[1], counts.shape[1])
    occurring = np.flatnonzero(counts.sum(axis=0))
    counts, values = counts[:, occurring], values[occurring]
    sparse_counts, people = counts.tocoo(), int(counts.sum())
    draws = draws_of(width, max(counts.shape))
    entry_indices = rng.choice(sparse_counts.nnz, draws, p=sparse_counts.data / people)
    likely = question.randomizer.log_likelihood(values, sparse_counts.col[entry_indices], rng)
    likely = np.exp(likely - likely.max(axis=1, keepdims=True))
    mean = likely @ (np.asarray(counts.sum(axis=0)).ravel() / people)
    value_shares = counts.multiply(1 / np.asarray(counts.sum(axis=1)).reshape(-1, 1)).tocsr()
    # P(y | k): probability of drawn report y given the known values k, up to a factor per draw
    report_chances = value_shares @ likely.T
    guessed = report_chances.max(axis=0) / mean
    bits = np.log2(report_chances[sparse_counts.row[entry_indices], np.arange(draws)] / mean)
    root = sqrt(draws)
    return ReportGuess(
        float(guessed.mean()),
        float(guessed.std(ddof=1)) / root,
        max(0.0, float(bits.mean())),
        float(bits.std(ddof=1)) / root,
    )
