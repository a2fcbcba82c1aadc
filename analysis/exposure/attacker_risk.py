"""The probability that an attacker names the right person: prosecutor, journalist, marketer risk.

A person's crowd f is the number of indistinguishable rows of the table. A uniform guess among them
is right with probability 1 / f:

    prosecutor   knows that its target is in the table          largest 1 / min f, mean of 1 / f
    journalist   knows only that its target is in the           largest 1 / min F, mean of 1 / F
                 population the table was drawn from
    marketer     links the whole table to the population and    mean of 1 / F
                 wants many right, of any people

F is the crowd in the population. With that table it is counted (`risk_within`); usually it is not
available, and F is estimated from sampling weights (sampled_population.py), or as F = factor * f
(`risk`), as if every cell had been drawn at the same rate: with factor 1 the table is the
population, and the three attackers agree. A rare person may be unique in both; then the estimate of
1 / F is too small a number, and the prosecutor's risk, which needs no estimate, is the safe one to
quote.

If cells are a partition, the mean of 1 / f is (number of cells) / n. The names and measures are
those of K. El Emam, Guide to the De-Identification of Personal Health Information (2013), and of F.
Dankar and K. El Emam, A method for evaluating marketer re-identification risk (EDBT workshops,
2010). At risk above 1 / k, strictly, are the people with a crowd smaller than k: for the prosecutor
that is the exposure of paper 000, Definition 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import isfinite

from ...errors import ParameterError
from ..validation import whole
from .equivalence_classes import Crowds


@dataclass(frozen=True, slots=True)
class Attacker:
    """The chance of one kind of attacker to name the right person, over the people of a table.

    Attributes:
        largest: the largest chance over all people, 0 to 1.
        mean: the mean chance over people, 0 to 1.
        above: share of people with a chance above 1 / k, 0 to 1.
    """

    largest: float
    mean: float
    above: float

    def __post_init__(self) -> None:
        """Raise ParameterError unless 0 <= mean <= largest <= 1 and `above` is a share."""
        if not 0 <= self.mean <= self.largest <= 1 or not 0 <= self.above <= 1:
            raise ParameterError(
                f"risk: found mean {self.mean}, largest {self.largest}, share {self.above}; "
                "0 <= mean <= largest <= 1 and a share in [0, 1] are accepted"
            )


@dataclass(frozen=True, slots=True)
class PopulationEstimate:
    """An estimated population, with the chance of the marketer in it and its interval.

    The marketer links every row of the table to a person of the population.

    Attributes:
        people: people of the population: the sum of the weights.
        low, high: 95 % interval of the share of people who are linked correctly, 0 to 1.
        draws: draws of all crowds of the population, by the model.
        seed: of the draws.
    """

    people: float
    low: float
    high: float
    draws: int
    seed: int


@dataclass(frozen=True, slots=True)
class Risk:
    """The re-identification risk of a table: prosecutor, journalist and marketer.

    Attributes:
        k: people in the smallest safe crowd; a chance above 1 / k counts as a risk.
        factor: people of the population for each person of the table, in the crowd of a typical
            person.
        prosecutor: the attacker that knows that the target is in the table.
        journalist: the attacker that knows the population.
        estimate: of the population by sampling weights; None: by the factor, or counted.
    """

    k: int
    factor: float
    prosecutor: Attacker
    journalist: Attacker
    estimate: PopulationEstimate | None = None

    @property
    def marketer(self) -> float:
        """The expected share of people linked correctly when every row is linked at random."""
        return self.journalist.mean

    def __str__(self) -> str:
        """Return the risks of the three attackers in a sentence."""
        return (
            f"prosecutor at most {self.prosecutor.largest:.4g}, journalist at most "
            f"{self.journalist.largest:.4g}, marketer {self.marketer:.4g} of all people"
        )


def risk(crowds: Crowds, k: int, factor: float = 1.0) -> Risk:
    """Return the re-identification risk of people with these crowds in the table.

    Args:
        crowds: numbers of people by size of crowd in the table.
        k: an integer of at least 1; people at risk above 1 / k are counted.
        factor: people in the population for each person in the table, finite and at least 1; it is
            read as the decimal number in its spelling.
    """
    if whole(k, "k") < 1:
        raise ParameterError(f"k: found {k}; an integer of at least 1 is accepted")
    if not isfinite(factor) or factor < 1:
        raise ParameterError(f"factor: found {factor}; a number of at least 1 is accepted")
    exact = Fraction(str(factor))
    return Risk(k, float(factor), _attacker(crowds, k, Fraction(1)), _attacker(crowds, k, exact))


def risk_within(crowds: Crowds, among: Crowds, k: int) -> Risk:
    """Return the risk of people with known, not estimated, crowds in the population.

    Args:
        crowds: of the people of the table, in the table.
        among: of the same people, in the population that the table was drawn from: each person's
            crowd
            is at least as large as in the table.
        k: an integer of at least 1.
    """
    if whole(k, "k") < 1:
        raise ParameterError(f"k: found {k}; an integer of at least 1 is accepted")
    if among.n != crowds.n or any(
        among.users_below(size + 1) > crowds.users_below(size + 1) for size in among.sizes
    ):
        raise ParameterError(
            f"among: found {among.n:,} people for {crowds.n:,}, or smaller crowds; the same people "
            "with crowds at least as large are accepted"
        )
    certain = Fraction(1)
    mean = sum(people * size for size, people in zip(among.sizes, among.people, strict=True))
    inside = sum(people * size for size, people in zip(crowds.sizes, crowds.people, strict=True))
    return Risk(k, mean / inside, _attacker(crowds, k, certain), _attacker(among, k, certain))


def _attacker(crowds: Crowds, k: int, factor: Fraction) -> Attacker:
    """Return an attacker's chances if each crowd is `factor` times as large for it.

    The factor is 1 in the table, and more in a population.
    """
    pairs = list(zip(crowds.sizes, crowds.people, strict=True))
    largest = 1 / (factor * crowds.smallest)
    mean = sum(people / size for size, people in pairs) / crowds.n / float(factor)
    above = sum(people for size, people in pairs if factor * size < k) / crowds.n
    return Attacker(float(largest), min(mean, float(largest)), above)
