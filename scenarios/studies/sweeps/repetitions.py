"""Repetitions of a scenario: the share of runs in which its promise holds, and its mean exposure.

A promise for a population that was not counted (statistical setting) holds with a stated
confidence. A study plays many independent runs and gives how often it held, with an exact interval.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from ...lab.scoring.outcome import Outcome


@dataclass(frozen=True, slots=True)
class Study:
    """The results of many runs of one scenario: whether the promised exposure held.

    Attributes:
        runs: their number.
        released: runs with a release.
        held_runs: releases with a true exposure of at most the promised exposure.
        low, high: a 95 % Clopper-Pearson interval for the probability that a promise holds.
        confidence: the probability promised, 1 in the fixed setting.
        true, promised: mean exposure over the runs with a release (shares of people).
    """

    runs: int
    released: int
    held_runs: int
    low: float
    high: float
    confidence: float
    true: float
    promised: float

    def __str__(self) -> str:
        """Return a sentence with the results."""
        if not self.released:
            return f"nothing was released in {self.runs} runs"
        return (
            f"the promise held in {self.held_runs} of {self.released} releases "
            f"({self.held_runs / self.released:.1%}, 95 % interval {self.low:.1%} to "
            f"{self.high:.1%}); "
            f"it claims to hold with probability {self.confidence:g}; mean exposure "
            f"{self.true:.2%} true, {self.promised:.2%} promised"
        )


def kept_promises(outcomes: Iterable[Outcome]) -> Study:
    """Return the study of the outcomes of one scenario: in how many runs the promise held."""
    from scipy.stats import binomtest

    true, promised, held_runs, runs, confidence = [], [], 0, 0, 1.0
    for outcome in outcomes:
        runs += 1
        if outcome.scenario.population.setting == "statistical":
            confidence = 1 - outcome.scenario.policy.delta
        if outcome.released:
            true.append(outcome.exposure.true)
            promised.append(outcome.exposure.promised)
            held_runs += outcome.exposure.true <= outcome.exposure.promised
    released = len(true)
    interval = binomtest(held_runs, released).proportion_ci(0.95) if released else None
    return Study(
        runs,
        released,
        held_runs,
        interval.low if interval else 0.0,
        interval.high if interval else 1.0,
        confidence,
        sum(true) / released if released else 0.0,
        sum(promised) / released if released else 0.0,
    )
