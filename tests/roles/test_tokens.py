"""Tokens: who has none is not counted, and whoever was given some is, or the round burns."""

import hashlib
from collections import Counter
from contextlib import nullcontext
from typing import Any

import pytest
import role_kit as KIT
from veilmix.crypto.entropy import SeededEntropy
from veilmix.crypto.montgomery import base_multiples
from veilmix.crypto.signing import Signer
from veilmix.crypto.tokens import TokenKey
from veilmix.errors import Reason, RoundBurned
from veilmix.protocol.knowledge.view import view
from veilmix.protocol.rounds.round_context import Round, open_round
from veilmix.protocol.rounds.tallying import BallotReading
from veilmix.protocol.rounds.tokens import give, make_asks
from veilmix.protocol.wire.announcement import Rules
from veilmix.protocol.wire.frames import decode_message
from veilmix.protocol.wire.messages import Body, Kind, Submission, Tally
from veilmix.protocol.wire.parties import user
from veilmix.protocol.wire.token_messages import Ask, Grant, Issued, Roll
from veilmix.roles import mint
from veilmix.roles.cast import Guards
from veilmix.roles.network.memory_network import INBOX, Bag, Endpoint, Network
from veilmix.scenarios.attacks.faults.shuffler import Deed, cheat

MANY = 20
ROWS = KIT.people(MANY)
GUARDED: dict[str, Any] = {
    "rules": Rules(min_dropout=3, tokens=True),
    "guards": Guards(registered=MANY),
}


def played(seed: int = 1, **changes: Any) -> KIT.Run:
    return KIT.run(ROWS, seed=seed, **GUARDED | changes)


@pytest.mark.parametrize("shufflers", [1, 3])
def test_with_tokens_the_results_are_those_without(shufflers: int) -> None:
    run = played(shufflers=shufflers)
    assert run.results == KIT.run(ROWS, shufflers=shufflers).results
    assert run.board.issued == {1: MANY, 2: MANY}
    assert not run.transcript.refusals
    assert played(shufflers=shufflers).board.digest() == run.board.digest()


DEEDS = ("subtract", "surround", "substitute", "drop-people", "drop")


@pytest.mark.parametrize("deed", DEEDS)
def test_a_shuffler_puts_in_nobody_and_takes_out_nobody(deed: str) -> None:
    aimed = {} if deed == "drop" else {"target": "user-3"}
    what = Deed(KIT.act(deed), SeededEntropy(3), rate=0.1, **aimed)  # type: ignore[arg-type]
    run = played(faults={"shuffler-1": cheat(what)})
    assert run.board.burned is not None
    assert run.board.burned.startswith(f"{MANY} people were given tokens, and ")


@pytest.mark.parametrize("number", [1, 2])
@pytest.mark.parametrize("fault", ["late", "malformed"])
def test_whoever_takes_tokens_and_sends_nothing_stops_the_round(fault: str, number: int) -> None:
    run = played(faults=KIT.attack(user_3=(fault, [number])))
    assert run.board.burned is not None


def test_whoever_was_away_in_round_one_is_given_none_in_round_two() -> None:
    """Else a friend of the first shuffler answers in the place of somebody who is taken out."""
    run = played(faults=KIT.attack(user_3=("absent", [1])))
    assert run.board.burned is None
    assert run.board.issued == {1: MANY - 1, 2: MANY - 1}
    assert run.refused("analyst", 2) == {Reason.UNEXPECTED: 2}  # in a letter, and on the board


def test_few_who_do_not_ask_again_stop_the_round_whatever_the_first_shuffler_says() -> None:
    hidden = Guards(registered=MANY)
    run = played(faults=KIT.attack(user_3=("absent", [2])), guards=hidden)
    assert run.board.burned is not None
    assert run.board.burned.startswith(f"1 of {MANY} people are missing")


