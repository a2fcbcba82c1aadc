"""Checks of parties one by one: a stand-in of the network hands in each wrong input alone."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from types import SimpleNamespace
from typing import Any

import pytest
import trio
import trio.testing
from veilmix.crypto.entropy import SeededEntropy
from veilmix.errors import Reason, Refused, RoundBurned
from veilmix.protocol.board.challenge import COMPLAINTS_END, MARKS_DUE
from veilmix.protocol.board.phases import Phase
from veilmix.protocol.rounds.audit import layer_hash
from veilmix.protocol.rounds.mixing import batch_digest
from veilmix.protocol.rounds.tokens import ask_digest
from veilmix.protocol.wire.announcement import Setting
from veilmix.protocol.wire.messages import Alarm, Batch, Cause, Mixed, Submission
from veilmix.protocol.wire.token_messages import Ask, Grant, PublicGrant, Roll
from veilmix.protocol.wire.verified_messages import HandedBallot, HandedBallots
from veilmix.roles import (
    audit,
    batches,
    board_monitor,
    challenge,
    keyholder,
    mint,
    shuffler,
    verified_door,
)
from veilmix.roles.replies import await_answer

pytestmark = pytest.mark.memory

UNIT = 60.0  # seconds of a round's deadline
LAYERS = (b"one", b"three", b"two")  # in order
GRANT = Grant((bytes(32),), (bytes(32),) * 2, bytes(32))
ASK = Ask((bytes(32),), bytes(64))


@dataclass
class Plan:
    """A stand-in of a round with three keyholders.

    Attributes:
        call: with the number of the round.
        openers: its keyholders, in the order of their hops.
        announcement: the rules that the checks read.
        hops: one for each keyholder.
        slots: onions in an envelope.
        envelope: bytes of an envelope; 0: not padded.
        reader: of the round.
        doors: the keyholders that post ballots.
        witness: of the head of the board.
    """

    call: Any = field(default_factory=lambda: SimpleNamespace(round=2))
    openers: tuple[str, ...] = ("shuffler-1", "shuffler-2", "analyst")
    announcement: Any = field(
        default_factory=lambda: SimpleNamespace(
            rules=SimpleNamespace(deadline=UNIT, audit=True, challenge=True),
            policy=SimpleNamespace(setting=Setting.FIXED),
        )
    )
    hops: tuple[int, ...] = (1, 2, 3)
    slots: int = 2
    envelope: int = 0
    reader: str = "analyst"
    doors: tuple[str, ...] = ("curator",)
    witness: bytes = b""


class Place:
    """A stand-in of a party's place in the network: it keeps the party's posts and refusals."""

    def __init__(self, party: str, **board: Any) -> None:
        self.party = party
        self.board: Any = SimpleNamespace(phase=Phase.COLLECTING, **board)
        self.bodies: list[Any] = []  # of the letters to come, one a letter
        self.senders: list[str] = []
        self.posts: list[Any] = []
        self.refused: list[Reason] = []
        self.burned: list[str] = []

    async def receive(self, **_most: int) -> list[tuple[str, bytes]]:
        """Hand over the next letter."""
        await trio.lowlevel.checkpoint()
        return [(self.senders.pop(0), b"")]

    def accept(self, _plan: Any, _letter: Any) -> Any:
        """Read the next body."""
        return SimpleNamespace(body=self.bodies.pop(0))

    def refuse(self, _plan: Any, reason: Reason) -> None:
        """Keep the reason."""
        self.refused.append(reason)

    async def post(self, body: Any) -> None:
        """Keep the body, without a checkpoint: a deadline that has passed stops no post."""
        self.posts.append(body)

    async def burn(self, why: RoundBurned) -> None:
        """Keep the words."""
        self.burned.append(str(why))

    async def until(self, *_: Any) -> None:
        """End the session."""
        self.board.phase = Phase.OVER


class Pool:
    """A stand-in of workers.

    Attributes:
        pieces: the result of spread work.
    """

    def __init__(self, pieces: Any = ()) -> None:
        self.pieces = pieces

    async def run_alone(self, work: Callable[[], Any]) -> Any:
        """Do the work here."""
        await trio.lowlevel.checkpoint()
        return work()

    async def spread(self, *_: Any) -> Any:
        """Give the result."""
        await trio.lowlevel.checkpoint()
        return self.pieces


def flipped(data: bytes, at: int) -> bytes:
    """Return bytes with a bit of one turned over."""
    changed = bytearray(data)
    changed[at] ^= 1
    return bytes(changed)


@pytest.mark.parametrize("place", [0, 1, 2])
async def test_a_batch_in_disorder_is_shown_wherever_its_account_stands(place: int) -> None:
    others = [b"one digest".ljust(32), b"another".ljust(32)]
    digests = [*others[:place], batch_digest(LAYERS), *others[place:]]
    me: Any = Place("analyst", mixed=[Mixed(1, 3, 3, 3, {}, digest) for digest in digests])
    plan: Any = Plan()
    await keyholder._disordered(me, plan, LAYERS)
    assert [alarm.cause for alarm in me.posts] == [Cause.ORDER]
    unknown: Any = Place("analyst", mixed=[Mixed(1, 3, 3, 3, {}, digest) for digest in others])
    await keyholder._disordered(unknown, plan, LAYERS)
    assert unknown.posts == []


def test_only_a_batch_is_taken_from_the_hop_before() -> None:
    me: Any = Place("analyst")
    arriving: Any = SimpleNamespace(add=pytest.fail)
    plan: Any = Plan()
    me.bodies = [GRANT]
    keyholder._add_layers(me, plan, 3, ("shuffler-2", b""), arriving)
    assert me.refused == [Reason.UNEXPECTED]


@pytest.mark.parametrize("at", [0, 1, 2])
def test_each_hash_of_a_batch_is_compared(at: int) -> None:
    hashes = [layer_hash(layer) for layer in LAYERS]
    shown = (*hashes[:at], bytes(32), *hashes[at + 1 :])
    traced = {2: {1: tuple(hashes), 2: shown}}
    me: Any = Place("shuffler-2", audited=SimpleNamespace(traced=traced))
    plan: Any = Plan()
    audit.check_traced(me, plan, 1, LAYERS)
    with pytest.raises(RoundBurned, match="shuffler-2 delivered another batch"):
        audit.check_traced(me, plan, 2, LAYERS)


def arriving(people: int | None, monkeypatch: pytest.MonkeyPatch) -> batches.Arriving:
    """Return a batch of pieces of two layers, of two onions a person."""
    monkeypatch.setattr(batches, "piece_size", lambda _plan, _hop: 2)
    plan: Any = Plan()
    return batches.Arriving(plan, 2, people)


def account(layers: int) -> Mixed:
    """Return the account of a batch of so many layers."""
    return Mixed(1, 2, layers, layers, {}, bytes(32))


def test_a_piece_has_no_layer_more_than_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(Refused, match="malformed"):
        arriving(None, monkeypatch).add(Batch(LAYERS), account(3))


def test_a_batch_that_goes_on_after_the_last_layer_is_in_excess(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Two people have sent four onions, in two pieces: a third is one too many."""
    batch = arriving(2, monkeypatch)
    batch.add(Batch(LAYERS[:2]), account(5))
    with pytest.raises(Refused, match="malformed"):
        batch.add(Batch(LAYERS[:2]), account(5))
    assert batch.excess


