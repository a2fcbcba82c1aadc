"""The server of the page: all requests that the page may make, on this computer alone.

    GET  /TOKEN/                  the page; static/NAME its files, sentences.json its sentences
    GET  /TOKEN/news/V            waits for news after version V: the state (desk.py)
    POST /TOKEN/change            {"revision": R, "set": {..}}: the state; 409 for an old revision
    POST /TOKEN/open              {"path": ..}: the file at a path of this computer; the state
    POST /TOKEN/upload/NAME       the bytes of a file; the state
    POST /TOKEN/hierarchy/COLUMN  the bytes of a hierarchy file; the state
    POST /TOKEN/given/CHOICE/NAME the bytes of another file that a setting names; the state
    POST /TOKEN/folder            {"path": ..}: folders and data files
    POST /TOKEN/cancel, again     stops the work, begins it again: 204
    GET  /TOKEN/released/FORMAT   the released table
    GET  /TOKEN/sign, sign/download, session, score, advice, figure, scenario
    GET  /TOKEN/further/PLACE/OPTION  a file of another command (other_commands.py)
    POST /TOKEN/save              {"what", "path", "replace"}: writes one of these files
    POST /TOKEN/leave, end        a tab was closed; the user is done: 204

A POST or GET that says "the state" returns the whole state of the page, as JSON. The server listens
on 127.0.0.1. The token, a secret, is in the address that the terminal prints, in a file in the
private temporary folder that leads a browser to the address, and in the history of that browser. A
foreign page in the same browser can neither read nor send data here: see machines/gate.py. Errors
are JSON, {"error": {"text", "option", "step", "lang"}}, with a status of 400 or more.
"""

import secrets
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from hmac import compare_digest
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

import msgspec
import trio

from ..errors import LocalError, VeilmixError
from ..languages.language import language_of
from ..languages.page_text import filled
from ..machines.gate import SENTENCES, Gate, listeners_at, names_of, serve_phone
from ..machines.http import ALWAYS, Header, HttpResponse, Request, Server, ServerLimits
from ..machines.supervision import SIGNALS
from ..machines.web_files import TYPES, WebFile
from ..roles.compute.event_loop import run_loop
from ..scenarios.lab.ledger.book import key_of
from ..scenarios.serialization.atomic_file import same_file
from ..strict_text import Unreadable, from_json
from ..temporary_files import private_folder
from .choices import FILE_CHOICES, ChoiceError
from .desk import LARGEST, Desk, OldRevisionError
from .files import listing, save
from .options import TABLES, file_argument, written_name
from .other_commands import page_to_sign
from .result import WRITTEN, ReleaseResult

HOST = "127.0.0.1"
STATIC = Path(__file__).parent / "static"
JSON: tuple[Header, ...] = (("content-type", "application/json"),)
HEADERS: tuple[Header, ...] = (
    *ALWAYS,
    ("referrer-policy", "no-referrer"),
    ("cross-origin-resource-policy", "same-origin"),
    ("cross-origin-opener-policy", "same-origin"),
)
POLICY = "; ".join(
    (
        *("default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'"),
        *(
            "img-src 'self' data:",
            "base-uri 'none'",
            "form-action 'none'",
            "frame-ancestors 'none'",
        ),
    )
)
SIGN_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox"
BODY = 1 << 20  # largest number of bytes of a request that is no upload
TOKEN = 16  # bytes of the secret in the page's address
AFTER_LEAVING = 15.0  # seconds from the closing of the last tab to the end of the server
AFTER_SILENCE = 600.0  # seconds without a request after which the server ends
LAST_ANSWERS = 30.0  # longest time for sending unfinished responses at the end, in seconds
PATIENCE = 600.0  # longest time for an upload, in seconds
GLANCE = 0.05  # seconds between two checks for unfinished responses
KINDS = {
    "csv": "text/csv; charset=utf-8",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "parquet": "application/vnd.apache.parquet",
    "svg": "image/svg+xml",
    "png": "image/png",
    "json": "application/json",
    "toml": "application/toml",
    "html": "text/html; charset=utf-8",
}


FILES = ("released", "sign", "session", "score", "advice", "figure", "scenario", "further")
READ = (*FILE_CHOICES, "score_ledger")  # settings that name files from which the page reads


