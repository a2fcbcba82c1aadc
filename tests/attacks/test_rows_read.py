"""What `isolate`, `flood`, `block`, `size` and `absent` read of people's rows: each does, and not.

Their success is something else, such as people who are not counted; `veilmix leak RUN --cheating`
asks for the rows.
"""

from typing import Any

import attack_kit as KIT
import pytest
from veilmix.scenarios.attacks.catalogue.registry import ATTACKS
from veilmix.scenarios.lab.play.fault_schedule import draw_faults
from veilmix.scenarios.lab.play.run import carrier
from veilmix.scenarios.lab.play.session_plan import SessionPlan
from veilmix.scenarios.programs.interface import Effect
from veilmix.scenarios.programs.registry import samples
from veilmix.scenarios.studies.cheating.coalition_study import attempts

SEED = 7
ANYONE = {"defence__registered": False}  # may send
ALONE = {"mix__min_batch": 1, "defence__min_dropout": 1}
N_1 = {"attack": "isolate", "target": "user-4", "users": 29}
FLOOD = {"attack": "flood", "users": 60}
ONE = {"attack": "block", "target": "user-3", "round": 2}
SIZE = {"attack": "size"}
LEAVES = {"attack": "absent", "by": "user-1", "round": 2}
ALL_BUT_ONE = {"attack": "absent", "by": "user-[2-9]"}  # of nine


def rows_read(*faults: KIT.Keys, **switches: Any) -> Effect:
    scenario = KIT.scenario(*faults, **switches)
    crowd = samples(scenario, SEED)
    faults_of = draw_faults(scenario, crowd.people.n, SEED)
    plan = SessionPlan.from_scenario(scenario, crowd, faults_of)
    played = carrier(plan)(plan, SEED, "real")
    assert played.rows_read is not None
    return played.rows_read()[-1]


READS: dict[str, tuple[tuple[KIT.Keys, ...], dict[str, Any]]] = {
    "isolate, nobody registered": ((N_1,), ANYONE),
    "isolate, marginals public": ((N_1,), {"policy__publish_marginals": True, **ANYONE}),
    "flood, one person came": ((ALL_BUT_ONE, FLOOD), {"users": 9, **ANYONE}),
    "block one of thirty": ((ONE,), {"defence__min_dropout": 1}),
    "block, marginals public": (
        (ONE,),
        {"defence__min_dropout": 1, "policy__publish_marginals": True},
    ),
    "absent, one of two": ((LEAVES,), {"users": 2, **ALONE}),
}
SPARES: dict[str, tuple[tuple[KIT.Keys, ...], dict[str, Any]]] = {
    "isolate, registered": ((N_1,), {"defence__registered": True}),
    "isolate, registered, a batch of one": (
        (N_1,),
        {"defence__registered": True, "mix__min_batch": 2},
    ),
    "flood, thirty people came": ((FLOOD,), ANYONE),
    "block, who leaves hides among nine": ((ONE,), {}),
    "block, several, who differ": (
        ({"attack": "block", "users": 12, "round": 2},),
        {"defence__min_dropout": 1},
    ),
    "block, in no round counted": (
        ({"attack": "block", "target": "user-3"},),
        {"defence__min_dropout": 1},
    ),
    "absent, one of thirty": ((LEAVES,), ALONE),
}


@pytest.mark.parametrize("case", READS)
def test_a_row_is_read(case: str) -> None:
    faults, switches = READS[case]
    effect = rows_read(*faults, **switches)
    assert effect.of == 3  # columns of blood-type, all of which are released
    assert effect.value == effect.of
    rows = ATTACKS[effect.attack].rows_read
    assert rows is not None
    assert rows.learns(effect.value, effect.of)


@pytest.mark.parametrize("case", SPARES)
def test_no_row_is_read(case: str) -> None:
    faults, switches = SPARES[case]
    effect = rows_read(*faults, **switches)
    assert effect.value < effect.of
    rows = ATTACKS[effect.attack].rows_read
    assert rows is not None
    assert not rows.learns(effect.value, effect.of)


def test_rows_are_read_from_lengths_without_padding_alone() -> None:
    lengths = [
        {"name": "x", "values": ["a", "bb"]},
        {"name": "y", "values": ["ccc", "dddd"]},
    ]
    terms: dict[str, Any] = {"source": "uniform", "users": 12, "feature": lengths}
    bare = rows_read(SIZE, **terms, **KIT.lesson(mix__pad=False))
    padded = rows_read(SIZE, **terms)
    alike = rows_read(SIZE, **KIT.lesson(mix__pad=False))  # all values have one length
    assert (bare.value, alike.value, padded.value) == (12, 0, 0)
    rows = ATTACKS["size"].rows_read
    assert rows is not None
    assert rows.learns(bare.value, bare.of)
    assert not rows.learns(alike.value, alike.of)
    assert not rows.learns(padded.value, padded.of)


def test_a_study_of_cheating_tries_them() -> None:
    tried = {attempt.row: attempt for attempt in attempts(KIT.scenario())}
    assert {"isolate", "flood", "block", "block-one", "size", "absent"} <= tried.keys()
    assert tried["isolate"].party_names == ("network",)
    assert tried["block-one"].party_names == ("curator", "network")
    assert (tried["absent"].party_names, tried["absent"].friends) == ((), 1)
    assert tried["size"].party_names == ("shuffler-1",)
