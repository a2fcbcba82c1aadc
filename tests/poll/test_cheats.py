"""Cheating in class: what each attack gets, and what pupils can see of it."""

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from phone_kit import Class, Client, together, unhurried
from pupil_kit import alone, narrow
from veilmix.cli.commands.poll import CHEATS as OFFERED
from veilmix.errors import ParameterError
from veilmix.poll.cheats import CHEATS, happened, with_cheat
from veilmix.poll.questions import DEMO, read_questions
from veilmix.poll.record import outcome_of_phones
from veilmix.scenarios.records.run_folder import read, save
from veilmix.scenarios.records.verification.checks import verify

pytestmark = pytest.mark.slow

TWO = (("on foot", "yes", "never"), ("by car", "no", "once"))
FEW = (
    ("by bicycle", "yes", "once"),
    ("by bus or train", "no", "never"),
    ("by car", "yes", "never"),
)
ROWS = [*FEW, *FEW[:1], *TWO * 4]  # small crowds, and two large ones


def scenario(name: str) -> Any:
    return with_cheat(unhurried(read_questions(DEMO)), name)


def held(name: str, rows: Sequence[Sequence[str]] = ROWS) -> tuple[Any, list[Client], Any]:
    """A class in which somebody cheats: what it leaves, its phones, and what it came to."""
    with Class(scenario(name), len(rows)) as room:
        clients = [Client(room.address, f"pupil {i}", row) for i, row in enumerate(rows)]
        together(clients)
    outcome = outcome_of_phones(room.scenario, room.done())
    assert outcome is not None
    assert all(client.facts["happened"] == happened(room.scenario) for client in clients)
    return room.done(), clients, outcome


def test_what_the_command_offers_is_what_there_is() -> None:
    assert sorted(OFFERED) == sorted(CHEATS)
    assert happened(read_questions(DEMO)) is None
    plain = read_questions(DEMO)
    other = replace(plain, policy=replace(plain.policy, kind="hierarchical"))
    with pytest.raises(ParameterError, match=r"--cheat drop: found policy.kind 'hierarchical'"):
        with_cheat(other, "drop")


def test_without_padding_the_first_shuffler_reads_everybody(tmp_path: Path) -> None:
    _, clients, outcome = held("size")
    (effect,) = outcome.attacks
    assert (effect.attack, effect.value, effect.of) == ("size", 36.0, 36.0)
    assert all(client.counted() == [True, True] for client in clients)  # the board does not show it
    checks = verify(read(save(outcome, tmp_path)))
    assert [check.name for check in checks if check.ok is False] == []


def test_one_person_among_made_up_ones_is_read_and_no_phone_sees_it() -> None:
    _, clients, outcome = held("surround")
    (effect,) = outcome.attacks
    assert effect.value == effect.of > 0  # every released value of whoever answered first
    assert all(client.counted() == [True, True] for client in clients)


def test_a_curator_that_lies_breaks_its_promise_in_what_it_publishes() -> None:
    ways, slept = ("by bicycle", "by bus or train"), ("yes", "no")
    alone_in_it = [(way, answer, "never") for way in ways for answer in slept]
    done, _, outcome = held("lie-marginals", [*alone_in_it, *TWO * 4])
    counts = done.board.tallies[-1].counts[0]
    small = sum(many for many in counts.values() if many < outcome.scenario.policy.k)
    assert small / sum(counts.values()) > outcome.scenario.policy.max_exposure


def test_that_answers_are_lost_every_phone_sees_alike() -> None:
    _, clients, outcome = held("drop")
    (effect,) = outcome.attacks
    assert effect.value > 0
    assert all(client.counted()[0] is False for client in clients)
    assert outcome.refused["does-not-open"] >= 7  # of 36 answers one in five, in round 1


def test_a_phone_says_how_it_was_read(new_phone: Callable[[str], Any]) -> None:
    with Class(scenario("size"), 6) as room:
        pages = [new_phone(room.address) for _ in range(2)]
        clients = [Client(room.address, f"pupil {i}", row) for i, row in enumerate(TWO * 2)]
        for number, page in enumerate(pages):
            alone(page, f"phone {number}", (number, number, 0))
        together(clients)
        for page in pages:
            page.wait_for_selector("h2:has-text('Somebody has cheated')")
        first, second = [str(page.inner_text("main")) for page in pages]
        assert all(narrow(page) for page in pages)
    known = "knows for certain, for no other answer is as long: "
    assert f"{known}on foot, yes, never." in first
    assert f"{known}by bicycle, no, never." in second
    assert "the promise was" in first
    assert "the guard pad was off" in first


def test_the_lesson_names_every_cheat_and_takes_twenty_minutes() -> None:
    page = (Path(__file__).parents[2] / "docs" / "cheating-in-class.md").read_text("utf-8")
    for name in CHEATS:
        assert f"| `{name}` |" in page
    minutes = [int(figure) for figure in re.findall(r"^\| (\d+) \|", page, re.MULTILINE)]
    assert sum(minutes) == 20
    assert "[cheating-in-class.md](cheating-in-class.md)" in (
        Path(__file__).parents[2] / "docs" / "README.md"
    ).read_text("utf-8")
