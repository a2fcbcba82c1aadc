"""A table of one's own from Python: a path and a frame give the same."""

from datetime import date
from pathlib import Path
from typing import Any

import pytest
import veilmix
from veilmix.errors import ParameterError, ScenarioError
from veilmix.scenarios.populations.frame_file import columns_of, text_of

COLUMNS: dict[str, list[Any]] = {
    "patient": [f"P{i:03}" for i in range(120)],
    "age": [20.0 + i % 60 if i % 40 else None for i in range(120)],
    "born": [date(1950 + i % 50, 1, 2) for i in range(120)],
    "sex": ["m", "M", "f"] * 40,
    "note": ["=1+1", "a,b", 'say "x"', "ünï"] * 30,
}


def frames() -> dict[str, Any]:
    tables: dict[str, Any] = {"mapping": COLUMNS, "Frame": veilmix.Frame(COLUMNS)}  # type: ignore[arg-type]
    for library, make in (
        ("pandas", lambda it: it.DataFrame(COLUMNS)),
        ("polars", lambda it: it.DataFrame(COLUMNS)),
        ("pyarrow", lambda it: it.table(COLUMNS)),
    ):
        try:
            tables[library] = make(__import__(library))
        except ImportError:
            continue  # none of them is needed; whatever is installed is tried
    return tables


FRAMES = frames()


@pytest.mark.parametrize("name", FRAMES)
def test_every_frame_is_the_same_table(name: str) -> None:
    texts = {
        column: [text_of(cell) for cell in cells]
        for column, cells in columns_of(FRAMES[name]).items()
    }
    assert texts["age"][:2] == ["", "21"]
    assert texts["born"][0] == "1950-01-02"
    assert texts["note"][:2] == ["=1+1", "a,b"]
    score = veilmix.score(FRAMES[name], k=2, columns="patient,sex,note")
    assert [column.name for column in score.columns] == ["sex", "note"]
    assert score.n == 120


@pytest.mark.parametrize("name", FRAMES)
def test_two_columns_of_one_name_are_an_error(name: str) -> None:
    """1 and "1" in a mapping; the same name twice where a library allows it."""
    frame: Any = {"1": [1, 2], 1: [2, 3]}
    if name == "pandas":
        frame = FRAMES[name].set_axis(["a", "a", "born", "sex", "note"], axis=1)
    elif name == "pyarrow":
        frame = FRAMES[name].rename_columns(["a", "a", "born", "sex", "note"])
    with pytest.raises(ParameterError, match=r"two columns are called '[1a]'"):
        columns_of(frame)


def test_a_path_is_scored_like_a_frame(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("sex;city\n" + "m;Oslo\nf;Rome\n" * 20)
    by_path = veilmix.score(path, k=20)
    assert by_path.joint.crowds.smallest == 20
    assert veilmix.score(str(path), k=20).joint.crowds.users_below(21) == 40


def test_advice_and_the_table_as_it_is_said() -> None:
    advised = veilmix.advise(COLUMNS, k=3, max_exposure=0.05, columns="patient,age,sex")
    said = advised.coarse()
    assert "patient" not in said
    assert set(said["sex"]) == {"m", "f"}
    score = veilmix.score(said, k=3, max_exposure=0.05)
    assert score.joint.crowds.users_below(3) == advised.best.people


TOML = """
[scenario]
name = "mine"
seed = 1
[population]
roles = { patient = "identifier" }
[policy]
k = 2
max_exposure = 0.5
[[feature]]
name = "sex"
fold = ["case"]
"""


def test_a_scenario_of_a_frame() -> None:
    scenario = veilmix.with_people(TOML, COLUMNS)
    outcome = veilmix.run(scenario, mode="ideal")
    assert outcome.users == 120
    assert outcome.marginals is not None
    assert outcome.marginals[0] == {("f",): 40, ("m",): 80}
    again = veilmix.with_people(scenario, {**COLUMNS, "sex": ["f", "m", "m"] * 40})
    assert veilmix.run(again, mode="ideal").marginals == outcome.marginals


def test_what_is_no_table() -> None:
    with pytest.raises(ParameterError, match="found int; a path, a pandas or polars frame"):
        veilmix.score(7)
    with pytest.raises(ParameterError, match=r"columns of \[1, 2\] rows"):
        veilmix.score({"a": [1], "b": [1, 2]})
    with pytest.raises(ParameterError, match="accepted are columns, separator"):
        veilmix.score(COLUMNS, column="a")
    with pytest.raises(ScenarioError, match="not TOML"):
        veilmix.with_people("x", COLUMNS)


def test_a_score_and_advice_are_frames_too() -> None:
    score = veilmix.score(COLUMNS, k=3, columns="patient,sex,age", sensitive="sex")
    frames = score.frames
    assert frames.columns["column"] == ("sex", "age", "all columns")
    assert frames.columns["people_below_k"][-1] == score.joint.crowds.users_below(3)
    bounds = dict(zip(frames.bounds["bound"], frames.bounds["people"], strict=True))
    assert bounds["truth"] == score.joint.crowds.users_below(3)
    assert frames.questions["question"][-2:] == ("inference", "inference")
    assert frames.sensitive["column"] == ("sex",)
    assert frames.sets["columns"] == ("sex", "age", "sex, age")
    advised = veilmix.advise(COLUMNS, k=3, max_exposure=0.05, columns="patient,sex,age")
    assert advised.frames.columns["column"] == ("sex", "age")
    assert sum(map(bool, advised.frames.choices["advised"])) == 1
    assert set(advised.frames.table.columns) <= {"sex", "age"}
    assert len(advised.frames.table) == 120


def test_what_the_counts_prove_may_be_the_target() -> None:
    truth = veilmix.advise(COLUMNS, k=3, max_exposure=0.05, columns="sex,age,note")
    proven = veilmix.advise(COLUMNS, k=3, max_exposure=0.05, columns="sex,age,note", by="promise")
    assert truth.cost.promised > truth.people_limit  # else there is nothing to tell apart
    assert proven.cost.promised <= proven.people_limit
    assert proven.best.loss > truth.best.loss
    with pytest.raises(ParameterError, match="truth and promise"):
        veilmix.advise(COLUMNS, by="hope")
