"""A command line to type at, and one finished run that many tests look at."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf
from pathlib import Path

import pytest
from veilmix.cli import main
from veilmix.scenarios.lab.play.run import run
from veilmix.scenarios.lab.scoring.outcome import Outcome
from veilmix.scenarios.records.run_folder import save


@dataclass(frozen=True)
class Said:
    """What a command left: its exit code, and what it wrote."""

    code: int
    out: str
    err: str


Typed = Callable[..., Said]


@pytest.fixture
def typed(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Run a command in an empty folder. Lines about progress come after seconds: none is due."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("veilmix.cli.text.pace.FIRST_DELAY", inf)

    def type_(*arguments: str) -> Said:
        code = main(list(arguments))
        wrote = capsys.readouterr()
        return Said(code, wrote.out, wrote.err)

    return type_


@pytest.fixture(scope="session")
def played() -> Outcome:
    """Thirty people, seed 7."""
    return run("blood-type", 7)


@pytest.fixture(scope="session")
def folder(played: Outcome, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Its run folder, which no test may change."""
    return save(played, tmp_path_factory.mktemp("kept"))


def write(path: Path, lines: Sequence[str]) -> str:
    """Write a scenario, and give its name."""
    path.write_text("\n".join(lines), "utf-8")
    return str(path)
