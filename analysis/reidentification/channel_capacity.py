"""The most that n people can betray: the exact supremum of I(U; Y) over all laws of U and X.

I(U; Y) is convex in the law of X given U, so its maximum has everybody holding one fixed value: at
most m = min(n, |X|) values are in use, and the supremum is the capacity of the randomizer with m
inputs. For GRR the uniform law on any m inputs reaches it (symmetry and concavity):

    C(s, m) = q f(mu/q - 1) + (m - 1) q f(nu/q - 1),       q = (mu + (m - 1) nu) / m

with mu the probability of the truth, nu that of any other symbol and f of `excess.py`. The other
s - m reports say nothing.

Local hashing with key h is GRR on g values with at most min(m, g) inputs, and a key that sends
everything to one value tells nothing:

    I(U; Y) <= (1 - P(h constant)) C(g, min(m, g))

with equality where every other key keeps the m values apart (the digit family with one digit) or
spreads a whole field evenly (|X| = 2^k <= n). Small cases with n >= |X| are computed instead; for
large g the bound is close: at |X| = 10,500,393, n = 1,370,637, g = 2^27 and eps = 10 it exceeds the
exact value for uniformly random functions (`random_functions`) by less than a part in 10^4.
"""

from math import ceil, floor, isfinite, log, sqrt
from typing import Any

import numpy as np

from ...errors import ParameterError
from ..randomizers.bit_flip import BitFlip
from ..randomizers.channel import as_stochastic
from ..randomizers.grr import GRR
from ..randomizers.hash_families import DigitFamily, FieldFamily
from ..randomizers.local_hash import LocalHash
from ..randomizers.randomizer import Unit
from ..randomizers.unary import UnaryEncoding
from ..validation import Floats, whole
from .coin_capacity import flip_capacity, unary_capacity
from .personal_information import spread
from .small_divergence import excess, in_unit

ROUNDS = 20_000
# Entries of a matrix of local hashing that is small enough to compute its capacity.
SMALL = 1 << 16
# The bracket of a numerical capacity is closed to this many nats.
CLOSE = 1e-10


def capacity(randomizer: Any, users: int, unit: Unit = "bits") -> tuple[float, bool]:
    """(value, attained): the most that a report tells about which of n users sent it.

    Args:
        randomizer: GRR, LocalHash, UnaryEncoding, BitFlip, or anything with a `.matrix` (then by
            Blahut and Arimoto, the upper end of a bracket closed to 1e-10 nats or to 20,000
            rounds).
        users: n >= 2.
        unit: "bits" or "nats".

    Returns:
        An upper bound on I(U; Y) over all joint laws, and True where it is attained: GRR and unary
        encodings (`coin_capacity.py`) always, LocalHash where the module's docstring says so,
        others if n >= |X|.
    """
    n = whole(users, "users", 2)
    if isinstance(randomizer, GRR):
        nats, attained = symmetric(randomizer.a, randomizer.epsilon, min(n, randomizer.a)), True
    elif isinstance(randomizer, LocalHash) and not _small(randomizer, n):
        nats, attained = _hashed(randomizer, min(n, randomizer.a))
    elif isinstance(randomizer, UnaryEncoding) and isfinite(randomizer.epsilon):
        nats, attained = unary_capacity(randomizer, min(n, randomizer.a)), True
    elif isinstance(randomizer, BitFlip):
        nats, attained = min(flip_capacity(randomizer), log(n)), n >= randomizer.inputs
    else:
        matrix = _matrix(randomizer)
        nats, attained = min(_numerical(matrix), log(n)), n >= matrix.shape[1]
    return in_unit(nats, unit), attained


def symmetric(size: int, epsilon: float, inputs: int) -> float:
    """C(size, inputs) of the docstring: the capacity of GRR when only some inputs occur, nats."""
    lie = float(np.exp(-epsilon) / (1 + (size - 1) * np.exp(-epsilon)))
    gap = spread(size, epsilon)
    law = lie + gap / inputs
    true, other = excess([gap * (1 - 1 / inputs) / law, -gap / inputs / law])
    return float(law * (true + (inputs - 1) * other))


