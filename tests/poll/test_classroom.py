"""Who may join, answer, and how often: the rules of the class, on a board of a played session."""

from dataclasses import replace

import pytest
import role_kit
import trio
import trio.testing
from veilmix.crypto.entropy import SeededEntropy
from veilmix.poll import classroom
from veilmix.poll.classroom import Classroom
from veilmix.poll.refusal import Unwelcome
from veilmix.protocol.board.board import Board, replay
from veilmix.protocol.rounds.ballots import Phrasebook, submit_all
from veilmix.protocol.rounds.round_context import Round, open_round
from veilmix.protocol.wire.frames import frame_envelopes
from veilmix.protocol.wire.messages import Head, Mixed
from veilmix.protocol.wire.signed_posts import witness_of

DEADLINE = 60.0
ROWS = role_kit.people(6)


ENTRIES = role_kit.run(ROWS).board.entries  # of a session of two rounds


def at(number: int, *, mixing: bool = False) -> Board:
    """Give the board as it stood when a round was being collected, or mixed."""
    board = Board()
    for entry in ENTRIES:
        board.post(entry.author, entry.data)
        body = board.entries[-1].message.body
        collecting = isinstance(body, Head) and body.place == number
        if collecting if not mixing else isinstance(body, Mixed) and len(board.calls) == number:
            return replay([(entry.author, entry.data) for entry in board.entries])
    raise AssertionError(f"no round {number}")


def room_at(number: int, *, mixing: bool = False) -> Classroom:
    """Give a room whose session stands there, with the whole time of the round left."""
    room = Classroom(DEADLINE)
    room.board, room.started = at(number, mixing=mixing), True
    room.closes = trio.current_time() + DEADLINE
    return room


def plan_of(room: Classroom, number: int) -> Round:
    """Give a round as phones seal for it."""
    board = room.board
    assert board is not None
    assert board.announcement is not None
    plan = open_round(board.announcement, board.session, board.calls[number - 1])
    return replace(plan, witness=witness_of(board.heads[number]))


def sealed(plan: Round, seed: int = 1) -> bytes:
    """Give what a phone hands in."""
    (made,) = submit_all(Phrasebook(plan), [ROWS[0]], [SeededEntropy(seed)])
    return frame_envelopes(plan.session, plan.call.round, [made.envelope], plan.witness)[0]


class Post:
    """Takes what is delivered."""

    def __init__(self) -> None:
        self.came: list[tuple[str, bytes]] = []

    async def __call__(self, sender: str, data: bytes) -> None:
        """Keep it."""
        self.came.append((sender, data))
        await trio.lowlevel.checkpoint()


async def refusal(room: Classroom, plan: Round, secret: str, data: bytes) -> tuple[int, str]:
    """Give the status and the beginning of the words; nothing is delivered."""
    post = Post()
    with pytest.raises(Unwelcome) as caught:
        await room.answer(plan, secret, data, post)
    assert post.came == []
    assert room.letters == {}
    return caught.value.status, str(caught.value).partition(":")[0]


async def test_one_phone_answers_once_whatever_it_says_then() -> None:
    room, post = room_at(1), Post()
    for secret, name in (("a", "Ann"), ("b", "Bob")):
        room.join(secret, name)
    plan = plan_of(room, 1)
    first, other = sealed(plan), sealed(plan, 2)
    assert [await room.answer(plan, "a", data, post) for data in (first, first, other)] == [
        *(True, False, False)
    ]
    assert await room.answer(plan, "b", other, post)
    assert post.came == [("user-1", first), ("user-2", other)]
    assert room.complete


async def test_who_has_not_joined_does_not_answer() -> None:
    room = room_at(1)
    room.join("a", "Ann")
    plan = plan_of(room, 1)
    for secret in ("b", "", "aa"):
        assert (await refusal(room, plan, secret, sealed(plan)))[0] == 403


async def test_the_second_round_is_for_those_of_the_first() -> None:
    room, post = room_at(2), Post()
    room.phones = {"a": classroom.Phone("Ann", 0, {1: b""}), "b": classroom.Phone("Bob")}
    plan = plan_of(room, 2)
    assert await refusal(room, plan, "b", sealed(plan)) == (
        *(409, "This round is for those who answered in the first."),
    )
    assert not room.complete
    assert await room.answer(plan, "a", sealed(plan), post)
    assert room.complete  # Bob is not waited for


async def test_an_answer_that_comes_late_is_not_taken() -> None:
    room = room_at(1)
    room.join("a", "Ann")
    plan = plan_of(room, 1)
    room.closes = trio.current_time()
    assert await refusal(room, plan, "a", sealed(plan)) == (409, "Too late")


