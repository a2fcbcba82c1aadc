"""The recorded results of the search: finds are found again, and a sample is harmless again.

A failure means that the protocol, a role or the search has changed. If that was meant, renew the
table: `python tools/make_search.py`.
"""

from collections.abc import Sequence

import pytest
from veilmix.protocol.search.deviation import text_of
from veilmix.scenarios.catalogue.deviations import deviation_of
from veilmix.scenarios.studies.search import SEEDS, spread
from veilmix.scenarios.studies.search_result import CoalitionResult
from veilmix.scenarios.studies.search_session import program_name, small
from veilmix.scenarios.studies.search_table import (
    SETS,
    GuardSearch,
    cited,
    recorded_coalitions,
    scenario_of,
    shipped,
)
from veilmix.scenarios.studies.search_trial import FINDS, Strategy, Trial, Verdict
from veilmix.scenarios.studies.trust_table import guards_on
from veilmix.scenarios.validation.load import change, load

SAMPLE = 3  # strategies of each coalition that are played again
RENEW = "renew the table if that was meant: python tools/make_search.py"
TABLE = shipped().sets
CASES = [
    pytest.param(known, result, id=f"{known.name}: {result.name}")
    for known in TABLE
    for result in known.result.coalitions
]


def trial(known: GuardSearch, result: CoalitionResult) -> Trial:
    return Trial(small(scenario_of(known.name)), result.members, SEEDS)


def strategies(known: GuardSearch, result: CoalitionResult) -> tuple[Trial, Sequence[Strategy]]:
    """The space of a coalition, derived again."""
    made = trial(known, result)
    return made, tuple(made.strategies(with_pairs=known.result.pairs))


def test_the_table_is_of_the_standard_sets() -> None:
    names = [known.name for known in TABLE]
    assert names == [name for name in SETS if name in names]
    for known in TABLE:
        now = small(scenario_of(known.name))
        assert known.result.guards == guards_on(now), f"{known.name}: other guards; {RENEW}"
        assert known.result.whole
        assert known.result.program == program_name(now)
        members = tuple(result.members for result in known.result.coalitions)
        assert members == recorded_coalitions(known.name)


FINDS_AGAIN = [
    pytest.param(*case.values, id=case.id, marks=pytest.mark.long)
    if case.values[1].find.reads == "joint"  # a sample with one seed: test_search.py
    else case
    for case in CASES
    if case.values[1].find
]


@pytest.mark.parametrize(("known", "result"), FINDS_AGAIN)
def test_a_recorded_find_is_found_again(known: GuardSearch, result: CoalitionResult) -> None:
    find = result.find
    assert find is not None
    strategy = tuple(map(deviation_of, find.strategy))
    assert text_of(strategy) == find.words
    verdict = trial(known, result).verdict(strategy)
    expected = Verdict.JOINT if find.reads == "joint" else Verdict.ALONE
    assert verdict is expected, f"lost find: {result.name}: {find.words}; {RENEW}"


@pytest.mark.parametrize(("known", "result"), [case for case in CASES if not case.values[1].part])
def test_a_sample_of_harmless_strategies_is_harmless_again(
    known: GuardSearch, result: CoalitionResult
) -> None:
    """The first, and others evenly spread over those that were played before any find."""
    made, due = strategies(known, result)
    assert len(due) == result.due, f"{result.name}: another space; {RENEW}"
    harmless = due[: result.played - (result.find is not None)]
    for strategy in spread(harmless, SAMPLE):
        verdict = made.verdict(strategy)
        said = text_of(strategy)
        assert verdict not in FINDS, f"new find: {result.name}: {said}; {RENEW}"


@pytest.mark.long
@pytest.mark.parametrize(("known", "result"), [case for case in CASES if not case.values[1].part])
def test_all_results_are_what_they_were(known: GuardSearch, result: CoalitionResult) -> None:
    made, due = strategies(known, result)
    verdicts = [made.verdict(strategy) for strategy in due[: result.played]]
    assert verdicts.count(Verdict.TOLD) == result.told
    assert sum(verdict in FINDS for verdict in verdicts) == (result.find is not None)


def test_results_are_cited_for_the_same_guards() -> None:
    assert not cited(change(load("titanic"), {"defence.registered": False}))  # no recorded set
    said = cited(load("titanic"))
    assert said.startswith("a search through ")
    assert "6 people, seeds 1 to 6: found for " in said
