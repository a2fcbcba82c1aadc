"""A place under a supervisor: signals, states that it reports, and its log file."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import session_kit as KIT
import trio
from veilmix.cli.place_log import PlaceLog
from veilmix.errors import Stopped, StorageError
from veilmix.machines.journal import Durable
from veilmix.machines.supervision import NOTIFY, heed_signals, report
from veilmix.roles.compute.event_loop import run_loop
from veilmix.scenarios.deployment.place import site
from veilmix.scenarios.deployment.session_file import read_session
from veilmix.scenarios.records.identity_files import read_identity

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.skipif(os.name != "posix", reason="has signals of POSIX")


@pytest.fixture
def supervisor(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[[], list[str]]]:
    """What a supervisor has been told, datagram by datagram."""
    server = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_NONBLOCK)
    server.bind(str(tmp_path / "notify"))
    monkeypatch.setenv(NOTIFY, str(tmp_path / "notify"))

    def told() -> list[str]:
        messages = []
        while True:
            try:
                messages.append(server.recv(4_096).decode())
            except BlockingIOError:
                return messages

    yield told
    server.close()


def test_states_are_lines_of_one_datagram(supervisor: Callable[[], list[str]]) -> None:
    report(READY=1, STATUS="ready")
    assert supervisor() == ["READY=1\nSTATUS=ready"]


def test_nobody_is_told_where_there_is_no_supervisor(
    supervisor: Callable[[], list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    for address in ("", "nowhere", "/none/here", "@none-here"):
        monkeypatch.setenv(NOTIFY, address)
        report(READY=1)
    assert supervisor() == []


def played(*numbers: int) -> list[str]:
    """Return what happens while a process sends itself signals, and its work ends after them."""
    seen: list[str] = []

    async def main() -> str:
        for number in numbers:
            os.kill(os.getpid(), number)
            while len(seen) < numbers.index(number) + 1:  # noqa: ASYNC110
                await trio.sleep(0.001)
        return "done"

    seen.append(run_loop(heed_signals, main, lambda: seen.append("reload"), "farewell"))
    return seen


def test_sighup_reloads_and_the_work_goes_on(supervisor: Callable[[], list[str]]) -> None:
    assert played(signal.SIGHUP) == ["reload", "done"]
    first, *others = supervisor()
    assert re.fullmatch(r"RELOADING=1\nMONOTONIC_USEC=\d+", first)
    assert others == ["READY=1", "STOPPING=1"]


def test_sigterm_ends_the_work_and_says_so(supervisor: Callable[[], list[str]]) -> None:
    with pytest.raises(Stopped, match="farewell"):
        played(signal.SIGTERM)
    assert supervisor() == ["STOPPING=1\nSTATUS=asked to end"]


def test_another_thread_hears_no_signals() -> None:
    async def main() -> str:
        async def inner() -> str:
            return "done"

        run = lambda: trio.run(heed_signals, inner, lambda: None, "")  # noqa: E731
        return await trio.to_thread.run_sync(run)

    assert trio.run(main) == "done"


def test_a_log_has_dates_and_follows_a_rotation(tmp_path: Path) -> None:
    path = tmp_path / "board.log"
    log = PlaceLog("board", "text", path)
    log("ready", "https://127.0.0.1:1", posts=3)
    path.rename(tmp_path / "board.log.1")
    log("note", "still the old file")
    log.reopen()
    log("note", "a new file")
    log.close()
    (first, _), (third,) = (
        (tmp_path / name).read_text("utf-8").splitlines() for name in ("board.log.1", "board.log")
    )
    date = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"
    assert re.fullmatch(date + r" board  ready  https://127\.0\.0\.1:1  posts 3", first)
    assert third.endswith("board  note  a new file")
    again = PlaceLog("board", "json", path)
    again("note", "appended")
    again.close()
    assert json.loads(path.read_text("utf-8").splitlines()[-1])["detail"] == "appended"


def test_a_log_that_cannot_be_opened_is_named(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match=r"none/board\.log: the log cannot be opened"):
        PlaceLog("board", "text", tmp_path / "none" / "board.log")


@pytest.mark.slow
@pytest.mark.tls
def test_a_board_that_is_stopped_says_how_it_goes_on(tmp_path: Path, started: Any) -> None:
    session = KIT.Session(tmp_path, lambda *_: None)
    typed = ["serve", "board", "session.toml", "--key", "board.key.toml", "--durable", "disk"]
    line = [sys.executable, "-m", "veilmix", *typed, "--log", "json"]
    board = started(*line, cwd=session.folder)
    assert any('"ready"' in told for told in iter(board.stderr.readline, ""))
    board.send_signal(signal.SIGTERM)
    _, told = board.communicate()
    assert board.returncode == 143
    assert "board: asked to end (SIGTERM); " in told
    (journal,) = tmp_path.glob("veilmix-board-*.journal")
    assert f"{journal.name} stays: give the same command again, and it goes on" in told
    read = read_session(session.path)
    own = read_identity(tmp_path / "board.key.toml")
    lost = site(read, "board", own, lambda *_: None, Durable.OFF, tmp_path).farewell
    assert lost.endswith("nothing was written down (--durable off): it cannot go on")


def test_the_units_of_the_page_are_what_systemd_accepts(tmp_path: Path) -> None:
    import shutil

    page = (ROOT / "docs" / "operations.md").read_text("utf-8")
    (unit,) = re.findall(r"```ini\n(.*?)```", page, re.DOTALL)
    assert "Type=notify" in unit
    if (analyze := shutil.which("systemd-analyze")) is None:
        pytest.skip("no systemd-analyze here")
    path = tmp_path / "veilmix-board.service"
    path.write_text(unit.replace("/opt/veilmix/.venv/bin/veilmix", sys.executable), "utf-8")
    done = subprocess.run([analyze, "verify", path], capture_output=True, text=True)
    assert not [line for line in done.stderr.splitlines() if "veilmix-board" in line]
