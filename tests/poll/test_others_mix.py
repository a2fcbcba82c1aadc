"""Others mix: `veilmix serve shuffler-N ADDRESS` in processes of their own, and what goes wrong."""

import json
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace
from phone_kit import LEISURE, LONG, Class, Client, together, unhurried
from session_kit import CHANGED
from veilmix.crypto.identity import make_identity
from veilmix.errors import DataError, ParameterError
from veilmix.poll import mix, mixers
from veilmix.poll import remote_shufflers as elsewhere
from veilmix.poll.enrolment import IdentityRecord, MixOffer, Papers, PartySeat
from veilmix.poll.fingerprint_words import key_words, session_words
from veilmix.poll.questions import DEMO, read_questions, scenario_of, table_of
from veilmix.roles.compute.backend import LOCAL_WORKPLACE
from veilmix.scenarios.schema.model import Scenario

pytestmark = pytest.mark.slow

# How a poll or a shuffler is started: in a process that never runs out of time.
VEILMIX = (sys.executable, "-c", CHANGED, LEISURE)
ROWS = [("on foot", "yes", "never"), ("by car", "no", "once")]
RELEASED = ["How did you come here today?,count", "by car,3", "on foot,3"]


def demo() -> Scenario:
    return unhurried(read_questions(DEMO))


def phones(address: str, many: int) -> list[Client]:
    return [Client(address, f"pupil {i}", ROWS[i % 2]) for i in range(many)]


def until(lines: Iterator[str], wanted: str) -> tuple[str, list[str]]:
    """Read lines until one has this; gives it, and all before it."""
    before: list[str] = []
    for line in lines:
        if wanted in line:
            return line, before
        before.append(line)
    raise AssertionError(f"{wanted!r} was never said: {before}")


def words_of(lines: list[str]) -> dict[str, str]:
    """The words of the session and of each key, as they are read aloud."""
    said = "".join(lines)
    keys = dict(re.findall(r"key of (.+): (.+)", said))
    return keys | {"session": str(re.findall(r"read aloud: (.+)", said)[0])}


@pytest.mark.place
def test_a_class_whose_answers_two_other_processes_mix(started: Any, tmp_path: Path) -> None:
    asked = tmp_path / "questions.toml"
    asked.write_text(re.sub(r"deadline = \d+", f"deadline = {LONG}", DEMO.read_text("utf-8")))
    poll = started(
        *(*VEILMIX, "poll", asked, "--others", "--people", "6", "--host", "127.0.0.1"),
        *("--port", "0"),
        stdin=subprocess.PIPE,
    )
    opened, before = until(poll.stdout, "open http://")
    address = opened.split()[1]
    assert any("shufflers on other computers, which keep their keys" in line for line in before)
    two = [started(*VEILMIX, "serve", f"shuffler-{hop}", address) for hop in (1, 2)]
    clients = phones(address, 6)
    together(clients)
    assert [client.refused for client in clients] == [[]] * 6
    assert all(client.counted() == [True, True] for client in clients)
    said = [process.communicate() for process in two]
    told, _ = poll.communicate()  # ends its standard input, and with that its grace
    assert [process.returncode for process in (poll, *two)] == [0, 0, 0]
    assert told.splitlines()[-3:] == RELEASED
    assert [out.splitlines() for out, _ in said] == [RELEASED] * 2
    words = words_of([told])
    assert [words_of([err]) for _, err in said] == [words] * 2
    own = [str(re.findall(r"my key is: (\w+ \w+ \w+ \w+)", err)[0]) for _, err in said]
    assert own == [words["shuffler 1"], words["shuffler 2"]]
    board = clients[0].board
    assert words["session"] == session_words(board.session)
    assert board.announcement is not None
    assert own == [key_words(key.encode()) for key in board.announcement.shufflers]
    assert not re.search(r"pupil|on foot|user-\d", "".join(err for _, err in said))
    assert "saved" not in told


LOSES = """
import os, signal
from pathlib import Path
from veilmix.roles.compute import executor_call as elsewhere, worker_pool
worker_pool.CHUNK = 2
given = elsewhere._Flight.give
def give(flight, piece):
    if Path("scheduler.pid").exists():
        os.kill(int(Path("scheduler.pid").read_text()), signal.SIGKILL)
        Path("scheduler.pid").unlink()
    given(flight, piece)
elsewhere._Flight.give = give
"""
THREADS = """
from concurrent.futures import ThreadPoolExecutor
class Threads(ThreadPoolExecutor):
    def submit(self, *given):
        print("given", flush=True)
        return super().submit(*given)
"""


