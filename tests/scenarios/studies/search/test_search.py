"""The search for attacks: real roles, no attack by name."""

from collections.abc import Sequence
from dataclasses import replace as with_field
from pathlib import Path

import pytest
from make_search import SETS, scenario_of
from msgspec.structs import replace
from veilmix.errors import DataError, ParameterError, StorageError
from veilmix.presentation.presenters.search import line, notes, summary
from veilmix.protocol.board.phases import BOARD
from veilmix.protocol.search.crowds import Worlds, other_joints, rotated
from veilmix.protocol.search.deviation import Action, Deviation
from veilmix.protocol.search.space import kinds_of, pairs, space
from veilmix.protocol.wire.messages import Cause, Kind
from veilmix.scenarios.attacks.catalogue.deviations import deviation_of, entry_of
from veilmix.scenarios.lab.validation.load import load, loads
from veilmix.scenarios.schema.dump import dump
from veilmix.scenarios.schema.model import Scenario
from veilmix.scenarios.studies.matrix.attack_plan import changed
from veilmix.scenarios.studies.search.attack_search import (
    SearchStopped,
    begin,
    coalitions_of,
    search,
    spread,
)
from veilmix.scenarios.studies.search.search_file import grown, read, replay, save, save_finds
from veilmix.scenarios.studies.search.search_result import CoalitionResult, Find, SearchResult
from veilmix.scenarios.studies.search.search_session import SmallSession, rows_of, small
from veilmix.scenarios.studies.search.search_trial import FINDS, Strategy, Trial, Verdict

SEEDS = (1, 2, 3)
DEFAULT = load("titanic")
ROWS = rows_of(small(DEFAULT))
LOOKED = changed(
    DEFAULT,
    {
        "policy.publish_marginals": True,
        "defence.registered": True,
        "defence.receipts": 0.05,
    },
    (),
)
PUBLIC = changed(DEFAULT, {"policy.publish_marginals": True, "defence.registered": False}, ())
ASKING = changed(
    DEFAULT,
    {
        "policy.kind": "hierarchical",
        "policy.curator_exposure": 0.0,
        "defence.registered": True,
    },
    (),
)
PARTIES = ("curator", "analyst", "shuffler-1", "shuffler-2", "network")


def trial(
    members: Sequence[str], scenario: Scenario = DEFAULT, seeds: tuple[int, ...] = SEEDS
) -> Trial:
    return Trial(small(scenario), tuple(members), seeds)


def own_row(target: str) -> Strategy:
    """The first shuffler puts a row that it knows in one person's place."""
    return (Deviation(by="shuffler-1", do=Action.REPLACE, people=(target,), rounds=(1,)),)


@pytest.mark.parametrize("guards", list(SETS))
def test_a_single_party_that_follows_the_protocol_reads_nobody(guards: str) -> None:
    scenario = small(scenario_of(guards))
    rows = rows_of(scenario)
    more = ("randomness",) if scenario.policy.kind == "threshold" else ()
    for party in (*PARTIES, *more):
        session = SmallSession(scenario, (party,))
        honest = session.play((), rows, 1)
        assert honest.board.burned is None, (party, honest.board.burned)
        assert len(honest.board.tallies) == len(honest.board.calls)
        if not scenario.defence.audit:  # audits tell the opened half from the rest
            assert honest.view == session.play((), rotated(rows, session.honest), 1).view, party


def reads(searched: Trial) -> bool:
    """Whether the coalition reads the target's row although it follows the protocol."""
    return searched.honest.is_alone(searched.target)


def test_all_shufflers_and_the_reader_read_by_watching() -> None:
    assert reads(trial(("analyst", "shuffler-1", "shuffler-2")))
    assert not reads(trial(("analyst", "shuffler-2")))


def test_a_session_has_one_view_however_often_it_is_played() -> None:
    views = {SmallSession(small(LOOKED), ("network",)).play((), ROWS, 1).view for _ in range(3)}
    assert len(views) == 1


def test_views_of_other_seeds_are_equal() -> None:
    """Random bytes have identity only: without an audit, what is seen does not depend on them."""
    session = SmallSession(small(LOOKED), ("shuffler-1",))
    assert len({session.play((), ROWS, seed).view for seed in SEEDS}) == 1


@pytest.mark.parametrize("guards", list(SETS))
def test_exact_times_of_posts_do_not_depend_on_seeds_and_rows(guards: str) -> None:
    """With them in the view, an honest session still has one view, but where an audit draws."""
    scenario = small(scenario_of(guards))
    rows = rows_of(scenario)
    session = SmallSession(scenario, ("network",), times=True)
    worlds = ((rows, 1), (rows, 2), (rotated(rows, session.honest), 1))
    played = [session.play((), *world) for world in worlds]
    posts = {
        frozenset(
            (event.time, event.sender) for event in one.record.events if event.receiver == BOARD
        )
        for one in played
    }
    assert len(posts) == 1
    assert scenario.defence.audit or len({one.view for one in played}) == 1


