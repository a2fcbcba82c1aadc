"""Three local randomizers with reports that average to the number t, which is scaled to [-1, 1].

Duchi       a report is -B or +B, two levels, B = (e^eps + 1)/(e^eps - 1);
            P(+B | t) = 1/2 + t / (2 B); variance of one report B^2 - t^2
            (J. C. Duchi, M. I. Jordan, M. J. Wainwright, JASA 2018)
Piecewise   a report is a number in [-C, C], C = (e^(eps/2) + 1)/(e^(eps/2) - 1). Its density is p
            in the window [l, l + C - 1] around t, and p e^-eps elsewhere, with
            l = (C + 1)/2 t - (C - 1)/2 and p = (e^eps - e^(eps/2)) / (2 e^(eps/2) + 2);
            variance t^2 / (e^(eps/2) - 1) + (e^(eps/2) + 3) / (3 (e^(eps/2) - 1)^2)
Hybrid      Piecewise with probability 1 - e^(-eps/2), else Duchi; always Duchi at eps <= 0.61
            (N. Wang and others, ICDE 2019). Its variance for the worst number is the least of the
            three; for uniform numbers that of Piecewise may be less

eps is the local epsilon in nats.
"""

from math import exp, expm1

import numpy as np

from ..validation import Floats
from .neighbour_laws import PairLaw
from .numeric import CELLS, Numeric, rounded_mass

# Largest epsilon in nats at which the hybrid is Duchi alone: a root of a quartic, Wang and others
# (2019), (8).
HYBRID_FROM = 0.6095


class Duchi(Numeric):
    """Duchi's randomizer of numbers: a report is +B or -B, and its mean is the person's number.

    B = (e^eps + 1)/(e^eps - 1) is above 1, because numbers are scaled to [-1, 1] first.
    """

    @property
    def outputs(self) -> int:
        """The number of possible reports: two, -B and +B."""
        return 2

    @property
    def levels(self) -> Floats:
        """The values of the reports: -B and B, with B = (e^eps + 1)/(e^eps - 1).

        The numbers are scaled to [-1, 1].
        """
        B = 1 / np.tanh(self.epsilon / 2)
        return np.array([-B, B])

    def _columns(self) -> Floats:
        """Return the matrix Q: column x is the distribution of the report of input x."""
        plus = 0.5 + self.scaled * np.tanh(self.epsilon / 2) / 2
        return np.stack([1 - plus, plus])

    @property
    def classes(self) -> PairLaw:
        """The report distributions of the two ends of the range, with a uniform privacy blanket.

        A blanket is a distribution that other people's reports have with some probability for any
        value.
        """
        lie = 1 / (1 + exp(self.epsilon))
        u, v = np.array([lie, 1 - lie]), np.array([1 - lie, lie])
        return PairLaw.over(np.full(2, 0.5), u, v, 2 * lie)

    @property
    def one_bit(self) -> float:
        """The probability of the wrong level, -B or +B, for a number at an end of the range.

        The report distributions of all other numbers are mixtures of the distributions of the two
        ends.
        """
        return 1 / (1 + exp(self.epsilon))


class Piecewise(Numeric):
    """The piecewise randomizer of numbers: reports near the number are more probable."""

    @property
    def outputs(self) -> int:
        """The number of possible reports: the 513 levels to which a number is rounded."""
        return CELLS + 1

    @property
    def reach(self) -> float:
        """The largest report C = (e^(eps/2) + 1)/(e^(eps/2) - 1), for numbers scaled to [-1, 1]."""
        return float(1 / np.tanh(self.epsilon / 4))

    @property
    def density(self) -> float:
        """The probability density p = (e^eps - e^(eps/2)) / (2 e^(eps/2) + 2) near the number.

        Near means in the window of more probable reports; elsewhere the density is p e^-eps.
        """
        half = exp(self.epsilon / 2)
        return half * (half - 1) / (2 * half + 2)

    @property
    def levels(self) -> Floats:
        """The values of the reports, for numbers scaled to [-1, 1]: -C to C in equal steps.

        C is `reach`; shape (513,).
        """
        return np.asarray(np.linspace(-self.reach, self.reach, CELLS + 1))

    def _columns(self) -> Floats:
        """Return the matrix Q: column x is the distribution of the report of input x."""
        C, low = self.reach, self.density * exp(-self.epsilon)
        left_end = (C + 1) / 2 * self.scaled - (C - 1) / 2
        window = rounded_mass(self.levels, left_end + C - 1) - rounded_mass(self.levels, left_end)
        whole_range = rounded_mass(self.levels, np.full(self.a, C))
        return low * whole_range + (self.density - low) * window

    @property
    def classes(self) -> PairLaw:
        """The report distributions of the two ends of the range, with a uniform privacy blanket.

        The blanket is a distribution that other people's reports have with some probability for any
        value. Around each end is a window of more probable reports. Outcomes: the report is in the
        window of the first end, of the second end, or in neither.
        """
        C, low = self.reach, self.density * exp(-self.epsilon)
        shares = np.array([C - 1, C - 1, 2.0])
        u, v = shares * [self.density, low, low], shares * [low, self.density, low]
        return PairLaw.over(shares / (2 * C), u, v, 2 * C * low)


class Hybrid(Numeric):
    """The hybrid randomizer of numbers: each person draws Piecewise or Duchi.

    The report shows the drawn randomizer.
    """

    @property
    def share(self) -> float:
        """The probability with which a person uses Piecewise."""
        return -expm1(-self.epsilon / 2) if self.epsilon > HYBRID_FROM else 0.0

    @property
    def parts(self) -> tuple[tuple[float, Numeric], ...]:
        """The randomizers with a positive probability, as pairs (probability, randomizer)."""
        components = (
            (self.share, Piecewise(self.points, self.epsilon)),
            (1 - self.share, Duchi(self.points, self.epsilon)),
        )
        return tuple(component for component in components if component[0] > 0)

    @property
    def outputs(self) -> int:
        """The number of possible reports: of Piecewise, then of Duchi."""
        return sum(part.outputs for _, part in self.parts)

    @property
    def levels(self) -> Floats:
        """The values of the reports of Piecewise, then of Duchi, for numbers scaled to [-1, 1]."""
        return np.concatenate([part.levels for _, part in self.parts])

    def _columns(self) -> Floats:
        """Return the matrix Q: column x is the distribution of the report of input x."""
        return np.concatenate([share * part.law for share, part in self.parts])

    @property
    def classes(self) -> PairLaw:
        """The report distributions of the two ends of the range, with a privacy blanket.

        The blanket is a distribution that other people's reports have with some probability for any
        value. A report shows the drawn randomizer. So the outcomes are the outcomes of Piecewise
        and then of Duchi, each weighted with the probability of the draw.
        """
        parts = [(share, part.classes) for share, part in self.parts]
        weight = sum(share * component.weight for share, component in parts)
        law = np.concatenate(
            [share * component.weight / weight * component.law for share, component in parts]
        )
        own_law, other_law = (
            np.concatenate(
                [weight / component.weight * getattr(component, law_name) for _, component in parts]
            )
            for law_name in ("u_ratios", "v_ratios")
        )
        return PairLaw(weight, law, own_law, other_law)

    @property
    def one_bit(self) -> float | None:
        """The probability that Duchi's report is the wrong one of its two levels; else None.

        The wrong level is that of the far end of the range, for a number at an end. None if
        Piecewise may be drawn.
        """
        return None if self.share else 1 / (1 + exp(self.epsilon))
