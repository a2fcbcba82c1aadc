"""A disk that is full: one clear line, what was found is told, and nothing is left half written."""

import importlib.util
import py_compile
import resource
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from veilmix import systems
from veilmix.analysis import drawing
from veilmix.errors import StorageError
from veilmix.machines import processes
from veilmix.scenarios.records import identity_files
from veilmix.scenarios.serialization.atomic_file import write_whole

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no such limit there")


@contextmanager
def room(size: int) -> Iterator[None]:
    """For a while no file may be longer than a size: whoever writes more hears that it is full."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    written = sys.dont_write_bytecode
    sys.dont_write_bytecode = True  # of a module, Python would keep the part that had room
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        sys.dont_write_bytecode = written


def files(folder: Path) -> list[str]:
    """All that lies in a folder, however deep."""
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


# `attack` keeps its folder as `run` and `compare` do.
CASES = {  # command -> the file or folder that is named, and what was found, if it is told first
    ("run", "blood-type", "--worst-case", "0"): ("runs: nothing", "released: A, B"),
    ("compare", "blood-type", "--programs", "trusted"): ("runs: nothing", "their true exposure"),
    ("reproduce", "000", "3", "--worst-case", "0"): ("reproduced-000/figure3.png:", "caption"),
    ("score", "t.csv", "--save", "s.json"): ("s.json:", "coverage bound"),
    ("score", "t.csv", "--anyway", "--table", "o.csv"): ("o.csv:", "coverage bound"),
    ("score", "t.csv", "--anyway", "--table", "o.parquet"): ("o.parquet:", "coverage bound"),
    ("score", "t.csv", "--anyway", "--table", "o.xlsx"): ("o.xlsx:", "coverage bound"),
}


@pytest.mark.slow
@pytest.mark.parametrize("line", CASES, ids=" ".join)
def test_what_was_found_is_told_and_nothing_is_left(typed: Any, line: tuple[str, ...]) -> None:
    drawing.require()  # what it imports may be written down, too
    rows = "\n".join(f"x{number % 3},y{number % 5},z{number}" for number in range(2000))
    Path("t.csv").write_text(f"a,b,c\n{rows}\n", "utf-8")
    before = files(Path())
    with room(2_000):
        said = typed(*line)
    named, finding = CASES[line]
    assert said.code == 2
    (*_, last) = said.err.splitlines()
    assert last.startswith(named)
    assert "File too large" in last
    assert "make room" in last
    assert finding in said.out
    assert files(Path()) == before


SWEEP = ("sweep", "blood-type", "--set", "policy.k=2,5,10", "--mode", "ideal", "--seed", "1",
         "--executor", "thread", "--no-figure")  # fmt: skip


@pytest.mark.slow
def test_a_sweep_keeps_the_runs_before_and_goes_on(typed: Any) -> None:
    whole = typed(*SWEEP, "--out", "whole.jsonl", "--format", "csv")
    size = Path("whole.jsonl").stat().st_size
    with room(size * 2 // 3):
        said = typed(*SWEEP, "--out", "s.jsonl")
    assert said.code == 2
    told = "cannot be written: File too large; the runs before are kept in it: make room, then"
    assert said.err.splitlines() == [f"s.jsonl: {told} --resume goes on"]
    kept = Path("s.jsonl").read_bytes()
    assert kept.endswith(b"\n")
    assert 0 < kept.count(b"\n") < 3
    assert typed(*SWEEP, "--out", "s.jsonl", "--resume", "--format", "csv").out == whole.out
    assert Path("s.jsonl").read_bytes().startswith(kept)


@pytest.mark.slow
@pytest.mark.skipif(not systems.FORKS, reason="makes copies of the process")
def test_a_run_in_processes_that_cannot_keep_its_journals_says_what_to_do(
    typed: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No party of it can be started again: with the run its journals are gone."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with room(40_000):
        said = typed("run", "blood-type", "--processes", "--durable", "disk", "--no-save")
    assert said.code == 2
    assert "the journal cannot be used (" in said.err
    assert said.err.endswith(f"); {processes.RERUN}\n")
    assert files(tmp_path) == []


def test_a_figure_or_file_that_was_there_stays(tmp_path: Path) -> None:
    picture, text = tmp_path / "p.png", tmp_path / "t.txt"
    figure, _ = drawing.new(2, 2)
    drawing.save(figure, picture)
    write_whole(text, "old", force=True)
    old = picture.read_bytes()
    with room(100):
        with pytest.raises(StorageError, match=r"p\.png: .*make room, or name another place"):
            drawing.save(figure, picture)
        with pytest.raises(StorageError, match=r"t\.txt: .*make room, or name another file"):
            write_whole(text, b"x" * 101, force=True)
    assert picture.read_bytes() == old
    assert text.read_text("utf-8") == "old"
    assert files(tmp_path) == ["p.png", "t.txt"]


def test_no_half_of_an_identity_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A secret key without its public part would forbid to make both."""

    def full(path: Path, *given: Any, **more: Any) -> None:
        if path.name.endswith(identity_files.PUBLIC):
            raise StorageError("full")
        write_whole(path, *given, **more)

    monkeypatch.setattr(identity_files, "write_whole", full)
    with pytest.raises(StorageError, match="full"):
        identity_files.create(tmp_path, "ada")
    assert files(tmp_path) == []


def test_a_compiled_module_that_a_full_disk_cut_short_is_named(
    typed: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Python itself left it so; without a word of ours it would look like a bug of veilmix."""
    source = tmp_path / "cut.py"
    source.write_text("FULL = 'a disk'\n" * 9)
    kept = Path(py_compile.compile(str(source), doraise=True))
    kept.write_bytes(kept.read_bytes()[:-20])
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr("veilmix.cli.app._invoke", lambda _: importlib.import_module("cut"))
    said = typed("doctor")
    assert said.code == 2
    assert said.err.startswith(f"{kept}: Python could not write this compiled module whole")
    kept.unlink()
    importlib.import_module("cut")


def test_what_python_compiles_meanwhile_is_not_kept_by_half(tmp_path: Path) -> None:
    """Later tests would find half a module, and fail: such a run of all tests there was."""
    source = tmp_path / "late.py"
    source.write_text("LONG = 'x'\n" * 900)
    spec = importlib.util.spec_from_file_location("late", source)
    assert spec is not None
    assert spec.loader is not None
    with room(2_000):
        spec.loader.exec_module(importlib.util.module_from_spec(spec))
    assert files(tmp_path) == ["late.py"]
