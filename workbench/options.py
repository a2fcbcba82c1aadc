"""The options of the page: a line each, with its step, its kind, and its name on a command line.

A new option of `score` or `advise` is a field of `UserChoices` and a line here.
"""

import shlex
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any

from .choices import DEFAULTS, NAMED, UserChoices

STEPS = ("file", "persons", "columns", "goal", "choices", "result")


@dataclass(frozen=True, slots=True)
class Option:
    """An option of the page.

    Attributes:
        name: of the field of `UserChoices`.
        step: to which it belongs.
        kind: of its values, see `WRITERS`.
        special: whether the page has a control of its own for it.
        flag: on a command line; "": `--name`.
        choices: the accepted values, of kind `choice`.
        range: the smallest and the largest accepted number.
    """

    name: str
    step: str
    kind: str
    special: bool = False
    flag: str = ""
    choices: tuple[str, ...] = ()
    range: tuple[float | None, float | None] = (None, None)

    @property
    def flag_name(self) -> str:
        """The name on a command line."""
        return self.flag or "--" + self.name.replace("_", "-")

    def arguments(self, choices: UserChoices) -> list[str]:
        """Return the arguments of a command line; no argument for a default."""
        chosen = getattr(choices, self.name)
        if chosen == DEFAULTS[self.name] or chosen is None:
            return []
        return list(WRITERS[self.kind](self.flag_name, chosen))


def _flag(flag: str, _: bool) -> Iterator[str]:  # noqa: FBT001 - a writer's
    yield flag


def _maybe(flag: str, chosen: bool) -> Iterator[str]:  # noqa: FBT001 - a writer's
    yield flag if chosen else flag.replace("--", "--no-", 1)


def _single(flag: str, chosen: object) -> Iterator[str]:
    yield from (flag, f"{chosen:.12g}" if isinstance(chosen, float) else str(chosen))


def _path(flag: str, chosen: str) -> Iterator[str]:
    yield from (flag, file_argument(chosen))


def _repeated(flag: str, chosen: tuple[str, ...]) -> Iterator[str]:
    for text in chosen:
        yield from (flag, text)


def _joined(flag: str, chosen: tuple[str, ...]) -> Iterator[str]:
    yield from (flag, ",".join(chosen))


def _by_column(flag: str, chosen: Mapping[str, object]) -> Iterator[str]:
    for name, item in chosen.items():
        yield from (flag, f"{name}={item:.12g}" if isinstance(item, float) else f"{name}={item}")


def _roles(_: str, chosen: Mapping[str, str]) -> Iterator[str]:
    for role in dict.fromkeys(chosen.values()):
        names = [name for name, said in chosen.items() if said == role]
        yield from (f"--{role}", ",".join(names))


# kind -> arguments of a flag and a value. The page draws a control by the same kind.
WRITERS: Mapping[str, Any] = {
    "flag": _flag,
    "maybe": _maybe,
    "choice": _single,
    "text": _single,
    "whole": _single,
    "number": _single,
    "share": _single,
    "column": _single,
    "path": _path,
    "texts": _repeated,
    "columns": _joined,
    "numbers": _by_column,
    "files": _by_column,
    "levels": _by_column,
    "roles": _roles,
}

OPTIONS = (
    Option("separator", "file", "choice", choices=(",", ";", "tab", "|", "space")),
    Option("encoding", "file", "text"),
    Option("header", "file", "maybe"),
    Option("header_row", "file", "whole", range=(1, None)),
    Option("last_row", "file", "whole", range=(1, None)),
    Option("sheet", "file", "text"),
    Option("decimal", "file", "choice", choices=(".", ",")),
    Option("missing_text", "file", "texts"),
    Option("sets", "file", "texts"),
    Option("yes_no", "file", "texts"),
    Option("as_number", "file", "columns"),
    Option("columns", "columns", "columns", special=True),
    Option("person", "persons", "column", special=True),
    Option("each_row", "persons", "flag", special=True),
    Option("one_row", "persons", "choice", special=True),
    Option("roles", "columns", "roles", special=True),
    Option("keep", "columns", "columns"),
    Option("coarsen", "columns", "texts"),
    Option("threshold", "goal", "choice", special=True, choices=NAMED),
    Option("k", "goal", "whole", special=True, range=(1, None)),
    Option("max_exposure", "goal", "share", special=True, range=(0, 1)),
    Option("suppress", "goal", "share", special=True, range=(0, 1)),
    Option("suppress_cells", "goal", "share", range=(0, 1)),
    Option("known", "goal", "choice", choices=("quasi", "all")),
    Option("l", "goal", "numbers", special=True, range=(1, None)),
    Option("entropy_l", "goal", "numbers", range=(1, None)),
    Option("t", "goal", "numbers", special=True, range=(0, 1)),
    Option("nominal", "goal", "columns"),
    Option("by", "goal", "choice", choices=("truth", "promise")),
    Option("predict", "goal", "column"),
    Option("hierarchy", "goal", "files"),
    Option("importance", "goal", "numbers", range=(0, None)),
    Option("steps", "goal", "whole", range=(0, None)),
    Option("ledger", "goal", "path"),
    Option("levels", "choices", "levels", special=True),
)
OF_SCORE = frozenset(
    (
        *("separator", "encoding", "sheet", "header", "header_row", "last_row", "decimal"),
        *("missing_text", "columns"),
        *("sets", "yes_no", "as_number"),
        *("person", "each_row", "one_row", "roles", "coarsen", "k", "max_exposure", "threshold"),
    )
)


@dataclass(frozen=True, slots=True)
class Files:
    """The names of the files that the commands write.

    Attributes:
        table: the released table.
        score: the score of it, as JSON.
    """

    table: str
    score: str

    @classmethod
    def named_after(cls, choices: UserChoices) -> "Files":
        """Name the files after the file that is open."""
        stem = PurePath(choices.data).stem
        return cls(f"{stem}-released.csv", f"{stem}-score.json")


def score_arguments(choices: UserChoices) -> list[str]:
    """Return the arguments of `veilmix` that score the table before it is made coarser."""
    chosen = (option for option in OPTIONS if option.name in OF_SCORE)
    return [
        "score",
        file_argument(choices.data),
        *(part for one in chosen for part in one.arguments(choices)),
    ]


def advise_arguments(choices: UserChoices, files: Files) -> list[str]:
    """Return the arguments of `veilmix` that write the released table and its score."""
    parts = (part for option in OPTIONS for part in option.arguments(choices))
    written = ("--table", file_argument(files.table), "--save", file_argument(files.score))
    return ["advise", file_argument(choices.data), *parts, *written]


def file_argument(name: str) -> str:
    """Return the name of a file as an argument: a quoted `~` is no folder, a `-` no option."""
    with suppress(RuntimeError):  # no such user: a file that is called so
        name = str(Path(name).expanduser()) if name.startswith("~") else name
    return f"./{name}" if name.startswith("-") else name


def quoted_line(arguments: list[str], system: str) -> str:
    """Write a command line for the shell of a system: `nt` for PowerShell, else POSIX."""
    if system == "nt":
        return " ".join(["veilmix", *map(_powershell, arguments)])
    return shlex.join(["veilmix", *arguments])


def _powershell(text: str) -> str:
    if text and all(sign.isalnum() or sign in "-_./\\:=" for sign in text):
        return text
    return "'" + text.replace("'", "''") + "'"