class RefusedRequestError(Exception):
    """The error that a request is refused, with HTTP status and the fields of the response.

    Attributes:
        status: the HTTP status.
        fields: the JSON fields of the response.
    """

    def __init__(self, status: int, text: str, lang: str = "en", **more: object) -> None:
        """Keep HTTP status and text.

        lang: tag of the text's language. more: further fields: `option` and `step` of the error, or
        `exists` and `state` beside the error.
        """
        super().__init__(text)
        self.status = status
        error = {"text": text, "option": None, "step": None, "lang": lang, **more}
        self.fields: dict[str, object] = {"error": error}
        self.fields |= {name: error.pop(name) for name in ("exists", "state") if name in error}


class Workbench:
    """The web server of the page, for one user.

    gate: refuses requests from other pages and computers.

    Attributes:
        desk: the state of the page.
        ended: set when the user is done, or has left.
        address: the address of the page, with the secret token.
    """

    def __init__(self, desk: Desk, gate: Gate, token: str) -> None:
        """Start without an open tab.

        desk: the state of the page. gate: refuses requests from other pages and computers.
        token: the secret part of the address.
        """
        self.desk, self.ended = desk, trio.Event()
        self.address = f"http://{gate.names[0]}/{token}/"
        self._gate, self._token = gate, token
        self._request_time: float | None = None
        self._leave_time: float | None = None
        self._spoken = False

    async def answer(self, request: Request) -> HttpResponse:
        """Return the response to a request; errors are JSON with a sentence."""
        await trio.lowlevel.checkpoint()
        if refused := self._gate.refusal(request):
            return refused
        pieces = request.path.split("/")
        token, path_parts = "".join(pieces[1:2]), pieces[2:]
        if not compare_digest(token.encode(), self._token.encode()) or not path_parts:
            text = self.desk.voice.say("said-no-such-address")["text"]
            return HttpResponse(404, text.encode(), SENTENCES)
        if self.ended.is_set():
            return HttpResponse(503, b"the program has ended\n", SENTENCES)
        self._request_time = trio.current_time()
        if path_parts != ["leave"]:
            self._leave_time = None
        try:
            return await self._respond(request, path_parts)
        except RefusedRequestError as no:
            return HttpResponse(no.status, msgspec.json.encode(no.fields), JSON)
        except (LocalError, VeilmixError) as wrong:
            refusal = RefusedRequestError(400, str(wrong), option=getattr(wrong, "option", None))
            return HttpResponse(400, msgspec.json.encode(refusal.fields), JSON)

    async def _respond(self, request: Request, path_parts: list[str]) -> HttpResponse:
        """Pass a request to the function for its path; return the response.

        path_parts: the parts of the request's path after the token.
        """
        match request.method, path_parts:
            case (("GET" | "HEAD"), [""]):
                return self._page(request)
            case (("GET" | "HEAD"), ["static", name]):
                return _static(name, request.headers.get("accept-encoding", ""))
            case (("GET" | "HEAD"), ["sentences.json"]):
                return HttpResponse(200, self.desk.voice.language.data, JSON)
            case "GET", ["news", version] if version.isascii() and version.isdecimal():
                await self.desk.news(int(version[:18]))
                return self._state()
            case (("GET" | "HEAD"), [kind, *_]) if kind in FILES:
                return await self._file(path_parts)
            case "POST", [name, *rest]:
                return await self._post(name, rest, request)
        raise RefusedRequestError(404, self.desk.voice.say("said-no-such-address")["text"])

    async def _post(self, name: str, rest: list[str], request: Request) -> HttpResponse:
        """Carry out a POST request; return the response.

        name: the first part of the path after the token. rest: the further parts.
        """
        match name, rest:
            case "change", []:
                return self._change(_fields(request, {"revision", "set"}))
            case "open", []:
                return self._open(_fields(request, {"path"}))
            case "upload", [file]:
                self._upload(unquote(file), request.body)
                return self._state()
            case "hierarchy", [column]:
                self.desk.add_hierarchy(unquote(column), request.body)
                return self._state()
            case "given", [choice, file]:
                self.desk.add_file(choice, unquote(file), request.body)
                return self._state()
            case "folder", []:
                path = _text(_fields(request, {"path"}), "path")
                with typed(path):
                    folder_listing = await trio.to_thread.run_sync(listing, path)
                return HttpResponse(200, msgspec.json.encode(folder_listing), JSON)
            case "save", []:
                return await self._save(_fields(request, {"what", "path", "replace"}))
            case (("cancel" | "again" | "leave" | "end"), []):
                self._order(name)
                return HttpResponse(204)
        raise RefusedRequestError(404, self.desk.voice.say("said-no-such-address")["text"])

    def _order(self, name: str) -> None:
        """Carry out an order without data.

        name: `cancel` stops the work, `again` begins it again, `leave` notes that a tab was closed,
        `end` ends the server.
        """
        match name:
            case "cancel":
                self.desk.cancel()
            case "again":
                self.desk.restart()
            case "leave":
                self._leave_time = trio.current_time()
            case _:
                self.ended.set()

    async def wait_for_tabs(self) -> None:
        """Set `ended` when no tab has been open, or no request has come, for some time."""
        while not self.ended.is_set():
            await trio.sleep(1)
            now = trio.current_time()
            if self._leave_time is not None and now - self._leave_time > AFTER_LEAVING:
                self.ended.set()
            if self._request_time is not None and now - self._request_time > AFTER_SILENCE:
                self.ended.set()

    def _page(self, request: Request) -> HttpResponse:
        """Return the response with the page; the first tab sets the page's language."""
        language_tag, accepted = self.desk.language, request.headers.get("accept-language", "")
        # only the first tab sets the language, as all tabs show one state
        if request.method == "GET" and not self._spoken:
            self._spoken = True
            self.desk.speak(language_of(language_tag, accepted))
        text = (STATIC / "workbench.html").read_text("utf-8")
        headers = (
            ("content-type", "text/html; charset=utf-8"),
            ("content-security-policy", POLICY),
        )
        return HttpResponse(200, filled(text, self.desk.voice.language).encode(), headers)

    def _state(self) -> HttpResponse:
        """Return the response with the whole state of the page, as JSON."""
        return HttpResponse(200, msgspec.json.encode(self.desk.state()), JSON)

    def _change(self, fields: Mapping[str, Any]) -> HttpResponse:
        """Change settings; return the state, or refuse an old revision or a wrong setting.

        fields: `revision`, the revision that the tab has seen, and `set`, the new settings.
        """
        try:
            self.desk.change(fields["revision"], fields["set"])
        except OldRevisionError:
            sentence = self.desk.voice.say("said-other-tab")
            raise RefusedRequestError(
                409, sentence["text"], sentence["lang"], state=self.desk.state()
            ) from None
        except ChoiceError as wrong:
            raise RefusedRequestError(400, str(wrong), option=wrong.option) from None
        return self._state()

    def _open(self, fields: Mapping[str, Any]) -> HttpResponse:
        """Open the file at a path of this computer; return the state of the page.

        fields: the fields of the request; `path` is the path.
        """
        text = _text(fields, "path").strip()
        with typed(text):
            path = Path(text).expanduser()
            is_file = bool(text) and path.is_file()
        if not is_file:
            raise RefusedRequestError(
                400, f"{text or 'path'}: this computer has no such file", step="file"
            )
        self.desk.open(path, text)
        return self._state()

    def _upload(self, name: str, data: bytes) -> None:
        """Keep an uploaded table under its name, and open it."""
        path = self.desk.files.keep_table(name, data)
        self.desk.open(path, path.name)

    async def _file(self, path_parts: list[str]) -> HttpResponse:
        """Return the response with a file of the result, or the session file.

        path_parts: the parts of the request's path after the token.
        """
        download = path_parts[-1] != "sign"
        kind, name, data = await self._content(path_parts)
        headers: list[Header] = [("content-type", kind)]
        if not download:
            headers.append(("content-security-policy", SIGN_POLICY))
        if download:
            headers.append(("content-disposition", f"attachment; filename*=UTF-8''{quote(name)}"))
        return HttpResponse(200, data, headers)

    async def _content(self, path_parts: list[str]) -> tuple[str, str, bytes]:
        """Return content type, name and bytes of a file of the result, or of the session file.

        path_parts: the parts of the request's path after the token.
        """
        stem = Path(self.desk.choices.data).stem or "table"
        match path_parts:
            case ["session"]:
                text = self.desk.choices.session()
                return "application/toml", f"{stem}-session.toml", text.encode()
            case ["released", ("csv" | "xlsx" | "parquet") as form]:
                data = await trio.to_thread.run_sync(self._result.file, form)
                return KINDS[form], f"{stem}-released.{form}", data
            case ["sign", *rest] if rest in ([], ["download"]):
                result = self._result
                page = await trio.to_thread.run_sync(lambda: result.page)
                return "text/html; charset=utf-8", f"{stem}-to-sign.html", page.encode()
            case ["score"]:
                saved = self._result.saved_score
                return "application/json", f"{stem}-score.json", saved.encode()
            case ["advice"]:
                record = self.desk.words.advice_record(self._result.advised, self._called)
                return "application/json", f"{stem}-advice.json", record.encode()
            case ["figure" | "scenario" as name]:
                called, data = await trio.to_thread.run_sync(self._written, name)
                return _kind(called), called, data
            case ["further", place, option]:
                called, data = await trio.to_thread.run_sync(self._further_file, place, option)
                return _kind(called), called, data
        raise RefusedRequestError(404, self.desk.voice.say("said-no-such-address")["text"])

    @property
    def _result(self) -> ReleaseResult:
        """The released table of the page's six steps; RefusedRequestError before it is computed."""
        if self.desk.result is None:
            sentence = self.desk.voice.say("said-not-yet")
            raise RefusedRequestError(409, sentence["text"], sentence["lang"])
        return self.desk.result

    @property
    def _called(self) -> str:
        """The name of the open file, without its folder."""
        return Path(self.desk.choices.data).name

    def _written(self, name: str) -> tuple[str, bytes]:
        """Return name and bytes of a file of the result. name: `figure` or `scenario`."""
        desk, advised = self.desk, self._result.advised
        called = written_name(WRITTEN[name], desk.choices)
        if called is None:
            raise RefusedRequestError(404, desk.voice.say("said-not-yet")["text"])
        if name == "scenario":
            choices = desk.choices
            scenario_parts = (Path(choices.data), choices.reading(), Path())
            return called, desk.words.scenario(advised, *scenario_parts).encode()
        with private_folder("the figure") as folder:
            desk.words.advice_figure(advised, folder / called)
            return called, (folder / called).read_bytes()

    def _further_file(self, place: str, option: str) -> tuple[str, bytes]:
        """Return name and bytes of a file written by a command that the page has run for a section.

        place: the section of the page, such as `counts`. option: the option that asks for the file.
        """
        result = self.desk.further.get(place)
        if result is not None and option == "sign" and (signed_page := page_to_sign(result)):
            return signed_page
        if result is None or option not in result.files:
            sentence = self.desk.voice.say("said-not-yet")
            raise RefusedRequestError(409, sentence["text"], sentence["lang"])
        return result.files[option]

    async def _save(self, fields: Mapping[str, Any]) -> HttpResponse:
        """Write a file of the result to a path of the user's choice; return the response.

        fields: `what`, the file's address on the page; `path`; `replace`, whether a file there is
        replaced.
        """
        resource, path = _text(fields, "what"), Path(_text(fields, "path"))
        if not isinstance(fields["replace"], bool):
            raise RefusedRequestError(400, "replace: true or false is accepted")
        if not path.name:
            raise RefusedRequestError(
                400, f"path: found {str(path)!r}; a path that ends with a file name is accepted"
            )
        form = path.suffix.lower().removeprefix(".")
        if resource == "table" and form not in TABLES:
            raise RefusedRequestError(
                400, f"{path}: .csv, .xlsx, .parquet files are written", step="result"
            )
        self._refuse_own(path)
        _, _, data = await self._content(
            ["released", form] if resource == "table" else resource.split("/")
        )
        try:
            write = partial(save, path, data, replace=fields["replace"])
            with typed(str(path)):
                place = await trio.to_thread.run_sync(write)
        except FileExistsError:
            sentence = self.desk.voice.say("said-exists", path=str(path))
            raise RefusedRequestError(
                409, sentence["text"], sentence["lang"], step="result", exists=True
            ) from None
        sentence = self.desk.voice.say("said-saved", path=str(place))
        answer = {"saved": str(place), "bytes": len(data), "sentence": sentence}
        return HttpResponse(200, msgspec.json.encode(answer), JSON)

    def _refuse_own(self, path: Path) -> None:
        """Raise RefusedRequestError if the page reads from the file at a path of output."""
        desk = self.desk
        ledger = Path(desk.choices.ledger).expanduser() if desk.choices.ledger else None
        source_files = [*([desk.path] if desk.path else []), *([ledger] if ledger else [])]
        keys = [key_of(ledger)] if ledger else []
        named = [
            Path(file_argument(file)) for name in READ if (file := getattr(desk.choices, name))
        ]
        handed = (*desk.files.hierarchies.values(), *desk.files.given_files.values())
        for read in (*source_files, *keys, *named, *handed):
            with typed(str(path)):
                is_same = same_file(path.expanduser(), read)
            if is_same:
                raise RefusedRequestError(
                    400, f"{path}: is read by this page; name another file", step="result"
                )


