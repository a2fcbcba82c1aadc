"""Attacks on randomized reports: crafted ones, and people who tell the reader theirs."""

import attack_kit as KIT
import pytest
from veilmix.analysis.randomizers import GRR
from veilmix.errors import ScenarioError
from veilmix.scenarios.lab.play.run import run
from veilmix.scenarios.lab.validation.load import load
from veilmix.scenarios.schema.model import Scenario
from veilmix.scenarios.studies.matrix.attack_plan import changed

pytestmark = pytest.mark.slow

EPSILON = 1.5  # nats, each of three questions a third


def reporting(attack: str, users: int, people: int, **local: object) -> Scenario:
    keys = {"population.users": people, "local.epsilon": EPSILON, **local}
    return changed(load("attack-poison-reports"), keys, [{"attack": attack, "users": users}])


def achieved(scenario: Scenario) -> float:
    return run(scenario, 7, worst_case_nodes=0).attacks[0].value


@pytest.mark.parametrize("many", [1, 10])
def test_a_crafted_report_counts_for_as_many_as_noise_is_divided_by(many: int) -> None:
    """(1 - q) / (p - q) people each; as many honest ones count for one each on average."""
    noise = GRR(2, EPSILON / 3)
    p, q = noise.matrix[0, 0], noise.matrix[1, 0]
    shift = achieved(reporting("poison-reports", many, 100))
    assert shift == pytest.approx(many * (1 - q) / (p - q))
    assert shift > 2 * many


@pytest.mark.parametrize("mechanism", ["oue", "local-hash", "bit-flip"])
def test_every_mechanism_can_be_poisoned(mechanism: str) -> None:
    crafted = reporting("poison-reports", 10, 100, **{"local.mechanism": mechanism})
    assert achieved(crafted) > 20


def test_fewer_hide_among_themselves_when_others_tell() -> None:
    some, many = (achieved(reporting("inside-reports", users, 60)) for users in (30, 55))
    assert 0 < some < many <= EPSILON


@pytest.mark.parametrize("attack", ["poison-reports", "inside-reports"])
def test_they_are_about_reports(attack: str) -> None:
    with pytest.raises(ScenarioError, match="attacks randomized reports"):
        KIT.scenario({"attack": attack, "users": 3})
