"""The editor of the questions, on the teacher's page, until the session begins.

    GET  editor/questions   the questions, the settings, and the edition of both
    POST editor/check       a draft: {"problems": [..]}, all mistakes, each with its path
    POST editor/preview     a draft: the same, or the data of a preview (preview.py)
    POST editor/save        {"edition": .., "where": .., "name": .., "draft": ..}: the same, or
                            {"problems": [], "saved": file, "copy": file, "begun": ..}

The functions that read a file of questions judge a draft, too, in the tables of the file: keys that
the editor does not show stay unchanged. A draft of an older edition, from another tab, is refused.
"""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, Protocol, TypeVar

import msgspec
from msgspec import Struct

from ..errors import StorageError
from ..languages.language import Language, language_of, languages
from ..machines.http import HttpResponse, Request
from ..scenarios.programs.capabilities import ColumnDecision
from ..scenarios.programs.capability import AnswerKind
from ..scenarios.programs.registry import answers_for, program_of
from ..scenarios.schema.model import Scenario
from ..scenarios.schema.problems import Problem, as_found, dotted, problem
from ..strict_text import Unreadable, from_json
from .questions import QuestionsTable, examine_questions, scenario_of
from .questions_file import QuestionsFile
from .refusal import Unwelcome

LARGEST = 1 << 17  # largest number of bytes of a request
FILE = re.compile(r"\w[\w .-]{0,80}\.toml")  # accepted names of new files, without a folder
SETTINGS = (
    "policy.k",
    "policy.max_exposure",
    "mix.deadline",
    "mix.min_batch",
    "defence.min_dropout",
)
ANSWERS = (("content-type", "application/json"), ("cache-control", "no-store"))
T = TypeVar("T")


class QuestionDraft(Struct, frozen=True, forbid_unknown_fields=True):
    """A question with its answers, right or wrong.

    Attributes:
        name: the question.
        values: the answers.
    """

    name: str
    values: list[str]


class Draft(Struct, frozen=True, forbid_unknown_fields=True):
    """The questions as typed in the editor, right or wrong.

    Attributes:
        title: the title of the session.
        lang: the tag of the questions' language; None: each phone chooses.
        feature: the questions.
        settings: the typed value of each setting, by key of `SETTINGS`; a text is a mistake.
    """

    title: str
    lang: str | None
    feature: list[QuestionDraft]
    settings: dict[str, int | float | str]


class Save(Struct, frozen=True, forbid_unknown_fields=True):
    """A request to save a draft, and to use its questions.

    Attributes:
        edition: the edition number of the questions before the change.
        where: the place of the change: the file of the questions, a new file beside it, or this
            session alone.
        name: the name of the new file.
        draft: the changed questions.
    """

    edition: int
    where: Literal["file", "new", "session"]
    name: str
    draft: Draft


class ChangingSession(Protocol):
    """The part of a session that the editor needs: its questions can change (session.py)."""

    @property
    def settled(self) -> bool:
        """Whether the questions cannot change any more."""

    def set_questions(self, scenario: Scenario, lang: str | None) -> None:
        """Replace the questions of the session. lang: the tag of their language.

        None: phones choose.
        """

    def preview(self, scenario: Scenario, language: Language) -> dict[str, Any]:
        """Return the data from which a phone's screens are previewed, in a language."""


