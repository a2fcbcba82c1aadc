"""The program `threshold`: what k people share is released, with messages and without."""

from collections import Counter
from itertools import permutations
from pathlib import Path

import pytest
from checks_kit import require
from hypothesis import given, settings
from hypothesis import strategies as some
from ideal_kit import check_same
from msgspec.structs import replace
from veilmix.errors import DataError, ParameterError, ScenarioError
from veilmix.presentation.presenters.cheating import why_unmeasured
from veilmix.protocol.rounds.opened_prefixes import (
    cells_said,
    closed_groups,
    crowds,
    cut_short,
    exposed,
    opened,
    prefix_of,
)
from veilmix.protocol.wire.hiding_rules import BLANK
from veilmix.protocol.wire.schema import Feature, Schema
from veilmix.scenarios.lab.ledger.book import Ledger
from veilmix.scenarios.lab.play.run import run
from veilmix.scenarios.lab.validation.load import change, load, loads
from veilmix.scenarios.programs.threshold.score import OpenedRows, best_order
from veilmix.scenarios.records.run_folder import read, save
from veilmix.scenarios.records.verification.checks import verify
from veilmix.scenarios.schema.model import Policy, Scenario
from veilmix.scenarios.studies.cheating.cheating_file import unmeasured
from veilmix.scenarios.studies.cheating.coalition_study import attempts, measure
from veilmix.scenarios.studies.comparison.compare import compare
from veilmix.scenarios.studies.matrix.attack_matrix import attack

TEXT = """[scenario]
name = "shared"
seed = 7
[population]
source = "builtin:hair-eye"
users = 150
[policy]
kind = "threshold"
k = 5
prefixes = true
"""
SCENARIO = loads(TEXT)
WHOLE = change(SCENARIO, {"policy.prefixes": False})
ROWS = some.dictionaries(
    some.tuples(*[some.sampled_from("ab")] * 3), some.integers(1, 9), min_size=1
)


@pytest.mark.parametrize("scenario", [SCENARIO, WHOLE], ids=["prefixes", "whole"])
def test_a_run_is_its_ideal(scenario: object) -> None:
    real, ideal = (run(scenario, mode=mode) for mode in ("real", "ideal"))  # type: ignore[arg-type]
    check_same(real, ideal)


def test_figures_of_the_shipped_tables() -> None:
    """RELEASES: what arithmetic without cryptography gives."""
    for source, k, prefixes, said, published, of, known in (
        ("titanic", 5, False, 8772, 8772, 8804, 0),
        ("titanic", 5, True, 8795, 8491, 8804, 8),
        ("census", 10, False, 129_528, 129_528, 130_244, 0),
        ("census", 10, True, 130_059, 129_605, 130_244, 65),
        ("admissions", 10, False, 13_554, 13_503, 13_578, 8),
    ):
        keys = {"population.source": f"builtin:{source}", "policy.k": k}
        scenario = change(loads(TEXT.replace("users = 150\n", "")), keys)
        scenario = change(scenario, {"policy.prefixes": prefixes})
        for close, cells, excluded in (("none", said, known), ("published", published, 0)):
            closing = change(scenario, {"policy.close": close})
            outcome = run(closing, mode="ideal", worst_case_nodes=0)
            findings = outcome.findings
            assert isinstance(findings, OpenedRows)
            assert (findings.cells, findings.of) == (cells, of)
            assert (findings.excluded, findings.reader_excluded) == (excluded, known)
            assert outcome.exposure.true == outcome.exposure.promised == excluded / outcome.users


def test_the_gallery_reaches_its_figures() -> None:
    for name, least in (("threshold-titanic", 0.996), ("threshold-census", 0.9954)):
        outcome = run(load(name), mode="ideal", worst_case_nodes=0)
        assert isinstance(outcome.findings, OpenedRows)
        assert outcome.findings.share >= least
        assert outcome.exposure.true == 0
        assert not outcome.failed
        assert outcome.findings.best
        assert outcome.findings.best.cells == outcome.findings.cells