@contextmanager
def typed(path: str) -> Iterator[None]:
    """Context manager: turn a path that the system does not accept into a refusal in words."""
    try:
        yield
    except (VeilmixError, FileExistsError):
        raise
    except (OSError, RuntimeError, ValueError) as bad:
        why = getattr(bad, "strerror", None) or bad
        raise RefusedRequestError(400, f"{path:.200}: this path is not accepted: {why}") from None


def _fields(request: Request, names: set[str]) -> dict[str, Any]:
    """Return the JSON fields of a request; RefusedRequestError unless their names fit.

    names: the names that the fields must have.
    """
    try:
        fields = from_json(request.body)
    except Unreadable as bad:
        raise RefusedRequestError(400, f"the request's body is no JSON: {bad.why}") from None
    if not isinstance(fields, dict) or set(fields) != names:
        raise RefusedRequestError(
            400, f"a JSON object with the fields {', '.join(sorted(names))} is accepted"
        )
    return fields


def _text(fields: Mapping[str, Any], name: str) -> str:
    """Return a text field of a request's JSON; RefusedRequestError for another type.

    fields: the request's fields. name: the name of the field.
    """
    value = fields[name]
    if not isinstance(value, str) or "\0" in value:
        raise RefusedRequestError(400, f"{name}: a text without zero bytes is accepted")
    return value


