"""Sessions in which something goes wrong, for a while or for good: disks, boards, the dead."""

import os
import pty
import re
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
import session_kit as KIT
from veilmix.protocol.board.alarms import borne_out
from veilmix.protocol.wire.messages import Cause
from veilmix.scenarios.deployment.checks import verify_session
from veilmix.scenarios.deployment.saved_session import SessionEvidence, read_posts
from veilmix.scenarios.deployment.session_file import read_session
from veilmix.scenarios.deployment.status import read_status
from veilmix.scenarios.records.identity_files import read_known

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="types bash"),
]

DISK = ("--durable", "disk", "--journal", ".")


# place -> bytes a file of it may have: the board is full after a few posts, the analyst later
ROOM = {"board": 40 << 10, "analyst": 64 << 10}


def make_room(process: "subprocess.Popen[str]") -> None:
    """Let a process write files of any length again."""
    _, most = resource.prlimit(process.pid, resource.RLIMIT_FSIZE)
    resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (most, most))


@pytest.fixture(autouse=True)
def nothing_compiled_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a module that is compiled when a disk is full, Python would keep what had room."""
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")


class Terminal:
    """Somebody in front of a terminal."""

    def __init__(self, session: KIT.Session, place: str) -> None:
        self._ours, theirs = pty.openpty()
        typed = [word for word in session.typed(place) if word not in ("--from", f"{place}.csv")]
        with (session.folder / f"{place}.out").open("w") as out:
            command = (sys.executable, "-c", KIT.CHANGED, KIT.DRIVEN, *typed)
            session.processes[place] = session.started(
                *command, cwd=session.folder, stdin=theirs, stdout=out, stderr=theirs
            )
        os.close(theirs)
        self.seen = ""

    def asked(self, what: str) -> None:
        """Wait until something new is on the screen."""
        while what not in self.seen:
            self.seen += os.read(self._ours, 4096).decode()
        self.seen = self.seen.partition(what)[2]

    def types(self, text: str) -> None:
        """Type a line."""
        os.write(self._ours, f"{text}\n".encode())


def test_full_disks_are_said_and_waited_for_and_one_person_is_asked_in_a_terminal(
    tmp_path: Path, started: Any
) -> None:
    halls = {"hall": KIT.Hall(1, KIT.ROWS[:19]), "me": KIT.Hall(20, [KIT.ROWS[19]])}
    session = KIT.Session(tmp_path, started, halls=halls)
    me = Terminal(session, "me")
    me.asked("user-20, of canteen:")
    me.asked("meal (meat, fish, plants):")
    me.types("Plants")  # as it is not spelt
    me.asked("is not one of")
    me.asked("meal (meat, fish, plants):")
    me.types("plants")
    me.asked("day (Monday, Friday):")
    me.types("Friday")
    me.asked('"ready"')
    for place in ("hall", "shuffler-1", "shuffler-2"):
        session.start(place, *DISK)
    for place, room in ROOM.items():
        session.start(place, *DISK, limit=room)
    for place in ("hall", "board", "shuffler-1", "shuffler-2", "analyst"):
        session.heard(place, "ready")
    session.start("curator", *DISK)
    session.heard("board", "fault", "make room", still=True)  # who is restarted is late for nobody
    make_room(session.processes["board"])
    assert session.ended("analyst", still=True) == 2
    assert re.search(r"journal cannot be used .*make room", session.said("analyst"))
    session.start("analyst", *DISK)
    for place in (*KIT.PARTIES, *halls):
        assert session.ended(place) == 0, session.said(place)
    assert session.out("me") == session.out("curator") == KIT.RELEASED
    assert session.out("analyst") == KIT.RELEASED
    assert not list(tmp_path.glob("veilmix-*"))


def test_a_board_away_for_ten_seconds_is_awaited_and_a_shuffler_that_is_gone_burns_the_round(
    tmp_path: Path, started: Any
) -> None:
    session = KIT.Session(tmp_path, started)
    save = {place: ("--save", f"saved/{place}") for place in ("board", "curator")}
    session.start_all(*DISK, own=save)
    session.heard("board", "entry", "board: head")
    session.kill("board")
    time.sleep(10)
    session.start("board", *DISK, *save["board"])
    session.heard("curator", "entry", "curator: tally")
    session.kill("shuffler-2")
    session.heard("board", "entry", "shuffler-1: mixed", times=2)
    session.pass_time(3.5 * KIT.LONG)  # what the analyst waits, and not the curator

    def left() -> bool:
        """Whether shuffler-1 has left; its letters to the dead stay, so that it is never idle."""
        session.pass_time(KIT.LONG)
        return session.processes["shuffler-1"].poll() is not None

    for place in ("board", "curator", "analyst", "hall", "shuffler-1"):
        if place == "shuffler-1":
            session.until(left)
        assert session.ended(place) == 3, session.said(place)
        assert "no batch that could be taken came from shuffler-2 to" in session.said(place)
        assert session.out(place) == ""
    of_the_board, of_the_curator = (read_posts(tmp_path / "saved" / place) for place in save)
    assert of_the_board == of_the_curator  # the board was killed, and went on in the same file
    checks = verify_session(SessionEvidence(of_the_board, read_session(session.path)))
    assert not [check for check in checks if check.ok is False]
    assert any("burned: " in check.detail for check in checks)


# Whoever keeps this board has the curator's key too. It shows the people of the annex another
# decision than everybody else, so that they say what would not have been asked; and signs both.
LIAR = """
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
import veilmix.machines.board_service as module
from veilmix.errors import Refused
from veilmix.protocol.wire.frames import decode_message
from veilmix.protocol.wire.messages import Call, CommittedDecision
from veilmix.protocol.wire.signed_posts import sealed_post
from veilmix.scenarios.records.identity_files import read_identity

