"""Faithful and unfaithful protocols: rank and classes of reports (paper 002, 6.1 and 6.2).

A protocol is a matrix Q of reports x a inputs. It is faithful if different distributions of inputs
give different distributions of reports, that is, if Q has rank a (Definition 6.1, Proposition 6.2).
Two reports are in the same class if a chain of inputs links them, each input able to give two
neighbouring reports. Rank d and the number b' of classes decide how the information of n reports Y
grows (Theorem 6.7), about the distribution P of inputs and about the counts T of the true inputs:

    I(Y; P) ~ (d - 1) / 2 log n          I(Y; T) ~ (d + b' - 2) / 2 log n
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .channel_matrix import as_matrix


@dataclass(frozen=True, slots=True)
class Structure:
    """The rank of a randomizer Q and its classes of reports, and the limits of utility they imply.

    Utility compares the reports' information with that of noiseless answers. The limits are for
    infinitely many people. Definitions 6.1 and 6.3 of paper 002.

    Attributes:
        a, b: number of inputs; number of reports that can occur.
        rank: d, the rank of Q.
        classes: b', the number of classes of reports that are linked by inputs able to give both.
        distribution_limit: (d - 1) / (a - 1), the limit of the distribution utility (6.2): the
            reports' information about the distribution of inputs, divided by that of the inputs
            themselves.
        tally_limit: (d + b' - 2) / (2a - 2), the limit of the tally utility (6.3): the reports'
            information about the counts of the inputs, divided by the entropy of these counts.
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
    """Return the rank of Q, its number of classes of reports b', and the limits of the utilities.

    Reports are in one class if inputs that can give both link them. Theorem 6.7 and Corollary 6.8
    of paper 002. For the identity b' = a, so that the tally utility tends to 1. The proof of
    Corollary 6.8 says b' = a - 1, and (C.2) prints d + b' - 1 for d + b' - 2, d the rank. b' > 1
    needs an infinite local epsilon (Remark 6.9.1 prints 0).

    Args:
        Q: the randomizer, reports x inputs (or an object with a `.matrix`).
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    rows = as_matrix(Q)
    rows = rows[rows.max(axis=1) > 0]
    b, a = rows.shape
    # Reports and inputs are the nodes of a graph. An edge joins an input to each report that it can
    # give, so the connected components are the classes.
    y, x = np.nonzero(rows)
    links = csr_array((np.ones(y.size), (y, b + x)), shape=(a + b, a + b))
    classes = int(connected_components(links, directed=False)[0])
    rank = int(np.linalg.matrix_rank(rows))
    return Structure(a, b, rank, classes, (rank - 1) / (a - 1), (rank + classes - 2) / (2 * a - 2))
