"""`veilmix attack`: a table for people, cells for programs, a folder that the report reads."""

import csv
import io
import json
from pathlib import Path

import pytest
from veilmix.scenarios.lab.validation.load import change, load
from veilmix.scenarios.studies.matrix.attack_plan import ASKING, drawn

ONLY = ("--attacks", "forward,tag", "--defences", "order,balance", "--repeats", "2")
HERE = (*ONLY, "--workers", "1")
ONCE = ("--attacks", "forward", "--defences", "order", "--repeats", "1", "--no-save")


@pytest.mark.slow
def test_it_tells_and_keeps(typed) -> None:
    said = typed("attack", "blood-type", *HERE)
    assert said.code == 0, said.err
    assert "30 people, every cell played 2 times, seeds 7 to 8" in said.out
    lines = [line.split() for line in said.out.splitlines()]
    assert ["forward", "cheating", "none", "30", "of", "30", "people", "linked", "works"] in [
        line[:9] for line in lines
    ]
    stopped = next(line for line in lines if line[:1] == ["order"])
    assert stopped[1:7] == ["0", "of", "30", "people", "linked", "stopped"]
    assert "saved runs/attack-blood-type-0007/" in said.out
    assert Path("runs/attack-blood-type-0007/matrix.png").is_file()
    page = typed("report", "attack-blood-type-0007")
    assert page.code == 0
    assert Path("runs/attack-blood-type-0007/report.html").is_file()


@pytest.mark.slow
def test_csv_and_json_hold_the_same_cells(typed) -> None:
    once = (*ONCE, "--workers", "1")
    form = typed("attack", "blood-type", *once, "--format", "csv")
    lines = list(csv.DictReader(io.StringIO(form.out)))
    data = json.loads(typed("attack", "blood-type", *once, "--format", "json").out)
    assert data["schema"] == 1
    assert [(line["row"], line["defence"]) for line in lines] == [
        (outcome["row"], outcome["defence"]) for outcome in data["outcomes"]
    ]
    for line, outcome in zip(lines, data["outcomes"], strict=True):
        assert float(line["value"]) == outcome["value"]
        assert line["verdict"] == outcome["verdict"]


@pytest.mark.slow
def test_other_processes_find_the_same(typed) -> None:
    serial = typed("attack", "blood-type", *ONCE, "--workers", "1", "--format", "csv")
    two = typed("attack", "blood-type", *ONCE, "--workers", "2", "--format", "csv")
    assert serial.out == two.out


def test_a_misspelt_attack_is_named(typed) -> None:
    said = typed("attack", "blood-type", "--attacks", "forwrad", "--workers", "1")
    assert said.code == 2
    assert "did you mean" in said.err


@pytest.mark.slow
def test_fewer_people_are_drawn_anew_and_told(typed) -> None:
    only = ("--attacks", "count-closed", "--defences", "union", "--repeats", "2", "--seed", "3")
    said = typed(
        *("attack", "threshold-titanic", *only, "--people", "24", "--workers", "1", "--no-save")
    )
    assert said.code == 0, said.err
    assert "threshold-titanic  24 people, every cell played 2 times, seeds 3 to 4" in said.out
    assert "24 of 2,201 people, drawn anew for every seed" in said.err
    assert typed("attack", "blood-type", *ONCE, "--workers", "1").err == ""


@pytest.mark.parametrize(
    ("name", "wanted", "users"),
    [
        ("threshold-titanic", None, ASKING),
        ("threshold-titanic", 300, 300),
        ("threshold-titanic", 5000, None),
        ("titanic", None, None),
        ("titanic", 50, 50),
    ],
)
def test_how_many_people_are_attacked(name: str, wanted: int | None, users: int | None) -> None:
    scenario = load(name)
    drawn_here = drawn(scenario, 2201, wanted)
    assert drawn_here.population.users == users
    assert drawn_here == scenario or drawn_here.population.source == scenario.population.source
    waiting = change(scenario, {"mix.min_batch": 90})
    assert drawn(waiting, 2201, 40).mix.min_batch == 40
    assert drawn(waiting, 2201, 95).mix.min_batch == 90
