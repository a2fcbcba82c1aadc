"""The recorded results of the search: finds are found again, and a sample is harmless again.

A failure means that the protocol, a role or the search has changed. If that was meant, renew the
table: `python tools/make_search.py`.
"""

from collections.abc import Sequence

import pytest
from _pytest.mark import ParameterSet
from make_search import BASES, PAIRED, SETS, TIMED, recorded_coalitions, scenario_of
from veilmix.presentation.presenters.search import summary
from veilmix.protocol.search.deviation import text_of
from veilmix.scenarios.attacks.catalogue.deviations import deviation_of
from veilmix.scenarios.lab.validation.load import change, load
from veilmix.scenarios.studies.cheating.trust_table import guards_on
from veilmix.scenarios.studies.search.attack_search import SEEDS, spread
from veilmix.scenarios.studies.search.search_result import CoalitionResult
from veilmix.scenarios.studies.search.search_session import program_name, small
from veilmix.scenarios.studies.search.search_table import GuardSearch, recorded, shipped
from veilmix.scenarios.studies.search.search_trial import FINDS, Strategy, Trial, Verdict

SAMPLE = 3  # strategies of each coalition that are played again
RENEW = "renew the table if that was meant: python tools/make_search.py"
TABLE = shipped().sets
CASES = [
    pytest.param(known, result, id=f"{known.name}: {result.name}")
    for known in TABLE
    for result in known.result.coalitions
]


def trial(known: GuardSearch, result: CoalitionResult) -> Trial:
    return Trial(small(scenario_of(known.name)), result.members, SEEDS, known.result.times)


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
        assert known.result.pairs == (known.name in PAIRED)
        assert known.result.times == (known.name in TIMED)
        assert known.result.program == program_name(now)
        members = tuple(result.members for result in known.result.coalitions)
        assert members == recorded_coalitions(known.name)


USUAL = {
    "`threshold` of prefixes, people not registered": ("randomness",),
    "`randomized` answers, people not registered": ("shuffler-2",),
    "`incidence` of sets, people not registered": ("network",),
}  # of the sets of one kind of program, the coalitions that are played again in the usual run


def marked(case: ParameterSet) -> ParameterSet:
    """Return a case, marked `long` where the usual run plays a part of its set alone."""
    known, result = case.values
    is_apart = known.name.split()[0] in BASES and result.name not in USUAL.get(known.name, ())
    reads = result.find.reads if result.find else "row"
    if is_apart or reads != "row":  # samples with one seed: test_search.py, test_search_threshold
        return pytest.param(*case.values, id=case.id, marks=pytest.mark.long)
    return case


FINDS_AGAIN = [marked(case) for case in CASES if case.values[1].find]
SEARCHED = [case for case in CASES if not case.values[1].part and not case.values[1].watching]


def sampled(number: int, case: ParameterSet) -> ParameterSet:
    """Return a case, marked `long` but for every sixth one of the sets of the default program."""
    if case.values[0].name.split()[0] in BASES:
        return marked(case)
    return pytest.param(*case.values, id=case.id, marks=[pytest.mark.long] * (number % 6 > 0))


HARMLESS_AGAIN = [sampled(number, case) for number, case in enumerate(SEARCHED)]


@pytest.mark.parametrize(("known", "result"), FINDS_AGAIN)
def test_a_recorded_find_is_found_again(known: GuardSearch, result: CoalitionResult) -> None:
    find = result.find
    assert find is not None
    strategy = tuple(map(deviation_of, find.strategy))
    assert text_of(strategy) == find.words
    verdict = trial(known, result).verdict(strategy)
    expected = Verdict.TARGET_READ if find.reads == "row" else Verdict.JOINT
    assert verdict is expected, f"lost find: {result.name}: {find.words}; {RENEW}"


def test_the_usual_run_plays_a_part_of_every_set_of_one_kind_of_program() -> None:
    assert set(USUAL) <= set(SETS)
    assert {name.split()[0] for name in USUAL} == set(BASES)


@pytest.mark.parametrize(("known", "result"), HARMLESS_AGAIN)
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


@pytest.mark.parametrize(
    ("known", "result"),
    [case for case in CASES if case.values[1].watching and not case.values[1].part],
)
def test_what_is_read_by_watching_is_read_again(
    known: GuardSearch, result: CoalitionResult
) -> None:
    assert trial(known, result).watched() == result.watched


@pytest.mark.long
@pytest.mark.parametrize(("known", "result"), SEARCHED)
def test_all_results_are_what_they_were(known: GuardSearch, result: CoalitionResult) -> None:
    made, due = strategies(known, result)
    verdicts = [made.verdict(strategy) for strategy in due[: result.played]]
    assert verdicts.count(Verdict.DISTINGUISHED) == result.told
    assert sum(verdict in FINDS for verdict in verdicts) == (result.find is not None)


def test_results_are_cited_for_the_same_guards() -> None:
    assert (
        recorded(change(load("titanic"), {"defence.registered": False})) is None
    )  # no recorded set
    record = recorded(load("titanic"))
    assert record
    said = summary(record.result)
    assert said.startswith("a search through ")
    assert "6 people, seeds 1 to 6, exact times of posts: found for " in said