Service = module.BoardService
add, answer = Service._add, Service.answer
curator = read_identity(Path("curator.key.toml")).signer

class Other(Service):
    def put(self, author, data):
        message = decode_message(data)
        match message.body:
            case CommittedDecision() as decision:
                message = replace(message, body=replace(decision, kept=(1,)), seal=None)
            case Call(round=2) as call:
                message = replace(message, body=replace(call, asks=((1,),)), seal=None)
        if message.seal is None and author == "curator" and self.board.roster is not None:
            data = sealed_post(message, self.board.roster, author, curator, self.board.witness)
        with suppress(Refused):
            add(self, author, data)
            self._more.set()
            self._more = module.trio.Event()

def other(self):
    if not hasattr(self, "other"):
        self.other = Other(self.board.known_roster, self._notary, speaks=self._speaks)
    return self.other

def lying(self, author, data):
    place = add(self, author, data)
    if type(self) is Service and author != "board":
        other(self).put(author, data)
    return place

async def answered(self, request):
    if request.method == "GET" and request.path.startswith("/posts/") and request.peer == "annex":
        return await answer(other(self), request)
    return await answer(self, request)

Service._add, Service.answer = lying, answered
"""


def test_a_board_that_shows_two_people_different_things_is_proved_to_have_done_so(
    tmp_path: Path, started: Any
) -> None:
    """By places that are processes: the first shuffler has a head from each, both signed."""
    halls = {"hall": KIT.Hall(1, KIT.ROWS[:12]), "annex": KIT.Hall(13, KIT.ROWS[12:])}
    session = KIT.Session(tmp_path, started, halls=halls)
    first = ("hall", "board", "shuffler-1", "shuffler-2", "analyst")
    for place in first:
        session.start(place, before=LIAR if place == "board" else "")
    for place in first:
        session.heard(place, "ready")
    session.start("annex", "--patience", "2")
    session.heard("annex", "ready")
    session.start("curator")
    session.heard("hall", "entry", "shuffler-1: alarm")
    (known,) = read_known(tmp_path / "board.pub.toml").values()
    board = read_status(session.url, known).board
    ((party, alarm),) = [entry for entry in board.alarms if entry[1].cause is Cause.SPLIT]
    assert party == "shuffler-1"
    assert borne_out(board, alarm, None)
    for place in (*KIT.PARTIES, "hall"):
        assert session.ended(place) in (0, 3), session.said(place)
    assert "shuffler-1 raised an alarm: split" in session.said("hall")
    assert session.ended("annex") == 2  # it was shown another end, and then nobody was there
    assert "the board was not reached for 2 seconds" in session.said("annex")
