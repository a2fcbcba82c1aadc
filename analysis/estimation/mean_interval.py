"""The mean of a score over independent runs, with its 95 % interval.

A score may have only the two ends of its range, as 0 or 1 for an event. Then the mean is a share of
runs and its interval is Clopper and Pearson's for a binomial probability. That interval holds the
true mean in at least 95 % of cases, however few the runs. (Wilson's interval is narrower, but for
some probabilities it holds the true mean in 83 % only. Student's has no width if all runs agree:
for an event of probability 0.1, three runs show no event 73 % of the time.) If all runs scored 0,
the interval also holds for scores between 0 and 1, because P(X > 0) >= E[X].

Every other score has Student's interval: mean +- t s / sqrt(R), for R runs with standard deviation
s, and t the quantile with R - 1 degrees of freedom. It assumes that the mean of the scores is
roughly normal, as the mean of many scores is. It is cut off at the ends of the score's range, which
excludes no possible mean. If all runs agree on a value within the range, there is no spread to
estimate, and no interval.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, isfinite, sqrt
from statistics import fmean, stdev

LEVEL = 0.95


@dataclass(frozen=True, slots=True)
class MeanEstimate:
    """The mean of a score over independent runs, with the ends of its 95 % interval.

    Attributes:
        score: name of the score.
        runs: number of runs.
        mean: mean of the score over the runs.
        low: the lower end of the interval; the mean itself if the interval is undefined.
        high: the upper end of the interval; the mean itself if the interval is undefined.
        agree: whether all runs scored the same.
    """

    score: str
    runs: int
    mean: float
    low: float
    high: float
    agree: bool = False

    @property
    def interval(self) -> tuple[float, float] | None:
        """The ends of the 95 % interval; None if it is undefined, as for a single run."""
        return (self.low, self.high) if self.low < self.high else None


def estimate(
    name: str, values: Sequence[float], minimum: float = -inf, maximum: float = inf
) -> MeanEstimate:
    """Return the mean of a score over runs and its 95 % interval; a single run has no interval.

    Args:
        name: name of the score.
        values: the score of each run.
        minimum: the least value that the score can have.
        maximum: the largest value that the score can have.
    """
    mean, runs = fmean(values), len(values)
    low = high = mean
    ends = isfinite(minimum) and isfinite(maximum) and set(values) <= {minimum, maximum}
    if runs > 1 and ends and minimum < maximum:
        low, high = (
            minimum + (maximum - minimum) * end for end in _share(values.count(maximum), runs)
        )
    elif runs > 1 and (spread := stdev(values)):
        from scipy.stats import t

        half = float(t.ppf((1 + LEVEL) / 2, runs - 1)) * spread / sqrt(runs)
        low, high = max(mean - half, minimum), min(mean + half, maximum)
    return MeanEstimate(name, runs, mean, low, high, len(set(values)) == 1)


def _share(hits: int, runs: int) -> tuple[float, float]:
    """Return the 95 % limits of a binomial probability (Clopper and Pearson).

    hits: number of runs with the event. runs: number of runs.
    """
    from .confidence import clopper_pearson

    low, high = clopper_pearson(hits, runs, (1 - LEVEL) / 2)
    return float(low), float(high)