@pytest.mark.long
def test_who_mixes_may_have_others_work_for_it_and_lose_them(started: Any, tmp_path: Path) -> None:
    """A cluster whose scheduler is killed when it is given the first piece, and somebody's own."""
    cluster_kit = pytest.importorskip("cluster_kit", exc_type=ImportError)
    scheduler, dask = cluster_kit.scheduler(started, tmp_path, "shuffler-1=1")
    (tmp_path / "scheduler.pid").write_text(str(scheduler.pid))
    (tmp_path / "own_threads.py").write_text(THREADS)
    with Class(demo(), 6, others=True) as room:
        mixing = [
            started(
                *(sys.executable, "-c", CHANGED, LEISURE + LOSES),
                *("serve", f"shuffler-{hop}", room.address),
                *("--executor", name),
                cwd=tmp_path,
            )
            for hop, name in ((1, f"dask:{dask}"), (2, "own_threads:Threads"))
        ]
        clients = phones(room.address, 6)
        together(clients)
        said = [process.communicate() for process in mixing]
    assert [process.returncode for process in mixing] == [0, 0], said
    assert all(client.counted() == [True, True] for client in clients)
    (first, told), (second, also) = said
    assert first.splitlines() == RELEASED
    assert [line for line in second.splitlines() if line != "given"] == RELEASED
    assert "given" in second
    assert scheduler.wait() == -signal.SIGKILL
    assert "whoever runs it can read what shuffler-1 can" in told
    assert len(re.findall(r"scheduler was lost; its work is done here from now on", told)) == 1
    assert not re.search(r"Traceback|Error|distributed\.", told + also)


def test_this_computer_holds_no_key_of_those_who_mix(started: Any) -> None:
    with Class(demo(), 6, others=True) as room:
        for hop in (1, 2):
            started(*VEILMIX, "serve", f"shuffler-{hop}", room.address)
        clients = phones(room.address, 6)
        together(clients)
    held = room.done()
    assert held.board is not None
    assert held.board.burned is None
    assert set(held.keys) == {"curator", "analyst"}
    assert all(client.counted() == [True, True] for client in clients)
    assert [who["party"] for who in clients[0].facts["others"]] == ["shuffler-1", "shuffler-2"]
    assert all(who["here"] for who in clients[0].facts["others"])  # and the page says so


def test_one_who_mixes_and_dies_ends_the_session_with_its_name(started: Any) -> None:
    """Its stream of the board has ended, and that of the other shuffler is open."""
    with Class(demo(), 6, others=True) as room:
        first = started(*VEILMIX, "serve", "shuffler-1", room.address)
        second = started(*VEILMIX, "serve", "shuffler-2", room.address)
        clients = phones(room.address, 6)
        clients[5].rounds = ()  # so that the first round stays open

        def live(client: Client) -> None:
            client.join()
            client.asked(1)
            if client is clients[5]:
                second.kill()
                second.wait()
                elsewhere.MAX_ABSENCE = 0.0  # Class restores it
            client.live()

        together(clients, live)
        assert first.wait() == 3
    burned = room.done().board.burned  # type: ignore[union-attr]
    assert re.fullmatch(
        r"shuffler-2 \(\S+ at 127\.0\.0\.1\) has been away for [\d.]+ seconds", burned or ""
    )
    assert clients[0].facts["ended"] == burned


@pytest.mark.long
def test_one_who_leaves_before_it_begins_makes_room(started: Any) -> None:
    with Class(demo(), 5, others=True) as room:
        mixers.SILENCE = LONG / 2  # less than people are waited for; Class restores it
        left = started(*VEILMIX, "serve", "shuffler-1", room.address)
        until(left.stderr, "waiting for the class")
        client = Client(room.address, "looks")
        while not client.news()["others"]:
            pass
        again = started(*VEILMIX, "serve", "shuffler-1", room.address)
        _, err = again.communicate()
        assert again.returncode == 2
        assert re.search(
            r"at 127\.0\.0\.1 is shuffler-1 already; run another shuffler, or wait", err
        )
        left.kill()
        left.wait()
        room.skip(LONG / 2 + 1)
        while client.news()["others"]:
            pass
        for hop in (1, 2):
            started(*VEILMIX, "serve", f"shuffler-{hop}", room.address)
        clients = phones(room.address, 5)
        together(clients)
        assert all(client.counted() == [True, True] for client in clients)


def offer_of(name: str, party: str = "shuffler-1") -> MixOffer:
    return MixOffer(
        party=party, who=IdentityRecord.from_identity(make_identity(name).public), port=1
    )