def test_a_post_within_half_a_deadline_is_told_by_its_exact_time() -> None:
    late = Deviation(by="shuffler-2", do=Action.DELAY, message=Kind.KEY, deadlines=0.25)
    for times in (False, True):
        session = SmallSession(small(DEFAULT), ("curator",), times=times)
        views = {session.play(strategy, ROWS, 1).view for strategy in ((), (late,))}
        assert len(views) == 1 + times


def test_a_view_tells_what_is_read() -> None:
    """The analyst reads the joint counts: other joints with the same marginals are told apart."""
    session = SmallSession(small(DEFAULT), ("analyst",))
    other = other_joints(ROWS, session.honest)[0]
    assert session.play((), ROWS, 1).view != session.play((), other, 1).view
    curator = SmallSession(small(DEFAULT), ("shuffler-2",))
    assert curator.play((), ROWS, 1).view != curator.play((), other, 1).view  # it is released


def test_a_row_put_in_the_place_of_a_person_reads_that_person() -> None:
    """With public marginals, what is missing from the counts is that person's row."""
    searched = trial(("shuffler-1",), PUBLIC)
    assert searched.verdict(own_row("user-1")) is Verdict.TARGET_READ


@pytest.fixture(scope="module")
def found() -> SearchResult:
    """The search of the network alone, where nobody is registered: it ends with a find."""
    return search(PUBLIC, begin(PUBLIC), [("network",)])


def test_a_row_that_is_read_is_found_and_measured(found: SearchResult) -> None:
    """Where nobody is registered, the network sends a row that it knows in a person's name."""
    (result,) = found.coalitions
    assert result.find is not None
    assert result.find.words.startswith("network: replace submission of user-1 in round 1")
    assert (result.find.crowd, result.find.guess, result.find.honest) == (1, 1.0, 0.65625)
    assert result.played == result.find.place < result.due


def test_what_changes_nothing_is_harmless() -> None:
    never = (Deviation(by="analyst", do=Action.OMIT, message=Kind.BURNED),)
    searched = trial(("analyst",))
    assert searched.verdict(never) is Verdict.NO_EFFECT
    assert searched.session.played == 2  # this session, and the honest one


def test_leaving_out_a_person_reads_nobody() -> None:
    lost = (Deviation(by="network", do=Action.OMIT, message=Kind.SUBMISSION, people=("user-1",)),)
    assert trial(("network",)).verdict(lost) is Verdict.DISTINGUISHED
    worlds = trial(("network",)).worlds(lost)
    assert worlds.is_free(0)
    assert not worlds.is_alone(0)


@pytest.mark.parametrize("members", [(party,) for party in PARTIES] + [("curator", "user-6")])
def test_every_deviation_of_a_space_is_legal_in_a_file(members: tuple[str, ...]) -> None:
    """What a search writes, a run reads."""
    searched = trial(members, scenario_of("all, marginals public"))
    strategies = tuple(one for (one,) in searched.strategies())
    assert len(set(strategies)) == len(strategies)
    assert {one.by for one in strategies} == set(members)
    assert [deviation_of(entry_of(one)) for one in strategies] == list(strategies)
    file = replace(small(DEFAULT), deviation=tuple(map(entry_of, strategies)))
    assert loads(dump(file)) == file


def test_the_space_has_every_kind_of_deviation() -> None:
    seen = set[Action]()
    for members in (*[(party,) for party in PARTIES], ("curator", "user-6")):
        seen |= {one.do for strategy in trial(members).strategies() for one in strategy}
    assert seen == set(Action) - {Action.ASK}  # a curator that decides after one round
    asks = [one for (one,) in trial(("curator",), ASKING).strategies() if one.do is Action.ASK]
    assert [one.rounds for one in asks] == [(2,)]


def test_the_space_follows_from_the_messages() -> None:
    """Where marks are shown, they are changed; where they are not, nothing names them."""
    with_marks = kinds_of(list(trial(("analyst",), LOOKED).strategies()))
    without = kinds_of(list(trial(("analyst",)).strategies()))
    assert "change heard" in with_marks
    assert not any("heard" in kind for kind in without)


def test_pairs_are_of_a_party_and_a_person_or_a_post_and_its_board() -> None:
    searched = trial(("analyst", "network"), LOOKED)
    session = searched.session
    events = session.play((), ROWS, 1).record.events
    singles = space(session.setting, events)
    found = list(pairs(session.setting, singles))
    assert found
    for one, hold in found:
        if one.do is Action.CHANGE:
            assert hold.do is Action.HOLD
            assert (hold.message, hold.rounds) == (one.message, one.rounds)
    friends = trial(("curator", "user-6"))
    both = [pair for pair in friends.strategies(with_pairs=True) if len(pair) == 2]
    assert both
    assert all({one.by for one in pair} == {"curator", "user-6"} for pair in both)


