"""The editor of the questions, on the teacher's page, until the session begins.

    GET  editor/questions   the questions, the settings, and the edition number of both
    POST editor/check       a draft: {"problems": [..]}, all mistakes, each with its path
    POST editor/preview     a draft: {"problems": [..]}, or the data of a preview (preview.py)
    POST editor/save        {"edition": .., "where": .., "name": .., "draft": ..}: {"problems":
                            [..]}, or {"problems": [], "saved": file, "copy": file, "begun": ..}

A draft is checked by the functions that read a file of questions. It is merged into the tables of
the present file, so keys of the file that the editor does not show stay unchanged. A draft is
refused if another browser tab has saved changes since the draft's edition was loaded.
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

LARGEST = 1 << 17  # largest number of bytes of a request; a longer request is refused
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
    """A question with its answers as typed in the editor, not yet checked.

    Attributes:
        name: the text of the question.
        values: the texts of its answers.
    """

    name: str
    values: list[str]


class Draft(Struct, frozen=True, forbid_unknown_fields=True):
    """The questions as typed in the editor, not yet checked.

    Attributes:
        title: the title of the session.
        lang: the tag of the questions' language; None: each phone chooses.
        feature: the questions.
        settings: the typed value of each setting, by key of `SETTINGS`; a text was not typed as a
            number, and is reported as a mistake.
    """

    title: str
    lang: str | None
    feature: list[QuestionDraft]
    settings: dict[str, int | float | str]


class Save(Struct, frozen=True, forbid_unknown_fields=True):
    """A request to save a draft, and to use its questions.

    Attributes:
        edition: the edition number of the questions from which the draft was made.
        where: "file": replace the file of questions; "new": write a new file in the same folder;
            "session": change this session alone, and write no file.
        name: the name of the new file.
        draft: the changed questions.
    """

    edition: int
    where: Literal["file", "new", "session"]
    name: str
    draft: Draft


class ChangingSession(Protocol):
    """The part of a session (session.py) that the editor needs to change the questions."""

    @property
    def settled(self) -> bool:
        """Whether the questions can no longer change, because the session begins or has begun."""

    def set_questions(self, scenario: Scenario, lang: str | None) -> None:
        """Replace the questions of the session.

        scenario: the new questions. lang: the tag of their language; None: each phone chooses.
        """

    def preview(self, scenario: Scenario, language: Language) -> dict[str, Any]:
        """Return the data that a preview of a phone's screens needs, in a language."""


class Editor:
    """The server of the editor: the questions of a session, and changes of them.

    file: the file of questions. session: the session that uses the questions. slips: whether each
    phone is admitted by a printed slip of paper with a code; the title then cannot change, because
    it is printed on the slips.
    """

    def __init__(self, file: QuestionsFile, session: ChangingSession, slips: bool) -> None:  # noqa: FBT001
        """Start from the questions of a file, as edition 0.

        file: the file of questions. session: uses the questions. slips: whether printed slips of
        paper, with the session's title, admit phones.
        """
        self._file = file
        self._tables = file.tables
        self._table = file.table
        self._session = session
        self._slips = slips
        self._edition = 0

    def answer(self, request: Request, action: str) -> HttpResponse:
        """Return the response to a request for the editor.

        action: the last part of the request's path, such as `save`.

        Raises:
            Unwelcome: the request is malformed, or not possible now.
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
        """Return the questions, the settings and their edition number, as data for the page."""
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
        """The values of the settings that affect this kind of session, by key such as `policy.k`.

        A setting without effect is left out: for example k, if phones add noise to their answers.
        """
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
        """Return the present value of a setting. key: table and name, such as `policy.k`."""
        section, _, name = key.partition(".")
        return getattr(getattr(self._table, section), name)

    def _check(self, draft: Draft) -> dict[str, Any]:
        """Return all mistakes of a draft as data for the teacher's page."""
        return {"problems": _problem_data(self._examine(draft)[2])}

    def _preview(self, body: bytes, accepted: str) -> dict[str, Any]:
        """Return the data of a preview of a draft, or the draft's mistakes.

        body: the draft as JSON; an empty body asks for a preview of the present questions.
        accepted: the browser's `accept-language` header.
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

        Unwelcome if another tab has changed the questions since the draft's edition. Unwelcome,
        too, for a change of the session alone after the session has begun; a file can still be
        written then.
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
        """Write a draft to the file that the request names, unless it changes the session alone.

        tables: the draft as tables of a file of questions. Return the path of the copy that was
        made of the replaced file; None if no copy was made. Unwelcome if the file cannot be
        written.
        """
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
        """Return a draft as tables of a file, the questions in these tables, and all mistakes.

        A changed title is a mistake if phones are admitted by slips of paper, which bear the old
        title.
        """
        tables = self._merge(draft)
        table, problems = examine_questions(tables)
        if self._slips and draft.title != self._table.title:
            accepted = as_found(self._table.title)
            message = (
                f"found {as_found(draft.title)}; {accepted} is accepted: it is printed on the slips"
            )
            problems.append(problem(("title",), message))
        return tables, table, problems

    def _merge(self, draft: Draft) -> dict[str, Any]:
        """Return the tables of the present file of questions with the changes of a draft.

        Unwelcome if the draft's settings are not the settings that the teacher's page shows.
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
    """Return mistakes as JSON data: the wrong key's path, the path in TOML form, and a message."""
    return [
        {"path": wrong.path, "where": dotted(wrong.path), "message": wrong.message}
        for wrong in problems
    ]


def _read(body: bytes, kind: type[T]) -> T:
    """Decode the JSON body of a request as an object of a class.

    Unwelcome if the body is longer than `LARGEST` bytes, or does not have the fields of the class.
    """
    if len(body) > LARGEST:
        raise Unwelcome(413, "editor-large", most=LARGEST)
    try:
        return from_json(body, kind)
    except Unreadable:
        raise Unwelcome(400, "editor-form") from None
