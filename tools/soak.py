"""Soak: sessions of real places in a row, with random faults from a seed.

    python tools/soak.py --seed 1 --sessions 100

Each session is that of docs/deploy.md: six processes of `veilmix serve` and `veilmix answer` over
TLS on the loopback, with journals. Processes are killed, disks are full, clocks are set, and
connections are refused, break and are late. The faults of a session are a pure function of the seed
and its number (soak_plan.py); a place that a fault has ended is started again with the same
command. A session passes if each place ends with the release of the ideal functionality, or with a
refusal and its cause, and nothing is left: no process, journal, temporary file or open port.

A failure prints the folder with the logs and the command that plays the session again. Ctrl-C stops
it. Exit code 1 if a session has failed.
"""

import argparse
import os
import re
import shutil
import signal
import socket
import sys
import tempfile
import traceback
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path += [str(ROOT / "tests" / "kits"), str(ROOT / "tools")]
import session_kit as kit  # noqa: E402
import soak_network  # noqa: E402
import trio  # noqa: E402
import veilmix  # noqa: E402
from soak_place import STRUCK, strike  # noqa: E402
from soak_plan import HALL, PARTIES, PLACES, Plan, plan  # noqa: E402
from veilmix.cli import main as command  # noqa: E402
from veilmix.errors import StorageError  # noqa: E402
from veilmix.machines.journal import memory_folder  # noqa: E402
from veilmix.roles.compute import die_with_parent as lifeline  # noqa: E402
from veilmix.scenarios.deployment.checks import verify_session  # noqa: E402
from veilmix.scenarios.deployment.saved_session import SessionEvidence, read_posts  # noqa: E402
from veilmix.scenarios.deployment.session_file import read_session  # noqa: E402
from veilmix.scenarios.records.run_folder import release_csv  # noqa: E402

MOST_STARTS = 12  # of a place
PAUSE = 0.05  # seconds between two looks
STILL = 40  # looks without any news, where a place is gone, before time is let pass
MOST_LEAPS = 60  # how often
HUNG = 6_000  # looks without any news after which a session counts as hung
SAVED = ("board", "curator")  # places that save the posts
REFUSED = re.compile("nothing was released: .|the board was not reached for .")  # with a cause


class Forked:
    """A copy of this process that runs a command; as much of subprocess.Popen as is needed."""

    def __init__(self, run: Any, folder: Path, name: str) -> None:
        self.args: list[str] = []
        self.returncode: int | None = None
        sys.stdout.flush()
        parent = os.getpid()
        self.pid = os.fork()
        if self.pid:
            return
        code = 70
        try:
            lifeline.end_with(parent)
            os.setsid()
            os.chdir(folder)
            for number, kind in ((1, "out"), (2, "log")):
                flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
                os.dup2(os.open(f"{name}.{kind}", flags, 0o600), number)
            sys.stdout, sys.stderr = (os.fdopen(number, "w", closefd=False) for number in (1, 2))
            for heard in (signal.SIGINT, signal.SIGTERM):
                signal.signal(heard, signal.default_int_handler if heard == 2 else signal.SIG_DFL)
            code = run() or 0
            sys.stdout.flush()
            sys.stderr.flush()
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(code)

    def poll(self) -> int | None:
        """Give the exit code, negative for a signal; None while it runs."""
        if self.returncode is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.returncode = os.waitstatus_to_exitcode(status)
        return self.returncode

    def kill(self) -> None:
        """End it, and all that it has started."""
        if self.poll() is None:
            os.killpg(self.pid, signal.SIGKILL)
            self.returncode = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])


