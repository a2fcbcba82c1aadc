"""The tool that follows a scenario through the rooms of a run counts stays and returns."""

from pathlib import Path

import pytest
import walks

ENTRIES = ["cli/a.py: f", "cli/text/b.py: g", "cli/text/c.py: h", "cli/a.py: k", "d.py: m"]


@pytest.mark.parametrize(
    ("deep", "rooms"),
    [(2, ["cli", "cli/text", "cli", "(root)"]), (1, ["cli", "(root)"])],
)
def test_entries_of_one_room_in_a_row_are_a_stay(deep: int, rooms: list[str]) -> None:
    walk = walks.stays(ENTRIES, deep)
    assert [room for room, _ in walk] == rooms
    assert [entry for _, functions in walk for entry in functions] == ENTRIES
    assert walks.returns(walk) == len(rooms) - len(set(rooms))


def test_a_report_has_a_line_for_each_walk_and_lists_functions_on_request() -> None:
    entries = {"scenario": ENTRIES, "session": ENTRIES[:1]}
    assert list(walks.report(entries, 2, every=False)) == [
        "scenario: 4 stays in 3 rooms, 1 returns",
        "session: 1 stays in 1 rooms, 0 returns",
    ]
    assert "        cli/text/c.py: h" in walks.report(entries, 2, every=True)


def test_only_functions_of_the_package_have_parameters_to_look_at() -> None:
    generated = compile("lambda argument: argument", "<string>", "eval")
    assert walks.parameters(generated) == ()
    assert walks.parameters(Path.joinpath.__code__) == ()
    assert walks.is_handed((1, "text"), (str,))
    assert not walks.is_handed([1, "text"], (str,))


@pytest.mark.slow
def test_what_is_needed_is_handed() -> None:
    """A scenario, and a session that is scored, walk through few rooms and return seldom."""
    for entries in walks.watch("blood-type").values():
        walk = walks.stays(entries, 2)
        assert len(walk) < 15
        assert walks.returns(walk) < 5
