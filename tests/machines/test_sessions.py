"""One session of processes, as it is played by hand, and all that can be seen of it from outside.

Two clocks are wrong by a minute, every place keeps a journal on disk, and a page follows the board.
The board is asked to end before its time. It is played once; each test looks at another part of it.
"""

import json
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest
import session_kit as KIT
import trio
from veilmix.machines import tls
from veilmix.machines.http import Client
from veilmix.scenarios.records.identity_files import read_identity, read_known

pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform != "linux", reason="types bash")]

CLOCKS = {"curator": KIT.CLOCK.format(60), "shuffler-2": KIT.CLOCK.format(-60)}


@dataclass
class Seen:
    """What was seen of the session. links: second names of journals, which keep their bytes."""

    session: KIT.Session
    page: str = ""
    moves: list[Any] = field(default_factory=list)  # on the page, while answers were collected
    status: dict[str, Any] = field(default_factory=dict)
    table: str = ""
    metrics: dict[str, str] = field(default_factory=dict)
    stranger: object = None
    links: list[Path] = field(default_factory=list)
    kept: dict[str, bytes] = field(default_factory=dict)
    codes: dict[str, int] = field(default_factory=dict)
    observed: str = ""


async def asked(session: KIT.Session, place: str, path: str, own: str | None) -> tuple[int, bytes]:
    """What a place answers to the holder of an identity, or to a stranger."""
    (known,) = read_known(session.folder / f"{place}.pub.toml").values()
    mine = read_identity(session.folder / f"{own}.key.toml") if own else None
    context = tls.client_context(mine, known.certificate)
    stream = await trio.open_tcp_stream("127.0.0.1", session.ports[place])
    safe = await tls.connected(stream, context, tls.digest(known.certificate))
    async with safe:
        return await Client(safe, "x").ask("GET", path)


def events(address: str) -> list[Any]:
    """What a live page has been told so far."""
    moves: list[Any] = []
    with urlopen(f"{address}events") as lines:
        for line in lines:
            if line.startswith(b"event: present"):
                return moves
            if line.startswith(b"data: "):
                moves.append(json.loads(line[6:]))
    return moves


def shown(address: str, enough: Callable[[list[Any]], bool]) -> list[Any]:
    """Return what a live page has been told when it is enough: the page is behind the board."""
    while not enough(moves := events(address)):
        time.sleep(0.05)
    return moves


def posted(moves: list[Any]) -> list[str]:
    """Return the kinds of the posts among moves."""
    return [move["kind"] for move in moves if move["what"] == "post"]


def look(seen: Seen) -> None:
    """Look at a session while answers are collected."""
    session = seen.session
    seen.moves = shown(seen.page, lambda moves: "call" in posted(moves))
    typed = ("status", session.url, "--known", "board.pub.toml")
    for form in ("json", "table"):
        command = [sys.executable, "-m", "veilmix", *typed, "--format", form]
        told = subprocess.run(
            command, cwd=session.folder, capture_output=True, text=True, check=True
        )
        if form == "json":
            seen.status = json.loads(told.stdout)
        else:
            seen.table = told.stdout
    for place in ("board", "shuffler-1"):
        status, said = trio.run(asked, session, place, "/metrics", "hall")
        assert status == 200
        seen.metrics[place] = said.decode()
    try:
        seen.stranger = trio.run(asked, session, "shuffler-1", "/metrics", None)
    except (OSError, trio.BrokenResourceError) as refused:
        seen.stranger = refused
    for journal in session.folder.glob("*.journal*"):
        if not journal.name.endswith("-shm"):
            link = session.folder / f"link-{journal.name}"
            link.hardlink_to(journal)
            seen.links.append(link)
            seen.kept[link.name] = link.read_bytes()


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory, module_started: Any) -> Seen:
    """Play it."""
    started = module_started
    folder = tmp_path_factory.mktemp("session")
    record = Seen(KIT.Session(folder, started))
    session = record.session
    theatre = ("theatre", session.url, "--known", "board.pub.toml", "--port", "0")
    command = (sys.executable, "-m", "veilmix", *theatre)
    with (folder / "theatre.err").open("w") as err:  # before the board is there: it waits
        page = started(*command, cwd=folder, stderr=err)
    disk = ("--durable", "disk", "--journal", ".")
    watch = ("observe", "session.toml", "--save", "saved/observer", "--log", "json")
    with (folder / "observer.log").open("w") as err:  # it waits for the board, too
        observer = started(sys.executable, "-m", "veilmix", *watch, cwd=folder, stderr=err)
    save = {place: ("--save", f"saved/{place}") for place in (*KIT.PARTIES, "hall")}
    session.start_all(*disk, before=CLOCKS, pause=KIT.LONG + 1, own=save)
    address = re.search(r"http://127\.0\.0\.1:\d+/", page.stdout.readline())
    assert address
    record.page = address[0]
    session.heard("board", "entry", "board: head")  # the call of the first round stands
    look(record)
    others = [place for place in session.processes if place != "board"]
    record.codes = {place: session.ended(place) for place in others}
    session.heard("board", "over")
    record.observed = observer.stdout.read()
    assert observer.wait() == 0
    session.processes["board"].terminate()  # in the time that it stays for those who come late
    record.codes["board"] = session.processes["board"].wait()
    return record


