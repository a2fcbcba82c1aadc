"""An alarm about nothing ends nothing, is told as false, and cannot be large or many."""

from pathlib import Path

import attack_kit as KIT
import pytest
from veilmix.errors import Refused
from veilmix.protocol.wire.frames import Message
from veilmix.protocol.wire.messages import Alarm, Cause
from veilmix.protocol.wire.parties import shuffler, user
from veilmix.scenarios.records.result_file import read
from veilmix.scenarios.records.run_folder import save
from veilmix.scenarios.records.verification.checks import verify

FALSE = {"attack": "false-alarm", "users": 3}
LARGE = 50_000_000  # bytes


@pytest.fixture(scope="module")
def outcome():
    return KIT.attack(FALSE)


def test_it_ends_nothing_and_releases_what_was_released(outcome) -> None:
    honest = KIT.attack()
    assert outcome.burned is None
    assert (outcome.release, outcome.marginals) == (honest.release, honest.marginals)
    assert KIT.effect(outcome).value == 0


def test_it_is_told_as_false(outcome, tmp_path: Path) -> None:
    """Three people, two rounds, one alarm each: the batch in no order is the reader's to show."""
    assert [alarm.borne_out for alarm in outcome.alarms] == [False] * 6
    checks = verify(read(save(outcome, tmp_path)), wants_replay=False)
    assert all(check.ok is not False for check in checks)
    (said,) = [check.detail for check in checks if check.name == "result"]
    assert said.endswith("alarms about nothing: 6")


def test_a_run_that_says_it_was_true_is_found_out(outcome, tmp_path: Path) -> None:
    path = save(outcome, tmp_path)
    said = path / "result.json"
    said.write_text(said.read_text("utf-8").replace('"borne_out": false', '"borne_out": true'))
    run = read(path)
    assert all(alarm.borne_out for alarm in run.result.alarms)
    (check,) = [check for check in verify(run, wants_replay=False) if check.name == "result"]
    assert check.ok is False


@pytest.mark.parametrize("cause", list(Cause))
@pytest.mark.parametrize("author", [user(0), shuffler(1)])
def test_no_board_takes_evidence_larger_than_what_it_shows(
    outcome, cause: Cause, author: str
) -> None:
    board = KIT.board_of(outcome)
    posts = len(board.entries)
    alarm = Alarm(2, cause, bytes(LARGE))
    with pytest.raises(Refused):
        board.post(author, Message(board.session, 2, alarm).encode())
    assert len(board.entries) == posts


def test_one_alarm_a_round_and_cause(outcome) -> None:
    board = KIT.board_of(outcome)
    again = Message(board.session, 2, Alarm(2, Cause.DECISION)).encode()
    board.post(user(9), again)
    with pytest.raises(Refused):
        board.post(user(9), again)
    board.post(user(8), again)
