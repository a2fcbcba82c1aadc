"""The live page: for this computer alone, whole for who comes late, and never in the run's way."""

import json
import re
import signal
import socket
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest
import trio
import trio.testing
from session_kit import CHANGED, KITS
from veilmix.errors import ParameterError
from veilmix.roles.compute.simulated_clock import VirtualClock
from veilmix.roles.network.instruments import Instruments
from veilmix.roles.session import hold
from veilmix.scenarios.lab.play.fault_schedule import draw_faults
from veilmix.scenarios.lab.play.real import cast_of
from veilmix.scenarios.lab.play.run import run
from veilmix.scenarios.lab.play.session_plan import SessionPlan
from veilmix.scenarios.lab.validation.load import change, load
from veilmix.theatre.http import HttpResponse, PageServer, Request
from veilmix.theatre.live import Playing, Theatre, _changes, live, prepared
from veilmix.theatre.log import MAX_ENTRIES, EventLog, ReaderPlace
from veilmix.theatre.show import outcome_data
from veilmix.theatre.stage_data import STAGES
from veilmix.theatre.submission_delays import with_delays

PORT = 8765
HOME = f"127.0.0.1:{PORT}"
OWN = f"Host: {HOME}\r\n"


async def echo(request: Request) -> HttpResponse:
    """Answer with what was asked."""
    await trio.lowlevel.checkpoint()
    return HttpResponse(200, f"{request.method} {request.path} {request.body.decode()}".encode())


async def ask(text: str, handler: Any = echo) -> str:
    """Send bytes to the server, and give all it answers."""
    here, there = trio.testing.memory_stream_pair()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(PageServer(handler, PORT, print).serve, there)
        await here.send_all(text.encode())
        if not text.endswith("\r\n"):
            await here.send_eof()
        answer = b""
        async for piece in here:
            answer += piece
    return answer.decode()


# Who may ask


@pytest.mark.parametrize(
    ("request_", "status"),
    [
        (f"GET / HTTP/1.1\r\n{OWN}\r\n", 200),
        (f"GET / HTTP/1.1\r\nHost: localhost:{PORT}\r\n\r\n", 200),
        (f"GET /?x=1 HTTP/1.1\r\n{OWN}\r\n", 200),
        ("GET / HTTP/1.1\r\nHost: rebound.example\r\n\r\n", 421),
        (f"GET / HTTP/1.1\r\nHost: rebound.example:{PORT}\r\n\r\n", 421),
        ("GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", 421),
        ("GET / HTTP/1.1\r\nHost: 127.0.0.1:1\r\n\r\n", 421),
        ("GET / HTTP/1.0\r\n\r\n", 421),
        ("GET / HTTP/1.1\r\n\r\n", 400),
        ("nonsense\r\n\r\n", 400),
        (f"POST /again HTTP/1.1\r\n{OWN}Content-Length: 0\r\n\r\n", 403),
        (
            f"POST /again HTTP/1.1\r\n{OWN}Origin: http://a.example\r\nContent-Length: 0\r\n\r\n",
            403,
        ),
        (f"POST /again HTTP/1.1\r\n{OWN}Origin: null\r\nContent-Length: 0\r\n\r\n", 403),
        (f"POST /again HTTP/1.1\r\n{OWN}Origin: http://{HOME}\r\nContent-Length: 0\r\n\r\n", 200),
        (f"POST / HTTP/1.1\r\n{OWN}Content-Length: 9999\r\n\r\n{'x' * 9999}", 413),
    ],
)
async def test_only_this_computers_own_page_is_answered(request_: str, status: int) -> None:
    answer = await ask(request_)
    assert answer.startswith(f"HTTP/1.1 {status} "), answer
    if status == 200:
        assert "cache-control: no-store" in answer


async def test_a_browser_that_leaves_is_no_error() -> None:
    here, there = trio.testing.memory_stream_pair()
    await here.aclose()
    await PageServer(echo, PORT, print).serve(there)


