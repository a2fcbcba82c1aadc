"""The delta of a threshold release with random participation.

In a threshold release, a row is opened if at least k people send it. Each person takes part with a
fixed probability.
"""

from typing import Self

from ...deprecated import keeps_old


@keeps_old(of="from_value")
class SampledDelta(float):
    """A delta of a threshold release with random participation, rounded up, with its parameters.

    A row is opened if at least k people send it.

    Attributes:
        change: the difference of neighbouring cases: "removed", a person's row against no row, or
            "replaced", against any other row.
        k: least number of messages with an equal row that reveals the row, or their number, to the
            attacker.
        rate: probability that a person's message holds the row.
        epsilon: in nats.
        people: people that send a message.
        crowd: people with an equal row in the worst case, the doubted person included; 0: delta is
            0.
    """

    __slots__ = ("change", "crowd", "epsilon", "k", "people", "rate")
    change: str
    k: int
    rate: float
    epsilon: float
    people: int
    crowd: int

    @classmethod
    def from_value(
        cls,
        value: float,
        *,
        change: str,
        k: int,
        rate: float,
        epsilon: float,
        people: int,
        crowd: int,
    ) -> Self:
        """Return the delta `value` with its parameters, the attributes of the class."""
        delta = cls(value)
        delta.change, delta.k, delta.rate, delta.epsilon = change, k, rate, epsilon
        delta.people, delta.crowd = people, crowd
        return delta

    def __str__(self) -> str:
        """Return the delta with its parameters in words, for printing."""
        return (
            f"delta <= {float(self):.6g} at epsilon = {self.epsilon:g}, one row {self.change}: "
            f"{self.k} of {self.people:,} people open, each taking part with p = {self.rate:g}; "
            f"worst where {self.crowd:,} have the row"
        )
