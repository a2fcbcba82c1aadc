"""The people of a scenario, as its program asks them: with columns, or with sets."""

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
    """The people of a scenario, with columns."""

    def facts(self, scenario: Scenario, base: Path) -> tuple[ScenarioFacts, list[Problem]]:
        """Return the people, and the problems of requests to the data source."""
        return of_people.people(scenario, base)

    def samples(self, scenario: Scenario, seed: int | None) -> "Samples":
        """Draw the people. Raises DataError for data that do not fit."""
        return drawing.samples(scenario, seed)

    def features(self, scenario: Scenario, names: tuple[str, ...]) -> tuple[FeatureSection, ...]:
        """Return the [[feature]] tables of a scenario, as a run folder keeps them.

        names: of all columns of the source.
        """
        return scenario.feature or tuple(FeatureSection(name=name) for name in names)

    def recorded_features(self, scenario: Scenario, sizes: Sequence[int]) -> tuple[str, ...]:  # noqa: ARG002
        """Return the features of a recorded run. sizes: the number of values of each."""
        return tuple(feature.name for feature in scenario.feature)

    def sizes(self, people: "Population") -> tuple[int, ...]:
        """Return the number of values of each column."""
        return tuple(len(texts) for texts in people.values)


class SetPopulation(PeopleSource):
    """The owners of sets: each set is a vector of positions, in pieces."""

    def facts(self, scenario: Scenario, base: Path) -> tuple[ScenarioFacts, list[Problem]]:
        """Return the owners with the pieces of their vectors, and the problems."""
        return set_facts.people(scenario, base)

    def samples(self, scenario: Scenario, seed: int | None) -> "Samples":
        """Return all owners at once."""
        from ..populations.samples import Samples
        from ..populations.sets import owners

        people = owners(scenario, seed)
        return Samples(people, people.n, people.n)

    def features(
        self,
        scenario: Scenario,  # noqa: ARG002
        names: tuple[str, ...],  # noqa: ARG002
    ) -> tuple[FeatureSection, ...]:
        """Return (): pieces of vectors are not features."""
        return ()

    def recorded_features(self, scenario: Scenario, sizes: Sequence[int]) -> tuple[str, ...]:  # noqa: ARG002
        """Return the names of the pieces."""
        from ..populations.sets import piece_names

        return piece_names(len(sizes))

    def sizes(self, people: "Population") -> tuple[int, ...]:
        """Return 2 for every position: each is a column with two values."""
        from ..populations.sets import positions_of

        return (2,) * positions_of(people)


COLUMNS = PeopleSource()  # of programs without a source of their own
