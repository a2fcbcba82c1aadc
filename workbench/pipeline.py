"""The computation of the page's six steps, in their order; equal settings are computed once.

    file      the file with all columns
    persons   the table as the settings say, or the error that a person has to be defined
    columns   the role of each column of the table
    goal      the target in people, and the present exposure
    choices   the search for coarser values, first short, then whole; the chosen coarsening
    result    the released table and its score

Each result is stored under the settings that it depends on, so that going back costs no time.
"""

from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

from ..errors import DataError, VeilmixError
from ..own_data.advise import Advised, TableSearch
from ..own_data.judges import exposed_people
from ..scenarios.populations.people import SourceTable
from ..scenarios.populations.persons import RepeatedPersonsError
from ..scenarios.serialization.content import Content, reading_once
from .choices import READING, ChoiceError, UserChoices
from .choices_part import choices_part, chosen_words
from .files import file_state
from .goal_part import goal_part
from .read_parts import below_text, columns_part, file_part, persons_part, unread_part
from .release import ReleasePreview, make_release, release_part
from .result import WRITTEN, ReleaseResult, make_result, result_part
from .search import FIRST_LOOK, first_look, search_table
from .table import FORM, OpenedFile, Progress, open_file, read_table
from .wording import CommandWords, PageVoice

SEARCH = (
    *("keep", "k", "max_exposure", "suppress", "suppress_cells", "known", "by", "l", "entropy_l"),
    *("t", "nominal", "predict", "hierarchy", "importance", "steps", "like"),
)
# largest number of stored results for each part of the work; beyond it, the result used longest ago
# is dropped
MAX_RESULTS = 8
T = TypeVar("T")
Part = dict[str, Any]
Show = Callable[[str, Part], None]
Run = Callable[[str, Callable[..., Any]], Awaitable[Any]]


class Memory:
    """A cache of the last results of each stage (part of the work), by key."""

    def __init__(self) -> None:
        """Start empty."""
        self._results: dict[str, OrderedDict[object, Any]] = {}

    def get(self, stage: str, key: object) -> Any:
        """Return the stored result of a stage (part of the work) for a key; or None."""
        results = self._results.get(stage, OrderedDict())
        if key in results:
            results.move_to_end(key)
        return results.get(key)

    def keep(self, stage: str, key: object, result: Any) -> None:
        """Store a result of a stage (part of the work) and key.

        Beyond `MAX_RESULTS` of a stage, the result that was used longest ago is dropped.
        """
        results = self._results.setdefault(stage, OrderedDict())
        results[key] = result
        while len(results) > MAX_RESULTS:
            results.popitem(last=False)


@dataclass(frozen=True, slots=True)
class Inputs:
    """The input of the page's six steps: file, settings, and language.

    Attributes:
        path: the path of the open file on this computer.
        choices: the settings that the user chose.
        words: the functions that word the output of the command line.
        voice: the sentences of the page, in its language.
        content: path of a file that was read -> its bytes.
        hierarchies: column -> its hierarchy file, which lists coarser values.
        given_files: name of a setting -> the file that it names.
    """

    path: Path
    choices: UserChoices
    words: CommandWords
    voice: PageVoice
    content: dict[Path, Content] = field(default_factory=dict)
    hierarchies: dict[str, Path] = field(default_factory=dict)
    given_files: dict[str, Path] = field(default_factory=dict)

    def key(self, *names: str) -> tuple[object, ...]:
        """Return the values of some settings as a key for stored results.

        names: names of settings. For a setting that names a file, the key also has the file's size
        and modification time.
        """
        return tuple(
            repr(getattr(self.choices, name))
            + (file_state(self.given_files[name]) if name in self.given_files else "")
            for name in names
        )


