"""What the shipped scenarios expect is what the numbers say, before any message is sent."""

from itertools import combinations

import numpy as np
import pytest
from veilmix.analysis.suppression import choose_columns
from veilmix.scenarios.load import load, shipped
from veilmix.scenarios.model import Policy
from veilmix.scenarios.populations import population
from veilmix.scenarios.worth import worth


@pytest.mark.slow
@pytest.mark.parametrize("name", shipped())
def test_what_a_shipped_scenario_expects_comes_out(name: str) -> None:
    scenario = load(name)
    people = population(scenario.population, scenario.feature, scenario.scenario.seed)
    names = people.schema.names
    marginals = [
        np.bincount(people.codes[:, j], minlength=len(texts))
        for j, texts in enumerate(people.values)
    ]
    policy, expect = scenario.policy, scenario.expect
    choice = choose_columns(marginals, policy.k, policy.max_exposure, worth(policy, names))
    kept = {names[j] for j in choice.kept}
    _, counts = np.unique(people.codes[:, list(choice.kept)], axis=0, return_counts=True)
    exposure = counts[counts < policy.k].sum() / people.n
    assert kept
    assert expect.kept is None or kept == set(expect.kept)
    assert expect.suppressed is None or kept == set(names) - set(expect.suppressed)
    assert len(kept) >= (expect.kept_at_least or 1)
    assert expect.promised_at_most is not None
    assert choice.certificate.value <= expect.promised_at_most
    assert exposure <= (expect.true_exposure_at_most or choice.certificate.value)
    assert expect.curator_links_at_most == 0


def test_preference_decides_between_equals_and_never_costs_a_column() -> None:
    features = ("a", "b", "c", "d")
    weights = worth(Policy(prefer=("c", "a", "b", "d")), features)
    assert sorted(features, key=lambda name: -weights[features.index(name)]) == ["c", "a", "b", "d"]
    for size in range(4):
        most = max(sum(some) for some in combinations(weights, size))
        assert most < min(sum(some) for some in combinations(weights, size + 1))
    assert worth(Policy(), features) == (1, 1, 1, 1)
    assert worth(Policy(weights={"b": 3.0}), features) == (1, 3, 1, 1)