def _kind(name: str) -> str:
    """Return the content type of a file by the ending of its name."""
    return KINDS[Path(name).suffix.removeprefix(".")]


def _static(name: str, accepted: str) -> HttpResponse:
    """Return the response with a file of `static/`.

    name: the file's name. accepted: the header `accept-encoding`.
    """
    path = STATIC / name
    if name not in {file.name for file in STATIC.iterdir()} or path.suffix not in TYPES:
        raise RefusedRequestError(404, f"{name}: the page has no such file")
    return WebFile.read(path).answer(accepted)


def serve_workbench(
    make: Callable[[], Desk],
    port: int,
    opened: Callable[[Workbench], None],
    log_fault: Callable[[str], None],
) -> None:
    """Run the page's server until the user is done. Raises KeyboardInterrupt at Ctrl-C.

    make: returns the state of the page. port: the port at which to listen; 0: any free port.
    opened: called with the server when it listens. log_fault: receives a line about an internal
    error.
    """
    run_loop(hold_workbench, make, port, opened, log_fault)


async def hold_workbench(
    make: Callable[[], Desk],
    port: int,
    opened: Callable[[Workbench], None],
    log_fault: Callable[[str], None],
) -> None:
    """Run the page's server until the user is done; StorageError if the port cannot be opened.

    Args:
        make: returns the state of the page.
        port: the port at which to listen; 0: any free port.
        opened: called with the server when it listens.
        log_fault: receives a line about an internal error.
    """
    listeners = await listeners_at(HOST, port)
    gate = Gate(names_of(HOST, listeners[0].socket.getsockname()[1]))
    token = secrets.token_hex(TOKEN)
    bench = Workbench(make(), gate, token)
    large = {f"/{token}/upload/": LARGEST, f"/{token}/given/": LARGEST}
    limits = ServerLimits(body=BODY, patience=PATIENCE, paths=large)
    server = Server(bench.answer, log_fault, limits, HEADERS)
    async with trio.open_nursery() as nursery:
        await nursery.start(_heed_signals, bench.ended)
        nursery.start_soon(partial(trio.serve_listeners, partial(serve_phone, server), listeners))
        nursery.start_soon(bench.desk.work)
        nursery.start_soon(bench.wait_for_tabs)
        opened(bench)
        await bench.ended.wait()
        with trio.move_on_after(LAST_ANSWERS):
            bench.desk.wake()
            while server.busy:  # noqa: ASYNC110 - a moment, once
                await trio.sleep(GLANCE)
        nursery.cancel_scope.cancel()


async def _heed_signals(
    ended: trio.Event, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED
) -> None:
    """Set `ended` at the signals SIGTERM and SIGHUP. Outside the main thread, do nothing.

    Only the main thread gets signals.
    """
    if threading.current_thread() is not threading.main_thread():
        task_status.started()
        return
    with trio.open_signal_receiver(*SIGNALS) as received:
        task_status.started()
        async for _ in received:
            ended.set()
