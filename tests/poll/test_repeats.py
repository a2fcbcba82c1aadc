"""A class that is asked once more: where nothing was passed on, with the phones that are here."""

import threading
from collections.abc import Sequence
from pathlib import Path
from queue import Queue
from time import sleep
from types import SimpleNamespace
from typing import Any

import pytest
import trio
from class_kit import ROWS as ALIKE
from class_kit import alike
from msgspec.structs import replace
from phone_kit import Class, Client, together, unhurried
from veilmix.crypto.entropy import OSEntropy
from veilmix.crypto.signing import Signer
from veilmix.languages.language import english
from veilmix.poll import session
from veilmix.poll.cheats import with_cheat
from veilmix.poll.class_settings import ClassTerms
from veilmix.poll.classroom import Classroom
from veilmix.poll.questions import DEMO, read_questions
from veilmix.poll.record import outcome_of_phones
from veilmix.poll.refusal import Unwelcome
from veilmix.poll.repeats import OF_PEOPLE, POSTS, reason_against, stays_sealed
from veilmix.poll.session_result import FinishedSession
from veilmix.poll.slips import Slips
from veilmix.poll.teacher import Teacher
from veilmix.poll.wall import Wall
from veilmix.protocol.board.phases import BOARD, Phase
from veilmix.protocol.knowledge.transcript import Event
from veilmix.protocol.wire.messages import Kind
from veilmix.scenarios.records.run_folder import read, save
from veilmix.scenarios.records.verification.checks import verify

ROWS = (("on foot", "yes", "never"), ("by car", "no", "never"))
CODES = ("K7M2PX4Q9RTA", "K7M2PX4Q9RTB")
KEYS = [Signer(OSEntropy()).public for _ in range(3)]
TERMS = ClassTerms("127.0.0.1", 0, None, 1.0, has_run_folder=False)
COUNTED = "It cannot be repeated: answers were passed on to be counted"


def event(kind: Kind | None, sender: str, receiver: str = BOARD, number: int = 1) -> Event:
    return Event(0, 0.0, sender, receiver, kind, number, 1)


CALL = event(Kind.CALL, "curator")
HANDED_IN = event(Kind.SUBMISSION, "user-1", "shuffler-1")
PASSED_ON = event(Kind.BATCH, "shuffler-1", "shuffler-2")


# --- what is safe ---


def test_only_messages_that_open_nothing_leave_answers_shut() -> None:
    """What is not named here is not safe, among it every kind that a later protocol has."""
    shut = {kind for kind in Kind if stays_sealed(event(kind, "shuffler-1"))}
    assert shut == POSTS
    assert not shut & {Kind.MIXED, Kind.SHUFFLED, Kind.SHARED, Kind.TALLY, Kind.DECISION}
    assert stays_sealed(event(Kind.DECISION, "curator", number=0))  # before anything is asked
    handed_in = {kind for kind in Kind if stays_sealed(event(kind, "user-1", "shuffler-1"))}
    assert handed_in == OF_PEOPLE
    for sender in ("shuffler-1", "curator", "analyst"):
        assert not any(stays_sealed(event(kind, sender, "shuffler-2")) for kind in (None, *Kind))
    assert stays_sealed(event(Kind.EVALUATED, "randomness", "user-1"))
    assert not stays_sealed(event(Kind.EVALUATED, "randomness", "analyst"))
    assert not stays_sealed(event(Kind.EVALUATED, "shuffler-1", "user-1"))
    assert not stays_sealed(event(None, "user-1", "shuffler-1"))


@pytest.mark.parametrize(
    ("events", "reason"),
    [
        ((), ""),
        ((CALL, HANDED_IN), ""),
        ((CALL, HANDED_IN, PASSED_ON), "counted"),  # nothing of it is on the board
        ((CALL, event(Kind.MIXED, "shuffler-1")), "counted"),
        ((CALL, event(Kind.SHARED, "shuffler-1")), "counted"),
    ],
)
def test_what_was_delivered_decides(events: tuple[Event, ...], reason: str) -> None:
    posts = sum(one.receiver == BOARD for one in events)
    found = reason_against(read_questions(DEMO), TERMS, events, posts, led=True)
    assert found == (f"teacher-repeat-{reason}" if reason else "")


def test_a_record_that_lacks_posts_allows_nothing() -> None:
    """The recorder may have crashed, and a batch may have gone unseen."""
    found = reason_against(read_questions(DEMO), TERMS, (CALL, HANDED_IN), 2, led=True)
    assert found == "teacher-repeat-counted"


