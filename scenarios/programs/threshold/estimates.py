"""Estimates for all people from a release of random participants, and their privacy loss.

Each person takes part with probability p. A row opens (its values are released) if at least k
participants share it. If s participants have an opened row, s / p people are estimated to have it.
The confidence limits enclose every number of people with which s participants are likely, given
that the row opened. Without this condition, rows with about k participants would be overestimated.
"""

from typing import TYPE_CHECKING

from ....analysis.estimation.sampled_counts import counted_limits
from ....analysis.shuffled import removed_delta, replaced_delta
from ....analysis.shuffled.sampled_rows import PARTS, rate_parts
from ....protocol.wire.hiding_rules import BLANK
from ...serialization.record import Record
from ..findings import StatedEpsilon
from .check import EPSILON

if TYPE_CHECKING:
    from ....protocol.wire.messages import Counts
    from ...schema.model import Policy

MAX_ROWS = 20  # most released rows with estimates in a record; the most frequent rows are chosen
# text that states, for the delta `Sampled.replaced`, which data sets are neighbours: those that
# differ in the values of one person's row
REPLACED = "replace one"
ALPHA = 0.05  # probability, per row, that the limits miss the true number of people


class RowEstimate(Record, frozen=True):
    """The estimated number of people with a row that opened: at least k participants share it.

    Attributes:
        values: the values of the row.
        seen: the number of participants with the row.
        people: the estimated number of people with the row: seen / probability of taking part.
        error: standard error of `people`, for a row that is certain to open.
        low: lower 95 % confidence limit of `people`, given that the row opened.
        high: upper 95 % confidence limit of `people`, given that the row opened.
    """

    values: tuple[str, ...]
    seen: int
    people: float
    error: float
    low: int
    high: int


class Sampled(Record, frozen=True):
    """Random participation: estimates for all people, and the privacy loss of each view.

    A row opens (its values are released) if k participants share it, else it stays encrypted. The
    party `randomness` gives users secrets that only equal rows share. With it, a reader can try all
    rows.

    Attributes:
        rate: probability with which a person takes part, as it is drawn.
        epsilon: the epsilon, in nats, at which all these deltas are stated.
        removed: delta of the release, for a person's row against no row.
        replaced: delta of the release, for a person's row against any other.
        reader: delta of a row against no row, for the reader, which also sees the number of people
            in each group of equal rows that stays encrypted.
        tried: delta of a row against no row, for reader and `randomness` together, which can read
            every row by trying all possible rows.
        estimates: the estimates for the rows that opened, the most frequent of them.
        rows: the number of rows that opened.
        adjacency: the neighbours of all deltas but `replaced`: one person's row is there or not.
    """

    rate: float
    epsilon: float
    removed: float
    replaced: float
    reader: float
    tried: float
    estimates: tuple[RowEstimate, ...]
    rows: int
    adjacency: str = "add or remove one"

    @property
    def stated(self) -> tuple[StatedEpsilon, ...]:
        """The epsilon of random participation, once with each of its deltas."""
        deltas = (
            ("release", self.removed, self.adjacency),
            ("release", self.replaced, REPLACED),
            ("reader", self.reader, self.adjacency),
            ("reader and randomness", self.tried, self.adjacency),
        )
        return tuple(
            StatedEpsilon(view, self.epsilon, self.epsilon, delta, adjacency)
            for view, delta, adjacency in deltas
        )


def sampled_by(policy: "Policy", release: "Counts") -> Sampled | None:
    """Return the estimates and privacy losses of a release; None if all people take part.

    Estimates and losses follow from policy and release alone. Only the `MAX_ROWS` most frequent
    rows get an estimate.
    """
    if policy.sample is None:
        return None
    people = sum(release.values())
    rate = rate_parts(policy.sample) / PARTS
    opened = sorted(
        ((participants, cell) for cell, participants in release.items() if BLANK not in cell),
        key=lambda pair: (-pair[0], pair[1]),
    )
    return Sampled(
        rate,
        *losses(policy, people),
        tuple(
            _estimate(cell, participants, rate, policy.k, people)
            for participants, cell in opened[:MAX_ROWS]
        ),
        len(opened),
    )


def estimated_cells(release: "Counts", rate: float) -> dict[tuple[str, ...], int]:
    """Scale a release of random participants to all people: counts divided by the rate, rounded.

    The rate is the probability of taking part. Rows that stay encrypted become one blank cell with
    the rest of the people.
    """
    people = sum(release.values())
    scaled = {
        cell: round(participants / rate)
        for cell, participants in release.items()
        if BLANK not in cell
    }
    columns = len(next(iter(release), ()))
    blank_people = people - sum(scaled.values())
    return {**scaled, (BLANK,) * columns: blank_people} if blank_people > 0 else scaled


def losses(policy: "Policy", people: int) -> tuple[float, float, float, float, float]:
    """Return epsilon in nats, and its deltas for four comparisons of a person's row.

    The deltas: row against no row, for the release; row against another row, for the release; row
    against no row, for the reader; row against no row, for reader and the party `randomness`
    together, which can read every row. people: the number of senders.
    """
    rate, epsilon = policy.sample or 0.0, policy.epsilon or EPSILON
    about = rate, epsilon, people
    return (
        epsilon,
        float(removed_delta(policy.k, *about)),
        float(replaced_delta(policy.k, *about)),
        float(removed_delta(min(policy.k, 2), *about)),
        float(removed_delta(1, *about)),
    )


def _estimate(
    cell: tuple[str, ...], participants: int, rate: float, k: int, people: int
) -> RowEstimate:
    """Return the estimated number of people with a row, from the participants that have it.

    cell: the row's values. rate: the probability of taking part. k: the participants that open a
    row. people: all people.
    """
    error = (participants * (1 - rate)) ** 0.5 / rate
    low, high = counted_limits(participants, rate, k, ALPHA, people)
    return RowEstimate(cell, participants, participants / rate, error, low, high)
