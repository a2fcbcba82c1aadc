"""The search where owners report sets: pieces of flipped vectors, each a message of its own."""

from collections import Counter

import pytest
from make_search import SETS, scenario_of
from veilmix.analysis.randomizers import BitFlip
from veilmix.errors import DataError
from veilmix.protocol.search.deviation import Action, Deviation
from veilmix.protocol.wire.messages import Kind
from veilmix.scenarios.lab.validation.load import load
from veilmix.scenarios.populations.sets import first_positions, unpack_text
from veilmix.scenarios.programs.curated.program import Decided
from veilmix.scenarios.programs.people_source import SetPopulation
from veilmix.scenarios.programs.registry import noisy_questions, samples
from veilmix.scenarios.studies.search import search_session
from veilmix.scenarios.studies.search.attack_search import begin
from veilmix.scenarios.studies.search.search_session import (
    POSITIONS,
    TRUTH_PROBABILITY,
    kinds_of_rows,
    small,
)
from veilmix.scenarios.studies.search.search_table import shipped
from veilmix.scenarios.studies.search.search_trial import Trial, Verdict

NAMES = [name for name in SETS if name.startswith("`incidence`")]
SMALL = small(scenario_of(NAMES[1]))
ALONE = Deviation(by="shuffler-1", do=Action.DROP, people=("user-1",), all_but=True, rounds=(1,))


def trial(*members: str) -> Trial:
    return Trial(SMALL, members, (1,))


def test_the_first_position_of_a_piece_is_set_or_not() -> None:
    (none, one), short = first_positions(POSITIONS)
    assert unpack_text([none, one], 4096).sum(axis=0).tolist() == [1, *[0] * 4095]
    assert unpack_text(short, 8).tolist() == [[0] * 8, [1, *[0] * 7]]
    assert first_positions(3) == (("00", "80"),)


def test_a_position_is_flipped_with_the_noise_of_the_guess() -> None:
    asked = noisy_questions(SMALL, samples(SMALL, 1).people)
    flips = [question.randomizer for question in asked]
    assert all(isinstance(flip, BitFlip) for flip in flips)
    assert [(flip.bits, 1 - flip.q) for flip in flips] == [
        (bits, pytest.approx(TRUTH_PROBABILITY, rel=1e-12)) for bits in (4096, 8)
    ]


def test_pieces_go_where_their_vectors_go() -> None:
    analyst = trial("analyst")
    (tally,) = analyst.session.play((), analyst.rows, 1).board.tallies
    columns = zip(*analyst.rows, strict=True)
    assert tally.counts == tuple(dict(Counter((v,) for v in column)) for column in columns)
    assert analyst.watched() is None


def test_whose_pieces_belong_together_is_read_by_nobody_alone() -> None:
    """The same pieces, joined otherwise: no party that follows the protocol tells them apart."""
    for party in ("curator", "analyst", "shuffler-1", "shuffler-2", "network"):
        assert len(trial(party).other_rows()) == 2


def test_a_vector_that_is_left_alone_is_read_and_noticed_by_nobody() -> None:
    shuffler = trial("shuffler-1")
    assert shuffler.verdict((ALONE,)) is Verdict.TARGET_READ
    assert shuffler.noticed((ALONE,)) == "never"
    assert trial("shuffler-1").worlds((ALONE,)).is_free(1)  # of all others nothing is said


def test_one_owner_who_is_left_out_is_not_read() -> None:
    lost = Deviation(by="network", do=Action.OMIT, message=Kind.SUBMISSION, people=("user-1",))
    assert trial("network").verdict((lost,)) is Verdict.DISTINGUISHED


def test_long_values_are_short_in_words() -> None:
    say = Deviation(by="user-6", do=Action.SAY, row=kinds_of_rows(SMALL)[-1], rounds=(1,))
    assert str(say) == "user-6: say (8000.. of 1,024 characters, 80) in round 1"


def test_the_recorded_guess_is_that_of_a_flipped_position() -> None:
    sets = [known for known in shipped().sets if known.name in NAMES]
    finds = [one.find for known in sets for one in known.result.coalitions if one.find]
    assert [known.result.program for known in sets] == ["bit-flip epsilon=1 each position"] * 2
    assert {find.words for find in finds} >= {str(ALONE)}
    for find in finds:
        assert find.reads == "row"
        assert find.honest < find.guess <= TRUTH_PROBABILITY + 1e-12


def test_people_with_neither_rows_nor_reports_are_not_searched(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A program of another package, whose people have no columns and report no set."""
    other = Decided()
    other.capabilities = (SetPopulation(),)
    monkeypatch.setattr(search_session, "capability", lambda _, kind: other.capability(kind))
    with pytest.raises(DataError, match="they do neither"):
        begin(load("titanic"))
