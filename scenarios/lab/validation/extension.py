"""Scenario files that extend another file: `extends = "titanic"` takes its tables and changes keys.

The key `extends` stands above all tables. Its value is the name of a shipped scenario, or the path
of a `.toml` file, relative to the folder of the extending file. The extended file is called the
base. A base may extend a further base.

Tables are combined key by key, and so are tables inside tables. A list replaces the list of the
base: `feature = []` removes all columns of the base. A key can be changed, not removed. A base does
not pass on its [expect], nor the name and the title in [scenario].
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ....errors import ScenarioError
from ....strict_text import Unreadable, decoded, from_toml
from ...populations.values import composed
from ...schema.lines import Locator
from ...schema.model import BUILTIN, PHONES
from ...schema.problems import Path as Keys
from ...schema.problems import Problem, as_found, did_you_mean, problem
from .gallery import names, source, unknown_name

KEY = "extends"
ENDING = ".toml"  # ending of the path of an extended file; any other text names a shipped scenario
MAX_BASES = 4  # longest chain of files that each extend the next
MAX_BYTES = 1 << 20
PATHS = (KEY, "source", "hierarchy")  # keys with a path as value


@dataclass(frozen=True, slots=True)
class ScenarioFile:
    """A scenario file as it was read, before the files it extends are combined and it is checked.

    Attributes:
        name: the file's name in messages; "": the tables were not read from a text.
        tables: the file's tables, without `extends`.
        text: the TOML text, as read.
        folder: the folder that its relative paths start from.
        extends: the name or path of the file that it extends; None: it extends no file.
        place: the resolved path of the file, or the name of a shipped scenario; "" for other texts.
    """

    name: str
    tables: dict[str, Any]
    text: str = ""
    folder: Path = Path()
    extends: Any = None
    place: str = ""

    @classmethod
    def from_tables(cls, tables: dict[str, Any]) -> ScenarioFile:
        """Return a file that was never written, from nested dicts, which may have `extends`."""
        return cls("", _without(tables, KEY), extends=tables.get(KEY))

    @classmethod
    def from_text(cls, text: str, name: str, folder: Path, place: str = "") -> ScenarioFile:
        """Return the file with this text. ScenarioError if the text is not TOML.

        name: the file's name in messages. folder: the folder that relative paths start from. place:
        the resolved path of the file; "" for other texts.
        """
        try:
            tables = from_toml(text)
        except Unreadable as bad:
            raise ScenarioError([f"{name}:{bad.line}: {bad.why}"]) from None
        file = cls.from_tables(tables if text.isascii() else dict(_composed(tables)))
        return replace(file, name=name, text=text, folder=folder, place=place)

    @classmethod
    def from_path(cls, path: Path, name: str = "") -> ScenarioFile:
        """Return a file, read and parsed. ScenarioError if it cannot be read.

        name: the file's name in messages; empty: its path.
        """
        text = read_text(path)
        return cls.from_text(text, name or str(path), path.parent, str(path.resolve()))

    @classmethod
    def from_gallery(cls, name: str) -> ScenarioFile:
        """Return a shipped scenario by its name."""
        return cls.from_text(source(name), f"{name}{ENDING}", Path(), name)

    def base(self) -> ScenarioFile:
        """Return the file that this file extends. ScenarioError without such a file."""
        called = self.extends
        if isinstance(called, str) and called.endswith(ENDING):
            path = self.folder / Path(called).expanduser()
            if path.is_file():
                return self.from_path(path)
            hint = did_you_mean(Path(called).stem, names())
            raise self.wrong_base(f"there is no such file{hint}")
        if isinstance(called, str) and called in names():
            return self.from_gallery(called)
        hint = did_you_mean(called, names())
        raise self.wrong_base(
            f"the name of a shipped scenario or the path of a {ENDING} file is accepted{hint}"
        )

    def wrong_base(self, message: str) -> ScenarioError:
        """Return the error that the file named by `extends` cannot be used.

        message: the reason, and the accepted values.
        """
        refusal = problem((KEY,), f"found {as_found(self.extends)}; {message}")
        return ScenarioError([refusal.line(self.name, self.line(refusal.path))])

    def line(self, path: Keys) -> int:
        """Return the line number of a key, from 1; 0 if the tables were not read from a text."""
        return Locator(self.text).line(path) if self.name else 0

    def depth(self, path: Keys) -> int:
        """Return how many leading parts of a key's path exist in this file's tables.

        If several files are combined, the file with the largest number sets the key. If only the
        first part exists, the number is 0, because a table without the key does not set it.
        """
        part_tables: Any = self.tables
        for depth, part in enumerate(path):
            try:
                part_tables = part_tables[part]
            except (KeyError, IndexError, TypeError):
                return depth if depth > 1 else 0
        return len(path)

    def as_base(self) -> ScenarioFile:
        """Return this file in the form in which another file extends it.

        It lacks [expect] and the name and title of [scenario], and its paths are absolute.
        """
        tables = _without(self.tables, "expect")
        if isinstance(about := tables.get("scenario"), dict):
            tables["scenario"] = _without(about, "name", "title")
        return replace(self, tables=anchored(tables, self.folder))


def with_bases(file: ScenarioFile) -> tuple[ScenarioFile, ...]:
    """Return a file, the file it extends, the file that this one extends, and so on.

    Raises ScenarioError for an unreadable file, a circle, and a chain longer than MAX_BASES.
    """
    files = [file]
    while (last := files[-1]).extends is not None:
        base = last.base()
        if base.place in [file.place for file in files]:
            raise last.wrong_base("it extends this file itself; a base without a circle is needed")
        if len(files) > MAX_BASES:
            raise last.wrong_base(f"it is base {len(files)}; at most {MAX_BASES} are accepted")
        files.append(base.as_base())
    return tuple(files)


def combined(files: Sequence[ScenarioFile]) -> dict[str, Any]:
    """Return the combined tables of a file and the files it extends; the extending file wins.

    files: the extending file first. The table [scenario] gets the names of the extended files in
    the key `extended`.
    """
    tables: dict[str, Any] = {}
    for file in reversed(files):
        tables = _over(file.tables, tables)
    if len(files) > 1 and isinstance(about := tables.get("scenario"), dict):
        about["extended"] = [file.extends for file in files[:-1]]
    return tables


def messages(files: Sequence[ScenarioFile], problems: Sequence[Problem]) -> list[str]:
    """Return the message of each mistake, with the file and line that set the wrong key.

    Mistakes of the extending file come first, then mistakes of the files it extends.

    files: the extending file first.
    """
    placed = []
    for wrong in problems:
        depths = [file.depth(wrong.path) for file in files]
        at = depths.index(max(depths))
        base_of = f" ({files[0].name} extends this file)" if at and files[0].name else ""
        number = files[at].line(wrong.path)
        placed.append((at, number, f"{wrong.line(files[at].name, number)}{base_of}"))
    return [message for _, _, message in sorted(placed, key=lambda line: line[:2])]


def read_text(path: Path) -> str:
    """Return the text of a scenario file. ScenarioError if it cannot be read."""
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        raise ScenarioError([unknown_name(str(path))]) from None
    except IsADirectoryError:
        message = f"{path}: is a folder; a scenario file or a shipped name is needed"
        raise ScenarioError([message]) from None
    except (OSError, ValueError) as bad:
        raise ScenarioError([f"{path}: cannot be read: {bad}"]) from None
    if len(data) > MAX_BYTES:
        raise ScenarioError([f"{path}: larger than the {MAX_BYTES:,} bytes a scenario may have"])
    try:
        return decoded(data, "utf-8-sig").replace("\r\n", "\n")
    except Unreadable as bad:
        raise ScenarioError([f"{path}:{bad.line}: {bad.why}"]) from None


def anchored(tables: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Return the tables of a file with absolute paths of its people's table and its hierarchies.

    folder: the folder that relative paths start from.
    """
    people, features = tables.get("population"), tables.get("feature")
    path = people.get("source") if isinstance(people, dict) else None
    if people and isinstance(path, str) and not path.startswith(BUILTIN) and path != PHONES:
        tables = {**tables, "population": {**people, "source": _absolute(folder, path)}}
    if isinstance(features, list):
        tables = {**tables, "feature": [_with_path(feature, folder) for feature in features]}
    return tables


