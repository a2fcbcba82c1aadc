"""Repeating a scenario: how often what was promised held, and what it costs.

A promise made for people who were not counted (statistical setting) holds with a stated confidence.
A study plays many independent runs and says how often it did, with an exact interval.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from ..play.run import run
from ..programs.interface import Mode
from ..schema.model import Scenario
from ..scoring.outcome import Outcome


@dataclass(frozen=True, slots=True)
class Study:
    """What came of many runs of one scenario.

    Attributes:
        runs: how many.
        released: in how many something was released.
        held: in how many of these the true exposure was at most the promised one.
        low, high: a 95 % Clopper-Pearson interval for the probability that a promise holds.
        confidence: the probability promised, 1 in the fixed setting.
        true, promised: mean exposure over the runs with a release (shares of people).
    """

    runs: int
    released: int
    held: int
    low: float
    high: float
    confidence: float
    true: float
    promised: float

    def __str__(self) -> str:
        if not self.released:
            return f"nothing was released in {self.runs} runs"
        return (
            f"the promise held in {self.held} of {self.released} releases "
            f"({self.held / self.released:.1%}, 95 % interval {self.low:.1%} to {self.high:.1%}); "
            f"it claims to hold with probability {self.confidence:g}; mean exposure "
            f"{self.true:.2%} true, {self.promised:.2%} promised"
        )


def repetitions(
    scenario: Scenario, runs: int, seed: int | None = None, mode: Mode = "ideal"
) -> Iterator[Outcome]:
    """Play a scenario again and again, with independent people and randomness.

    seed: run i has seed + i; None: system randomness, every time.
    """
    for i in range(runs):
        yield run(scenario, None if seed is None else seed + i, mode, worst_case_nodes=0)


def study(
    scenario: Scenario,
    runs: int,
    seed: int | None = None,
    mode: Mode = "ideal",
    progress: Callable[[int, int], None] = lambda _done, _total: None,
) -> Study:
    """Play many runs and count how often the promise held. progress: told after every run."""

    def watched() -> Iterator[Outcome]:
        for done, outcome in enumerate(repetitions(scenario, runs, seed, mode), start=1):
            yield outcome
            progress(done, runs)

    return kept_promises(watched())


def kept_promises(outcomes: Iterable[Outcome]) -> Study:
    """Count in how many of these runs of one scenario the promise held."""
    from scipy.stats import binomtest

    true, promised, held, runs, confidence = [], [], 0, 0, 1.0
    for outcome in outcomes:
        runs += 1
        if outcome.scenario.population.setting == "statistical":
            confidence = 1 - outcome.scenario.policy.delta
        if outcome.released:
            true.append(outcome.exposure.true)
            promised.append(outcome.exposure.promised)
            held += outcome.exposure.true <= outcome.exposure.promised
    released = len(true)
    interval = binomtest(held, released).proportion_ci(0.95) if released else None
    return Study(
        runs,
        released,
        held,
        interval.low if interval else 0.0,
        interval.high if interval else 1.0,
        confidence,
        sum(true) / released if released else 0.0,
        sum(promised) / released if released else 0.0,
    )