def test_a_user_sends_one_envelope_wherever_it_stands_among_others() -> None:
    memory, collected, plan = shuffler._Memory(), shuffler._Collected(), Plan()
    users = ["user-1", "user-2", "user-3"]
    given: Any = plan
    for user in users:
        shuffler._admit(given, user, b"envelope", memory, collected)
    for user in users:
        with pytest.raises(Refused, match="duplicate"):
            shuffler._admit(given, user, b"other", memory, collected)


async def test_all_alarms_of_a_round_are_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    alarms = [Alarm(1, cause, b"") for cause in (Cause.BALANCE, Cause.ACCOUNTS, Cause.DECISION)]
    monkeypatch.setattr(board_monitor, "seen_wrong", lambda *_: alarms)
    me: Any = Place("analyst", tallies=[object()])
    pool: Any = Pool()
    raised = await board_monitor.BoardMonitor(balance=True).look(me, pool)
    assert me.posts == alarms
    assert raised == {alarm.cause for alarm in alarms}


# --- tokens ---


def desk(*earlier: str) -> mint.TokenDesk:
    """Return the desk of round 2, after a round with these people."""
    made = mint.TokenDesk(SeededEntropy(1), people={1: set(earlier), 2: set()}, answered={2: {}})
    made.keys[2] = SimpleNamespace()  # type: ignore[assignment]
    return made


