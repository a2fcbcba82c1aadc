"""A batch in pieces is the same batch, and whoever tampers with a piece is found."""

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest
import role_kit as KIT
import trio
from hypothesis import given
from hypothesis import strategies as st
from veilmix.crypto.entropy import SeededEntropy
from veilmix.errors import Reason
from veilmix.machines import remote
from veilmix.protocol.knowledge.transcript import split_names
from veilmix.protocol.rounds import mixing
from veilmix.protocol.rounds.ballots import seal_envelope
from veilmix.protocol.rounds.mixing import batch_digest, piece_size
from veilmix.protocol.rounds.round_context import Round, open_round
from veilmix.protocol.wire import parties
from veilmix.protocol.wire.messages import Batch, Body, Kind, Mixed, Submission
from veilmix.roles import batches
from veilmix.roles.batches import LayerRun, Sorting, _cut
from veilmix.roles.cast import Guards
from veilmix.roles.compute import spool
from veilmix.roles.network.memory_network import Endpoint
from veilmix.scenarios.attacks.faults.batch_door import BatchDoor, Turn

ROWS = KIT.people(12)
SMALL = 2_000  # bytes in a piece: some ten layers
CHANCES = st.lists(st.lists(st.binary(min_size=3, max_size=3), max_size=9), max_size=6)


@pytest.fixture
def in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Little travels at once, and hardly anything stays in memory."""
    monkeypatch.setattr(mixing, "PIECE", SMALL)
    monkeypatch.setattr(mixing, "UNPADDED", 10)
    monkeypatch.setattr(spool, "MEMORY_LIMIT", 1_000)
    monkeypatch.setattr(spool, "BLOCK", 700)
    monkeypatch.setattr(remote, "LARGE", 1_000)


class Misbegun(Endpoint):
    """A user whose onions are no layers of any suite: one sorts before all others, one behind."""

    async def send(self, plan: Round, receiver: str, body: Body) -> None:
        if isinstance(body, Submission):
            junk = [bytes([first]) * plan.inner[2] for first in (0, 9, 255)][: plan.slots]
            entropy = SeededEntropy(5).fork(f"{plan.call.round}")
            body = replace(body, envelope=seal_envelope(plan, junk, entropy))
        await super().send(plan, receiver, body)


class Marked(BatchDoor):
    """A shuffler that looks at its whole batch, and turns over a bit of one layer."""

    def strikes(self, number: int) -> bool:
        return True

    def change(self, turn: Turn) -> None:
        turn.last.append(
            lambda batch: tuple(sorted([batch[0][:-1] + bytes([batch[0][-1] ^ 1]), *batch[1:]]))
        )


SESSIONS: dict[str, dict[str, Any]] = {
    "one shuffler": {"shufflers": 1},
    "three shufflers": {"shufflers": 3},
    "no padding": {"rules": KIT.Rules(min_dropout=3, padded=False, lesson=True)},
    "hpke": {"suite": "hpke-x25519", "shufflers": 2},
    "wrong envelopes": {
        "faults": KIT.attack(user_1="malformed", user_4="duplicate", user_7="late"),
        "shufflers": 2,
    },
    "begins otherwise": {"faults": {"user-3": Misbegun}, "shufflers": 3},
    "a layer marked": {"faults": {"shuffler-1": Marked}, "shufflers": 3},
}


@pytest.mark.parametrize("session", SESSIONS)
def test_a_session_in_pieces_is_the_same_session(session: str, in_pieces: None) -> None:
    changes = SESSIONS[session]
    apart = KIT.run(ROWS, **changes)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(mixing, "PIECE", 1 << 25)
        patch.setattr(mixing, "UNPADDED", 1 << 15)
        whole = KIT.run(ROWS, **changes)
    assert apart.results == whole.results
    assert counted(apart) == counted(whole)
    assert len(sent(apart)) > len(sent(whole))
    if "suite" not in changes:  # the default one seals the same twice, from a seed
        assert apart.board.digest() == whole.board.digest()
        assert Counter(names_in(apart)) == Counter(names_in(whole))


def counted(run: KIT.Run) -> Counter[Any]:
    refusals = Counter[Any]()
    for refusal in run.transcript.refusals:
        refusals[refusal.party, refusal.round, refusal.reason] += refusal.count
    return refusals


def sent(run: KIT.Run) -> list[Any]:
    return [event for event in run.transcript.events if event.kind is Kind.BATCH]


def names_in(run: KIT.Run) -> list[Any]:
    return [
        (event.round, event.sender, name)
        for event in sent(run)
        for name in split_names(event.names)
    ]


class Tampering(Endpoint):
    """Does something to the second piece of every batch."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.seen = 0
        self.kept: Batch | None = None

    async def send(self, plan: Round, receiver: str, body: Body) -> None:
        if not isinstance(body, Batch):
            await super().send(plan, receiver, body)
            return
        self.seen += 1
        for piece in self.change(body) if self.seen < 4 else (body,):
            await super().send(plan, receiver, piece)
        await trio.lowlevel.checkpoint()

    def change(self, piece: Batch) -> tuple[Batch, ...]:
        return (piece,)


class Losing(Tampering):
    """Keeps the second piece back."""

    def change(self, piece: Batch) -> tuple[Batch, ...]:
        return () if self.seen == 2 else (piece,)


class Withholding(Tampering):
    """Keeps the last piece back."""

    def change(self, piece: Batch) -> tuple[Batch, ...]:
        return () if self.seen == 3 else (piece,)