def random_functions(size: int, epsilon: float, inputs: int, unit: Unit = "bits") -> float:
    """The supremum for local hashing into `size` values by a uniformly random function.

    All inputs are alike, so the uniform law is best: D(report of one | uniform) minus the mean of
    D(report of all | uniform), in which N ~ Bin(inputs, 1/size) people share a hash value.

    Args:
        size: g >= 2.
        epsilon: nats, > 0.
        inputs: min(n, |X|) >= 1.
        unit: "bits" or "nats".
    """
    g, m = whole(size, "size", 2), whole(inputs, "inputs", 1)
    gap = spread(g, epsilon)
    own, other = excess([gap * (g - 1), -gap])
    reach = 40 * sqrt(m / g) + 60
    shared = np.arange(max(0, floor(m / g - reach)), min(m, ceil(m / g + reach)) + 1)
    # The binomial law by the ratios of neighbours; 40 deviations hold all that matters.
    logs = np.cumsum(np.log((m - shared[:-1]) / (shared[:-1] + 1) / (g - 1)))
    weight = np.exp(np.append(0.0, logs) - max(0.0, logs.max(initial=0.0)))
    crowd = float(weight / weight.sum() @ excess(gap * (g * shared / m - 1)))
    return in_unit(max(0.0, (own + (g - 1) * other) / g - crowd), unit)


def least_error(randomizer: GRR | LocalHash, users: int) -> tuple[float, bool]:
    """(value, whether attained): the least identification error over all X, for n equal users.

    Beyond the paper, and more than Fano's inequality says: naming the likeliest sender is right
    with probability at most (1/n) sum over y of max over x of Q(y|x), the maximum over m inputs:

        1 - (m mu + (s - m) nu) / n       GRR, m = min(n, |X|), s = |X|

    and for local hashing the same with s = g and min(m, g), averaged with 1/n for constant keys.
    """
    n = whole(users, "users", 2)
    if isinstance(randomizer, GRR):
        return _least(randomizer.a, randomizer.epsilon, min(n, randomizer.a), n), True
    if not isinstance(randomizer, LocalHash):
        raise ParameterError(f"randomizer: found a {type(randomizer).__name__}; GRR or LocalHash")
    m = min(n, randomizer.a)
    apart = 1 - _constant(randomizer)
    distinct = _least(randomizer.g, randomizer.epsilon, min(m, randomizer.g), n)
    return apart * distinct + (1 - apart) * (1 - 1 / n), _keeps_apart(randomizer, m)


def _least(size: int, epsilon: float, inputs: int, n: int) -> float:
    lie = GRR(size, epsilon).lie
    # inputs mu + (size - inputs) nu = inputs theta + size nu
    return 1 - (inputs * spread(size, epsilon) + size * lie) / n


def _hashed(randomizer: LocalHash, inputs: int) -> tuple[float, bool]:
    reach = symmetric(randomizer.g, randomizer.epsilon, min(inputs, randomizer.g))
    return (1 - _constant(randomizer)) * reach, _keeps_apart(randomizer, inputs)


def _small(randomizer: LocalHash, n: int) -> bool:
    return n >= randomizer.a and randomizer.inputs * randomizer.outputs <= SMALL


def _constant(randomizer: LocalHash) -> float:
    """The probability of a key whose hash is the same for all symbols."""
    family = randomizer.family
    if isinstance(family, FieldFamily):
        return float(2.0**-family.k)
    return float(family.g) ** -family.digits


def _keeps_apart(randomizer: LocalHash, inputs: int) -> bool:
    """Whether each key that is not constant is injective on the inputs, or even on a field."""
    family = randomizer.family
    if isinstance(family, DigitFamily):
        return family.digits == 1
    return inputs == 1 << family.k


def _matrix(randomizer: Any) -> Floats:
    matrix = as_stochastic(getattr(randomizer, "matrix", randomizer))
    return np.asarray(matrix[matrix.max(axis=1) > 0])


def _numerical(matrix: Floats) -> float:
    """An upper bound on the capacity: max over x of D(Q_x || Q p), p improved by rounds."""
    p = np.full(matrix.shape[1], 1 / matrix.shape[1])
    best = np.inf
    for _ in range(ROUNDS):
        law = matrix @ p
        away = law @ excess(matrix / law[:, None] - 1)
        best = min(best, float(away.max()))
        if best - float(p @ away) <= CLOSE:
            break
        p = p * np.exp(away - away.max())
        p /= p.sum()
    return best
