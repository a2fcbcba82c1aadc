"""Cheating coalitions: the worst of any attack, in how many runs, and when it was noticed."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from veilmix.errors import DataError, ParameterError, StorageError
from veilmix.number_text import sentence
from veilmix.presentation.presenters.cheating import (
    notes,
    successes,
    successes_with_attacks,
    table,
)
from veilmix.presentation.wording import OUTSIDE_CATALOGUE
from veilmix.scenarios.attacks.catalogue.registry import ATTACKS
from veilmix.scenarios.lab.validation.load import load
from veilmix.scenarios.schema.model import Scenario
from veilmix.scenarios.studies.cheating import cheating_file as file
from veilmix.scenarios.studies.cheating import coalition_study as cheating
from veilmix.scenarios.studies.cheating.cheating_result import (
    AttackResult,
    AttackRun,
    AttackRuns,
    CheatingStudy,
    LinkingCoalition,
    badness,
    by_coalition,
    smallest,
    telling,
    within,
    worst_of,
)
from veilmix.scenarios.studies.cheating.coalition_study import (
    CheatingStopped,
    attempts,
    begin,
    mark_of,
    measure,
    study,
)
from veilmix.scenarios.studies.matrix.attack_plan import changed

PARTIES = ("analyst", "curator", "network", "shuffler-1", "shuffler-2")


def cheated(attack: str, who: str, friends: int = 0, read: int = 4, never: int = 4) -> AttackResult:
    rest = read - never
    parties = tuple(who.split())
    return AttackResult(
        attack, parties, friends, 4, read, 0.1, 0.9, 1.0, 1.0, "rows", 0, rest, never
    )


FOUND = (
    cheated("alone", "shuffler-1", read=2, never=0),
    cheated("both", "curator shuffler-1"),
    cheated("friend", "shuffler-1", friends=1),
    cheated("nothing", "curator", read=0, never=0),
    cheated("wires", "network", read=1, never=1),
)
WATCHING = (
    LinkingCoalition(("analyst", "shuffler-1", "shuffler-2")),
    LinkingCoalition(("curator", "shuffler-2")),
)


def test_the_worst_of_a_coalition_is_that_of_any_part_of_it() -> None:
    worst = {
        (coalition.parties, coalition.friends): coalition.worst
        for coalition in by_coalition(FOUND, ("analyst",))
    }
    named = {key: result.attack if result else None for key, result in worst.items()}
    assert named == {
        (("analyst",), 0): None,
        (("curator",), 0): None,
        (("network",), 0): "wires",
        (("shuffler-1",), 0): "alone",
        (("curator", "shuffler-1"), 0): "both",
        (("shuffler-1",), 1): "friend",
    }
    everybody = worst_of(FOUND, ("curator", "network", "shuffler-1"), 3).worst
    assert everybody is not None
    assert everybody.read == 4


def test_coalitions_of_one_two_and_more_are_told() -> None:
    sizes = {len(coalition.parties) for coalition in by_coalition(FOUND, PARTIES, WATCHING)}
    assert sizes == {1, 2, 3, 4, 5}
    many = [f"shuffler-{number}" for number in range(1, 9)]
    assert {len(coalition.parties) for coalition in by_coalition((), many)} == {1, 2}


some = st.lists(
    st.builds(
        lambda who, friends, read, seen: AttackResult(
            *("some", tuple(sorted(who)), friends, 4, read, 0.0, 1.0, 0.0, 1.0, "rows"),
            *(min(read, seen), max(0, read - seen), 0),
        ),
        st.sets(st.sampled_from(PARTIES), max_size=3),
        st.integers(0, 3),
        st.integers(0, 4),
        st.integers(0, 4),
    ),
    max_size=8,
)
watchers = st.lists(
    st.builds(
        lambda who: LinkingCoalition(tuple(sorted(who))),
        st.sets(st.sampled_from(PARTIES), min_size=1),
    ),
    max_size=2,
)
member_sets = st.tuples(st.sets(st.sampled_from(PARTIES)), st.integers(0, 3))


@given(some, watchers, member_sets, member_sets)
def test_a_larger_coalition_never_does_worse(
    results: list[AttackResult],
    watching: list[LinkingCoalition],
    small: tuple[set[str], int],
    more: tuple[set[str], int],
) -> None:
    large = small[0] | more[0], small[1] + more[1]
    less, most = (worst_of(results, who, many, watching) for who, many in (small, large))
    assert less.watching <= most.watching
    if less.worst is not None:
        assert most.worst is not None
        assert badness(less.worst) <= badness(most.worst)


@given(some, watchers)
def test_every_coalition_is_as_bad_as_one_that_is_told(
    results: list[AttackResult], watching: list[LinkingCoalition]
) -> None:
    worst = by_coalition(results, PARTIES, watching)
    told = telling(worst)
    for coalition in worst:
        members = coalition.parties, coalition.friends
        parts = [part for part in told if within((part.parties, part.friends), members)]
        assert coalition.watching == any(part.watching for part in parts)
        most = max((badness(part.worst)[:2] for part in parts if part.worst), default=None)
        if not coalition.watching:
            assert (badness(coalition.worst)[:2] if coalition.worst else None) == most


def test_the_smallest_have_no_part_that_reads_anything() -> None:
    named = [(coalition.parties, coalition.friends) for coalition in smallest(FOUND)]
    assert named == [(("network",), 0), (("shuffler-1",), 0)]
    with_watching = [
        (coalition.parties, coalition.watching) for coalition in smallest(FOUND, WATCHING)
    ]
    assert with_watching == [
        (("network",), False),
        (("shuffler-1",), False),
        (("curator", "shuffler-2"), True),
    ]


def found(*results: AttackResult, watching: tuple[LinkingCoalition, ...] = ()) -> CheatingStudy:
    """A study with these results, four runs of each."""
    attempts = tuple(
        AttackRuns(
            *(result.attack, result.parties, result.friends, "rows"),
            tuple(AttackRun(seed, 1.0, 1.0, seed < result.read, "never") for seed in range(4)),
        )
        for result in results
    )
    return CheatingStudy(
        version="0",
        scenario="s",
        mark="m",
        seed=0,
        runs=4,
        users=9,
        handlers=PARTIES,
        watching=watching,
        attempts=attempts,
    )


def test_no_success_says_how_many_attacks_were_played_and_that_others_are_known() -> None:
    some = found(cheated("nothing", "curator", read=0, never=0))
    rows = {line[0]: line[1:] for line in table(some).rows}
    assert rows["curator"] == ("none of 1 attack", "0", "-", "-")
    assert rows["analyst"] == ("none played", "-", "-", "-")
    none = "none of the 1 attack of the catalogue read a row for any coalition in 4 runs of each"
    assert successes(some) == successes_with_attacks(some) == none
    assert sentence(OUTSIDE_CATALOGUE) in notes(some)


def test_coalitions_that_succeed_are_never_said_to_be_all_that_do() -> None:
    some = found(*FOUND, watching=WATCHING)
    said = "found to learn somebody's row; others, and fewer, may too: network; shuffler-1; "
    assert successes(some) == f"{said}curator + shuffler-2"
    assert successes_with_attacks(some).endswith("curator + shuffler-2 (watching is enough)")
    assert sentence(OUTSIDE_CATALOGUE) in notes(some)


def small(**keys: object) -> Scenario:
    base = {"population.users": 20, "policy.max_exposure": 0.6}
    return changed(load("blood-type"), {**base, **keys}, ())


def test_every_attack_on_a_person_is_tried_and_what_only_a_seed_tells_is_not() -> None:
    opened = {"policy.kind": "threshold", "policy.k": 3}
    tried = {
        attempt.scenario.fault[-1].attack
        for keys in ({}, opened)
        for attempt in attempts(small(**keys))
    }
    learning = {
        name
        for name, attack in ATTACKS.items()
        if (attack.learns or attack.rows_read) and "scenario.seed" not in attack.switches
    }
    assert tried == learning
    assert {"subtract", "surround", "swap", "thin-out", "intersect", "rerun"} <= tried
    assert "predictable" not in tried


def test_who_commits_and_who_helps_is_the_coalition() -> None:
    secret = {attempt.row: (attempt.party_names, attempt.friends) for attempt in attempts(small())}
    public = {
        attempt.row: (attempt.party_names, attempt.friends)
        for attempt in attempts(small(**{"policy.publish_marginals": True}))
    }
    assert secret["subtract"] == (("curator", "shuffler-1"), 0)
    assert public["subtract"] == (("shuffler-1",), 0)
    assert secret["swap"] == (("curator", "shuffler-1"), 1)
    assert public["thin-out"] == (("shuffler-1",), 9)
    assert secret["rerun"] == (("curator",), 0)
    assert public["single-out-release"] == (("analyst", "shuffler-1"), 0)


def test_among_peers_a_coalition_is_so_many_people() -> None:
    tried = {
        attempt.row: (attempt.party_names, attempt.friends) for attempt in attempts(load("village"))
    }
    assert tried == {"provoke": ((), 1)}


@pytest.mark.slow
def test_what_is_measured_has_its_interval_and_when_it_was_noticed() -> None:
    """A first shuffler alone reads a row; where marginals are public, that burns before it does."""
    whole = measure(small(), 7, 2)
    attacks = {attack.attack: attack for attack in whole.attacks}
    alone = attacks["surround"]
    assert (alone.read, alone.before, alone.after, alone.never) == (2, 0, 2, 0)
    assert alone.low == pytest.approx(0.025 ** (1 / 2))  # Clopper-Pearson of two of two
    assert alone.high == 1
    assert attacks["split-view"].read == attacks["rerun"].read == attacks["intersect"].read == 0
    both = LinkingCoalition(("curator", "shuffler-1", "shuffler-2"))
    assert both in whole.watching
    public = measure(small(**{"policy.publish_marginals": True}), 7, 1)
    attacks = {attack.attack: attack for attack in public.attacks}
    assert attacks["surround"].read == attacks["subtract"].read == 0


@pytest.mark.slow
def test_without_the_guard_it_is_read_and_never_noticed() -> None:
    keys = {"defence.sums": False, "defence.burn": False, "mix.lesson": True}
    attacks = {attack.attack: attack for attack in measure(small(**keys), 7, 2).attacks}
    for attack in ("surround", "subtract", "intersect", "rerun"):
        assert (attacks[attack].read, attacks[attack].never) == (2, 2), attack


@pytest.mark.slow
def test_with_tokens_a_first_shuffler_needs_the_reader_whose_own_alarm_is_none() -> None:
    keys = {"defence.registered": True, "defence.tokens": True}
    outcome = measure(small(**keys), 7, 2)
    reading = {attack.attack: attack for attack in outcome.attacks if attack.read}
    assert set(reading) == {"single-out", "single-out-release"}
    assert all(attack.never == 2 for attack in reading.values())
    assert {coalition.parties for coalition in outcome.smallest} == {
        ("analyst", "shuffler-1"),
        ("curator", "shuffler-1"),
    }


SHOT = AttackRun(7, 1.0, 1.0, True, "never")
STUDY = CheatingStudy(
    version="0.1.0",
    scenario="blood-type",
    mark=mark_of(small()),
    seed=7,
    runs=2,
    users=20,
    handlers=("curator",),
    watching=(),
    attempts=(
        AttackRuns("rerun", ("curator",), 0, "values", (SHOT,)),
        AttackRuns("surround", ("shuffler-1",), 0, "values"),
    ),
)


def test_a_study_is_kept_and_read_again(tmp_path: Path) -> None:
    assert file.read(tmp_path, small()) is None
    file.save(STUDY, tmp_path)
    assert file.read(tmp_path, small()) == STUDY
    assert (STUDY.played, STUDY.due, STUDY.whole) == (1, 4, False)
    assert [attack.attack for attack in STUDY.attacks] == ["rerun"]


LATER = AttackRuns("rerun", (), 0, "values", (replace(SHOT, seed=9),))
ABOVE = AttackRuns("rerun", (), 0, "values", (replace(SHOT, value=2.0),))
WRONG = {
    "about another scenario": replace(STUDY, mark="0" * 64),
    "schema 9": replace(STUDY, schema=9),
    "runs are missing or out of order": replace(STUDY, attempts=(LATER,)),
    "rerun: runs": replace(STUDY, attempts=(ABOVE,)),
}


@pytest.mark.parametrize("why", WRONG)
def test_what_is_no_study_of_this_run_is_refused(why: str, tmp_path: Path) -> None:
    file.save(WRONG[why], tmp_path)
    with pytest.raises(StorageError, match=why):
        file.read(tmp_path, small())


@pytest.mark.parametrize("text", ["", "[]", "{}", "\xff", '{"schema": 1, "more": 2}'])
def test_what_is_damaged_says_what_to_do(text: str, tmp_path: Path) -> None:
    (tmp_path / file.CHEATING).write_bytes(text.encode("latin-1"))
    with pytest.raises(StorageError, match="remove it, and `veilmix leak RUN --cheating`"):
        file.read(tmp_path, small())


def test_what_was_played_is_not_played_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C keeps what is done; the same again goes on, and more runs are added to it."""
    played: list[tuple[str, int]] = []

    def play(trial: cheating.AttemptTrial) -> AttackRun:
        if len(played) == 2:
            raise KeyboardInterrupt
        played.append((trial.attempt.row, trial.seed))
        return replace(SHOT, seed=trial.seed)

    monkeypatch.setattr(cheating, "play", play)
    kept: list[CheatingStudy] = []
    with pytest.raises(CheatingStopped) as stopped:
        study(small(), STUDY, keep=kept.append)
    outcome = stopped.value.study
    assert played == [("surround", 7), ("rerun", 8)]
    assert (outcome.played, outcome.whole) == (3, False)
    assert [state.played for state in kept] == [2]
    played.clear()
    outcome = study(small(), outcome)
    assert played == [("surround", 8)]
    assert outcome.whole
    begun = replace(
        STUDY, runs=3, attempts=tuple(replace(attempt, shots=()) for attempt in STUDY.attempts)
    )
    more = file.grown(begun, outcome)
    assert (more.played, more.due) == (4, 6)
    played.clear()
    assert study(small(), more).whole
    assert played == [("rerun", 9), ("surround", 9)]
    for other in (replace(outcome, seed=8), replace(outcome, version="9"), None):
        assert file.grown(begun, other) == begun
    assert file.grown(replace(begun, runs=1), outcome).runs == 2


def test_what_cannot_be_measured_is_said() -> None:
    with pytest.raises(ParameterError, match="runs: found 0"):
        begin(small(), 7, 0)
    with pytest.raises(DataError, match="add noise"):
        begin(load("randomized-class"), 7, 1)
    assert file.unmeasured(load("randomized-class"))
    assert not file.unmeasured(load("village"))