async def test_a_browser_that_asks_too_slowly_is_let_go(autojump_clock) -> None:
    here, there = trio.testing.memory_stream_pair()
    await here.send_all(b"GET / HT")
    await PageServer(echo, PORT, print).serve(there)
    assert autojump_clock.current_time() == pytest.approx(30)


# The log


async def test_who_comes_late_is_told_everything() -> None:
    log = EventLog()
    log.begin({"people": 2})
    for number in range(3):
        log.append(number)
    entries, place = await log.entries_after(ReaderPlace())
    assert [name for name, _ in entries] == ["1.0", "1.1", "1.2", "1.3"]
    assert [json.loads(entry) for _, entry in entries][1:] == [0, 1, 2]
    log.append(3)
    entries, place = await log.entries_after(place)
    assert entries == [("1.4", "3")]
    entries, _ = await log.entries_after(ReaderPlace.parse("1.2"))
    assert [entry for _, entry in entries] == ["2", "3"]


async def test_a_slow_reader_is_held_no_more_than_one_piece() -> None:
    log = EventLog()
    log.begin({"people": 2})
    for number in range(2 * MAX_ENTRIES):
        log.append(number)
    entries, place = await log.entries_after(ReaderPlace())
    assert len(entries) == MAX_ENTRIES
    assert not log.read_by(place)
    rest = [entry for _ in range(2) for entry in (await log.entries_after(place))[0]]
    assert rest[0] == ("1.500", "499")
    while not log.read_by(place):
        _, place = await log.entries_after(place)
    assert place == ReaderPlace(1, 2 * MAX_ENTRIES + 1)


async def test_who_was_in_another_run_starts_again() -> None:
    log = EventLog()
    log.begin("first")
    _, place = await log.entries_after(ReaderPlace())
    log.begin("second")
    entries, place = await log.entries_after(place)
    assert [name for name, _ in entries] == ["2.0"]
    assert place == ReaderPlace(2, 1)


@pytest.mark.parametrize("text", ["", "x", "1", "1.", ".1", "-1.2", "1.2.3", "9" * 30 + ".1"])
def test_an_id_that_is_none_means_the_beginning(text: str) -> None:
    assert ReaderPlace.parse(text) == ReaderPlace()


# What the page may change


@pytest.mark.parametrize(
    "body",
    [
        *(b"", b"no json", b"[]", b"[1]", b"7", b"{}", b'{"people": "12"}', b'{"people": true}'),
        *(b'{"people": 1.5}', b'{"population.source": 3}', b'{"seed": 1}', b"\xff"),
        *(b'{"peoples": 30}', b'{"a": 1, "people": 30}', b'{"people": 30, "seed": 1}'),
    ],
)
def test_only_whole_numbers_for_three_keys_are_changed(body: bytes) -> None:
    with pytest.raises(ParameterError):
        _changes(body, STAGES["central"])


def test_the_changes_of_a_stage_are_keys_of_its_scenario() -> None:
    asked = b'{"people": 30, "k": 3}'
    for stage in STAGES.values():
        assert _changes(asked, stage) == {"population.users": 30, "policy.k": 3}
    assert _changes(b'{"path": 2}', STAGES["peers"]) == {"mix.path": 2}
    with pytest.raises(ParameterError, match="people, k, path"):
        _changes(b'{"shufflers": 2}', STAGES["peers"])


# A run on the stage


def quick(**changes: object) -> Playing:
    """Twelve people who may take a second."""
    scenario = change(load("classroom"), {"mix.deadline": 1, **changes})
    return prepared(scenario, 3)


def closed(house: Theatre) -> bool:
    """Whether the session has come to its end."""
    return any('"kind":"closed"' in entry for entry in house.audiences.logs["en"].entries)


async def until_closed(house: Theatre) -> float:
    """Seconds until a session is over."""
    start = trio.current_time()
    place = ReaderPlace()
    while not closed(house):
        _, place = await house.audiences.logs["en"].entries_after(place)
    return trio.current_time() - start


