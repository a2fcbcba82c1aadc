"""The rival `local`: each user randomizes its row and answers the analyst by name, without a mix.

    joint      generalised randomized response on the product of all domains, with the whole
               epsilon: one symbol that stands for the whole row (up to 65,536 different rows)
    features   one report for each feature with epsilon / d, by the scenario's mechanism (randomized
               response without one); tables of two features are the product of the two
               estimates, as if features were independent

The unbiased estimate is projected to the nearest distribution, and the noise is drawn again and
again: errors are means over the draws, with limits that hold 95 % of them. The analyst receives a
report with a name on it: I(row; report) bits a person, and no value for certain.
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
PRODUCT = 1 << 16  # different rows; with more there is no joint report
DRAWS = 20
LIKELIHOODS = 1 << 24  # largest number of likelihoods P(report | row) to compute
STREAM = 0x6C6F6361
COALITIONS: tuple[tuple[str, ...], ...] = ((), (ANALYST,))


def epsilons(scenario: Scenario) -> tuple[float, ...]:
    """Return the budgets to compare: the scenario's, or `EPSILONS`."""
    epsilon = scenario.local.epsilon
    return EPSILONS if epsilon is None else (epsilon,)


def local(case: Case) -> Iterator[Compared]:
    """Yield the results for every budget, with reports of whole rows and of features."""
    for epsilon in epsilons(case.scenario):
        if len(case.sizes) > 1 and prod(case.sizes) <= PRODUCT:
            yield _compared(case, epsilon, "joint", joint(case, epsilon))
        yield _compared(case, epsilon, "features", features(case, epsilon))


def with_noise(scenario: Scenario, epsilon: float) -> Scenario:
    """Return the scenario with this epsilon.

    The mechanism is replaced by `grr` if it estimates no shares.
    """
    mechanism = scenario.local.mechanism
    entry = mechanisms().get(mechanism)
    fits = entry is not None and "shares" in entry.tasks
    noise = changed(
        scenario.local, mechanism=mechanism if fits else "grr", epsilon=epsilon, features="split"
    )
    return changed(scenario, local=noise)


def joint(case: Case, epsilon: float) -> tuple[Question, ...]:
    """Return the question about the whole row, as a tuple with one entry."""
    cells = prod(case.sizes)
    domain = tuple(str(cell) for cell in range(cells))
    return (Question("row", tuple(range(len(case.sizes))), (domain,), GRR(cells, epsilon)),)


def features(case: Case, epsilon: float) -> tuple[Question, ...]:
    """Return a question for each feature, or a single question about the bits of all features."""
    noisy = with_noise(case.scenario, epsilon)
    return questions(noisy, case.people.schema.names, case.people.values)


def _compared(
    case: Case, epsilon: float, mechanism: str, questions: Sequence[Question]
) -> Compared:
    """Return the results for one epsilon. mechanism: "joint" or "features"."""
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
    """Return a note on the randomizer, in words."""
    kind = type(questions[0].randomizer).__name__
    if mechanism == "joint":
        return f"{kind} on {questions[0].randomizer.a:,} rows"
    return f"{kind} a feature; two-way tables as if features were independent"


def symbols(case: Case, how: str, question: Question, codes: Any) -> Any:
    """Return the inputs of people for a question: one number each, or their bits."""
    if how == "joint":
        return np.ravel_multi_index(tuple(codes.T), case.sizes)
    return question.randomizer.inputs_of(codes[:, list(question.columns)])


def encoded_reports(case: Case, how: str, questions: Sequence[Question]) -> list[Row]:
    """Return the messages of people: the text of each report."""
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
    """Return the errors of the analyst's two-way tables, for independent draws of noise."""
    codes, rng = case.codes(), case.rng(STREAM + 1)
    errors = []
    for _ in range(DRAWS):
        tables = joint_tables if how == "joint" else product_tables
        errors.append(errors_of_tables(codes, case.sizes, tables(case, questions, codes, rng)))
    return errors


def joint_tables(
    case: Case, questions: Sequence[Question], codes: Any, rng: Any
) -> Mapping[tuple[int, int], Any]:
    """Return the analyst's two-way tables from estimates of whole rows."""
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
    """Return the analyst's two-way tables as products of estimates of single features."""
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
    """Return the bits of a person's reports about its row; the prior is the frequency of rows."""
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
    """Return the expected share of correct guesses, if each guess is the most likely row.

    It is the sum over reports y of the maximum over rows x of p(x) P(y | x), with rows as likely as
    they are frequent. None if the reports are no symbols, or too many.
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
    """Return the leakage to a coalition: all parties have the estimates, the analyst also reports.

    leakage: bits of a report. right: expected share of correctly guessed rows.
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
