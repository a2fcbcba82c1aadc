"""The comparator `local`: each user randomizes its row and reports it to the analyst by name.

    joint      generalised randomized response on the product of all domains, with the whole
               epsilon: each whole row is one symbol (for up to 65,536 different rows)
    features   a report for each of the d features with epsilon / d, by the scenario's mechanism
               (randomized response without a mechanism). A table of two features is the product of
               their two estimates, as if features were independent

The unbiased estimate is projected to the nearest distribution. The noise is drawn repeatedly:
errors are means over the draws, with limits that contain 95 % of the draws. The analyst receives
reports with names. A report gives I(row; report) bits (mutual information) about its person, and
shows no value for certain.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from math import log2, prod
from typing import Any

import numpy as np
from msgspec.structs import replace as changed

from ....analysis.randomizers import GRR
from ....analysis.scoring.release_utility import PairErrors, errors_of_tables
from ....analysis.trust import Received
from ....errors import RoundBurned
from ....protocol.wire.crowd_limits import check_batch_size
from ....protocol.wire.parties import ANALYST
from ...programs.noisy_questions import Question, questions
from ...programs.randomized.privacy import ADJACENCY, information
from ...schema.mechanisms import mechanisms
from ...schema.model import Scenario
from .case import Case
from .direct import Row, paid
from .result import Compared, Privacy, Trust
from .utility import empty_utility, estimated

EPSILONS = (1.0, 2.0, 4.0)  # nats; used if the scenario sets no epsilon
PRODUCT = 1 << 16  # different rows; with more, whole rows are not reported
DRAWS = 20
# largest number of likelihoods P(report | row); with more, correct guesses are not computed
LIKELIHOODS = 1 << 24
STREAM = 0x6C6F6361
COALITIONS: tuple[tuple[str, ...], ...] = ((), (ANALYST,))


def epsilons(scenario: Scenario) -> tuple[float, ...]:
    """Return the epsilons to compare, in nats: the scenario's epsilon, or `EPSILONS`."""
    epsilon = scenario.local.epsilon
    return EPSILONS if epsilon is None else (epsilon,)


def local(case: Case) -> Iterator[Compared]:
    """Yield the results for every epsilon, with reports of whole rows and of single features."""
    for epsilon in epsilons(case.scenario):
        if len(case.sizes) > 1 and prod(case.sizes) <= PRODUCT:
            yield _compared(case, epsilon, "joint", joint(case, epsilon))
        yield _compared(case, epsilon, "features", features(case, epsilon))


def with_noise(scenario: Scenario, epsilon: float) -> Scenario:
    """Return the scenario with this epsilon, split over its features.

    A mechanism that estimates no shares of values is replaced by randomized response (`grr`).
    """
    mechanism = scenario.local.mechanism
    entry = mechanisms().get(mechanism)
    fits = entry is not None and "shares" in entry.tasks
    noise = changed(
        scenario.local, mechanism=mechanism if fits else "grr", epsilon=epsilon, features="split"
    )
    return changed(scenario, local=noise)


def joint(case: Case, epsilon: float) -> tuple[Question, ...]:
    """Return the question about the whole row, with its randomizer, as a tuple with one entry.

    epsilon: the epsilon of the report, in nats.
    """
    cells = prod(case.sizes)
    domain = tuple(str(cell) for cell in range(cells))
    return (Question("row", tuple(range(len(case.sizes))), (domain,), GRR(cells, epsilon)),)


def features(case: Case, epsilon: float) -> tuple[Question, ...]:
    """Return a question for each feature, or a single question about the bits of all features.

    Each question has its randomizer, with its part of epsilon (nats).
    """
    noisy = with_noise(case.scenario, epsilon)
    return questions(noisy, case.people.schema.names, case.people.values)


def _compared(
    case: Case, epsilon: float, mechanism: str, questions: Sequence[Question]
) -> Compared:
    """Return the results of the comparator `local` for one epsilon.

    mechanism: "joint" (reports of whole rows) or "features". questions: the questions with their
    noise.
    """
    codes = case.codes()
    name = f"local {mechanism} e={epsilon:g}"
    burned = None
    leakage, right = report_leakage(case, mechanism, questions), guessed(case, mechanism, questions)
    try:
        check_batch_size(len(codes), case.scenario.mix.min_batch)
        errors = draws(case, mechanism, questions)
        worth = estimated(case, errors, leakage, tuple(range(len(case.sizes))))
    except RoundBurned as burn:
        burned, worth = str(burn), empty_utility(case)
    widths = [
        question.randomizer.text_width or max(map(len, question.domain)) for question in questions
    ]
    purse, price = paid(case, lambda part: encoded_reports(part, mechanism, questions), widths)
    return Compared(
        name,
        "local",
        _rule(mechanism, questions),
        burned,
        dict(purse.refused),
        Trust.from_received([received(case, members, leakage, right) for members in COALITIONS]),
        Privacy(0.0, None, epsilon, adjacency=ADJACENCY),
        worth,
        price,
    )


def _rule(mechanism: str, questions: Sequence[Question]) -> str:
    """Return a note on the comparator `local`, in words: its randomizer and its estimates.

    mechanism: "joint" (reports of whole rows) or "features". questions: the questions, each with
    its randomizer.
    """
    kind = type(questions[0].randomizer).__name__
    if mechanism == "joint":
        return f"{kind} on {questions[0].randomizer.a:,} rows"
    return f"{kind} a feature; two-way tables as if features were independent"


def symbols(case: Case, how: str, question: Question, codes: Any) -> Any:
    """Return the inputs of people to a question's randomizer.

    An input is a number for each person, or for some randomizers a vector of bits. how: "joint"
    (whole rows) or "features". codes: the people's rows as codes.
    """
    if how == "joint":
        return np.ravel_multi_index(tuple(codes.T), case.sizes)
    return question.randomizer.inputs_of(codes[:, list(question.columns)])


