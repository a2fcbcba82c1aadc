"""What the page is told of a stage: who stands on it, and what a new live run may change."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ..protocol import parties
from ..scenarios.programs.topology import CENTRAL, PEERS, topology_of
from ..scenarios.schema.model import Scenario

CHIPS = 12  # peers; with more, eyes are chosen by their number


@dataclass(frozen=True, slots=True)
class Slider:
    """A number of a live page.

    Attributes:
        key: of the scenario.
        now: what it is there.
        least, most: shown.
    """

    key: str
    now: Callable[[Scenario, int], int]
    least: int
    most: int


@dataclass(frozen=True, slots=True)
class Stage:
    """What one way to carry messages looks like.

    Attributes:
        parties: who can be looked through by name, in the order of the stage, of so many people.
        numbered: the parties that the number keys choose.
        decision: the heading above what was decided.
        picture: what the picture shows.
        sliders: by name.
    """

    parties: Callable[[Scenario, int], list[str]]
    numbered: str
    decision: str
    picture: str
    sliders: Mapping[str, Slider]


PEOPLE = Slider("population.users", lambda _scenario, people: people, 2, 300)
CROWD = Slider("policy.k", lambda scenario, _people: scenario.policy.k, 1, 20)


def _central(scenario: Scenario, _people: int) -> list[str]:
    shufflers = [parties.shuffler(hop + 1) for hop in range(scenario.mix.shufflers)]
    return [*shufflers, parties.CURATOR, parties.ANALYST, parties.NETWORK]


def _peers(_scenario: Scenario, people: int) -> list[str]:
    return [parties.peer(index) for index in range(people)] if people <= CHIPS else []


STAGES: Mapping[str, Stage] = {
    CENTRAL.name: Stage(
        _central,
        "shuffler",
        "The curator's decision",
        "People, shufflers, curator and analyst, as these eyes see them; the text beside it says "
        "the same",
        {
            "people": PEOPLE,
            "k": CROWD,
            "shufflers": Slider(
                "mix.shufflers", lambda scenario, _people: scenario.mix.shufflers, 1, 6
            ),
        },
    ),
    PEERS.name: Stage(
        _peers,
        "peer",
        "What everybody decides",
        "Peers around their board, as these eyes see them; the text beside it says the same",
        {
            "people": PEOPLE,
            "k": CROWD,
            "path": Slider("mix.path", lambda scenario, _people: scenario.mix.path, 1, 6),
        },
    ),
}  # by topology


def stage_of(scenario: Scenario) -> Stage:
    """How a scenario is shown."""
    return STAGES[topology_of(scenario).name]
