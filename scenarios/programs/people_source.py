"""The people of a scenario, as its program asks them: people with columns, or owners of sets."""

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
    """The part of a program that draws the people of a scenario; by default they have columns."""

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
        """Return the features of a recorded run. sizes: the number of values of each."""
        return tuple(feature.name for feature in scenario.feature)

    def sizes(self, people: "Population") -> tuple[int, ...]:
        """Return the number of values of each column."""
        return tuple(len(texts) for texts in people.values)


class SetPopulation(PeopleSource):
    """The part of a program that asks owners of sets.

    A set is a vector of bits (positions), sent in pieces.
    """

    def facts(self, scenario: Scenario, base: Path) -> tuple[ScenarioFacts, list[Problem]]:
        """Return the facts known of the owners, with the pieces of their vectors, and problems."""
        return set_facts.people(scenario, base)

    def samples(self, scenario: Scenario, seed: int | None) -> "Samples":
        """Return all owners: they are read, or generated, at once, and asked in a single round."""
        from ..populations.samples import Samples
        from ..populations.sets import owners

        people = owners(scenario, seed)
        return Samples(people, people.n, people.n)

    def features(
        self,
        scenario: Scenario,  # noqa: ARG002
        names: tuple[str, ...],  # noqa: ARG002
    ) -> tuple[FeatureSection, ...]:
        """Return (): pieces of vectors are not features of a scenario."""
        return ()

    def recorded_features(self, scenario: Scenario, sizes: Sequence[int]) -> tuple[str, ...]:  # noqa: ARG002
        """Return the names of the pieces of the vectors in a recorded run."""
        from ..populations.sets import piece_names

        return piece_names(len(sizes))

    def sizes(self, people: "Population") -> tuple[int, ...]:
        """Return 2 for every position: each is a column with two values."""
        from ..populations.sets import positions_of

        return (2,) * positions_of(people)


COLUMNS = PeopleSource()  # the source of people for programs that define no other source
