"""A request for tokens that is lost or refused: one person less in a release, among few others.

The party that can keep `min_dropout` - 1 people away took out one more by its request: nobody had
seen that it asked. Subtracting the release from round 1, and the people of the coalition, gives its
row. A request without an answer is now made on the board, and one without an answer there burns.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
import role_kit as KIT
import trio
from veilmix.crypto.entropy import SeededEntropy
from veilmix.crypto.tokens import TokenKey
from veilmix.protocol.rounds.round_context import Round
from veilmix.protocol.rounds.tokens import give, make_asks
from veilmix.protocol.wire.announcement import AnnouncedPolicy, Rules
from veilmix.protocol.wire.frames import kind_of
from veilmix.protocol.wire.messages import Body, Kind
from veilmix.protocol.wire.token_messages import Ask, Grant, Issued, PublicGrant, Roll
from veilmix.roles.cast import Guards
from veilmix.roles.network.memory_network import Endpoint, Network

pytestmark = pytest.mark.memory

MANY, TARGET = 20, "user-5"
ROWS = KIT.people(MANY)
FRIENDS: Mapping[str, Any] = KIT.attack(user_1=("absent", [2]), user_2=("absent", [2]))
DENIED = f"{TARGET} asked for tokens on the board, and was given none"


def played(faults: Mapping[str, Any], **changes: Any) -> KIT.Run:
    """A session of which three people at least must leave together, if any do."""
    fields: dict[str, Any] = {
        "policy": AnnouncedPolicy(2, 0.5, "fixed", publish_marginals=True),
        "rules": Rules(min_dropout=3, tokens=True),
        "guards": Guards(registered=MANY),
        "faults": faults,
    }
    return KIT.run(ROWS, **fields | changes)


def row_read(run: KIT.Run, friends: Sequence[int] = (0, 1)) -> list[str]:
    """What is left of round 1 without the release and the friends, of the columns released.

    The coalition knows nothing but the board and the rows of its own people.
    """
    board = run.board
    if board.burned is not None or len(board.tallies) < 2:
        return []
    assert board.tallies[0].counts is not None
    assert board.tallies[1].counts is not None
    values: list[str] = []
    for place, column in enumerate(board.calls[1].asks[0]):
        left = {cell[0]: people for cell, people in board.tallies[0].counts[column].items()}
        for cell, people in board.tallies[1].counts[0].items():
            left[cell[place]] -= people
        for friend in friends:
            left[ROWS[friend][column]] -= 1
        values += [value for value, people in left.items() if people == 1]
    return values


class Denying(Endpoint):
    """A reader that gives one person no tokens, whatever it asks."""

    async def send(self, plan: Round, receiver: str, body: Body) -> None:
        """Give all others theirs."""
        if not (isinstance(body, Grant) and receiver == TARGET):
            await super().send(plan, receiver, body)

    async def post(self, body: Body) -> None:
        """Nor before everybody."""
        if not isinstance(body, PublicGrant):
            await super().post(body)


@pytest.mark.parametrize(("reader", "round_"), [("curator", 1), ("analyst", 2)])
@pytest.mark.parametrize("shufflers", [1, 3])
def test_a_reader_that_denies_one_person_tokens_reads_nothing(
    reader: str, round_: int, shufflers: int
) -> None:
    run = played({**FRIENDS, reader: Denying}, shufflers=shufflers)
    assert row_read(run) == []
    assert run.board.burned == DENIED
    assert len(run.board.tallies) == round_ - 1
    assert run.board.alarms == []


class Losing:
    """Loses letters of one kind from or to one person, in some rounds."""

    def __init__(self, kind: Kind, rounds: Sequence[int]) -> None:
        self.kind = kind
        self.rounds = rounds
        self.lost = 0

    async def passes(self, network: Network, sender: str, receiver: str, data: bytes) -> bool:
        """Whether a letter is none of these."""
        await trio.lowlevel.checkpoint()
        here = network.board.calls[-1].round in self.rounds
        lost = here and TARGET in (sender, receiver) and kind_of(data) is self.kind
        self.lost += lost
        return not lost


@pytest.mark.parametrize("rounds", [[1], [2], [1, 2]])
@pytest.mark.parametrize("kind", [Kind.ASK, Kind.GRANT])
def test_a_lost_request_is_answered_on_the_board(kind: Kind, rounds: list[int]) -> None:
    wire = Losing(kind, rounds)
    run, honest = played({}, wire=wire), played({})
    assert wire.lost == len(rounds)
    assert run.results == honest.results
    assert run.board.burned is None
    assert run.board.issued == {1: MANY, 2: MANY}
    assert sorted(run.board.public_asks.grants) == rounds
    assert run.transcript.refusals == []
    assert run.board.alarms == []  # nobody is accused of what nobody did


@pytest.mark.parametrize("kind", [Kind.ASK, Kind.GRANT])
def test_who_loses_one_persons_letters_reads_nothing(kind: Kind) -> None:
    run = played(FRIENDS, wire=Losing(kind, [2]))
    assert row_read(run) == []
    assert run.board.burned is not None
    assert run.board.burned.startswith(f"2 of {MANY} people are missing")


class ShortRoll(Endpoint):
    """A curator that leaves its friends and the target out of the roll."""

    left_out = frozenset({0, 1, 4})

    async def send(self, plan: Round, receiver: str, body: Body) -> None:
        """Tell the analyst of all others."""
        if isinstance(body, Roll):
            body = Roll(tuple(index for index in body.people if index not in self.left_out))
        await super().send(plan, receiver, body)


class ShortNumber(ShortRoll):
    """One that posts the number that fits such a roll."""

    async def post(self, body: Body) -> None:
        """Of as many people as the roll names."""
        if isinstance(body, Issued):
            body = Issued(body.people - len(self.left_out))
        await super().post(body)


def test_a_roll_of_fewer_than_were_given_tokens_burns() -> None:
    run = played({**FRIENDS, "curator": ShortRoll})
    assert row_read(run) == []
    assert run.board.burned == (
        f"the roll of round 1 names {MANY - 3} people, and its reader posted that {MANY} were "
        "given tokens"
    )


def test_a_number_that_is_not_that_of_the_envelopes_is_refused() -> None:
    run = played({**FRIENDS, "curator": ShortNumber})
    assert row_read(run) == []
    assert run.board.burned == "the board refused the issued of curator: unexpected"


class OtherRoll(Endpoint):
    """A curator that names somebody in the roll who was away, in the place of the target."""

    async def send(self, plan: Round, receiver: str, body: Body) -> None:
        """Keep the number as it is."""
        if isinstance(body, Roll):
            body = Roll(tuple(sorted({*body.people, 19} - {4})))
        await super().send(plan, receiver, body)


def test_a_roll_with_another_name_burns_when_the_target_asks() -> None:
    friends = KIT.attack(user_1=("absent", [2]), user_2=("absent", [2]), user_20=("absent", [1]))
    run = played({**friends, "curator": OtherRoll})
    assert row_read(run) == []
    assert run.board.burned == DENIED


class OtherKey(Endpoint):
    """A reader whose answer on the board is of a key of the person's own."""

    async def send(self, plan: Round, receiver: str, body: Body) -> None:
        """Answer no letter of it."""
        if not (isinstance(body, Grant) and receiver == TARGET):
            await super().send(plan, receiver, body)

    async def post(self, body: Body) -> None:
        """Answer there with something that is no evaluation by the key of all others."""
        if isinstance(body, PublicGrant):
            asked = Ask(body.grant.elements, bytes(64))
            (answer,) = give(TokenKey(SeededEntropy(77)), [asked])
            assert isinstance(answer, Grant)
            body = PublicGrant(body.person, answer)
        await super().post(body)