class Pipeline:
    """The computation of the page's six steps (file to result), with stored results.

    run: runs a function in a thread, for a step; the function's last argument reports progress.
    show: shows the result of a step on the page.

    Attributes:
        result: the released table with its score; None: not yet computed, or out of date.
        table_search: the last search for coarser values; None: not yet computed, or out of date.
    """

    def __init__(self, run: Run, show: Show) -> None:
        """Start without results of the page's six steps.

        run: runs a function in a thread, for a step. show: shows the result of a step on the page.
        """
        self._run, self._show = run, show
        self._memory = Memory()
        self.result: ReleaseResult | None = None
        self.table_search: TableSearch | None = None

    def forget(self) -> None:
        """Forget all results, because another file is open."""
        self._memory, self.result, self.table_search = Memory(), None, None

    async def work(self, inputs: Inputs) -> None:
        """Compute and show the six steps, file to result; a VeilmixError ends the work.

        If the table cannot be read only because of the rules in `coarsen`, the error names this
        setting. inputs: the open file, the settings and the language.
        """
        self.result = self.table_search = None
        choices = inputs.choices
        form = inputs.key("data", *FORM)
        opened: OpenedFile = await self._open(inputs, form)
        inputs.content[inputs.path.absolute()] = opened.source.content
        by_reading = (form, inputs.key(*READING, "roles"))
        try:
            table = await self._table(inputs, opened, by_reading)
        except DataError as wrong:
            if choices.coarsen:
                plain = replace(inputs, choices=choices.changed({"coarsen": []}))
                await self._table(plain, opened, (by_reading, "plain"))
                raise ChoiceError(str(wrong), "coarsen") from None
            self._show("file", file_part(opened, None, choices, inputs.voice))
            raise
        if isinstance(table, RepeatedPersonsError):
            return
        await self._search(inputs, opened, table, (by_reading, inputs.key(*SEARCH)))

    async def _open(self, inputs: Inputs, key: object) -> OpenedFile:
        """Read the file; if it cannot be read, show its first lines. Raises DataError.

        inputs: the open file and the settings. key: the settings on which the result depends.
        """
        arguments = (inputs.path, inputs.choices)
        try:
            return await self._stage("file", "file", key, inputs, open_file, *arguments)
        except DataError:
            raw = await self._run("file", Frozen(inputs.content, unread_part, arguments))
            self._show("file", {**raw, "status": "working"})
            raise

    async def _table(
        self, inputs: Inputs, opened: OpenedFile, key: tuple[object, ...]
    ) -> SourceTable | RepeatedPersonsError:
        """Read the table as the settings say, and show the steps up to the goal. Raises DataError.

        opened: the file with all columns. key: the settings on which the table depends.
        """
        arguments = (inputs.path, inputs.choices)
        table = await self._stage("persons", "table", key, inputs, read_table, *arguments)
        parts_key = (key, inputs.key(*SEARCH, "threshold", "dismissed", "sha256"))
        parts: dict[str, Part] = await self._stage(
            "persons", "parts", parts_key, inputs, read_parts, opened, table, inputs
        )
        for step, part in parts.items():
            self._show(step, part)
        return table

    async def _search(
        self, inputs: Inputs, opened: OpenedFile, table: SourceTable, key: object
    ) -> None:
        """Search for coarser values, first for a short time; show them; compute the result.

        inputs: the open file and the settings. opened: the file with all columns. table: the table
        as the settings say. key: the settings on which the search depends.
        """
        choices = inputs.choices
        if missing := sorted(set(choices.hierarchy) - set(inputs.hierarchies)):
            raise ChoiceError(
                f"--hierarchy {missing[0]}={choices.hierarchy[missing[0]]}: this file is missing; "
                "upload it again",
                "hierarchy",
            )
        arguments = (table, choices, inputs.hierarchies, inputs.given_files.get("like"))
        table_search: TableSearch | None = self._memory.get("search", key)
        if table_search is None and first_look(choices, table):
            early = await self._stage(
                "choices", "look", key, inputs, search_table, *arguments, FIRST_LOOK
            )
            await self._settle(inputs, opened, early, (key, "look"), final=False)
        table_search = await self._stage(
            "choices", "search", key, inputs, search_table, *arguments, choices.steps
        )
        advised, release = await self._settle(inputs, opened, table_search, key, final=True)
        result_key = (key, inputs.key("levels", "ledger", "threshold", *WRITTEN.values()))
        result: ReleaseResult = await self._stage(
            "result",
            "result",
            result_key,
            inputs,
            make_result,
            advised,
            release,
            inputs.path,
            choices,
            inputs.words,
        )
        part = await self._stage(
            "result", "page", result_key, inputs, _page, result, opened, inputs
        )
        self.result = result
        self._show("result", part)

    async def _settle(
        self,
        inputs: Inputs,
        opened: OpenedFile,
        table_search: TableSearch,
        key: object,
        *,
        final: bool,
    ) -> tuple[Advised, ReleasePreview]:
        """Show the coarsenings that a search found, and the rows released under the chosen one.

        A coarsening has a level of coarser values for each column. The chosen coarsening is
        described in words last, because this takes longest. key: the settings on which the result
        depends. final: whether the search is complete; only then the coarsening is described.
        """
        self.table_search = table_search
        settled = (key, inputs.key("levels"))
        advised: Advised = await self._stage(
            "choices", "settle", settled, inputs, table_search.settle, inputs.choices.levels
        )
        points_key = (settled, inputs.key("data"))
        part = await self._stage(
            "choices", "points", points_key, inputs, _points, table_search, advised, inputs, final
        )
        self._show("choices", part)
        release: ReleasePreview = await self._stage(
            "result", "release", settled, inputs, make_release, advised
        )
        self._show("result", release_part(release, opened, inputs.choices, inputs.voice))
        if final:
            worded = await self._stage(
                "choices", "words", points_key, inputs, _in_words, advised, inputs
            )
            self._show("choices", {**part, **worded})
        return advised, release

    async def _stage(
        self,
        step: str,
        stage: str,
        key: object,
        inputs: Inputs,
        work: Callable[..., T],
        *arguments: object,
    ) -> T:
        """Return the result of a stage (part of a step): stored, or computed in a thread.

        step: the step that is shown as working. key: the settings on which the result depends;
        results are stored under the key. work: computes the result from `arguments`.
        """
        result = self._memory.get(stage, key)
        if result is None:
            result = await self._run(step, Frozen(inputs.content, work, arguments))
            self._memory.keep(stage, key, result)
        return result  # type: ignore[no-any-return]


