"""Play the session of docs/deploy.md with real processes, and parse the output of its places.

Each place writes its log as JSON, a line an event, and at its end the release as CSV. Meanwhile
`veilmix status` reads the board, and `veilmix observe` follows it to its end. A log line says when
a place is ready. No deadline comes while a place works: time is driven as in the tests
(tests/kits/driven_place.py), so neither the result nor the duration of the session depends on a
deadline in seconds.
"""

import json
import re
import subprocess
import sys
import time
from collections.abc import Collection, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from shlex import split

from machine_formats import SERVED, fault

ROOT = Path(__file__).resolve().parent.parent
sys.path.append(str(ROOT / "tests" / "kits"))
from session_kit import CHANGED, DRIVEN, LONG, left, let_pass, port_is_free  # noqa: E402

PAGE = ROOT / "docs" / "deploy.md"
PLACES = ("board", "analyst", "shuffler-1", "shuffler-2")  # ready before people answer
PEOPLE, OPENING, OBSERVER = "hall", "curator", "observer"
CONCLUDING = (PEOPLE, OPENING, "analyst", OBSERVER)  # the others stay, to refuse late messages
PAUSE = 0.05  # seconds between two looks at a log
ANSWERS = "meal,day\n" + "meat,Monday\nplants,Friday\n" * 10
RELEASED = "meal,count\nmeat,10\nplants,10\n"
OBSERVED = re.compile(r"\d+ posts in posts; the session is complete\ndigest [0-9a-f]{64}\n")

Process = subprocess.Popen[bytes]


def play(veilmix: Path, folder: Path, lowest_port: int) -> Iterator[str]:
    """Play the session in a folder with a command `veilmix`; yields the faults."""
    board, *lines = _prepare(veilmix, folder, lowest_port)
    *status, observe, serve, answer = lines
    with ExitStack() as ending:
        places: dict[str, Process] = {}

        def start(name: str, line: str) -> None:
            places[name] = _start(veilmix, folder, name, line.replace("PLACE", name))
            ending.callback(_end, places[name])

        for name in PLACES:
            start(name, serve)
        if not all(_is_ready(folder, name, places[name]) for name in PLACES):
            logs = {name: _text(folder, name, "log") for name in PLACES}
            yield f"veilmix {serve}\n  a place ended before it was ready: {logs}"
            return
        start(OBSERVER, observe.replace("URL", board))
        start(PEOPLE, answer)
        for line in status:
            done = subprocess.run(
                [veilmix, *split(line.replace("URL", board))],
                cwd=folder,
                capture_output=True,
                text=True,
                check=False,
            )
            yield from filter(None, [fault(line, done, folder)])
        start(OPENING, serve)
        _drive(folder, places, CONCLUDING)
        for name in CONCLUDING:
            line = {PEOPLE: answer, OBSERVER: observe}.get(name, serve).replace("PLACE", name)
            yield from _faults(line, folder, name, places[name].returncode)


def _prepare(veilmix: Path, folder: Path, lowest_port: int) -> list[str]:
    """Make identities, answers and the session file; returns the board's URL, and the lines."""
    text = PAGE.read_text("utf-8")
    session = re.findall(r"```toml\n(.*?)```", text, re.DOTALL)[0]
    session = re.sub(r"deadline = \d+", f"deadline = {LONG}", session)
    for port in range(8440, 8445):
        free = next(filter(port_is_free, range(lowest_port, lowest_port + 1000)))
        session = session.replace(f"127.0.0.1:{port}", f"127.0.0.1:{free}")
        lowest_port = free + 1
    (folder / "session.toml").write_text(session, "utf-8")
    (folder / "answers.csv").write_text(ANSWERS, "utf-8")
    for name in (*PLACES, PEOPLE, OPENING):
        subprocess.run([veilmix, "keys", name], cwd=folder, check=True, capture_output=True)
    address = re.search(r"127\.0\.0\.1:\d+", session)
    return [f"https://{address[0] if address else ''}", *SERVED]


def _start(veilmix: Path, folder: Path, name: str, line: str) -> Process:
    """Start a place with the Python of `veilmix`; its output goes to NAME.out and NAME.log."""
    with (folder / f"{name}.out").open("wb") as out, (folder / f"{name}.log").open("wb") as log:
        return subprocess.Popen(
            [veilmix.with_name("python"), "-c", CHANGED, DRIVEN, *split(line)],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=log,
        )


def _end(process: Process) -> None:
    process.kill()
    process.wait()


def _text(folder: Path, name: str, kind: str) -> str:
    return (folder / f"{name}.{kind}").read_text("utf-8")


def _is_ready(folder: Path, name: str, process: Process) -> bool:
    """Whether a place becomes ready, and does not end before."""
    while '"event": "ready"' not in _text(folder, name, "log"):
        if process.poll() is not None:
            return False
        time.sleep(PAUSE)
    return True


def _drive(folder: Path, places: Mapping[str, Process], concluding: Collection[str]) -> None:
    """Wait for the end of some places; while all places are idle, let the next deadline come."""
    ahead = 0.0
    while any(places[name].poll() is None for name in concluding):
        alive = {name for name, process in places.items() if process.poll() is None}
        ahead = let_pass(folder, ahead, left(folder, alive - {"board", OBSERVER}, ahead))


def _faults(line: str, folder: Path, name: str, code: int | None) -> Iterator[str]:
    """Yield the faults of a place's exit code, its release and its log."""
    said, log = _text(folder, name, "out"), _text(folder, name, "log")
    is_told = OBSERVED.fullmatch(said) if name == OBSERVER else said == RELEASED
    if code != 0 or not is_told:
        yield f"veilmix {line}\n  exit code {code}; it printed\n{said}{log}"
        return
    for event in log.splitlines():
        try:
            json.loads(event)
        except ValueError as wrong:
            yield f"veilmix {line}\n  {wrong}; its log has\n    {event}"
            return