def test_strategies_that_are_left_out_are_spread_over_all() -> None:
    many = [own_row(f"user-{n}") for n in range(1, 11)]
    assert spread(many, 0) == many == spread(many, 10)
    assert spread(many, 4) == [many[0], many[2], many[5], many[7]]


def test_coalitions_are_parties_parties_with_a_person_and_pairs() -> None:
    coalitions = coalitions_of(small(DEFAULT))
    assert coalitions[:5] == tuple((party,) for party in PARTIES)
    assert ("curator", "user-6") in coalitions
    assert ("analyst", "network") in coalitions
    assert len(coalitions) == len(set(coalitions)) == 5 + 5 + 10


def test_a_coalition_that_contains_a_find_is_not_played_again(found: SearchResult) -> None:
    (result,) = found.coalitions
    more = search(PUBLIC, found, [("analyst", "network")])
    assert more.coalitions[-1].part == ("network",)
    assert more.coalitions[-1].played == 0
    assert "analyst + network: as network" in line(more.coalitions[-1], more)
    assert "replay: FILE" in line(result, more, "FILE")
    assert 'found: crowd 1 by "network: replace submission' in line(result, more)
    assert summary(more).endswith("found for network, and so for whoever contains one of them")


def test_a_search_that_finds_nothing_says_what_it_played() -> None:
    begun = begin(DEFAULT, strategies=3)
    found = search(DEFAULT, begun, [("analyst",)])
    (result,) = found.coalitions
    said = line(result, found)
    assert said.startswith("analyst: nothing found among 3 strategies of ")
    assert said.endswith("6 people, seeds 1 to 6")
    assert "kinds: delay tally; omit burned, key" in said
    assert "no known attack" not in " ".join((said, summary(found), *notes(found)))
    assert any("3 strategies at most" in note for note in notes(found))


def test_a_stopped_search_goes_on(tmp_path: Path) -> None:
    begun = begin(DEFAULT, strategies=2)

    def stop(name: str, done: int, _due: int) -> None:
        if name == "shuffler-1" and done == 2:
            raise KeyboardInterrupt

    with pytest.raises(SearchStopped) as stopped:
        search(DEFAULT, begun, [("analyst",), ("shuffler-1",)], stop)
    assert [result.name for result in stopped.value.search_result.coalitions] == ["analyst"]
    assert not stopped.value.search_result.whole
    save(stopped.value.search_result, tmp_path)
    again = grown(begin(DEFAULT, strategies=2), read(tmp_path))
    assert [result.name for result in again.coalitions] == ["analyst"]
    assert grown(begin(DEFAULT, strategies=3), read(tmp_path)).coalitions == ()
    played = search(DEFAULT, again, [("analyst",), ("shuffler-1",)])
    assert played.whole
    assert played.coalitions[0] == again.coalitions[0]


def test_a_damaged_search_is_one_error(tmp_path: Path) -> None:
    (tmp_path / "search.json").write_text("{}")
    with pytest.raises(StorageError, match="leak RUN --search"):
        read(tmp_path)
    assert read(tmp_path / "other") is None


def test_finds_are_scenario_files(found: SearchResult, tmp_path: Path) -> None:
    save_finds(found, PUBLIC, tmp_path)
    find = found.coalitions[0].find
    assert find is not None
    file = load(tmp_path / "search" / "network.toml")
    assert file == replay(PUBLIC, find.strategy)


def test_what_cannot_be_searched_is_one_error() -> None:
    with pytest.raises(DataError, match="people mix among themselves"):
        begin(load("peers-titanic"))
    with pytest.raises(ParameterError, match="at least 0"):
        begin(DEFAULT, strategies=-1)


def test_worlds_are_of_the_coalition() -> None:
    searched = trial(("curator", "user-6"))
    assert searched.session.honest == (0, 1, 2, 3, 4)
    assert isinstance(searched.honest, Worlds)
    assert with_field(searched.session.setting, members=()).friends == ()


ASK = (Deviation(by="curator", do=Action.ASK, rounds=(2,)),)


def test_joint_counts_that_nobody_is_told_are_found() -> None:
    """A curator queries pairs that `curator_exposure` forbids: all people are treated alike."""
    searched = trial(("curator",), ASKING, (1,))  # no view here depends on the seed
    assert ASK in searched.strategies()
    assert searched.other_rows()
    worlds = searched.worlds(ASK)
    assert not worlds.are_apart(worlds.rows, rotated(worlds.rows, worlds.honest))  # the swap
    assert searched.verdict(ASK) is Verdict.JOINT
    assert searched.noticed(ASK) == "never"


