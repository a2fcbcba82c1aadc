"""A run over sets, as a reader and as a program see it."""

import csv
import json
from pathlib import Path

import pytest
from veilmix.scenarios.lab.play.run import run
from veilmix.scenarios.lab.validation.gallery import source
from veilmix.scenarios.records.run_folder import save

CLASS = "incidence-class"


@pytest.mark.slow
def test_counts_with_limits_and_what_an_element_gives_away(typed) -> None:
    said = typed("run", CLASS, "--seed", "7", "--no-save")
    assert said.code == 0
    findings = run(CLASS, 7).findings
    assert findings is not None
    for t in range(6):
        for number in (
            f"{findings.phi[t]:,.1f}",
            f"{findings.low[t]:,.0f}",
            f"{findings.high[t]:,.0f}",
        ):
            assert number in said.out
    for words in (
        "5 owners, 200 positions",
        "bit-flip epsilon=3 each position",
        "all 5",
        "any set",
        "epsilon, one membership",
        "re-identified, knowing every set",
        "PIE of a report",
        "a vector pinned on an owner is not its set",
    ):
        assert words in said.out
    assert "(by contraction " in " ".join(said.out.split())  # of a cell in two lines
    plain = json.loads(typed("run", CLASS, "--seed", "7", "--no-save", "--format", "json").out)
    assert plain["findings"]["estimate"] == list(findings.phi)
    assert plain["findings"]["epsilon"] == {"position": 3, "element": 15, "unit": "nats"}
    assert plain["reidentification"]["reports"][0]["unit"] == "bits"
    assert plain["release"]["columns"] == ["feature", "report"]


@pytest.mark.slow
def test_several_runs_have_a_mean_error(typed, tmp_path: Path) -> None:
    (tmp_path / "three.toml").write_text(
        source(CLASS).replace("[scenario]", "[scenario]\nrepeat = 3")
    )
    said = typed("run", str(tmp_path / "three.toml"), "--mode", "ideal", "--no-save")
    assert said.code == 0
    assert "largest error of a count" in said.out
    assert "estimates" in said.out


def test_check_says_what_owners_do(typed) -> None:
    said = typed("check", CLASS)
    assert said.code == 0
    assert "Every owner flips each bit" in said.out
    assert "200 positions, said in 1 piece" in said.out
    assert "a factor e^3 at most" in " ".join(said.out.split())


@pytest.mark.slow
def test_a_recorded_run_can_be_looked_at(typed, tmp_path: Path) -> None:
    folder = str(save(run(CLASS, 7), tmp_path))
    for words in (("verify", folder), ("leak", folder), ("show", folder, "--as", "analyst")):
        assert typed(*words).code == 0
    assert "none failed" in typed("verify", folder).out


@pytest.mark.slow
def test_counts_are_drawn_on_request(typed, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    said = typed("run", CLASS, "--seed", "7", "--mode", "ideal", "--out", "kept", "--figures")
    assert said.code == 0
    place = tmp_path / "kept" / f"{CLASS}-0007" / "figures"
    assert {path.name for path in place.iterdir()} == {
        "incidence.png", "incidence.svg", "incidence.csv",
    }  # fmt: skip
    findings = run(CLASS, 7, "ideal").findings
    assert findings is not None
    with (place / "incidence.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [float(row["estimate"]) for row in rows] == list(findings.phi)
    assert [int(row["truth"]) for row in rows] == list(findings.truth or ())
