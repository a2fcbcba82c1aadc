"""Personal identification system entropy (PSE): the information in matching scores about identity.

An attacker scores each released report Y of a person U against all people; S are the scores. By
paper 003, (6) and Proposition 3.3, the scores hold at most the information in the report (PIE):

    PSE = I(U; S) <= I(U; Y) = PIE

Two values, in bits. `divergence` is D(f_G || f_I), of the distribution of genuine scores (against
the owner) from that of impostor scores (against other people). The PSE converges to it as the
number of people grows (Theorem 3.2, for independent scores and uniform U). For finitely many people
it is NOT a lower bound on the PIE: it may exceed log2 n, which the PIE never does (Gaussian scores
4 deviations apart: D = 11.5 bits, but I(U; S) = 6.25 for n = 100, where log2 n = 6.64).

`finite` estimates a lower bound on the PIE for n people, with s_i the score against person i, s_own
the score against the owner, and a factor b:

    finite = log2 n + mean of log2( exp(b s_own) / sum over people i of exp(b s_i) )

The fraction is a probability that the scores give the owner. For any rule that turns scores into
probabilities the expectation of `finite` is at most I(U; S), because a cross entropy is at least
the entropy. One half of the rows chooses b and the mean is taken over the other half, then the
reverse. A small part of the uniform probability 1/n is mixed in (`_log_share`).
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

# The owner's probability is exp(b score) as a share of the sum over all people. The factor b is
# found to this relative precision. The lower bound on the information is flat at its maximum, so a
# more precise b would hardly raise it.
PRECISION = 1e-3
# To save time, the factor b of the scores is chosen on rows with at most this many scores in all.
# The lower bound on the information holds with any factor.
FITTED = 1 << 21
STEPS = 60


@dataclass(frozen=True, slots=True)
class SystemEntropy:
    """The success of an attack that scores sequences against people: information and match rate.

    Attributes:
        people: number of people from which the attacker chooses, n.
        released: number of attacked sequences.
        finite: lower bound on I(U; S), the information in the scores S about the person U, for
            these n people; bits.
        finite_low, finite_high: confidence limits of `finite`, normal over released sequences.
        divergence: D of genuine from impostor scores, the limit for infinitely many people: a
            certified lower bound and an estimate, bits.
        rate: expected share of sequences with the best score for the owner (ties by a fair coin).
        rate_low, rate_high: exact binomial limits of that share.
        confidence: probability with which each pair of limits holds.
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
        """The least error in naming the person, 0 to 1, by Fano's inequality from `finite`.

        `finite` is the scores' information about the person, I(U; S), in bits. Paper 003, (10).
        """
        return fano_bound(max(0.0, self.finite), uniform_prior_error(self.people))

    def __str__(self) -> str:
        """Return a sentence for reports: match rate, information (PSE), and the divergence D.

        The PSE is the information in the scores about the person. D is its limit for infinitely
        many people: the divergence of scores against the owner from scores against other people.
        """
        warning_text = f"; {self.divergence.warning}" if self.divergence.warning else ""
        return (
            f"{self.released:,} sequences against {self.people:,} people: {self.rate:.2%} found "
            f"([{self.rate_low:.2%}, {self.rate_high:.2%}]), the scores tell at least "
            f"{self.finite:.2f} of {self.ceiling:.2f} bits about the person (PSE); for infinitely "
            f"many people at least {self.divergence.at_least:.2f} bits, estimate "
            f"{self.divergence.estimate:.2f} (divergence D){warning_text}"
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
        owners: the true person of each row; row r is person r if not given.
        neighbours: the divergence is estimated from the distance of each score to its nearest
            neighbour of this rank, >= 1.
        confidence: probability with which each interval holds, in (0, 1).

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
        # The scores of one sequence depend on each other, and so do the sequences of one person. So
        # the bound on the divergence gets the person of each score.
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
        owners: the true person of each row; row r is person r if not given.

    Returns:
        Cross-fitted: in expectation at most I(U; S), so at most log2 n and at most the information
        in the sequence itself about the person (PIE).
    """
    table = np.asarray(scores, dtype=np.float64)
    people = as_owners(table, owners)
    if len(people) < 4 or not np.isfinite(table).all():
        raise ParameterError(f"scores: shape {table.shape}; needs at least 4 rows, all finite")
    # A probability of the owner, exp(b score) as a share of the row's sum, depends only on
    # differences within the row. All differences are divided by the largest, so that the best
    # factor b is near 1.
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

    It is log( (1 - doubt) exp(b s_own) / sum over people i of exp(b s_i) + doubt / n ) for n
    people. Without `doubt`, one owner with a poor score would cost any number of bits if all rows
    that chose b scored the owner highest.

    distances: the scores minus the owner's score, s_i - s_own, shape (rows, n).
    b: the factor of the scores.
    doubt: the part of the uniform distribution; 1/N if N rows chose b, because an event not seen in
    N rows may still have probability 1/N.
    """
    from scipy.special import logsumexp

    sure = np.log1p(-doubt) - logsumexp(b * distances, axis=1)
    return np.asarray(np.logaddexp(sure, log(doubt / distances.shape[1])))


def _best_scale(distances: Floats) -> float:
    """Return the factor b >= 0 that maximises the mean log probability of the owners of the rows.

    A row gives its owner the probability exp(b s_own) / sum over people i of exp(b s_i). The mean
    of the log is concave in b, so the search brackets the zero of its slope.

    distances: scores minus the owner's score, s_i - s_own, shape (rows, people).
    """

    def slope(b: float) -> float:
        """Return the derivative, in b, of the mean log probability of the rows' owners.

        b: the factor of the scores.
        """
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
