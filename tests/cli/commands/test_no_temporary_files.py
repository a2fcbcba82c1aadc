"""No room for a temporary file: each command does without one, or says so in one sentence.

`NOWHERE` stands for a system whose folders for temporary files are all closed or full; the limit on
the size of files stands for a disk that is full when a file has begun.
"""

import os
from pathlib import Path

import pytest
import veilmix
from command_copies import ROWS, every_command, play
from veilmix import systems, temporary_files
from veilmix.errors import StorageError

pytestmark = pytest.mark.skipif(not systems.FORKS, reason="makes copies of the process")

NOWHERE = """
import tempfile
tempfile.tempdir = None
tempfile._candidate_tempdir_list = lambda: ["/proc"]
for name in ("VEILMIX_SCRATCH", "TMPDIR", "HOME", "MPLCONFIGDIR"):
    os.environ.pop(name, None)
os.environ["HOME"] = "/proc"
"""
FULL = """
import resource
resource.setrlimit(resource.RLIMIT_FSIZE, (1_000, 1_000))
sys.dont_write_bytecode = True
"""
# Lines that need a temporary file -> what cannot be put into it
NEEDS = {
    "score ../t.parquet --k 2": "../t.parquet: a copy of its ",
    "score t.csv --k 2 --table o.xlsx --anyway": "o.xlsx: cannot be written: the unfinished file ",
    "score t.csv --k 2 --table o.parquet --anyway": "o.parquet: cannot be written: the unfinished ",
    "run ../tokens.toml --no-save --worst-case 0": "libsodium (2.8 MB), to be loaded, ",
    "run blood-type --processes --durable disk --no-save": "journals ",
}
TOKENS = """[scenario]
name = "tokens"
seed = 7
[population]
source = "builtin:blood-type"
[policy]
k = 2
max_exposure = 0.5
[defence]
registered = true
tokens = true
"""


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder with a table that duckdb reads from a copy, and a scenario with tokens."""
    import duckdb

    (tmp_path / "t.csv").write_text(ROWS, "utf-8")
    with duckdb.connect() as connection:
        made = tmp_path / "t.parquet"
        connection.execute(f"COPY (FROM read_csv('{tmp_path}/t.csv')) TO '{made}'")
    (tmp_path / "tokens.toml").write_text(TOKENS, "utf-8")
    return tmp_path


@pytest.mark.slow
def test_what_needs_a_temporary_file_says_so_in_one_sentence(place: Path) -> None:
    for done in play(NEEDS, place, before=NOWHERE):
        assert done.code == 2, (done.line, done.err)
        (*_, last) = done.err.splitlines()
        assert last.startswith(f"{NEEDS[done.line]}"), done.err
        assert "cannot be put into a temporary file: No usable temporary directory" in last
        assert last.endswith("make room there, or name another folder: TMPDIR=FOLDER")
        left = sorted(path.name for path in done.folder.iterdir())
        assert left == ["code", "err", "out", "t.csv"], done.line


@pytest.mark.slow
def test_every_other_command_does_without(folder: Path, tmp_path: Path) -> None:
    wanted = every_command(folder)
    done = play(wanted, tmp_path, before=NOWHERE)
    assert {each.line: each.code for each in done} == wanted, [each.err for each in done]


@pytest.mark.slow
def test_a_copy_that_does_not_fit_is_one_sentence(place: Path) -> None:
    lines = [line for line in NEEDS if "durable" not in line and "parquet" not in line]
    for done in play(lines, place, "/dev/null err", FULL):
        assert done.code == 2, (done.line, done.err)
        (*_, last) = done.err.splitlines()
        assert last.startswith(NEEDS[done.line]), done.err
        assert "File too large" in last
        assert "make room" in last


def test_a_frame_that_cannot_be_put_aside_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **_given: object) -> None:
        raise OSError(28, os.strerror(28))

    monkeypatch.setattr("veilmix.scenarios.populations.frame_file._folder", full)
    with pytest.raises(StorageError, match=r"^table: a copy of it cannot be put into .*make room"):
        veilmix.score({"a": ["x", "y"] * 5}, k=2)


def test_what_is_refused_inside_a_private_folder_is_no_error_of_its_own() -> None:
    with (
        pytest.raises(StorageError, match=r"^a copy cannot be put into .*: no; make room there"),
        temporary_files.private_folder("a copy") as folder,
        temporary_files.set_aside("a copy"),
    ):
        raise OSError("no")
    assert not folder.exists()
