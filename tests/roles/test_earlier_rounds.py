"""A round is compared with every earlier one, by each party that compares; not with one of them."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
import role_kit as KIT
from veilmix.crypto.entropy import SeededEntropy
from veilmix.errors import RoundBurned
from veilmix.protocol.rounds.round_context import Round, open_round
from veilmix.protocol.rounds.tallying import BallotReading
from veilmix.protocol.wire.announcement import AnnouncedPolicy, Program, Rules, Setting
from veilmix.protocol.wire.messages import Burned
from veilmix.roles import mint, shuffler
from veilmix.roles.cast import Guards

pytestmark = pytest.mark.memory

MANY = 24
PEOPLE = KIT.people(MANY)
PAIRS = (((0, 1), (0, 2), (1, 2)), ())
TRIPLE = (((0, 1, 2),), ())
# Who is absent in which rounds, and the round that the last one differs from by one person.
FEW: dict[str, tuple[dict[str, Any], str]] = {
    "the first": (
        {f"user_{i}": ("absent", [2]) for i in range(1, 5)} | {"user_5": ("absent", [3])},
        "an earlier round",
    ),
    "the last": (
        {f"user_{i}": ("absent", [2, 3]) for i in range(1, 5)} | {"user_5": ("absent", [3])},
        "the round before",
    ),
}


def played(rounds: Sequence[Any], **changes: Any) -> KIT.Run:
    fields: dict[str, Any] = {
        "program": Program.HIERARCHICAL,
        "decide": KIT.Asking(rounds),
        "rules": Rules(min_dropout=3, min_batch=4),
        "shufflers": 2,
    }
    return KIT.run(KIT.cast(PEOPLE, **fields | changes))


def burned_by(run: KIT.Run) -> str:
    """Who has burned the session."""
    (author,) = (entry.author for entry in run.board.entries if type(entry.message.body) is Burned)
    return author


def everybody_in(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the first shuffler take envelopes of whoever sends one."""
    monkeypatch.setattr(shuffler._Memory, "invites", lambda *_: True)


def uncounted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the first shuffler hand on however few are missing."""
    everybody_in(monkeypatch)
    monkeypatch.setattr(shuffler, "check_rounds", lambda *_: None)


@pytest.mark.parametrize("name", FEW)
def test_the_first_shuffler_compares_with_every_round(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    everybody_in(monkeypatch)
    absent, since = FEW[name]
    run = played([PAIRS, TRIPLE], faults=KIT.attack(**absent))
    assert run.board.burned is not None
    assert f"1 of {20 if name == 'the last' else MANY} people are missing since {since}" in (
        run.board.burned
    )
    assert burned_by(run) == "shuffler-1"


@pytest.mark.parametrize(("rounds", "reader"), [([PAIRS, TRIPLE], "curator"), ([PAIRS], "analyst")])
@pytest.mark.parametrize("name", FEW)
def test_either_reader_compares_with_every_round(
    name: str, rounds: Sequence[Any], reader: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever the first shuffler hands on."""
    uncounted(monkeypatch)
    absent, since = FEW[name]
    run = played(rounds, faults=KIT.attack(**absent))
    assert run.board.burned is not None
    assert f"people are missing since {since}" in run.board.burned
    assert burned_by(run) == reader
    assert len(run.board.tallies) == 2


@pytest.mark.parametrize("name", FEW)
def test_keyholders_compare_names_with_every_round(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    uncounted(monkeypatch)
    absent, _ = FEW[name]
    rules = Rules(min_dropout=3, min_batch=4, challenge=True)
    guards = Guards(registered=MANY)
    run = played([PAIRS], rules=rules, guards=guards, faults=KIT.attack(**absent))
    assert run.board.burned is not None
    assert run.board.burned.startswith("1 people were accepted in one of two rounds only")
    assert len(run.board.tallies) == 2


def of(number: int, setting: Setting = Setting.FIXED) -> Round:
    """A round of a session with tokens, by its number."""
    rules = Rules(min_dropout=3, tokens=True)
    board = KIT.run(KIT.people(6), rules=rules, guards=Guards(registered=6)).board
    told = board.announcement
    assert told is not None
    delta = 0.1 if setting is Setting.STATISTICAL else 0.0
    told = replace(told, policy=replace(told.policy, setting=setting, delta=delta))
    return open_round(told, board.session, replace(board.calls[0], round=number))


def names(many: int, first: int = 0) -> set[str]:
    return {f"user-{i + 1}" for i in range(first, first + many)}


@pytest.mark.parametrize("many", [(24, 20, 23), (24, 20, 19)])
def test_whoever_gives_tokens_compares_with_every_round(many: tuple[int, ...]) -> None:
    plan = of(3)
    people = {number: names(here) for number, here in enumerate(many, start=1)}
    desk = mint.TokenDesk(SeededEntropy(1), people=people)
    reading = BallotReading([Counter({("red",): many[-1]}) for _ in plan.call.asks])
    with pytest.raises(RoundBurned, match=r"^1 of "):
        desk.check(plan, reading, many[-1])
    desk.people[3] = names(17)
    desk.check(plan, BallotReading([Counter({("red",): 17}) for _ in plan.call.asks]), 17)


def test_whoever_was_in_any_round_is_not_asked_again_where_each_has_its_own() -> None:
    """In the statistical setting."""
    plan = of(3, Setting.STATISTICAL)
    memory, desk = shuffler._Memory(), mint.TokenDesk(SeededEntropy(1))
    for number in (1, 2):
        memory.note(plan, names(10, 10 * number))
        desk.people[number] = names(10, 10 * number)
    for asked in (memory, desk):
        assert [asked.invites(plan, f"user-{i}") for i in (11, 21, 31)] == [False, False, True]


def test_whoever_was_away_is_not_let_in_again_where_all_are_the_same() -> None:
    plan = of(3)
    memory, desk = shuffler._Memory(), mint.TokenDesk(SeededEntropy(1))
    for number, here in ((1, 20), (2, 15)):
        memory.note(plan, names(here))
        desk.people[number] = names(here)
    for asked in (memory, desk):
        assert [asked.invites(plan, f"user-{i}") for i in (15, 16, 21)] == [True, False, False]


SAID = {
    1: KIT.ballots((0, ("green",)), (1, ("Oslo",)), (2, ("yes",))),
    2: KIT.ballots((0, ("green", "Oslo")), (1, ("green", "yes")), (2, ("Oslo", "yes"))),
}


@pytest.mark.parametrize("reader", ["curator", "analyst"])
@pytest.mark.parametrize("number", SAID)
def test_a_release_is_compared_with_the_counts_of_every_round(number: int, reader: str) -> None:
    """One person, who is red, says green in one of the rounds before."""
    assert PEOPLE[0] == ("red", "Oslo", "yes")
    run = played(
        [PAIRS],
        policy=AnnouncedPolicy(2, 0.5, "hierarchical", reader == "analyst"),
        faults={"user-1": lambda network, party: KIT.Saying(network, party, number, SAID[number])},
    )
    assert run.board.burned is not None
    assert f"does not fit what was counted in round {number}" in run.board.burned
    assert burned_by(run) == reader
