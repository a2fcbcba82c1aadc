"""Play the session of docs/deploy.md with real processes, and parse the output of its places.

Each place writes its log as JSON, a line an event, and at its end the release as CSV. Meanwhile
`veilmix status` reads the board. A log line says when a place is ready. Only the session's own
deadlines wait for seconds, and are far longer than the work before them.
"""

import json
import re
import socket
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from shlex import split

from machine_formats import SERVED, fault

PAGE = Path(__file__).resolve().parent.parent / "docs" / "deploy.md"
PLACES = ("board", "analyst", "shuffler-1", "shuffler-2")  # ready before people answer
PEOPLE, OPENING = "hall", "curator"
CONCLUDING = (PEOPLE, OPENING, "analyst")  # the others stay, to refuse late messages
DEADLINE = 60  # seconds, in each of two rounds
ANSWERS = "meal,day\n" + "meat,Monday\nplants,Friday\n" * 10
RELEASED = "meal,count\nmeat,10\nplants,10\n"

Process = subprocess.Popen[str]


def play(veilmix: Path, folder: Path, lowest_port: int) -> Iterator[str]:
    """Play the session in a folder with a command `veilmix`; yields the faults."""
    board, *lines = _prepare(veilmix, folder, lowest_port)
    status, serve, answer = lines[:-2], lines[-2], lines[-1]
    with ExitStack() as ending:
        places: dict[str, Process] = {}

        def start(name: str, line: str) -> Process:
            process = _start(veilmix, folder, line.replace("PLACE", name))
            places[name] = process
            ending.callback(_end, process)
            return process

        logs = {name: _until_ready(start(name, serve)) for name in PLACES}
        if not all(map(_is_ready, logs.values())):
            yield f"veilmix {serve}\n  a place ended before it was ready: {logs}"
            return
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
        for name in CONCLUDING:
            line = (answer if name == PEOPLE else serve).replace("PLACE", name)
            yield from _faults(line, places[name], logs.get(name, ""))


def _prepare(veilmix: Path, folder: Path, lowest_port: int) -> list[str]:
    """Make identities, answers and the session file; returns the board's URL, and the lines."""
    text = PAGE.read_text("utf-8")
    session = re.findall(r"```toml\n(.*?)```", text, re.DOTALL)[0]
    session = re.sub(r"deadline = \d+", f"deadline = {DEADLINE}", session)
    for port in range(8440, 8445):
        free = next(filter(_is_free, range(lowest_port, lowest_port + 1000)))
        session = session.replace(f"127.0.0.1:{port}", f"127.0.0.1:{free}")
        lowest_port = free + 1
    (folder / "session.toml").write_text(session, "utf-8")
    (folder / "answers.csv").write_text(ANSWERS, "utf-8")
    for name in (*PLACES, PEOPLE, OPENING):
        subprocess.run([veilmix, "keys", name], cwd=folder, check=True, capture_output=True)
    address = re.search(r"127\.0\.0\.1:\d+", session)
    return [f"https://{address[0] if address else ''}", *SERVED]


def _is_free(port: int) -> bool:
    with suppress(OSError), socket.create_server(("127.0.0.1", port)):
        return True
    return False


def _start(veilmix: Path, folder: Path, line: str) -> Process:
    return subprocess.Popen(
        [veilmix, *split(line)],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def _end(process: Process) -> None:
    process.kill()
    process.communicate()


def _until_ready(process: Process) -> str:
    """Read a log up to the event `ready`, or to its end."""
    log = ""
    for line in process.stderr or ():
        log += line
        if _is_ready(line):
            break
    return log


def _is_ready(log: str) -> bool:
    return '"event": "ready"' in log


def _faults(line: str, place: Process, log: str) -> Iterator[str]:
    """Wait for the end of a place; yields the faults of its release and its log."""
    said, more = place.communicate()
    if (place.returncode, said) != (0, RELEASED):
        yield f"veilmix {line}\n  exit code {place.returncode}; it printed\n{said}{log}{more}"
        return
    for event in (log + more).splitlines():
        try:
            json.loads(event)
        except ValueError as wrong:
            yield f"veilmix {line}\n  {wrong}; its log has\n    {event}"
            return