def test_clocks_that_are_wrong_by_a_minute_change_nothing(seen: Seen) -> None:
    """Nor does it matter that all others had waited for the curator longer than a deadline."""
    assert seen.codes == dict.fromkeys((*KIT.PARTIES, "hall"), 0)
    for place in ("curator", "analyst", "hall", "shuffler-2"):
        assert seen.session.out(place) == KIT.RELEASED


def test_the_page_shows_the_board_while_the_session_goes_on(seen: Seen) -> None:
    kinds = posted(seen.moves)
    assert kinds[0] == "roster"
    assert "call" in kinds
    assert "closed" not in kinds
    bill = [move["bill"] for move in seen.moves if move["what"] == "run"][-1]
    assert bill["title"] == "canteen"
    assert bill["columns"] == ["meal", "day"]
    assert bill["people"] == 0  # nobody has said so yet


def test_an_outsider_sees_posts_and_nothing_else(seen: Seen) -> None:
    moves = shown(seen.page, lambda moves: {"what": "over"} in moves)
    assert {move["what"] for move in moves} == {"run", "word", "post", "people", "over"}
    assert [move["people"] for move in moves if move["what"] == "people"] == [20]
    assert moves[-1] == {"what": "over"}
    board = [event["detail"] for event in seen.session.log("board") if event["event"] == "entry"]
    assert [f"{move['by']}: {move['kind']}" for move in moves if move["what"] == "post"] == board


def test_what_an_outsider_sees_in_a_browser(seen: Seen, new_tab: Any) -> None:
    page = new_tab().open(seen.page)
    while not page.evaluate("window.veilmix.show.moves.some(move => move.kind === 'closed')"):
        page.wait_for_timeout(50)
    page.keyboard.press("End")
    assert page.inner_text("#title") == "canteen"
    assert page.is_visible("#outside")
    assert not page.is_visible("#eyes")
    assert not page.is_visible("#sliders")
    page.keyboard.press("e")  # there are no eyes to take
    assert page.inner_text("#linked") == "0 of 20"
    assert "Released: meal" in page.inner_text("#decision").replace("\xa0", " ")
    assert "is not on the board" in page.inner_text("#unseen")
    assert page.locator(".box.open").count() == 0
    assert page.locator("#picture .envelope").count() == 0
    assert page.inner_text("#state") == "finished"
    assert page.evaluate("location.hash").startswith("#eyes=&")


def test_status_draws_the_phases_and_where_each_party_stands(seen: Seen) -> None:
    assert (seen.status["phase"], seen.status["round"]) == ("collecting", 1)
    stands = {party["party"]: party["last post"] for party in seen.status["parties"]}
    assert stands == {
        "board": "head",
        "curator": "call",
        "analyst": "consent",
        "shuffler-1": "consent",
        "shuffler-2": "consent",
    }
    assert re.search(r"^ announced +done", seen.table, re.MULTILINE)
    assert re.search(r"^ collecting +now", seen.table, re.MULTILINE)
    assert re.search(r"^ over +\S", seen.table, re.MULTILINE)
    assert re.search(r"^ curator +call +", seen.table, re.MULTILINE)


LINE = re.compile(r'(# TYPE veilmix_\w+ (counter|gauge))|(veilmix_\w+\{\w+="[^"\\]*"\} [\d.]+)')


