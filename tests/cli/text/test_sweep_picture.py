"""The picture that `veilmix sweep` writes: how many runs a point has, and of how many columns."""

from functools import cache
from pathlib import Path
from typing import Any

import pytest
from veilmix.analysis.figures import Redrawn
from veilmix.cli.text import picture_files
from veilmix.cli.text.sweep import draw
from veilmix.scenarios.lab.play.run import run
from veilmix.scenarios.studies.sweeps.sweep_file import SweepLine
from veilmix.scenarios.studies.sweeps.sweep_scores import panels_of

KS = (2, 20, 200)


@cache
def result() -> dict[str, Any]:
    return run("blood-type", 7, "ideal", worst_case_nodes=0).result()


def line(k: int, number: int, columns: int, exposure: float) -> SweepLine:
    release = {"columns": ["A", "B"][:columns], "counts": []} if columns else None
    exposed = {"true": exposure, "promised": 0.5, "worst_case": None}
    told = {**result(), "release": release, "exposure": exposed}
    return SweepLine(key={"policy.k": k}, number=number, seed=number, version="0.1.0", result=told)


def swept() -> list[SweepLine]:
    """Three points: one column in both runs, one and two, two; of the last one more run."""
    columns = {2: (1, 1), 20: (1, 2), 200: (2, 2, 2)}
    return [
        line(k, number, many, 0.1 * number)
        for k, each in columns.items()
        for number, many in enumerate(each)
    ]


def test_each_point_has_its_runs_and_its_numbers_of_columns() -> None:
    (exposure,) = [panel for panel in panels_of(swept()) if panel.score == "true exposure"]
    assert [(mean.where["policy.k"], mean.runs, mean.columns) for mean in exposure.means] == [
        (2, 2, {1}), (20, 2, {1, 2}), (200, 3, {2}),
    ]  # fmt: skip


@pytest.mark.slow
def test_the_picture_says_how_many_runs_a_point_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("matplotlib")
    drawn: list[Redrawn] = []

    def write(redrawn: Redrawn, folder: Path) -> list[Path]:
        drawn.append(redrawn)
        return [folder]

    monkeypatch.setattr(picture_files, "write", write)
    draw("blood-type", {"policy.k": KS}, swept(), tmp_path / "sweep.jsonl")
    picture = drawn[0].draw()
    assert "2 to 3 runs a point" in picture.get_suptitle()
    assert "no line where the number of released columns changes" in picture.get_suptitle()
    assert {text.get_text() for ax in picture.axes for text in ax.texts} == {"2", "3"}