async def until_over(readers: int) -> tuple[float, list[str]]:
    """Seconds of a session that some browsers ask for and never read, and its log."""
    house = Theatre(quick(), lambda _: None)
    server = PageServer(house.answer, PORT, print)
    async with trio.open_nursery() as nursery:
        for _ in range(readers):
            here, there = trio.testing.lockstep_stream_pair()  # sends only as fast as it is read
            nursery.start_soon(server.serve, there)
            await here.send_all(f"GET /events HTTP/1.1\r\n{OWN}\r\n".encode())
        nursery.start_soon(house.play)
        spent = await until_closed(house)
        nursery.cancel_scope.cancel()
    told = (entry for entry in house.audiences.logs["en"].entries if '"choices"' not in entry)
    return spent, sorted(told)  # of what happens at one moment the order is not fixed


@pytest.mark.slow
def test_browsers_that_never_read_do_not_slow_the_run() -> None:
    """Nothing in a run waits for a reader: in simulated time its seconds are the very same.

    The clock stands still while a thread seals, as trio's own for tests would not.
    """
    alone, told = trio.run(until_over, 0, clock=VirtualClock())
    crowded, told_again = trio.run(until_over, 150, clock=VirtualClock())
    assert crowded == pytest.approx(alone, abs=1e-9)
    assert told_again == told


@pytest.mark.slow
def test_the_live_run_is_the_run() -> None:
    """Taking one's time changes neither what is counted nor what is decided."""
    playing = quick()
    still = run(playing.scenario, 3, worst_case_nodes=0)
    crowd = playing.crowd
    faults = draw_faults(playing.scenario, 12, 3)
    cast = cast_of(SessionPlan.from_scenario(playing.scenario, crowd, faults), 3)
    acts = with_delays(cast, 3), Instruments([], print)
    board = trio.run(hold, *acts, clock=VirtualClock())
    assert board.decision == still.decision
    assert board.tallies[1].counts == (still.release,)
    assert board.digest().hex() == still.digest


async def played_live(house: Theatre) -> list[dict[str, Any]]:
    """What a house has told when its first run is over."""
    place, told = ReaderPlace(), list[dict[str, Any]]()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(house.play)
        while not told or told[-1]["what"] != "over":
            entries, place = await house.audiences.logs["en"].entries_after(place)
            told += [json.loads(entry) for _, entry in entries]
        nursery.cancel_scope.cancel()
    return told


@pytest.mark.slow
def test_a_live_run_among_peers_is_the_run() -> None:
    """Every move of the page of the recorded run, in another order; and what was considered."""
    still = outcome_data(run("village", worst_case_nodes=0))
    house = Theatre(prepared(load("village"), 5), pytest.fail)
    bill, *moves, considered, _ = trio.run(played_live, house, clock=VirtualClock())
    assert bill["bill"] == still["bill"]
    assert sorted(map(json.dumps, moves)) == sorted(map(json.dumps, still["moves"]))
    assert considered["choices"] == still["choices"]
    relays = [move["by"] for move in moves if move["what"] == "relay"][:12]
    assert relays != sorted(relays, key=lambda name: int(name[5:]))  # an order that was drawn


@pytest.mark.slow
async def test_a_new_run_replaces_the_old_one_or_says_why_not() -> None:
    house = Theatre(quick(), lambda _: None)
    asked = partial(Request, "POST", "/again", {})
    async with trio.open_nursery() as nursery:
        nursery.start_soon(house.play)
        await house.audiences.logs["en"].entries_after(ReaderPlace())  # the run has begun
        wrong = await house.answer(asked(b'{"people": 12, "k": 13}'))
        assert wrong.status == 422
        assert b"k = 13" in wrong.body
        assert house.audiences.logs["en"].run == 1
        assert (await house.answer(asked(b'{"people": 5, "shufflers": 3}'))).status == 204
        await until_closed(house)
        bill = json.loads(house.audiences.logs["en"].entries[0])["bill"]
        assert (house.audiences.logs["en"].run, bill["people"], bill["shufflers"]) == (2, 5, 3)
        nursery.cancel_scope.cancel()


