"""What the answers of a class say where phones added noise to them, and what the noise promises.

Phones randomize (`static/noise.js`), so nobody else, this computer included, ever has an answer.
From the counts of reports that the board shows everybody: the share of each answer with its 95 %
interval, the local epsilon, which holds whatever is seen, and that of the shuffled reports.
"""

from collections.abc import Sequence
from math import ceil, floor, log10
from typing import Any

import msgspec

from ..crypto.entropy import SystemEntropy
from ..protocol.board import Board
from ..scenarios.programs.randomized.estimated import Estimated, limits
from ..scenarios.programs.randomized.privacy import Shuffled, after_shuffling
from ..scenarios.programs.randomized.questions import Question, randomization, rule
from ..scenarios.programs.randomized.score import estimates
from ..scenarios.schema.model import Scenario
from .questions import noise_of


class Share(msgspec.Struct, frozen=True):
    """One answer.

    Attributes:
        answer: as it was announced.
        share: of people, estimated without bias: it may leave 0 to 1.
        low, high: its 95 % limits, within 0 to 1.
    """

    answer: str
    share: float
    low: float
    high: float


class NoisyResult(msgspec.Struct, frozen=True):
    """What everybody is told at the end.

    Attributes:
        rule: the noise, as it was announced.
        local: epsilon of one person's whole answer, in nats.
        shuffled: the same of the mixed reports, in nats, never too small; None: nobody is hidden.
        delta: that it is told at.
        people: who hide each other, as far as `shuffled` counts them: those who are no simulation.
        shares: of each question, by its name.
    """

    rule: str
    local: float
    shuffled: float | None
    delta: float | None
    people: int
    shares: dict[str, tuple[Share, ...]]


def noisy_result(scenario: Scenario, board: Board, simulated: int) -> NoisyResult | None:
    """Work out what reports say; None where phones add no noise, or nothing was counted.

    Takes seconds: bounds after shuffling are searched. simulated: people who are none; they make no
    crowd larger, for this computer knows what they say.
    """
    questions = noise_of(scenario)
    if not questions or board.burned is not None or not board.tallies:
        return None
    counts = board.tallies[0].counts or ()
    read = [sum(count.values()) for count in counts]
    if not read or not min(read):
        return None
    names = [feature.name for feature in scenario.feature]
    known: list[Estimated] = [
        limits(estimate, ())
        for question, count in zip(questions, counts, strict=True)
        for estimate in estimates(question, count, names)
    ]
    people = max(0, min(read) - simulated)
    mixed = _shuffled(questions, people)
    return NoisyResult(
        rule(scenario, len(questions)),
        scenario.local.epsilon or 0.0,
        mixed.hockey_stick if mixed else None,
        mixed.delta if mixed else None,
        people,
        {
            estimate.feature: tuple(
                map(Share, estimate.values, estimate.shares, estimate.low, estimate.high)
            )
            for estimate in known
        },
    )


def _shuffled(questions: Sequence[Question], people: int) -> Shuffled | None:
    """Epsilon of all reports of a person together, among so many people; None of one alone."""
    if people < 2:
        return None
    each, together = after_shuffling(questions, [people] * len(questions))
    return together or (each[0] if each else None)


def promised(result: NoisyResult) -> list[str]:
    """What is promised, in sentences."""
    factor = f"by a factor of e^{result.local:g} at most"
    odds = f"it changes the odds between any two answers of a person {factor}"
    said = [f"Local epsilon = {result.local:g} nats: whatever anybody sees, {odds}."]
    if result.shuffled is not None:
        said.append(
            f"Shuffled epsilon = {at_most(result.shuffled)} nats at delta = {result.delta:g}, at "
            f"most: of the mixed answers of {result.people} people, to whoever cannot tell whose "
            "is whose."
        )
    return said


def shown(result: NoisyResult) -> dict[str, Any]:
    """What the wall shows of it: tables and sentences."""
    tables = [
        {
            "caption": question,
            "headings": ["answer", "estimate", "95 % from", "to"],
            "rows": [
                [share.answer, *map(percent, (share.share, share.low, share.high))]
                for share in shares
            ],
        }
        for question, shares in result.shares.items()
    ]
    title = "What the answers say, noise taken off"
    return {"what": "told", "title": title, "tables": tables, "notes": promised(result)}


def at_most(value: float) -> str:
    """Write a bound > 0 with three digits, never below it."""
    scale = 10.0 ** (2 - floor(log10(value)))
    return f"{ceil(value * scale) / scale:.3g}"


def percent(share: float) -> str:
    """Write a share that may be below 0 or above 1."""
    return f"{100 * share:.1f} %"


def lines(result: NoisyResult) -> list[str]:
    """Say it in the terminal."""
    return [
        *(
            f"{question}: {share.answer}  {percent(share.share)} of people "
            f"(95 %: {percent(share.low)} to {percent(share.high)})"
            for question, shares in result.shares.items()
            for share in shares
        ),
        *promised(result),
    ]


def response(scenario: Scenario, row: Sequence[str]) -> Sequence[str]:
    """What somebody says whose answers these are: with noise, where phones add some."""
    questions = noise_of(scenario)
    return randomization(questions)(row, SystemEntropy()) if questions else row