def test_an_answer_of_another_key_is_none() -> None:
    assert played({"analyst": OtherKey}).board.burned == DENIED


class Asking(Endpoint):
    """A user that asks on the board as well, though its letter was answered."""

    other = False

    async def send(self, plan: Round, receiver: str, body: Body) -> None:
        """Ask there first, for the same or for other tokens."""
        if isinstance(body, Ask) and self.signer is not None:
            other = make_asks(plan, [self.signer], [SeededEntropy(8)])[0].body
            await self.post(other if self.other else body)
        await super().send(plan, receiver, body)


class AskingTwice(Asking):
    """One that would have twice as many tokens as others."""

    other = True


def test_an_answer_that_was_given_is_shown_again_and_stops_nothing() -> None:
    run = played({"user-3": Asking})
    assert run.results == played({}).results
    assert run.board.issued == {1: MANY, 2: MANY}
    assert sorted(run.board.public_asks.grants[1]) == [2]


def test_who_asks_for_twice_as_many_tokens_burns_the_round() -> None:
    run = played({"user-3": AskingTwice})
    assert run.board.burned == "user-3 has asked for tokens twice, in two ways"
    assert run.board.tallies == []


def test_who_was_away_in_round_one_stops_nothing_by_asking_in_round_two() -> None:
    run = played(KIT.attack(user_3=("absent", [1])))
    assert run.board.burned is None
    assert sorted(run.board.public_asks.unanswered(2)) == ["user-3"]
    assert run.board.issued == {1: MANY - 1, 2: MANY - 1}
    assert run.board.alarms == []


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("gone", [{}, {"user_4": ("absent", [1, 2])}, {"user_4": ("late", [2])}])
def test_nobody_asks_on_the_board_where_all_letters_arrive(gone: dict[str, Any], seed: int) -> None:
    run = played(KIT.attack(**gone), seed=seed)
    assert run.board.public_asks.asks == {}
    assert run.board.alarms == []


def test_a_person_that_is_cut_off_from_the_board_too_is_still_taken_out() -> None:
    """The limit of this countermeasure, which docs/attacks.md names (S5)."""

    class CutOff(Endpoint):
        async def post(self, body: Body) -> None:
            await trio.lowlevel.checkpoint()

    run = played({**FRIENDS, TARGET: CutOff}, wire=Losing(Kind.ASK, [2]))
    assert row_read(run) == [ROWS[4][0], ROWS[4][2]]
