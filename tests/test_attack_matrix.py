"""docs/attack-matrix.md says what `veilmix attack` says."""

import make_attack_matrix as TOOL
import pytest
from generated import record_text
from veilmix.scenarios.attacks.catalogue.registry import guarding
from veilmix.scenarios.programs.topology import CENTRAL
from veilmix.scenarios.studies.matrix.attack_plan import helping, plan_rows

COSTS = [("dear", "+46,900"), ("cheap", "-9")]


def test_every_attack_and_every_defence_that_helps_is_recorded() -> None:
    record = TOOL.recorded()
    there = [tuple(row[:2]) for row in record["outcomes"]]
    there_are = list(guarding(CENTRAL.name))
    due = [
        (row, name)
        for row in plan_rows()
        for name in ("none", *(guard for guard in there_are if guard in helping(row)), "all")
    ]
    assert there == due
    assert [row[0] for row in record["costs"]] == there_are
    assert {len(row) for row in record["outcomes"]} == {len(TOOL.OUTCOMES)}
    assert {len(row) for row in record["costs"]} == {len(TOOL.COSTS)}


def test_the_page_is_written_from_the_record() -> None:
    """If this fails: python tools/make_attack_matrix.py --page."""
    record = TOOL.recorded()
    page = TOOL.PAGE.read_text("utf-8")
    assert TOOL.page(record) == page
    assert record_text(record) == TOOL.RECORD.read_text("utf-8")
    for name in (*plan_rows(), *guarding(CENTRAL.name)):
        assert f"`{name}`" in page


def test_a_cell_of_the_page_has_outcome_alarms_and_releases() -> None:
    first = ["drop", "none", "3", "90", "answers lost", "works", "0 of 5, 0 %", "4 of 5"]
    half = ["drop", "balance", "1", "90", "answers lost", "reduced", "4 of 5, 28 %", "5 of 5"]
    last = ["drop", "all", "0", "90", "answers lost", "stopped", "5 of 5, 47 %", "0 of 5"]
    line = "| `drop` | 3 of 90 answers lost, r4 | `balance` ◐ 1 a4 |"
    page = TOOL.outcomes_on_page([first, half, last])
    assert line in page
    assert "All defences together: ● a5 r0 all others." in page


def test_other_outcomes_of_all_defences_together_have_their_attacks() -> None:
    rows = []
    for name, released in (("lie", "0 of 5"), ("tag", "0 of 5"), ("flood", "5 of 5")):
        shared = ["3", "90", "answers lost"]
        rows.append([name, "none", *shared, "works", "0 of 5, 0 %", "5 of 5"])
        rows.append([name, "all", *shared, "stopped", "0 of 5, 0 %", released])
    page = TOOL.outcomes_on_page(rows)
    assert "All defences together: ● `flood`; ● r0 all others." in page


def test_a_defence_that_costs_little_is_in_the_sentence_below_the_table() -> None:
    rows = [[name, "key", "on", "+1.0 ± 2.0", size, *["+0"] * 3, "0 of 8"] for name, size in COSTS]
    table, _, sentence = TOOL.costs_on_page(rows).partition("\n\n")
    assert "`dear`" in table
    assert "`dear`" not in sentence
    assert "`cheap`" in sentence
    assert "at most 9 bytes" in sentence


def test_the_page_says_whose_parties_watch_and_whose_cheat() -> None:
    assert TOOL.kinds() in TOOL.PAGE.read_text("utf-8")
    assert "`collude`" in TOOL.kinds()
    assert "`surround`" not in TOOL.kinds()


@pytest.mark.long
@pytest.mark.slow
def test_some_of_its_rows_are_what_the_command_gives() -> None:
    """If this fails, the page is to be written again: python tools/make_attack_matrix.py."""
    some = ("drop", "forward")
    written = [row for row in TOOL.recorded()["outcomes"] if row[0] in some]
    assert sorted(TOOL.outcomes(TOOL.measure(some))) == sorted(written)


def test_the_picture_is_there() -> None:
    assert TOOL.PICTURE.read_bytes().startswith(b"\x89PNG")