class SoakedSession(kit.Session):
    """A session whose places are copies of this process, with the faults of a plan."""

    def __init__(self, folder: Path, planned: Plan) -> None:
        self.plan = planned
        self.starts = dict.fromkeys(PLACES, 0)
        more = f"[mix]\nmin_batch = {planned.least}\n"
        more += "[defence]\nregistered = true\n" if planned.registered else ""
        super().__init__(folder, None, more, halls={HALL: kit.Hall(1, planned.rows)})
        self.inner = dict(zip(PARTIES, kit.free_ports(len(PARTIES)), strict=True))
        drawn = {self.ports[p]: (self.inner[p], planned.fates.get(p, ())) for p in PARTIES}
        self.network = Forked(lambda: trio.run(soak_network.run, drawn), folder, "network")

    def start(self, place: str, *_: str, **__: Any) -> None:
        """Start a place, with the fault of this start."""
        faults = self.plan.faults.get(place, ())
        at = self.starts[place]
        self.starts[place] += 1
        (self.folder / f"{place}.stands").unlink(missing_ok=True)
        options = ["--durable", self.plan.durable, "--journal", "."]
        if place in self.inner:
            options += ["--listen", f"127.0.0.1:{self.inner[place]}"]
        if place in SAVED:
            options += ["--save", f"saved-{place}"]
        if self.plan.gone == "board":
            options += ["--patience", "5"]
        typed = self.typed(place, *options)

        def run() -> int:
            os.environ["TMPDIR"] = tempfile.tempdir = str(self.folder / "temporary")
            import driven_place  # noqa: F401 - time is the soak's

            strike(place, faults[at] if at < len(faults) else None)
            sys.argv = ["veilmix", *typed]
            return command()

        self.processes[place] = Forked(run, self.folder, place)  # type: ignore[assignment]

    def play(self) -> Iterator[str]:
        """Play to the end; yields what is wrong."""
        (self.folder / "temporary").mkdir()
        for place in (HALL, *(name for name in PARTIES if name != "curator")):
            self.start(place)
        self.start("curator")
        still, leaps, seen = 0, 0, None
        while still < HUNG and leaps < MOST_LEAPS:
            codes = {place: self.processes[place].poll() for place in PLACES}
            if ended := [place for place, code in codes.items() if self._goes_on(place, code)]:
                if max(self.starts[place] for place in ended) >= MOST_STARTS:
                    yield f"one of {ended} was started {MOST_STARTS} times"
                    return
                for place in ended:
                    self.start(place)
                continue
            if None not in codes.values():
                return
            if all(code is not None for place, code in codes.items() if place != "board"):
                (self.folder / "over").touch()  # the board has no place left to wait for
            self._drive()
            news = (codes, self.ahead, [self._size(place) for place in PLACES])
            still, seen = (still + 1, seen) if news == seen else (0, news)
            if still >= STILL and self._is_gone():  # letters to it stay: no place is ever idle
                self.pass_time(kit.LONG)
                still, leaps = 0, leaps + 1
        yield f"it hangs: {[place for place, code in codes.items() if code is None]}"

    def _size(self, place: str) -> int:
        log = self.folder / f"{place}.log"
        return log.stat().st_size if log.exists() else 0

    def _is_gone(self) -> bool:
        gone = self.plan.gone
        return bool(gone) and self.processes[gone].poll() is not None

    def _goes_on(self, place: str, code: int | None) -> bool:
        """Whether an operator gives the command of a place again."""
        if place == self.plan.gone or code not in (2, -signal.SIGKILL):
            return False
        return code != 2 or "make room" in self.said(place)[-1_000:]

    def end(self) -> None:
        """End what still runs."""
        for process in (*self.processes.values(), self.network):
            process.kill()


def ideal_release(session: SoakedSession) -> str | None:
    """Give the release of the ideal functionality for the session's people, as CSV; None: none."""
    if session.plan.least > len(session.plan.rows):
        return None  # a scenario file with such numbers is refused
    text = kit.HEAD.replace('title = "canteen"', '[scenario]\nname = "canteen"\ntitle = "canteen"')
    text += f'[population]\nsource = "{HALL}.csv"\n'
    text += f"[mix]\nshufflers = 2\nmin_batch = {session.plan.least}\n"
    path = session.folder / "ideal.toml"
    path.write_text(text)
    release = veilmix.run(path, mode="ideal", worst_case_nodes=0).written().release
    return release_csv(release) if release else None


def faults_of(session: SoakedSession) -> Iterator[str]:
    """Yield what is wrong with the ends of a session's places."""
    planned = session.plan
    expected = ideal_release(session)
    for place in PLACES:
        if place == planned.gone:
            continue
        code, out, said = session.processes[place].poll(), session.out(place), session.said(place)
        refused = not out and code in (2, 3) and REFUSED.search(said) is not None
        printed = bool(expected and out and not out.replace(expected, ""))
        concluded = '"event": "outcome"' in said and code == 2  # killed after that, and refused
        released = printed and (code == 0 or concluded)
        may_refuse = expected is None or planned.gone
        if not (released or (may_refuse and refused)):
            yield f"{place}: exit code {code}, printed {out!r}, ideal {expected!r}: {said[-600:]}"
    if not planned.gone:
        yield from faults_of_evidence(session)


