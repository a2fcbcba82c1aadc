"""Each question by itself, where phones are missing in the second round; and how often that is."""

from collections import Counter
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from msgspec.structs import replace
from phone_kit import Class, Client, unhurried
from veilmix.poll.questions import DEMO, read_questions
from veilmix.poll.singles import counts_data, lines, singles_of
from veilmix.protocol.knowledge.transcript import Read, Transcript
from veilmix.scenarios.schema.model import Fault

TOOL = Path(__file__).parents[2] / "tools" / "class_outcomes.py"
ROWS = [("on foot", "yes", "never"), ("by car", "no", "once")]
SECRET = (Counter({("a",): 1}), Counter({("yes",): 5, ("no",): 1}))


def given_up(**other: Any) -> tuple[Any, Any, Transcript, dict[int, int]]:
    """A session whose second round was given up, with one of six missing."""
    board = SimpleNamespace(
        burned="1 of 6 people are missing",
        account=lambda number, hop: None if number == 2 else hop,
        calls=[1, 2],
        alarms=[],
        decision=SimpleNamespace(kept=(1,), hidden=()),
    )
    for name, value in other.items():
        setattr(board, name, value)
    transcript = Transcript.sized(0)
    transcript.reads.append(Read("curator", 1, SECRET))
    return read_questions(DEMO), board, transcript, {1: 6, 2: 5}


def test_only_columns_that_were_to_be_published_are() -> None:
    singles = singles_of(*given_up())
    assert singles is not None
    assert list(singles.counts.values()) == [(("no", 1), ("yes", 5))]
    assert (singles.people, singles.missing) == (6, 1)
    said = " ".join([*lines(singles), str(counts_data(singles))])
    assert "5 of 6 people" in said
    assert "1 phone was silent" in said
    assert "('a'" not in said


@pytest.mark.parametrize(
    "other",
    [
        {"burned": None},  # the table is out
        {"account": lambda _number, hop: hop},  # somebody holds a table of those who stayed
        {"alarms": ["balance"]},
        {"decision": None},
        {"decision": SimpleNamespace(kept=(), hidden=())},
        {"decision": SimpleNamespace(kept=(1,), hidden=("rule",))},
        {"decision": SimpleNamespace(kept=(1, 2), hidden=("rule", ""))},
        {"decision": SimpleNamespace(kept=(1, 2), hidden=("", "rule"))},
        {"calls": [1]},
        {"calls": [1, 2, 3]},
    ],
)
def test_nothing_is_published_where_it_could_be_subtracted(other: dict[str, Any]) -> None:
    assert singles_of(*given_up(**other)) is None


def test_nothing_is_published_of_other_programs_or_where_somebody_cheats() -> None:
    scenario, *rest = given_up()
    for policy in ("hierarchical", "local-suppression"):
        other = replace(scenario, policy=replace(scenario.policy, kind=policy))
        assert singles_of(other, *rest) is None
    assert singles_of(replace(scenario, fault=(Fault(attack="size"),)), *rest) is None
    board, transcript, _ = rest
    assert singles_of(scenario, board, transcript, {1: 6, 2: 6}) is None  # nobody was missing
    assert singles_of(scenario, board, Transcript.sized(0), {1: 6, 2: 5}) is None


@pytest.mark.slow
def test_one_silent_phone_leaves_each_question_by_itself() -> None:
    """It is what the table of all six would have said of each column: nothing that was not due."""
    with Class(unhurried(read_questions(DEMO)), 6) as room:
        clients = [Client(room.address, f"pupil {i}", ROWS[i % 2]) for i in range(6)]
        clients[3].rounds = (1,)
        room.play(clients, closes=2, after=5)
    board, told = room.done().board, clients[0].facts["singles"]
    assert board is not None
    assert board.decision is not None
    assert [tally.counts for tally in board.tallies] == [None]  # the board stays as it was
    names = [feature.name for feature in room.scenario.feature]
    everybody = Counter(tuple(client.row) for client in clients)
    due = {
        names[column]: Counter(
            {
                row[column]: sum(n for r, n in everybody.items() if r[column] == row[column])
                for row in everybody
            }
        )
        for column in board.decision.kept
    }
    assert {name: Counter(dict(cells)) for name, cells in told["counts"].items()} == due
    assert (told["people"], told["missing"]) == (6, 1)


def test_a_class_of_phones_that_fall_silent_ends_with_something() -> None:
    """At 5 % silent at least 99 % of sessions of 8 to 200 phones; together far fewer."""
    code: dict[str, Any] = {"__name__": "class_outcomes"}
    exec(compile(TOOL.read_text("utf-8"), str(TOOL), "exec"), code)
    for people in code["PEOPLE"]:
        both, anything = code["outcomes"](people, 0.05)
        assert anything >= 0.99
        assert both <= anything
    assert code["outcomes"](30, 0.05)[0] < 0.5
    assert code["outcomes"](2, 0.0) == (0.0, 0.0)
    both, anything = code["outcomes"](5, 0.1)
    assert anything == pytest.approx(0.9**5)
    assert both == pytest.approx(0.9**10)
    documented = (Path(__file__).parents[2] / "docs" / "poll.md").read_text("utf-8")
    assert "\n".join(code["table"]()) in documented
