"""The attacker of paper 003, Section 5.1: a Markov chain for each person, matched by likelihood.

From the training events of each person i, by maximum likelihood,

    pi_i(x)      the share of x among the events (the visit vector)
    L_i(x, y)    the share of y among the events that follow x (the transition matrix)

A released sequence y_1 .. y_m has the score log pi_i(y_1) + sum over t of log L_i(y_t, y_(t+1)) for
person i, with 1e-8 in place of a probability 0. Log-likelihoods are used instead of the paper's
product: a product of a hundred probabilities is 0 in floating point.

A score is a constant of the released sequence, plus a term for each probability of the person that
is not 0. So the scores of all sequences for all people are a single sparse matrix product, for any
number of different events.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import log
from typing import Any

import numpy as np
import numpy.typing as npt

from ....errors import ParameterError
from ...randomizers import GRR, HashReports, LocalHash, as_randomizer
from ...validation import Floats, brief, open_unit
from .sequences import Events, Sequences, same_alphabet

# Replacement of a probability 0, of which the log-likelihood would be infinite (paper 003, Section
# 5.1).
FLOOR = 1e-8
# Rows of a sparse matrix product that are computed at a time, which bounds the memory.
ROWS = 512


@dataclass(frozen=True, slots=True, eq=False)
class MarkovAttack:
    """An attacker that names the sender of a sequence by a Markov chain trained for each person.

    Attributes:
        training: a sequence of events for each person, known to the attacker.
        floor: the number that replaces a probability 0, in (0, 1).
    """

    training: Sequences
    floor: float = FLOOR
    _visits: Any = field(init=False, repr=False)
    _move_keys: Events = field(init=False, repr=False)
    _moves: Any = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Train the chains: each person's shares of events, and of pairs of successive events."""
        if not isinstance(self.training, Sequences):
            raise ParameterError(f"training: found {brief(self.training)}; needs Sequences")
        open_unit(self.floor, "floor")
        keys, moves = _transitions(self.training)
        object.__setattr__(self, "_visits", _shares(self.training.visits()))
        object.__setattr__(self, "_move_keys", keys)
        object.__setattr__(self, "_moves", moves)

    @property
    def people(self) -> int:
        """The number of people that the attacker has trained on."""
        return self.training.people

    def visit_vector(self, person: int) -> Floats:
        """Return the shares of symbols among a person's events, shape (symbols,).

        Symbols are the different events.
        """
        return np.asarray(self._visits[[person], :].toarray()).ravel()

    def transition_matrix(self, person: int) -> Any:
        """Return a person's transition probabilities L as a SciPy CSR array, symbols x symbols.

        Symbols are the different events. The row of a symbol that no event follows is 0.
        """
        from scipy.sparse import coo_array

        row, a = self._moves[[person], :].tocoo(), self.training.symbols
        keys = self._move_keys[row.col]
        return coo_array((row.data, (keys // a, keys % a)), shape=(a, a)).tocsr()

    def scores(self, released: Sequences) -> Floats:
        """Return the log-likelihood (nats) of each released sequence under each person's chain.

        Args:
            released: sequences of the same symbols, of known or unknown people.

        Returns:
            Shape (released people, trained people); higher is likelier.
        """
        from scipy.sparse import csr_array, hstack

        same_alphabet(self.training, released)
        starts = csr_array(
            (np.ones(released.people), (np.arange(released.people), released.starts)),
            shape=(released.people, released.symbols),
        )
        features = hstack([starts, self._move_counts(released)]).tocsr()
        gain = hstack([self._gain(self._visits), self._gain(self._moves)]).tocsr()
        return product(features, gain, released.lengths * log(self.floor))

    def _move_counts(self, released: Sequences) -> Any:
        """Return how often each trained move is in each released sequence.

        A move is a pair of successive symbols; trained moves are in the training sequences.
        The result is a sparse array, released people x trained moves; other moves are left out.
        """
        from scipy.sparse import coo_array

        owner, keys = released.moves()
        shape = (released.people, len(self._move_keys))
        if not len(self._move_keys):
            return coo_array(shape)
        place = np.minimum(np.searchsorted(self._move_keys, keys), len(self._move_keys) - 1)
        trained = self._move_keys[place] == keys
        unit_counts = np.ones(int(trained.sum()))
        return coo_array((unit_counts, (owner[trained], place[trained])), shape=shape)

    def _gain(self, shares: Any) -> Any:
        """Return log(share) - log(floor) for each nonzero share in a sparse array.

        It is the increase of a log-likelihood over that of the floor, the number that replaces 0.
        """
        gain = shares.copy()
        gain.data = np.log(np.maximum(gain.data, self.floor)) - log(self.floor)
        return gain


@dataclass(frozen=True, slots=True, eq=False)
class ReportAttack:
    """An attacker that names the sender of a randomized report by its likelihood for each person.

    The likelihood is sum over x of Q(y|x) pi_i(x). Q(y|x) is the probability of the report y for
    the value x, and pi_i the distribution of person i's values. If pi_i is known for all people, no
    attacker does better with one report. The scores are a sufficient statistic, so they have all of
    the report's information about its sender (paper 003, after Proposition 3.3).

    Attributes:
        training: a sequence of values for each person; its shares of values stand for pi_i.
        randomizer: GRR or LocalHash on the same alphabet.
    """

    training: Sequences
    randomizer: GRR | LocalHash

    def __post_init__(self) -> None:
        """Check the randomizer: GRR or local hashing, with as many inputs as there are symbols.

        Symbols are the different values in `training`.

        Raises:
            ParameterError: another randomizer, or another number of inputs.
        """
        if as_randomizer(self.randomizer).loss_parameter is None:
            raise ParameterError(f"randomizer: found {self.randomizer}; needs GRR or LocalHash")
        if self.randomizer.inputs != self.training.symbols:
            raise ParameterError(
                f"randomizer: {self.randomizer}, but the training data have "
                f"{self.training.symbols} symbols; needs as many inputs as symbols"
            )

    def scores(self, reports: npt.ArrayLike | HashReports) -> Floats:
        """Return the log-likelihood (nats) of each report for each person, shape (reports, people).

        It is log(nu + theta m), with m the share of person i's events that the report supports. A
        GRR report supports one event; a local hashing report supports the events with the reported
        hash value. nu and theta are constants of the randomizer. For local hashing the probability
        of the key is left out, because it is the same for all people.
        """
        pi = _shares(self.training.visits())
        occurring = np.unique(self.training.events)
        supported = self.randomizer.sparse_supports(reports, occurring)
        mass = product(supported, pi[:, occurring].tocsr())
        theta, size = self.randomizer.loss_parameter, self.randomizer.reported_values
        return np.asarray(np.log((1 - theta) / size + theta * mass))


def product(left: Any, right: Any, offset: npt.ArrayLike = 0.0) -> Floats:
    """Return the dense matrix left @ right.T + offset of two CSR arrays, in blocks of rows.

    offset: a number for each row, or one number for all rows.
    """
    turned = right.T.tocsr()
    result = np.empty((left.shape[0], right.shape[0]))
    shift = np.broadcast_to(np.asarray(offset, np.float64), left.shape[0])
    for first in range(0, left.shape[0], ROWS):
        rows = slice(first, first + ROWS)
        result[rows] = (left[rows] @ turned).toarray() + shift[rows, None]
    return result


def _shares(counts: Any) -> Any:
    """Return a CSR array of counts with each row divided by its sum."""
    shares = counts.astype(np.float64)
    shares.data /= np.repeat(np.asarray(counts.sum(axis=1)).ravel(), np.diff(counts.indptr))
    return shares


def _transitions(training: Sequences) -> tuple[Events, Any]:
    """Return the moves that occur in the training sequences, and their probabilities.

    A move is a pair of successive symbols, encoded as from * symbols + to; moves are ascending. The
    probabilities L_i(from, to) of person i are a CSR array, people x moves.
    """
    from scipy.sparse import coo_array

    owner, keys = training.moves()
    transition_keys, place = np.unique(keys, return_inverse=True)
    counts = coo_array(
        (np.ones(len(owner)), (owner, place)), shape=(training.people, max(1, len(transition_keys)))
    ).tocsr()
    counts.sum_duplicates()
    moves = counts.tocoo()
    if len(transition_keys):
        from_symbols = (
            moves.row.astype(np.int64) * training.symbols
            + transition_keys[moves.col] // training.symbols
        )
        _, group = np.unique(from_symbols, return_inverse=True)
        moves.data = moves.data / np.bincount(group, moves.data)[group]
    return transition_keys, moves.tocsr()[:, : len(transition_keys)]
