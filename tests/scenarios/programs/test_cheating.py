"""Cheating coalitions: the worst of any attack, in how many runs, and when it was noticed."""

import pytest
from veilmix.scenarios.catalogue.registry import ATTACKS
from veilmix.scenarios.schema.model import Scenario
from veilmix.scenarios.studies.attack_plan import changed
from veilmix.scenarios.studies.cheating import (
    Cheated,
    attempts,
    by_coalition,
    measure,
    smallest,
    worst_of,
)
from veilmix.scenarios.validation.load import load


def cheated(attack: str, who: str, friends: int = 0, read: int = 4, never: int = 4) -> Cheated:
    rest = read - never
    parties = tuple(who.split())
    return Cheated(attack, parties, friends, 4, read, 0.1, 0.9, 1.0, 1.0, "rows", 0, rest, never)


FOUND = (
    cheated("alone", "shuffler-1", read=2, never=0),
    cheated("both", "curator shuffler-1"),
    cheated("friend", "shuffler-1", friends=1),
    cheated("nothing", "curator", read=0, never=0),
    cheated("wires", "network", read=1, never=1),
)


def test_the_worst_of_a_coalition_is_that_of_any_part_of_it() -> None:
    worst = {(one.parties, one.friends): one.worst for one in by_coalition(FOUND, ("analyst",))}
    named = {key: one.attack if one else None for key, one in worst.items()}
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


def test_the_smallest_have_no_part_that_reads_anything() -> None:
    assert [one.coalition for one in smallest(FOUND)] == ["network", "shuffler-1"]


def small(**keys: object) -> Scenario:
    base = {"population.users": 20, "policy.max_exposure": 0.6}
    return changed(load("blood-type"), {**base, **keys}, ())


def test_every_attack_on_a_person_is_tried_and_what_only_a_seed_tells_is_not() -> None:
    tried = {one.row for one in attempts(small())}
    learning = {
        name
        for name, one in ATTACKS.items()
        if one.learns is not None and "scenario.seed" not in one.switches
    }
    assert tried == learning
    assert {"subtract", "surround", "swap", "thin-out", "intersect", "rerun"} <= tried
    assert "predictable" not in tried


def test_who_commits_and_who_helps_is_the_coalition() -> None:
    secret = {one.row: (one.who, one.friends) for one in attempts(small())}
    public = {
        one.row: (one.who, one.friends)
        for one in attempts(small(**{"policy.publish_marginals": True}))
    }
    assert secret["subtract"] == (("curator", "shuffler-1"), 0)
    assert public["subtract"] == (("shuffler-1",), 0)
    assert secret["swap"] == (("curator", "shuffler-1"), 1)
    assert public["thin-out"] == (("shuffler-1",), 9)
    assert secret["rerun"] == (("curator",), 0)


@pytest.mark.slow
def test_what_is_measured_has_its_interval_and_when_it_was_noticed() -> None:
    """A first shuffler alone reads a row; where marginals are public, that burns before it does."""
    found = {one.attack: one for one in measure(small(), 7, 3)}
    alone = found["surround"]
    assert (alone.read, alone.before, alone.after, alone.never) == (3, 0, 3, 0)
    assert alone.low == pytest.approx(0.025 ** (1 / 3))  # Clopper-Pearson of three of three
    assert alone.high == 1
    assert found["split-view"].read == found["rerun"].read == found["intersect"].read == 0
    public = {one.attack: one for one in measure(small(**{"policy.publish_marginals": True}), 7, 2)}
    assert public["surround"].read == public["subtract"].read == 0


@pytest.mark.slow
def test_without_the_guard_it_is_read_and_never_noticed() -> None:
    keys = {"defence.sums": False, "defence.burn": False, "mix.lesson": True}
    found = {one.attack: one for one in measure(small(**keys), 7, 2)}
    for attack in ("surround", "subtract", "intersect", "rerun"):
        assert (found[attack].read, found[attack].never) == (2, 2), attack
