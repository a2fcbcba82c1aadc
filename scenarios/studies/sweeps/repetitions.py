"""Repetitions of a scenario: how often its exposure bound holds, and the mean exposure.

The curator promises a bound on exposure. In the fixed setting the same people answer in both
rounds, and the bound always holds. In the statistical setting round 2 has other people of the same
population, and the bound holds with a stated probability. A study plays many independent runs and
gives how often the bound held, with an exact interval.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from ...lab.scoring.outcome import Outcome


@dataclass(frozen=True, slots=True)
class Study:
    """The results of many runs of one scenario: whether the promised bound on exposure held.

    Attributes:
        runs: the number of runs.
        released: runs with a release.
        held_runs: releases with a true exposure of at most the promised exposure.
        low, high: a 95 % Clopper-Pearson interval for the probability that the promised bound
            holds.
        confidence: the least probability with which the bound is promised to hold; 1 if the same
            people answer in both rounds (the fixed setting).
        true: mean true exposure over the runs with a release, as a share of people.
        promised: mean promised bound on exposure over these runs, as a share of people.
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
        """Return a sentence on how often the promised bound held, with the mean exposure."""
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
    """Return in how many runs of one scenario the promised bound on exposure held.

    outcomes: the outcomes of the runs.
    """
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
