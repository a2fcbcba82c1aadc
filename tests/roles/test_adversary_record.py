"""The adversary's record: accomplices have every secret of their own, and none of anybody else."""

from typing import Any

import pytest
import role_kit as KIT
from veilmix.crypto.entropy import SeededEntropy
from veilmix.protocol.board.board import Board
from veilmix.protocol.board.phases import BOARD
from veilmix.protocol.knowledge.adversary_view import AdversaryView
from veilmix.protocol.rounds import audit
from veilmix.protocol.rounds.ballots import answers
from veilmix.protocol.wire import parties
from veilmix.protocol.wire.announcement import Program
from veilmix.protocol.wire.messages import Decision, DecisionCertificate
from veilmix.roles.adversary_record import AdversaryRecord
from veilmix.roles.cast import Guards
from veilmix.roles.network.instruments import Instrument

pytestmark = pytest.mark.memory
ROWS = KIT.people(9)
PARTIES = ("user-3", "shuffler-1", "shuffler-2", "curator", "analyst")
Run = tuple[Board, AdversaryRecord, "Times"]


class Times(Instrument):
    """Notes when letters and posts go."""

    def __init__(self) -> None:
        self.letters: list[tuple[float, bytes]] = []
        self.posts: list[float] = []

    def carried(self, time: float, sender: str, receiver: str, data: bytes) -> None:
        if receiver != BOARD:
            self.letters.append((time, data))

    def posted(self, time: float, entry: Any) -> None:
        self.posts.append(time)


@pytest.fixture(scope="module")
def run() -> Run:
    """A session with every guard."""
    record, times = AdversaryRecord(), Times()
    board = KIT.run(
        ROWS,
        [record, times],
        adversary=record,
        shufflers=2,
        rules=KIT.Rules(min_dropout=3, tokens=True, challenge=True, audit=True),
        guards=Guards(registered=len(ROWS)),
        paced=True,
    ).board
    return board, record, times


def test_every_secret_of_a_member_fits_what_it_showed(run: Run) -> None:
    board, record, _ = run
    loot = record.loot(board, PARTIES)
    assert board.roster is not None
    assert board.registry is not None
    for party in ("shuffler-1", "shuffler-2", "analyst"):
        assert loot.keys[party].public == board.keys[party]
    for party in PARTIES[1:]:
        assert loot.signers[party].public == board.roster.key(party)
    assert loot.signers["user-3"].public == board.registry.keys[2]
    minted = {("curator", 1): board.mints[1], ("analyst", 2): board.mints[2]}
    assert {place: key.public for place, key in loot.minting.items()} == minted
    for number, shown in board.challenged.share_secrets.items():
        assert {loot.shares[party, number] for party in shown} == set(shown.values())
    assert len(loot.shares) == 6
    for (party, number), toss in loot.coins.items():
        coin = board.audited.coins[number][party]
        assert audit.coin_of(board.session, number, party, toss) == coin
    assert len(loot.coins) == 6


def test_a_person_among_them_can_make_its_own_receipts(run: Run) -> None:
    """From its entropy and its row follows all that it sent."""
    board, record, _ = run
    loot = record.loot(board, ("user-3",))
    plan = loot.plan(1)
    assert plan is not None
    assert [made.user for made in loot.sealed] == [2, 2]
    drawn = loot.entropies["user-3"].fork("round-1").random(16)
    assert drawn == SeededEntropy(1).fork("user-3").fork("round-1").random(16)
    said = {(answer.ask, answer.values) for answer in answers(plan, ROWS[2])}
    assert set(loot.sealed[0].answers) == said


def test_nobody_has_a_secret_of_somebody_else(run: Run) -> None:
    board, record, _ = run
    for member in PARTIES:
        loot = record.loot(board, (member,))
        held = (loot.keys, loot.signers, loot.entropies)
        assert {party for table in held for party in table} <= {member}
        by_round = (loot.shares, loot.minting, loot.coins)
        assert {party for rounds in by_round for party, _ in rounds} <= {member}
        assert {parties.user(made.user) for made in loot.sealed} <= {member}
    wires: AdversaryView = record.loot(board, ("network",))
    secrets = (wires.keys, wires.signers, wires.shares, wires.minting, wires.coins)
    assert not any((*secrets, wires.entropies, wires.sealed))


def test_letters_and_posts_have_their_times(run: Run) -> None:
    board, record, times = run
    loot = record.loot(board, ("network",))
    seen = [(time, letter.data) for time, letter in zip(loot.times, loot.letters, strict=True)]
    assert seen == times.letters
    assert len({time for time, _ in seen}) > 2 * len(ROWS)  # everybody sends at another moment
    assert list(loot.post_times) == times.posts
    assert len(loot.post_times) == len(board.entries)


@pytest.mark.parametrize("member", ["randomness", "analyst"])
def test_the_keys_of_randomness_are_its_own(member: str) -> None:
    record = AdversaryRecord()

    class Whole:
        def ask(self, *_: Any) -> None:
            return None

        def decide(self, schema: Any, _heard: Any) -> Decision:
            return Decision(
                tuple(range(len(schema.features))), DecisionCertificate("fixed", 2, 0, 0)
            )

    board = KIT.run(
        ROWS, [record], adversary=record, program=Program.THRESHOLD, decide=Whole()
    ).board
    functions = record.loot(board, (member,)).functions
    assert {number: key.public for number, key in functions.items()} == (
        board.mints if member == "randomness" else {}
    )
