"""The options of the page: for each its step, its kind of values, and its command-line form.

A new option of `score`, `advise` or `counts` needs a field of `UserChoices` and a line here;
tests/workbench/test_options.py names missing options.
"""

import shlex
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any

from msgspec.structs import replace

from .choices import DEFAULTS, FURTHER, NAMED, UserChoices

STEPS = ("file", "persons", "columns", "goal", "choices", "result")
# `judge` stands for `veilmix score --release FILE --of DATA`, which judges another file
ADVISE, SCORE, COUNTS, JUDGE = "advise", "score", "counts", "judge"
TABLE_COMMANDS = (ADVISE, SCORE)
ALL_COMMANDS = (*TABLE_COMMANDS, COUNTS, JUDGE)


@dataclass(frozen=True, slots=True)
class Option:
    """An option of the page, and its form on a command line.

    Attributes:
        name: the name of its field in `UserChoices`.
        step: the step of the page that shows it, or the section of the page, a key of `FURTHER`.
        kind: the kind of its values, a key of `WRITERS`.
        commands: the commands of `veilmix` that have this option.
        special: whether the page draws a special control for it, not the usual control of its kind.
        flag: its form on a command line; "": `--name`.
        written: for the kind `written`, the end of the name of the written file, without the
            format.
        choices: for the kind `choice`, the accepted values.
        range: the smallest and the largest accepted number; None: no limit.
    """

    name: str
    step: str
    kind: str
    commands: tuple[str, ...] = (ADVISE,)
    special: bool = False
    flag: str = ""
    written: str = ""
    choices: tuple[str, ...] = ()
    range: tuple[float | None, float | None] = (None, None)

    @property
    def flag_name(self) -> str:
        """The name of the option on a command line, such as `--max-exposure`."""
        return self.flag or "--" + self.name.replace("_", "-")

    def arguments(self, choices: UserChoices) -> list[str]:
        """Return the command-line arguments for the option's value; empty for the default.

        choices: the settings of the user.
        """
        chosen = getattr(choices, self.name)
        if self.kind == "written":
            return [] if chosen is None else [self.flag_name, file_argument(self.file(choices))]
        if chosen == DEFAULTS[self.name] or chosen is None:
            return []
        return list(WRITERS[self.kind](self.flag_name, chosen))

    def file(self, choices: UserChoices) -> str:
        """Return the name of the file that an option of kind `written` writes.

        choices: the settings of the user, with the data file's name and the format.
        """
        return f"{PurePath(choices.data).stem}{self.written}.{getattr(choices, self.name)}"


def _flag(flag: str, _: bool) -> Iterator[str]:  # noqa: FBT001 - a writer's
    """Yield the name of a flag, which takes no value."""
    yield flag


def _maybe(flag: str, chosen: bool) -> Iterator[str]:  # noqa: FBT001 - a writer's
    """Yield a flag, or its form with `--no-` if the option is not chosen."""
    yield flag if chosen else flag.replace("--", "--no-", 1)


def _single(flag: str, chosen: object) -> Iterator[str]:
    """Yield a flag and its value."""
    yield from (flag, f"{chosen:.12g}" if isinstance(chosen, float) else str(chosen))


def _path(flag: str, chosen: str) -> Iterator[str]:
    """Yield a flag and the name of a file, written so that it is not taken for an option."""
    yield from (flag, file_argument(chosen))


def _repeated(flag: str, chosen: tuple[str, ...]) -> Iterator[str]:
    """Yield the flag before each value: `--sets A --sets B`."""
    for text in chosen:
        yield from (flag, text)


def _plain(_: str, chosen: tuple[str, ...]) -> Iterator[str]:
    """Yield the values without a flag."""
    yield from chosen


def _joined(flag: str, chosen: tuple[str, ...]) -> Iterator[str]:
    """Yield a flag, and its values with commas between."""
    yield from (flag, ",".join(chosen))


def _by_column(flag: str, chosen: Mapping[str, object]) -> Iterator[str]:
    """Yield, for each column, the flag and `column=value`."""
    for name, item in chosen.items():
        yield from (flag, f"{name}={item:.12g}" if isinstance(item, float) else f"{name}={item}")


def _roles(_: str, chosen: Mapping[str, str]) -> Iterator[str]:
    """Yield, for each role, its flag and the columns with this role: `--quasi age,sex`."""
    for role in dict.fromkeys(chosen.values()):
        names = [name for name, chosen_role in chosen.items() if chosen_role == role]
        yield from (f"--{role}", ",".join(names))


# kind of values -> function that writes the arguments; the page draws a control for each kind
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
    "file": _path,
    "written": _path,
    "tables": _plain,
    "texts": _repeated,
    "columns": _joined,
    "numbers": _by_column,
    "files": _by_column,
    "levels": _by_column,
    "roles": _roles,
}

