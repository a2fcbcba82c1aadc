"""Scenario files as files: where they are looked for, and everything that is not a scenario."""

import subprocess
import sys
from pathlib import Path

import pytest
from veilmix.errors import ScenarioError
from veilmix.protocol.wire import announcement
from veilmix.protocol.wire import rows_per_person as several_rows
from veilmix.scenarios.lab.validation.gallery import shipped, source
from veilmix.scenarios.lab.validation.load import change, check, load, loads, resolve
from veilmix.scenarios.schema import model
from veilmix.scenarios.schema.lines import Locator

RIGHT = '[scenario]\nname = "s"\n[population]\nsource = "builtin:titanic"\n'


def said(path: Path | str) -> str:
    with pytest.raises(ScenarioError) as wrong:
        load(path)
    assert len(wrong.value.problems) == 1
    return wrong.value.problems[0]


def test_a_file_is_preferred_to_a_shipped_name_and_a_folder_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "titanic").write_text(RIGHT)
    assert load("titanic").scenario.name == "s"
    (tmp_path / "census").mkdir()
    assert load("census").scenario.name == "census"


def test_a_missing_file_names_the_shipped_scenarios_and_the_nearest() -> None:
    line = said("titnic.toml")
    assert line.startswith("titnic.toml: no such file, and no scenario of this name; shipped are ")
    assert line.endswith("(did you mean `titanic`?)")
    assert all(name in line for name in shipped())


FILES = {
    "empty": (b"", ":1: the file is empty; [scenario] and [population] are needed"),
    "only a comment": (b"# x\n", ":1: the file is empty; [scenario] and [population] are needed"),
    "not UTF-8": (
        b"[scenario]\nname = '\xff'\n",
        ":2: not UTF-8: byte 0xff at offset 19; save the file as UTF-8",
    ),
    "syntax": (
        b"[scenario]\nname 'x'\n",
        ":2: not TOML: Expected '=' after a key in a key/value pair in column 6",
    ),
    "end": (b"[scenario]\nname = [1,\n\n", ":2: not TOML: Invalid value at the end of the file"),
    "key twice": (
        b'[scenario]\nname = "a"\nname = "b"\n',
        ":3: not TOML: this key was given a value before in column 11",
    ),
    "deep": (b"x = " + b"[" * 100_000, ":1: lists or tables nested too deeply to be read"),
    "large": (b"#" * (1 << 20) + b"\n", ": larger than the 1,048,576 bytes a scenario may have"),
}


@pytest.mark.parametrize("name", FILES)
def test_what_is_not_a_scenario_says_so(name: str, tmp_path: Path) -> None:
    path = tmp_path / "x.toml"
    content, line = FILES[name]
    path.write_bytes(content)
    assert said(path).startswith(f"{path}{line}")


def test_a_folder_is_not_a_scenario(tmp_path: Path) -> None:
    assert said(tmp_path) == f"{tmp_path}: is a folder; a scenario file or a shipped name is needed"


def test_a_file_that_cannot_be_read_says_why() -> None:
    assert "too long" in said("x" * 300 + ".toml")
    assert said("a\0b") == "a\0b: cannot be read: embedded null byte"


def test_a_mark_and_line_ends_of_windows_change_nothing(tmp_path: Path) -> None:
    path = tmp_path / "x.toml"
    path.write_bytes(b"\xef\xbb\xbf" + RIGHT.replace("\n", "\r\n").encode())
    assert load(path) == loads(RIGHT)
    path.write_bytes(RIGHT.replace("\n", "\r\n").encode() + b"[policy]\r\n\r\nk = 0\r\n")
    assert said(path).startswith(f"{path}:7: policy.k: found 0;")


def test_the_path_of_a_table_starts_from_the_folder_of_the_scenario(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "s.toml").write_text(RIGHT.replace("builtin:titanic", "p.csv"))
    (tmp_path / "in" / "p.csv").write_text("a,b\n" + "1,2\n" * 9)
    monkeypatch.chdir(tmp_path)
    assert load("in/s.toml").population.source == str(tmp_path / "in" / "p.csv")
    (tmp_path / "in" / "p.csv").rename(tmp_path / "in" / "q.csv")
    assert said("in/s.toml") == (
        "in/s.toml:4: population.source: in/p.csv: there is no such file (did you mean `q.csv`?)"
    )