class Editor:
    """The server of the editor: the questions of a session, and changes of them.

    file: the file of questions. slips: whether slips admit phones; slips are printed for a title.
    """

    def __init__(self, file: QuestionsFile, session: ChangingSession, slips: bool) -> None:  # noqa: FBT001
        """Start from the questions of a file; arguments as of the class."""
        self._file = file
        self._tables = file.tables
        self._table = file.table
        self._session = session
        self._slips = slips
        self._edition = 0

    def answer(self, request: Request, action: str) -> HttpResponse:
        """Return the response to a request. Unwelcome if it is malformed, or not possible now.

        action: the last part of the path, such as `save`.
        """
        match request.method, action:
            case "GET", "questions":
                reply = self._state()
            case "POST", "check":
                reply = self._check(_read(request.body, Draft))
            case "POST", "preview":
                accepted = request.headers.get("accept-language", "")
                reply = self._preview(request.body, accepted)
            case "POST", "save":
                reply = self._save(_read(request.body, Save))
            case _:
                raise Unwelcome(404, "no-session")
        return HttpResponse(200, msgspec.json.encode(reply), ANSWERS)

    def _state(self) -> dict[str, Any]:
        """Return the questions, the settings and their edition, for the page."""
        path = self._file.path
        return {
            "edition": self._edition,
            "file": path.name if path else "",
            "folder": str(self._file.folder),
            "title": self._table.title,
            "lang": self._table.lang,
            "languages": [[tag, language.language] for tag, language in languages().items()],
            "feature": [
                {"name": question.name, "values": question.values or ()}
                for question in self._table.feature
            ],
            "settings": self._settings,
        }

    @property
    def _settings(self) -> Mapping[str, Any]:
        """The settings that affect this kind of session, by key."""
        program, once = program_of(scenario_of(self._table)), self._table.mix.submit == "once"
        reports = answers_for(program) is AnswerKind.REPORTS
        promises = program.capability(ColumnDecision) is not None
        unread = {
            "policy.k": reports,
            "policy.max_exposure": not promises,
            "defence.min_dropout": not promises or once,
        }
        return {key: self._setting(key) for key in SETTINGS if not unread.get(key)}

    def _setting(self, key: str) -> Any:
        """Return the value of a setting, such as `policy.k`."""
        section, _, name = key.partition(".")
        return getattr(getattr(self._table, section), name)

    def _check(self, draft: Draft) -> dict[str, Any]:
        """Return all mistakes of a draft, for the page."""
        return {"problems": _problem_data(self._examine(draft)[2])}

    def _preview(self, body: bytes, accepted: str) -> dict[str, Any]:
        """Return the data of a preview of a draft, or its mistakes.

        An empty body asks for a preview of the present questions.
        """
        table = self._table
        if body:
            _, table, problems = self._examine(_read(body, Draft))
            if problems:
                return {"problems": _problem_data(problems)}
        preview = self._session.preview(scenario_of(table), language_of(table.lang, accepted))
        return {"problems": [], **preview}

    def _save(self, save: Save) -> dict[str, Any]:
        """Save a draft and use its questions; return its mistakes, or the names of written files.

        Unwelcome if another tab has changed the questions, or the session has begun.
        """
        if save.edition != self._edition:
            raise Unwelcome(409, "editor-other-tab")
        begun = self._session.settled
        if begun and save.where == "session":
            raise Unwelcome(409, "editor-begun")
        tables, table, problems = self._examine(save.draft)
        if problems:
            return {"problems": _problem_data(problems)}
        copy = self._write(save, tables)
        if not begun:
            self._session.set_questions(scenario_of(table), table.lang)
        self._tables, self._table = tables, table
        self._edition += 1
        saved = "" if save.where == "session" else str(self._file.path)
        return {"problems": [], "saved": saved, "copy": copy.name if copy else "", "begun": begun}

    def _write(self, save: Save, tables: Mapping[str, Any]) -> Path | None:
        """Write a draft to its file, if one is wanted; return the copy of the old file, if any."""
        copy = None
        if save.where == "new" and FILE.fullmatch(save.name) is None:
            raise Unwelcome(400, "editor-name", name=save.name)
        if save.where == "file" and not self._file.is_unchanged:
            raise Unwelcome(409, "editor-file-changed")
        try:
            if save.where == "file":
                self._file, copy = self._file.replace_tables(tables)
            elif save.where == "new":
                self._file = self._file.write_new(save.name, tables)
        except (StorageError, OSError) as bad:
            raise Unwelcome(409, "editor-not-saved", why=str(bad)) from None
        return copy

    def _examine(self, draft: Draft) -> tuple[dict[str, Any], QuestionsTable, list[Problem]]:
        """Return a draft as tables of a file, the questions in them, and all mistakes."""
        tables = self._merge(draft)
        table, problems = examine_questions(tables)
        if self._slips and draft.title != self._table.title:
            accepted = as_found(self._table.title)
            message = (
                f"found {as_found(draft.title)}; {accepted} is accepted: slips are for a title"
            )
            problems.append(problem(("title",), message))
        return tables, table, problems

    def _merge(self, draft: Draft) -> dict[str, Any]:
        """Return the file's tables with the changes of a draft.

        Unwelcome if the draft has other settings than the page shows.
        """
        settings = self._settings
        if draft.settings.keys() != settings.keys():
            raise Unwelcome(400, "editor-form")
        rest = {key: value for key, value in self._tables.items() if isinstance(value, dict)}
        for key, value in draft.settings.items():
            section, _, name = key.partition(".")
            if value != settings[key]:
                rest[section] = {**rest.get(section, {}), name: value}
        lang = {} if draft.lang is None else {"lang": draft.lang}
        feature = [{"name": question.name, "values": question.values} for question in draft.feature]
        return {"title": draft.title, **lang, "feature": feature, **rest}


def _problem_data(problems: list[Problem]) -> list[dict[str, Any]]:
    """Return mistakes as JSON data: path, path in TOML form, message."""
    return [
        {"path": wrong.path, "where": dotted(wrong.path), "message": wrong.message}
        for wrong in problems
    ]


def _read(body: bytes, kind: type[T]) -> T:
    """Decode the JSON body of a request; Unwelcome if it is too long or of another form."""
    if len(body) > LARGEST:
        raise Unwelcome(413, "editor-large", most=LARGEST)
    try:
        return from_json(body, kind)
    except Unreadable:
        raise Unwelcome(400, "editor-form") from None
