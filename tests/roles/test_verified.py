"""Sessions with a verified mix: the ideal result, and every cheat of a keyholder is refused."""

import hashlib
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
import role_kit as KIT
import verified_session_kit as VERIFIED
from veilmix.crypto.entropy import SeededEntropy
from veilmix.crypto.verified.rows import CiphertextRows
from veilmix.crypto.verified.shares import DecryptionShares
from veilmix.errors import Reason
from veilmix.protocol.board.phases import Phase
from veilmix.protocol.rounds.registered_users import submission
from veilmix.protocol.rounds.round_context import Round
from veilmix.protocol.rounds.verified_answers import AnswerElements
from veilmix.protocol.rounds.verified_round import (
    GROUP,
    first_lists,
    joint_keys,
    make_ballots,
    read_opened,
    shuffle,
)
from veilmix.protocol.wire.announcement import Program
from veilmix.protocol.wire.hiding_rules import BLANK, Redact
from veilmix.protocol.wire.messages import Body, Submission, Tally
from veilmix.protocol.wire.parties import shuffler, user
from veilmix.protocol.wire.schema import Feature, Schema
from veilmix.protocol.wire.verified_messages import (
    BallotKeys,
    CheckedBallots,
    HandedBallots,
    OpeningShares,
    ShuffledLists,
)
from veilmix.roles.network.memory_network import Endpoint, Fault
from verified_kit import add

Change = Callable[[Any], Body | None]


@pytest.mark.memory
@pytest.mark.slow
@pytest.mark.parametrize("policy", [VERIFIED.SECRET, VERIFIED.PUBLISHED], ids=["secret", "public"])
@pytest.mark.parametrize("shufflers", [1, 3])
def test_real_is_ideal(policy: Any, shufflers: int) -> None:
    cast = VERIFIED.cast(policy=policy, shufflers=shufflers)
    run = KIT.run(cast)
    assert run.board.phase is Phase.OVER
    assert run.ideal() == KIT.ideal(cast)
    assert run.ideal()[2]


def test_with_other_people_in_the_second_round() -> None:
    cast = VERIFIED.small(8, **VERIFIED.statistical())
    run = KIT.run(cast)
    assert run.ideal() == KIT.ideal(cast)
    assert [len(run.board.verified.closed[number]) for number in (1, 2)] == [4, 4]


MISSING = {
    "one says nothing": {1: "absent"},
    "one is late": {0: "late"},
    "one sends twice": {0: "duplicate"},
    "one sends what nobody signed": {3: "malformed"},
    "too few are left": {0: "absent", 1: "late", 2: "malformed"},
}


@pytest.mark.memory
@pytest.mark.parametrize("name", MISSING)
@pytest.mark.parametrize("number", [1, 2])
def test_people_who_are_missing(name: str, number: int) -> None:
    wrong = MISSING[name]
    faults = {f"user_{index + 1}": (what, [number]) for index, what in wrong.items()}
    cast = VERIFIED.small(5, faults=KIT.attack(**faults))
    gone = [index for index, what in wrong.items() if what != "duplicate"]
    absent = {number: gone}
    run = KIT.run(cast)
    assert run.ideal() == KIT.ideal(cast, absent)
    if run.board.burned is not None:  # before any share, and not by the reader alone
        assert len(run.board.calls) not in run.board.verified.shared


@pytest.mark.memory
def test_each_door_counts_what_it_refuses() -> None:
    faults = KIT.attack(user_1="duplicate", user_2="malformed")
    run = KIT.run(VERIFIED.small(5, faults=faults))
    for party in ("curator", "shuffler-1", "shuffler-2"):
        refused = {Reason.DUPLICATE: 1, Reason.UNREGISTERED: 1}
        assert run.refused(party, 1) == refused, party


@pytest.mark.memory
def test_values_that_are_left_blank_and_long_ones() -> None:
    schema = Schema((Feature("town", ("Llanfairpwllgwyngyllgogerychwyrndrob", "Ely", "Bath")),))
    rows = [(schema.features[0].values or ())[i % 3 : i % 3 + 1] for i in range(6)]
    strategy = KIT.Asking(kept=(0,), hidden=(Redact(0, ("Ely",), 0),))
    cast = VERIFIED.small(6, schema=schema, row=rows.__getitem__, decide=strategy)
    cast = replace(cast, program=Program.LOCAL_SUPPRESSION)
    run = KIT.run(cast)
    assert run.board.burned is None
    long, blank, short = "Llanfairpwllgwyngyllgogerychwyrndrob", BLANK, "Bath"
    assert run.board.tallies[-1].counts == ({(long,): 2, (blank,): 2, (short,): 2},)


