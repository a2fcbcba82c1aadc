"""The search where people report with noise: draws are fixed in the swap, and count in guesses."""

from collections import Counter

import pytest
from make_search import SETS, scenario_of
from veilmix.analysis.randomizers import GRR
from veilmix.protocol.search.deviation import Action, Deviation
from veilmix.protocol.wire.messages import Kind
from veilmix.scenarios.programs.registry import noisy_questions, samples
from veilmix.scenarios.studies.search.search_session import EACH, TRUTH_PROBABILITY, small
from veilmix.scenarios.studies.search.search_table import shipped
from veilmix.scenarios.studies.search.search_trial import Trial, Verdict

NAME = next(name for name in SETS if name.startswith("`randomized`") and "not registered" in name)
OWN = (
    Deviation(by="network", do=Action.REPLACE, message=Kind.SUBMISSION, people=("user-1",),
              all_but=True, rounds=(1,)),
)  # fmt: skip


@pytest.fixture(scope="module")
def network() -> Trial:
    return Trial(small(scenario_of(NAME)), ("network",), (1,))


def test_reports_go_where_their_rows_go(network: Trial) -> None:
    for seed in (1, 2):  # with draws of their own, the counts would be others
        (tally,) = network.session.play((), network.rows, seed).board.tallies
        columns = zip(*network.rows, strict=True)
        assert tally.counts == tuple(dict(Counter((v,) for v in column)) for column in columns)


def test_the_noise_of_the_guess_is_that_of_the_mechanism() -> None:
    scenario = small(scenario_of(NAME))
    asked = noisy_questions(scenario, samples(scenario, 1).people)
    assert [question.randomizer for question in asked] == [GRR(2, EACH)] * 2
    assert GRR(2, EACH).truth == pytest.approx(TRUTH_PROBABILITY, rel=1e-12)


def test_own_reports_in_the_place_of_all_others_leave_one_report(network: Trial) -> None:
    assert network.verdict(OWN) is Verdict.TARGET_READ
    assert len(network.other_rows()) == 2  # joint counts of two columns are told to nobody


def test_no_value_is_guessed_better_than_the_noise_leaves() -> None:
    sets = [known for known in shipped().sets if known.name.startswith("`randomized`")]
    finds = [one.find for known in sets for one in known.result.coalitions if one.find]
    assert finds
    for find in finds:
        assert find.reads == "row"
        assert find.honest < find.guess <= TRUTH_PROBABILITY + 1e-12
