"""The probability that an attacker names the right person: prosecutor, journalist, marketer risk.

A person's crowd f is the number of indistinguishable rows of the table, F the number of such people
in the population. A uniform guess among f people is right with probability 1 / f:

    prosecutor   knows that its target is in the table          largest 1 / min f, mean of 1 / f
    journalist   knows only that its target is in the           largest 1 / min F, mean of 1 / F
                 population the table was drawn from
    marketer     links the whole table to the population and    mean of 1 / F
                 wants many right, of any people

With a table of the population, F is counted (`risk_within`). Usually there is no such table. Then F
is estimated from sampling weights (sampled_population.py), or as F = factor * f (`risk`), as if
every cell had been drawn at the same rate. With factor 1 the table is the population, and the three
attackers agree. A person may be unique in the table and in the population; then the estimate of 1 /
F is too small. The prosecutor's risk needs no estimate, so it is the safe number to quote.

If each person is in one cell, the mean of 1 / f is (number of cells) / n, for n people. The people
with a risk strictly above 1 / k are those with a crowd smaller than k: for the prosecutor that is
the exposure of paper 000, Definition 1. Names and measures follow K. El Emam, Guide to the
De-Identification of Personal Health Information (2013), and F. Dankar and K. El Emam, A method for
evaluating marketer re-identification risk (EDBT workshops, 2010).
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
    """The probability that one kind of attacker names the right person, over the people of a table.

    Attributes:
        largest: the largest probability over all people, 0 to 1.
        mean: the mean probability over people, 0 to 1.
        above: share of people with a probability above 1 / k, k the smallest safe crowd; 0 to 1.
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
    """An estimated population, with an interval of the marketer's success in it.

    The marketer links every row of the table to a person of the population. The interval comes from
    random draws, by a model, of the number of people in the population for each cell.

    Attributes:
        people: people of the population: the sum of the sampling weights.
        low, high: 95 % interval of the share of people who are linked correctly, 0 to 1.
        draws: number of draws.
        seed: seed of the draws.
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
        k: people in the smallest safe crowd; a probability above 1 / k counts as a risk.
        factor: people of the population for each person of the table. With counted crowds: a
            person's mean crowd in the population divided by that in the table.
        prosecutor: the attacker that knows that the target is in the table.
        journalist: the attacker that knows only that the target is in the population.
        estimate: the population as estimated from sampling weights; None if crowds in the
            population were counted, or taken as `factor` times the crowds in the table.
    """

    k: int
    factor: float
    prosecutor: Attacker
    journalist: Attacker
    estimate: PopulationEstimate | None = None

    @property
    def marketer(self) -> float:
        """The expected share of people that the marketer links correctly, 0 to 1.

        The marketer links each row of the table to a random person with the same values in the
        population.
        """
        return self.journalist.mean

    def __str__(self) -> str:
        """Return the risks of the three attackers in a sentence."""
        return (
            f"prosecutor at most {self.prosecutor.largest:.4g}, journalist at most "
            f"{self.journalist.largest:.4g}, marketer {self.marketer:.4g} of all people"
        )


def risk(crowds: Crowds, k: int, factor: float = 1.0) -> Risk:
    """Return the re-identification risk of people with these crowds in the table.

    Crowds in the population are taken as `factor` times as large.

    Args:
        crowds: numbers of people by size of crowd in the table.
        k: people in the smallest safe crowd, an integer of at least 1; people with a risk above 1 /
            k are counted.
        factor: people in the population for each person in the table, finite and at least 1. The
            float is taken as the decimal number that Python prints.
    """
    if whole(k, "k") < 1:
        raise ParameterError(f"k: found {k}; an integer of at least 1 is accepted")
    if not isfinite(factor) or factor < 1:
        raise ParameterError(f"factor: found {factor}; a number of at least 1 is accepted")
    exact = Fraction(str(factor))
    return Risk(k, float(factor), _attacker(crowds, k, Fraction(1)), _attacker(crowds, k, exact))


def risk_within(crowds: Crowds, among: Crowds, k: int) -> Risk:
    """Return the re-identification risk of people whose crowds in the population are counted.

    Args:
        crowds: numbers of people of the table by size of crowd in the table.
        among: numbers of the same people by size of crowd in the population that the table was
            drawn from; each crowd is at least as large as in the table.
        k: people in the smallest safe crowd, an integer of at least 1.
    """
    if whole(k, "k") < 1:
        raise ParameterError(f"k: found {k}; an integer of at least 1 is accepted")
    if among.n != crowds.n or any(
        among.users_below(size + 1) > crowds.users_below(size + 1) for size in among.sizes
    ):
        raise ParameterError(
            f"among: found {among.n:,} people for the {crowds.n:,} people of the table, or smaller "
            "crowds than in the table; the same people, with crowds at least as large, are accepted"
        )
    certain = Fraction(1)
    mean = sum(people * size for size, people in zip(among.sizes, among.people, strict=True))
    inside = sum(people * size for size, people in zip(crowds.sizes, crowds.people, strict=True))
    return Risk(k, mean / inside, _attacker(crowds, k, certain), _attacker(among, k, certain))


def _attacker(crowds: Crowds, k: int, factor: Fraction) -> Attacker:
    """Return an attacker's probabilities if each crowd is `factor` times as large.

    Args:
        crowds: numbers of people by size of crowd.
        k: people in the smallest safe crowd.
        factor: 1 in the table, at least 1 in a population.
    """
    pairs = list(zip(crowds.sizes, crowds.people, strict=True))
    largest = 1 / (factor * crowds.smallest)
    mean = sum(people / size for size, people in pairs) / crowds.n / float(factor)
    above = sum(people for size, people in pairs if factor * size < k) / crowds.n
    return Attacker(float(largest), min(mean, float(largest)), above)