def test_a_seeded_session_is_the_same_each_time() -> None:
    first, again = (KIT.run(VERIFIED.small(5, seed=7)).board.digest() for _ in range(2))
    other = KIT.run(VERIFIED.small(5, seed=8)).board.digest()
    assert first == again != other


def flipped(data: bytes) -> bytes:
    """Change the last scalar of a record."""
    return data[:-32] + bytes([data[-32] ^ 1]) + data[-31:]


def moved(record: bytes) -> bytes:
    """Add the generator to the first share."""
    return record[:4] + add(record[4:36]) + record[36:]


def nothing(_body: Body) -> None:
    """Post nothing."""


def not_an_element(rows: list[bytes]) -> list[bytes]:
    return [b"\xff" * 32 + rows[0][32:], *rows[1:]]


def marked(rows: list[bytes]) -> list[bytes]:
    """Add the generator to the value of the first row."""
    return [rows[0][:32] + add(rows[0][32:]), *rows[1:]]


def sent_on(rows: list[bytes]) -> list[bytes]:
    return [rows[1], rows[0], *rows[2:]]


CHEATS: dict[str, tuple[str, type, Change, str]] = {
    "exchanges a ballot": (
        *("shuffler-1", ShuffledLists, VERIFIED.with_rows(marked)),
        "the shuffle of shuffler-1 does not check (question 1)",
    ),
    "doubles a ballot": (
        *("shuffler-2", ShuffledLists, VERIFIED.with_rows(lambda rows: [rows[1], *rows[1:]])),
        "the shuffle of shuffler-2 does not check (question 1)",
    ),
    "drops a ballot": (
        *("shuffler-1", ShuffledLists, VERIFIED.with_rows(lambda rows: rows[1:])),
        "no shuffled lists came from shuffler-1",
    ),
    "adds a ballot": (
        *("shuffler-2", ShuffledLists, VERIFIED.with_rows(lambda rows: [*rows, rows[0]])),
        "no shuffled lists came from shuffler-2",
    ),
    "posts another order": (
        *("shuffler-2", ShuffledLists, VERIFIED.with_rows(sent_on)),
        "the shuffle of shuffler-2 does not check (question 1)",
    ),
    "posts no element": (
        *("shuffler-1", ShuffledLists, VERIFIED.with_rows(not_an_element)),
        "the shuffle of shuffler-1 does not check (question 1): malformed: rows",
    ),
    "forges a proof": (
        *("shuffler-1", ShuffledLists, VERIFIED.with_proof(flipped)),
        "the shuffle of shuffler-1 does not check (question 1)",
    ),
    "claims the next hop": (
        *("shuffler-1", ShuffledLists, lambda body: replace(body, hop=2)),
        "no shuffled lists came from shuffler-1",
    ),
    "posts no list": (
        *("shuffler-2", ShuffledLists, nothing),
        "no shuffled lists came from shuffler-2",
    ),
    "gives a wrong share": (
        *("shuffler-2", OpeningShares, VERIFIED.with_share(moved)),
        "the decryption shares of shuffler-2 do not check (question 1)",
    ),
    "forges the proof of shares": (
        *("shuffler-1", OpeningShares, VERIFIED.with_share(flipped)),
        "the decryption shares of shuffler-1 do not check (question 1)",
    ),
    "gives no share": (
        *("shuffler-1", OpeningShares, nothing),
        "no decryption shares came from shuffler-1",
    ),
    "posts no keys": (
        "shuffler-1",
        BallotKeys,
        nothing,
        "no keys for ballots came from shuffler-1",
    ),
    "posts a key that is not its own": (
        *("shuffler-2", BallotKeys, lambda body: BallotKeys((flipped(body.keys[0]),))),
        "no keys for ballots came from shuffler-2",
    ),
    "posts no ballots": (
        *("shuffler-1", HandedBallots, nothing),
        "no ballots came from shuffler-1",
    ),
    "says nothing of ballots": (
        *("shuffler-2", CheckedBallots, nothing),
        "no verdict on ballots came from shuffler-2",
    ),
    "has checked another list": (
        *("shuffler-2", CheckedBallots, lambda _: CheckedBallots(bytes(32))),
        "no verdict on ballots came from shuffler-2",
    ),
}


@pytest.mark.memory
@pytest.mark.parametrize("name", CHEATS)
def test_a_cheat_of_a_shuffler_is_refused_and_named(name: str) -> None:
    party, kind, change, why = CHEATS[name]
    cast = VERIFIED.small(4, faults={party: VERIFIED.changing(kind, change)})
    run = KIT.run(cast)
    assert run.board.phase is Phase.OVER
    assert run.board.burned is not None
    assert why in run.board.burned
    assert run.board.tallies == []
    assert run.transcript.reads == []


