"""A class with a verified mix: who may join, what counts, phones that find their own answers."""

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest
import trio
from phone_kit import Class, Client, together, unhurried
from pupil_kit import alone, narrow
from veilmix.cli import main
from veilmix.crypto.entropy import OSEntropy, SeededEntropy
from veilmix.crypto.signing import Signer
from veilmix.poll import session as poll_session
from veilmix.poll.classroom import Classroom
from veilmix.poll.fingerprint_words import compared_digest, session_words
from veilmix.poll.questions import DEMO, read_questions
from veilmix.poll.refusal import Unwelcome
from veilmix.protocol.board.board import Board
from veilmix.protocol.rounds.registered_users import submission
from veilmix.protocol.wire.frames import Message, decode_message
from veilmix.protocol.wire.messages import Body, Closed, Registry, Submission
from veilmix.protocol.wire.verified_messages import BallotKeys
from veilmix.roles.network.memory_network import Endpoint, Network
from veilmix.scenarios.schema.model import Scenario

ROWS = (("on foot", "yes", "never"), ("by car", "no", "never"))
KEYS = [Signer(SeededEntropy(40).fork(str(at))).public for at in range(4)]


def demo(submit: str = "each-round", **mix: Any) -> Scenario:
    return unhurried(read_questions(DEMO), kind="verified", submit=submit, **mix)


def clients(address: str, many: int) -> list[Client]:
    return [
        Client(address, f"pupil {at}", ROWS[at % 2], signer=Signer(OSEntropy()))
        for at in range(many)
    ]


def board_of(room: Class) -> Board:
    assert room.session is not None
    board = room.session.room.board
    assert board is not None
    return board


# --- who may join ---


def test_each_phone_brings_a_key_of_its_own() -> None:
    room = Classroom(60.0, registered=True)
    room.join("a", "Ann", key=KEYS[0])
    with pytest.raises(Unwelcome, match="no other phone has"):
        room.join("b", "Ben", key=KEYS[0])
    room.join("b", "Ben", key=KEYS[1])
    for taken in KEYS[:2]:
        with pytest.raises(Unwelcome, match="no other phone has"):
            room.join("c", "Cleo", key=taken)
    assert room.join("a", "Ann", key=KEYS[2]).key == KEYS[2]  # its tab was closed
    with pytest.raises(Unwelcome, match="no other phone has"):
        room.join("a", "Ann", key=KEYS[1])
    room.simulate("c", "simulated", KEYS[3])
    registry = room.enroll()
    assert registry.keys == tuple(sorted(KEYS[1:]))  # so a place says nothing of who came first
    places = {phone.index: phone.key for phone in room.phones.values()}
    assert places == dict(enumerate(registry.keys))


def test_nobody_joins_and_no_key_changes_once_the_list_is_made() -> None:
    room = Classroom(60.0, registered=True)
    phone = room.join("a", "Ann", key=KEYS[0])
    room.enroll()
    assert room.join("a", "Ann", key=KEYS[0]) is phone
    with pytest.raises(Unwelcome, match="begun without you"):
        room.join("b", "Ben", key=KEYS[1])
    with pytest.raises(Unwelcome, match="a tab that is closed now"):
        room.join("a", "Ann", key=KEYS[1])
    phone.message_hashes[1] = b"sent"
    assert room.join("a", "Ann", key=KEYS[1]).key == KEYS[0]  # it has answered: that counts


def test_onions_need_no_keys() -> None:
    room = Classroom(60.0)
    assert room.join("a", "Ann").key == room.join("b", "Ben").key == b""


@pytest.mark.parametrize("key", [None, "", "00", "0" * 63, "0" * 65, "G" * 64, "AB" * 32, 7])
def test_a_key_is_in_form(key: Any) -> None:
    with Class(demo(), 5) as room:
        client = Client(room.address, "Ann")
        form = {"phone": client.secret, "name": "Ann", "key": key}
        status, said = client.ask("/join", json.dumps(form).encode())
        assert (status, b"a key for its signatures" in said) == (400, True)


# --- what is handed in ---


def test_only_what_the_phone_has_signed_is_taken() -> None:
    with Class(demo(), 5) as room:
        everybody = clients(room.address, 5)
        for client in everybody:
            client.join()
        ann, ben = everybody[:2]
        ann.asked(1)
        while not ann.able:
            ann.news()
        right = ann.sealed()
        message = decode_message(right)
        body = message.body
        assert isinstance(body, Submission)
        assert ben.signer is not None
        plan = ann.plan()
        spoiled = body.signature[:-1] + bytes([body.signature[-1] ^ 1])
        wrong = [
            Submission(body.envelope, b"", body.witness),
            Submission(body.envelope, spoiled, body.witness),
            submission(plan, body.envelope, ben.signer),
            submission(plan, body.envelope[:-1], ann.signer),
        ]
        seen = body.witness
        first, last = bytes([seen[0] ^ 1]) + seen[1:], seen[:-1] + bytes([seen[-1] ^ 1])
        heads = (b"", first, last)
        unseen = [Submission(body.envelope, body.signature, head) for head in heads]
        sent = [Message(plan.session, 1, one).encode() for one in (*wrong, *unseen)]
        sent += [Message(plan.session, 2, body).encode(), Message(bytes(32), 1, body).encode()]
        sent.append(Message(plan.session, 1, Closed()).encode())
        for data in (*sent, b"", b"rubbish", right[:-1]):
            status, said = ann.hand_in(data)
            assert (status, b"no sealed answers" in said) == (400, True)
        assert ann.hand_in(right)[0] == 204
        assert ben.hand_in(right)[0] == 400