def _over(changes: dict[str, Any], base: dict[str, Any]) -> dict[str, Any]:
    """Return the tables of an extended file, overridden by the keys of the extending file.

    changes: the tables of the extending file. base: the tables of the extended file.
    """
    both = {
        key: _over(value, base[key])
        for key, value in changes.items()
        if isinstance(value, dict) and isinstance(base.get(key), dict)
    }
    return {**base, **changes, **both}


def _with_path(feature: Any, folder: Path) -> Any:
    """Return a table [[feature]] with an absolute path of its hierarchy file."""
    path = feature.get("hierarchy") if isinstance(feature, dict) else None
    return {**feature, "hierarchy": _absolute(folder, path)} if isinstance(path, str) else feature


def _absolute(folder: Path, path: str) -> str:
    """Return a path from a folder as an absolute path."""
    return str((folder / Path(path).expanduser()).absolute())


def _without(tables: dict[str, Any], *keys: str) -> dict[str, Any]:
    """Return tables without some keys."""
    return {key: value for key, value in tables.items() if key not in keys}


def _composed(data: Any) -> Any:
    """Return tables with texts in Unicode form NFC, as the cells of a table of people have them.

    File paths stay unchanged, because a file system may distinguish the forms.
    """
    if isinstance(data, str):
        return composed(data)
    if isinstance(data, list):
        return [_composed(item) for item in data]
    if isinstance(data, dict):
        return {
            composed(key): item if key in PATHS else _composed(item) for key, item in data.items()
        }
    return data
