"""The files of the page: folders in which the user looks for files, uploaded files, saved files."""

import os
from dataclasses import dataclass, field
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import Any

from ..errors import StorageError
from ..scenarios.populations.files import READERS
from ..scenarios.serialization.atomic_file import write_whole
from ..temporary_files import set_aside

# largest number of listed folders, and of listed files; further names are left out
MOST_LISTED = 500
NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
NAME_BYTES = 200  # bytes of the longest name of an uploaded file; a longer name loses its beginning


@dataclass(frozen=True, slots=True)
class OwnFiles:
    """Files that a browser uploaded, in a private folder that is removed at the end.

    Attributes:
        folder: the private folder.
        hierarchies: column -> its uploaded hierarchy file, which lists coarser values.
        given_files: name of a setting -> the uploaded file that it names.
    """

    folder: Path
    hierarchies: dict[str, Path] = field(default_factory=dict)
    given_files: dict[str, Path] = field(default_factory=dict)

    def keep_table(self, name: str, data: bytes) -> Path:
        """Keep an uploaded table under its name; return its path. Raises StorageError.

        An earlier table is removed after the new table is written.
        """
        called, earlier = plain_name(name), list(self.folder.glob("table*"))
        with set_aside(f"{name}: a copy of its {len(data):,} bytes"):
            folder = Path(mkdtemp(prefix="table", dir=self.folder))
            try:
                keep_private(folder / called, data)
            except BaseException:
                rmtree(folder, ignore_errors=True)
                raise
        for old in earlier:
            rmtree(old, ignore_errors=True)
        return folder / called

    def keep_hierarchy(self, column: str, data: bytes) -> str:
        """Keep an uploaded hierarchy file, which lists coarser values of a column.

        Returns its name on a command line. Raises StorageError.
        """
        number = len(list(self.folder.glob("hierarchy-*"))) + 1
        place = self.folder / f"hierarchy-{number}.csv"
        with set_aside(f"the hierarchy of {column}"):
            try:
                keep_private(place, data)
            except BaseException:
                place.unlink(missing_ok=True)
                raise
        self.hierarchies[column] = place
        return place.name

    def keep_given(self, choice: str, name: str, data: bytes) -> str:
        """Keep an uploaded file for a setting that names a file, such as `release`.

        choice: the name of the setting. name: the file's name, of which unsafe characters are
        replaced. Returns the name under which the file is kept. Raises StorageError.
        """
        called = plain_name(name)
        with set_aside(f"{name}: a copy of its {len(data):,} bytes"):
            folder = Path(mkdtemp(prefix=f"{choice}-", dir=self.folder))
            try:
                keep_private(folder / called, data)
            except BaseException:
                rmtree(folder, ignore_errors=True)
                raise
        self.drop_given(choice)
        self.given_files[choice] = folder / called
        return called

    def drop_given(self, choice: str) -> None:
        """Forget the file that a setting names; if it was uploaded, remove its copy.

        choice: the name of the setting.
        """
        earlier = self.given_files.pop(choice, None)
        if earlier is not None and earlier.parent.parent == self.folder:
            rmtree(earlier.parent, ignore_errors=True)


def file_state(path: Path) -> str:
    """Return a text that changes with a file: its path, its size, and its modification time."""
    try:
        status = path.stat()
    except OSError:
        return str(path)
    return f"{path} {status.st_size} {status.st_mtime_ns}"


def keep_private(place: Path, data: bytes) -> None:
    """Write a new file that only its owner can read. place: its path, which must not exist yet."""
    with os.fdopen(os.open(place, NEW, 0o600), "wb") as file:
        file.write(data)


def plain_name(name: str) -> str:
    """Return the last part of a path of any system, with forbidden characters replaced by `_`.

    StorageError if no valid file name is left.
    """
    last = name.replace("\\", "/").rpartition("/")[2]
    short_name = "".join(
        "_" if sign in '<>:"|?*' or not sign.isprintable() else sign for sign in last
    )
    while len(short_name.encode()) > NAME_BYTES:
        short_name = short_name[1:]
    if not short_name.strip(". "):
        raise StorageError(f"{name!r}: is not a valid file name")
    return short_name


def listing(folder: str) -> dict[str, Any]:
    """Return the folders and data files in a folder, for a user that looks for a file.

    folder: its path; "": the current folder. Raises StorageError if it cannot be read.
    """
    path = Path(folder or ".").expanduser()
    try:
        place = path.resolve(strict=True)
        entries = sorted(os.scandir(place), key=lambda entry: entry.name.casefold())
    except (OSError, ValueError) as bad:
        why = getattr(bad, "strerror", None) or bad
        raise StorageError(f"{path}: cannot be read as a folder: {why}") from None
    if not is_unicode(str(place)):
        raise StorageError("the name of this folder is no Unicode text; rename it")
    visible_entries = [
        folder_entry
        for folder_entry in entries
        if not folder_entry.name.startswith(".") and is_unicode(folder_entry.name)
    ]
    folders = [entry.name for entry in visible_entries if _is_folder(entry)]
    files = [
        {"name": entry.name, "bytes": entry.stat().st_size}
        for entry in visible_entries
        if Path(entry.name).suffix.lower() in READERS and _is_file(entry)
    ]
    return {
        "path": str(place),
        "above": None if place.parent == place else str(place.parent),
        "folders": folders[:MOST_LISTED],
        "files": files[:MOST_LISTED],
    }


def is_unicode(name: str) -> bool:
    """Whether the name of a file is a text that can be shown and sent."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def _is_folder(entry: "os.DirEntry[str]") -> bool:
    """Whether a folder's entry is itself a folder; False if it cannot be read."""
    try:
        return entry.is_dir()
    except OSError:
        return False


def _is_file(entry: "os.DirEntry[str]") -> bool:
    """Whether a folder's entry is a file; False if it cannot be read."""
    try:
        return entry.is_file()
    except OSError:
        return False


def save(path: Path, data: bytes, *, replace: bool) -> Path:
    """Write a file completely, readable by its owner alone; return its absolute path.

    replace: whether an existing file may be replaced. Raises FileExistsError if it exists and may
    not be replaced, StorageError if it cannot be written.
    """
    place = Path(os.path.abspath(path.expanduser()))  # noqa: PTH100 - a link stays as it is called
    if os.path.lexists(place) and not replace:
        raise FileExistsError(place)
    write_whole(place, data, force=replace, private=True)
    return place
