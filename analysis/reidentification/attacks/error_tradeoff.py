"""Decisions from similarity scores: best match, top k, false acceptance and false rejection rates.

A score is the similarity of a released sequence r and a person i; higher is likelier. `owners[r]`
is the true owner of r. Ties are not broken at random or by the order of people. If t people are
tied for the last places, each counts with the probability that a fair draw takes that person.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ....errors import ParameterError
from ...validation import Floats, as_array, as_floats, whole

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Owners = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Det:
    """The detection error trade-off of a matcher: false acceptances (FAR) and rejections (FRR).

    A matcher accepts scores from a threshold on. The curve is given at the thresholds at which FRR
    changes and at both ends; between two of them FRR is constant and only FAR falls.

    Attributes:
        thresholds: ascending, shape (t,); scores of at least the threshold are accepted. The last
            rejects all scores.
        far: false acceptance rate, the share of impostor scores accepted, falling from 1 to 0.
        frr: false rejection rate, the share of genuine scores rejected, rising from 0 to 1.
    """

    thresholds: Floats
    far: Floats
    frr: Floats

    @property
    def equal_error_rate(self) -> float:
        """The error rate at the threshold at which FAR and FRR are equal.

        FAR is the false acceptance rate, FRR the false rejection rate. FAR may fall below FRR
        between two neighbouring thresholds with equal FRR; then the result is this FRR. Otherwise
        it is the mean of FAR and FRR at the threshold at which they differ least.
        """
        crossing = int((self.far <= self.frr).argmax())  # exists, as the last corner has FAR 0
        if crossing and self.frr[crossing] == self.frr[crossing - 1]:
            return float(self.frr[crossing])
        i = int(np.abs(self.far - self.frr).argmin())
        return float(self.far[i] + self.frr[i]) / 2

    def frr_at(self, far: float) -> float:
        """Return the least false rejection rate at a false acceptance rate of at most `far`."""
        return float(self.frr[self.far <= far].min())

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the false rejection rate against the false acceptance rate; return the axes.

        The false acceptance rate has a logarithmic scale. ax: axes to draw on; None: new axes.
        """
        if ax is None:
            from matplotlib import pyplot as plt

            ax = plt.subplots()[1]
        is_positive = self.far > 0
        ax.plot(self.far[is_positive], self.frr[is_positive])
        ax.set(xscale="log", xlabel="FAR", ylabel="FRR")
        return ax


def best_score(scores: npt.ArrayLike) -> Owners:
    """Return the person with the highest score for each row, the first of equals; shape (r,).

    A score is the similarity of a released sequence and a person.

    >>> from veilmix.analysis.reidentification import best_score
    >>> best_score([[0.1, 0.9], [0.5, 0.5]]).tolist()
    [1, 0]

    Args:
        scores: shape (r, people): a row for each released sequence, a column for each person.
    """
    return np.asarray(_table(scores).argmax(axis=1), np.int64)


def top_people(scores: npt.ArrayLike, k: int) -> Owners:
    """Return the k people with the highest scores of each row, best first, shape (r, k).

    People with equal scores are in the order of their numbers.

    >>> from veilmix.analysis.reidentification import top_people
    >>> top_people([[0.1, 0.9, 0.4]], 2).tolist()
    [[1, 2]]

    Args:
        scores: shape (r, people): a row for each released sequence, a column for each person.
        k: people to name, 1 .. people.
    """
    table = _table(scores)
    k = _at_most(k, table.shape[1])
    order: Owners = np.argsort(-table, axis=1, kind="stable")[:, :k]
    return order


def people_within(scores: npt.ArrayLike, owners: npt.ArrayLike | None = None, k: int = 1) -> Floats:
    """Return the probability that each row's owner is among the k best scores, shape (released,).

    Ties are broken by a fair coin.

    Args:
        scores: shape (released, people), higher is likelier.
        owners: the person behind each row; row r is person r if not given.
        k: the number of people that the attacker may name, 1 .. people.

    Returns:
        Shape (released,), 0 or 1 without ties. The mean is the re-identification rate at k; 1 minus
        the mean is the proportion of incorrect results in the paper's Figure 9 (its text says
        "correct", but the figure shows incorrect results).
    """
    table = _table(scores)
    genuine_scores, k = (
        _genuine_scores(table, as_owners(table, owners)),
        _at_most(k, table.shape[1]),
    )
    better = (table > genuine_scores[:, None]).sum(axis=1)
    tied = (table == genuine_scores[:, None]).sum(axis=1)
    return np.asarray(np.clip((k - better) / tied, 0.0, 1.0))