@pytest.mark.memory
def test_shares_before_all_proofs_are_refused() -> None:
    """A shuffler gives shares of its own list before the next hop: the board takes none."""

    async def act(me: VERIFIED.Cheat, body: Body, post: VERIFIED.Posting) -> None:
        await post(body)
        if isinstance(body, ShuffledLists):
            await post(OpeningShares((bytes(68 + 32 * 4),)))

    run = KIT.run(VERIFIED.small(4, faults={"shuffler-1": VERIFIED.cheat(act)}))
    assert run.board.burned == "no decryption shares came from shuffler-1"
    assert run.board.verified.shared[1].keys() == {"shuffler-2"}
    assert run.board.tallies == []


@pytest.mark.memory
@pytest.mark.parametrize("policy", [VERIFIED.SECRET, VERIFIED.PUBLISHED], ids=["secret", "public"])
def test_a_keyholder_that_hands_on_nothing_leaves_nobody_out(policy: Any) -> None:
    empty = VERIFIED.changing(HandedBallots, lambda _: HandedBallots(()))
    cast = VERIFIED.small(4, policy=policy, faults={"curator": empty})
    run = KIT.run(cast)
    assert run.board.burned == "no verdict on ballots came from curator"
    doors = run.board.verified.handed[1]
    assert [len(doors[party].people) for party in ("curator", "shuffler-1", "shuffler-2")] == [
        *(0, 4, 0)
    ]


class Deaf(Endpoint):
    """A shuffler that takes nobody's ballots."""

    async def receive(self, *kinds: Any, limit: int = 1024) -> Any:
        """Lose what comes."""
        await super().receive(*kinds, limit=limit)
        return ()


@pytest.mark.memory
def test_one_honest_door_is_enough() -> None:
    deaf: dict[str, Fault] = dict.fromkeys(("curator", "shuffler-1", "analyst"), Deaf)
    cast = VERIFIED.small(4, faults=deaf)
    run = KIT.run(cast)
    assert run.ideal() == KIT.ideal(cast)
    assert [len(posted.people) for posted in run.board.verified.handed[1].values()] == [0, 0, 4]


@pytest.mark.memory
def test_ballots_that_nobody_signed_name_who_posted_them() -> None:
    def forged(body: HandedBallots) -> HandedBallots:
        first, *others = body.people
        return HandedBallots((replace(first, signature=bytes(64)), *others))

    cast = VERIFIED.small(4, faults={"curator": VERIFIED.changing(HandedBallots, forged)})
    run = KIT.run(cast)
    assert run.board.burned is not None
    assert "curator posted ballots of user-1 that do not check" in run.board.burned


class Copying(Endpoint):
    """A user that hands in the records of ballots with the proof of other ones, and signs them."""

    async def send(self, plan: Round, receiver: str, body: Body) -> None:
        """Send them."""
        if isinstance(body, Submission):
            records = body.envelope[:64] + flipped(body.envelope[64:])
            body = submission(plan, records, self.signer)
        await super().send(plan, receiver, body)


@pytest.mark.memory
def test_ballots_without_their_proof_are_refused() -> None:
    run = KIT.run(VERIFIED.small(4, faults={user(0): Copying}))
    assert run.refused("shuffler-1", 1) == {Reason.MALFORMED: 1}
    assert run.board.tallies[0].totals == (3,)


class TwoFaced(Endpoint):
    """A user that hands other ballots to one keyholder, all of them well made."""

    async def send(self, plan: Round, receiver: str, body: Body) -> None:
        """Send other ballots to the first shuffler."""
        if isinstance(body, Submission) and receiver == shuffler(1):
            body = self.other(plan)
        await super().send(plan, receiver, body)

    def other(self, plan: Round) -> Submission:
        """Make ballots of the same answer under other salts."""
        keys = joint_keys(plan, self.board.verified.keys[plan.call.round])
        fresh = SeededEntropy(3)
        records = make_ballots(plan, keys, AnswerElements(plan), 0, ("yes",), fresh)
        return submission(plan, records, self.signer)


@pytest.mark.memory
def test_of_two_ballots_of_a_user_one_counts_for_all() -> None:
    cast = VERIFIED.small(4, faults={user(0): TwoFaced})
    run = KIT.run(cast)
    assert run.board.burned is None
    doors = run.board.verified.handed[1]
    assert [len(doors[party].people) for party in ("curator", "shuffler-1", "shuffler-2")] == [
        *(4, 1, 0)
    ]
    assert sum(run.board.tallies[0].totals) == 4
    both = [next(one for one in doors[name].people if one.person == 0) for name in list(doors)[:2]]
    least = min(both, key=lambda one: hashlib.sha256(one.ballots).digest())
    assert run.board.verified.closed[1][0] == least.ballots


