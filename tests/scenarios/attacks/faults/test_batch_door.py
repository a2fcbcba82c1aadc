"""A shuffler's batch is changed at its doors: account and trace follow from what leaves."""

from collections import Counter
from dataclasses import fields, replace
from typing import Any

import pytest
import role_kit as KIT
from veilmix.crypto.entropy import SeededEntropy
from veilmix.protocol.rounds import audit
from veilmix.protocol.rounds.mixing import account
from veilmix.protocol.rounds.round_context import open_round
from veilmix.protocol.wire import parties
from veilmix.protocol.wire.announcement import Flaw
from veilmix.protocol.wire.frames import decode_message
from veilmix.protocol.wire.messages import Batch, Kind, Mixed, Submission
from veilmix.roles.cast import Guards
from veilmix.roles.network.instruments import Instrument
from veilmix.roles.network.memory_network import Endpoint
from veilmix.scenarios.attacks.faults.batch_door import BatchDoor, Turn
from veilmix.scenarios.attacks.faults.shuffler import Deed, cheat, drop, drop_people, tag

pytestmark = pytest.mark.memory
ROWS = KIT.people(14)
REGISTERED = Guards(registered=len(ROWS))


class Idle(BatchDoor):
    """Keeps every batch, opens the letters again, and changes nothing."""

    def strikes(self, number: int) -> bool:
        return True

    def change(self, turn: Turn) -> None:
        turns.append(turn)


turns: list[Turn] = []

SESSIONS: dict[str, dict[str, Any]] = {
    "one shuffler": {"shufflers": 1},
    "three shufflers": {"shufflers": 3},
    "without padding": {"rules": KIT.Rules(min_dropout=3, padded=False, lesson=True)},
    "repeats kept": {
        "rules": KIT.Rules(min_dropout=3, flaws=(Flaw.REPEATS,), lesson=True),
        "faults": KIT.attack(user_3="duplicate"),
    },
    "people that misbehave": {
        "faults": KIT.attack(user_1="duplicate", user_4="malformed", user_7="late"),
        "rules": KIT.Rules(min_dropout=1),
    },
    "registered": {"guards": REGISTERED},
    "tokens": {"guards": REGISTERED, "rules": KIT.Rules(min_dropout=3, tokens=True)},
    "everything": {
        "guards": REGISTERED,
        "rules": KIT.Rules(min_dropout=3, tokens=True, challenge=True, audit=True),
    },
}


@pytest.mark.parametrize("session", SESSIONS)
def test_a_place_that_keeps_a_batch_and_changes_nothing_changes_nothing(session: str) -> None:
    changes = {"shufflers": 2} | SESSIONS[session]
    honest = KIT.run(ROWS, **changes)
    idle = {parties.shuffler(hop + 1): Idle for hop in range(changes["shufflers"])}
    turns.clear()
    kept = KIT.run(ROWS, **changes | {"faults": changes.get("faults", {}) | idle})
    assert kept.board.digest() == honest.board.digest()
    assert Counter(kept.transcript.refusals) == Counter(honest.transcript.refusals)
    assert len(turns) == 2 * changes["shufflers"]
    for turn in turns:
        assert (
            account_of(turn) == turn.honest_account
        )  # it is a function of what came and what leaves


def account_of(turn: Turn) -> Mixed:
    said = turn.honest_account
    return account(turn.hop, said.people, said.received, said.refused, turn.batch())


def test_the_first_shuffler_knows_whose_layers_it_changes() -> None:
    """And every later one in which order they came."""
    turns.clear()
    run = KIT.run(ROWS, shufflers=2, faults={"shuffler-1": Idle, "shuffler-2": Idle})
    first = [turn for turn in turns if turn.hop == 1]
    sent = {(made.user, made.round): made for made in run.transcript.sealed_answers}
    board = run.board
    assert board.announcement is not None
    for turn in first:
        plan, slots = turn.plan, turn.plan.slots
        assert sorted(turn.senders, key=parties.index) == [
            parties.user(index) for index in range(len(ROWS))
        ]
        assert len(turn.layers) == slots * len(turn.senders)
        assert plan.call == open_round(board.announcement, board.session, plan.call).call
        assert all((parties.index(who), plan.call.round) in sent for who in turn.senders)
    assert all(turn.senders == [] for turn in turns if turn.hop == 2)


class Letters(Instrument):
    """Keeps all batches."""

    def __init__(self) -> None:
        self.batches: list[tuple[str, int, tuple[bytes, ...]]] = []

    def carried(self, time: float, sender: str, receiver: str, data: bytes) -> None:
        if Kind(data[3]) is Kind.BATCH:
            message = decode_message(data)
            assert isinstance(message.body, Batch)
            self.batches.append((sender, message.round, message.body.layers))


@pytest.mark.parametrize("act", [drop, drop_people, tag])
def test_account_and_trace_are_those_of_the_changed_batch(act: Any) -> None:
    """So neither the digest nor the trace gives a shuffler away: the audit's openings do."""
    letters = Letters()
    deed = Deed(act, SeededEntropy(3), rounds=(1,), users=8)
    run = KIT.run(
        ROWS,
        [letters],
        shufflers=2,
        guards=REGISTERED,
        rules=KIT.Rules(min_dropout=3, audit=True),
        faults={"shuffler-1": cheat(deed)},
    )
    (batch,) = [
        layers for who, number, layers in letters.batches if (who, number) == ("shuffler-1", 1)
    ]
    said = run.board.mixed[0]
    assert said == account(1, len(ROWS), len(ROWS), said.refused, batch)
    assert run.board.audited.traced[1][1] == audit.trace(1, batch).hashes
    assert run.board.burned == "shuffler-1 has not sent on what was in one of its layers"
    assert sum(said.refused.values()) == {drop: 8, drop_people: 24, tag: 0}[act]


def test_a_deed_is_a_function_so_none_is_unknown() -> None:
    """A name that nothing knew used to be a deed that did nothing."""
    names = {field.name: field.type for field in fields(Deed)}
    assert "attack" not in names
    with pytest.raises(TypeError):
        Deed(entropy=SeededEntropy(1))  # type: ignore[call-arg]
    done: list[int] = []

    def look(_deed: Deed, turn: Turn) -> bool:
        done.append(turn.hop)
        return False

    deed = Deed(look, SeededEntropy(1), rounds=(2,))
    KIT.run(ROWS, faults={"shuffler-1": cheat(deed)})
    assert done == [1]


def test_a_place_has_its_partys_key_and_no_other() -> None:
    seen: dict[str, Any] = {}

    class Looking(Endpoint):
        async def post(self, body: Any) -> None:
            seen[self.party] = self.secret
            await super().post(body)

    class Sender(Endpoint):
        async def send(self, plan: Any, receiver: str, body: Any) -> None:
            seen[self.party] = self.secret
            assert isinstance(body, Submission)
            await super().send(plan, receiver, replace(body))

    run = KIT.run(ROWS, faults={"analyst": Looking, "user-1": Sender})
    assert seen["user-1"] is None
    assert seen["analyst"].public == run.board.keys["analyst"]