async def public(
    made: mint.TokenDesk, asks: dict[str, Ask], monkeypatch: pytest.MonkeyPatch
) -> Any:
    """Return the place of an analyst that has answered these requests on the board."""
    monkeypatch.setattr(mint, "give", lambda _key, asked: [GRANT for _ in asked])
    unanswered = SimpleNamespace(unanswered=lambda _number: asks)
    me: Any = Place("analyst", public_asks=unanswered)
    plan: Any = Plan()
    pool: Any = Pool()
    await mint._answer_publicly(me, plan, made, pool)
    return me


async def test_each_request_on_the_board_is_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of three people the one in the middle was there in round 1."""
    asks = {"user-1": ASK, "user-2": ASK, "user-3": ASK}
    me = await public(desk("user-2"), asks, monkeypatch)
    assert me.refused == [Reason.UNEXPECTED] * 2
    assert me.posts == [PublicGrant(1, GRANT)]


@pytest.mark.parametrize("at", [0, -1])
async def test_a_request_on_the_board_is_that_of_the_letter(
    at: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = desk("user-2")
    made.answered[2]["user-2"] = flipped(ask_digest(ASK.elements), at)
    me = await public(made, {"user-2": ASK}, monkeypatch)
    assert me.burned == ["user-2 has asked for tokens twice, in two ways"]
    assert me.posts == []


@pytest.mark.parametrize("posted", [1, 3])
def test_a_roll_has_neither_fewer_nor_more_people_than_were_posted(posted: int) -> None:
    made = desk("user-1", "user-2")
    made.check_roll(1, 2)
    with pytest.raises(RoundBurned, match=f"the roll of round 1 names 2 people.* {posted} were"):
        made.check_roll(1, posted)


def test_a_letter_at_the_desk_is_a_request() -> None:
    me: Any = Place("analyst")
    plan: Any = Plan()
    me.bodies = [Roll((1,)), ASK]
    tries, made = Counter[str](), desk("user-1")
    with pytest.raises(Refused, match="unexpected"):
        mint._read_request(me, plan, made, ("user-1", b""), tries)
    assert mint._read_request(me, plan, made, ("user-1", b""), tries) == ("user-1", ASK)


@pytest.mark.parametrize(("party", "other"), [("curator", "analyst"), ("analyst", "curator")])
async def test_a_user_takes_the_reply_of_the_party_that_it_asked(party: str, other: str) -> None:
    me: Any = Place("user-1")
    good, foreign = replace(GRANT, response=b"good" * 8), GRANT
    me.senders, me.bodies = [other, party, party], [foreign, Roll((1,)), good]
    plan: Any = Plan()
    assert await await_answer(me, plan, party, Grant) is good
    assert me.refused == [Reason.UNEXPECTED] * 2


# --- the challenge ---


@pytest.mark.parametrize("at", [0, 1, 2])
async def test_each_piece_of_the_signatures_counts(at: int) -> None:
    pieces: list[list[Reason | None]] = [[None, None] for _ in range(3)]
    pieces[at][1] = Reason.UNREGISTERED
    me: Any = Place("shuffler-2", registry=object(), heads={})
    plan: Any = Plan()
    pool: Any = Pool(pieces)
    accepted: Any = SimpleNamespace(people=())
    with pytest.raises(RoundBurned, match="1 envelopes were accepted that nobody registered"):
        await challenge.check_signed(me, plan, accepted, pool)


async def test_marks_are_late_half_a_second_after_they_are_due(
    mock_clock: trio.testing.MockClock,
) -> None:
    me: Any = Place("shuffler-2")
    plan: Any = Plan()
    ring: Any = SimpleNamespace(offered={2: trio.current_time() - MARKS_DUE * UNIT - 0.5})
    with pytest.raises(RoundBurned, match="too late for people to look"):
        await challenge.wait_for_people(me, plan, ring)
    assert mock_clock.rate == 0


async def complaints(shown: tuple[int, ...], passed: float, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return the posts of a user whose ballot is missing, so many seconds after it has sent.

    shown: rounds of which a share is shown.
    """
    monkeypatch.setattr(challenge, "takes", lambda *_: True)
    monkeypatch.setattr(challenge.challenge, "missing", lambda *_: 0)
    monkeypatch.setattr(challenge.challenge, "evidence", lambda *_: b"proof")
    rounds = dict.fromkeys((1, 2, 3), object())
    board = SimpleNamespace(
        marks=rounds, accepted=rounds, share_secrets=dict.fromkeys(shown, object())
    )
    me: Any = Place("user-5", challenged=board)
    plan: Any = Plan()
    proofs: Any = ()
    await challenge.contest(
        me, plan, proofs, Submission(b"envelope", b""), trio.current_time() - passed
    )
    return me.posts


