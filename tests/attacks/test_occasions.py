"""An attack that never finds an occasion ends a run with an error that says why.

For every attack of the catalogue a session in which what it waits for does not occur, or the reason
why it always acts.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import attack_kit as KIT
import pytest
from veilmix.errors import DataError
from veilmix.scenarios.attacks.catalogue.registry import ATTACKS
from veilmix.scenarios.lab.play.run import run
from veilmix.scenarios.lab.validation.load import load
from veilmix.scenarios.programs.topology import PEERS
from veilmix.scenarios.schema.model import Scenario
from veilmix.scenarios.studies.matrix.attack_plan import changed

AWAY = {"attack": "absent", "by": "user-*"}
USER_1_AWAY = {"attack": "absent", "by": "user-1"}
UNSAFE = {"policy__kind": "exposure", "policy__max_exposure": 0.0, "policy__k": 30}
OPENED = {"policy__kind": "threshold", "policy__k": 3}
NOISY = {
    "policy__kind": "histogram",
    "local__mechanism": "grr",
    "local__epsilon": 1.0,
}
ENDED = "and the session ended after round 1"
NO_BATCH = "and the session was burned in round 1"
PREVAIL = "no person commits it"
LOOKS = "it looks at what people send, and none of them sent anything"
# Every session calls a first round, in which invented people are asked, whatever guards are on.
ALWAYS = ("flood", "isolate")


class Case(NamedTuple):
    """A session without an occasion for an attack, which is the last of its entries."""

    before: tuple[KIT.Keys, ...]
    keys: Mapping[str, Any]
    why: str
    switches: Mapping[str, Any] = {}
    after: tuple[KIT.Keys, ...] = ()


def away(**switches: Any) -> Case:
    return Case((AWAY,), {}, LOOKS, switches)


def unsafe(why: str = ENDED, **keys: Any) -> Case:
    return Case((), keys, why, UNSAFE)


def of_shuffler(**keys: Any) -> dict[str, Any]:
    return {"by": "shuffler-1", **keys}


ROUND_2 = "round 2 was not called, and the session ended after round 1"
CASES: Mapping[str, Case] = {
    **dict.fromkeys(
        ("absent", "late", "duplicate", "malformed", "false-alarm"),
        unsafe(ROUND_2, users=3, round=2),
    ),
    "poison": Case((), {"share": 0.01}, PREVAIL),
    "stuff": Case((), {"by": "user-1", "round": 2}, "and the session ended after round 2"),
    **dict.fromkeys(
        ("guess-row", "junk-share"),
        Case((), {"by": "user-1"}, PREVAIL, OPENED, (USER_1_AWAY,)),
    ),
    "poison-reports": Case((), {"by": "user-1"}, PREVAIL, NOISY, (USER_1_AWAY,)),
    "provoke": Case((), {"by": "user-1"}, "it waits for peers"),
    **dict.fromkeys(
        ("copy", "drop", "tag"),
        Case((), of_shuffler(rate=0.001), "answers enough to strike one"),
    ),
    **dict.fromkeys(
        ("drop-people", "substitute"),
        Case((USER_1_AWAY,), of_shuffler(target="user-1"), "with a person to strike"),
    ),
    **dict.fromkeys(("forward", "wrong-digest"), Case((AWAY,), of_shuffler(), NO_BATCH)),
    "pre-empt": Case((), of_shuffler(), "that is not the last one", {"mix__shufflers": 1}),
    "single-out": unsafe(ROUND_2, **of_shuffler(round=2)),
    **dict.fromkeys(("subtract", "surround", "swap"), unsafe(**of_shuffler())),
    "thin-out": unsafe(**of_shuffler(users=3)),
    "block": Case((USER_1_AWAY,), {"target": "user-1"}, "it waits for a message of one of those"),
    "delay": Case((AWAY,), {}, NO_BATCH),
    "intersect": Case((), {"users": 1}, "from which one of those who come and go stays away"),
    "replay": Case((USER_1_AWAY,), {"target": "user-1"}, "it waits for a message of the target"),
    "split-view": Case(
        (),
        {"target": "user-1"},
        "a post that the target is shown otherwise",
        after=({"attack": "equivocate", "target": "user-1"},),
    ),
    "equivocate": Case(
        (),
        {"target": "user-1"},
        "it waits for the announcement",
        after=({"attack": "equivocate", "target": "user-2"},),
    ),
    "lie": Case((), {}, "it waits for a decision that leaves a column out"),
    "lie-marginals": Case((AWAY,), {}, NO_BATCH),
    "overlap": unsafe("it waits for a release in the session before"),
    "rerun": Case((AWAY,), {}, "it waits for counts in the session before"),
    "lie-counts": unsafe("it waits for a release in which people differ"),
    **dict.fromkeys(
        ("bundle", "collude", "dictionary", "dropout", "one-key", "one-salt", "order"), away()
    ),
    **dict.fromkeys(("predictable", "size"), away()),
    **dict.fromkeys(("count-closed", "try-rows"), away(**OPENED)),
    "inside-reports": away(**NOISY),
}
SLOW = ("intersect", "inside-reports", "poison-reports")
SEED = {"intersect": 8}  # its one person comes to each of the four sessions before


def scenario(name: str, case: Case) -> Scenario:
    entry = {"attack": name, **case.keys}
    return KIT.scenario(*case.before, entry, *case.after, **case.switches)


def test_every_attack_has_a_case_or_always_acts() -> None:
    assert {*CASES, *ALWAYS} == {*ATTACKS}
    assert not CASES.keys() & {*ALWAYS}


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] * (name in SLOW)) for name in CASES]
)
def test_an_attack_without_an_occasion_is_an_error_that_says_why(name: str) -> None:
    case = CASES[name]
    with pytest.raises(DataError) as wrong:
        run(scenario(name, case), SEED.get(name, 7), worst_case_nodes=0)
    (said,) = str(wrong.value).splitlines()
    assert said.startswith(f'fault[{len(case.before)}]: attack "{name}" by ')
    assert " found no occasion: " in said
    assert case.why in said


@pytest.mark.parametrize("name", ["absent", "drop", "tag", "lie", "provoke"])
def test_a_peer_without_an_occasion_is_an_error_too(name: str) -> None:
    """Nothing is safe enough, so no second round is called."""
    terms = {"policy.max_exposure": 0.0, "policy.k": 12}
    entry = {"attack": name, "by": "peer-3", "round": 2}
    with pytest.raises(DataError, match=f'fault.0.: attack "{name}" by peer-3 .*round 2 was not'):
        run(changed(load("village"), terms, [entry]), worst_case_nodes=0)


def test_a_peer_that_never_comes_has_acted() -> None:
    entry = {"attack": "absent", "by": "peer-3", "round": 1}
    run(changed(load("village"), {}, [entry]), worst_case_nodes=0)


def test_accomplices_of_an_attack_that_a_guard_stopped_are_no_error() -> None:
    """The second shuffler shows the order, burns the round, and has no batch to forward itself."""
    both = [{"attack": "forward", "by": f"shuffler-{hop}"} for hop in (1, 2)]
    outcome = KIT.attack(*both)
    assert KIT.alarms(outcome) == ["order"]
    assert outcome.burned is not None


def test_an_attack_beside_one_that_a_guard_stopped_is_an_error() -> None:
    late = {"attack": "subtract", "by": "shuffler-1"}
    with pytest.raises(DataError, match=r"fault\[1\].*subtract.*was burned in round 1"):
        KIT.attack({"attack": "forward", "by": "shuffler-1"}, late)


def test_each_entry_of_an_attack_needs_its_own_occasion() -> None:
    two = ({"attack": "absent", "by": "user-1", "round": 1}, {**USER_1_AWAY, "round": 2})
    with pytest.raises(DataError) as wrong:
        KIT.attack(*two, **UNSAFE)
    assert str(wrong.value).startswith("fault[1]: ")


def test_all_entries_without_an_occasion_are_named() -> None:
    two = ({"attack": "subtract", "by": "shuffler-1"}, {"attack": "lie-counts"})
    with pytest.raises(DataError) as wrong:
        KIT.attack(*two, **UNSAFE)
    assert [line[:9] for line in str(wrong.value).splitlines()] == ["fault[0]:", "fault[1]:"]


def test_what_an_attack_of_several_sessions_does_in_those_before_counts() -> None:
    """The crash is in the session before; in the last one the target says nothing."""
    assert KIT.effect(KIT.attack({"attack": "rerun"}, defence__burn=False)).value == 3


def test_an_attack_that_is_carried_out_waits_for_something() -> None:
    for name, attack in ATTACKS.items():
        assert attack.looks or attack.waits, name
        if peers := attack.among(PEERS.name):
            assert peers.looks or peers.waits, name
