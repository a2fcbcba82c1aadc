"""Audits in whole sessions: honest ones are as those without; who changes much is named."""

from dataclasses import replace
from typing import Any

import pytest
import role_kit as KIT
from veilmix.crypto.entropy import SeededEntropy
from veilmix.protocol.knowledge.view import view
from veilmix.protocol.rounds.round_context import Round
from veilmix.protocol.wire.announcement import Rules
from veilmix.protocol.wire.audit_messages import Opened, Toss, Traced
from veilmix.protocol.wire.messages import Body, Submission
from veilmix.roles import shuffler
from veilmix.roles.cast import Guards
from veilmix.roles.network.memory_network import Endpoint
from veilmix.scenarios.attacks.faults.shuffler import Deed, cheat

MANY = 12
ROWS = KIT.people(MANY)
GUARDED: dict[str, Any] = {
    "rules": Rules(min_dropout=3, audit=True),
    "guards": Guards(registered=MANY),
    "shufflers": 2,
}


def played(**changes: Any) -> KIT.Run:
    return KIT.run(ROWS, **GUARDED | changes)


def test_with_audits_the_results_are_those_without() -> None:
    run = played()
    assert run.results == KIT.run(ROWS, shufflers=2).results
    assert not run.transcript.refusals
    assert view(run.transcript, ["analyst"], run.board).sees_who
    assert played().board.digest() == run.board.digest()


@pytest.mark.memory
@pytest.mark.parametrize("shufflers", [3, 4])
@pytest.mark.parametrize("challenge", [False, True])
def test_with_more_pairs_and_a_challenge(shufflers: int, challenge: bool) -> None:
    rules = replace(GUARDED["rules"], challenge=challenge, tokens=challenge)
    run = played(shufflers=shufflers, rules=rules)
    assert run.results == KIT.run(ROWS, shufflers=shufflers).results
    audited = 4 if shufflers == 4 else 2
    assert {number: set(hops) for number, hops in run.board.audited.opened.items()} == {
        1: set(range(1, audited + 1)),
        2: set(range(1, audited + 1)),
    }


CASES = [
    *((attack, by) for attack in ("drop", "tag") for by in ("shuffler-1", "shuffler-2")),
    *((attack, "shuffler-1") for attack in ("drop-people", "substitute")),
]


@pytest.mark.memory
@pytest.mark.parametrize(("attack", "by"), CASES)
def test_most_of_what_a_shuffler_changes_is_found(attack: str, by: str) -> None:
    """Of many layers: all are missed with less than one in a hundred."""
    what = Deed(KIT.act(attack), SeededEntropy(3), rate=0.7)
    run = played(faults={by: cheat(what)})
    assert run.board.burned == f"{by} has not sent on what was in one of its layers"
    assert not run.transcript.reads


@pytest.mark.memory
def test_a_layer_that_opens_for_nobody_burns_nothing() -> None:
    """People who send what does not open at the second hop are no ground to blame anybody."""
    run = played(shufflers=2, faults=KIT.attack(user_3="malformed"))
    assert run.board.burned is None


class Changing(Endpoint):
    """A shuffler that changes one of its posts."""

    def changed(self, body: Body) -> Body:
        return body

    async def post(self, body: Body) -> None:
        """Post something else."""
        await super().post(self.changed(body))


@pytest.mark.memory
def test_hashes_are_of_the_batch_that_was_sent() -> None:
    class Other(Changing):
        def changed(self, body: Body) -> Body:
            if isinstance(body, Traced):
                return replace(body, hashes=(bytes(32), *body.hashes[1:]))
            return body

    for by, to in (("shuffler-1", "shuffler-2"), ("shuffler-2", "curator")):
        run = played(faults={by: Other})
        assert run.board.burned == f"{by} delivered another batch to {to} than it has shown"


@pytest.mark.memory
def test_who_is_accepted_has_signed_where_there_is_no_challenge(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A first shuffler lets in an envelope in somebody's name that nobody has signed."""

    class Forging(Endpoint):
        async def send(self, plan: Round, receiver: str, body: Body) -> None:
            """Sign with nothing."""
            if isinstance(body, Submission):
                body = replace(body, signature=bytes(len(body.signature)))
            await super().send(plan, receiver, body)

    monkeypatch.setattr(shuffler, "check_senders", lambda _plan, _who, sent: [None] * len(sent))
    run = played(faults={"user-3": Forging})
    assert run.board.burned == "1 envelopes were accepted that nobody registered has signed"
    assert not run.transcript.reads


@pytest.mark.memory
def test_another_layer_is_not_taken() -> None:
    class Other(Changing):
        def changed(self, body: Body) -> Body:
            if isinstance(body, Opened) and body.links:
                link, *rest = body.links
                spoilt = replace(link, layer=bytes(len(link.layer)), key=bytes(32))
                return replace(body, links=(spoilt, *rest))
            return body

    for by in ("shuffler-1", "shuffler-2"):
        run = played(faults={by: Other})
        assert run.board.burned == f"{by} opened a layer that has not come to it"


@pytest.mark.memory
@pytest.mark.parametrize("kind", [Toss, Opened])
def test_who_does_not_show_ends_the_round(kind: type) -> None:
    class Silent(Endpoint):
        async def post(self, body: Body) -> None:
            """Post all else."""
            if not isinstance(body, kind):
                await super().post(body)

    run = played(faults={"shuffler-1": Silent})
    assert run.board.burned is not None
    assert "within 60 seconds" in run.board.burned
    assert not run.transcript.reads
