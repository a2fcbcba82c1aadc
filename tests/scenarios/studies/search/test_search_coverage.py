"""What the search covers of the catalogue and of the countermeasures, played."""

import tomllib
from pathlib import Path

import pytest
import veilmix
from search_coverage import (
    BASE,
    AttackCoverage,
    GuardCoverage,
    Keys,
    coverage,
)
from veilmix.scenarios.attacks.catalogue.deviations import deviation_of
from veilmix.scenarios.attacks.catalogue.registry import ATTACKS, GUARDS
from veilmix.scenarios.lab.validation.load import load
from veilmix.scenarios.schema.model import Scenario
from veilmix.scenarios.studies.matrix.attack_plan import changed
from veilmix.scenarios.studies.search.search_session import small
from veilmix.scenarios.studies.search.search_trial import FINDS, Trial, Verdict

SEEDS = (1, 2, 3)
TRIED = [
    pytest.param(
        known, id=known.attack, marks=[] if known.base == BASE else pytest.mark.long
    )  # a sample of others: test_search_threshold.py
    for known in coverage().attacks
    if known.how != "outside"
]
GUARDING = (*coverage().guards, *coverage().refusals)
SHOWN = [known for known in GUARDING if known.how == "find"]
ROOMS = Path(veilmix.__file__).parent


def scenario(known: AttackCoverage | GuardCoverage, keys: Keys) -> Scenario:
    return small(changed(load(known.base), keys, ()))


def test_every_attack_of_the_catalogue_is_in_the_table() -> None:
    assert [known.attack for known in coverage().attacks] == sorted(ATTACKS)
    assert all(known.why for known in coverage().attacks)
    assert all(bool(known.strategy) == (known.how != "outside") for known in coverage().attacks)


def test_every_countermeasure_is_in_the_table() -> None:
    assert [known.guard for known in coverage().guards] == sorted(GUARDS)
    assert all(known.why for known in coverage().guards)
    assert all(bool(known.members) == (known.how == "find") for known in coverage().guards)


def test_refusals_are_rows_of_guards_or_countermeasures() -> None:
    files = [tomllib.loads(path.read_text("utf-8")) for path in ROOMS.glob("*/guards.toml")]
    rows = {name for file in files for name in file}
    for known in coverage().refusals:
        assert known.why
        assert known.guard in (rows | set(GUARDS) if known.how == "find" else rows), known.guard


@pytest.mark.parametrize("known", TRIED)
def test_an_attack_is_in_the_space_and_reads_a_row_if_it_is_found(known: AttackCoverage) -> None:
    strategy = tuple(map(deviation_of, known.strategy))
    trial = Trial(scenario(known, known.keys), known.members or (strategy[0].by,), SEEDS)
    assert not trial.honest.is_alone(trial.target)
    assert (trial.verdict(strategy) in FINDS) == (known.how == "found")
    assert trial.errors == 0
    record = trial.session.play(strategy, trial.rows, SEEDS[0]).record
    assert record.occasions == set(range(len(strategy)))
    played = map(frozenset, trial.strategies(with_pairs=len(strategy) > 1))
    assert frozenset(strategy) in set(played)  # the search comes to it by itself


def reads(known: GuardCoverage, keys: Keys) -> bool:
    """Whether the row is read with these countermeasures."""
    trial = Trial(scenario(known, keys), known.members, SEEDS)
    if not known.strategy:
        return trial.honest.is_alone(trial.target)
    assert not trial.honest.is_alone(trial.target)
    return trial.verdict(tuple(map(deviation_of, known.strategy))) is Verdict.TARGET_READ


@pytest.mark.parametrize("known", SHOWN, ids=lambda known: f"{known.guard} {known.base}")
def test_a_countermeasure_that_is_off_brings_a_find(known: GuardCoverage) -> None:
    assert reads(known, known.off), "no find without it"
    assert not reads(known, known.on), "found with it too"