def faults_of_evidence(session: SoakedSession) -> Iterator[str]:
    """Yield what is wrong with the saved posts."""
    try:
        saved = {place: read_posts(session.folder / f"saved-{place}") for place in SAVED}
    except StorageError as bad:
        yield str(bad)
        return
    if len({tuple(posts) for posts in saved.values()}) != 1:
        yield f"saved posts differ: {[len(posts) for posts in saved.values()]}"
    for check in verify_session(SessionEvidence(saved["board"], read_session(session.path))):
        if check.ok is False:
            yield f"veilmix verify: {check}"


def remains_of(session: SoakedSession) -> Iterator[str]:
    """Yield what a session has left: processes, journals, temporary files, open ports."""
    planned, folder = session.plan, session.folder
    own = f"veilmix-{planned.gone}-" if planned.gone else "/"
    for place in (folder, memory_folder()):
        for path in place.glob(f"veilmix-*-{session_id(session)}.journal*"):
            if not path.name.startswith(own) and planned.gone != "board":
                yield f"{path} is left"
    yield from (f"{path} is left" for path in (folder / "temporary").iterdir())
    yield from processes_of({process.pid for process in session.processes.values()})
    for place, port in session.inner.items():
        with socket.socket() as asked:
            if asked.connect_ex(("127.0.0.1", port)) == 0:
                yield f"{place} still listens"


def processes_of(sessions: set[int]) -> Iterator[str]:
    """Yield what still runs of some sessions of the system (setsid), by their numbers."""
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            words = (process / "stat").read_text().rpartition(")")[2].split()
            if int(words[3]) in sessions and words[0] not in "ZX":
                yield f"process {process.name} is left ({words[0]})"


def session_id(session: SoakedSession) -> str:
    """Give the part of the name of a journal that tells its session."""
    return read_session(session.path).roster.opening.hex()[:12]


@dataclass(frozen=True, slots=True)
class Soaked:
    """A session that was played.

    Attributes:
        wrong: sentences on what is wrong with it; none: nothing.
        struck: the faults that came.
    """

    wrong: list[str]
    struck: list[str]


def soak(seed: int, number: int, folder: Path) -> Soaked:
    """Play a session in a folder, which is made. number: of the session, from 0."""
    folder.mkdir()
    lifeline.prepare()
    session = SoakedSession(folder, plan(seed, number))
    try:
        wrong = list(session.play()) or [*faults_of(session), *remains_of(session)]
    finally:
        session.end()
        for path in memory_folder().glob(f"veilmix-*-{session_id(session)}.journal*"):
            path.unlink()  # of a place that is gone
    struck = folder / STRUCK
    return Soaked(wrong, struck.read_text().splitlines() if struck.exists() else [])


def again(seed: int, number: int) -> str:
    """Give the command that plays a session again."""
    return f"python tools/soak.py --seed {seed} --first {number} --sessions 1"


def main() -> int:
    """Play sessions, and print a line for each."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--seed", type=int, default=1, help="of the faults")
    parser.add_argument("--sessions", type=int, default=100, help="how many")
    parser.add_argument("--first", type=int, default=0, help="number of the first session")
    asked = parser.parse_args()
    base = Path(tempfile.mkdtemp(prefix="veilmix-soak-"))
    failed = played = 0
    try:
        for number in range(asked.first, asked.first + asked.sessions):
            failed += _reported(asked.seed, number, base / f"{number}")
            played += 1
    except KeyboardInterrupt:
        print("stopped", file=sys.stderr)
    if not failed:
        shutil.rmtree(base)
    print(f"{played} sessions, {failed} failed")
    return 1 if failed else 0 if played == asked.sessions else 130


def _reported(seed: int, number: int, folder: Path) -> bool:
    """Play a session, and print how it went; whether it has failed."""
    played = soak(seed, number, folder)
    word = "FAILED" if played.wrong else "passed"
    print(f"session {number}: {word}; faults: {', '.join(played.struck) or 'none'}", flush=True)
    if not played.wrong:
        shutil.rmtree(folder)
        return False
    print(
        *(f"  {line}" for line in (*played.wrong, f"logs: {folder}", again(seed, number))), sep="\n"
    )
    return True


if __name__ == "__main__":
    sys.exit(main())