def test_a_find_of_joint_counts_in_words() -> None:
    find = Find(strategy=(), words="curator: ask", reads="joint", crowd=6, guess=0.9, honest=0.66,
                noticed="never", place=1)  # fmt: skip
    begun = begin(ASKING)
    result = CoalitionResult(members=("curator",), played=1, due=1, find=find)
    assert 'found: joint counts, crowd 6 by "curator: ask", guess 0.90' in line(result, begun)
    nothing = CoalitionResult(members=("curator",), played=1, due=1)
    assert line(nothing, begun).endswith("seeds 1 to 6, program hierarchical curator_exposure=0")


@pytest.mark.long
def test_joint_counts_help_whoever_guesses_a_value() -> None:
    """The guess knows the other values of all people, with and without the joint counts."""
    find = trial(("curator",), ASKING).find(ASK, 1, Verdict.JOINT)
    assert (find.reads, find.crowd, find.noticed) == ("joint", 6, "never")
    assert (find.guess, find.honest) == (0.90625, 0.65625)


def test_where_counts_are_published_nobody_answers_and_nothing_is_read() -> None:
    searched = trial(("curator",), changed(ASKING, {"policy.publish_marginals": True}, ()))
    assert searched.verdict(ASK) is Verdict.NO_EFFECT
    assert searched.noticed(ASK) == "before"


@pytest.mark.parametrize(
    ("keys", "rounds"),
    [({}, 2), ({"policy.curator_exposure": 1.0}, 3), ({"policy.ask": "best"}, 2)],
    ids=["nothing is safe", "by levels", "best"],
)
def test_a_curator_that_asks_again_asks_what_its_rule_finds_safe(
    keys: dict[str, bool | int | float | str], rounds: int
) -> None:
    searched = trial(("curator",), changed(ASKING, keys, ()))
    board = searched.session.play((), searched.rows, 1).board
    assert board.burned is None
    assert len(board.calls) == len(board.tallies) == rounds
    assert searched.other_rows()  # something is left that no honest session tells
    asks = [strategy for strategy in searched.strategies() if strategy[0].do is Action.ASK]
    played = searched.session.play(asks[-1], searched.rows, 1)
    assert searched.session.errors == 0
    assert 0 in played.record.occasions


def test_whoever_leaves_a_person_out_reads_no_joint() -> None:
    lost = (Deviation(by="shuffler-1", do=Action.IGNORE, message=Kind.SUBMISSION,
                      people=("user-1",), rounds=(1,)),)  # fmt: skip
    searched = trial(("shuffler-1",), ASKING, (1,))
    worlds = searched.worlds(lost)
    assert any(worlds.are_apart(searched.rows, rows) for rows in searched.other_rows())
    assert worlds.is_free(0)
    assert searched.verdict(lost) not in FINDS


def test_a_release_of_all_columns_leaves_no_other_joint() -> None:
    assert trial(("analyst",)).other_rows() == ()


def shown(scenario: Scenario, *members: str) -> list[Deviation]:
    """The deviations of a coalition by which one party reads another board."""
    events = SmallSession(small(scenario), members).play((), ROWS, 1).record.events
    singles = space(SmallSession(small(scenario), members).setting, events)
    others = [one for one in singles if one.do is Action.SHOW]
    assert singles[-len(others) :] == tuple(others)  # the place of every other strategy stays
    return others


def test_the_keeper_of_the_board_changes_the_posts_that_it_can_sign() -> None:
    """The target and each honest shuffler read another board: a post less, or with own keys."""
    alone = shown(DEFAULT, "network")
    assert {one.people for one in alone} == {("user-1",), ("shuffler-1",), ("shuffler-2",)}
    assert {one.change for one in alone} == {"", "own keys"}
    both = [one for one in shown(DEFAULT, "network", "shuffler-1") if one.field]
    assert {one.message for one in both} == {Kind.KEY, Kind.CONSENT, Kind.MIXED}
    unsigned = changed(DEFAULT, {"defence.signed": False}, ())
    assert {one.message for one in shown(unsigned, "network") if one.field} > {Kind.CALL}


def test_another_board_has_other_heads_and_the_first_shuffler_proves_both() -> None:
    other = Deviation(by="network", do=Action.SHOW, message=Kind.COMMITTED, people=("user-1",),
                      field="n", change="one more", rounds=(1,))  # fmt: skip
    session = SmallSession(small(DEFAULT), ("curator", "network"))
    played = session.play((other,), ROWS, 1)
    assert played.record.occasions == {0}
    assert [(who, alarm.cause) for who, alarm in played.board.alarms] == [
        ("shuffler-1", Cause.SPLIT)
    ]
    alone = SmallSession(small(DEFAULT), ("network",)).play((other,), ROWS, 1)
    assert alone.record.occasions == set()  # it cannot sign for the curator
    assert (alone.board.alarms, alone.board.burned) == ([], None)