@pytest.mark.parametrize("submit", ["each-round", "once"])
def test_a_class_is_counted(submit: str) -> None:
    with Class(demo(submit), 6, simulated=2) as room:
        everybody = clients(room.address, 6)
        together(everybody)
        board = board_of(room)
    assert board.burned is None
    assert isinstance(board.registry, Registry)
    assert len(board.registry.keys) == 8
    assert [set(tally.totals) for tally in board.tallies] == [{8}, {8}]
    assert board.tallies[1].counts is not None
    assert sum(board.tallies[1].counts[0].values()) == 8
    assert set(board.verified.handed) == ({1} if submit == "once" else {1, 2})
    assert set(board.verified.closed[1]) == set(range(8))
    assert room.session is not None
    handed = room.session.room.handed_in
    assert handed == ({1: 8} if submit == "once" else {1: 8, 2: 8})


def test_a_phone_that_sleeps_after_round_1_costs_nothing_if_people_submit_once() -> None:
    with Class(demo("once"), 6) as room:
        everybody = clients(room.address, 6)
        everybody[0].rounds = everybody[1].rounds = (1,)
        together(everybody)
        board = board_of(room)
        assert room.session is not None
        assert room.session.room.singles is None
    assert board.burned is None
    assert board.decision is not None
    assert board.decision.kept
    assert [set(tally.totals) for tally in board.tallies] == [{6}, {6}]


@pytest.mark.slow
def test_else_each_question_is_shown_by_itself() -> None:
    with Class(demo(), 8) as room:
        everybody = clients(room.address, 8)
        everybody[0].rounds = (1,)
        room.play(everybody, closes=2, after=7)
        board = board_of(room)
        assert room.session is not None
        singles = room.session.room.singles
    assert board.burned is not None
    assert singles is not None
    assert (singles.people, singles.missing) == (8, 1)


def test_a_release_that_asks_nobody_collects_nothing() -> None:
    """So no phone is told that a round is open, and the teacher can close none."""
    with Class(demo("once"), 5) as room:
        everybody = clients(room.address, 5)
        seen: list[tuple[int, bool]] = []
        assert room.session is not None
        classroom = room.session.room
        change = classroom.change

        def noted() -> None:
            seen.append((classroom.round, classroom.collecting))
            change()

        classroom.change = noted  # type: ignore[method-assign]
        together(everybody)
    assert (1, True) in seen
    assert {collecting for number, collecting in seen if number == 2} == {False}


def test_the_words_stand_for_those_who_sign_too() -> None:
    """Answers are locked for keys that come later, signed: another roster has other words."""
    with Class(demo(), 5) as room:
        together(clients(room.address, 5))
        board = board_of(room)
    words = session_words(compared_digest(board))
    assert any(words in line for line in room.said)
    assert words != session_words(board.session)
    assert board.roster is not None
    board.roster = replace_roster(board)
    assert session_words(compared_digest(board)) != words


def replace_roster(board: Board) -> Any:
    from dataclasses import replace as replaced

    assert board.roster is not None
    return replaced(board.roster, curator=KEYS[0])


# --- what whoever runs it is told ---


def test_the_command_says_the_price_and_refuses_by_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "questions.toml"
    mix = 'kind = "verified"\nsubmit = "once"\nmin_batch = 4'
    text = DEMO.read_text("utf-8").replace("min_batch = 5", mix)
    path.write_text(text, "utf-8")
    told = ["poll", str(path), "--people", "1", "--port", "0"]
    assert main([*told, "--others"]) == 2
    assert "a verified mix runs on this computer alone so far" in capsys.readouterr().err
    assert main([*told, "--cheat", "drop"]) == 2
    assert "a verified mix refuses it" in capsys.readouterr().err
    assert main([*told, "--wait", "1"]) != 0  # nobody came
    said = " ".join(capsys.readouterr().out.split())
    assert "all shufflers together could link what is published" in said
    assert "all shufflers with the analyst could also read what is not published" in said
    assert "there is no run folder, and what is published is printed as CSV" in said
    assert not (tmp_path / "runs").exists()


# --- phones in a browser ---


async def dropping(lost: Callable[[str], bool], network: Network, sender: str, data: bytes) -> None:
    """Carry what phones hand in, but for what is lost on the way."""
    if lost(sender):
        await trio.lowlevel.checkpoint()
    else:
        await deliver(network, sender, data)


