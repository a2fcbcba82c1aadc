"""The look of a run on the page: the parties in its picture, and the sliders of a new live run.

Picture and sliders depend on the topology: shufflers between people and release, or peers.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ..protocol.wire import parties
from ..scenarios.programs.topology import CENTRAL, PEERS, topology_of
from ..scenarios.schema.model import Scenario

# most peers that can be chosen by name; if there are more, viewers choose peers by number
CHIPS = 12


@dataclass(frozen=True, slots=True)
class Slider:
    """A number of the scenario that a viewer of a live run can change for the next run.

    Attributes:
        key: the dotted key of the number in a scenario file.
        now: returns the present value, from a scenario and the number of people.
        minimum, maximum: the ends of the slider.
    """

    key: str
    now: Callable[[Scenario, int], int]
    minimum: int
    maximum: int


@dataclass(frozen=True, slots=True)
class TopologyStage:
    """The look of a topology on the page: parties, texts and sliders.

    Attributes:
        parties: returns the parties that can be chosen by name, in the order of the picture.
        numbered: the kind of party that the number keys choose, such as shuffler.
        decision: the name of the sentence above the decision.
        picture: the name of the sentence that describes the picture.
        sliders: the sliders of a live run, by name.
    """

    parties: Callable[[Scenario, int], list[str]]
    numbered: str
    decision: str
    picture: str
    sliders: Mapping[str, Slider]


PEOPLE = Slider("population.users", lambda _scenario, people: people, 2, 300)
CROWD = Slider("policy.k", lambda scenario, _people: scenario.policy.k, 1, 20)


def _central(scenario: Scenario, _people: int) -> list[str]:
    """Return the parties of a session with shufflers, in the order of the picture."""
    shufflers = [parties.shuffler(hop + 1) for hop in range(scenario.mix.shufflers)]
    return [*shufflers, parties.CURATOR, parties.ANALYST, parties.NETWORK]


def _peers(_scenario: Scenario, people: int) -> list[str]:
    """Return the peers that can be chosen by name; no peers if there are too many.

    people: the number of peers.
    """
    return [parties.peer(index) for index in range(people)] if people <= CHIPS else []


STAGES: Mapping[str, TopologyStage] = {
    CENTRAL.name: TopologyStage(
        _central,
        "shuffler",
        "says-decision-central",
        "says-picture-central",
        {
            "people": PEOPLE,
            "k": CROWD,
            "shufflers": Slider(
                "mix.shufflers", lambda scenario, _people: scenario.mix.shufflers, 1, 6
            ),
        },
    ),
    PEERS.name: TopologyStage(
        _peers,
        "peer",
        "says-decision-peers",
        "says-picture-peers",
        {
            "people": PEOPLE,
            "k": CROWD,
            "path": Slider("mix.path", lambda scenario, _people: scenario.mix.path, 1, 6),
        },
    ),
}  # topology -> its look on the page


def stage_of(scenario: Scenario) -> TopologyStage:
    """Return the look of a scenario's topology on the page: its parties, texts and sliders."""
    return STAGES[topology_of(scenario).name]