async def test_what_goes_wrong_in_a_run_ends_it_as_itself(monkeypatch) -> None:
    async def wrong(*_: Any) -> None:
        await trio.lowlevel.checkpoint()
        raise ParameterError("no decision")

    monkeypatch.setattr("veilmix.theatre.live.hold", wrong)
    with pytest.raises(ParameterError, match="no decision"):
        await trio.to_thread.run_sync(live, load("classroom"), 3, 0, str)


@pytest.mark.place
@pytest.mark.slow
def test_a_port_that_is_taken_is_said(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        command = [sys.executable, "-m", "veilmix", "theatre", "classroom", "--live"]
        run_ = subprocess.run(
            [*command, "--port", str(port)], cwd=tmp_path, capture_output=True, text=True
        )
    assert run_.returncode == 2
    assert f"port {port}: cannot be listened on" in run_.stderr
    assert "--port" in run_.stderr


# In a browser


# Time goes on while everybody waits: nobody is late on a slow machine.
UNHURRIED = f"""
import sys
sys.path.append({KITS!r})
from functools import partial
from idle_clock import IdleClock
from veilmix.theatre import live
live.run_loop = partial(live.run_loop, clock=IdleClock())
"""


@pytest.fixture
def performance(started, tmp_path: Path):
    """Start a live run as a user does; gives the process and the address."""

    def perform(*options: str) -> tuple[subprocess.Popen[str], str]:
        command = (sys.executable, "-c", CHANGED, UNHURRIED, "theatre", "classroom", "--live")
        process = started(*command, "--port", "0", *options, cwd=tmp_path)
        address = re.search(r"http://127\.0\.0\.1:\d+/", process.stdout.readline())
        assert address
        return process, address[0]

    return perform


def until(page: Any, condition: str) -> None:
    while not page.evaluate(condition):
        page.wait_for_timeout(50)


@pytest.mark.slow
def test_a_live_run_with_somebody_who_comes_late(new_tab, performance) -> None:
    over = "window.veilmix.show.moves.some(m => m.kind === 'closed')"
    _, address = performance("--seconds", "2")
    first = new_tab().open(address)
    assert first.is_visible("#live")
    first.check("#eye-curator")
    until(first, "window.veilmix.show.at > 8")
    until(first, over)
    late = new_tab().open(address, "#eyes=curator+shuffler-1+shuffler-2")
    until(late, f"{over} && window.veilmix.show.at === window.veilmix.show.moves.length")
    assert late.inner_text("#linked") == "12 of 12"
    until(first, "window.veilmix.show.at === window.veilmix.show.moves.length")
    assert first.inner_text("#linked") == "0 of 12"
    assert late.evaluate("JSON.stringify(window.veilmix.show.moves)") == first.evaluate(
        "JSON.stringify(window.veilmix.show.moves)"
    )
    until(late, "window.veilmix.show.choices.length === 7")
    assert late.inner_text("#state") == "finished"
    late.check("#eye-everything")
    first.evaluate(
        """() => {
            const slider = document.getElementById("live-people");
            slider.value = 20;
            slider.dispatchEvent(new Event("input"));
            slider.dispatchEvent(new Event("change"));
        }"""
    )
    until(late, "window.veilmix.show.bill.people === 20")
    until(late, "window.veilmix.show.at > 8")
    assert late.inner_text("#linked").endswith("of 20")
    assert late.is_checked("#eye-everything")
    assert not first.is_checked("#eye-everything")
    first.close()
    late.close()


@pytest.mark.place
@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="no SIGINT to another process there")
def test_ctrl_c_ends_it_and_leaves_nothing(performance, tmp_path: Path) -> None:
    process, address = performance("--seconds", "30")
    with urlopen(f"{address}events") as events:
        assert events.readline().startswith(b"id: ")  # the run has begun
        process.send_signal(signal.SIGINT)
        out, err = process.communicate()
    assert process.returncode == 130
    assert "Traceback" not in out + err
    assert list(tmp_path.iterdir()) == []
    port = int(address.rstrip("/").rpartition(":")[2])
    with pytest.raises(OSError, match="all attempts to connect"):
        trio.run(trio.open_tcp_stream, "127.0.0.1", port)
