"""Changed messages of every kind, to whoever hears them: `tools/changed_frames.py [MANY] [SEED]`.

Sessions that are in order, or that somebody disturbs, are played and every message kept: posts and
heads of a board that is signed, registry, alarms with evidence, keys of tokens, letters
in which tokens are asked for and given, submissions, batches; what a challenge has people look at,
coins, and what audits open; and all that peers post, with shares of a key, shown secrets and
accusations. (A verified mix: changed_verified.py.) Then a message is changed (bits turned over, cut
short, lengthened, spliced with another) or not, and comes from anybody, at any moment of its
session, to the board and to every party. Whatever comes is taken or is `Refused`, with a reason and
nothing else; a board that refuses is as it was; anything else surfaces here and ends the run.
Prints how many were refused, for which reason, how many were taken, and the most memory held at
once.
"""

import random
import resource
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from veilmix.crypto.entropy import SeededEntropy
from veilmix.crypto.keys import SuiteCode
from veilmix.crypto.tokens import TokenKey
from veilmix.errors import Reason, Refused
from veilmix.protocol.board.alarms import borne_out
from veilmix.protocol.board.board import Board
from veilmix.protocol.board.phases import BOARD
from veilmix.protocol.knowledge.run_record import RunRecord
from veilmix.protocol.knowledge.transcript import Transcript
from veilmix.protocol.peers.agreement import Agreement
from veilmix.protocol.peers.board import PeerBoard, replay_peers
from veilmix.protocol.rounds.mixing import check_batch
from veilmix.protocol.rounds.registered_users import check_senders
from veilmix.protocol.rounds.round_context import Round
from veilmix.protocol.rounds.tokens import check_asks, give, make_asks, take_grants
from veilmix.protocol.wire import parties
from veilmix.protocol.wire.announcement import AnnouncedPolicy, Rules
from veilmix.protocol.wire.bodies import KINDS
from veilmix.protocol.wire.frames import HEADER, Message, decode_message
from veilmix.protocol.wire.messages import Alarm, Batch, Body, Cause, Decision, DecisionCertificate
from veilmix.protocol.wire.peer_messages import Accusation
from veilmix.protocol.wire.schema import Feature, Schema
from veilmix.protocol.wire.token_messages import Ask, Grant
from veilmix.roles.cast import Cast, Guards
from veilmix.roles.network.board_stream import BoardStream
from veilmix.roles.network.instruments import Instrument, Instruments, TranscriptRecorder
from veilmix.roles.network.memory_network import Endpoint, Network
from veilmix.roles.peer import PeerCast, play_peers
from veilmix.roles.session import play, signers

