"""`veilmix verify` says which sentences of the theorem a record proves (theorem.py)."""

from dataclasses import replace
from pathlib import Path

import pytest
import verified_forger as kit
from veilmix.scenarios.records.run_folder import read, save
from veilmix.scenarios.records.verification.checks import verify
from veilmix.scenarios.records.verification.theorem import theorem_of, theorem_sentences


def proved(kind: str) -> dict[str, bool]:
    """Return the sentences of a session, and whether its record proves each."""
    return {each.text: each.proved for each in theorem_sentences(kit.Stolen(kind).board)}


def test_counts_are_proved_in_public_rounds_alone() -> None:
    for kind, public in (("secret", False), ("public", True)):
        said = proved(kind)
        assert said["round 1: the counts of 3 questions are what the ballots hold"] is public
        assert said["round 2: the counts are what the 12 listed ballots hold"] is True
        assert said["round 2: its 12 users answered as in round 1"] is False


def test_ballots_submitted_once_are_the_released_rows() -> None:
    text = (
        "round 2: the released rows are the released columns of the ballots of 12 users in round 1"
    )
    assert proved("once")[text] is True
    assert not any("answered as in round" in text for text in proved("once"))


def test_no_record_proves_secrecy_or_that_a_missing_user_was_not_kept_away() -> None:
    said = proved("statistical")
    (secrecy,) = (text for text in said if text.startswith("a coalition without one of"))
    assert said[secrecy] is False
    assert said["no user was kept away: 12 of 22 registered users are listed"] is False
    assert proved("public")["no user was kept away: 12 of 12 registered users are listed"] is True


def test_keys_are_posted_once() -> None:
    assert (
        proved("public")["each of 12 keys is its owner's, and posted once in this session"] is True
    )
    board = kit.Stolen("public").board
    keys = board.verified.keys[1]
    keys["shuffler-1"] = keys["shuffler-2"]
    said = {each.text: each for each in theorem_sentences(board)}
    assert said["each of 12 keys is its owner's, and posted once in this session"].proved is False


def test_a_round_that_ended_proves_nothing() -> None:
    board = kit.Stolen("public").board
    del board.tallies[1:]
    (ended,) = (s for s in theorem_sentences(board) if s.text.startswith("round 2"))
    assert ended.text == "round 2 was not counted: the session ended"
    assert ended.proved is False


@pytest.mark.slow
def test_no_sentence_is_proved_if_a_check_fails(tmp_path: Path) -> None:
    record = read(save(kit.play("secret"), tmp_path))
    checks = verify(record, wants_replay=False)
    assert any(each.proved for each in theorem_of(record, checks))
    failed = [replace(checks[0], ok=False), *checks[1:]]
    assert theorem_of(record, failed) == ()
