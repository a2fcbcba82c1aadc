"""The people asked in each round.

In the fixed setting both rounds ask all people. In the statistical setting (paper 000, section 7)
the two rounds ask different people, drawn at random from one population. So the curator must infer
from the counts of round 1 the exposure of people that it has not counted.

The samples keep their population and its source, so that no later step reads a file.
"""

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
from msgspec.structs import replace as changed

from ...errors import DataError
from ..populations import Population, population
from ..schema.model import PopulationSection, Scenario

EVERY_ROUND: Collection[int] = range(1, 256)
# extends the seed, so that this draw differs from other draws with the same seed
STREAM = 0x73616D70


@dataclass(frozen=True, slots=True)
class Samples:
    """The people of a scenario, in the order of the rounds that ask them.

    Attributes:
        people: all people, the people of round 1 first.
        first: number of people asked in round 1.
        second: number of people asked in round 2. In the fixed setting they are the same people as
            in round 1; in the statistical setting they are the people after the first `first`.
    """

    people: Population
    first: int
    second: int

    @property
    def fixed(self) -> bool:
        """Whether the same people answer in both rounds."""
        return self.first == self.people.n

    @property
    def round2_people(self) -> int | None:
        """The number of people in round 2 if round 2 asks other people; else None."""
        return None if self.fixed else self.second

    def rounds(self, index: int) -> Collection[int]:
        """Return the rounds in which the person with this index is asked.

        In the fixed setting every person is asked in all rounds. In the statistical setting the
        people with an index below `first` are asked in round 1 only, other people in round 2 only.
        """
        return EVERY_ROUND if self.fixed else (1,) if index < self.first else (2,)


def round_sizes(section: PopulationSection, available: int | None) -> tuple[int, int]:
    """Return the number of people of each round, if the rounds ask different people.

    section: the scenario's table [population]. available: the number of people in the source; None:
    any number can be generated. If the scenario gives no numbers, the table is split in halves.
    """
    if section.users is not None:
        return section.users, section.round2_users or section.users
    if available is None:
        raise DataError(f"{section.source}: people are generated; say in users how many")
    second = section.round2_users or available // 2
    return available - second, second


def samples(scenario: Scenario, seed: int | None) -> Samples:
    """Return the people of a scenario, drawn by a seed.

    seed: None uses system randomness. Raises DataError for data that do not fit the scenario.
    """
    section = scenario.population
    if section.setting == "fixed":
        people = population(section, scenario.feature, seed)
        return Samples(people, people.n, people.n)
    if section.builtin and _is_generated(section):
        first, second = round_sizes(section, None)
        all_people = population(changed(section, users=first + second), scenario.feature, seed)
    else:
        all_people = population(changed(section, users=None), scenario.feature, seed)
        first, second = round_sizes(section, all_people.n)
    if first < 1 or first + second > all_people.n:
        raise DataError(
            f"{section.source}: {first:,} people for round 1 and {second:,} others for round 2 "
            f"asked for; it has {all_people.n:,} to draw from"
        )
    rng = np.random.default_rng() if seed is None else np.random.default_rng([seed, STREAM])
    places = rng.permutation(all_people.n)[: first + second]
    return Samples(all_people.select_people(places), first, second)


def _is_generated(section: PopulationSection) -> bool:
    """Whether the source generates people, in any number."""
    from .build import offer

    return offer(section).generated
