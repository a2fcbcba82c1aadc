"""The delta of rows that are opened if k people share them, each taking part at random."""

from typing import Self

from ...deprecated import keeps_old


@keeps_old(of="from_value")
class SampledDelta(float):
    """A delta of a threshold release with random participation, rounded up, with its parameters.

    Attributes:
        change: the neighbouring case: "removed", a row against no row, or "replaced", against any
            other row.
        k: people that open a group to the reader in question.
        rate: probability with which a message holds its row.
        epsilon: in nats.
        people: people that send.
        crowd: people with one row in the worst case, the person among them; 0: delta is 0.
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
        """Return the delta `value` with its parameters."""
        delta = cls(value)
        delta.change, delta.k, delta.rate, delta.epsilon = change, k, rate, epsilon
        delta.people, delta.crowd = people, crowd
        return delta

    def __str__(self) -> str:
        """Return the delta with its parameters in words, for reports."""
        return (
            f"delta <= {float(self):.6g} at epsilon = {self.epsilon:g}, one row {self.change}: "
            f"{self.k} of {self.people:,} people open, each taking part with p = {self.rate:g}; "
            f"worst where {self.crowd:,} have the row"
        )
