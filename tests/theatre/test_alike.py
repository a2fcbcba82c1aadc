"""Where the theatre says what is promised, it says what a release tells of people who are alike."""

from pathlib import Path
from typing import Any

import pytest
from alike_kit import KINDS, scenario_of
from veilmix.scenarios.lab.play.run import run
from veilmix.scenarios.lab.scoring.outcome import Outcome
from veilmix.theatre.page import render
from veilmix.theatre.show import outcome_data

PUBLIC = "All 8 people answered the same: their answer is public now."
FEATURES = """[[feature]]
name = "A"
values = ["yes", "no"]
[[feature]]
name = "B"
values = ["red", "blue"]"""
PEERS = "peers = true\npath = 2\ncover = 4\n"


def played(folder: Path, kind: str, rows: list[str], mix: str = "") -> Outcome:
    scenario = scenario_of(folder, kind, rows, features=FEATURES, mix=mix)
    return run(scenario, worst_case_nodes=0)


def told(outcome: Outcome) -> dict[str, tuple[str, ...]]:
    """What the moves of the analyst's round say, by the kind of move."""
    moves = outcome_data(outcome)["moves"]
    return {move["what"]: tuple(move["alike"]) for move in moves if move.get("alike")}


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_eight_people_who_answer_the_same(kind: str, tmp_path: Path) -> None:
    said = told(played(tmp_path, kind, ["yes,red"] * 8))
    assert said["count"] == (PUBLIC,)
    assert set(said.values()) == {(PUBLIC,)}


@pytest.mark.slow
def test_peers_who_answer_the_same(tmp_path: Path) -> None:
    assert told(played(tmp_path, "all", ["yes,red"] * 8, PEERS)) == {"count": (PUBLIC,)}


@pytest.mark.slow
def test_people_who_differ_in_everything(tmp_path: Path) -> None:
    rows = ["yes,red", "yes,blue", "no,red", "no,blue"] * 2
    assert told(played(tmp_path, "all", rows)) == {}


@pytest.mark.slow
@pytest.mark.parametrize("mix", ["", PEERS], ids=["central", "peers"])
def test_it_stands_where_the_promise_does(mix: str, tmp_path: Path, tab: Any) -> None:
    page = tmp_path / "alike.html"
    page.write_text(render(outcome_data(played(tmp_path, "all", ["yes,red"] * 8, mix))), "utf-8")
    shown = tab.open(page, "#at=0")
    assert PUBLIC not in shown.inner_text("#decision")
    shown = tab.open(page, "#at=9999")
    if not mix:
        shown.check("text=analyst")  # who reads the release, if its counts are not public
    assert "in a crowd smaller than 2" in shown.inner_text("#decision").replace("\u00a0", " ")
    assert PUBLIC in shown.inner_text("#decision")
