"""The capacity for n people: the largest information I(U; Y) in a report Y about its sender U.

The exact supremum over all distributions of U and the value X. I(U; Y) is convex in the
distribution of X given U, so at its maximum each person holds a fixed value. At most m = min(n,
|X|) values are in use, and the supremum is the capacity of the randomizer with m inputs. For GRR
(generalized randomized response) with s = |X| symbols the uniform distribution on any m inputs
reaches it, by symmetry and concavity:

    C(s, m) = q f(mu/q - 1) + (m - 1) q f(nu/q - 1),       q = (mu + (m - 1) nu) / m

with mu the probability of the true symbol, nu that of any other symbol and f(t) = (1 + t)
log(1 + t) - t. The s - m reports of unused symbols are uninformative.

Local hashing with key h is GRR on g hash values with at most min(m, g) inputs. A key that sends all
symbols to one hash value is uninformative:

    I(U; Y) <= (1 - P(h constant)) C(g, min(m, g))

with equality if every other key keeps the m values distinct (the digit family with one digit) or
spreads a whole field evenly (|X| = 2^k <= n). Small cases with n >= |X| are computed instead. For
large g the bound is close: at |X| = 10,500,393, n = 1,370,637, g = 2^27 and eps = 10 it exceeds the
exact value for uniformly random functions (`random_functions`) by less than a part in 10^4.

The randomizers hold the formulas: `symmetric_capacity.py`, `bit_channel_capacity.py` and, for a
matrix, `numerical_capacity.py`.
"""

from __future__ import annotations

from typing import Any

from ..randomizers import GRR, LocalHash, as_randomizer
from ..randomizers.randomizer import Unit
from ..randomizers.small_divergence import in_unit
from ..validation import whole


def capacity(randomizer: Any, users: int, unit: Unit = "bits") -> tuple[float, bool]:
    """Return the most information in a report about its sender, and whether it is attained.

    Args:
        randomizer: GRR, LocalHash, UnaryEncoding, BitFlip, or any object with a `.matrix` (then by
            Blahut and Arimoto's algorithm: the upper end of a bracket that is narrowed to 1e-10
            nats, or after 20,000 iterations).
        users: number of users n >= 2.
        unit: "bits" or "nats".

    Returns:
        An upper bound on I(U; Y), for sender U and report Y, over all joint distributions of U and
        the value; and True if it is attained: for GRR and unary encodings always, for LocalHash in
        the cases of the module's docstring, else if n is at least the number of values.
    """
    nats, attained = as_randomizer(randomizer).capacity(whole(users, "users", 2))
    return in_unit(nats, unit), attained


def smallest_error(randomizer: GRR | LocalHash, users: int) -> tuple[float, bool]:
    """Return the least error in naming the sender of a report, and whether it is attained.

    The least over all distributions of values, for n equally likely users. It is beyond the paper,
    and at least Fano's bound. Q(y|x) is the probability of report y for input x, and m inputs are
    in use. Naming the likeliest sender is right with probability at most (1/n) sum over reports y
    of max over inputs x of Q(y|x). For GRR with s = |X| symbols and m = min(n, s) the error is
    therefore at least

        1 - (m mu + (s - m) nu) / n

    with mu the probability of the true value and nu that of any other. For local hashing into g
    hash values s is g and m is min(m, g). The error is averaged with 1 - 1/n, that of a guess, for
    keys that hash all symbols to one value.

    Args:
        randomizer: `GRR` or local hashing.
        users: number of people with equal prior, >= 2.
    """
    return as_randomizer(randomizer).smallest_error(whole(users, "users", 2))
