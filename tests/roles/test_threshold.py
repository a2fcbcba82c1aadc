"""The program `threshold`, played: what k people share opens, and nothing else does."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest
import role_kit as KIT
from veilmix.crypto.entropy import SeededEntropy
from veilmix.crypto.voprf import OprfKey
from veilmix.errors import Reason, Refused
from veilmix.protocol.board.board import replay
from veilmix.protocol.board.phases import Phase
from veilmix.protocol.ideal import run_through
from veilmix.protocol.rounds.opened_prefixes import PREFIXES, WHOLE, ByThreshold
from veilmix.protocol.rounds.round_context import Round
from veilmix.protocol.wire import parties
from veilmix.protocol.wire.announcement import AnnouncedPolicy, Program, Rules
from veilmix.protocol.wire.frames import Message
from veilmix.protocol.wire.hiding_rules import BLANK
from veilmix.protocol.wire.messages import Body, Kind
from veilmix.protocol.wire.token_messages import Evaluated, Issued, Query
from veilmix.roles.cast import Cast
from veilmix.roles.network.memory_network import Endpoint, Network

ROWS = [*KIT.people(40), ("red", "Ur", "no"), ("blue", "Ur", "yes")]
K = 2
pytestmark = pytest.mark.memory  # processes do not play this program


def cast(rule: str = PREFIXES, rows: Sequence[KIT.Row] = ROWS, **changes: Any) -> Cast:
    fields: dict[str, Any] = {
        "policy": AnnouncedPolicy(K, 0.0, rule),
        "rules": Rules(),
        "decide": ByThreshold(K, rule),
        "program": Program.THRESHOLD,
        "shufflers": 2,
    }
    return KIT.cast(rows, **fields | changes)


def ideal(what: Cast) -> Any:
    table = KIT.table(what, [what.row(i) for i in range(what.people)])
    strategy = what.decide
    assert not callable(strategy)
    return run_through(
        what.program, what.schema, lambda _: table, what.policy, what.rules, strategy
    )


@pytest.mark.parametrize("rule", [WHOLE, PREFIXES])
@pytest.mark.parametrize("shufflers", [1, 2])
def test_a_run_is_its_ideal(rule: str, shufflers: int) -> None:
    played = cast(rule, shufflers=shufflers)
    run, expected = KIT.run(played), ideal(played)
    assert run.board.burned is None
    assert run.board.phase is Phase.OVER
    assert tuple(tally.counts for tally in run.board.tallies) == expected.tallies
    assert (run.board.decision, expected.release) == (
        expected.decision,
        run.board.tallies[0].counts[0],  # type: ignore[index]
    )
    assert sum(expected.release.values()) == len(ROWS)


def test_nothing_is_said_that_fewer_than_k_people_share() -> None:
    for rule in (WHOLE, PREFIXES):
        (released,) = KIT.run(cast(rule)).board.tallies[0].counts or ()
        truth = Counter(row[:end] for row in ROWS for end in (1, 2, 3))
        for cell in released:
            said = cell[: cell.index(BLANK)] if BLANK in cell else cell
            assert not said or truth[said] >= K
        assert any(BLANK in cell for cell in released)
        assert any(BLANK not in cell for cell in released)


def test_a_seeded_run_is_repeated_to_the_byte() -> None:
    run, other = KIT.run(cast()), KIT.run(cast())
    assert run.board.digest() == other.board.digest()
    assert KIT.run(cast(seed=2)).board.digest() != run.board.digest()


def test_submissions_and_questions_have_one_size() -> None:
    run = KIT.run(cast())
    for kind in (Kind.SUBMISSION, Kind.QUERY, Kind.EVALUATED):
        sizes = Counter(event.size for event in run.transcript.events if event.kind is kind)
        assert list(sizes.values()) == [len(ROWS)], kind


def test_randomness_sees_nothing_that_depends_on_rows() -> None:
    """What people ask is as random for equal rows as for others."""
    asked: list[bytes] = []

    class Listening(Endpoint):
        async def send(self, plan: Round, receiver: str, body: Body) -> None:
            if isinstance(body, Query):
                asked.extend(body.elements)
            await super().send(plan, receiver, body)

    rows = [ROWS[0]] * 8
    KIT.run(cast(rows=rows, faults={parties.user(i): Listening for i in range(8)}))
    assert len(set(asked)) == len(asked) == 8 * 3


class Marking(Endpoint):
    """A randomness server that answers one person with a key of its own."""

    async def send(self, plan: Round, receiver: str, body: Body) -> None:
        if receiver == "user-3" and isinstance(body, Evaluated):
            other = OprfKey(SeededEntropy(99))
            elements, _ = other.evaluate(body.elements, SeededEntropy(98))
            body = Evaluated(tuple(elements), body.proof)
        await super().send(plan, receiver, body)


def test_who_is_answered_with_another_key_notices_and_says_nothing() -> None:
    run = KIT.run(cast(faults={parties.RANDOMNESS: Marking}))
    assert run.refused("user-3", 1) == {Reason.DOES_NOT_OPEN: 1}
    assert run.board.tallies[0].totals == (len(ROWS) - 1,)


class Mute(Endpoint):
    """A randomness server that answers nobody."""

    async def send(self, plan: Round, receiver: str, body: Body) -> None:
        if not isinstance(body, Evaluated):
            await super().send(plan, receiver, body)


def test_without_randomness_nothing_is_sent_and_the_round_burns() -> None:
    run = KIT.run(cast(faults={parties.RANDOMNESS: Mute}))
    assert run.board.burned is not None
    assert not run.board.tallies
    assert not [event for event in run.transcript.events if event.kind is Kind.SUBMISSION]


class Asking(Endpoint):
    """A person who asks twice."""

    def __init__(self, network: Network, party: str) -> None:
        super().__init__(network, party)
        self.asked = False

    async def send(self, plan: Round, receiver: str, body: Body) -> None:
        await super().send(plan, receiver, body)
        if isinstance(body, Query):
            await super().send(plan, receiver, body)


def test_a_person_is_answered_once() -> None:
    run = KIT.run(cast(faults={"user-5": Asking}))
    assert run.refused(parties.RANDOMNESS, 1) == {Reason.DUPLICATE: 1}
    given = [event for event in run.transcript.events if event.kind is Kind.EVALUATED]
    assert len(given) == len(ROWS)
    assert run.board.tallies[0].totals == (len(ROWS),)


def test_k_minus_1_copies_of_a_guess_tell_whether_one_more_has_it() -> None:
    """What the program does not stop (decision 59)."""
    guess = ("green", "Ur", "no")
    others = [row for row in ROWS if row[:2] != guess[:2]]
    for target, opens in ((guess, True), (("green", "Oslo", "no"), False)):
        rows = [target, *others, *[guess] * (K - 1)]
        (released,) = KIT.run(cast(WHOLE, rows)).board.tallies[0].counts or ()
        assert released.get(guess, 0) == (K if opens else 0)


def test_the_board_takes_one_key_of_the_function_and_only_from_randomness() -> None:
    record = KIT.run(cast()).board
    posts = [(entry.author, entry.data) for entry in record.entries]
    at = next(i for i, entry in enumerate(record.entries) if entry.message.kind is Kind.MINT)
    assert posts[at][0] == parties.RANDOMNESS
    for author, before in (
        (parties.ANALYST, at),
        (parties.CURATOR, at),
        (parties.RANDOMNESS, at + 1),
    ):
        board = replay(posts[:before])
        with pytest.raises(Refused, match="unexpected"):
            board.post(author, posts[at][1])
    with pytest.raises(Refused, match="unexpected"):
        replay(posts[: at + 1]).post(
            parties.RANDOMNESS, Message(record.session, 1, Issued(len(ROWS))).encode()
        )
