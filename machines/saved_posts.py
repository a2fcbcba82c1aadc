"""The posts of a session in a folder, written as they come: evidence for later auditors.

    FOLDER/posts.jsonl    a line for each post, in the order of the board:
                          {"author": "curator", "post": "<the bytes of the post, hexadecimal>"}

Posts are public, so the folder holds no key, no seed, and no ballot except ballots on the
board. It holds no copy of the session file either: an auditor checks the posts against
the auditor's own copy (docs/adr/0108).

A line is written before the party processes the post. If a process is killed and
started again with its journal, it replays the session and goes on in the same file.
Each replayed post must be equal to the line that the file has for it.
"""

import json
from collections.abc import Callable, Iterator
from io import SEEK_END
from pathlib import Path
from typing import IO

from ..errors import StorageError

POSTS = "posts.jsonl"
# characters of the longest line: a post's author, and its bytes in hexadecimal, two characters a
# byte
LONGEST = 1 << 28


class SavedPosts:
    """The file in which a process of a session saves the posts of the board.

    note: called once with the reason if no more posts can be written. is_restart: whether
    the process goes on after it was killed; otherwise an existing file is an error.

    Raises:
        StorageError: the folder cannot be written, or holds posts already.
    """

    def __init__(
        self, folder: Path, note: Callable[[str], None], *, is_restart: bool = False
    ) -> None:
        """Open the file of posts in the folder, or create it.

        note: called once with the reason if no more posts can be written. is_restart: whether the
        process was killed and goes on; otherwise StorageError if the file has posts.
        """
        self.path = folder / POSTS
        self._note = note
        self._failure = ""
        try:
            folder.mkdir(parents=True, exist_ok=True)
            has_posts = self.path.exists() and self.path.stat().st_size > 0
            if has_posts and not is_restart:
                raise StorageError(
                    f"{self.path}: is there already, and evidence is not replaced; name another "
                    "folder"
                )
            self._file = self.path.open("r+b" if has_posts else "w+b")
            self._earlier = _whole_lines(self._file)
        except OSError as bad:
            raise StorageError(f"{folder}: cannot be written ({bad.strerror or bad})") from None

    def add(self, author: str, data: bytes) -> None:
        """Write a post, or compare it with the line that an earlier process wrote for it.

        If the disk is full, no more posts are saved, but the session goes on.

        Raises:
            StorageError: the file has another post at this position.
        """
        line = post_line(author, data)
        earlier = next(self._earlier, b"")
        if earlier:
            if earlier != line:
                raise StorageError(
                    f"{self.path}: holds other posts than this session; name another folder"
                )
            return
        if self._failure:
            return
        try:
            self._file.write(line)
            self._file.flush()
        except OSError as bad:
            self._failure = str(bad.strerror or bad)
            self._note(f"{self.path}: no more posts can be saved ({self._failure})")

    def close(self) -> None:
        """Close the file; StorageError unless every post is in it."""
        try:
            self._file.close()
        except OSError as bad:
            self._failure = self._failure or str(bad.strerror or bad)
        if self._failure:
            raise StorageError(
                f"{self.path}: the last posts are missing ({self._failure}); the session went on"
            )


def post_line(author: str, data: bytes) -> bytes:
    """Return the line of a post in the file (JSON)."""
    return json.dumps({"author": author, "post": data.hex()}).encode() + b"\n"


def _whole_lines(file: IO[bytes]) -> Iterator[bytes]:
    """Drop an incomplete last line; return the complete lines, with the file ready to append."""
    size = file.seek(0, SEEK_END)
    if not size:
        return iter(())
    file.seek(0)
    lines = file.readlines()
    if not lines[-1].endswith(b"\n"):
        file.truncate(size - len(lines.pop()))
    file.seek(0, SEEK_END)
    return iter(lines)
