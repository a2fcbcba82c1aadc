"""Shipped scenarios with a verified mix and a keyholder that cheats: each is refused, and named.

Without the check of a proof the same cheat goes through, and changes what is counted.
"""

from typing import Any

import pytest
from veilmix.errors import ScenarioError
from veilmix.protocol.board.board import replay
from veilmix.scenarios.lab.play.run import run
from veilmix.scenarios.lab.scoring.outcome import Outcome
from veilmix.scenarios.lab.validation.load import load, loads

CHECKS = {
    "shuffle": "veilmix.protocol.rounds.verified_round.check_shuffle",
    "shares": "veilmix.protocol.rounds.verified_round.check_shares",
}
BURNED = {
    "verified-exchange": "the shuffle of shuffler-1 does not check (question 1)",
    "verified-repeat": "the shuffle of shuffler-2 does not check (question 1)",
    "verified-forged-proof": "the shuffle of shuffler-2 does not check (question 1): malformed",
    "verified-wrong-share": "the decryption shares of shuffler-1 do not check (question 1)",
    "verified-no-share": "no decryption shares came from shuffler-1",
    "verified-no-boxes": "no verdict on ballots came from curator",
    "verified-other-list": "no verdict on ballots came from shuffler-2",
    "verified-foreign-key": "no keys for ballots came from shuffler-2",
}


def played(name: str) -> Outcome:
    return run(load(name), worst_case_nodes=0)


@pytest.mark.slow
@pytest.mark.parametrize("name", BURNED)
def test_a_cheat_is_named_and_nothing_of_its_round_is_counted(name: str) -> None:
    outcome = played(name)
    assert outcome.burned is not None
    assert outcome.burned.startswith(BURNED[name])
    assert sum(outcome.counted) == 0
    assert not outcome.marginals
    assert outcome.release is None


def givers(outcome: Outcome) -> set[str]:
    """The keyholders with decryption shares of round 1 on the board."""
    assert outcome.transcript is not None
    return set(replay(outcome.transcript.posts).verified.shared.get(1, ()))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "other"),
    [("verified-exchange", "shuffler-2"), ("verified-repeat", "shuffler-1")],
)
def test_without_the_check_honest_shufflers_open_a_changed_list(
    name: str, other: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The role of the cheat itself still leaves: the board shows another list than it has made."""
    assert givers(played(name)) == set()
    monkeypatch.setattr(CHECKS["shuffle"], lambda *_: None)
    assert givers(played(name)) == {other}


@pytest.mark.slow
def test_without_the_check_a_wrong_share_changes_counts_unnoticed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(CHECKS["shares"], lambda *_: None)
    outcome, honest = played("verified-wrong-share"), played("verified-class")
    assert sum(outcome.counted)
    assert outcome.marginals != honest.marginals


@pytest.mark.slow
def test_the_class_itself_is_honest() -> None:
    outcome = played("verified-class")
    assert outcome.burned is None
    assert outcome.release
    assert load("verified-class").deviation == ()


FILE = """
[scenario]
name = "s"
[population]
source = "builtin:blood-type"
users = 12
[mix]
kind = "verified"
[[deviation]]
by = "{by}"
do = "{do}"
message = "{message}"
{more}
"""


@pytest.mark.parametrize(
    ("keys", "why"),
    [
        ({"do": "omit", "message": "tally"}, "accepts omit, delay, change of the posts keys"),
        ({"do": "ignore", "message": "shuffled"}, "accepts omit, delay, change of the posts keys"),
        ({"by": "user-1", "do": "change", "message": "shuffled"}, 'found "user-1"'),
    ],
)
def test_other_deviations_are_refused_with_a_reason(keys: dict[str, Any], why: str) -> None:
    given = {"by": "shuffler-1", "more": ""} | keys
    with pytest.raises(ScenarioError, match=why):
        loads(FILE.format(**given))