async def test_a_round_is_over_at_the_moment_at_which_it_closes(
    mock_clock: trio.testing.MockClock,
) -> None:
    room = room_at(1)
    mock_clock.jump(DEADLINE - 0.5)
    assert room.collecting
    mock_clock.jump(0.5)
    assert not room.collecting


async def test_an_answer_to_what_is_being_mixed_is_not_taken() -> None:
    room = room_at(1, mixing=True)
    room.phones["a"] = classroom.Phone("Ann")
    plan = plan_of(room, 1)
    assert await refusal(room, plan, "a", sealed(plan)) == (409, "Too late")


async def test_an_answer_to_another_round_is_not_taken() -> None:
    room = room_at(2)
    room.phones["a"] = classroom.Phone("Ann", 0)
    plan = plan_of(room, 1)
    assert await refusal(room, plan, "a", sealed(plan)) == (409, "Too late")


async def test_an_answer_to_a_round_to_come_is_not_taken() -> None:
    room, plan = room_at(1), plan_of(room_at(2), 2)
    room.phones["a"] = classroom.Phone("Ann", 0, {1: b""})
    assert await refusal(room, plan, "a", sealed(plan)) == (409, "Too late")


async def test_a_phone_answers_once_in_each_round() -> None:
    room, post = room_at(2), Post()
    room.phones["a"] = classroom.Phone("Ann", 0, {1: b""})
    first, plan = plan_of(room, 1), plan_of(room, 2)
    assert await room.answer(plan, "a", sealed(plan), post)
    assert not await room.answer(plan, "a", sealed(plan, 2), post)
    assert not await room.answer(first, "a", sealed(first), post)
    assert len(post.came) == 1


@pytest.mark.parametrize("sent", [(), (True, False), (False, True)], ids=str)
async def test_a_round_is_not_complete_before_all_have_answered(sent: tuple[bool, ...]) -> None:
    room = room_at(1)
    for at, there in enumerate(sent):
        room.phones[str(at)] = classroom.Phone(str(at), at, {1: b""} if there else {})
    assert not room.complete


async def test_a_round_that_is_mixed_is_not_complete_again() -> None:
    room = room_at(1, mixing=True)
    room.phones["a"] = classroom.Phone("Ann", 0, {1: b""})
    assert not room.complete


async def test_what_is_no_sealed_answer_of_this_round_is_not_taken() -> None:
    room = room_at(2)
    room.phones["a"] = classroom.Phone("Ann", 0, {1: b""})
    first, plan = plan_of(room, 1), plan_of(room, 2)
    good = sealed(plan)
    (short,) = frame_envelopes(plan.session, 2, [bytes(plan.envelope - 1)], plan.witness)
    (long,) = frame_envelopes(plan.session, 2, [bytes(plan.envelope + 1)], plan.witness)
    (uncited,) = frame_envelopes(plan.session, 2, [bytes(plan.envelope)], first.witness)
    for data in (b"", good[:-1], good + b"x", sealed(first), short, long, uncited):
        assert (await refusal(room, plan, "a", data))[0] == 400


@pytest.mark.parametrize("when", ["ended", "late", "mixing", "second"])
async def test_nobody_joins_a_session_that_has_begun_without_it(when: str) -> None:
    room = room_at(2 if when == "second" else 1, mixing=when == "mixing")
    room.phones["a"] = classroom.Phone("Ann")
    if when == "ended":
        room.ended = "over"
    if when == "late":
        room.closes = trio.current_time()
    with pytest.raises(Unwelcome, match="closed to new people"):
        room.join("b", "Bob")
    assert room.join("a", "Ann") is room.phones["a"]  # who is here already stays
    assert set(room.phones) == {"a"}


async def test_whoever_comes_while_the_first_round_is_collected_joins() -> None:
    room = room_at(1)
    assert room.join("a", " Ann  of  4b ").name == "Ann of 4b"


async def test_a_name_is_one_short_line_of_ones_own() -> None:
    room = Classroom(DEADLINE)
    room.join("a", "Ann")
    longest = "é" * (classroom.LONGEST_NAME // 2)
    for name in ("", " ", f"{longest}x", "a\x00b"):
        with pytest.raises(Unwelcome) as caught:
            room.join("b", name)
        assert caught.value.status == 400
    assert room.join("b", longest).name == longest
    assert room.join("d", "Dora").name == "Dora"
    for name in ("Ann", "ANN", " ann ", longest.upper(), "DORA"):  # the first, the last, between
        with pytest.raises(Unwelcome, match="called"):
            room.join("e", name)
    assert room.join("c", "An").name == "An"


async def test_there_is_room_for_so_many_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(classroom, "MOST_PHONES", 3)
    room = Classroom(DEADLINE)
    for secret in "abc":
        room.join(secret, f"pupil {secret}")
    with pytest.raises(Unwelcome) as caught:
        room.join("d", "pupil d")
    assert caught.value.status == 503
