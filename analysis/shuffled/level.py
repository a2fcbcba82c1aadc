"""A privacy level with its definition: a float that states which kind of epsilon or delta it is.

Three different numbers are called epsilon. The local epsilon holds before shuffling. The
hockey-stick epsilon is that of (epsilon, delta)-differential privacy after shuffling. The
probabilistic epsilon holds except for unlikely outcomes (the definition of paper 001); it is larger
at the same delta. A `Level` can be computed with like any float; its parameters are attributes.
"""

from math import inf
from typing import Literal, Self

from ...deprecated import accepts_old, keeps_old

Kind = Literal["hockey-stick", "probabilistic"]

# Methods by which an epsilon or a delta is computed: over all pairs of neighbouring data sets, or
# by a search over them. The search relies on bounds in floating point, not on a formal proof.
TRIED = "exact over all neighbours"
SEARCHED = "searched over all neighbours, no proof in interval arithmetic"


def width_in_words(low: float, high: float) -> str:
    """Return a description of the width of a certified band, in figures and in words.

    The band is the interval between the certified lower and upper bounds, `low` and `high`.
    """
    if high == inf:
        return (
            "a band without upper end: some reports may exclude a value, so no epsilon is certain"
        )
    if low <= 0:
        return "a band from 0 on: no lower bound above 0 is proved"
    share = (high - low) / high
    if share < 0.01:
        return f"a narrow band, {100 * share:.2g} % wide"
    if share < 0.5:
        return f"a band {100 * share:.2g} % wide"
    return f"a wide band, a factor of {high / low:.3g}"


@keeps_old(of="from_value")
class Level(float):
    """An epsilon (nats) or a delta of shuffled bits, as a float with all its parameters.

    Attributes:
        quantity: "epsilon" or "delta": the number's meaning.
        kind: the definition: "hockey-stick" ((epsilon, delta)-DP) or "probabilistic" (outcomes with
            a log likelihood ratio above epsilon have probability delta).
        n: people.
        q: lie probability of a bit.
        bits: bits of each report.
        epsilon, delta: the pair; the number itself is one of the two.
        lower: certified lower bound; equal to the number if the number is exact.
        ones: number of the other n - 1 people with a 1 in the worst case (one bit; else None).
        rule: the method of computation, in words.
    """

    __slots__ = ("bits", "delta", "epsilon", "kind", "lower", "n", "ones", "q", "quantity", "rule")
    quantity: Literal["epsilon", "delta"]
    kind: Kind
    n: int
    q: float
    bits: int
    epsilon: float
    delta: float
    lower: float
    ones: int | None
    rule: str

    @classmethod
    @accepts_old(other="partner")
    def from_value(
        cls,
        quantity: Literal["epsilon", "delta"],
        kind: Kind,
        value: float,
        partner: float,
        *,
        n: int,
        q: float,
        bits: int = 1,
        lower: float | None = None,
        ones: int | None = None,
        rule: str = TRIED,
    ) -> Self:
        """Return the level `value`, an epsilon or a delta, with its parameters.

        Args:
            quantity: "epsilon" or "delta": the meaning of `value`.
            kind: the definition, "hockey-stick" or "probabilistic".
            value: the number.
            partner: the delta of an epsilon, or the epsilon of a delta.
            n: people.
            q: lie probability of a bit.
            bits: bits of each report.
            lower: certified lower bound; None: `value` is exact.
            ones: number of other people with a 1 in the worst case.
            rule: the method of computation, in words.
        """
        level = cls(value)
        pair = (value, partner) if quantity == "epsilon" else (partner, value)
        level.quantity, level.kind, (level.epsilon, level.delta) = quantity, kind, pair
        level.n, level.q, level.bits, level.ones, level.rule = n, q, bits, ones, rule
        level.lower = value if lower is None else lower
        return level

    @property
    def exact(self) -> bool:
        """Whether the number is the smallest valid epsilon or delta, not only an upper bound."""
        return self.lower == float(self)

    def __str__(self) -> str:
        """Return the number with its definition, bounds, parameters and method, as text."""
        sign = "=" if self.exact else "<="
        start = f"{self.kind} {self.quantity} {sign} {float(self):.6g}"
        name, value = (
            ("delta", self.delta) if self.quantity == "epsilon" else ("epsilon", self.epsilon)
        )
        condition = f"{name} = {value:g}"
        band = width_in_words(self.lower, float(self))
        bounds_text = f" (certainly >= {self.lower:.6g}: {band})" if not self.exact else ""
        people = f"n = {self.n}, q = {self.q:g}, {self.bits}-bit reports"
        return f"{start}{bounds_text} at {condition}, {people} ({self.rule})"
