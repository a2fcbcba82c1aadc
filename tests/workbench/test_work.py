"""Work that is stopped, a session that is interrupted, a tab that is closed."""

import os
import re
import signal
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event
from typing import Any
from urllib.request import Request, urlopen

import pytest
import trio
from trio.testing import MockClock
from veilmix.cli.commands.open import _opened, words
from veilmix.cli.text.capture import capturing
from veilmix.cli.text.layout import lay_out, page, say
from veilmix.machines.gate import Gate
from veilmix.machines.http import Request as PageRequest
from veilmix.presentation.text_blocks import Grid, Line
from veilmix.workbench import other_commands as further
from veilmix.workbench import pipeline
from veilmix.workbench.desk import Desk
from veilmix.workbench.files import OwnFiles
from veilmix.workbench.job import AbandonedError
from veilmix.workbench.search import FIRST_LOOK
from veilmix.workbench.server import AFTER_LEAVING, AFTER_SILENCE, Workbench
from workbench_server import workbench
from workbench_walk import write_patients

pytestmark = pytest.mark.slow


def test_a_search_is_stopped_and_begun_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stopped, search = Event(), pipeline.search_table

    def endless(*given: Any) -> Any:
        try:
            while True:
                given[-1]("looking everywhere")
        except AbandonedError:
            stopped.set()
            raise

    monkeypatch.setattr(pipeline, "search_table", endless)
    with workbench(tmp_path, write_patients(tmp_path / "patients.csv")) as asker:
        state = asker.settled(lambda now: (now["work"] or {}).get("stage") == "looking everywhere")
        assert state["work"]["step"] == "choices"
        assert asker.ask("POST", "cancel", b"")[0] == 204
        state = asker.settled()
        assert stopped.wait(60)
        assert [state[step]["status"] for step in ("goal", "choices", "result")] == [
            *("ready", "cancelled", "cancelled")
        ]
        monkeypatch.setattr(pipeline, "search_table", search)
        assert asker.ask("POST", "again", b"")[0] == 204
        assert asker.settled(lambda now: now["result"]["status"] == "ready")


