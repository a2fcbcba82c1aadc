"""The people that a release program asks: people with columns, or owners of sets."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ..populations import facts as of_people
from ..populations import samples as drawing
from ..populations import set_facts
from ..populations.facts import ScenarioFacts
from ..schema.model import FeatureSection, Scenario
from ..schema.problems import Problem
from .capability import Capability

if TYPE_CHECKING:
    from ..populations import Population
    from ..populations.samples import Samples


class PeopleSource(Capability):
    """The part of a release program that draws a scenario's people: here, with columns."""

    def facts(self, scenario: Scenario, base: Path) -> tuple[ScenarioFacts, list[Problem]]:
        """Return the facts known before a draw (features, sizes, number of people), and problems.

        base: the folder of the scenario file. The problems are about requests to the data source.
        """
        return of_people.people(scenario, base)

    def samples(self, scenario: Scenario, seed: int | None) -> "Samples":
        """Draw the people of each round. Raises DataError for data that do not fit the scenario."""
        return drawing.samples(scenario, seed)

    def features(self, scenario: Scenario, names: tuple[str, ...]) -> tuple[FeatureSection, ...]:
        """Return the [[feature]] tables of a scenario, as a run folder keeps them.

        names: the names of all columns of the source.
        """
        return scenario.feature or tuple(FeatureSection(name=name) for name in names)

    def recorded_features(self, scenario: Scenario, sizes: Sequence[int]) -> tuple[str, ...]:  # noqa: ARG002
        """Return the names of the features in a recorded run.

        sizes: the number of values of each column.
        """
        return tuple(feature.name for feature in scenario.feature)

    def sizes(self, people: "Population") -> tuple[int, ...]:
        """Return the number of values of each column."""
        return tuple(len(texts) for texts in people.values)


class SetPopulation(PeopleSource):
    """The part of a release program that asks owners of sets.

    A set is a vector with a bit for each element; its owner sends the vector in pieces.
    """

    def facts(self, scenario: Scenario, base: Path) -> tuple[ScenarioFacts, list[Problem]]:
        """Return the facts known about the owners of sets before a draw, and problems.

        The facts are the number of owners and the names of the reported pieces of their bit
        vectors.
        """
        return set_facts.people(scenario, base)

    def samples(self, scenario: Scenario, seed: int | None) -> "Samples":
        """Return all owners of sets; they are asked in a single round.

        The owners come from a file, or are generated with the seed. Raises DataError for data that
        do not fit.
        """
        from ..populations.samples import Samples
        from ..populations.sets import owners

        people = owners(scenario, seed)
        return Samples(people, people.n, people.n)

    def features(
        self,
        scenario: Scenario,  # noqa: ARG002
        names: tuple[str, ...],  # noqa: ARG002
    ) -> tuple[FeatureSection, ...]:
        """Return (): owners report pieces of bit vectors, for which there is no [[feature]]."""
        return ()

    def recorded_features(self, scenario: Scenario, sizes: Sequence[int]) -> tuple[str, ...]:  # noqa: ARG002
        """Return the names of the reported features: pieces of the owners' bit vectors.

        sizes: one entry for each element that sets may have.
        """
        from ..populations.sets import piece_names

        return piece_names(len(sizes))

    def sizes(self, people: "Population") -> tuple[int, ...]:
        """Return 2 for every element of the owners' sets: in the set, or not."""
        from ..populations.sets import positions_of

        return (2,) * positions_of(people)


COLUMNS = PeopleSource()  # the source of people for release programs that define no other source
