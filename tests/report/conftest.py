"""Runs to report on: small scenarios on a table of their own, played and read back."""

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from veilmix.scenarios.lab.play.run import run
from veilmix.scenarios.programs.interface import Mode
from veilmix.scenarios.records.run_folder import Run, read, save

EVEN = [("yes", "red"), ("yes", "red"), ("no", "blue"), ("no", "blue")] * 6  # crowds of 12
Played = Callable[..., Run]


def table(path: Path, rows: Sequence[Sequence[str]], columns: Sequence[str]) -> None:
    """Write people as CSV."""
    lines = [",".join(columns), *(",".join(row) for row in rows)]
    path.write_text("\n".join(lines) + "\n", "utf-8")


@pytest.fixture
def played(tmp_path: Path) -> Played:
    """Play a scenario on a table of people and read its run folder."""

    def play(
        *lines: str,
        rows: Sequence[Sequence[str]] = EVEN,
        columns: Sequence[str] = ("smokes", "team"),
        mode: Mode = "ideal",
        head: str = "",
        population: str = "",
    ) -> Run:
        table(tmp_path / "people.csv", rows, columns)
        text = [
            "[scenario]",
            'name = "mine"',
            head,
            "[population]",
            'source = "people.csv"',
            population,
            *lines,
        ]
        file = tmp_path / "mine.toml"
        file.write_text("\n".join(text), "utf-8")
        return read(save(run(file, None, mode, worst_case_nodes=0), tmp_path / "runs"))

    return play