def test_the_released_rows_are_shown_before_their_score(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    score = pipeline.make_result

    def endless(*given: Any) -> Any:
        while True:
            given[-1]("scoring")

    monkeypatch.setattr(pipeline, "make_result", endless)
    with workbench(tmp_path, write_patients(tmp_path / "patients.csv")) as asker:
        early = asker.settled(lambda now: (now["work"] or {}).get("stage") == "scoring")["result"]
        assert (early["status"], early["stale"], early["final"]) == ("working", False, False)
        for name in ("released/csv", "sign", "score"):
            assert asker.ask("GET", name)[0] == 409
        assert asker.ask("POST", "cancel", b"")[0] == 204
        assert asker.settled()["result"]["status"] == "cancelled"
        monkeypatch.setattr(pipeline, "make_result", score)
        assert asker.ask("POST", "again", b"")[0] == 204
        whole = asker.settled(lambda now: now["result"]["status"] == "ready")["result"]
        assert whole["final"]
        assert whole["score"]
        shown = ("headline", "summary", "before", "after", "measures")
        assert {name: whole[name] for name in shown} == {name: early[name] for name in shown}


def test_the_first_look_shows_rows_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    search = pipeline.search_table

    def endless(*given: Any) -> Any:
        if given[-2] == FIRST_LOOK:
            return search(*given)
        while True:
            given[-1]("looking everywhere")

    monkeypatch.setattr(pipeline, "search_table", endless)
    monkeypatch.setattr(pipeline, "first_look", lambda *_: True)
    with workbench(tmp_path, write_patients(tmp_path / "patients.csv")) as asker:
        state = asker.settled(lambda now: (now["work"] or {}).get("stage") == "looking everywhere")
        assert (state["choices"]["final"], state["choices"].get("who")) == (False, None)
        assert (state["result"]["status"], state["result"]["final"]) == ("working", False)
        assert state["result"]["after"]["preview"]["rows"]
        assert asker.ask("POST", "cancel", b"")[0] == 204


def test_a_command_besides_the_steps_is_stopped_and_begun_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stopped, run = Event(), further.run_command

    def endless(*given: Any) -> Any:
        try:
            while True:
                given[-1]("counting everywhere")
        except AbandonedError:
            stopped.set()
            raise

    monkeypatch.setattr(further, "run_command", endless)
    with workbench(tmp_path, write_patients(tmp_path / "patients.csv")) as asker:
        revision = asker.settled()["revision"]
        assert asker.post("change", revision=revision, set={"counts_tables": ["sex"]})[0] == 200
        state = asker.settled(lambda now: (now["work"] or {}).get("stage") == "counting everywhere")
        assert state["further"]["counts"]["status"] == "working"
        assert state["result"]["status"] == "ready"
        assert asker.ask("POST", "cancel", b"")[0] == 204
        state = asker.settled()
        assert stopped.wait(60)
        assert state["further"]["counts"]["status"] == "cancelled"
        monkeypatch.setattr(further, "run_command", run)
        assert asker.ask("POST", "again", b"")[0] == 204
        assert asker.settled(lambda now: now["further"]["counts"]["status"] == "ready")


def test_output_of_a_command_is_of_its_thread_alone(capsys: pytest.CaptureFixture[str]) -> None:
    with capturing(lambda _stage: None) as capture:
        say(page(), "kept")
        lay_out(page(), Grid(("a", "b"), [(1, 2)]))
        say(page(err=True), "warning   kept too")
        with ThreadPoolExecutor(1) as pool:
            pool.submit(lambda: say(page(), "printed")).result()
    say(page(), "after")
    assert capsys.readouterr().out == "printed\nafter\n"
    assert capture.out.getvalue() == "kept\n a  b\n 1  2\n"
    assert [type(block) for block in capture.printed] == [Line, Grid]
    assert capture.messages == ["warning   kept too"]


def test_a_fault_of_ours_is_told_and_the_page_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []

    def faulty(*_: Any) -> Any:
        raise ZeroDivisionError("by hand")

    monkeypatch.setattr(pipeline, "search_table", faulty)

    async def main() -> None:
        desk = Desk(words(), OwnFiles(tmp_path), told.append, "en")
        path = write_patients(tmp_path / "patients.csv")
        desk.open(path, str(path))
        async with trio.open_nursery() as nursery:
            nursery.start_soon(desk.work)
            while desk.state()["choices"]["status"] != "error":
                await desk.news(desk.version)
            assert "ZeroDivisionError" in desk.state()["choices"]["error"]["text"]
            nursery.cancel_scope.cancel()

    trio.run(main)
    assert "ZeroDivisionError" in told[0]


@pytest.mark.skipif(os.name != "posix", reason="sends a signal")
@pytest.mark.parametrize("sent", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_a_signal_leaves_no_file(started: Callable[..., Any], tmp_path: Path, sent: str) -> None:
    data, temporary = write_patients(tmp_path / "patients.csv"), tmp_path / "temporary"
    temporary.mkdir()
    process = started(
        *(sys.executable, "-m", "veilmix", "open", data, "--port", "0", "--no-browser"),
        cwd=tmp_path,
        env={**os.environ, "TMPDIR": str(temporary)},
    )
    address = re.search(r"http\S+", process.stdout.readline())[0]  # type: ignore[index]
    origin = {"origin": address.rsplit("/", 2)[0]}
    upload = Request(address + "upload/x.csv", data=data.read_bytes(), headers=origin)
    with urlopen(upload) as answer:
        assert answer.status == 200
    (kept,) = temporary.rglob("*.csv")
    assert kept.name == "x.csv"
    assert kept.stat().st_mode & 0o777 == 0o600
    assert kept.parent.stat().st_mode & 0o777 == 0o700
    process.send_signal(getattr(signal, sent))
    process.communicate(timeout=60)
    assert process.returncode == (130 if sent == "SIGINT" else 0)
    assert list(temporary.iterdir()) == []
    assert sorted(path.name for path in tmp_path.iterdir()) == ["patients.csv", "temporary"]


@pytest.mark.parametrize(
    ("left", "seconds", "ended"),
    [
        (True, AFTER_LEAVING + 2, True),
        (True, AFTER_LEAVING - 2, False),
        (False, AFTER_SILENCE - 2, False),
        (False, AFTER_SILENCE + 2, True),
    ],
)
def test_the_server_ends_when_its_tab_is_closed(
    tmp_path: Path, left: bool, seconds: float, ended: bool
) -> None:
    name = "127.0.0.1:8768"

    async def main() -> bool:
        bench = Workbench(Desk(words(), OwnFiles(tmp_path), print, "en"), Gate((name,)), "0" * 32)
        headers = {"host": name, "origin": f"http://{name}"}

        async def ask(method: str, what: str) -> None:
            await bench.answer(PageRequest(method, f"/{'0' * 32}/{what}", headers))

        async with trio.open_nursery() as nursery:
            nursery.start_soon(bench.wait_for_tabs)
            await trio.sleep(2 * AFTER_SILENCE)  # no tab has come yet
            assert not bench.ended.is_set()
            await ask("GET", "news/0")
            if left:
                await ask("POST", "leave")
            await trio.sleep(seconds)
            now = bench.ended.is_set()
            nursery.cancel_scope.cancel()
        return now

    assert trio.run(main, clock=MockClock(autojump_threshold=0)) is ended


def test_another_tab_keeps_the_server(tmp_path: Path) -> None:
    name = "127.0.0.1:8768"

    async def main() -> None:
        bench = Workbench(Desk(words(), OwnFiles(tmp_path), print, "en"), Gate((name,)), "0" * 32)
        headers = {"host": name, "origin": f"http://{name}"}
        async with trio.open_nursery() as nursery:
            nursery.start_soon(bench.wait_for_tabs)
            await bench.answer(PageRequest("POST", f"/{'0' * 32}/leave", headers))
            await bench.answer(PageRequest("GET", f"/{'0' * 32}/news/0", headers))
            await trio.sleep(AFTER_LEAVING + 5)
            assert not bench.ended.is_set()
            nursery.cancel_scope.cancel()

    trio.run(main, clock=MockClock(autojump_threshold=0))


def test_a_browser_is_opened_by_a_private_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    told, go = Event(), Event()

    def slow(address: str) -> None:
        asked.append(address)
        told.set()
        go.wait(60)

    monkeypatch.setattr("webbrowser.open", slow)
    bench = Workbench(Desk(words(), OwnFiles(tmp_path), print, "en"), Gate(("here:1",)), "0" * 32)
    _opened(tmp_path, bench, no_browser=False)  # returns although the browser does not
    assert told.wait(60)
    go.set()
    opened = tmp_path / "open.html"
    assert asked == [opened.as_uri()]
    assert f"url={bench.address}" in opened.read_text()
    if os.name == "posix":
        assert opened.stat().st_mode & 0o777 == 0o600
