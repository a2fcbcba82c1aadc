"""Commands that the page runs besides its six steps; the page shows their command lines.

    scored    `veilmix score DATA`: scores the file as it is
    counts    `veilmix counts DATA A,B ...`: makes tables of counts
    judged    `veilmix score --release FILE --of DATA`: judges another file

The names at the left are sections of the page (places). The six steps, from file to result, prepare
a release. The commands run after the steps, but only need the table. The commands write files into
a private folder, from which the page gets the files.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from ..errors import VeilmixError
from ..own_data.score_record import ScoredTable
from ..report import table as sign_page
from ..report.write import html
from ..strict_text import from_json
from ..temporary_files import private_folder
from .choices import UserChoices
from .options import (
    COUNTS,
    JUDGE,
    OPTIONS,
    SCORE,
    counts_arguments,
    judge_arguments,
    score_arguments,
)
from .pipeline import Frozen, Inputs, Memory
from .table import Progress
from .wording import CommandOutput, block, english

Part = dict[str, Any]
Show = Callable[[str, Part], None]
Run = Callable[[Callable[..., Any]], Awaitable[Any]]


@dataclass(frozen=True, slots=True)
class PlacedCommand:
    """A command that the page can run besides its six steps, for a section of the page.

    The six steps, from file to result, prepare a release; the command only needs the table.

    Attributes:
        command: the name of the command, as in `Option.commands`.
        arguments: returns the arguments of `veilmix` for the user's settings.
        is_wanted: whether the user's settings ask for the command.
    """

    command: str
    arguments: Callable[[UserChoices], list[str]]
    is_wanted: Callable[[UserChoices], bool]


PLACES: Mapping[str, PlacedCommand] = {
    "scored": PlacedCommand(SCORE, score_arguments, lambda choices: choices.scored),
    "counts": PlacedCommand(COUNTS, counts_arguments, lambda choices: bool(choices.counts_tables)),
    "judged": PlacedCommand(JUDGE, judge_arguments, lambda choices: choices.release is not None),
}


@dataclass(frozen=True, slots=True)
class RunCommand:
    """The result of a command that the page has run.

    Attributes:
        output: the text that the command printed.
        files: option that asks for a file -> the name and the bytes of the written file.
    """

    output: CommandOutput
    files: Mapping[str, tuple[str, bytes]] = field(default_factory=dict)


class Further:
    """The commands that the page runs besides its six steps (file to result), and their results.

    run: runs a function in a thread; the function's last argument reports progress. show: shows the
    result of a command in its section of the page. print_line: receives a line about an internal
    error.

    Attributes:
        results: section of the page -> the result of its command, if that is complete.
    """

    def __init__(self, run: Run, show: Show, print_line: Callable[[str], None]) -> None:
        """Start without results.

        run: runs a function in a thread. show: shows the result of a command in its section of the
        page. print_line: receives a line about an internal error.
        """
        self._run, self._show, self._print_line = run, show, print_line
        self._memory = Memory()
        self.results: dict[str, RunCommand] = {}

    def forget(self) -> None:
        """Forget all results, because another file is open."""
        self._memory = Memory()
        self.results.clear()

    async def work(self, inputs: Inputs) -> None:
        """Run the commands that the user wants, one after the other, and show their results.

        inputs: the open file and the user's settings.
        """
        self.results.clear()
        for name, place in PLACES.items():
            if not place.is_wanted(inputs.choices):
                continue
            try:
                result = await self._result(name, place, inputs)
            except (VeilmixError, OSError) as wrong:
                self._show(name, _error_part(str(wrong)))
            except Exception as bug:
                self._print_line(f"the page: {bug!r:.300}")
                self._show(name, _error_part(f"a fault of veilmix: {bug!r:.200}"))
            else:
                self.results[name] = result
                self._show(name, place_part(result))

    async def _result(self, name: str, place: PlacedCommand, inputs: Inputs) -> RunCommand:
        """Return the result of a command: stored for equal settings, or computed in a thread.

        name: the section of the page. place: its command.
        """
        key = (tuple(place.arguments(inputs.choices)), inputs.key("data", *_files(name)))
        result: RunCommand | None = self._memory.get(name, key)
        if result is None:
            result = await self._run(Frozen(dict(inputs.content), run_command, (place, inputs)))
            self._memory.keep(name, key, result)
        return result


def run_command(place: PlacedCommand, inputs: Inputs, progress: Progress) -> RunCommand:
    """Run a command on the open file; return its output and the files that it wrote.

    place: the command, for a section of the page. inputs: the open file and the settings.
    """
    with private_folder("files of the page") as folder:
        written = {
            option.name: folder / option.file(inputs.choices)
            for option in OPTIONS
            if place.command in option.commands
            and option.kind == "written"
            and getattr(inputs.choices, option.name) is not None
        }
        arguments = _with_paths(place, inputs, {path.name: path for path in written.values()})
        output = inputs.words.run(arguments, progress)
        files = {
            name: (path.name, path.read_bytes()) for name, path in written.items() if path.is_file()
        }
        return RunCommand(_shown_output(output, str(folder)), files)


def _with_paths(place: PlacedCommand, inputs: Inputs, written: Mapping[str, Path]) -> list[str]:
    """Return a command's arguments with the real paths of files, in place of the names shown.

    written: name of a written file -> its path.
    """
    paths = {name: str(path) for name, path in inputs.given_files.items()}
    hierarchy = {
        column: str(inputs.hierarchies.get(column, Path(name)))
        for column, name in inputs.choices.hierarchy.items()
    }
    choices = replace(
        inputs.choices, data=str(inputs.path.absolute()), hierarchy=hierarchy, **paths
    )
    return [str(written.get(entry.removeprefix("./"), entry)) for entry in place.arguments(choices)]


def _shown_output(output: CommandOutput, folder: str) -> CommandOutput:
    """Return a command's output, with errors that name files without the private folder."""
    if output.error is None:
        return output
    error = output.error.replace(f"{folder}/", "").replace(f"{folder}\\", "")
    return CommandOutput(output.text, output.printed, output.warnings, error)


def _files(name: str) -> tuple[str, ...]:
    """Return the settings that name files which a section's command reads. name: the section."""
    return ("release", "control", "hierarchy") if name == "judged" else ()


def place_part(result: RunCommand) -> Part:
    """Return the part of the page's state on the result of a command that was run."""
    output = result.output
    return {
        "status": "ready" if output.error is None else "error",
        "error": None if output.error is None else english(output.error),
        "printed": [block(entry) for entry in output.printed],
        "warnings": [english(line) for line in output.warnings],
        "files": [
            {"option": option, "name": called, "sha256": sha256(data).hexdigest()}
            for option, (called, data) in result.files.items()
        ],
    }


def _error_part(sentence: str) -> Part:
    """Return the part of the page's state on a command that failed. sentence: the error."""
    return {"status": "error", "error": english(sentence)}


def wanted_places(choices: UserChoices) -> tuple[str, ...]:
    """Return the sections of the page with commands that the user wants."""
    return tuple(name for name, place in PLACES.items() if place.is_wanted(choices))


def page_to_sign(result: RunCommand) -> tuple[str, bytes] | None:
    """Return name and bytes of the HTML page to sign, made from the saved score.

    None if the command saved no score.
    """
    if "score_save" not in result.files:
        return None
    name, data = result.files["score_save"]
    page = html(sign_page.page(from_json(data, ScoredTable)))
    return f"{Path(name).stem}.html", page.encode()
