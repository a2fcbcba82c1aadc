"""Faithful and unfaithful protocols: rank and classes of outputs (paper 002, 6.1 and 6.2).

A protocol is faithful if different laws of the inputs give different laws of the reports, that is,
if its matrix has rank a (Definition 6.1, Proposition 6.2). Rank d and the number b' of classes of
outputs decide the growth of information (Theorem 6.7):

    I(Y; P) ~ (d - 1) / 2 log n          I(Y; T) ~ (d + b' - 2) / 2 log n
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .channel_matrix import as_matrix


@dataclass(frozen=True, slots=True)
class Structure:
    """The rank of a randomizer Q and its classes of outputs, and the limits of utility they imply.

    Definitions 6.1 and 6.3 of paper 002; the limits are for infinitely many people.

    Attributes:
        a, b: inputs; outputs that can occur.
        rank: d, the rank of Q.
        classes: b', the classes of outputs that are linked by inputs able to give both.
        distribution_limit: (d - 1) / (a - 1), the limit of the distribution utility U_distr (6.2).
        tally_limit: (d + b' - 2) / (2a - 2), the limit of the tally utility U_tally (6.3).
    """

    a: int
    b: int
    rank: int
    classes: int
    distribution_limit: float
    tally_limit: float

    @property
    def faithful(self) -> bool:
        """Whether different distributions of inputs give different distributions of reports.

        By Proposition 6.2 of paper 002 this is so if the rank is the number of inputs.
        """
        return self.rank == self.a


def structure(Q: Any) -> Structure:
    """Return the rank of Q, its classes of outputs b' and the limits of the utilities.

    Theorem 6.7 and Corollary 6.8 of paper 002. For the identity b' = a, so that U_tally -> 1; the
    proof of Corollary 6.8 says b' = a - 1, and (C.2) prints d + b' - 1 for d + b' - 2. b' > 1 needs
    LDP = infinity (Remark 6.9.1 prints 0).

    Args:
        Q: the randomizer, reports x inputs (or an object with a `.matrix`).
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    rows = as_matrix(Q)
    rows = rows[rows.max(axis=1) > 0]
    b, a = rows.shape
    # outputs and inputs are the nodes of a graph; every input can give an output, so has a link
    y, x = np.nonzero(rows)
    links = csr_array((np.ones(y.size), (y, b + x)), shape=(a + b, a + b))
    classes = int(connected_components(links, directed=False)[0])
    rank = int(np.linalg.matrix_rank(rows))
    return Structure(a, b, rank, classes, (rank - 1) / (a - 1), (rank + classes - 2) / (2 * a - 2))
