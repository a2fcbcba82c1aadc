"""The state of the page: the user's settings, the results of the six steps, and the running work.

The steps are file, persons, columns, goal, choices and result. All tabs of the browser show one
state. `version` grows with each change of the shown data, `revision` only with the settings. If a
tab changes settings of an older revision, the change is refused, and the tab shows the newer state.
"""

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import trio

from ..errors import DataError, VeilmixError
from ..languages.language import Language, english
from .choices import FILE_CHOICES, ChoiceError, UserChoices
from .files import OwnFiles
from .job import Job
from .options import (
    OPTIONS,
    STEPS,
    Files,
    advise_arguments,
    counts_arguments,
    file_argument,
    judge_arguments,
    quoted_line,
    score_arguments,
    step_of,
    written_name,
)
from .other_commands import PLACES, Further, RunCommand, wanted_places
from .pipeline import Inputs, Part, Pipeline
from .result import ReleaseResult
from .search import target_of
from .wording import CommandWords, PageVoice

LARGEST = 256 << 20  # largest number of bytes of an uploaded file
BEAT = 4.0  # longest wait of the page for news, in seconds
GLANCE = 0.2  # seconds between two checks whether the running work has entered another stage


class OldRevisionError(Exception):
    """The error that a tab changed settings which another tab has changed since."""