@pytest.mark.memory
@pytest.mark.parametrize(
    ("before", "now", "envelopes", "why"),
    [
        (MANY, MANY, MANY, None),
        (MANY, MANY - 3, MANY - 3, None),  # so many may leave: nobody stands out among them
        (MANY, MANY - 1, MANY - 1, f"1 of {MANY} people are missing"),
        (9, 9, 9, "9 people"),
        (MANY, MANY, MANY + 1, f"and the envelopes of {MANY + 1} were accepted"),
    ],
)
def test_a_reader_counts_those_who_asked_by_itself(
    before: int, now: int, envelopes: int, why: str | None
) -> None:
    """Whatever a first shuffler says of who has come, or does not look at."""
    rules = Rules(min_batch=10, min_dropout=3, tokens=True)
    board = played(rules=rules).board
    assert board.announcement is not None
    plan = open_round(board.announcement, board.session, board.calls[1])
    people = {number: {user(i) for i in range(many)} for number, many in ((1, before), (2, now))}
    reading = BallotReading([Counter({("yes",): now}) for _ in plan.call.asks])
    judged = pytest.raises(RoundBurned, match=why) if why else nullcontext()
    with judged:
        mint.TokenDesk(SeededEntropy(1), people=people).check(plan, reading, envelopes)


class Lender(Endpoint):
    """A friend that takes tokens in both rounds, and answers in the second alone."""

    async def send(self, plan: Round, receiver: str, body: Body) -> None:
        """Send all but the answers of round 1."""
        if not isinstance(body, Submission) or plan.call.round > 1:
            await super().send(plan, receiver, body)


def test_a_friend_that_takes_tokens_for_somebody_else_stops_the_first_round() -> None:
    run = played(faults={"user-3": Lender})
    assert run.board.burned is not None
    assert not run.board.tallies


class Asker(Endpoint):
    """A user that asks in ways of its own."""

    def __init__(self, network: Network, party: str, bodies: Any) -> None:
        super().__init__(network, party)
        self.bodies = bodies

    async def send(self, plan: Round, receiver: str, body: Body) -> None:
        """Send others before the request, or in its place."""
        bodies = self.bodies(self, plan, body) if isinstance(body, Ask) else [body]
        for message in bodies:
            await super().send(plan, receiver, message)

    async def post(self, body: Body) -> None:
        """Make no request again on the board, where it would be in order."""
        if not isinstance(body, Ask):
            await super().post(body)


def asking(bodies: Any) -> dict[str, Any]:
    return {"user-3": lambda network, party: Asker(network, party, bodies)}


def forged(_me: Endpoint, plan: Round, _body: Body) -> list[Body]:
    """Signed by somebody else."""
    return [make_asks(plan, [Signer(SeededEntropy(9))], [SeededEntropy(8)])[0].body]


def spoilt(me: Endpoint, plan: Round, _body: Body) -> list[Body]:
    """Of things that are no elements, and signed."""
    assert me.signer is not None
    elements = (b"\xff" * 32,) * plan.slots
    place = plan.session + bytes([plan.call.round])
    signed = b"veilmix ask 1\0" + place + hashlib.sha256(b"".join(elements)).digest()
    return [Ask(elements, me.signer.sign(signed))]


def more(me: Endpoint, plan: Round, body: Body) -> list[Body]:
    """For one token more than there are questions."""
    assert isinstance(body, Ask)
    return [Ask((*body.elements, body.elements[0]), body.signature)]


def again(_me: Endpoint, _plan: Round, body: Body) -> list[Body]:
    """A hundred times the same."""
    return [body] * 100


REQUESTS: dict[str, tuple[Any, Reason, int]] = {
    "forged": (forged, Reason.UNREGISTERED, 1),
    "no-elements": (spoilt, Reason.MALFORMED, 1),
    "one-too-many": (more, Reason.MALFORMED, 1),
    "a-hundred": (again, Reason.DUPLICATE, 99),
}


@pytest.mark.parametrize("name", REQUESTS)
def test_a_request_that_is_not_in_order_is_refused_and_counted(name: str) -> None:
    bodies, reason, count = REQUESTS[name]
    run = played(faults=asking(bodies))
    assert run.refused("curator", 1) == {reason: count}
    given = MANY if name == "a-hundred" else MANY - 1
    assert run.board.issued[1] == given
    assert run.board.burned is None


def test_no_more_than_a_few_requests_of_a_person_are_looked_at() -> None:
    run = played(faults=asking(lambda *told: forged(*told) * 100))
    looked_at = {Reason.UNREGISTERED: mint.TRIES, Reason.DUPLICATE: 100 - mint.TRIES}
    assert run.refused("curator", 1) == looked_at


