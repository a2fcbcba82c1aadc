"""Shares of all people, from the reports of a random sample.

Of n people, m are drawn without replacement and report about a feature. A report supports a value
with probability t if the person has the value, else with probability l. If c of the m reports
support a value, then

    phat = (c / m - l) / (t - l)
    Var phat = (p t (1 - t) + (1 - p) l (1 - l)) / (m (t - l)^2) + p (1 - p) (n - m) / (m (n - 1))

phat is unbiased for the share p of all n people with the value. The first term of the variance is
the randomizer's noise, the second is due to the draw of the m people.

The confidence limits invert two tests of each possible number of people with the value, with the
exact distribution of c (`drawn_limits`). For more than `EXACT` people they are Clopper-Pearson
limits, which are valid: a uniform sample, thinned by independent coins, is a strongly Rayleigh
measure (J. Borcea, P. Branden, T. Liggett, 2009), so c is distributed as a sum of independent
coins. Farther than 1 from the mean, no such sum has heavier tails than the binomial distribution
with that mean (W. Hoeffding, 1956).
"""

import numpy as np

from ..validation import Counts, Floats
from .estimate import Estimate
from .limits import ConfidenceLimits, joined, within
from .prefix_errors import drawn_limits
from .pure import Pure
from .share_limits import EXACT, score_holders, share_limits


def estimate_drawn(
    part: Pure, counts: Counts, drawn: int, people: int, *, population: bool = False
) -> Estimate:
    """Estimate the shares of all people with each value of a feature that only some reported.

    If no person reported, the shares are all equal, with limits of 0 and 1 and an error of 1.

    Args:
        part: the randomizer of the feature.
        counts: supporting reports of each value, shape (inputs,).
        drawn: number of people that reported about the feature.
        people: number of all people.
        population: whether the shares describe a large population, from which all these people
            were drawn; errors and limits then include that draw.
    """
    if drawn == 0:
        trivial_limits = np.zeros(part.inputs), np.ones(part.inputs)
        unknown = ConfidenceLimits(*trivial_limits, np.zeros(part.inputs, np.bool_))
        shares = np.full(part.inputs, 1 / part.inputs)
        return Estimate(
            shares,
            trivial_limits[1],
            people,
            str(part),
            population=population,
            limits=lambda _: unknown,
        )
    estimate_of_part = part.estimate_tally(counts, drawn, population=population)
    errors = estimate_of_part.errors
    if not population:
        share = np.clip(estimate_of_part.shares, 0.0, 1.0)
        errors = np.sqrt(errors**2 + _drawing(share, drawn, people))
    return Estimate(
        estimate_of_part.shares,
        errors,
        people,
        str(part),
        population=population,
        limits=lambda alpha: limits_of_drawn(
            part, counts, drawn, people, alpha, population=population
        ),
    )


def variance_of_drawn(part: Pure, shares: Floats, drawn: float, people: int) -> Floats:
    """Return the exact variance of each estimated share if `drawn` of `people` users report.

    part: the randomizer of the feature. shares: the true shares of all people, for each value.
    """
    noise = part.variance(shares, 1) / drawn
    return np.asarray(noise + _drawing(np.asarray(shares), drawn, people))


def _drawing(shares: Floats, drawn_people: float, people: int) -> Floats:
    """Return the variance of estimated shares that is due to drawing people without replacement.

    shares: the true shares of all people. drawn_people: number of people that report.
    """
    undrawn_share = max(0.0, people - drawn_people) / max(1, people - 1)
    return np.asarray(shares * (1 - shares) * undrawn_share / drawn_people)


def limits_of_drawn(
    part: Pure, counts: Counts, drawn: int, people: int, alpha: float, *, population: bool = False
) -> ConfidenceLimits:
    """Return confidence limits of the shares of people with each value, from a sample's reports.

    Each share is outside its limits with probability alpha at most.

    Args:
        part: the randomizer of the feature.
        counts: supporting reports of each value, shape (inputs,).
        drawn: number of people that reported, drawn without replacement from `people`.
        people: number of all people.
        alpha: probability that the limits miss a share.
        population: whether the shares describe a large population, from which all these people
            were drawn.
    """
    law = part.truth, part.lie
    if population or people > EXACT:
        limits_of_counts = share_limits(counts, drawn, *law, alpha, population=True)
        return within(limits_of_counts.low, limits_of_counts.high, 0.0, 1.0, 1 / people)
    distinct_counts, place = np.unique(counts, return_inverse=True)
    scale = people / drawn
    guessed = [
        (scale * score_holders(drawn, c, t, l, alpha / 2)).astype(np.int64)
        for c, t, l in ((distinct_counts, *law), (drawn - distinct_counts, 1 - law[1], 1 - law[0]))
    ]
    limits_found, shift = [], (0, 0)
    for count, least_guess, others_guess in zip(
        distinct_counts.tolist(), *(g.tolist() for g in guessed), strict=True
    ):
        guesses = least_guess + shift[0], others_guess + shift[1]
        limits_found.append(drawn_limits(count, drawn, people, law, alpha, guesses))
        ends = (
            round(limits_found[-1].low[0] * people),
            people - round(limits_found[-1].high[0] * people),
        )
        # The error of the guessed limit changes little from count to count, so it corrects the next
        # guess.
        shift = ends[0] - least_guess, ends[1] - others_guess
    all_limits = joined(limits_found)
    return ConfidenceLimits(
        all_limits.low[place], all_limits.high[place], all_limits.nearest[place]
    )
