"""The page of a sweep, from the lines of its file."""

import base64
import copy
import csv
import io
import re
from pathlib import Path

import pytest
from msgspec.structs import replace
from veilmix.analysis.figures.sweep import BREAKS
from veilmix.presentation.blocks import Page
from veilmix.report.make import make
from veilmix.scenarios.lab.play.run import run
from veilmix.scenarios.lab.validation.load import load, loads
from veilmix.scenarios.studies.sweeps.sweep_file import SweepLine, written


def result(people: int, k: int, seed: int) -> dict[str, object]:
    scenario = load("blood-type")
    scenario = replace(
        scenario,
        population=replace(scenario.population, users=people),
        policy=replace(scenario.policy, k=k),
    )
    return run(scenario, seed, "ideal", worst_case_nodes=0).result()


@pytest.fixture(scope="module")
def lines() -> list[SweepLine]:
    return [
        SweepLine(
            key={"population.users": people, "policy.k": k},
            seed=seed,
            version="0.1.0",
            result=result(people, k, seed),
        )
        for people in (30, 90)
        for k in (2, 6)
        for seed in (1, 2)
    ]


def page(path: Path, lines: list[SweepLine], more: bytes = b"") -> tuple[Page, dict[str, str]]:
    file = path / "sweep.jsonl"
    file.write_bytes(b"".join(map(written, lines)) + more)
    made = make(file)
    assert made.path == path / "sweep.html"
    links = re.findall(r'href="data:[^,]+,([^"]*)" download="([^"]*)"', made.html)
    return made.page, {name: base64.b64decode(data).decode() for data, name in links}


def rules(made: Page) -> set[str]:
    return {alert.rule for alert in made.alerts}


def test_means_with_intervals_at_every_point(lines: list[SweepLine], tmp_path: Path) -> None:
    made, files = page(tmp_path, lines)
    assert made.title == "Sweep of blood-type"
    table = list(csv.DictReader(io.StringIO(files["sweep.csv"])))
    promised = [row for row in table if row["score"] == "promised exposure"]
    assert len(promised) == 4
    here = [line.result["exposure"] for line in lines[:2]]
    assert float(promised[0]["mean"]) == pytest.approx(
        sum(exposure["promised"] for exposure in here) / 2
    )
    for row in table:
        ends = [row["low_95"], row["high_95"]]
        assert ends == ["", ""] or float(ends[0]) <= float(row["mean"]) <= float(ends[1])
    assert any(row["low_95"] for row in table)
    runs = list(csv.DictReader(io.StringIO(files["runs.csv"])))
    assert [row["digest"] for row in runs] == [line.result["digest"] for line in lines]
    assert rules(made) == {"seeded"}


def test_a_key_has_panels_and_a_third_key_has_panels_of_its_own(
    lines: list[SweepLine], tmp_path: Path
) -> None:
    deep = [replace(line, key={**line.key, "mix.shufflers": m}) for line in lines for m in (1, 2)]
    file = tmp_path / "deep.jsonl"
    file.write_bytes(b"".join(map(written, deep)))
    text = make(file).html
    assert "Where mix.shufflers = 1:" in text
    assert "Where mix.shufflers = 2:" in text
    names = re.findall(r'<svg [^>]*aria-labelledby="([^" ]*)', text)
    assert len(names) == len(set(names)) >= 4


def test_what_is_wrong_with_a_sweep_is_told(lines: list[SweepLine], tmp_path: Path) -> None:
    made, _ = page(tmp_path, lines[:1], written(lines[1])[:-20])
    assert rules(made) == {"cut", "single", "seeded"}
    other = [*lines, replace(lines[0], version="0.2.0")]
    assert "versions" in rules(page(tmp_path, other)[0])
    lied = {**lines[0].result, "exposure": {"true": 0.5, "promised": 0.1, "worst_case": None}}
    made, _ = page(tmp_path, [*lines[1:], replace(lines[0], result=lied)])
    assert made.alerts[0].rule == "broken"
    assert "population.users = 30, policy.k = 2" in made.alerts[0].text
    unseeded = [replace(line, seed=None, key={**line.key, "n": i}) for i, line in enumerate(lines)]
    assert "seeded" not in rules(page(tmp_path, unseeded)[0])


NOISE = """[scenario]
name = "noisy"
[population]
source = "builtin:blood-type"
users = 9
[policy]
kind = "histogram"
[local]
mechanism = "grr"
epsilon = 4.0
[[feature]]
name = "Rh"
"""


@pytest.mark.slow
def test_noise_of_many_reports_was_released_and_falls_by_factors(tmp_path: Path) -> None:
    """Of many different reports no table is kept: the page counts them as the sweep does."""
    result = run(loads(NOISE), 1, "ideal", worst_case_nodes=0).result()
    bare = []
    for people, left in ((10, 4.0), (300, 1.0), (9000, 0.1)):
        found = copy.deepcopy({**result, "release": None})
        found["findings"]["privacy"]["shuffled"][0]["hockey_stick"] = left
        key = {"population.users": people}
        bare.append(SweepLine(key=key, seed=1, version="0.1.0", result=found))
    made, files = page(tmp_path, bare)
    assert made.verdict[0].short == "3 of 3 runs"
    text = make(tmp_path / "sweep.jsonl").html
    assert ">population.users (logarithmic)<" in text
    assert ">nats (logarithmic)<" in text
    assert "epsilon after shuffling (nats); one run a point." in text
    assert BREAKS not in text
    assert "sweep-epsilon-after-shuffling.csv" in files


def test_a_line_of_the_page_breaks_where_the_columns_change(
    lines: list[SweepLine], tmp_path: Path
) -> None:
    """Two points of one line: with as many columns it is joined, else it is not."""

    def released(line: SweepLine, columns: int) -> SweepLine:
        names = ["antigens", "rhesus"][:columns]
        release = {"columns": names, "counts": [[*(["+"] * columns), 1]]}
        return replace(line, result={**line.result, "release": release})

    two = [line for line in lines if line.key["policy.k"] == 2]
    for few, broken in ((2, False), (1, True)):
        at = {30: few, 90: 2}
        page(tmp_path, [released(line, at[line.key["population.users"]]) for line in two])
        text = make(tmp_path / "sweep.jsonl").html
        exposure = text.partition("promised exposure (share of people) against")[2]
        picture = exposure.partition("</svg>")[0]
        assert ("L" in "".join(re.findall(r'd="(M[^"]*)"', picture))) is not broken
        assert (BREAKS in text) is broken
        assert "2 runs a point" in text