def test_an_offer_that_is_none_is_refused_in_a_sentence() -> None:
    with Class(demo(), 5, others=True) as room:
        client = Client(room.address, "x")
        good, other = offer_of("ada"), offer_of("eve")
        stolen = replace(good.who, binding=other.who.binding)
        raw = msgspec.to_builtins(good)
        bad: dict[str, tuple[int, Any]] = {
            "has not signed this name and certificate": (400, replace(good, who=stolen)),
            "not a valid offer to run a shuffler": (400, {**raw, "port": 0}),
            "matching regex": (400, {**raw, "party": "curator"}),
            "unknown field": (400, {**raw, "more": 1}),
            "There is no shuffler-9 here": (409, replace(good, party="shuffler-9")),
            "people is the class's computer already": (409, offer_of("people")),
        }
        for said, (status, what) in bad.items():
            body = json.dumps(msgspec.to_builtins(what)).encode()
            code, words = client.ask("/mix", body)
            assert (code, bool(re.search(said, words.decode()))) == (status, True), words
        for body in (b"", b"{", b"[" * 100_000, b"\xff" * 20_000):
            assert client.ask("/mix", body)[0] == 400
        assert client.ask("/mix", json.dumps(raw).encode())[0] == 204
        taken = replace(other, who=replace(other.who))
        status, words = client.ask("/mix", json.dumps(msgspec.to_builtins(taken)).encode())
        assert (status, b"ada at 127.0.0.1 is shuffler-1 already" in words) == (409, True)
        twin = replace(good, party="shuffler-2")
        status, words = client.ask("/mix", json.dumps(msgspec.to_builtins(twin)).encode())
        assert (status, b"ada is shuffler-1 already" in words) == (409, True)
    assert room.done().board is None


def test_a_class_that_mixes_itself_takes_no_offers(started: Any) -> None:
    with Class(demo(), 5) as room:
        mine = started(*VEILMIX, "serve", "shuffler-1", room.address)
        _, err = mine.communicate()
        assert mine.returncode == 2
        assert "mixes on its own computer: --others was not given" in err


@pytest.fixture
def papers() -> Callable[..., Papers]:
    """Papers of a session, with changes."""
    table = table_of(read_questions(DEMO))

    def made(**seats: PartySeat) -> Papers:
        desk, hall, ada, two, *keys = (
            IdentityRecord.from_identity(make_identity(name).public)
            for name in ("class", "people", "ada", "bob", "board", "curator", "analyst")
        )
        given = {
            "desk": PartySeat(who=desk, host="127.0.0.1", port=1),
            "hall": PartySeat(who=hall, host="127.0.0.1", port=0),
            "one": PartySeat(who=ada, host="127.0.0.1", port=2),
            "two": PartySeat(who=two, host="127.0.0.1", port=3),
        } | seats
        return Papers(
            questions=table,
            opening=bytes(16).hex(),
            signers=(keys[0].key, keys[1].key, keys[2].key),
            desk=given["desk"],
            hall=given["hall"],
            shufflers=(given["one"], given["two"]),
        )

    return made


def test_papers_that_name_another_key_are_not_followed(papers: Callable[..., Papers]) -> None:
    own, other = make_identity("eve"), make_identity("eve")
    seat = PartySeat(who=IdentityRecord.from_identity(own.public), host="127.0.0.1", port=2)
    me = mix._Mixing(
        "http://127.0.0.1:1/ABCDEF",
        "shuffler-1",
        own,
        0,
        lambda *_: None,
        lambda _: None,
        LOCAL_WORKPLACE,
    )
    me._check(papers(one=seat))
    twin = PartySeat(who=IdentityRecord.from_identity(other.public), host="127.0.0.1", port=2)
    for wrong, said in (
        (papers(one=twin), "names another computer as shuffler-1"),
        (papers(two=seat), "names another computer as shuffler-1"),
        (
            papers(one=replace(seat, who=replace(seat.who, key=twin.who.key))),
            "invalid identity of a party",
        ),
    ):
        with pytest.raises(DataError, match=said):
            me._check(wrong)


def test_what_is_asked_is_the_same_on_both_computers(papers: Callable[..., Papers]) -> None:
    scenario = read_questions(DEMO)
    sent = msgspec.json.decode(msgspec.json.encode(papers()), type=Papers)
    assert scenario_of(sent.questions) == scenario


@pytest.mark.parametrize(
    "address", ["http://127.0.0.1:1", "https://127.0.0.1:1/ABC", "http:///x", "http://h:1/a/b"]
)
def test_an_address_that_is_none_is_said(address: str) -> None:
    own = make_identity("ada")
    with pytest.raises(ParameterError, match="the class's address is accepted"):
        mix.mix(address, "shuffler-1", own, 0, lambda *_: None, lambda _: None)


def test_a_computer_that_is_not_there_is_said() -> None:
    own = make_identity("ada")
    with pytest.raises(DataError, match="cannot be reached"):
        mix.mix("http://127.0.0.1:1/ABC", "shuffler-1", own, 0, lambda *_: None, lambda _: None)


def test_the_page_says_who_mixes_and_where(started: Any, tab: Any) -> None:
    with Class(demo(), 1, others=True) as room:
        page = tab.open(room.address)
        page.wait_for_selector("#name")
        assert "Others mix: 2 not here yet" in page.inner_text("main")
        page.fill("#name", "Ann")
        page.get_by_role("button", name="Join").click()
        started(*VEILMIX, "serve", "shuffler-2", room.address)
        page.wait_for_selector("text=on this computer itself")
        words = page.inner_text("main")
        assert re.search(r"shuffler 2 is \S+ \(on this computer itself\); 1 not here yet", words)
        page.context.close()
    assert "Nobody has come to be shuffler-1" in room.done().room.ended