class Swapping(Tampering):
    """Sends the second piece before the first."""

    def change(self, piece: Batch) -> tuple[Batch, ...]:
        if self.seen == 1:
            self.kept = piece
            return ()
        return (piece, self.kept) if self.seen == 2 and self.kept else (piece,)


class Joining(Tampering):
    """Sends two pieces as one."""

    def change(self, piece: Batch) -> tuple[Batch, ...]:
        if self.seen == 1:
            self.kept = piece
            return ()
        return (Batch(self.kept.layers + piece.layers),) if self.seen == 2 and self.kept else ()


class Ending(Tampering):
    """Sends a piece that is not full, and nothing else."""

    def change(self, piece: Batch) -> tuple[Batch, ...]:
        return (Batch(piece.layers[:-1]),) if self.seen == 1 else ()


class Marking(Tampering):
    """Turns over a bit of a layer in the second piece."""

    def change(self, piece: Batch) -> tuple[Batch, ...]:
        *some, last = piece.layers
        return (Batch((*some, last[:-1] + bytes([last[-1] ^ 1]))),) if self.seen == 2 else (piece,)


LATE = "no batch that could be taken came from shuffler-1 to curator within 180 seconds"
OTHER = "shuffler-1 delivered another batch to curator than it accounted for"
TAMPERED: dict[type[Tampering], tuple[str, dict[Reason, int]]] = {
    Losing: (OTHER, {Reason.UNEXPECTED: 1}),
    Withholding: (LATE, {}),
    Swapping: (LATE, {Reason.MALFORMED: 1}),
    Joining: (LATE, {Reason.MALFORMED: 1}),
    Ending: (OTHER, {Reason.UNEXPECTED: 1}),
    Marking: (OTHER, {Reason.UNEXPECTED: 1}),
}


@pytest.mark.parametrize("fault", TAMPERED)
def test_who_tampers_with_a_piece_burns_the_round(fault: type[Tampering], in_pieces: None) -> None:
    """Three pieces hold the twelve people's 36 layers."""
    played = KIT.run(ROWS, faults={"shuffler-1": fault})
    burned, refused = TAMPERED[fault]
    assert played.board.burned == burned
    assert played.refused("curator", 1) == refused
    assert not played.transcript.reads


@given(CHANCES, st.booleans())
def test_runs_leave_sorted_each_layer_once(runs: list[list[bytes]], merged: bool) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(spool, "MEMORY_LIMIT", 10)
        if merged:
            patch.setattr(batches, "PART", 6)
        sorting = Sorting(3)
        for run in runs:
            sorting.add(LayerRun(_cut(list(run)), len(run), Counter()))
        batch, digest = sorting.batch()
    every = [layer for run in runs for layer in run]
    assert list(batch) == sorted(set(every))
    assert sorting.layers == len(every)
    assert digest == batch_digest(sorted(set(every)))


def test_a_run_is_cut_where_layers_begin_otherwise() -> None:
    layers = [bytes([1, second, third]) for second in (255, 0, 7, 7) for third in (9, 1)]
    parts = _cut([*layers, b"\2\7x"])
    assert b"".join(some for _, some in parts) == b"".join(sorted(layers)) + b"\2\7x"
    assert [prefix for prefix, _ in parts] == [b"\1\0", b"\1\7", b"\1\xff", b"\2\7"]
    assert _cut([]) == ()


def test_a_piece_is_as_many_layers_as_fit() -> None:
    played = KIT.run(ROWS, shufflers=2)
    board = played.board
    assert board.announcement is not None
    plan = open_round(board.announcement, board.session, board.calls[0])
    for hop in (2, 3):
        assert piece_size(plan, hop) == mixing.PIECE // plan.inner[hop]


class Boasting(Endpoint):
    """A shuffler that accounts for far more layers than there can be, and would send on and on."""

    async def post(self, body: Body) -> None:
        if isinstance(body, Mixed):
            body = replace(body, forwarded=1 << 31)
        await super().post(body)

    async def send(self, plan: Round, receiver: str, body: Body) -> None:
        if isinstance(body, Batch):
            to = parties.index(self.party) + 2
            full = Batch(tuple([bytes(plan.inner[to])] * piece_size(plan, to)))
            for _ in range(20):
                await super().send(plan, receiver, full)
        else:
            await super().send(plan, receiver, body)


@pytest.mark.memory
@pytest.mark.parametrize("hop", [1, 2])
def test_a_batch_of_more_than_registered_people_have_sent_is_not_taken(
    hop: int, in_pieces: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No more is written down than there could be, and then the round is burned."""
    written = 0
    extend = spool.Spool.extend

    def noting(held: spool.Spool, values: Any) -> None:
        nonlocal written
        some = list(values)
        written += sum(not any(layer) for layer in some)  # the junk
        extend(held, some)

    monkeypatch.setattr(spool.Spool, "extend", noting)
    registered = Guards(registered=len(ROWS))
    boast = {f"shuffler-{hop}": Boasting}
    run = KIT.run(ROWS, shufflers=2, guards=registered, faults=boast)
    assert run.board.burned == f"shuffler-{hop} sends on more layers than 12 people have sent"
    assert 0 < written < len(ROWS) * 3
    party = "shuffler-2" if hop == 1 else "curator"
    assert counted(run)[party, 1, Reason.MALFORMED] == 1
