"""Sweeps, attacks, leaks, checks and reports from Python have the answers of the commands."""

import csv
import io
import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import veilmix
from veilmix.analysis.frames import Cell, Frame
from veilmix.errors import ParameterError, ScenarioError, StorageError
from veilmix.scenarios.studies.comparison import result_folder
from veilmix.scenarios.studies.matrix import matrix_frames

GRID = {"policy.k": [2, 20]}
IDEAL = {"seed": 7, "mode": "ideal"}
ATTACK = {"attacks": ["forward"], "defences": ["order"]}


def printed(table: Frame) -> list[dict[str, str]]:
    """The rows of a table as a CSV file has them."""

    def text(cell: Cell) -> str:
        return "" if cell is None else str(cell)

    return [{heading: text(cell) for heading, cell in row.items()} for row in table]


def rows_of(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


@pytest.mark.slow
def test_a_sweep_has_a_row_a_run_and_the_means_of_the_command(typed) -> None:
    told: list[tuple[int, int]] = []
    swept = veilmix.sweep(
        "blood-type", GRID, 2, seed=7, mode="ideal", progress=lambda *at: told.append(at)
    )
    assert told == [(1, 4), (2, 4), (3, 4), (4, 4)]
    runs = swept.frames.runs
    assert [row["policy.k"] for row in runs] == [2, 20, 2, 20]
    assert runs["number"] == (1, 1, 2, 2)
    assert len(set(runs["seed"])) == 2
    assert runs.types["columns released"] is float
    assert runs["local epsilon"] == (None,) * 4
    assert runs["columns released"][:2] == (2.0, 0.0)
    assert repr(swept) == "<SweptRuns: policy.k, 4 runs>"
    with ThreadPoolExecutor(1) as pool:
        other = veilmix.sweep("blood-type", GRID, 2, **IDEAL, executor=pool)
        assert pool.submit(int, "1").result() == 1  # it stays open
    assert other.frames == swept.frames
    said = typed(
        *("sweep", "blood-type", "--set", "policy.k=2,20", "--repeats", "2", "--seed", "7"),
        *("--mode", "ideal", "--executor", "thread", "--workers", "1", "--format", "csv"),
        "--no-figure",
    )
    assert rows_of(said.out) == printed(swept.frames.points)
    kept = veilmix.read_sweep("runs/sweep-blood-type.jsonl")
    assert kept.frames.points == swept.frames.points
    assert sorted(kept.frames.runs["digest"]) == sorted(runs["digest"])


def test_a_run_that_crashes_is_set_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    def crash(*_: object, **__: object) -> None:
        raise RuntimeError("no power")

    monkeypatch.setattr("veilmix.scenarios.studies.sweeps.sweep.run", crash)
    swept = veilmix.sweep("blood-type", **IDEAL)
    assert swept.lines == ()
    assert "no power" in str(swept.failed[0].error)
    assert swept.frames.runs.types["digest"] is str
    assert len(swept.frames.points) == 0


def test_wrong_arguments_of_a_sweep_are_named() -> None:
    with pytest.raises(ParameterError, match=r"repeats: found 0; at least 1"):
        veilmix.sweep("blood-type", GRID, 0)
    with pytest.raises(ParameterError, match=r"grid\['policy.k'\]: found 2; a list of values"):
        veilmix.sweep("blood-type", {"policy.k": 2})  # type: ignore[dict-item]
    with pytest.raises(ParameterError, match=r"grid\['policy.kind'\]: found 'all'"):
        veilmix.sweep("blood-type", {"policy.kind": "all"})
    with pytest.raises(ScenarioError, match="polcy"):
        veilmix.sweep("blood-type", {"polcy.k": [2]})
    with pytest.raises(ParameterError, match="--executor: found 'threads'"):
        veilmix.sweep("blood-type", GRID, executor="threads")


@pytest.mark.slow
def test_a_matrix_has_the_cells_of_the_command(typed, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("veilmix.scenarios.studies.matrix.attack_matrix.PAIRS", 1)
    matrix = veilmix.attack("blood-type", repeats=1, **ATTACK)
    said = typed(
        *("attack", "blood-type", "--attacks", "forward", "--defences", "order", "--repeats", "1"),
        *("--executor", "thread", "--workers", "1", "--format", "csv"),
    )
    assert rows_of(said.out) == printed(matrix.frames.cells)
    assert matrix.frames.cells.types["released"] is int
    saved = veilmix.read_matrix("runs/attack-blood-type-0007")
    assert saved.frames.cells == matrix.frames.cells
    assert [row["defence"] for row in matrix.frames.defences] == ["order"]
    text = Path("runs/attack-blood-type-0007/costs.csv").read_text("utf-8")
    assert rows_of(text) == printed(saved.frames.defences)
    assert set(matrix.frames.defences.columns) == set(matrix_frames.COSTS)


def test_a_leak_has_the_figures_of_the_command(typed, folder: Path) -> None:
    for prior in ("uniform", "marginals"):
        leak = veilmix.leak(folder, prior)
        said = typed("leak", str(folder), "--prior", prior, "--format", "json")
        data = json.loads(said.out)
        assert [list(view.parties) for view in leak.coalitions] == [
            view["parties"] for view in data["coalitions"]
        ]
        assert leak.frames.coalitions["bits_per_person"] == tuple(
            view["bits_per_person"] for view in data["coalitions"]
        )
        assert leak.frames.coalitions["worst_row"] == tuple(
            view["worst_row"]["now"] for view in data["coalitions"]
        )
    run = veilmix.read(folder)
    uniform = veilmix.leak(run)
    assert {view.parties: view.linked for view in uniform.coalitions} == {
        view.parties: view.linked for view in run.coalitions
    }
    assert uniform.coalition("curator").linked == 0
    assert uniform.smallest == tuple(
        (reader, "shuffler-1", "shuffler-2") for reader in ("analyst", "curator")
    )
    assert "smallest linking coalition: analyst + shuffler-1 + shuffler-2 or " in repr(uniform)
    assert uniform.deviations == ()
    with pytest.raises(ParameterError, match="prior: found 'flat'; uniform or marginals"):
        veilmix.leak(run, "flat")
    with pytest.raises(KeyError, match='no scored party is called "shufler-1"'):
        uniform.coalition("shufler-1")


def test_a_verification_has_the_checks_of_the_command(
    typed, folder: Path, played: veilmix.Outcome, tmp_path: Path
) -> None:
    checked = veilmix.verify(folder, replay=False)
    data = json.loads(typed("verify", str(folder), "--no-replay", "--format", "json").out)
    assert checked.passed
    assert list(checked.frames.checks["check"]) == [check["check"] for check in data]
    assert list(checked.frames.checks["ok"]) == [check["ok"] for check in data]
    copy = veilmix.save(played, tmp_path)
    result = copy / "result.json"
    result.write_bytes(result.read_bytes().replace(b'"linked": 0', b'"linked": 1', 1))
    wrong = veilmix.verify(veilmix.read(copy), replay=False)
    assert not wrong.passed
    assert {"files", "coalitions"} <= {check.name for check in wrong.failed}


@pytest.mark.slow
def test_a_comparison_has_the_rows_of_its_file(tmp_path: Path) -> None:
    loaded = veilmix.load("blood-type")
    compared = veilmix.compare(loaded, 7, only=["trusted", "local"], messages=False)
    place = result_folder.save(compared, loaded, tmp_path)
    text = (place / "comparison.csv").read_text("utf-8")
    assert rows_of(text) == printed(compared.frames.programs)
    assert compared.frames.programs.types["epsilon"] is float
    assert compared.frames.programs["epsilon"][0] is None
    assert veilmix.read_comparison(place).frames == compared.frames
    linked = [row for row in compared.frames.coalitions if row["coalition"] == "curator"]
    assert (linked[0]["program"], linked[0]["linked"]) == ("trusted", 30)


def test_a_report_is_written_beside_its_run(played: veilmix.Outcome, tmp_path: Path) -> None:
    folder = veilmix.save(played, tmp_path)
    page = veilmix.write_report(folder, tmp_path / "page.html", worst_case_nodes=0)
    assert page == tmp_path / "page.html"
    assert "blood-type" in page.read_text("utf-8")
    assert veilmix.write_report(folder, worst_case_nodes=0) == folder / "report.html"
    with pytest.raises(StorageError, match="no run folder, comparison, matrix"):
        veilmix.write_report(tmp_path / "nothing")