async def test_a_complaint_ends_at_its_time_and_at_the_first_share_of_its_round(
    mock_clock: trio.testing.MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The round is the second of three: shares of the others change nothing."""
    last, alarm = COMPLAINTS_END * UNIT, Alarm(2, Cause.CHANGED, b"proof")
    assert await complaints((1, 3), last - 0.5, monkeypatch) == [alarm]
    assert await complaints((), last, monkeypatch) == []
    assert await complaints((1, 2, 3), 0.0, monkeypatch) == []
    assert mock_clock.rate == 0


# --- the door of a verified mix ---


class Closed(dict[int, bytes]):
    """The closed list of an earlier round, of these people."""

    def __init__(self, *people: int) -> None:
        super().__init__(dict.fromkeys(people, b"ballots"))


def door(*before: Closed, setting: Setting = Setting.FIXED, **verified: Any) -> verified_door.Door:
    """Return the door of a keyholder in the round after some others; ballots have 7 bytes."""
    board = SimpleNamespace(prior_lists=lambda _plan: list(before), **verified)
    me: Any = Place("curator", verified=board, registry=object(), tallies=[])
    me.submission = lambda _plan, letter: letter[1]
    plan = Plan(call=SimpleNamespace(round=len(before) + 1), envelope=7)
    plan.announcement.policy.setting = setting
    plan.announcement.rules.min_batch, plan.announcement.rules.min_dropout = 1, 3
    watch: Any = SimpleNamespace(plan=plan, until=me.until, name=lambda *_: "ballots")
    return verified_door.Door(me, watch)


@pytest.fixture
def _bare(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ballots come as they are, without a signature; one door has posted ballots."""
    monkeypatch.setattr(
        verified_door, "handed_of", lambda person, data: HandedBallot(person, data, bytes(64))
    )


def taken(at: verified_door.Door, person: int, ballots: bytes = b"ballots") -> Reason | None:
    """Return the reason for which a door refuses ballots; None: it takes them."""
    letter: Any = (f"user-{person + 1}", ballots)
    try:
        at._keep_ballots(letter)
    except Refused as refusal:
        return refusal.reason
    return None


@pytest.mark.usefixtures("_bare")
def test_a_door_takes_ballots_of_one_size_each_once() -> None:
    here = door()
    assert taken(here, 0, b"ballot") is taken(here, 0, b"ballotss") is Reason.WRONG_SIZE
    others = [b"ballot1", b"ballot2", b"ballot3"]
    for person, ballots in enumerate(others):
        here.ballots[7].append(HandedBallot(7, ballots, bytes(64)))
        assert taken(here, person + 1) is None
    assert [taken(here, 7, ballots) for ballots in others] == [Reason.DUPLICATE] * 3


@pytest.mark.usefixtures("_bare")
def test_a_door_takes_no_ballots_after_the_last_try() -> None:
    here = door()
    tried = [taken(here, 0, bytes([at]) * 7) for at in range(verified_door.TRIES + 1)]
    assert tried == [None] * verified_door.TRIES + [Reason.DUPLICATE]


@pytest.mark.usefixtures("_bare")
@pytest.mark.parametrize(
    ("setting", "invited"), [(Setting.FIXED, [2]), (Setting.STATISTICAL, [3])], ids=str
)
def test_a_door_knows_all_rounds_before(setting: Setting, invited: list[int]) -> None:
    here = door(Closed(0, 1), Closed(2), setting=setting)
    assert [person for person in range(4) if taken(here, person) is None] == invited


@pytest.mark.usefixtures("_bare")
@pytest.mark.parametrize("people", [(5, 9), (9, 5)])
async def test_few_who_left_since_any_round_burn(people: tuple[int, int]) -> None:
    before = [Closed(*range(many)) for many in people]
    here = door(*before, closed={3: Closed(*range(4))})
    with pytest.raises(RoundBurned, match="1 of 5 people are missing"):
        await here.agree(None)


@pytest.mark.usefixtures("_bare")
@pytest.mark.parametrize("at", [0, 1, 2])
async def test_each_verdict_on_posted_ballots_counts(at: int) -> None:
    pool: Any = Pool([Reason.UNREGISTERED if place == at else None for place in range(3)])
    pool.once = pool.spread
    posted = HandedBallots(tuple(HandedBallot(n, b"ballots", bytes(64)) for n in range(3)))
    keys: Any = None
    with pytest.raises(RoundBurned, match="shuffler-1"):
        await door()._check_posted("shuffler-1", posted, keys, pool)