TABLES, FIGURES = ("csv", "xlsx", "parquet"), ("svg", "png")
OPTIONS = (
    Option("separator", "file", "choice", ALL_COMMANDS, choices=(",", ";", "tab", "|", "space")),
    Option("encoding", "file", "text", ALL_COMMANDS),
    Option("header", "file", "maybe", ALL_COMMANDS),
    Option("header_row", "file", "whole", ALL_COMMANDS, range=(1, None)),
    Option("last_row", "file", "whole", ALL_COMMANDS, range=(1, None)),
    Option("sheet", "file", "text", ALL_COMMANDS),
    Option("decimal", "file", "choice", ALL_COMMANDS, choices=(".", ",")),
    Option("missing_text", "file", "texts", ALL_COMMANDS),
    Option("sets", "file", "texts", ALL_COMMANDS),
    Option("yes_no", "file", "texts", ALL_COMMANDS),
    Option("as_number", "file", "columns", ALL_COMMANDS),
    Option("columns", "columns", "columns", ALL_COMMANDS, special=True),
    Option("person", "persons", "column", ALL_COMMANDS, special=True),
    Option("each_row", "persons", "flag", ALL_COMMANDS, special=True),
    Option("one_row", "persons", "choice", ALL_COMMANDS, special=True),
    Option("roles", "columns", "roles", ALL_COMMANDS, special=True),
    Option("keep", "columns", "columns"),
    Option("coarsen", "columns", "texts", ALL_COMMANDS),
    Option("threshold", "goal", "choice", TABLE_COMMANDS, special=True, choices=NAMED),
    Option("k", "goal", "whole", (*TABLE_COMMANDS, JUDGE), special=True, range=(1, None)),
    Option("max_exposure", "goal", "share", TABLE_COMMANDS, special=True, range=(0, 1)),
    Option("suppress", "goal", "share", special=True, range=(0, 1)),
    Option("suppress_cells", "goal", "share", range=(0, 1)),
    Option("known", "goal", "choice", choices=("quasi", "all")),
    Option("l", "goal", "numbers", special=True, range=(1, None)),
    Option("entropy_l", "goal", "numbers", range=(1, None)),
    Option("t", "goal", "numbers", special=True, range=(0, 1)),
    Option("nominal", "goal", "columns"),
    Option("by", "goal", "choice", choices=("truth", "promise")),
    Option("predict", "goal", "column"),
    Option("hierarchy", "goal", "files", (ADVISE, JUDGE)),
    Option("importance", "goal", "numbers", range=(0, None)),
    Option("steps", "goal", "whole", range=(0, None)),
    Option("ledger", "goal", "path"),
    Option("like", "goal", "file"),
    Option("levels", "choices", "levels", special=True),
    Option(
        "advise_figure", "result", "written", flag="--figure", choices=FIGURES, written="-choices"
    ),
    Option("advise_write", "result", "written", flag="--write", choices=("toml",)),
    Option("missing", "scored", "choice", (SCORE,), choices=("category", "wildcard")),
    Option("population_factor", "scored", "number", (SCORE,), range=(1, None)),
    Option("worst_case", "scored", "whole", (SCORE,), range=(0, None)),
    Option("unique_size", "scored", "whole", (SCORE,), range=(1, None)),
    Option("score_figure", "scored", "written", (SCORE,), False, "--figure", "-exposure", FIGURES),
    Option("score_counts", "scored", "written", (SCORE,), False, "--counts", "-alike", TABLES),
    Option("score_table", "scored", "written", (SCORE,), False, "--table", "-scored", TABLES),
    Option("score_anyway", "scored", "flag", (SCORE,), flag="--anyway"),
    Option("score_bom", "scored", "flag", (SCORE,), flag="--bom"),
    Option("score_ledger", "scored", "path", (SCORE,), flag="--ledger"),
    Option("score_save", "scored", "written", (SCORE,), False, "--save", "-as-it-is", ("json",)),
    Option("counts_tables", "counts", "tables", (COUNTS,), special=True, flag="A,B[,C] ..."),
    Option("counts_k", "counts", "whole", (COUNTS,), flag="--k", range=(2, None)),
    Option("counts_round", "counts", "whole", (COUNTS,), flag="--round", range=(2, None)),
    Option("counts_close_empty", "counts", "flag", (COUNTS,), flag="--close-empty"),
    Option(
        "counts_least", "counts", "choice", (COUNTS,), flag="--least", choices=("people", "cells")
    ),
    Option("counts_outsiders", "counts", "flag", (COUNTS,), flag="--outsiders"),
    Option("counts_steps", "counts", "whole", (COUNTS,), flag="--steps", range=(1, None)),
    Option("counts_anyway", "counts", "flag", (COUNTS,), flag="--anyway"),
    Option("counts_table", "counts", "written", (COUNTS,), False, "--table", "-counts", TABLES),
    Option("counts_bom", "counts", "flag", (COUNTS,), flag="--bom"),
    Option("release", "judged", "file", (JUDGE,)),
    Option("control", "judged", "file", (JUDGE,)),
)


