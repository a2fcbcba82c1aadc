"""Personal information entropy (PIE) and Bayes error: the information in a report about its sender.

Paper 003, (4) and Section 3.3, for a person U with value X and report Y = Q(X):

    PIE = I(U; Y)           bits; at most min(I(U; X), I(X; Y)), Proposition 3.10
    beta = 1 - sum over y of max over u of P(U = u, Y = y)

beta is the least error of any attacker that names one person. Both are exact. All sums have terms
of at least 0 (`small_divergence.py`), so a PIE of 1e-12 bits is right in its digits.

Three methods. With a matrix Q a people x reports array is summed. For GRR, or no randomizer at all,
Q is a multiple of the identity plus a constant. Then only the positive entries of people's values
are touched, for any number of symbols. `PieStream` adds people in blocks and needs memory only for
one number per symbol. Local hashing with too many keys for a matrix is in `hashed_pie.py`.
"""

from typing import Any

import numpy as np

from ...errors import ParameterError
from ..randomizers.channel import as_stochastic
from ..randomizers.randomizer import Unit
from ..randomizers.small_divergence import excess, in_unit
from ..validation import Floats, whole
from .joint_law import Joint, as_joint, weighted_counts

# Most entries of a people x reports array that are made at one time, to bound the memory.
BLOCK = 1 << 22


def pie(joint: Any, Q: Any = None, unit: Unit = "bits") -> float:
    """Return PIE = I(U; Y): the mean information in a report Y about its sender U.

    Args:
        joint: people x symbols, dense or sparse; counts, or probabilities that sum to 1.
        Q: a randomizer with `.matrix`, or reports x inputs matrix (column x is the distribution of
            the report given x); None reports the value itself.
        unit: "bits" or "nats".

    Returns:
        At least 0, at most the log of the numbers of people and of symbols.

    Raises:
        ParameterError: a bad table, another number of symbols than Q has inputs, or a randomizer
            without a matrix (for large local hashing use `hashed_risk`).
    """
    table = as_joint(joint)
    plain = _plain(Q, table.symbols)
    nats = _spread(table, *plain) if plain else _dense(table, _fitting(Q, table.symbols))
    return in_unit(nats, unit)