SCHEMA = Schema((Feature("colour", ("red", "green")), Feature("grown", ("yes", "no"))))
ROWS = [(("red", "green")[at % 2], ("yes", "no")[at // 2 % 2]) for at in range(6)]
KEY = TokenKey(SeededEntropy(2))
STRANGERS = ("user-99", "shuffler-9", "peer-3", "curator", BOARD)

Letter = tuple[str, str, bytes]  # from whom, to whom, what


class Letters(Instrument):
    """Keeps every letter of a session."""

    def __init__(self) -> None:
        self.kept: list[Letter] = []

    def carried(self, time: float, sender: str, receiver: str, data: bytes) -> None:  # noqa: ARG002
        """Keep what is no post."""
        if receiver != BOARD:
            self.kept.append((sender, receiver, data))


def keep(_schema: Schema, _sums: Sequence[Sequence[int]], people: int) -> Decision:
    """Keep both columns, whatever was counted."""
    return Decision((0, 1), DecisionCertificate("fixed", 2, people, 0))


@dataclass
class Session:
    """A session that was played: its posts, its letters, and the board at every moment of it.

    Attributes:
        cast: what it started from.
        posts: author and bytes, in order.
        letters: that were sent, in order.
        board: as it stood at the end.
    """

    cast: Cast
    posts: list[tuple[str, bytes]]
    letters: list[Letter]
    board: Board

    def until(self, number: int) -> Board:
        """The board after so many posts."""
        board = Board(known_roster=self.board.roster)
        for author, data in self.posts[:number]:
            board.post(author, data)
        return board


def session(rules: Rules, guards: Guards, shufflers: int, **changes: Any) -> Session:
    """Play a session and keep what was said, and alarms that somebody could raise.

    changes: further fields of its cast.
    """
    cast = Cast(
        *(
            "frames",
            SCHEMA,
            AnnouncedPolicy(2, 0.5, "fixed"),
            rules,
            "sealedbox",
            shufflers,
            len(ROWS),
        ),
        *(ROWS.__getitem__, keep, SeededEntropy(3)),
        threads=1,
        guards=guards,
        **changes,
    )
    heard = Letters()
    board = play(cast, [heard])
    assert board.burned is None, board.burned  # noqa: S101
    posts = [(entry.author, entry.data) for entry in board.entries]
    return Session(cast, posts, heard.kept, board)


def sessions() -> list[Session]:
    """What frames are taken from: with every guard, and with few."""
    many = len(ROWS)
    guarded = Guards(registered=many)
    return [
        session(Rules(tokens=True, challenge=True, audit=True), guarded, 2),
        session(Rules(tokens=True), guarded, 2),
        session(Rules(), Guards(signed=False), 1),
    ]


def alarms(played: Session) -> list[bytes]:
    """Alarms of every cause, with evidence that is none, from whoever wants to raise one."""
    evidence = [b"", bytes(16), *(data for _, _, data in played.letters[:4]), bytes(5000)]
    return [
        Message(played.board.session, number, Alarm(number, cause, proof)).encode()
        for number in (1, 2)
        for cause in Cause
        for proof in evidence
    ]


def peers() -> tuple[Agreement, list[tuple[str, bytes]]]:
    """What peers post."""
    terms = AnnouncedPolicy(2, 0.5, "fixed"), Rules(), SuiteCode.SEALEDBOX, 2, 2
    agreement = Agreement("frames", SCHEMA, *terms)
    cast = PeerCast(agreement, len(ROWS), ROWS.__getitem__, keep, SeededEntropy(5), threads=1)
    board = play_peers(cast).board
    return agreement, [(entry.author, entry.data) for entry in board.entries]


def accusations(posts: Sequence[tuple[str, bytes]]) -> list[bytes]:
    """Accusations in every step, of whoever it may be, with what is no proof."""
    (*_, last) = (decode_message(data) for _, data in posts)
    return [
        Message(last.session, number, Accusation(step, against, inside, bytes(32))).encode()
        for number in (1, 2)
        for step in (1, 2, 3)
        for against in (1, 5)
        for inside in (b"", bytes(200))
    ]


def changed(rng: random.Random, data: bytes, others: Sequence[bytes]) -> bytes:
    """A frame, changed in one of five ways, or as it was."""
    at, way = rng.randrange(len(data) + 1), rng.random()
    if way < 0.1:
        return data
    if way < 0.6:
        return _flipped(rng, data)
    ways: tuple[Callable[[], bytes], ...] = (
        lambda: data[:at],
        lambda: data + rng.randbytes(rng.randrange(1, 40)),
        lambda: data[:at] + rng.choice(others)[rng.randrange(HEADER) :],
        lambda: data[:at] + rng.randbytes(rng.randrange(1, 5)) + data[at:],
    )
    return rng.choice(ways)()


def _flipped(rng: random.Random, data: bytes) -> bytes:
    """The frame with a few bits turned over, mostly behind the header."""
    changed = bytearray(data)
    for _ in range(rng.randrange(1, 4)):
        low = HEADER if rng.random() < 0.8 and len(data) > HEADER else 0
        changed[rng.randrange(low, len(data))] ^= 1 << rng.randrange(8)
    return bytes(changed)


class Posts:
    """The board of a session: a changed post, in anybody's name, at any moment."""

    def __init__(self, played: Session) -> None:
        self.played = played
        self.frames = [data for _, data in played.posts] + alarms(played)
        self.authors = sorted({author for author, _ in played.posts} | {"user-2", *STRANGERS})
        self._boards: dict[int, Board] = {}

    def hear(self, rng: random.Random) -> str:
        """One post; says of which kind it was, if it was taken. The board is as it was if not."""
        moment = rng.randrange(len(self.played.posts) + 1)
        frame = changed(rng, self._frame(rng, moment), self.frames)
        author = self._author(rng, moment)
        board = self._boards.get(moment) or self.played.until(moment)
        self._boards[moment] = board
        before = board.head, board.phase
        try:
            entry = board.post(author, frame)
        except Refused:
            assert (board.head, board.phase, len(board.entries)) == (*before, moment)  # noqa: S101
            raise
        del self._boards[moment]
        if isinstance(entry.message.body, Alarm):
            borne_out(board, entry.message.body)
        return f"post {entry.message.kind.name.lower()}"

    def _frame(self, rng: random.Random, moment: int) -> bytes:
        """Often the post that is due, or an alarm; otherwise any."""
        due = moment < len(self.played.posts) and rng.random() < 0.5
        return self.played.posts[moment][1] if due else rng.choice(self.frames)

    def _author(self, rng: random.Random, moment: int) -> str:
        due = moment < len(self.played.posts) and rng.random() < 0.6
        return self.played.posts[moment][0] if due else rng.choice(self.authors)


class Hearers:
    """The parties of a session: a changed letter, in anybody's name, in any round."""

    def __init__(self, played: Session) -> None:
        self.played = played
        self.frames = [data for _, _, data in played.letters]
        self.frames += [data for _, data in played.posts]
        senders = {sender for sender, _, _ in played.letters}
        self.parties = sorted(senders | set(STRANGERS) - {BOARD})
        self.networks: list[tuple[Network, Round]] = []
        posts = [decode_message(data).kind.name for _, data in played.posts]
        for moment in (at + 2 for at, kind in enumerate(posts) if kind == "CALL"):
            network = Network(Instruments([], lambda _: None))
            network.stream = BoardStream(played.until(moment))
            network.known_roster = played.board.roster
            self.networks.append((network, network.plan(network.board.calls[-1])))
        self.signers = signers(played.cast)
        self.transcript = Transcript.sized(len(ROWS))

    def hear(self, rng: random.Random) -> str:
        """One letter; says of which kind it was, if it was taken."""
        network, plan = rng.choice(self.networks)
        sender, hearer, data = rng.choice(self.played.letters)
        frame = changed(rng, data, self.frames)
        if rng.random() < 0.3:
            sender = rng.choice(self.parties)
        place = Endpoint(network, hearer if parties.role(hearer) else sender)
        self._keep(sender, hearer, frame)
        if rng.random() < 0.5:
            place.envelope(plan, (sender, frame))
        body = place.accept(plan, (sender, frame)).body
        self._use(plan, sender, body)
        return f"letter {KINDS[type(body)].name.lower()}"

    def _keep(self, sender: str, hearer: str, frame: bytes) -> None:
        """Whoever keeps a transcript and looks at it: no letter crashes a view."""
        transcript = Transcript.sized(len(ROWS))
        TranscriptRecorder(transcript).carried(1.0, sender, hearer, frame)
        _ = RunRecord(transcript, self.played.board).submitted

    def _use(self, plan: Round, sender: str, body: Body) -> None:
        """What the hearer does with a letter of this kind."""
        registry = self.played.board.registry
        match body:
            case Ask() if registry is not None:
                check_asks(plan, registry, [(sender, body)])
                give(KEY, [body])
            case Grant() if self.signers:
                asking = make_asks(plan, [self.signers[0]], [SeededEntropy(6)])
                take_grants(asking, [body], KEY.public)
            case Batch(layers):
                check_batch(plan, layers)
            case _ if registry is not None and hasattr(body, "envelope"):
                check_senders(plan, registry, [(sender, body)])


class PeerPosts:
    """The board of peers."""

    def __init__(self) -> None:
        self.agreement, self.posts = peers()
        self.frames = [data for _, data in self.posts] + accusations(self.posts)
        self.names = sorted({author for author, _ in self.posts} | set(STRANGERS))
        self._boards: dict[int, PeerBoard] = {}

    def hear(self, rng: random.Random) -> str:
        """One post of a peer; says of which kind it was, if it was taken."""
        moment = rng.randrange(len(self.posts))
        author, data = self.posts[moment] if rng.random() < 0.6 else rng.choice(self.posts)
        if rng.random() < 0.1:
            data = rng.choice(self.frames)
        if rng.random() < 0.3:
            author = rng.choice(self.names)
        frame = changed(rng, data, self.frames)
        board = self._boards.get(moment)
        if board is None:
            board = self._boards[moment] = replay_peers(self.agreement, self.posts[:moment])
        before = board.head
        try:
            entry = board.post(author, frame)
        except Refused:
            assert board.head == before  # noqa: S101
            raise
        del self._boards[moment]
        return f"peer {entry.message.kind.name.lower()}"


@dataclass(frozen=True)
class Outcomes:
    """What came of so many frames: how many were refused, by reason, and taken, by kind.

    Attributes:
        refused: frames, by reason.
        taken: frames, by kind.
    """

    refused: Counter[Reason]
    taken: Counter[str]


class Ear(Protocol):
    """Whoever takes or refuses changed frames."""

    def hear(self, rng: random.Random) -> str:
        """Take one and return its kind; Refused if it is refused."""


def usual_ears() -> list[Ear]:
    """Return the board and the parties of sessions of onions, and the board of peers."""
    return [PeerPosts(), *(ear(session) for session in sessions() for ear in (Posts, Hearers))]


def run(many: int, seed: int, ears: Sequence[Ear]) -> Outcomes:
    """Change, hand over, count."""
    rng, heard = random.Random(seed), Outcomes(Counter(), Counter())  # noqa: S311 - no secret
    for number in range(many):
        try:
            heard.taken[rng.choice(ears).hear(rng)] += 1
        except Refused as refusal:
            heard.refused[refusal.reason] += 1
        except Exception as crash:
            raise AssertionError(f"frame {number} of seed {seed}") from crash
    return heard


def main(ears: Sequence[Ear], many: int = 100_000, seed: int = 1) -> None:
    """Run and print."""
    start = time.process_time()
    heard = run(many, seed, ears)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(f"{many:,} frames, seed {seed}, {time.process_time() - start:.0f} s of CPU")
    print(f"  refused: {dict(sorted(heard.refused.items()))}")
    print(f"  taken: {dict(sorted(heard.taken.items()))}")
    print(f"  most memory at once: {peak // 1024} MB, the interpreter included")


if __name__ == "__main__":
    main(usual_ears(), *map(int, sys.argv[1:]))