deliver = poll_session._deliver


@pytest.mark.slow
@pytest.mark.parametrize(("submit", "lang"), [("each-round", "en"), ("once", "de")])
def test_phones_and_the_wall_to_the_end(
    new_phone: Callable[[str], Any], submit: str, lang: str
) -> None:
    once = submit == "once"
    with Class(demo(submit), 7, language=lang) as room:
        wall = new_phone(f"{room.address}/theatre")
        pages = [new_phone(room.address) for _ in range(2)]
        for at, page in enumerate(pages):
            page.wait_for_selector("#name")
            act(page, f"phone {at}", lang)
        rest = clients(room.address, 5)
        together(rest)
        ends = pages[:1] if once else pages
        if once:
            pages[1].context.set_offline(True)  # it may sleep as soon as it has handed in
        for page in ends:
            page.wait_for_selector("#screen[data-id=end]")
            said = page.inner_text("main")
            found = "gefunden: verschlossen" if lang == "de" else "has found your answers"
            assert said.count(found) == (1 if once else 2)
            assert narrow(page)
            page.locator("section button").click()
            page.wait_for_selector(".way li:last-child.lit")
            assert page.locator(".way").count() == 2
        board = board_of(room)
        assert board.burned is None
        assert [set(tally.totals) for tally in board.tallies] == [{7}, {7}]
        total = "veilmix.show.moves.filter((move) => move.kind === 'tally').length"
        while wall.evaluate(total) < 2:
            wall.wait_for_timeout(50)
        seals = wall.evaluate("veilmix.show.moves.map((move) => move.seal).filter(Boolean)")
        assert set(seals) == {"holds"}
        assert len(seals) == 2 * 2 + (2 + 3)


def act(page: Any, name: str, lang: str) -> None:
    """Let a page join and answer by itself. In German the buttons have other words."""
    if lang == "en":
        alone(page, name, (0, 0, 0))
        return
    page.evaluate(
        """(name) => {
          const seen = async (find) => {
            for (;;) {
              const found = find();
              if (found) return found;
              await new Promise((done) => setTimeout(done, 50));
            }
          };
          const at = (id) => document.querySelector("#screen").dataset.id === id;
          const due = () => document.querySelector("#screen > button");
          const press = async (id) => (await seen(() => at(id) && due())).click();
          const act = async () => {
            document.querySelector("#name").value = name;
            document.querySelector("form button").click();
            await press("compare");
            for (let number = 0; number < 3; number += 1) {
              await seen(() => at(`question ${number}`));
              document.querySelector("input[type=radio]").click();
              document.querySelector("#next").click();
            }
            await press("seal");
          };
          void act();
        }""",
        name,
    )


@pytest.mark.slow
def test_a_phone_begins_when_all_keys_are_there(
    new_phone: Callable[[str], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else it could press the button that seals, and nothing would happen."""
    released, post = Event(), Endpoint.post

    async def late(self: Endpoint, body: Body) -> None:
        while isinstance(body, BallotKeys) and not released.is_set():  # noqa: ASYNC110 - of a thread
            await trio.sleep(0.05)
        await post(self, body)

    monkeypatch.setattr(Endpoint, "post", late)
    with Class(demo("once"), 6) as room:
        page = new_phone(room.address)
        page.wait_for_selector("#name")
        alone(page, "phone", (0, 0, 0))
        others = Thread(target=together, args=(clients(room.address, 5),))
        others.start()
        assert room.session is not None
        classroom = room.session.room
        while not (classroom.board and classroom.board.calls and classroom.board.due is None):
            page.wait_for_timeout(20)
        called = len(classroom.posts)
        taken = "JSON.parse(Object.values(sessionStorage)[0]).mark?.posts ?? 0"
        while page.evaluate(taken) < called:
            page.wait_for_timeout(20)
        waiting = page.evaluate("document.querySelector('#screen').dataset.id")
        released.set()
        others.join()
        page.wait_for_selector("#screen[data-id=end]")
        assert waiting == "wait"


@pytest.mark.slow
def test_a_phone_says_if_its_own_answers_do_not_stand_on_the_board(
    new_phone: Callable[[str], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    with Class(demo("once"), 6) as room:
        page = new_phone(room.address)
        page.wait_for_selector("#name")
        alone(page, "phone", (0, 0, 0))
        assert room.session is not None
        classroom = room.session.room

        def is_page(sender: str) -> bool:
            own = next(phone for phone in classroom.phones.values() if phone.name == "phone")
            return sender == f"user-{(own.index or 0) + 1}"

        monkeypatch.setattr(poll_session, "_deliver", partial(dropping, is_page))
        together(clients(room.address, 5))
        page.wait_for_selector("#screen[data-id=end]")
        said = page.inner_text("main")
    assert "has NOT found your answers on the board" in said
    assert "Say so aloud" in said
