"""`veilmix score SCENARIO.toml`: the table that advice wrote a scenario for, scored and written."""

import json
from collections import Counter
from pathlib import Path

import pytest

ROWS = [(20 + i % 40, "mf"[i % 2], "MF"[i % 2]) for i in range(400)] + [
    (-1, "m", "F"),
    (99, "f", "M"),
]


@pytest.fixture
def advised(typed, tmp_path: Path) -> tuple[Path, Path]:
    """A scenario and a release, both by one piece of advice."""
    data = tmp_path / "people.csv"
    lines = [
        f"{i};{age};{first if i % 3 else second}" for i, (age, first, second) in enumerate(ROWS)
    ]
    data.write_text("\n".join(["patient;age;sex", *lines]) + "\n", "utf-8")
    scenario, release = tmp_path / "advice.toml", tmp_path / "release.csv"
    files = ("--write", str(scenario), "--table", str(release))
    assert typed("advise", str(data), "--k", "7", "--max-exposure", "0.02", *files).code == 0
    return scenario, release


def test_the_table_of_the_scenario_is_the_table_that_was_advised(
    typed, advised: tuple[Path, Path], tmp_path: Path
) -> None:
    """Target, columns, coarser values and the word for empty cells are the scenario's."""
    scenario, release = advised
    table = tmp_path / "again.csv"
    said = typed("score", str(scenario), "--table", str(table), "--format", "json")
    assert said.code == 0
    assert Counter(table.read_text("utf-8").splitlines()) == Counter(
        release.read_text("utf-8").splitlines()
    )
    record = json.loads(said.out)
    assert (record["data"], record["k"], record["max_exposure"]) == ("people.csv", 7, 0.02)
    assert [column["name"] for column in record["columns"]] == ["age", "sex"]
    counted = Counter(release.read_text("utf-8").splitlines()[1:])
    below = sum(people for people in counted.values() if people < 7)
    assert record["joint"]["people_below_k"] == below
    assert record["sha256"]


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--k", "5"), "--k 5: the scenario decides"),
        (("--max-exposure", "0.01"), "policy.max_exposure is 0.02"),
        (("--separator", ","), "population.separator is not set"),
        (("--missing-text", "?"), "population.missing_texts is not set"),
        (("--columns", "age"), "--columns age: the scenario decides"),
        (("--coarsen", "age.bins.width=10"), "--coarsen age.bins.width=10: the scenario decides"),
        (("--quasi", "patient"), 'population.roles.patient is "identifier"'),
        (("--each-row",), "--each-row: the scenario decides"),
    ],
)
def test_an_option_that_contradicts_the_scenario_is_named(
    typed, advised: tuple[Path, Path], options: tuple[str, ...], told: str
) -> None:
    """Nothing is scored then."""
    said = typed("score", str(advised[0]), *options)
    assert said.code == 2
    assert said.out == ""
    assert told in " ".join(said.err.split())


def test_options_that_agree_or_add_are_taken(typed, advised: tuple[Path, Path]) -> None:
    """A role that the scenario does not give may be given."""
    said = typed("score", str(advised[0]), "--k", "7", "--columns", "age,sex", "--sensitive", "sex")
    assert said.code == 0
    assert "known: quasi-identifiers" in said.out


def test_a_hierarchy_starts_from_the_folder_of_the_scenario(typed, tmp_path: Path) -> None:
    """Columns that a scenario renames are read under the names of the file."""
    folder = tmp_path / "study"
    folder.mkdir()
    (folder / "people.csv").write_text("ort,sex\n" + "Oslo,f\nBergen,f\nRome,m\nBari,m\n" * 3)
    (folder / "places.csv").write_text("Oslo;N\nBergen;N\nRome;I\nBari;I\n")
    (folder / "s.toml").write_text(
        '[scenario]\nname = "s"\n[population]\nsource = "people.csv"\n'
        'columns = { city = "ort", sex = "sex" }\n'
        '[[feature]]\nname = "city"\nhierarchy = "places.csv"\nlevel = 1\n'
        "[policy]\nk = 6\nmax_exposure = 0.5\n"
    )
    said = typed("score", str(folder / "s.toml"), "--format", "json")
    assert said.code == 0, said.err
    record = json.loads(said.out)
    assert [(c["name"], c["values"]) for c in record["columns"]] == [("ort", 2)]


@pytest.mark.parametrize(
    ("population", "told"),
    [
        ('source = "people.csv"\nusers = 5', "population.users = 5 draws some people"),
        ('source = "builtin:zipf"\nusers = 50', "generated"),
        ('source = "nowhere.csv"', "nowhere.csv"),
    ],
)
def test_a_scenario_without_a_whole_table_is_refused(
    typed, tmp_path: Path, population: str, told: str
) -> None:
    """A score is of all people of a table."""
    (tmp_path / "people.csv").write_text("city,sex\n" + "Oslo,f\nRome,m\n" * 6)
    file = tmp_path / "s.toml"
    file.write_text(f'[scenario]\nname = "s"\n[population]\n{population}\n')
    said = typed("score", str(file))
    assert said.code == 2
    assert told in said.err


def test_a_shipped_table_is_scored_through_its_scenario(typed, tmp_path: Path) -> None:
    """The source of a scenario need not be a file."""
    file = tmp_path / "s.toml"
    file.write_text('[scenario]\nname = "s"\n[population]\nsource = "builtin:titanic"\n')
    said = typed("score", str(file), "--format", "json")
    assert said.code == 0, said.err
    assert json.loads(said.out)["users"] == 2201
