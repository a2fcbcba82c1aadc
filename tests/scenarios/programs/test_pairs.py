"""The program `pairs`: the heaviest two columns within the promise, against trying all."""

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as some
from veilmix.analysis.composition.margins_bound import margins_bound
from veilmix.errors import ScenarioError
from veilmix.protocol.wire.schema import Feature, Schema
from veilmix.scenarios.lab.play.run import run
from veilmix.scenarios.lab.validation.load import loads
from veilmix.scenarios.programs.pairs.program import cross_table
from veilmix.scenarios.records.run_folder import read, save
from veilmix.scenarios.records.verification.checks import verify
from veilmix.scenarios.schema.model import Policy

TEXT = """[scenario]
name = "cross"
seed = 7
[population]
source = "builtin:titanic"
[policy]
kind = "pairs"
k = 10
max_exposure = 0.05
"""


def test_a_cross_table_is_released_and_no_more() -> None:
    real, ideal = run(loads(TEXT), mode="real"), run(loads(TEXT), mode="ideal")
    assert len(real.released_columns) == 2
    assert (real.decision, real.release) == (ideal.decision, ideal.release)
    assert real.exposure.true <= real.exposure.promised <= 0.05
    assert max(len(candidate.columns) for candidate in real.considered) == 2
    more = run(loads(TEXT.replace("pairs", "exposure")), mode="ideal")
    assert len(more.released_columns) >= 2


def test_a_run_is_verified(tmp_path) -> None:
    folder = save(run(loads(TEXT)), tmp_path / "cross")
    assert not [check for check in verify(read(folder)) if check.ok is False]


@pytest.mark.parametrize("mode", ["real", "ideal"])
def test_where_no_column_can_be_promised_nothing_is_released(mode, tmp_path) -> None:
    alone = (
        TEXT.replace("k = 10", "k = 60")
        .replace("0.05", "0")
        .replace('"builtin:titanic"', '"builtin:titanic"\nusers = 60')
    )
    outcome = run(loads(alone), mode=mode)
    assert outcome.decision is not None
    assert (outcome.released_columns, outcome.release, outcome.exposure.promised) == ((), None, 0.0)
    checks = verify(read(save(outcome, tmp_path / mode)), wants_replay=mode == "real")
    assert not [check for check in checks if check.ok is False]


def test_three_columns_cannot_be_required() -> None:
    wanted = 'required = ["class", "sex", "age"]\n'
    with pytest.raises(ScenarioError, match="two columns at most"):
        loads(TEXT + wanted)


columns = some.lists(some.integers(0, 30), min_size=2, max_size=2).map(lambda c: [*c, 60 - sum(c)])


@given(some.lists(columns, min_size=1, max_size=4), some.integers(1, 20), some.floats(0, 1))
def test_it_is_the_heaviest_that_is_safe(counts, k, most) -> None:
    names = tuple("abcd"[: len(counts)])
    schema = Schema(tuple(Feature(name, ("x", "y", "z")) for name in names))
    policy = Policy(kind="pairs", k=k, max_exposure=most, weights={"b": 3.0})
    kept = cross_table(policy, schema, counts, None)
    gains = {j: 3.0 if name == "b" else 1.0 for j, name in enumerate(names)}
    safe = [
        subset
        for size in (1, 2)
        for subset in combinations(range(len(counts)), size)
        if margins_bound([counts[j] for j in subset], k).value <= most
    ]
    assert bool(kept) == bool(safe)
    if safe:
        assert kept in safe
        assert sum(map(gains.get, kept)) == max(sum(map(gains.get, subset)) for subset in safe)
