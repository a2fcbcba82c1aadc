r"""The posts of a session in a folder, written as they come: evidence for absent readers.

    FOLDER/posts.jsonl    a line for each post, in the order of the board:
                          {"author": "curator", "post": "<the bytes of the post, hexadecimal>"}

A post is public, so the folder holds no key, no seed and no ballot that a party could not read on
the board. It holds no copy of the session file either: a reader compares the posts with the
agreement that it has itself (docs/adr/0108).

A line is written before the party hears the post. A place that is killed, and started again with
its journal, goes on in the same file: the posts that it plays again must be those that are there.
"""

import json
from collections.abc import Callable, Iterator
from io import SEEK_END
from pathlib import Path
from typing import IO

from ..errors import StorageError

POSTS = "posts.jsonl"
LONGEST = 1 << 28  # characters of the longest line: twice the longest entry, and its author


class SavedPosts:
    """The file of saved posts of one place.

    note: called once with the reason why no more posts can be written. is_restart: whether the
    place goes on where it was killed; else an existing file is an error.

    Raises:
        StorageError: the folder cannot be written, or holds posts already.
    """

    def __init__(
        self, folder: Path, note: Callable[[str], None], *, is_restart: bool = False
    ) -> None:
        """Open or create the file."""
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
        """Write a post, or compare it with the line of an earlier process.

        A disk that is full ends the evidence, and not the session.

        Raises:
            StorageError: another post stands in its place.
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
    """Drop a last line that is incomplete; return the lines before it, ready to append."""
    size = file.seek(0, SEEK_END)
    if not size:
        return iter(())
    file.seek(0)
    lines = file.readlines()
    if not lines[-1].endswith(b"\n"):
        file.truncate(size - len(lines.pop()))
    file.seek(0, SEEK_END)
    return iter(lines)
