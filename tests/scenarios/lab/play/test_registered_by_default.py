"""`registered` where nothing is said: on, except where there can be no list of keys."""

import pytest
import veilmix
from msgspec.structs import replace
from veilmix.protocol.board.board import replay
from veilmix.scenarios.attacks.catalogue.guard import value_at
from veilmix.scenarios.attacks.catalogue.registry import GUARDS
from veilmix.scenarios.lab.validation.gallery import source
from veilmix.scenarios.lab.validation.load import change, load, loads
from veilmix.scenarios.schema.dump import dump
from veilmix.scenarios.schema.model import PHONES, PopulationSection, Scenario

KEY = "registered = false              # say true\n"


def on_phones(scenario: Scenario) -> Scenario:
    return replace(scenario, population=PopulationSection(source=PHONES))


@pytest.mark.parametrize(
    ("scenario", "on"),
    [
        pytest.param(load("blood-type"), True, id="nothing is said"),
        pytest.param(change(load("blood-type"), {"defence.registered": False}), False, id="off"),
        pytest.param(load("statistical"), True, id="others in round 2"),
        pytest.param(load("threshold-titanic"), True, id="opened by groups"),
        pytest.param(load("village"), False, id="peers"),
        pytest.param(on_phones(load("blood-type")), False, id="phones"),
    ],
)
def test_people_are_registered_where_there_can_be_a_list(scenario: Scenario, on: bool) -> None:
    assert scenario.registered is on
    assert value_at(scenario, "defence.registered") is on
    assert GUARDS["registered"].is_on(scenario) is on


def test_a_file_that_says_nothing_keeps_saying_nothing_and_a_run_says_what_it_was() -> None:
    scenario = load("blood-type")
    assert "registered" not in dump(scenario)
    assert veilmix.run(scenario, mode="ideal").scenario.defence.registered is True
    peers = veilmix.run("village", mode="ideal").scenario
    assert peers.defence.registered is False
    assert loads(dump(peers)) == peers  # a run folder of peers is read again


def test_a_run_that_says_nothing_has_a_list_of_all_and_gives_what_the_ideal_gives() -> None:
    real = veilmix.run("blood-type", seed=7)
    assert real.transcript is not None
    registry = replay(real.transcript.posts).registry
    assert registry is not None
    assert len(registry.keys) == real.users == 30
    ideal = veilmix.run("blood-type", seed=7, mode="ideal")
    assert (real.release, real.released_columns) == (ideal.release, ideal.released_columns)


def test_the_network_alone_isolates_nobody_where_nothing_is_said() -> None:
    text = source("attack-n-1").partition("[expect]")[0]
    assert KEY in text
    stopped = veilmix.run(loads(text.replace(KEY, "")))
    assert [effect.value for effect in stopped.attacks] == [0]
    assert veilmix.run(loads(text)).attacks[0].value > 7