def bayes_error(joint: Any, Q: Any = None) -> float:
    """Return the least probability of naming the wrong person after one report, in [0, 1].

    Paper 003, Section 3.3.

    Args:
        joint: people x symbols, dense or sparse; counts, or probabilities that sum to 1.
        Q: a randomizer with `.matrix`, or reports x inputs matrix; None reports the value itself.

    Raises:
        ParameterError: a bad table, another number of symbols than Q has inputs, or a randomizer
            without a matrix.
    """
    table = as_joint(joint)
    plain = _plain(Q, table.symbols)
    if plain:
        return _plain_error(table, *plain)
    matrix, success = _fitting(Q, table.symbols), 0.0
    weights = table.dense()
    for first in range(0, len(matrix), step := max(1, BLOCK // table.people)):
        success += float((weights @ matrix[first : first + step].T).max(axis=0).sum())
    return _share(1 - success)


def prior_error(joint: Any) -> float:
    """Return the error of the best guess of the person without any report: 1 - max p(U), in [0, 1).

    p(U) is the probability of person U: the share of U's row in the table.

    >>> from veilmix.analysis.reidentification import prior_error
    >>> prior_error([[3, 1], [0, 4]])
    0.5

    Args:
        joint: people x symbols, dense or sparse; counts, or probabilities that sum to 1.
    """
    return _share(1 - float(as_joint(joint).users.max()))


def processing_bound(joint: Any, Q: Any, unit: Unit = "bits") -> tuple[float, float, float]:
    """Return (I(U; Y), I(U; X), I(X; Y)), the mutual information of person U, value X and report Y.

    The first is at most each of the other two, by the data-processing inequality (paper 003,
    Proposition 3.10).

    Args:
        joint: people x symbols, dense or sparse; counts, or probabilities that sum to 1.
        Q: a randomizer with `.matrix`, or reports x inputs matrix; None reports the value itself.
        unit: "bits" or "nats".
    """
    table = as_joint(joint)
    occurring_values = np.flatnonzero(table.values)
    values = Joint(
        table.symbols,
        table.symbols,
        occurring_values,
        occurring_values,
        table.values[occurring_values],
    )
    return pie(table, Q, unit), pie(table, None, unit), pie(values, Q, unit)


class PieStream:
    """The information in a report about its sender (PIE), from rows that are read once.

    I(U; Y) = mean over people u of D(Y|U=u, R) - D(Y, R). D is the divergence and R the report
    distribution if all values were equally likely. Memory holds one number for each symbol. A row
    holds the weights of one person's symbols (counts or unnormalised probabilities). Its sum is the
    person's weight among all people. A person must come in a single row.
    """

    def __init__(self, symbols: int, Q: Any = None) -> None:
        """Start without rows.

        symbols: the number of symbols, the columns of a row.
        Q: a randomizer with `.matrix` or a matrix; None reports the value itself.
        """
        self.symbols = whole(symbols, "symbols", 1)
        self.people = 0
        self._plain = _plain(Q, symbols)
        self._matrix = None if self._plain else _fitting(Q, symbols)
        self._columns = np.zeros(symbols)
        self._nats = 0.0

    def add(self, rows: Any) -> None:
        """Add people to the mean.

        rows: a row of weights >= 0 with a positive sum for each person, people x symbols, dense or
        sparse.

        Raises:
            ParameterError: another number of symbols, a bad weight, or a row that sums to 0.
        """
        from scipy.sparse import csr_array

        block: Any = csr_array(rows, dtype=np.float64)
        if block.ndim != 2 or block.shape[1] != self.symbols:
            raise ParameterError(f"rows: shape {block.shape}; needs (people, {self.symbols})")
        weights = np.asarray(block.sum(axis=1), np.float64).ravel()
        if block.data.size and not (np.isfinite(block.data).all() and block.data.min() >= 0):
            raise ParameterError("rows: needs finite weights >= 0")
        if not (weights > 0).all():
            raise ParameterError(
                "rows: a person's row sums to 0; needs a positive sum in every row"
            )
        self.people += len(weights)
        self._columns += np.asarray(block.sum(axis=0), np.float64).ravel()
        self._nats += self._divergence(block, weights)

    def value(self, unit: Unit = "bits") -> float:
        """Return I(U; Y), the information in a report Y about its sender U.

        U is a person added so far, with probability in proportion to the sum of the person's row.
        unit: "bits" or "nats".

        Raises:
            ParameterError: fewer than two people so far.
        """
        if self.people < 2:
            raise ParameterError(f"rows: {self.people} people so far; needs at least two")
        from scipy.sparse import csr_array

        total = float(self._columns.sum())
        all_of_it = csr_array(self._columns[None, :])
        return in_unit(
            max(0.0, self._nats - self._divergence(all_of_it, np.array([total]))) / total, unit
        )

    def _divergence(self, rows: Any, weights: Floats) -> float:
        """Return the sum over rows of weight times D(report distribution || R), in nats.

        R is the report distribution of a uniform value.

        rows: weights of symbols, people x symbols, sparse.
        weights: the sum of each row.
        """
        a = self.symbols
        if self._matrix is not None:
            uniform = self._matrix.mean(axis=1)
            possible = uniform > 0
            deviation = (rows.toarray() / weights[:, None] - 1 / a) @ self._matrix[possible].T
            return float(weights @ (excess(deviation / uniform[possible]) @ uniform[possible]))
        theta = self._plain[0] if self._plain else 1.0
        entries = rows.tocoo()
        present = excess(theta * (a * entries.data / weights[entries.row] - 1))
        missing = (a - np.bincount(entries.row, minlength=len(weights))) * excess(-theta)
        return float((weights[entries.row] @ present + weights @ missing) / a)


def _plain(Q: Any, symbols: int) -> tuple[float, float] | None:
    """Return (theta, nu) if the randomizer's matrix Q is theta I + nu, I the identity; else None.

    GRR has this form, and so has no randomizer (None: theta 1, nu 0).

    Raises:
        ParameterError: Q has another number of inputs.
    """
    if Q is None:
        return 1.0, 0.0
    form: tuple[float, float] | None = getattr(Q, "identity_form", None)
    if form is not None and symbols != Q.inputs:
        raise ParameterError(f"joint: {symbols} symbols; {Q} has {Q.inputs} inputs; needs as many")
    return form


def _fitting(Q: Any, symbols: int) -> Floats:
    """Return the matrix of a randomizer, reports x symbols.

    Raises:
        ParameterError: the randomizer has another number of inputs than `symbols`.
    """
    if getattr(Q, "inputs", symbols) != symbols:
        raise ParameterError(f"joint: {symbols} symbols; {Q} has {Q.inputs} inputs; needs as many")
    matrix = as_stochastic(_channel(Q))
    if matrix.shape[1] != symbols:
        raise ParameterError(
            f"joint: {symbols} symbols; Q has {matrix.shape[1]} inputs; needs as many"
        )
    return matrix


def _channel(Q: Any) -> Any:
    """Return the matrix of a randomizer, or Q itself if it is an array."""
    return getattr(Q, "matrix", Q)


def _dense(table: Joint, matrix: Floats) -> float:
    """Return I(U; Y), the information in a report Y about its sender U, in nats.

    The reports of the randomizer's matrix are summed in blocks that fit in memory.

    table: the joint distribution of U and the value. matrix: reports x inputs.
    """
    users, values = table.users, table.values
    present = users > 0
    deviation = table.dense()[present] / users[present, None] - values
    nats = 0.0
    for first in range(0, len(matrix), step := max(1, BLOCK // table.people)):
        rows = matrix[first : first + step]
        law = rows @ values
        rows, law = rows[law > 0], law[law > 0]
        nats += float(users[present] @ (excess(deviation @ rows.T / law) @ law))
    return nats


def _spread(table: Joint, theta: float, nu: float) -> float:
    """Return a report's information about its sender, in nats, for Q = theta I + nu.

    I is the identity matrix. The information is sum over people u of p(u) D(q_u || q), with D the
    divergence. q_u = theta p_u + nu is the report distribution of u, p_u the distribution of u's
    values, and q the report distribution of all. Symbols that u never has are added at once, so
    only the positive entries are visited.
    """
    users, values = table.users, table.values
    law = theta * values + nu
    row_shares = table.mass / users[table.row]
    entry_law = law[table.column]
    nats = users[table.row] @ (
        entry_law * excess(theta * (row_shares - values[table.column]) / entry_law)
    )
    occurring = values > 0
    present_weight = weighted_counts(table.column, users[table.row], table.symbols)[occurring]
    excess_of_missing = excess(-theta * values[occurring] / law[occurring]) * law[occurring]
    return float(nats + excess_of_missing @ np.maximum(1 - present_weight, 0.0))


def _plain_error(table: Joint, theta: float, nu: float) -> float:
    """Return the Bayes error of naming the person from a report, for a randomizer Q = theta I + nu.

    I is the identity matrix; nu is added to each entry. table: the joint distribution of the person
    and the value.
    """
    users = table.users
    likely = theta * table.mass + nu * users[table.row]
    best = np.full(table.symbols, nu * users.max())
    np.maximum.at(best, table.column, likely)
    return _share(1 - float(best.sum()))


def _share(value: float) -> float:
    """Return a probability clipped to [0, 1], because rounding may move it outside."""
    return min(1.0, max(0.0, value))