@settings(max_examples=80, deadline=None)
@given(ROWS, some.integers(1, 12), some.booleans())
def test_opening_against_trying_every_prefix(
    rows: dict[tuple[str, ...], int], k: int, prefixes: bool
) -> None:
    released = opened(rows, k, prefixes=prefixes)
    people = [row for row, many in rows.items() for _ in range(many)]
    expected: Counter[tuple[str, ...]] = Counter()
    for row in people:
        ends = [e for e in (1, 2, 3) if sum(o[:e] == row[:e] for o in people) >= k]
        ends = [e for e in ends if prefixes or e == 3]
        end = max(ends, default=0)
        expected[(*row[:end], *[BLANK] * (3 - end))] += 1
    assert released == expected
    assert exposed(released, k) == 0
    assert cells_said(released) == sum(n * len(prefix_of(cell)) for cell, n in expected.items())
    closed = closed_groups(rows, k, prefixes=prefixes)
    assert sum(size * many for size, many in closed.items()) == sum(
        n for cell, n in expected.items() if BLANK in cell
    )
    assert all(size < k for size in closed)


def test_a_reader_that_opens_too_much_is_seen() -> None:
    honest = {("a", "b"): 5, ("a", BLANK): 2}
    assert exposed(honest, 5) == 0
    assert exposed({("a", "b"): 5, ("a", "c"): 2}, 5) == 2
    assert exposed({("a", "b"): 4, (BLANK, BLANK): 9}, 5) == 4
    assert cut_short(honest, 5) == 2
    assert crowds(honest)["a",] == 7


def test_the_best_order_is_the_best_of_all() -> None:
    rows = {("x", "a"): 6, ("y", "a"): 1, ("z", "a"): 1}
    schema = Schema((Feature("one", ("x", "y", "z")), Feature("two", ("a", "b"))))
    policy = Policy(kind="threshold", k=5, prefixes=True, close="none")
    best = best_order(policy, schema, rows)
    cells = [
        cells_said(opened({tuple(r[j] for j in o): n for r, n in rows.items()}, 5, prefixes=True))
        for o in permutations(range(2))
    ]
    assert best.features == ("two", "one")
    assert best.cells == max(cells) > min(cells)
    closed = best_order(replace(policy, close="published"), schema, rows)
    assert (closed.features, closed.cells) == (("two", "one"), 8)  # y and z were known to be two


def test_without_reader_and_randomness_no_coalition_learns_more_than_the_release() -> None:
    """Without both, reader and randomness, nobody learns more than the release, and links none."""
    outcome = run(WHOLE)
    people = outcome.users
    closed = sum(n for cell, n in (outcome.release or {}).items() if BLANK in cell)
    assert closed
    for coalition in outcome.coalitions:
        chain = {"shuffler-1", "shuffler-2", "analyst"} <= set(coalition.parties)
        tries = {"randomness", "analyst"} <= set(coalition.parties)
        assert coalition.linked == (people if chain and tries else people - closed if chain else 0)
    public = outcome.coalition("curator").bits
    assert outcome.coalition("randomness").bits == outcome.coalition("analyst").bits == public
    both = outcome.coalition("analyst", "randomness")
    assert both.bits > public
    assert both.exact
    assert outcome.coalition(*(party for party in ("analyst", "curator"))).bits == public


def test_a_run_is_verified_and_a_changed_one_is_not(tmp_path: Path) -> None:
    folder = save(run(SCENARIO), tmp_path / "shared")
    checks = verify(read(folder))
    require(checks)
    assert {check.name for check in checks if check.ok} >= {
        "decision",
        "release",
        "exposure",
        "result",
    }
    result = folder / "result.json"
    said = result.read_text(encoding="utf-8")
    findings = run(SCENARIO).findings
    assert isinstance(findings, OpenedRows)
    changed = said.replace(f'"cells": {findings.cells}', f'"cells": {findings.cells + 1}')
    assert changed != said
    result.write_text(changed, encoding="utf-8")
    assert any(check.ok is False for check in verify(read(folder), wants_replay=False))


