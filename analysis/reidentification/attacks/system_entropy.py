"""Personal identification system entropy (PSE): the information in matching scores about identity.

U is the person, Y its report, S the scores of the report against all people, PIE the information in
the report.

    PSE = I(U; S) <= I(U; Y) = PIE                            paper 003, (6) and Proposition 3.3

Two values, in bits. `divergence` is D(f_G || f_I), of genuine from impostor scores, to which the
PSE converges as the number of people grows (Theorem 3.2, for independent scores and uniform U). For
the n people at hand it is NOT a lower bound on the PIE: it may exceed log2 n, which the PIE never
does (Gaussian scores 4 deviations apart: D = 11.5 bits, but I(U; S) = 6.25 for n = 100, where log2
n = 6.64). For n people:

    finite = log2 n + mean of log2( exp(b s_own) / sum over people i of exp(b s_i) )

For ANY rule that turns scores into chances the expectation of this is at most I(U; S) (the cross
entropy of a guess is at least the entropy); b is chosen on one half of the rows and the mean taken
over the other, both ways round, with a little of 1/n mixed in (`_log_share`). So `finite` estimates
a true lower bound on the PIE.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log, log2

import numpy as np
import numpy.typing as npt

from ....errors import ParameterError
from ...estimation.confidence import clopper_pearson
from ...validation import Floats, as_floats, open_unit
from ..fano import fano_bound, uniform_prior_error
from .divergence_bound import Divergence, divergence_bound
from .error_tradeoff import as_owners, genuine_impostor, people_within

# The factor by which scores are multiplied before they become chances is found to this relative
# precision; the maximum is flat, so more would gain nothing.
PRECISION = 1e-3
# The factor of the scores is chosen on rows with at most this many scores in all, to save time: the
# bound holds with any factor.
FITTED = 1 << 21
STEPS = 60


@dataclass(frozen=True, slots=True)
class SystemEntropy:
    """The success of an attack that scores sequences against people: information and match rate.

    Attributes:
        people: number of people from which the attacker chooses, n.
        released: number of attacked sequences.
        finite: lower bound on I(U; S), the scores' information about the person, for these n
            people; bits.
        finite_low, finite_high: confidence limits of `finite`, normal over released sequences.
        divergence: D of genuine from impostor scores, the limit for infinitely many people: a
            certified lower bound and an estimate, bits.
        rate: expected share of sequences with the best score for the owner (ties by a fair coin).
        rate_low, rate_high: exact binomial limits of that share.
        confidence: of all limits.
    """

    people: int
    released: int
    finite: float
    finite_low: float
    finite_high: float
    divergence: Divergence
    rate: float
    rate_low: float
    rate_high: float
    confidence: float

    @property
    def ceiling(self) -> float:
        """The maximum of the information about one of n people: log2 n, in bits."""
        return log2(self.people)

    @property
    def fano(self) -> float:
        """The least error in naming the person, 0 to 1, by Fano's inequality (10) from `finite`.

        `finite` is the scores' information about the person, I(U; S), in bits.
        """
        return fano_bound(max(0.0, self.finite), uniform_prior_error(self.people))

    def __str__(self) -> str:
        """Return a sentence for reports: match rate, information, and the divergence."""
        warning_text = f"; {self.divergence.warning}" if self.divergence.warning else ""
        return (
            f"{self.released:,} sequences against {self.people:,} people: {self.rate:.2%} found "
            f"([{self.rate_low:.2%}, {self.rate_high:.2%}]), PSE at least {self.finite:.2f} bits "
            f"of {self.ceiling:.2f}; D at least {self.divergence.at_least:.2f} bits for endless "
            f"people (estimate {self.divergence.estimate:.2f}){warning_text}"
        )


def system_entropy(
    scores: npt.ArrayLike,
    owners: npt.ArrayLike | None = None,
    neighbours: int = 1,
    confidence: float = 0.95,
) -> SystemEntropy:
    """Return the information of scores about the owners of the rows, and the match rate.

    Args:
        scores: similarities, shape (released, people), finite; higher is likelier.
        owners: the person behind each row; row r is person r if not given.
        neighbours: k of the divergence.
        confidence: of the intervals.

    Raises:
        ParameterError: fewer than four rows, or rows of fewer than three people.
    """
    table = as_floats(scores, "scores", "similarities, released x people")
    confidence = open_unit(confidence, "confidence")
    genuine, impostor = genuine_impostor(table, owners)
    people = as_owners(table, owners)
    hits = people_within(table, people)
    low, high = clopper_pearson(int(hits.sum()), len(hits), (1 - confidence) / 2)
    finite, error = finite_information(table, people)
    reach = _normal(confidence) * error
    return SystemEntropy(
        people=table.shape[1],
        released=table.shape[0],
        finite=finite,
        finite_low=finite - reach,
        finite_high=min(finite + reach, log2(table.shape[1])),
        # Scores of a row share its sequence, and rows of a person its habits: they are dependent.
        divergence=divergence_bound(
            *(genuine, impostor, neighbours, confidence),
            genuine_people=people,
            impostor_people=np.repeat(people, table.shape[1] - 1),
        ),
        rate=float(hits.mean()),
        rate_low=float(low),
        rate_high=float(high),
        confidence=confidence,
    )


def finite_information(
    scores: npt.ArrayLike, owners: npt.ArrayLike | None = None
) -> tuple[float, float]:
    """Return a lower bound on I(U; S) for these people and its standard error, in bits.

    U is the person, S the scores of a released sequence against all people.

    Args:
        scores: similarities, shape (released, people), finite, at least four rows.
        owners: the person behind each row; row r is person r if not given.

    Returns:
        Cross-fitted: in expectation at most I(U; S), so at most the PIE and at most log2 n.
    """
    table = np.asarray(scores, dtype=np.float64)
    people = as_owners(table, owners)
    if len(people) < 4 or not np.isfinite(table).all():
        raise ParameterError(f"scores: shape {table.shape}; needs at least 4 rows, all finite")
    # Only differences within a row matter; one unit for all rows keeps b near 1.
    table = table - table[np.arange(len(people)), people][:, None]
    table /= max(float(np.abs(table).max()), np.finfo(float).tiny)
    fold = np.arange(len(people)) % 2
    terms = np.empty(len(people))
    for half in (0, 1):
        fitted = table[fold != half][: max(2, FITTED // table.shape[1])]
        terms[fold == half] = _log_share(table[fold == half], _best_scale(fitted), 1 / len(fitted))
    bits = log2(table.shape[1]) + terms / log(2)
    return float(bits.mean()), float(bits.std(ddof=1) / np.sqrt(len(bits)))


def _log_share(distances: Floats, b: float, doubt: float) -> Floats:
    """Return the log of the probability that the scores give the owner, for each row, in nats.

    It is log( (1 - doubt) exp(b s_own) / sum exp(b s_i) + doubt / n ) for rows of s - s_own. An
    event not seen in N rows may still happen with probability 1/N: without doubt, one surprise
    after rows that were all distinguished would cost any number of bits.
    """
    from scipy.special import logsumexp

    sure = np.log1p(-doubt) - logsumexp(b * distances, axis=1)
    return np.asarray(np.logaddexp(sure, log(doubt / distances.shape[1])))


def _best_scale(distances: Floats) -> float:
    """Return the factor b >= 0 of the scores that maximises the owners' mean log probability.

    The mean is concave in b, so its slope is followed to 0.
    """

    def slope(b: float) -> float:
        """Return the derivative of the mean log probability at b."""
        top = b * distances
        weight = np.exp(top - top.max(axis=1, keepdims=True))
        return -float(((weight * distances).sum(axis=1) / weight.sum(axis=1)).mean())

    if slope(0.0) <= 0:
        return 0.0
    low, high = 0.0, 1.0
    for _ in range(STEPS):
        if slope(high) <= 0:
            break
        low, high = high, 2 * high
    while high - low > PRECISION * high:
        middle = (low + high) / 2
        low, high = (middle, high) if slope(middle) > 0 else (low, middle)
    return (low + high) / 2


def _normal(confidence: float) -> float:
    """Return the normal quantile z with probability `confidence` in [-z, z]."""
    from scipy.special import ndtri

    return float(ndtri(0.5 + open_unit(confidence, "confidence") / 2))
