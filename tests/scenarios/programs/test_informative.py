"""The program `informative`: the columns that tell most within the promise, against trying all."""

from collections.abc import Sequence
from itertools import compress, product
from math import log2
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from veilmix.analysis.composition import best_bound
from veilmix.analysis.composition.margins_bound import margins_bound
from veilmix.errors import ScenarioError
from veilmix.protocol.wire.schema import Feature, Schema
from veilmix.scenarios.lab.play.run import run
from veilmix.scenarios.lab.validation.load import change, loads
from veilmix.scenarios.programs.informative.program import bits
from veilmix.scenarios.programs.registry import strategy
from veilmix.scenarios.records.run_folder import read, save
from veilmix.scenarios.records.verification.checks import verify

TEXT = """[scenario]
name = "telling"
seed = 7
[population]
source = "builtin:hair-eye"
[policy]
kind = "informative"
k = 10
max_exposure = 0.05
"""
SCENARIO = loads(TEXT)


def test_what_is_kept_tells_most_of_all_that_is_safe() -> None:
    """Of hair, eyes and sex: the same with messages and without."""
    real, ideal = run(SCENARIO, mode="real"), run(SCENARIO, mode="ideal")
    assert (real.decision, real.release) == (ideal.decision, ideal.release)
    assert real.exposure.true <= real.exposure.promised <= 0.05
    counts = [list(marginal.values()) for marginal in real.marginals or ()]
    told = dict(zip(real.schema.names, map(bits, counts), strict=True))
    safe = [candidate.columns for candidate in real.considered if candidate.safe]
    best = max(sum(told[name] for name in columns) for columns in safe)
    assert sum(told[name] for name in real.released_columns) == pytest.approx(best)


def test_it_differs_from_the_most_columns_where_these_tell_little() -> None:
    """Two columns that nearly everybody shares, or one that tells people apart."""
    schema = Schema(tuple(Feature(name, ("x", "y", "z", "w")) for name in "abc"))
    counts = [[985, 15, 0, 0], [985, 15, 0, 0], [300, 300, 385, 15]]
    policy = {"policy.k": 20, "policy.max_exposure": 0.03}
    kept = {
        kind: strategy(change(SCENARIO, {**policy, "policy.kind": kind})).rule(schema, counts, 1000)
        for kind in ("informative", "exposure")
    }
    assert len(kept["exposure"].kept) == 2
    assert 2 in kept["informative"].kept


def test_a_run_is_verified(tmp_path: Path) -> None:
    folder = save(run(SCENARIO), tmp_path / "telling")
    assert not [check for check in verify(read(folder)) if check.ok is False]


@pytest.mark.parametrize("line", ["weights = { Sex = 2.0 }", 'prefer = ["Sex"]'])
def test_weights_are_what_it_finds(line: str) -> None:
    with pytest.raises(ScenarioError, match=r"leave (weights|prefer) out"):
        loads(f"{TEXT}{line}\n")


COUNTS = some.lists(some.integers(0, 30), min_size=2, max_size=2).map(lambda c: [*c, 60 - sum(c)])


@settings(max_examples=25)
@given(some.lists(COUNTS, min_size=1, max_size=4), some.integers(1, 20), some.floats(0, 1))
def test_it_is_the_heaviest_that_is_safe(counts: Sequence[list[int]], k: int, most: float) -> None:
    schema = Schema(tuple(Feature(name, ("x", "y", "z")) for name in "abcd"[: len(counts)]))
    limits = {"policy.k": k, "policy.max_exposure": most, "policy.rule": "coverage"}
    kept = strategy(change(SCENARIO, limits)).rule(schema, counts, 60).kept
    told = [-sum(people / 60 * log2(people / 60) for people in count if people) for count in counts]
    every = (
        tuple(compress(range(len(counts)), mask)) for mask in product((0, 1), repeat=len(counts))
    )
    safe = [
        columns
        for columns in every
        if columns and best_bound([counts[column] for column in columns], k).value <= most
    ]
    assert bool(kept) == bool(safe)
    assert not kept or kept in safe
    best = max((sum(told[column] for column in columns) for columns in safe), default=0.0)
    assert sum(told[column] for column in kept) == pytest.approx(best)
    priced = strategy(change(SCENARIO, {**limits, "policy.rule": "margins"}))
    wider = priced.rule(schema, counts, 60).kept  # prices allow what coverage allows, and more
    assert not wider or margins_bound([counts[column] for column in wider], k).value <= most
    assert sum(told[column] for column in wider) >= best - 1e-9
