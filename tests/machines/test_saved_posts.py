"""The file in which a place saves the posts of its session."""

from contextlib import closing
from pathlib import Path

import pytest
from veilmix.errors import StorageError
from veilmix.machines.saved_posts import POSTS, SavedPosts, post_line

POST = ("curator", b"vm\x01one")
NEXT = ("analyst", b"vm\x01two")


def saved(folder: Path, *posts: tuple[str, bytes], again: bool = False) -> SavedPosts:
    """Save some posts, and close the file."""
    with closing(SavedPosts(folder, pytest.fail, is_restart=again)) as file:
        for post in posts:
            file.add(*post)
    return file


def test_a_line_is_written_before_the_next_post_comes(tmp_path: Path) -> None:
    file = SavedPosts(tmp_path / "new" / "folder", pytest.fail)
    file.add(*POST)
    assert file.path.read_bytes() == post_line(*POST)
    assert file.path.read_text("utf-8") == '{"author": "curator", "post": "766d016f6e65"}\n'
    file.close()


def test_evidence_is_not_replaced(tmp_path: Path) -> None:
    saved(tmp_path, POST)
    with pytest.raises(StorageError, match=r"posts.jsonl: is there already"):
        saved(tmp_path, NEXT)
    assert (tmp_path / POSTS).read_bytes() == post_line(*POST)


def test_a_place_that_was_killed_goes_on_in_the_same_file(tmp_path: Path) -> None:
    saved(tmp_path, POST)
    with (tmp_path / POSTS).open("ab") as file:
        file.write(post_line(*NEXT)[:9])  # it was killed here
    saved(tmp_path, POST, NEXT, again=True)
    assert (tmp_path / POSTS).read_bytes() == post_line(*POST) + post_line(*NEXT)


def test_other_posts_than_before_are_refused(tmp_path: Path) -> None:
    saved(tmp_path, POST)
    with pytest.raises(StorageError, match="holds other posts than this session"):
        saved(tmp_path, NEXT, again=True)
    assert (tmp_path / POSTS).read_bytes() == post_line(*POST)


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StorageError, match="file: cannot be written"):
        saved(tmp_path / "file")


class Full:
    """A file on a disk that is full."""

    def write(self, _line: bytes) -> None:
        raise OSError(28, "No space left on device")

    def flush(self) -> None: ...

    def close(self) -> None: ...


def test_a_full_disk_ends_the_evidence_and_not_the_session(tmp_path: Path) -> None:
    told: list[str] = []
    file = SavedPosts(tmp_path, told.append)
    file.add(*POST)
    there, file._file = file._file, Full()  # type: ignore[assignment]
    file.add(*NEXT)
    file.add(*POST)
    assert told == [f"{tmp_path / POSTS}: no more posts can be saved (No space left on device)"]
    with pytest.raises(StorageError, match="the last posts are missing"):
        file.close()
    there.close()
    assert (tmp_path / POSTS).read_bytes() == post_line(*POST)