def encoded_reports(case: Case, how: str, questions: Sequence[Question]) -> list[Row]:
    """Return the messages of people: for each person, the texts of its reports.

    how: "joint" (whole rows) or "features". questions: the questions, each with its randomizer.
    """
    rng = case.rng(STREAM)
    columns = [
        question.randomizer.encode(
            question.randomizer.sample(symbols(case, how, question, case.people.codes), rng),
            question.domain,
        )
        for question in questions
    ]
    return list(zip(*columns, strict=True))


def draws(case: Case, how: str, questions: Sequence[Question]) -> list[PairErrors]:
    """Return the errors of the analyst's two-way tables, for each of several draws of the noise.

    how: "joint" (whole rows) or "features". questions: the questions, each with its randomizer.
    An error is the total variation distance from the truth, 0 to 1.
    """
    codes, rng = case.codes(), case.rng(STREAM + 1)
    errors = []
    for _ in range(DRAWS):
        tables = joint_tables if how == "joint" else product_tables
        errors.append(errors_of_tables(codes, case.sizes, tables(case, questions, codes, rng)))
    return errors


def joint_tables(
    case: Case, questions: Sequence[Question], codes: Any, rng: Any
) -> Mapping[tuple[int, int], Any]:
    """Return the analyst's tables of two columns, from the estimated distribution of whole rows.

    questions: the single question about the whole row. codes: the people's rows as codes. rng:
    draws the noise.
    """
    randomizer = questions[0].randomizer
    reports = randomizer.sample(symbols(case, "joint", questions[0], codes), rng)
    shares = randomizer.estimate(reports).projected().reshape(case.sizes)
    columns = range(len(case.sizes))
    return {
        pair: shares.sum(axis=tuple(j for j in columns if j not in pair))
        for pair in combinations(columns, 2)
    }


def product_tables(
    case: Case, questions: Sequence[Question], codes: Any, rng: Any
) -> Mapping[tuple[int, int], Any]:
    """Return the analyst's tables of two columns, as products of estimates for single features.

    questions: the questions, each with its randomizer. codes: the people's rows as codes. rng:
    draws the noise.
    """
    single: dict[int, Any] = {}
    for question in questions:
        reports = question.randomizer.sample(symbols(case, "features", question, codes), rng)
        estimate = question.randomizer.estimate(reports)
        if question.randomizer.takes_bits:
            for column, share in zip(question.columns, estimate.projected().tolist(), strict=True):
                single[column] = np.array([1 - share, share])
        else:
            single[question.columns[0]] = estimate.projected()
    return {
        (i, j): np.outer(single[i], single[j]) for i, j in combinations(range(len(case.sizes)), 2)
    }


def report_leakage(case: Case, how: str, questions: Sequence[Question]) -> float:
    """Return the bits of a person's reports about its row, for rows with their true frequency.

    how: "joint" (whole rows) or "features". questions: the questions, each with its randomizer.
    """
    if how != "joint":
        return information(questions, case.codes())[0] or 0.0
    randomizer: GRR = questions[0].randomizer
    shares: Any = np.unique(symbols(case, how, questions[0], case.codes()), return_counts=True)[1]
    p = shares / shares.sum()
    law = np.concatenate(
        [
            randomizer.lie + (randomizer.truth - randomizer.lie) * p,
            np.full(randomizer.a - len(p), randomizer.lie),
        ]
    )
    noise = randomizer.truth * log2(randomizer.truth) + (randomizer.a - 1) * randomizer.lie * log2(
        randomizer.lie
    )
    return max(0.0, float(-(law * np.log2(law)).sum()) + noise)


def guessed(case: Case, how: str, questions: Sequence[Question]) -> float | None:
    """Return the expected share of rows that an attacker guesses correctly from the reports.

    The attacker names the most likely row for each report. The share is the sum over reports y of
    the maximum over rows x of p(x) P(y | x). p(x) is the share of people with row x. None if a
    report is no single symbol, or if there are too many pairs (x, y). how: "joint" or "features".
    """
    codes = case.codes()
    rows, people = np.unique(codes, axis=0, return_counts=True)
    if not len(codes) or not all(question.randomizer.identity_form for question in questions):
        return None
    if how == "joint":
        cells: Any = np.ravel_multi_index(tuple(rows.T), case.sizes)
        rows = cells[:, None]
    if prod(question.randomizer.a for question in questions) * len(rows) > LIKELIHOODS:
        return None
    likely = (people / people.sum())[None, :]
    for question, symbol in zip(questions, rows.T, strict=True):
        law = question.randomizer.matrix[:, symbol]
        likely = (likely[:, None, :] * law[None, :, :]).reshape(-1, len(people))
    return float(likely.max(axis=1).sum())


def received(
    case: Case, members: tuple[str, ...], leakage: float, right: float | None = None
) -> Received:
    """Return the leakage to a coalition, with or without the analyst.

    The analyst has all reports with names. Other parties have only the estimates,
    counted as no leakage. members: ("analyst",), or () for a coalition without the analyst.
    leakage: bits of a person's reports about its row. right: expected share of correctly guessed
    rows; None: not computed.
    """
    linked_reports = len(case.codes()) if members else 0
    constant = sum(size == 1 for size in case.sizes) * case.n
    cells = case.n * len(case.sizes)
    crowd = 1 if linked_reports else case.n
    view = Received(
        members,
        case.n,
        cells,
        linked_reports,
        constant,
        linked_reports * leakage,
        exact=False,
        crowd=crowd,
        reports=True,
    )
    return (
        view
        if right is None or not linked_reports
        else replace(view, rows_guessed=linked_reports * right)
    )
