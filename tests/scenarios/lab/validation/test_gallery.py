"""What the shipped scenarios expect is what the numbers say, before any message is sent."""

from itertools import combinations

from veilmix.scenarios.programs.weights import column_weights
from veilmix.scenarios.schema.model import Policy


def test_preference_decides_between_equals_and_never_costs_a_column() -> None:
    features = ("a", "b", "c", "d")
    weights = column_weights(Policy(prefer=("c", "a", "b", "d")), features)
    assert sorted(features, key=lambda name: -weights[features.index(name)]) == ["c", "a", "b", "d"]
    for size in range(4):
        most = max(sum(some) for some in combinations(weights, size))
        assert most < min(sum(some) for some in combinations(weights, size + 1))
    assert column_weights(Policy(), features) == (1, 1, 1, 1)
    assert column_weights(Policy(weights={"b": 3.0}), features) == (1, 3, 1, 1)
