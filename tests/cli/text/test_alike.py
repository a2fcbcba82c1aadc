"""Where a promise is said, people who are alike are said too: all, or a value that follows."""

from pathlib import Path
from typing import Any

import pytest
from alike_kit import KINDS, scenario_of
from veilmix.cli.text.layout import PipeConsole, show
from veilmix.presentation.presenters.run_scores import scores
from veilmix.presentation.sections.run_facts import gather
from veilmix.presentation.sections.verdict import verdict
from veilmix.scenarios.lab.play.run import run
from veilmix.scenarios.lab.scoring.outcome import Outcome
from veilmix.scenarios.records.run_folder import read, save

PUBLIC = "answered the same: their answer is public now"


@pytest.fixture(autouse=True)
def _wide(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lines of a terminal on which the table of scores is not broken."""
    monkeypatch.setenv("COLUMNS", "200")


def played(folder: Path, kind: str, rows: list[str], features: str = "") -> Outcome:
    scenario = scenario_of(folder, kind, rows, features=features)
    return run(scenario, mode="ideal", worst_case_nodes=0)


def printed(outcome: Outcome, capsys: Any) -> str:
    show(PipeConsole(), scores(outcome, ()))
    return " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize("kind", KINDS)
def test_eight_people_who_answer_the_same(kind: str, tmp_path: Path, capsys: Any) -> None:
    """Nobody is in a crowd smaller than 2, and it never stands alone there."""
    outcome = played(tmp_path, kind, ["yes,red"] * 8)
    assert outcome.exposure.true == 0
    assert PUBLIC in printed(outcome, capsys)
    assert PUBLIC in outcome._repr_html_()
    exposed = verdict(gather(read(save(outcome, tmp_path)), 0))[1]
    assert exposed.text.endswith("All 8 people answered the same: their answer is public now.")


def test_a_column_and_a_rule(tmp_path: Path, capsys: Any) -> None:
    one = printed(played(tmp_path, "all", ["yes,red"] * 3 + ["yes,blue"] * 3), capsys)
    assert "all have yes in A: it is public now" in one
    rows = ["yes,red"] * 3 + ["no,red"] * 2 + ["no,blue"]
    rule = printed(played(tmp_path, "all", rows), capsys)
    assert "value follows 4 people" in rule
    assert "A = yes means B = red (3 people)" in rule
    none = printed(played(tmp_path, "all", ["y,r", "y,b", "n,r", "n,b"] * 2), capsys)
    assert "alike" not in none
    assert "follows" not in none


OPEN = '[[feature]]\nname = "A"\nopen = true\nwidth = 3\n[[feature]]\nname = "B"\n'
MANY = ["yes", *map(str, range(20))]
WIDE = f'[[feature]]\nname = "A"\nvalues = {MANY}\n[[feature]]\nname = "B"\n'


@pytest.mark.parametrize("feature", [OPEN, WIDE], ids=["open", "more values than people"])
def test_domains_change_nothing(feature: str, tmp_path: Path, capsys: Any) -> None:
    assert PUBLIC in printed(played(tmp_path, "all", ["yes,red"] * 3, feature), capsys)


def test_a_table_in_which_all_agree(typed: Any, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("A,B\n" + "yes,red\n" * 8, "utf-8")
    said = typed("score", str(tmp_path / "t.csv"), "--k", "2").out
    assert "All 8 people answered the same: their answer is public now." in said
