"""What is serious is said in the terminal, by the command that ran."""

import pytest
from veilmix.cli.text.alerts import alert_blocks, raised
from veilmix.cli.text.layout import PipeConsole, show
from veilmix.presentation.sections.alerts import alerts
from veilmix.presentation.sections.run_facts import gather
from veilmix.scenarios.lab.play.run import run
from veilmix.scenarios.lab.scoring.outcome import Outcome
from veilmix.scenarios.records.run_folder import read, save

RARE = """
[scenario]
name = "rare"
seed = {seed}
repeat = {repeat}
[population]
source = "builtin:blood-type"
users = 30
[policy]
kind = "all"
k = 6
"""


@pytest.mark.slow
@pytest.mark.parametrize("name", ["blood-type", "titanic", "randomized-class", "incidence-class"])
def test_they_are_those_of_the_report(name: str, tmp_path) -> None:
    outcome = run(name, worst_case_nodes=0)
    kept = gather(read(save(outcome, tmp_path)), 0)
    serious = [alert for alert in alerts(kept) if alert.level == "serious"]
    assert [alert for alert in raised(outcome) if alert.level == "serious"] == serious


def test_they_stand_before_saved(typed, tmp_path) -> None:
    (tmp_path / "rare.toml").write_text(RARE.format(seed=7, repeat=1), "utf-8")
    lines = typed("run", "rare.toml", "--worst-case", "0").out.splitlines()
    serious = [at for at, line in enumerate(lines) if line.startswith("!!")]
    saved = next(at for at, line in enumerate(lines) if line.startswith("saved"))
    assert serious
    assert max(serious) < saved
    assert any("held by fewer than k = 6 people" in lines[at] for at in serious)


def test_for_a_program_they_go_to_the_other_stream(typed, tmp_path) -> None:
    (tmp_path / "rare.toml").write_text(RARE.format(seed=7, repeat=1), "utf-8")
    said = typed("run", "rare.toml", "--no-save", "--worst-case", "0", "--format", "csv")
    assert "!!" not in said.out
    assert said.err.startswith("!!")


def test_of_several_runs_each_rule_is_told_once(typed, tmp_path) -> None:
    (tmp_path / "rare.toml").write_text(RARE.format(seed=7, repeat=3), "utf-8")
    said = typed("run", "rare.toml", "--no-save", "--worst-case", "0")
    told = [line for line in said.out.splitlines() if line.startswith("!! ")]
    assert len(told) == len({line.split(" (in ")[1] for line in told if " (in " in line})
    assert "of 3 runs)" in said.out


def test_a_run_that_is_well_says_nothing(played: Outcome, capsys) -> None:
    show(PipeConsole(), alert_blocks([played]))
    assert capsys.readouterr().out == ""
