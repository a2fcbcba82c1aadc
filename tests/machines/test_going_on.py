"""A place that is started again: its version, its journal, and its outcome."""

import sqlite3
from pathlib import Path

import pytest
import session_kit as KIT
import trio
from veilmix import __version__
from veilmix.crypto.identity import make_identity
from veilmix.errors import StorageError
from veilmix.machines import journal, service
from veilmix.machines.directory import Directory, SessionPlace
from veilmix.machines.journal import Durable, Journal
from veilmix.machines.saved_posts import POSTS, SavedPosts, post_line
from veilmix.machines.service import Site
from veilmix.protocol.board.board import Board

OWN = make_identity("curator")
DIRECTORY = Directory(
    {name: SessionPlace(name, OWN.public.certificate, port=1) for name in ("curator", "board")}
)  # nobody listens there


def test_a_journal_of_another_version_is_refused_by_name_and_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a"
    with monkeypatch.context() as patch:
        patch.setattr(journal, "__version__", "0.0.9")
        Journal(path, Durable.DISK).close()
    with pytest.raises(StorageError, match=rf"veilmix 0\.0\.9 has written .*{__version__}"):
        Journal(path, Durable.DISK)
    with monkeypatch.context() as patch:
        patch.setattr(journal, "__version__", "0.0.9")
        Journal(path, Durable.DISK).close()
    database = sqlite3.connect(path)
    database.execute("UPDATE facts SET name = 'kept'")
    database.commit()
    database.close()
    with pytest.raises(StorageError, match="before"):
        Journal(path, Durable.DISK)


def test_a_journal_is_of_one_process(tmp_path: Path) -> None:
    """Two processes of a place would contradict each other."""
    first = Journal(tmp_path / "a", Durable.DISK)
    first.write("hall", b"1")
    with pytest.raises(StorageError, match="another process has this journal"):
        Journal(tmp_path / "a", Durable.DISK)
    first.write("hall", b"2")
    first.close()
    again = Journal(tmp_path / "a", Durable.DISK)
    assert [data for _, data in again.inputs()] == [b"1", b"2"]
    again.close()


@pytest.mark.parametrize("step", ["_overwrite", "_delete"])
def test_the_rest_of_a_journal_whose_erasure_was_cut_short_is_erased(
    step: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a"
    written = Journal(path, Durable.DISK)
    written.write("hall", b"letter" * 99)
    call = getattr(journal, step)

    def cut(given: Path) -> None:
        if step == "_overwrite":
            call(given)
        raise KeyboardInterrupt

    monkeypatch.setattr(journal, step, cut)
    with pytest.raises(KeyboardInterrupt):
        written.erase()
    monkeypatch.undo()
    written.close()
    assert path.exists()
    with pytest.raises(StorageError, match="outcome was printed"):
        Journal(path, Durable.DISK)
    assert not list(tmp_path.iterdir())


def test_of_the_files_of_a_journal_the_first_is_deleted_last(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    deleted: list[str] = []
    monkeypatch.setattr(Path, "unlink", lambda path, missing_ok: deleted.append(path.name))
    journal._delete(tmp_path / "a")
    assert deleted[-1] == "a"


def test_a_log_of_sqlite_restores_a_journal_whose_start_is_zeros(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(bytes(4_096))
    assert journal.is_erased(path)
    path.with_name("a-wal").write_bytes(b"7\x7f\x06\x82" + bytes(28))
    assert not journal.is_erased(path)


def test_a_file_without_posts_is_no_evidence(tmp_path: Path) -> None:
    """A place that was killed before its first post can be started again."""
    (tmp_path / POSTS).touch()
    saved = SavedPosts(tmp_path, pytest.fail)
    saved.add("curator", b"x")
    saved.close()
    assert (tmp_path / POSTS).read_bytes() == post_line("curator", b"x")
    with pytest.raises(StorageError, match="is there already"):
        SavedPosts(tmp_path, pytest.fail)


@pytest.mark.tls
async def test_the_outcome_is_concluded_before_the_journal_is_erased(tmp_path: Path) -> None:
    """What cannot be printed keeps the journal; the same command concludes again."""
    path, told = tmp_path / "a", list[bool]()

    def conclude(_: Board) -> None:
        told.append(path.exists())
        if len(told) == 1:
            raise OSError("no room for the release")

    async def role(*_: object) -> None:
        await trio.lowlevel.checkpoint()

    site = Site(
        *("curator", OWN, DIRECTORY, {}, lambda *_, **__: None, Durable.DISK, path),
        listen=("127.0.0.1", KIT.free_ports(1)[0]),
        conclude=conclude,
    )
    with pytest.raises(OSError, match="no room"):
        await service._played(site, role, (), lambda *_: None)
    assert path.exists()
    await service._played(site, role, (), lambda *_: None)
    assert told == [True, True]
    assert not path.exists()
