"""Whoever keeps the board shows one person another."""

import attack_kit as KIT
import pytest
from veilmix.protocol.board.alarms import check_alarm
from veilmix.protocol.wire.signed_posts import Fork, fork_between

SPLIT = {"attack": "split-view", "target": "user-3"}


@pytest.mark.parametrize("compare", [True, False])
def test_without_signatures_the_targets_row_is_read(compare: bool) -> None:
    """To compare what one was told with the board one is shown does not help."""
    outcome = KIT.attack(SPLIT, defence__signed=False, defence__compare=compare)
    assert KIT.effect(outcome).value == KIT.effect(outcome).of == 3
    assert KIT.alarms(outcome) == []
    assert KIT.totals(outcome) == [29, 29, 29]


def test_who_knows_the_identities_does_not_answer_and_proves_the_lie() -> None:
    outcome = KIT.attack(SPLIT)
    assert KIT.effect(outcome).value == 0
    assert KIT.alarms(outcome) == ["split"]
    assert outcome.alarms[0].party == "user-3"
    board = KIT.board_of(outcome)
    assert board.roster is not None
    ((_, alarm),) = board.alarms
    check_alarm(board, alarm)
    fork = fork_between(board.roster, board.heads[1], alarm.evidence)
    Fork.decode(fork.encode()).check(board.roster.board)  # by anybody who knows the board


def test_whoever_holds_no_wires_reads_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    from veilmix.roles.adversary_record import AdversaryRecord

    monkeypatch.setattr(AdversaryRecord, "misled", lambda *_: None)
    outcome = KIT.attack(SPLIT, defence__signed=False)
    assert KIT.effect(outcome).value == 0


@pytest.mark.slow
@pytest.mark.parametrize("signed", [True, False])
def test_what_is_proved_of_one_session_has_no_like_on_another_board(signed: bool) -> None:
    """Shares of a round's lock: the forged board stops there, and the run goes on without one."""
    guards = {"defence__registered": True, "defence__challenge": True, "defence__signed": signed}
    outcome = KIT.attack(SPLIT, **guards)
    assert KIT.effect(outcome).value == 0
    assert KIT.totals(outcome) == [29, 29, 29]
