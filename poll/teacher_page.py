"""The teacher's page: numbers of people here and awaited, and buttons for the teacher's commands.

    GET  /CODE/teacher/SECRET            the page
    GET  /CODE/teacher/SECRET/news/V     the state, once it is newer than version V or after 1 s
    GET  /CODE/teacher/SECRET/preview    the page with the preview of phones' screens (preview.py)
    ..   /CODE/teacher/SECRET/editor/..  the questions, and changes of them (editor.py)
    POST /CODE/teacher/SECRET/COMMAND    begin, wait, close, end, repeat; let-in {"people": N}
                                         204; 409 and a sentence if it is not possible now

The secret is in the address that the terminal prints; no phone and no projected page shows it. In a
room without https it could be overheard, so the page answers only requests from the class's
computer itself.
"""

import secrets
from collections.abc import Callable, Mapping
from hmac import compare_digest
from typing import Any

import msgspec

from ..languages.language import Language
from ..machines.gate import LOOPBACKS
from ..machines.http import HttpResponse, Request
from ..strict_text import Unreadable, from_json
from .assets import page_answer
from .classroom import MOST_PHONES, Classroom
from .editor import Editor
from .refusal import Unwelcome
from .repeats import RETURN_SECONDS
from .teacher import MORE, Teacher

BEAT = 1.0  # seconds after which a request for news is answered: the page shows a clock
NO_STORE = ("cache-control", "no-store")
JSON = (("content-type", "application/json"), NO_STORE)


class TeacherPage:
    """The server of the teacher's page: the state of the session, and its commands.

    room: the class. teacher: carries out the commands. host: the address at which phones reach this
    computer. editor: the editor of the questions; None: the questions cannot change.

    Attributes:
        secret: the part of the page's address that only the teacher knows.
    """

    def __init__(
        self, room: Classroom, teacher: Teacher, host: str, editor: Editor | None = None
    ) -> None:
        """Start with a new random secret in the page's address.

        teacher: carries out the commands. host: the address at which phones reach this computer.
        editor: the editor of the questions; None: the questions cannot change.
        """
        self.secret = secrets.token_hex(8)
        self._room = room
        self._teacher = teacher
        self._editor = editor
        self._local_hosts = (host, *LOOPBACKS)

    def state(self, language: Language) -> dict[str, Any]:
        """Return the state of the session as data for the page.

        language: language of the sentence why the session ended.
        """
        room, (missing_people, missing) = self._room, self._teacher.lacks
        return {
            "version": room.version,
            "phase": self._phase,
            "people": len(room.phones),
            "few": missing_people,
            "missing": missing,
            "slips": None if room.slips is None else [room.slips.used, room.slips.number],
            "address": max(room.devices.values(), default=0),
            "admitted": room.most_of_one,
            "round": room.round,
            "answered": room.answered,
            "due": len(room.due),
            "left": round(room.seconds_left),
            "longer": room.closes < room.latest,
            "more": MORE,
            "editor": self._editor is not None,
            "ended": "" if room.ended == "over" else room.ended_in(language),
            "attempt": room.attempt,
            "final": language.say(room.final) if room.final else "",
            "here": RETURN_SECONDS,
        }

    @property
    def _phase(self) -> str:
        """The phase of the session, which decides the possible commands.

        joining: before the session begins; open: a round collects answers; mixing: no round
        collects answers; over: the session has ended.
        """
        room = self._room
        if room.ended:
            return "over"
        if not room.started:
            return "joining"
        return "open" if room.collecting else "mixing"

    async def answer(
        self, request: Request, code: str, rest: list[str], language: Language
    ) -> HttpResponse:
        """Return the response to a request for the teacher's page.

        code: the session's code. rest: the parts of the request's path after `teacher`.

        Raises:
            Unwelcome: the secret is wrong, the request is from another computer, or it is not
                possible now.
        """
        secret, *path_parts = rest
        if not compare_digest(secret.encode(), self.secret.encode()):
            raise Unwelcome(404, "no-session")
        if request.peer not in self._local_hosts:
            raise Unwelcome(403, "teacher-elsewhere")
        match request.method, path_parts:
            case (("GET" | "HEAD"), []):
                return page_answer("teacher", code, language, (NO_STORE,))
            case "GET", ["news", version] if version.isascii() and version.isdecimal():
                await self._room.news(int(version[:18]), BEAT)
                return HttpResponse(200, msgspec.json.encode(self.state(language)), JSON)
            case (("GET" | "HEAD"), ["preview"]):
                return page_answer("preview", code, language, (NO_STORE,))
            case _, ["editor", change] if self._editor is not None:
                return self._editor.answer(request, change)
            case "POST", [command]:
                self._follow(command, request.body)
                return HttpResponse(204, b"", (NO_STORE,))
        raise Unwelcome(404, "no-session")

    def _follow(self, command: str, body: bytes) -> None:
        """Carry out a command of the teacher; Unwelcome if it is not possible now.

        body: the JSON of the request, with the number of people for `let-in`.
        """
        if command == "let-in":
            if not self._teacher.let_in(_people(body)):
                raise Unwelcome(400, "teacher-number", most=MOST_PHONES)
            return
        phase, follow = self._commands.get(command, ("", None))
        if follow is None or phase != self._phase or not follow():
            raise Unwelcome(409, "teacher-not-now")

    @property
    def _commands(self) -> Mapping[str, tuple[str, Callable[[], bool]]]:
        """The commands by name: the phase in which each is possible, and its function."""
        teacher = self._teacher
        return {
            "begin": ("joining", teacher.begin),
            "wait": ("open", teacher.wait),
            "close": ("open", teacher.close),
            "end": ("over", teacher.end),
            "repeat": ("over", teacher.repeat),
        }


def _people(body: bytes) -> int:
    """Return the number of people in a request's JSON; 0 if it is missing."""
    try:
        fields = from_json(body)
    except Unreadable:
        return 0
    number = fields.get("people") if isinstance(fields, dict) else None
    return number if isinstance(number, int) and not isinstance(number, bool) else 0