def test_other_reasons_are_named() -> None:
    plain = read_questions(DEMO)
    noisy = replace(plain, local=replace(plain.local, mechanism="grr", epsilon=1.0))
    assert reason_against(plain, TERMS, (), 0, led=False) == "teacher-repeat-alone"
    others = ClassTerms("127.0.0.1", 0, None, 1.0, has_run_folder=False, has_remote_shufflers=True)
    assert reason_against(plain, others, (), 0, led=True) == "teacher-repeat-others"
    cheats = with_cheat(plain, "size")
    assert reason_against(cheats, TERMS, (), 0, led=True) == "teacher-repeat-cheat"
    assert reason_against(noisy, TERMS, (CALL,), 1, led=True) == "teacher-repeat-noise"
    assert reason_against(noisy, TERMS, (), 0, led=True) == ""  # nobody has added noise yet


# --- who comes back ---


async def test_only_phones_of_before_come_back_and_each_as_it_was() -> None:
    room = Classroom(60.0, slips=Slips(CODES))
    room.join("a", "Ann", "192.168.1.33", CODES[0])
    room.simulate("b", "simulated 1")
    room.ended = "too few"
    version = room.version
    room.begin_again()
    assert (room.phones, room.ended, room.attempt, room.returning) == ({}, "", 2, 1)
    assert room.version > version  # a phone that waits for news is told
    with pytest.raises(Unwelcome, match="begun without you"):
        room.join("c", "Cleo", slip=CODES[1])
    with pytest.raises(Unwelcome, match="begun without you"):
        room.join("b", "simulated 1")
    back = room.join("a", "Cleo")
    assert (back.name, back.device, back.message_hashes, back.index) == (
        "Ann",
        "192.168.1.33",
        {},
        None,
    )
    assert room.join("a", "Ann") is back
    assert room.slips is not None
    assert room.slips.used == 1
    room.begin_again()
    assert (room.attempt, room.returning) == (3, 1)


async def test_whoever_comes_back_late_finds_a_closed_session() -> None:
    room = Classroom(60.0)
    room.join("a", "Ann")
    room.join("b", "Ben")
    room.begin_again()
    calls = [SimpleNamespace(round=1)]
    board = SimpleNamespace(phase=Phase.COLLECTING, calls=calls, announcement=None)
    room.board, room.closes = board, trio.current_time() + 60  # type: ignore[assignment]
    assert room.join("a", "Ann").name == "Ann"  # as a late joiner, while the first round is open
    room.closes = trio.current_time()
    with pytest.raises(Unwelcome, match="begun without you"):
        room.join("b", "Ben")


def test_a_phone_that_comes_back_signs_with_another_key() -> None:
    room = Classroom(60.0, registered=True)
    room.join("a", "Ann", key=KEYS[0])
    room.join("b", "Ben", key=KEYS[1])
    room.begin_again()
    assert room.join("a", "Ann", key=KEYS[2]).key == KEYS[2]
    with pytest.raises(Unwelcome, match="no other phone has"):
        room.join("b", "Ben", key=KEYS[2])
    assert len(room.enroll().keys) == 1
    with pytest.raises(Unwelcome, match="begun without you"):
        room.join("b", "Ben", key=KEYS[1])


# --- the teacher's word ---


def test_it_is_repeated_only_where_nothing_was_counted() -> None:
    said: list[str] = []
    room = Classroom(60.0)
    teacher = Teacher(room, 0, tuple, said.append)
    teacher.hear("r")  # it has not begun: as Enter
    assert teacher.is_starting
    room.started, room.ended, room.final = True, "over", "teacher-repeat-counted"
    teacher.hear("r")
    assert said[0].startswith(COUNTED)
    assert not teacher.end_event.is_set()
    room.final = ""

    async def main() -> list[bool]:
        teacher.hear("r")
        found = [await teacher.choice()]
        assert not teacher.is_starting
        teacher.hear("")
        return [*found, await teacher.choice()]

    assert trio.run(main) == [True, False]


def test_the_wall_shows_nothing_of_the_attempt_before() -> None:
    wall = Wall("demo", 2)
    fresh = list(wall.log.entries)
    wall.own_up("somebody cheated")
    wall.awaits(2, 3)
    wall.over()
    wall.begin_again(2)
    shown = " ".join(wall.log.entries)
    assert len(wall.log.entries) <= len(fresh) + 1  # and the word "live"
    assert "Attempt 2: asked again" in shown
    assert "cheated" not in shown
    assert '"over"' not in shown


# --- a class ---