def genuine_impostor(
    scores: npt.ArrayLike, owners: npt.ArrayLike | None = None
) -> tuple[Floats, Floats]:
    """Return the scores against the owner, shape (r,), and against other people, (r (people - 1),).

    Args:
        scores: shape (r, people): a row for each released sequence, a column for each person.
        owners: the true person of each row; the row number if not given.
    """
    table = _table(scores)
    people = as_owners(table, owners)
    is_impostor = np.ones(table.shape, np.bool_)
    is_impostor[np.arange(len(people)), people] = False
    return _genuine_scores(table, people), table[is_impostor]


def det_curve(genuine: npt.ArrayLike, impostor: npt.ArrayLike) -> Det:
    """Return the detection error trade-off: false acceptances and rejections by threshold.

    Args:
        genuine: scores of sequences against their owners, shape (n,), n >= 1.
        impostor: scores of sequences against other people, shape (m,), m >= 1.
    """
    genuine_scores, impostor_scores = as_scores(genuine, "genuine"), as_scores(impostor, "impostor")
    genuine_scores, impostor_scores = np.sort(genuine_scores), np.sort(impostor_scores)
    # Thresholds between two genuine scores differ only in FAR (false acceptances). So the genuine
    # scores, the numbers just above them, and the ends are enough to describe the curve.
    corners = np.unique(
        np.concatenate([genuine_scores, impostor_scores[:1], np.nextafter(genuine_scores, np.inf)])
    )
    thresholds = np.append(
        corners, np.nextafter(max(genuine_scores[-1], impostor_scores[-1]), np.inf)
    )
    return Det(
        thresholds,
        1 - np.searchsorted(impostor_scores, thresholds) / len(impostor_scores),
        np.searchsorted(genuine_scores, thresholds) / len(genuine_scores),
    )


def as_scores(scores: npt.ArrayLike, name: str, min_count: int = 1) -> Floats:
    """Check scores and return them as an array, shape (scores,), of finite numbers.

    Raises:
        ParameterError: another shape, fewer than `min_count` scores, or a score that is not finite.
    """
    array = as_floats(scores, name, f"at least {min_count} scores")
    if array.ndim != 1 or array.size < min_count:
        raise ParameterError(f"{name}: shape {array.shape}; needs at least {min_count} scores")
    if not np.isfinite(array).all():
        raise ParameterError(
            f"{name}: holds a score that is not finite; needs finite scores, such as logarithms of "
            "probabilities above 0"
        )
    return array


def as_owners(table: Floats, owners: npt.ArrayLike | None) -> Owners:
    """Check the owner of each row of scores and return the person numbers, shape (rows,).

    A row is a released sequence, a column a person. owners: the number of a person for each row;
    None: row r belongs to person r.

    Raises:
        ParameterError: another shape, or a number outside 0 .. people - 1.
    """
    if owners is None:
        if table.shape[0] > table.shape[1]:
            raise ParameterError(
                f"scores: shape {table.shape}; needs `owners` if there are more rows than people"
            )
        return np.arange(table.shape[0])
    array = as_array(owners, "owners", "a person for each row")
    if array.shape != table.shape[:1] or array.dtype.kind not in "iu":
        raise ParameterError(
            f"owners: shape {array.shape}; needs the number of a person for each of "
            f"{table.shape[0]} rows"
        )
    if array.min() < 0 or array.max() >= table.shape[1]:
        raise ParameterError(f"owners: holds {array.max()}; needs 0 .. {table.shape[1] - 1}")
    return array.astype(np.int64)


def _table(scores: npt.ArrayLike) -> Floats:
    """Check a matrix of scores, released sequences x people, and return it as floats.

    Raises:
        ParameterError: another shape, fewer than two people, or nan.
    """
    table = np.asarray(scores, dtype=np.float64)
    if table.ndim != 2 or table.shape[0] < 1 or table.shape[1] < 2:
        raise ParameterError(
            f"scores: shape {table.shape}; needs released sequences x people, at least two people"
        )
    if np.isnan(table).any():
        raise ParameterError("scores: holds nan; needs numbers")
    return table


def _genuine_scores(table: Floats, owners: Owners) -> Floats:
    """Return the score of each released sequence against its owner, shape (rows,).

    table: a row for each sequence, a column for each person. owners: the person of each row.
    """
    return np.asarray(table[np.arange(len(owners)), owners])


def _at_most(k: int, people: int) -> int:
    """Return k, a number of people to name, or raise a ParameterError if there are fewer people."""
    if whole(k, "k", 1) > people:
        raise ParameterError(f"k: found {k}; needs at most the {people} people")
    return k
