"""A spool is a list of byte strings, wherever they lie; what lies on disk has no name."""

import errno
import os
import pickle
import signal
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from veilmix.errors import StorageError
from veilmix.roles.compute import spool
from veilmix.roles.compute.spool import Spool

VALUES = st.lists(st.binary(max_size=6), max_size=8)
ALIKE = st.lists(st.binary(min_size=3, max_size=3), max_size=8)


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Little fits into memory, and a block is shorter than most of what is written."""
    monkeypatch.setattr(spool, "MEMORY_LIMIT", 20)
    monkeypatch.setattr(spool, "BLOCK", 7)
    monkeypatch.setenv(spool.FOLDER, str(tmp_path))


@given(st.lists(st.one_of(VALUES, ALIKE), max_size=6), st.booleans(), st.slices(40))
def test_it_is_a_list(parts: list[list[bytes]], singly: bool, some: slice) -> None:
    held = Spool()
    expected: list[bytes] = []
    for part in parts:
        widths = {len(value) for value in part}
        if singly:
            for value in part:
                held.extend([value])
        elif widths == {3}:
            held.add(b"".join(part), 3)
        else:
            held.extend(part)
        expected += part
    assert len(held) == len(expected)
    assert list(held) == expected
    assert [held[at] for at in range(-len(expected), len(expected))] == expected * 2
    assert list(held[some]) == expected[some]
    assert list(held[some][::2]) == expected[some][::2]
    assert [held[some][at] for at in range(len(expected[some]))] == expected[some]
    assert pickle.loads(pickle.dumps((held, held[some]))) == (expected, expected[some])
    with pytest.raises(IndexError):
        held[len(expected)]
    held.close()
    assert list(held) == []


def test_what_is_too_much_for_memory_lies_on_disk() -> None:
    held = Spool([b"0123456789"] * 2)
    assert held.on_disk == 0
    held.extend([b"x"])
    assert held.on_disk == 21


def test_its_file_has_no_name_and_nobody_else_may_read_it(tmp_path: Path) -> None:
    held = Spool([b"0123456789"] * 9)
    assert held.on_disk
    assert held._descriptor is not None
    assert list(tmp_path.iterdir()) == []
    assert os.fstat(held._descriptor).st_mode & 0o077 == 0


def test_its_file_is_closed_with_it() -> None:
    held = Spool([b"0123456789"] * 9)
    descriptor = held._descriptor
    assert descriptor is not None
    del held
    with pytest.raises(OSError, match="Bad file"):
        os.fstat(descriptor)


LEFT = """
import os, signal
from veilmix.roles.compute import spool
spool.MEMORY_LIMIT = 10
held = spool.Spool([b"0123456789"] * 9)
assert held.on_disk
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_who_is_killed_leaves_nothing(tmp_path: Path, started: Any) -> None:
    process = started(sys.executable, "-c", LEFT, env={**os.environ, spool.FOLDER: str(tmp_path)})
    process.communicate()
    assert process.returncode == -signal.SIGKILL
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(spool.FOLDER, "/nowhere")
    with pytest.raises(StorageError, match=r"^/nowhere: .* No such file or directory; name anoth"):
        Spool([b"0123456789"] * 9)


def test_a_disk_that_is_full_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def full(*_: Any) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "pwrite", full)
    with pytest.raises(StorageError, match="make room there, or name another folder: VEILMIX_SC"):
        Spool([b"0123456789"] * 9)
    assert list(tmp_path.iterdir()) == []


def test_what_is_written_in_parts_is_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    """A disk may take less at once than it is given, and give less than it is asked for."""
    write, read = os.pwrite, os.pread
    monkeypatch.setattr(os, "pwrite", lambda file, data, at: write(file, bytes(data[:4]), at))
    monkeypatch.setattr(os, "pread", lambda file, size, at: read(file, min(size, 3), at))
    held = Spool([b"0123456789"] * 9)
    assert list(held) == [b"0123456789"] * 9


def test_what_a_disk_has_lost_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    held = Spool([b"0123456789"] * 9)
    monkeypatch.setattr(os, "pread", lambda *_: b"")
    with pytest.raises(StorageError, match="shorter than the data written to it"):
        list(held)


@pytest.mark.parametrize(
    ("named", "where"),
    [({spool.FOLDER: "/a", "TMPDIR": "/b"}, "/a"), ({"TMPDIR": "/b"}, "/b"), ({}, "/var/tmp")],
)
def test_where_it_lies_is_stated(
    named: dict[str, str], where: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in (spool.FOLDER, "TMPDIR"):
        monkeypatch.delenv(name, raising=False)
    for name, value in named.items():
        monkeypatch.setenv(name, value)
    assert str(spool.folder()) == where