class Led(Class):
    """A class with a teacher at the terminal, who types `lines`."""

    def __init__(self, scenario: Any, people: int, **given: Any) -> None:
        self.typed: Queue[str | None] = Queue()
        super().__init__(scenario, people, lines=self.typed.get, **given)

    def end(self) -> None:
        """End it, also where a test has failed: nobody types any more."""
        self.typed.put(None)
        super().end()

    @property
    def here(self) -> Classroom:
        """The phones."""
        assert self.session is not None
        return self.session.room

    def asks(self, clients: Sequence[Client], answering: int) -> None:
        """Ask phones of which only the first answer; the round closes without the rest."""
        for at, client in enumerate(clients):
            client.rounds = range(1, 256) if at < answering else ()

        self.play(clients, closes=1, after=answering)
        for client in clients:
            client.rounds = range(1, 256)

    def asks_again(self, clients: Sequence[Client], attempt: int) -> None:
        """Repeat it; these phones come back."""
        self.typed.put("r")
        together(clients, lambda client: client.again(attempt))
        assert len(self.here.phones) == len(clients)

    def ends(self) -> FinishedSession:
        """Let the teacher end it; return what is left."""
        self.typed.put("")
        self.join()
        return self.done()


def phones(room: Class, many: int, *, signed: bool = False) -> list[Client]:
    return [
        Client(
            *(room.address, f"pupil {at}", ROWS[at % 2]),
            signer=Signer(OSEntropy()) if signed else None,
        )
        for at in range(many)
    ]


@pytest.mark.slow
def test_a_class_is_asked_again_after_too_few_have_answered(tmp_path: Path) -> None:
    scenario = unhurried(read_questions(DEMO))
    with Led(scenario, 8) as room:
        everybody = phones(room, 8)
        room.asks(everybody, 3)
        first = everybody[0].board
        assert first.burned
        assert everybody[0].facts["again"] is True
        present = everybody[:6]
        room.asks_again(present, 2)
        room.typed.put("")  # those who are here
        present[0].asked(1)
        assert present[0].board.session != first.session
        together(present)
        assert present[0].facts["again"] is False
        held = room.ends()
    assert held.board is not None
    assert [tally.totals[0] for tally in held.board.tallies] == [6, 6]
    assert room.finished == [held]  # only the last is written down
    assert {client.facts["attempt"] for client in present} == {2}
    assert [said for said in room.said if said.startswith("attempt ")] == [
        "attempt 2: phones come back within 86400 seconds"
    ]
    words = [said for said in room.said if "words" in said]
    assert len(set(words)) == len(words)
    outcome = outcome_of_phones(scenario, held)
    assert outcome is not None
    assert outcome.release is not None
    assert sum(outcome.release.values()) == 6
    checks = verify(read(save(outcome, tmp_path)))
    assert [check.name for check in checks if check.ok is False] == []


@pytest.mark.slow
def test_what_was_sealed_for_one_attempt_is_taken_in_no_other() -> None:
    with Led(unhurried(read_questions(DEMO)), 6) as room:
        everybody = phones(room, 6)
        together(everybody, Client.join)
        everybody[0].asked(1)
        sealed = everybody[0].sealed()
        everybody[1].asked(1)
        assert everybody[1].hand_in(everybody[1].sealed())[0] == 204
        room.typed.put("g")
        while not everybody[0].news()["ended"]:
            continue
        assert everybody[0].hand_in(sealed)[0] == 409
        room.asks_again(everybody, 2)
        everybody[0].asked(1)
        status, said = everybody[0].hand_in(sealed)
        assert (status, b"sealed" in said) == (400, True)
        assert room.here.letters == {}
        together(everybody)
        held = room.ends()
    assert held.board is not None
    assert held.board.tallies[0].totals[0] == 6


@pytest.mark.slow
def test_a_teacher_who_ends_early_waits_for_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    """Between the last post and the moment from which results stay; no grace follows, as at EOF."""
    ended = threading.Event()
    monkeypatch.setattr(session, "measured_of", lambda *_: ended.wait() and None)
    with Led(unhurried(read_questions(DEMO)), 6) as room:
        together(phones(room, 6))
        room.typed.put("")
        assert room.session is not None
        while not room.session.teacher.end_event.is_set():
            sleep(0.01)
        ended.set()
        room.join()
    assert room.done().board is not None