class Desk:
    """The state of the page, and the work that computes it.

    words: functions that word the output of the command line. files: files that a browser uploaded.
    log_fault: receives a line about an internal error. language: tag of the only language; None:
    browsers choose.

    Attributes:
        choices: the settings that the user chose.
        voice: the sentences of the page, in its language.
        version: a number that grows with every change of the state.
        revision: a number that grows with every change of the settings.
        path: the path of the open file; None: no file is open.
    """

    def __init__(
        self,
        words: CommandWords,
        files: OwnFiles,
        log_fault: Callable[[str], None],
        language: str | None,
    ) -> None:
        """Start without an open file.

        words: functions that word the output of the command line. files: files that a browser
        uploaded. log_fault: receives a line about an internal error. language: tag of the only
        language; None: browsers choose.
        """
        self.words, self.files = words, files
        self.choices, self.voice = UserChoices(), PageVoice.in_language(english())
        self.language = language
        self.version = self.revision = 1
        self.path: Path | None = None
        self._log_fault = log_fault
        self._parts: dict[str, Part] = {step: _empty() for step in STEPS}
        self._job: tuple[str, Job] | None = None
        self._scope: trio.CancelScope | None = None
        self._news, self._work_event = trio.Event(), trio.Event()
        self._pipeline = Pipeline(self._run, self._show)
        self._further = Further(self._run_further, self._show_further, log_fault)
        self._places: dict[str, Part] = {place: _empty() for place in PLACES}
        self._inputs: Inputs | None = None

    @property
    def result(self) -> ReleaseResult | None:
        """The released table with its score; None before it is computed."""
        return self._pipeline.result

    @property
    def further(self) -> Mapping[str, RunCommand]:
        """Section of the page -> the result of the command that the page has run for it.

        Such commands (`veilmix score`, `veilmix counts`) run after the six steps that lead to a
        release.
        """
        return self._further.results

    def speak(self, language: Language) -> None:
        """Show the page's sentences in a language from now on."""
        if language.tag != self.voice.tag:
            self.voice = PageVoice.in_language(language)
            self._pipeline.forget()
            self._restart()

    def open(
        self,
        path: Path,
        display_path: str,
        choices: UserChoices | None = None,
        hierarchies: Mapping[str, Path] | None = None,
        given_files: Mapping[str, Path] | None = None,
    ) -> None:
        """Open a file, and start the work.

        Args:
            path: the path of the file on this computer.
            display_path: the name of the file on a command line.
            choices: settings of a saved session; None: the defaults.
            hierarchies: column -> its hierarchy file (of coarser values), for a saved session.
            given_files: name of a setting -> the file that it names, for a saved session.
        """
        self.path = path
        self.choices = (choices or UserChoices()).changed({"data": display_path})
        self._pipeline.forget()
        self._further.forget()
        self._inputs = None
        self.files.hierarchies.clear()
        self.files.hierarchies.update(hierarchies or {})
        for name in FILE_CHOICES:
            self.files.drop_given(name)
        self.files.given_files.update(given_files or {})
        self._parts = {step: _empty() for step in STEPS}
        self.revision += 1
        self._restart()

    def change(self, revision: object, changes: object) -> None:
        """Replace some settings of the user, and start the work again.

        revision: the revision of the settings that the tab has seen. changes: name of a setting ->
        its new value. Raises OldRevisionError if another tab has changed the settings since,
        ChoiceError for a wrong setting, and DataError without an open file.
        """
        if self.path is None:
            raise DataError(self.voice.say("said-no-file")["text"])
        if revision != self.revision:
            raise OldRevisionError
        if not isinstance(changes, dict):
            raise ChoiceError("choices: a JSON object of names and values is accepted", None)
        for name in ("data", "sha256", "hierarchy"):
            if name in changes and not (name == "hierarchy" and self._fewer(changes[name])):
                instead = "upload a hierarchy file" if name == "hierarchy" else "open another file"
                raise ChoiceError(f"{name}: cannot be changed as a setting; {instead}", name)
        # only to raise an error for an invalid file name, before such a file is read
        self.choices.changed(changes)
        changes = self._with_target(changes)
        changed = self.choices.changed(changes)
        changed.reading()  # only to raise an error for a column with a comma in its name
        if (
            changed.levels
            and set(changes) == {"levels"}
            and self._pipeline.table_search is not None
        ):
            self._pipeline.table_search.asked_choice(
                changed.levels
            )  # only to raise an error for levels of coarser values that miss the target
        if changed != self.choices:
            old_choices, self.choices = self.choices, changed
            for column in set(self.files.hierarchies) - set(changed.hierarchy):
                del self.files.hierarchies[column]
            for name in FILE_CHOICES:
                if getattr(changed, name) != getattr(old_choices, name):
                    self.files.drop_given(name)
            self.revision += 1
            self._restart()

    def _with_target(self, new_choices: dict[str, Any]) -> dict[str, Any]:
        """Return new settings, with the target of the earlier advice that they name, if any."""
        like = new_choices.get("like")
        if not isinstance(like, str) or like == self.choices.like:
            return new_choices
        return {**target_of(Path(file_argument(like))), **new_choices}

    def add_file(self, choice: str, name: str, data: bytes) -> None:
        """Keep an uploaded file for a setting that names a file.

        choice: the name of the setting. name: the file's name. Raises DataError if no table is
        open. Raises ChoiceError if the file is not accepted, such as a file without advice for the
        setting `like`, which applies earlier advice again.
        """
        if self.path is None:
            raise DataError(self.voice.say("said-no-file")["text"])
        if choice not in FILE_CHOICES:
            raise ChoiceError(
                f"{choice!r}: names no file; {', '.join(FILE_CHOICES)} name files", None
            )
        called = self.files.keep_given(choice, name, data)
        try:
            target = target_of(self.files.given_files[choice]) if choice == "like" else {}
            changed = self.choices.changed({**target, choice: called})
        except VeilmixError as wrong:
            sentence = self._named(str(wrong), {choice: called})
            self.files.drop_given(choice)
            if getattr(self.choices, choice) is not None:
                self.choices = self.choices.changed({choice: None})
            raise ChoiceError(sentence, choice) from None
        self.choices = changed
        self.revision += 1
        self._restart()

    def add_hierarchy(self, column: str, data: bytes) -> None:
        """Keep an uploaded hierarchy file, which lists coarser values of a column.

        Raises DataError if no table is open, or the table has no such column.
        """
        if self.path is None:
            raise DataError(self.voice.say("said-no-file")["text"])
        column_names = [entry["name"] for entry in self._parts["columns"].get("columns", [])]
        if column not in column_names:
            raise ChoiceError(f"{column!r}: the table has no such column", "hierarchy")
        name = self.files.keep_hierarchy(column, data)
        hierarchies = {**self.choices.hierarchy, column: name}
        self.choices = self.choices.changed({"hierarchy": hierarchies})
        self.revision += 1
        self._restart()

    def cancel(self) -> None:
        """Stop the running work; its steps are shown as cancelled."""
        if self._scope is not None:
            self._scope.cancel()
        for part in (*self._parts.values(), *self._places.values()):
            if part["status"] == "working":
                part.update(status="cancelled", stale=False)
        self._bump()

    def restart(self) -> None:
        """Start the work again, after it was stopped or failed."""
        self._restart()

    async def news(self, version: int) -> None:
        """Wait until the page's state is newer than a version, or for at most `BEAT` seconds.

        version: the version that the tab shows.
        """
        with trio.move_on_after(BEAT):
            while self.version <= version:
                await self._news.wait()

    def wake(self) -> None:
        """Raise the version of the page's state, so that every request that waits for news ends."""
        self._bump()

    def state(self) -> Mapping[str, Any]:
        """Return the whole state of the page, in a form that can be written as JSON."""
        parts = {step: dict(part) for step, part in self._parts.items()}
        job = self._job
        work = None
        if job is not None:
            step, now = job
            seconds = round(trio.current_time() - now.since, 1)
            work = {
                "step": step,
                "stage": self._named(now.stage),
                "seconds": seconds,
                "cancellable": True,
            }
        return {
            "version": self.version,
            "revision": self.revision,
            "language": self.voice.tag,
            **parts,
            "further": {place: dict(part) for place, part in self._places.items()},
            "work": work,
            "options": [self._option(number) for number in range(len(OPTIONS))],
            "command": self.commands(),
            "session": self.choices.session(),
            "own": {"folder": str(Path.cwd()), "system": os.name},
            "limits": {"upload": LARGEST},
        }

    def commands(self) -> list[str]:
        """Return the command lines with the same results as the page."""
        if self.path is None:
            return []
        choices, files = self.choices, Files.named_after(self.choices)
        lines = [
            score_arguments(choices),
            advise_arguments(choices, files),
            ["report", file_argument(files.score)],
        ]
        if (saved := written_name("score_save", choices)) is not None:
            lines.append(["report", file_argument(saved)])
        if choices.counts_tables:
            lines.append(counts_arguments(choices))
        if choices.release is not None:
            lines.append(judge_arguments(choices))
        return [quoted_line(line, os.name) for line in lines]

    async def work(self) -> None:
        """Compute the six steps of the page, file to result, whenever the settings change.

        The work goes on until it is cancelled.
        """
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._watch)
            while True:
                await self._work_event.wait()
                self._work_event = trio.Event()
                with trio.CancelScope() as self._scope:
                    await self._steps()
                self._job = None
                self._bump()

    async def _watch(self) -> None:
        """Raise the version of the page's state whenever the running work enters another stage.

        Tabs wait for a newer version, so they then show the stage.
        """
        last_stage = ""
        while True:
            await trio.sleep(GLANCE)
            stage = "" if self._job is None else self._job[1].stage
            if stage != last_stage:
                last_stage = stage
                self._bump()

    async def _steps(self) -> None:
        """Compute the page's six steps, file to result, then run the other commands.

        The other commands, such as `veilmix counts`, each have a section of the page. An error is
        shown at the step, or the section, in which it occurs.
        """
        if self.path is None:
            return
        content = self._inputs.content if self._inputs is not None else {}
        self._inputs = Inputs(
            self.path,
            self.choices,
            self.words,
            self.voice,
            content,
            dict(self.files.hierarchies),
            dict(self.files.given_files),
        )
        await self._try_steps(self._inputs)
        if self._parts["goal"]["status"] == "ready":
            await self._further.work(self._inputs)
        for part in self._places.values():
            if part["status"] == "working":
                part.update(_empty())

    async def _try_steps(self, inputs: Inputs) -> None:
        """Compute the six steps of the page: file, persons, columns, goal, choices, result.

        An error is shown at the step that failed.
        """
        try:
            await self._pipeline.work(inputs)
        except (VeilmixError, OSError) as wrong:
            self._fail(str(wrong), getattr(wrong, "option", None))
        except Exception as bug:
            self._log_fault(f"the page: {bug!r:.300}")
            self._fail(f"a fault of veilmix: {bug!r:.200}", None)
        else:
            self._rest()

    async def _run(self, step: str, work: Callable[..., Any]) -> Any:
        """Run the work of a step in a thread; return its result. step: its name, such as `goal`."""
        job = Job()
        self._job = step, job
        if self._parts[step]["status"] != "ready":
            self._parts[step]["status"] = "working"
        self._bump()
        try:
            return await job.run(work)
        finally:
            self._job = None

    async def _run_further(self, work: Callable[..., Any]) -> Any:
        """Run a command for a section of the page, such as `veilmix counts`, in a thread.

        Such commands run after the six steps that lead to a release. Returns the result of `work`.
        """
        job = Job()
        self._job = "result", job
        self._bump()
        try:
            return await job.run(work)
        finally:
            self._job = None

    def _show_further(self, place: str, part: Part) -> None:
        """Put the result of a command that the page has run for one of its sections into the state.

        place: the section of the page, such as `counts`. part: the result, as the page shows it.
        """
        error = part["error"]
        if error is not None:
            error = {**error, "text": self._named(error["text"])}
        self._places[place] = {**_empty(), **part, "error": error}
        self._bump()

    def _show(self, step: str, part: Part) -> None:
        """Put the result of a step into the state. part: the result, as the page shows it."""
        self._parts[step] = {"status": "ready", "stale": False, "error": None, **part}
        if step == "file" and part["sha256"] and not self.choices.sha256:
            self.choices = self.choices.changed({"sha256": part["sha256"]})
        self._bump()

    def _restart(self) -> None:
        """Start the work from the first step; results that are shown are marked as out of date."""
        if self.path is not None:
            for step in STEPS:
                part = self._parts[step]
                fields = part["status"] in ("ready", "blocked") or part["stale"]
                part.update(status="working", stale=fields, error=None)
            for place in PLACES:
                is_wanted = place in wanted_places(self.choices)
                shown_part = self._places[place] if is_wanted else _empty()
                self._places[place] = {**shown_part, "status": "working" if is_wanted else "empty"}
        if self._scope is not None:
            self._scope.cancel()
        self._work_event.set()
        self._bump()

    def _fail(self, sentence: str, option: str | None) -> None:
        """Show an error at the step that failed; later steps stay without a result.

        sentence: the error. option: the setting that caused it; None: unknown.
        """
        waiting = [step for step in STEPS if self._parts[step]["status"] == "working"]
        option_step = None if option is None else step_of(option)
        first = (
            option_step
            if option == "coarsen" and option_step
            else waiting[0]
            if waiting
            else STEPS[-1]
        )
        step = option_step or first
        for next_step in STEPS[STEPS.index(first) + 1 :]:
            self._parts[next_step] = _empty()
        text = {"text": self._named(sentence), "option": option, "step": step, "lang": "en"}
        previous_part = {} if self._parts[first]["stale"] else self._parts[first]
        self._parts[first] = {**_empty(), **previous_part, "status": "error", "error": text}

    def _named(self, sentence: str, more: Mapping[str, str] | None = None) -> str:
        """Return a sentence with the files' names as the user knows them, not their real paths.

        more: name of a setting -> the visible name of its file, before it is stored.
        """
        for path in self.files.hierarchies.values():
            sentence = sentence.replace(str(path), path.name)
        for choice, path in self.files.given_files.items():
            visible_name = (more or {}).get(choice) or getattr(self.choices, choice) or path.name
            sentence = sentence.replace(str(path), visible_name)
        return sentence.replace(str(self.path), self.choices.data)

    def _rest(self) -> None:
        """Mark the steps that the work did not reach as steps without a result."""
        for step in STEPS:
            if self._parts[step]["status"] == "working":
                self._parts[step] = _empty()

    def _bump(self) -> None:
        """Raise the version of the page's state, and wake the requests that wait for news."""
        self.version += 1
        self._news.set()
        self._news = trio.Event()

    def _fewer(self, hierarchies: object) -> bool:
        """Whether new hierarchy files are a part of the present ones, so that no file is new.

        hierarchies: column -> the name of its file.
        """
        return (
            isinstance(hierarchies, dict) and hierarchies.items() <= self.choices.hierarchy.items()
        )

    def _option(self, number: int) -> dict[str, Any]:
        """Return the data with which the page draws the control of an option.

        number: the place of the option in OPTIONS, from 0.
        """
        option = OPTIONS[number]
        low, high = option.range
        help_text = next(
            (
                self.words.help[line]
                for command in option.commands
                if (line := f"{HELP.get(command, command)} {option.flag_name}") in self.words.help
            ),
            "",
        )
        choices: list[list[Any]] | None = [[value, value] for value in option.choices] or None
        if option.name == "one_row":
            choices = self._parts["persons"].get("one_row")
        if option.name == "sheet" and (sheets := self._parts["file"].get("sheets")):
            choices = [[name, name] for name in sheets]
        return {
            "name": option.name,
            "step": option.step,
            "kind": option.kind,
            "value": getattr(self.choices, option.name),
            "default": getattr(DEFAULT, option.name),
            "found": self._parts.get(option.step, {}).get("found", {}).get(option.name),
            "choices": choices,
            "flag": option.flag_name,
            "help": {"text": help_text, "lang": "en"},
            "label": self.voice.label(option.name),
            "min": low,
            "max": high,
            "special": option.special,
        }


DEFAULT = UserChoices()
HELP = {"judge": "score"}  # command -> the command of `veilmix` with the help on its options


def _empty() -> Part:
    """Return the state of a step, or section of the page, without a result."""
    return {"status": "empty", "summary": "", "stale": False, "error": None}