@dataclass(frozen=True, slots=True)
class Frozen:
    """A call of a function that sees files as they were first read, even if they change.

    Attributes:
        content: path of a file -> its bytes when it was first read.
        work: the function to call.
        arguments: the arguments of the function, but for the last, which reports progress.
    """

    content: dict[Path, Content]
    work: Callable[..., Any]
    arguments: tuple[object, ...]

    def __call__(self, progress: Progress) -> Any:
        """Call the function with its arguments and `progress`; return its result."""
        with reading_once(self.content):
            return self.work(*self.arguments, progress)


def read_parts(
    opened: OpenedFile,
    table: SourceTable | RepeatedPersonsError,
    inputs: Inputs,
    progress: Progress,
) -> dict[str, Part]:
    """Return the parts of the page's state on the steps file, persons, columns and goal.

    opened: the file with all columns. table: the table, or the error that the user still has to
    define a person; then only the parts file and persons are returned. inputs: the settings.
    """
    choices, voice = inputs.choices, inputs.voice
    persons = persons_part(opened, table, choices, voice)
    if isinstance(table, RepeatedPersonsError):
        persons["ways"] = ways_below(persons["ways"], inputs, progress)
        return {"file": file_part(opened, None, choices, voice), "persons": persons}
    return {
        "file": file_part(opened, table, choices, voice),
        "persons": persons,
        "columns": columns_part(opened, table, choices, voice),
        "goal": goal_part(opened, table, choices, voice),
    }


def _points(
    table_search: TableSearch,
    advised: Advised,
    inputs: Inputs,
    final: bool,  # noqa: FBT001 - passed on
    progress: Progress,
) -> Part:
    """Return the part of the page's state on the coarsenings that a search found.

    A coarsening has a level of coarser values for each column. The text on the chosen coarsening is
    not included. advised: the advice with the chosen coarsening. final: whether the search is
    complete.
    """
    progress("wording the choices")
    return choices_part(table_search, advised, inputs.words, inputs.voice, final=final)


def _in_words(advised: Advised, inputs: Inputs, progress: Progress) -> Part:
    """Return the text on the chosen coarsening: the level of coarser values per column.

    advised: the advice with the chosen coarsening. inputs: the settings and the language.
    """
    progress("wording the chosen point")
    return chosen_words(advised, inputs.choices, inputs.words, inputs.voice)


def ways_below(ways: list[Part], inputs: Inputs, progress: Progress) -> list[Part]:
    """Return the ways to define a person, each with the number of people below k under this way.

    A person is either each row, or all rows with one value of a column. ways: the ways, each with
    the settings that it makes. inputs: the open file and the settings.
    """
    described_ways = []
    for way in ways:
        exposed = None
        try:
            table = read_table(inputs.path, inputs.choices.changed(way["set"]), progress)
            if not isinstance(table, RepeatedPersonsError):
                k = inputs.choices.k
                below, _ = exposed_people(table, k)
                exposed = below_text(inputs.voice, below, table.n, k)
        # no number for this way to define a person; its error is shown only if the user chooses
        # this way
        except VeilmixError:
            exposed = None
        described_ways.append({**way, "exposed": exposed})
    return described_ways


def _page(result: ReleaseResult, opened: OpenedFile, inputs: Inputs, progress: Progress) -> Part:
    """Return the part of the page's state on the result: the released table and its score.

    The part is computed in a thread of its own, because hashing and wording take a moment.
    """
    progress("wording the result")
    return result_part(result, opened, inputs.choices, inputs.words, inputs.voice)