@pytest.mark.slow
def test_nothing_is_repeated_after_a_count() -> None:
    """Also where nothing was published: the curator has counted."""
    with Led(unhurried(read_questions(DEMO)), 6) as room:
        everybody = phones(room, 6)
        for client in everybody[:2]:
            client.rounds = (1,)
        room.play(everybody, closes=2, after=4)
        assert everybody[0].facts["again"] is False
        assert room.session is not None
        assert room.session.page.state(english())["final"].startswith(COUNTED)
        room.typed.put("r")
        held = room.ends()
    assert held.board is not None
    assert held.board.burned
    assert len(held.board.tallies) == 1
    assert any(said.startswith(COUNTED) for said in room.said)
    assert room.here.attempt == 1


@pytest.mark.slow
def test_too_few_are_not_asked_again_and_may_be_called_once_more() -> None:
    with Led(unhurried(read_questions(DEMO)), 6) as room:
        everybody = phones(room, 6)
        room.asks(everybody, 2)
        room.asks_again(everybody[:3], 2)
        room.typed.put("")
        while "3 people are here; fewer than 5 are not asked anything" not in room.said:
            everybody[0].ask("/news/0/0")
        room.wait_no_longer()
        for client in everybody[:3]:
            while not client.news()["ended"]:
                continue
        few = str(Unwelcome(409, "few-came", n=3, needed=5))
        assert everybody[0].facts["ended"] == few
        assert everybody[0].facts["again"] is True
        assert everybody[0].board.entries == []
        room.asks_again(everybody, 3)
        together(everybody)
        held = room.ends()
    assert held.board is not None
    assert [tally.totals[0] for tally in held.board.tallies] == [6, 6]


@pytest.mark.slow
def test_a_verified_mix_is_repeated_with_other_keys() -> None:
    scenario = unhurried(read_questions(DEMO), kind="verified", submit="once")
    with Led(scenario, 6) as room:
        everybody = phones(room, 6, signed=True)
        room.asks(everybody, 2)
        before = everybody[0].board
        assert before.burned
        assert len(before.registry.keys) == 6  # type: ignore[union-attr]
        for client in everybody:
            client.signer = Signer(OSEntropy())
        room.asks_again(everybody, 2)
        together(everybody)
        held = room.ends()
    assert held.board is not None
    assert held.board.registry is not None
    assert not set(held.board.registry.keys) & set(before.registry.keys)  # type: ignore[union-attr]
    assert held.board.tallies[0].totals[0] == 6


@pytest.mark.slow
def test_what_only_k_people_open_is_asked_again(tmp_path: Path) -> None:
    """Queries of the first attempt were answered, and nothing that they lock was passed on."""
    with Led(alike(tmp_path, "true"), len(ALIKE)) as room:
        everybody = [Client(room.address, f"pupil {at}", row) for at, row in enumerate(ALIKE)]
        room.asks(everybody, 2)
        room.asks_again(everybody, 2)
        together(everybody)
        held = room.ends()
    assert held.board is not None
    assert held.board.tallies[0].totals[0] == len(ALIKE)


@pytest.mark.slow
def test_simulated_people_are_there_again() -> None:
    with Led(unhurried(read_questions(DEMO)), 4, simulated=2) as room:
        everybody = phones(room, 4)
        room.asks(everybody, 4 - 2)
        first = dict(room.here.phones)
        room.typed.put("r")
        together(everybody, lambda client: client.again(2))
        assert len(room.here.phones) == 6
        assert len(room.here.phones.keys() - first.keys()) == 2  # others are simulated now
        together(everybody)
        held = room.ends()
    assert held.board is not None
    assert held.board.tallies[-1].totals[0] == 6


@pytest.mark.slow
def test_whoever_stops_it_instead_of_repeating_is_left_the_last_attempt() -> None:
    with Led(unhurried(read_questions(DEMO)), 6) as room:
        room.asks(phones(room, 6), 2)
        while not any(said.startswith("r and Enter") for said in room.said):
            Client(room.address, "nobody").ask("/news/0/0")
        assert room.finished == []
        assert room.session is not None
        room.session.farewell.is_stopping = True
        room.join()
    assert room.finished == [room.done()]
    assert room.done().board.burned  # type: ignore[union-attr]


async def test_a_stopped_class_is_not_repeated() -> None:
    room = Classroom(60.0)
    room.stop()
    assert not room.repeatable


@pytest.mark.slow
def test_without_a_terminal_nothing_is_repeated_by_itself() -> None:
    with Class(unhurried(read_questions(DEMO)), 6) as room:
        everybody = phones(room, 6)
        for client in everybody[2:]:
            client.rounds = ()
        room.play(everybody, closes=1, after=2)
        assert everybody[0].facts["again"] is False
        room.end()
    assert room.done().room.attempt == 1
    assert room.done().room.final == "teacher-repeat-alone"