@pytest.mark.memory
def test_a_shuffler_gives_no_shares_of_lists_that_others_shuffled_in_its_name() -> None:
    """The lists on the board are a right shuffle, but the order is not its own."""

    async def act(me: VERIFIED.Cheat, body: Body, post: VERIFIED.Posting) -> None:
        if isinstance(body, ShuffledLists):
            plan, shown = me.plan(me.board.calls[-1]), me.board.verified
            keys = joint_keys(plan, shown.keys[1])
            old = first_lists(plan, shown.closed[1])
            body = shuffle(plan, me.party, keys, old, SeededEntropy(9))
        await post(body)

    run = KIT.run(VERIFIED.small(4, faults={"shuffler-1": VERIFIED.cheat(act)}))
    assert run.board.burned == "no decryption shares came from shuffler-1"


class Flooder(Endpoint):
    """A user that sends before its ballots others that it has not signed."""

    async def send(self, plan: Round, receiver: str, body: Body) -> None:
        """Send 20 others, and one of another size."""
        if isinstance(body, Submission):
            for at in range(20):
                junk = bytes([at]) * len(body.envelope)
                await super().send(plan, receiver, replace(body, envelope=junk))
            await super().send(plan, receiver, replace(body, envelope=body.envelope + b"!"))
        await super().send(plan, receiver, body)


@pytest.mark.memory
def test_a_door_looks_at_so_many_submissions_of_a_user() -> None:
    run = KIT.run(VERIFIED.small(4, faults={user(0): Flooder}))
    refused = {Reason.UNREGISTERED: 16, Reason.DUPLICATE: 6}
    assert run.refused("shuffler-2", 1) == refused
    assert run.board.tallies[0].totals == (3,)


@pytest.mark.memory
def test_ballots_of_another_size_are_refused_at_the_door() -> None:
    def longer(body: Submission) -> Submission:
        return replace(body, envelope=body.envelope + b"!")

    class Longer(Endpoint):
        """A user that sends a byte too many."""

        async def send(self, plan: Round, receiver: str, body: Body) -> None:
            """Send it."""
            await super().send(
                plan, receiver, longer(body) if isinstance(body, Submission) else body
            )

    run = KIT.run(VERIFIED.small(4, faults={user(0): Longer}))
    assert run.board.burned is None
    assert run.refused("curator", 1) == {Reason.WRONG_SIZE: 1}


@pytest.mark.memory
def test_a_tally_that_shares_do_not_open_is_refused() -> None:
    def other(body: Tally) -> Tally:
        return replace(body, counts=({("yes",): 4},))

    cast = VERIFIED.small(
        4, policy=VERIFIED.PUBLISHED, faults={"curator": VERIFIED.changing(Tally, other)}
    )
    run = KIT.run(cast)
    assert run.board.tallies == []
    assert run.board.burned is not None
    assert "curator" in run.board.burned


READERS = {"curator": 1, "analyst": 2}  # the round that each reads


@pytest.mark.memory
@pytest.mark.parametrize("party", READERS)
def test_wrong_shares_of_a_reader_are_found_before_the_end(party: str) -> None:
    """They open something else, and the tally is of that; whoever looks next burns the session."""
    number = READERS[party]

    async def act(me: VERIFIED.Cheat, body: Body, post: VERIFIED.Posting) -> None:
        if len(me.board.calls) == number and isinstance(body, OpeningShares):
            body = VERIFIED.with_share(moved)(body)
            me.kept[OpeningShares] = body
        elif isinstance(body, Tally) and OpeningShares in me.kept:
            body = opened_by(me)
        await post(body)

    def opened_by(me: VERIFIED.Cheat) -> Tally:
        """The tally that the posted shares lead to: one answer less, malformed."""
        plan, shown = me.plan(me.board.calls[-1]), me.board.verified
        lists = tuple(
            CiphertextRows.decode(GROUP, record) for record in shown.shuffled[number][-1].lists
        )
        shares = [
            [DecryptionShares.decode(GROUP, r).elements for r in shown.shared[number][name].shares]
            for name in plan.openers
        ]
        reading = read_opened(plan, lists, shares)
        assert reading.refused == {Reason.MALFORMED: 1}
        return Tally(reading.totals, reading.refused, tuple(dict(c) for c in reading.counts))

    cast = VERIFIED.small(4, policy=VERIFIED.PUBLISHED, faults={party: VERIFIED.cheat(act)})
    run = KIT.run(cast)
    assert run.board.burned is not None
    assert f"the decryption shares of {party} do not check" in run.board.burned
    assert not run.board.opened