@pytest.mark.parametrize(
    ("keys", "where"),
    [
        ({"policy.k": 256}, "policy.k"),
        ({"policy.rule": "refined"}, "policy.rule"),
        ({"policy.publish_marginals": True}, "policy.publish_marginals"),
        ({"defence.registered": True, "defence.tokens": True}, "defence.tokens"),
        ({"mix.lesson": True, "mix.salt": False}, "mix.salt"),
        ({"mix.lesson": True, "mix.pad": False}, "mix.pad"),
        ({"mix.lesson": True, "defence.unbundle": False}, "defence.unbundle"),
        ({"population.setting": "statistical", "population.round2_users": 9}, "population.setting"),
    ],
)
def test_what_it_does_not_go_with(keys: dict[str, object], where: str) -> None:
    with pytest.raises(ScenarioError, match=where.replace(".", r"\.")):
        change(SCENARIO, keys)


def test_attacks_that_nobody_has_measured_on_it_are_refused() -> None:
    with pytest.raises(ScenarioError, match="is not attacked by copy"):
        loads(TEXT + '[[fault]]\nattack = "copy"\nusers = 1\n')


def test_its_attacks_are_measured_and_cheating_coalitions_told() -> None:
    assert not unmeasured(SCENARIO)
    assert not why_unmeasured(SCENARIO)
    tried = {attempt.row: (attempt.party_names, attempt.friends) for attempt in attempts(SCENARIO)}
    assert tried == {
        "try-rows": (("analyst", "randomness"), 0),
        "guess-row": ((), SCENARIO.population.users // 3),  # type: ignore[operator]
    }
    study = measure(change(SCENARIO, {"population.users": 60}), 7, 2)
    worst = {
        (coalition.parties, coalition.friends): coalition.worst for coalition in study.smallest
    }
    assert worst[("analyst", "randomness"), 0].attack == "try-rows"  # type: ignore[union-attr]
    assert worst[(), 20].attack == "guess-row"  # type: ignore[union-attr]
    assert not any("randomness" in coalition.parties for coalition in study.watching)


def test_its_matrix_has_its_attacks_alone() -> None:
    matrix = attack(change(SCENARIO, {"population.users": 40}), 1, 1, defences=("registered",))
    assert {row.name for row in matrix.rows} == {
        *("try-rows", "count-closed", "guess-row", "junk-share")
    }
    with pytest.raises(ParameterError, match="found 'drop'"):
        attack(SCENARIO, 1, 1, attacks=("drop",))


@pytest.mark.parametrize("scenario", [SCENARIO, load("who-to-trust")], ids=["its own", "another"])
def test_it_is_compared_with_whole_rows_and_with_prefixes(scenario: Scenario) -> None:
    comparison = compare(scenario, 1, only=("exposure", "threshold"))
    whole, nested = comparison.program("threshold"), comparison.program("threshold prefixes")
    assert not comparison.skipped
    for program in (whole, nested):
        assert program.privacy.true == program.privacy.promised < 0.05
        assert len(program.utility.columns) == len(comparison.features)
        assert program.cost.rounds == 1
        assert "`randomness` together" in program.note
    assert whole.privacy.true == 0
    assert min(nested.utility.cells, whole.utility.cells) > 0.5  # of few people prefixes lose more
    assert nested.cost.bytes > whole.cost.bytes


def test_prefixes_are_of_this_kind_alone() -> None:
    with pytest.raises(ScenarioError, match=r"policy\.prefixes"):
        change(SCENARIO, {"policy.kind": "exposure"})


def test_processes_and_ledgers_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match=r"processes: policy\.kind = 'threshold'"):
        run(SCENARIO, processes=True)
    with pytest.raises(DataError, match="opens rows"):
        run(SCENARIO, ledger=Ledger(tmp_path / "book"))


@pytest.mark.parametrize("name", ["absent", "late", "malformed", "duplicate"])
def test_faults_of_people_change_nothing_for_others(name: str) -> None:
    scenario = loads(TEXT + f'[[fault]]\nattack = "{name}"\nusers = 5\n')
    real, ideal = (run(scenario, mode=mode) for mode in ("real", "ideal"))
    assert real.release == ideal.release