def test_a_scenario_made_in_python_is_judged_without_lines() -> None:
    scenario = model.Scenario(
        scenario=model.About(name="s"),
        population=model.PopulationSection(source="builtin:titanic", users=4),
        mix=model.Mix(shufflers=0),
    )
    with pytest.raises(ScenarioError) as wrong:
        check(scenario)
    assert [line.partition(":")[0] for line in wrong.value.problems] == [
        "mix.shufflers",
        "policy.k",
    ]
    check(load("titanic"))


def test_changing_a_key_makes_another_scenario_or_says_why_not() -> None:
    titanic = load("titanic")
    assert change(titanic, {"policy.k": 7, "scenario.seed": 3}).policy.k == 7
    assert change(titanic, {}) == titanic
    with pytest.raises(ScenarioError, match=r"policy\.k: found 0; a whole number"):
        change(titanic, {"policy.k": 0})
    with pytest.raises(ScenarioError, match=r"did you mean `policy\.k`"):
        change(titanic, {"policy.kk": 1})


def test_resolving_says_what_the_data_decided() -> None:
    resolved = resolve(load("titanic"), 2201, ("class", "sex", "age", "survived"))
    assert resolved.population.users == 2201
    assert [f.name for f in resolved.feature] == ["class", "sex", "age", "survived"]
    check(resolved)
    zipf = load("zipf")
    people = change(zipf, {"defence.registered": True})  # which is what nothing said means here
    assert resolve(zipf, 2000, ("city", "job", "car")) == people


def test_the_source_of_a_shipped_scenario_keeps_its_comments() -> None:
    assert source("titanic").startswith("# All 2,201 people")
    with pytest.raises(ScenarioError, match="did you mean `titanic`"):
        source("titanik")


def test_limits_are_those_of_the_protocol() -> None:
    assert model.MAX_PEOPLE == announcement.MAX_ANSWERS
    assert model.MAX_SHUFFLERS == announcement.MAX_SHUFFLERS
    assert model.MAX_ROWS == several_rows.MOST_ROWS
    assert model.Mix().deadline == announcement.Rules().deadline
    assert model.Mix().min_batch == announcement.Rules().min_batch
    assert model.Defence().min_dropout == announcement.Rules().min_dropout


def test_lines_are_found_in_every_kind_of_writing() -> None:
    text = (
        "a.b = 1\n"  # 1
        "list = [ # one\n"  # 2
        '  "x", "y",\n'  # 3
        '  ["z",\n'  # 4
        '   "]]"],\n'  # 5
        "]\n"  # 6
        'long = """\n'  # 7
        "after = 3\n"  # 8
        '"""\n'  # 9
        "after = { k = [ 1,\n"  # 10
        "  2 ], l = 3 }\n"  # 11
        "[[t]]\n"  # 12
        "x = 1\n"  # 13
        "[[t]]\n"  # 14
        '"a key" = 2'  # 15
    )
    lines = Locator(text)
    expected = {
        ("a", "b"): 1,
        ("list",): 2,
        ("list", 1): 3,
        ("list", 2, 0): 4,
        ("list", 2, 1): 5,
        ("long",): 7,
        ("after",): 10,
        ("after", "k", 1): 11,
        ("after", "l"): 11,
        ("t", 0): 12,
        ("t", 0, "x"): 13,
        ("t", 0, "y"): 12,
        ("t", 1, "a key"): 15,
        ("nowhere", 7): 1,
    }
    assert {path: lines.line(path) for path in expected} == expected


def test_reading_a_scenario_loads_no_heavy_library() -> None:
    code = (
        "import sys; import veilmix.scenarios.lab.validation.load;"
        "print([m for m in ('scipy', 'matplotlib', 'duckdb', 'trio', 'cryptography')"
        " if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
