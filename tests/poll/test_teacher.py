"""What whoever runs a class says while it goes on: begin, wait longer, go on, end; and a stop."""

from queue import Queue
from types import SimpleNamespace
from unittest.mock import AsyncMock

import pytest
import trio
import trio.testing
from phone_kit import Class, Client, together, unhurried
from veilmix.poll.class_settings import ClassTerms
from veilmix.poll.classroom import Classroom
from veilmix.poll.farewell import Farewell
from veilmix.poll.questions import DEMO, read_questions
from veilmix.poll.refusal import Unwelcome
from veilmix.poll.session import PhoneSession
from veilmix.poll.simulated_people import SimulatedPeople
from veilmix.poll.teacher import LONGEST, MORE, SPARE, Teacher
from veilmix.poll.wall import Wall
from veilmix.protocol.board.phases import Phase

ROWS = [("on foot", "yes", "never"), ("by car", "no", "once")]


def opened(room: Classroom, number: int) -> None:
    """Call a round of so many seconds, as the board would."""
    calls = [SimpleNamespace(round=each + 1) for each in range(number)]
    room.board = SimpleNamespace(phase=Phase.COLLECTING, calls=calls, announcement=None)  # type: ignore[assignment]
    room.started = True
    room.closes = trio.current_time() + room.deadline
    room.latest = room.closes + SPARE


def test_a_round_is_extended_up_to_what_its_parties_collect() -> None:
    said: list[str] = []

    async def main() -> None:
        room = Classroom(60.0, spare=SPARE)
        for number in range(3):
            room.join(f"{number:032x}", f"pupil {number}")
        teacher = Teacher(room, 2, tuple, said.append)
        teacher.hear("w")  # nothing is open: it is Enter before the beginning
        opened(room, 1)
        next(iter(room.phones.values())).message_hashes[1] = b""
        teacher.hear("")
        for _ in range(SPARE // int(MORE) + 1):
            teacher.hear("w")
        assert room.closes == room.latest
        teacher.hear("g")
        assert teacher.closing == 1
        room.ended = "over"
        assert not teacher.end_event.is_set()
        teacher.hear("")
        assert teacher.end_event.is_set()

    trio.run(main, clock=trio.testing.MockClock())
    assert said[0].startswith("round 1: 1 of 3 have answered, 2 are silent, 60 seconds left; w:")
    assert said[1:3] == ["90 seconds left", "120 seconds left"]
    assert said[-1] == "a round cannot become longer than that"


def test_enter_begins_only_when_enough_are_here() -> None:
    said: list[str] = []
    missing = ["shuffler-1"]
    room = Classroom(60.0)
    teacher = Teacher(room, 2, lambda: tuple(missing), said.append)
    room.join("0" * 32, "Ann")
    teacher.hear("")
    assert not teacher.is_starting
    assert said == [
        "1 person is here; fewer than 2 are not asked anything",
        "nobody mixes as shuffler-1 yet: veilmix serve shuffler-1 ADDRESS",
    ]
    room.join("1" * 32, "Bea")
    missing.clear()
    teacher.hear("")
    assert teacher.is_starting


def test_lines_are_heard_until_there_are_none() -> None:
    lines = iter(["", None])
    room = Classroom(60.0)
    teacher = Teacher(room, 0, tuple, str)

    async def main() -> None:
        await teacher.listen(lambda: next(lines))
        assert teacher.end_event.is_set()
        assert teacher.absent

    trio.run(main)
    assert teacher.is_starting


@pytest.mark.parametrize(
    ("kind", "deadline", "spare"),
    [("exposure", 90, SPARE), ("exposure", LONGEST + 1, 0), ("threshold", 90, 0)],
)
def test_parties_collect_longer_than_a_round_is_said_to_last(
    kind: str, deadline: int, spare: int
) -> None:
    """Not where half of it is for asking randomness, which nobody could end early."""
    from msgspec.structs import replace

    plain = read_questions(DEMO)
    mix = replace(plain.mix, deadline=deadline)
    scenario = replace(plain, mix=mix, policy=replace(plain.policy, kind=kind))
    terms = ClassTerms("127.0.0.1", 0, None, 1.0, has_run_folder=False)
    session = PhoneSession(scenario, terms, str)
    assert session.scenario.mix.deadline == deadline + spare

    async def main() -> None:
        opened(session.room, 1)
        assert not session._due_to_close(1)
        session.room.closes = trio.current_time()
        assert session._due_to_close(1) is True
        assert session.facts()["seconds"] == (deadline // 2 if kind == "threshold" else deadline)

    trio.run(main, clock=trio.testing.MockClock())


@pytest.mark.slow
def test_whoever_runs_it_goes_on_without_the_silent_and_ends_it() -> None:
    """The results stay, and may be read by whoever comes late, until they say so."""
    lines: Queue[str | None] = Queue()
    with Class(unhurried(read_questions(DEMO)), 8, lines=lines.get) as room:
        clients = [Client(room.address, f"pupil {i}", ROWS[i % 2]) for i in range(8)]
        clients[1].rounds = ()

        def lead(phone: Client) -> None:
            phone.join()
            while phone.news()["answered"] < 6:
                continue
            lines.put("g")
            while not phone.news()["ended"]:
                continue

        together(clients, lambda one: lead(one) if one is clients[0] else one.live())
        assert Client(room.address, "late").news()["ended"] == "over"
        room.says("the results stay on the wall and on phones until you press Enter")
        lines.put("")
        room.join()
    assert len([index for number, index in room.done().room.letters if number == 1]) == 6
    assert "the results stay on the wall and on phones until you press Enter" in room.said


def test_a_round_that_closes_before_simulated_people_have_answered_ends_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Whoever runs the class goes on without them."""
    late: list[str] = []

    async def answer(_plan: object, secret: str, *_: object) -> bool:
        late.append(secret)
        raise Unwelcome(409, "answer-late")

    async def main() -> None:
        room = Classroom(60.0)
        people = SimulatedPeople(room, lambda: read_questions(DEMO), 2)
        people.join()
        opened(room, 1)
        monkeypatch.setattr(people, "_sealed", AsyncMock(return_value=b""))
        monkeypatch.setattr(room, "answer", answer)
        plan = SimpleNamespace(verified=False, call=SimpleNamespace(round=1))
        desk = SimpleNamespace(plan=lambda: plan, seeds=None, deliver=None)
        with trio.move_on_after(room.deadline):
            await people.live(desk)  # type: ignore[arg-type]
        assert late == [next(iter(room.phones))]

    trio.run(main, clock=trio.testing.MockClock(autojump_threshold=0))


def test_a_stop_after_the_results_ends_it_and_one_before_is_said() -> None:
    async def main(room: Classroom) -> bool:
        farewell = Farewell(room, Wall("", 2))
        farewell.is_stopping = True
        with trio.CancelScope() as whole:
            await farewell.watch(whole)
            await trio.lowlevel.checkpoint()
        return whole.cancelled_caught

    over = Classroom(60.0)
    over.ended = "over"
    assert trio.run(main, over) is True
    assert not over.stopped
    on = Classroom(60.0)
    with pytest.raises(KeyboardInterrupt):
        trio.run(main, on)
    assert on.stopped
    assert "stopped" in on.ended