def step_of(name: str) -> str | None:
    """Return the step of the page that shows an option; None for an unknown option.

    name: the option's name. Options of commands that the page runs besides its steps, such as
    `veilmix counts`, are shown with the step `result`.
    """
    place = next((option.step for option in OPTIONS if option.name == name), None)
    return "result" if place in FURTHER else place


@dataclass(frozen=True, slots=True)
class Files:
    """The names of the files that the page's command lines write.

    Attributes:
        table: the name of the file with the released table.
        score: the name of the file with the score of the released table, as JSON.
    """

    table: str
    score: str

    @classmethod
    def named_after(cls, choices: UserChoices) -> "Files":
        """Return names derived from the name of the open file."""
        stem = PurePath(choices.data).stem
        return cls(f"{stem}-released.csv", f"{stem}-score.json")


def score_arguments(choices: UserChoices) -> list[str]:
    """Return the arguments of `veilmix` that score the table as it is, before the release."""
    return [SCORE, file_argument(choices.data), *_command_options(SCORE, choices)]


def advise_arguments(choices: UserChoices, files: Files) -> list[str]:
    """Return the arguments of `veilmix` that write the released table and its score.

    files: the names of the two written files.
    """
    chosen_options = _command_options(ADVISE, choices)
    # k and the share are given even if they have their defaults, because the command would
    # otherwise take both from the earlier advice
    if choices.like is not None:
        target = (("k", choices.k), ("max_exposure", choices.max_exposure))
        for name, number in target:
            if number == DEFAULTS[name]:
                chosen_options += [f"--{name.replace('_', '-')}", f"{number:.12g}"]
    written = ("--table", file_argument(files.table), "--save", file_argument(files.score))
    return [ADVISE, file_argument(choices.data), *chosen_options, *written]


def written_name(name: str, choices: UserChoices) -> str | None:
    """Return the name of the file that an option of kind `written` writes; None: not wanted.

    name: the name of the option. choices: the settings of the user.
    """
    option = next(option for option in OPTIONS if option.name == name)
    return None if getattr(choices, name) is None else option.file(choices)


def counts_arguments(choices: UserChoices) -> list[str]:
    """Return the arguments of `veilmix counts`, which make tables of counts."""
    k = choices.counts_k or choices.k
    chosen_options = _command_options(
        COUNTS, replace(_unweighted(choices), counts_k=k, counts_tables=())
    )
    tables = choices.counts_tables
    end_of_options = ["--"] if any(table.startswith("-") for table in tables) else []
    return [COUNTS, *chosen_options, *end_of_options, file_argument(choices.data), *tables]


def judge_arguments(choices: UserChoices) -> list[str]:
    """Return the arguments of `veilmix score --of`, which judge a file against the open file."""
    chosen_options = _command_options(JUDGE, _unweighted(choices))
    return [SCORE, *chosen_options, "--of", file_argument(choices.data)]


def _command_options(command: str, choices: UserChoices) -> list[str]:
    """Return the arguments for all options of a command with values that are not their defaults."""
    chosen = (option for option in OPTIONS if command in option.commands)
    return [part for option in chosen for part in option.arguments(choices)]


def _unweighted(choices: UserChoices) -> UserChoices:
    """Return the settings without sampling weights, for a command that does not use them."""
    roles = {name: "other" if role == "weight" else role for name, role in choices.roles.items()}
    return replace(choices, roles=roles)


def file_argument(name: str) -> str:
    """Return a file name as a command-line argument, in which `~` is expanded.

    A leading `-` is preceded by `./`, so that it does not look like an option.
    """
    with suppress(RuntimeError):  # if the system has no such user, `~` is part of the file's name
        name = str(Path(name).expanduser()) if name.startswith("~") else name
    return f"./{name}" if name.startswith("-") else name


def quoted_line(arguments: list[str], system: str) -> str:
    """Return a command line, quoted for a shell. system: `nt` for PowerShell, else POSIX."""
    if system == "nt":
        return " ".join(["veilmix", *map(_powershell, arguments)])
    return shlex.join(["veilmix", *arguments])


def _powershell(text: str) -> str:
    """Return an argument, quoted for PowerShell if needed."""
    if text and all(sign.isalnum() or sign in "-_./\\:=" for sign in text):
        return text
    return "'" + text.replace("'", "''") + "'"
