"""What a release of people who take part at random says of all of them, and what it costs them.

Of s people seen with a row that opened, s / p have it in the mean. The limits are of all numbers c
under which neither so many nor so few would be unlikely, GIVEN that the row opened (at least k of c
took part); without that condition rows near k would be taken for larger than they are.
"""

from typing import TYPE_CHECKING

from ....analysis.estimation.sampled_counts import counted_limits
from ....analysis.shuffled import removed_delta, replaced_delta
from ....analysis.shuffled.sampled_rows import PARTS, rate_parts
from ....protocol.hiding import BLANK
from ...serialization.record import Record
from ..findings import StatedEpsilon
from .check import EPSILON

if TYPE_CHECKING:
    from ....protocol.messages import Counts
    from ...schema.model import Policy

SHOWN = 20  # rows with estimates, the largest
REPLACED = "replace one"  # adjacency of `replaced`: a person's row is another one
ALPHA = 0.05  # probability with which the limits of one row may fail


class Estimate(Record, frozen=True):
    """How many people have a row that opened.

    Attributes:
        values: of the row.
        seen: people who took part with it.
        people: seen / rate.
        error: standard error of that, of a row that is certain to open.
        low: 95 % limits, given that it opened.
        high: the upper one.
    """

    values: tuple[str, ...]
    seen: int
    people: float
    error: float
    low: int
    high: int


class Sampled(Record, frozen=True):
    """People who take part at random: what a release of them says, and what it tells of one.

    Attributes:
        rate: probability with which a person takes part, as it is drawn.
        epsilon: nats, of all deltas here.
        removed: delta for everybody, of a person's row against none of it.
        replaced: delta for everybody, of a person's row against any other.
        reader: delta of a row against none, for the reader, who sees the sizes of closed groups.
        tried: the same for reader and `randomness` together, who open all.
        estimates: of the rows that opened, the largest of them.
        rows: that opened.
        adjacency: how neighbouring collections differ, but for `replaced`: one person's row is
            there or not.
    """

    rate: float
    epsilon: float
    removed: float
    replaced: float
    reader: float
    tried: float
    estimates: tuple[Estimate, ...]
    rows: int
    adjacency: str = "add or remove one"

    @property
    def stated(self) -> tuple[StatedEpsilon, ...]:
        """Epsilon with each of the deltas."""
        deltas = (
            ("release", self.removed, self.adjacency),
            ("release", self.replaced, REPLACED),
            ("reader", self.reader, self.adjacency),
            ("reader and randomness", self.tried, self.adjacency),
        )
        return tuple(
            StatedEpsilon(of, self.epsilon, self.epsilon, delta, adjacency)
            for of, delta, adjacency in deltas
        )


def sampled_by(policy: "Policy", release: "Counts") -> Sampled | None:
    """What everybody can work out from policy and release; None where all take part."""
    if policy.sample is None:
        return None
    people = sum(release.values())
    rate = rate_parts(policy.sample) / PARTS
    opened = sorted(
        ((seen, cell) for cell, seen in release.items() if BLANK not in cell),
        key=lambda pair: (-pair[0], pair[1]),
    )
    return Sampled(
        rate,
        *losses(policy, people),
        tuple(_estimate(cell, seen, rate, policy.k, people) for seen, cell in opened[:SHOWN]),
        len(opened),
    )


def estimated_cells(release: "Counts", rate: float) -> dict[tuple[str, ...], int]:
    """A release of those who took part as one of all people: what opened, scaled and rounded."""
    people = sum(release.values())
    scaled = {cell: round(seen / rate) for cell, seen in release.items() if BLANK not in cell}
    columns = len(next(iter(release), ()))
    left = people - sum(scaled.values())
    return {**scaled, (BLANK,) * columns: left} if left > 0 else scaled


def losses(policy: "Policy", people: int) -> tuple[float, float, float, float, float]:
    """Epsilon, and the deltas: release, the same of replaced rows, reader, reader and the other."""
    rate, epsilon = policy.sample or 0.0, policy.epsilon or EPSILON
    about = rate, epsilon, people
    return (
        epsilon,
        float(removed_delta(policy.k, *about)),
        float(replaced_delta(policy.k, *about)),
        float(removed_delta(min(policy.k, 2), *about)),
        float(removed_delta(1, *about)),
    )


def _estimate(cell: tuple[str, ...], seen: int, rate: float, k: int, people: int) -> Estimate:
    error = (seen * (1 - rate)) ** 0.5 / rate
    low, high = counted_limits(seen, rate, k, ALPHA, people)
    return Estimate(cell, seen, seen / rate, error, low, high)