def test_metrics_are_numbers_that_prometheus_reads(seen: Seen) -> None:
    for place, said in seen.metrics.items():
        assert all(LINE.fullmatch(line) for line in said.splitlines()), said
        assert said.endswith("\n")
        assert 'veilmix_phase{phase="collecting"} 1\n' in said
        assert 'veilmix_messages_total{kind="post consent"} 3\n' in said
        for name in ("round", "entries", "batch", "seconds", "silent"):
            assert f'veilmix_{name}{{place="{place}"}} ' in said
    assert 'veilmix_round{place="shuffler-1"} 1\n' in seen.metrics["shuffler-1"]
    assert isinstance(seen.stranger, Exception)  # without a certificate nobody is answered there


def secrets(session: KIT.Session) -> Iterator[bytes]:
    """What nobody may read who is no party: values, people, and every secret in a key file."""
    yield from (b"meat", b"plants", b"fish", b"Monday", b"Friday", b"user-")
    for place in (*KIT.PARTIES, "hall"):
        own = read_identity(session.folder / f"{place}.key.toml")
        yield own.seed.hex().encode()
        yield from (line.encode() for line in own.tls_key.splitlines() if "-----" not in line)


def test_no_value_and_no_key_is_in_logs_metrics_or_status(seen: Seen) -> None:
    said = [*seen.metrics.values(), json.dumps(seen.status), seen.table]
    told = {place: seen.session.said(place) for place in seen.codes}
    for secret in secrets(seen.session):
        assert not [place for place, text in told.items() if secret.decode() in text], secret
        assert not [text for text in said if secret.decode() in text], secret
    for place in seen.codes:
        events = seen.session.log(place)
        assert len(events) == len(told[place].splitlines())  # JSON, each line
        (cost,) = [event["detail"] for event in events if event["event"] == "durable"]
        assert cost.startswith("disk: ")
        assert {"ready", "entry"} <= {event["event"] for event in events}
        assert all(event["place"] == place and event["at"] for event in events)


def test_a_journal_on_disk_is_overwritten_at_the_end(seen: Seen) -> None:
    assert len(seen.links) >= 12  # six places: a file and its log
    filled = [name for name, data in seen.kept.items() if any(data)]
    assert len(filled) >= 6
    assert any(b"vm\x01" in data for data in seen.kept.values())
    for link in seen.links:
        left = link.read_bytes()
        assert len(left) >= len(seen.kept[link.name]) or link.name.endswith("-wal")
        assert not any(left), link
    assert not list(seen.session.folder.glob("veilmix-*"))


SAVED = (*KIT.PARTIES, "hall", "observer")


def test_every_place_and_an_observer_save_the_same_posts(seen: Seen) -> None:
    files = {place: seen.session.folder / "saved" / place / "posts.jsonl" for place in SAVED}
    (text,) = {file.read_bytes() for file in files.values()}
    entries = [event for event in seen.session.log("board") if event["event"] == "entry"]
    assert text.count(b"\n") == len(entries)
    assert seen.observed.startswith(f"{len(entries)} posts in saved/observer; the session is comp")
    assert all([*file.parent.iterdir()] == [file] for file in files.values())


def test_the_folder_of_a_place_holds_no_secret(seen: Seen) -> None:
    posts = [
        bytes.fromhex(json.loads(line)["post"])
        for line in (seen.session.folder / "saved/hall/posts.jsonl").read_text().splitlines()
    ]
    whole = b"".join(posts)
    for place in (*KIT.PARTIES, "hall"):
        own = read_identity(seen.session.folder / f"{place}.key.toml")
        for secret in (own.seed, own.seed.hex().encode(), own.tls_key.encode()[40:80]):
            assert secret not in whole


def test_a_stranger_verifies_what_an_observer_has_saved(
    seen: Seen, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    from veilmix.cli import main

    monkeypatch.chdir(seen.session.folder)
    assert main(["verify", "saved/observer", "--session", "session.toml"]) == 0
    said = capfd.readouterr().out
    assert "authenticity is shown by: agreement, signatures" in said
    assert "No post of a session shows:" in said
    assert (
        "digest " + re.findall(r"^digest (\w+): the same", said, re.MULTILINE)[0] in seen.observed
    )
