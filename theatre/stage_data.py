"""The stage of a topology: the parties on it, and the sliders of a new live run."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ..protocol.wire import parties
from ..scenarios.programs.topology import CENTRAL, PEERS, topology_of
from ..scenarios.schema.model import Scenario

CHIPS = 12  # peers; if there are more, viewers choose peers by number


@dataclass(frozen=True, slots=True)
class Slider:
    """A number of a live run that the page's user can change.

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
    """The appearance of a topology on the page: parties, texts and sliders.

    Attributes:
        parties: returns the parties that can be chosen by name, in the order of the stage.
        numbered: the parties that the number keys choose.
        decision: the key of the heading above the decision.
        picture: the key of the content of the picture, in words.
        sliders: the sliders, by name.
    """

    parties: Callable[[Scenario, int], list[str]]
    numbered: str
    decision: str
    picture: str
    sliders: Mapping[str, Slider]


PEOPLE = Slider("population.users", lambda _scenario, people: people, 2, 300)
CROWD = Slider("policy.k", lambda scenario, _people: scenario.policy.k, 1, 20)


def _central(scenario: Scenario, _people: int) -> list[str]:
    """Return the parties of a session with shufflers, in the order of the stage."""
    shufflers = [parties.shuffler(hop + 1) for hop in range(scenario.mix.shufflers)]
    return [*shufflers, parties.CURATOR, parties.ANALYST, parties.NETWORK]


def _peers(_scenario: Scenario, people: int) -> list[str]:
    """Return the peers drawn on the stage; none if there are too many to choose by name."""
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
}  # topology -> stage


def stage_of(scenario: Scenario) -> TopologyStage:
    """Return the stage of a scenario's topology."""
    return STAGES[topology_of(scenario).name]
