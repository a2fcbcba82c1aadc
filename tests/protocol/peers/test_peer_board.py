"""What the board of peers refuses: a table of posts that are wrong in one way each."""

from dataclasses import replace
from functools import cache

import peer_kit as PEERS
import pytest
from veilmix.crypto.entropy import SeededEntropy
from veilmix.crypto.joint_key import make_share
from veilmix.crypto.suites import suite
from veilmix.errors import Refused
from veilmix.protocol.board.strategies import first_call
from veilmix.protocol.knowledge.transcript import Transcript
from veilmix.protocol.peers.agreement import Agreement, open_peer_round, share_context
from veilmix.protocol.peers.board import PeerBoard, replay_peers
from veilmix.protocol.peers.onions import read_plain
from veilmix.protocol.wire.announcement import Program
from veilmix.protocol.wire.frames import NO_SESSION, Message, Seal, decode_message
from veilmix.protocol.wire.messages import Key
from veilmix.protocol.wire.peer_messages import Agreed, Share, ShareSecret
from veilmix.roles.network.instruments import TranscriptRecorder
from veilmix.roles.peer import play_peers

PATH = PEERS.TERMS.path


@cache
def posts() -> tuple[tuple[str, bytes], ...]:
    transcript = Transcript.sized(len(PEERS.ROWS))
    play_peers(PEERS.cast(), [TranscriptRecorder(transcript)], pytest.fail)
    return tuple(transcript.posts)


def board_before(number: int, step: int) -> PeerBoard:
    """The board of an honest session when this step is due, and nobody has posted in it."""
    board = PeerBoard(PEERS.TERMS)
    for author, data in posts():
        entry = replay_one(data)
        if (entry.round, getattr(entry.body, "step", 0)) >= (number, step) and entry.round:
            break
        board.post(author, data)
    return board


def replay_one(data: bytes) -> Message:
    from veilmix.protocol.wire.frames import decode_message

    return decode_message(data)


def key(name: str, seed: int = 1) -> bytes:
    public = suite(name).keypair(SeededEntropy(seed)).public
    return Message(NO_SESSION, 0, Key(public)).encode()


def share(board: PeerBoard, peer: int, whose: int) -> bytes:
    session = board.agreement.session(board.keys)
    made = make_share(SeededEntropy(9), share_context(session, 1, whose))
    return Message(session, 1, Share(made.public, made.proof)).encode()


def test_keys_are_of_the_suite_that_was_agreed_on() -> None:
    board = PeerBoard(PEERS.TERMS)
    with pytest.raises(Refused):
        board.post("peer-1", key("hpke-x25519"))
    board.post("peer-1", key("sealedbox"))


def test_a_key_is_ones_own() -> None:
    board = PeerBoard(PEERS.TERMS)
    board.post("peer-1", key("sealedbox"))
    for again in (("peer-1", key("sealedbox", 2)), ("peer-2", key("sealedbox"))):
        with pytest.raises(Refused):
            board.post(*again)


@pytest.mark.parametrize(
    ("number", "step"), [(1, PATH), (1, PATH + 3), (1, PATH + 4), (1, PATH + 5), (2, 0), (2, PATH)]
)
def test_a_step_begins_when_the_one_before_is_full(number: int, step: int) -> None:
    """The first post of a step is refused while one peer has not posted in the step before."""
    board = board_before(number, step)
    author, data = next(
        (who, post)
        for who, post in posts()
        if (m := replay_one(post)).round == number and getattr(m.body, "step", 0) == step
    )
    short = replay_peers(PEERS.TERMS, [(entry.author, entry.data) for entry in board.entries[:-1]])
    with pytest.raises(Refused):
        short.post(author, data)
    board.post(author, data)


def test_a_share_has_the_proof_of_its_owner() -> None:
    board = board_before(1, 0)
    with pytest.raises(Refused):
        board.post("peer-1", share(board, 1, 2))
    board.post("peer-1", share(board, 1, 1))


def test_a_peer_posts_once_in_a_step_and_no_key_after_it() -> None:
    board = board_before(1, 0)
    for peer in (1, 2, 3):
        board.post(f"peer-{peer}", share(board, peer, peer))
        for again in range(1, peer + 1):
            with pytest.raises(Refused):
                board.post(f"peer-{again}", share(board, again, again))
    stranger = f"peer-{len(board.keys) + 1}"
    with pytest.raises(Refused):
        board.post(stranger, key("sealedbox", 77))


def test_a_secret_is_that_of_the_share() -> None:
    board = board_before(1, PATH + 4)
    for secret in (bytes(32), make_share(SeededEntropy(3), b"").secret):
        with pytest.raises(Refused):
            board.post("peer-1", Message(board.session, 1, ShareSecret(PATH + 4, secret)).encode())


def test_what_is_due_is_posted_and_nothing_else() -> None:
    board = board_before(1, PATH + 4)
    with pytest.raises(Refused):
        board.post("peer-1", Message(board.session, 1, Agreed(PATH + 4, bytes(32))).encode())


def test_a_ballot_has_one_size() -> None:
    board = board_before(1, 1)
    call = first_call(Program.TWO_ROUND, PEERS.SCHEMA)
    plan = open_peer_round(PEERS.TERMS, board.session, board.keys, call)
    for size in (plan.ballot - 1, plan.ballot + 1):
        with pytest.raises(Refused, match="wrong-size"):
            read_plain(replace(plan), b"\xff" + bytes(16) + b"\x80" + bytes(size - 18))
    assert read_plain(plan, b"\xff" + bytes(16) + b"\x80" + bytes(plan.ballot - 18)) is None


def test_posts_of_peers_have_no_seal() -> None:
    """Peers have no identities beforehand: a seal would be a second spelling of a post."""
    board, said = PeerBoard(PEERS.TERMS), decode_message(key("sealedbox"))
    with pytest.raises(Refused, match="unexpected"):
        board.post("peer-1", replace(said, seal=Seal(b"", bytes(64))).encode())
    board.post("peer-1", key("sealedbox"))


def test_an_agreement_names_a_suite_that_is_known() -> None:
    data = PEERS.TERMS.encode()
    assert Agreement.decode(data) == PEERS.TERMS
    with pytest.raises(Refused):
        Agreement.decode(data[:-3] + b"\x63" + data[-2:])