class Tagging(Endpoint):
    """A reader that gives one person tokens of another key."""

    async def send(self, plan: Round, receiver: str, body: Body) -> None:
        """Answer user-3 as nobody else: by that key, with its own proof."""
        if isinstance(body, Grant) and receiver == "user-3":
            (answer,) = give(TokenKey(SeededEntropy(77)), [Ask(body.elements, bytes(64))])
            assert isinstance(answer, Grant)
            body = answer
        await super().send(plan, receiver, body)


def test_whoever_is_given_tokens_of_its_own_key_says_nothing() -> None:
    run = played(faults={"curator": Tagging})
    assert run.refused("user-3", 1) == {Reason.DOES_NOT_OPEN: 1}
    assert (
        run.board.burned == f"{MANY} people were given tokens, and {MANY - 1} ballots came with one"
    )
    assert len(run.transcript.sealed_answers) == MANY - 1


class Claiming(Endpoint):
    """A reader that says other numbers than are so."""

    async def post(self, body: Body) -> None:
        """Say that one more was given tokens, or not at all."""
        if isinstance(body, Issued):
            body = Issued(body.people + 1)
        await super().post(body)


class Silent(Endpoint):
    """A reader that does not say to how many it gave tokens."""

    async def post(self, body: Body) -> None:
        """Leave it out."""
        if not isinstance(body, Issued):
            await super().post(body)


@pytest.mark.parametrize(("fault", "what"), [(Claiming, "issued"), (Silent, "tally")])
def test_the_board_takes_no_tally_that_does_not_fit_the_tokens(fault: Any, what: str) -> None:
    run = played(faults={"curator": fault})
    assert run.board.burned is not None
    assert run.board.burned.startswith(f"the board refused the {what}")
    assert not run.board.tallies


def test_who_reads_the_first_round_does_not_mint_for_the_second() -> None:
    """A token of one round is none in another: each has a key of its own."""
    run = played()
    assert len(set(run.board.mints.values())) == 2
    posts = [(author, decode_message(data)) for author, data in run.transcript.posts]
    tallies = [author for author, message in posts if isinstance(message.body, Tally)]
    assert tallies == ["curator", "analyst"]


def test_a_wrong_body_for_the_desk_is_refused() -> None:
    """A submission that somebody sends a reader is refused and counted, and stops nothing."""

    class Confused(Endpoint):
        async def send(self, plan: Round, receiver: str, body: Body) -> None:
            if isinstance(body, Ask):
                await super().send(plan, receiver, Submission(b"not for you"))
            await super().send(plan, receiver, body)

    run = played(faults={"user-3": Confused})
    assert run.board.burned is None
    assert run.refused("curator", 1) == {Reason.UNEXPECTED: 1}


@pytest.mark.parametrize("party", ["curator", "analyst"])
def test_whoever_is_asked_for_tokens_sees_who_takes_part(party: str) -> None:
    assert view(played().transcript, [party]).sees_who
    assert not view(KIT.run(ROWS).transcript, [party]).sees_who
    assert not view(played(shufflers=2).transcript, ["shuffler-2"]).sees_who


class Liar(Endpoint):
    """A shuffler that tells the analyst who was given tokens."""

    async def send(self, plan: Round, receiver: str, body: Body) -> None:
        """Say so before anybody else does."""
        if plan.call.round == 1:
            await super().send(plan, "analyst", Roll(tuple(range(5))))
        await super().send(plan, receiver, body)


def test_who_was_given_tokens_is_heard_from_the_reader_alone() -> None:
    run = played(faults={"shuffler-1": Liar})
    assert run.board.burned is None
    assert run.board.issued == {1: MANY, 2: MANY}
    assert run.refused("analyst", 1) == {Reason.UNEXPECTED: 1}


class Meddling(Endpoint):
    """An analyst that gives a person tokens in the round of the curator."""

    async def receive(self, *kinds: Kind, limit: int = INBOX) -> Bag:
        """Send some before anybody else does, as soon as it waits for the curator's list."""
        if Kind.ROLL in kinds and len(self.board.calls) == 1:
            plan = self.plan(self.board.calls[0])
            (point,) = base_multiples([bytes(32)])
            points = (point,) * plan.slots
            await self.send(plan, "user-3", Grant(points, (point, *points), bytes(32)))
        return await super().receive(*kinds, limit=limit)


def test_tokens_are_taken_from_the_rounds_reader_alone() -> None:
    run = played(faults={"analyst": Meddling})
    assert run.board.burned is None
    assert run.refused("user-3", 1) == {Reason.UNEXPECTED: 1}
