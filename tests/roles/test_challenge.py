"""The challenge: what was changed is opened by nobody, and a false alarm ends nothing."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest
import role_kit as KIT
from veilmix.crypto.entropy import SeededEntropy
from veilmix.protocol.board.alarms import borne_out
from veilmix.protocol.board.challenge import evidence
from veilmix.protocol.knowledge.view import view
from veilmix.protocol.rounds.ballots import submit
from veilmix.protocol.rounds.locks import Proofs
from veilmix.protocol.rounds.round_context import Round
from veilmix.protocol.wire.announcement import Rules
from veilmix.protocol.wire.messages import Accepted, Alarm, BallotMarks, Body, Cause, Kind
from veilmix.protocol.wire.peer_messages import Share, ShareSecret
from veilmix.roles import shuffler, user
from veilmix.roles.cast import Guards
from veilmix.roles.network.memory_network import INBOX, Bag, Endpoint, Fault, Network
from veilmix.scenarios.attacks.faults.shuffler import Deed, DeviatingShuffler, cheat

pytestmark = pytest.mark.memory  # test_challenge_over_networks.py has the others

MANY = 12
ROWS = KIT.people(MANY)
GUARDED: dict[str, Any] = {
    "rules": Rules(min_dropout=3, challenge=True),
    "guards": Guards(registered=MANY),
}
TARGET = "user-3"


def played(seed: int = 1, **changes: Any) -> KIT.Run:
    return KIT.run(ROWS, seed=seed, **GUARDED | changes)


def test_with_tokens_as_well() -> None:
    run = played(rules=replace(GUARDED["rules"], tokens=True))
    assert run.results == KIT.run(ROWS).results


def test_everybody_sees_who_takes_part() -> None:
    run = played()
    assert view(run.transcript, ["analyst"], run.board).sees_who
    assert not view(KIT.run(ROWS).transcript, ["analyst"]).sees_who


def deed(attack: str, **changes: Any) -> Deed:
    aimed = {} if attack in ("drop", "tag") else {"target": TARGET}
    return Deed(KIT.act(attack), SeededEntropy(3), **{"rate": 0.2} | aimed | changes)


@pytest.mark.parametrize("by", ["shuffler-1", "shuffler-2"])
@pytest.mark.parametrize("attack", ["drop", "tag"])
def test_nothing_that_a_shuffler_changed_is_opened(attack: str, by: str) -> None:
    run = played(shufflers=2, faults={by: cheat(deed(attack))})
    assert run.board.burned is not None
    assert "ballots have come of 36 that were accepted" in run.board.burned
    assert not run.transcript.reads
    assert not run.board.alarms


@pytest.mark.parametrize("attack", ["drop-people", "substitute", "subtract", "surround"])
def test_nothing_that_the_first_shuffler_changed_is_opened(attack: str) -> None:
    honest = KIT.run(ROWS, shufflers=2).results[0]
    run = played(shufflers=2, faults={"shuffler-1": cheat(deed(attack))})
    assert run.board.burned is not None
    assert len(run.board.tallies) < 2
    assert run.results[0] == honest[: len(run.board.tallies)]


class Doorkeeper(DeviatingShuffler):
    """A first shuffler that does not say of some people that it has taken their envelopes."""

    silent: Sequence[str] = (TARGET,)
    instead: int | None = None  # whose place its own row takes

    async def post(self, body: Body) -> None:
        """Leave them out, or put somebody else in their place."""
        if isinstance(body, Accepted):
            gone = {int(name.removeprefix("user-")) - 1 for name in self.silent}
            kept = [person for person in body.people if person.person not in gone]
            if self.instead is not None:
                kept.append(replace(body.people[0], person=self.instead))
            body = Accepted(tuple(sorted(kept, key=lambda person: person.person)))
        await super().post(body)


def doorkeeper(*deeds: Deed, **what: Any) -> dict[str, Fault]:
    def place(network: Network, party: str) -> Endpoint:
        keeper = Doorkeeper(network, party, deeds)
        for name, value in what.items():
            setattr(keeper, name, value)
        return keeper

    return {"shuffler-1": place}


def test_whoever_is_mixed_is_accepted() -> None:
    """Else its account of people would be of others than it has shown."""
    run = played(faults=doorkeeper())
    assert run.board.burned == "the board refused the mixed of shuffler-1: unexpected"


def test_nobody_signs_for_somebody_else() -> None:
    run = played(faults=doorkeeper(deed("substitute"), instead=2))
    assert run.board.burned is not None
    assert "nobody registered has signed" in run.board.burned
    assert not run.transcript.reads


class Swapping(Endpoint):
    """A first shuffler that does not hear the friend in round 1, nor the target in round 2."""

    async def receive(self, *kinds: Kind, limit: int = INBOX) -> Bag:
        """Withhold one person a round from the role."""
        while True:
            letters = await super().receive(*kinds, limit=limit)
            away = {1: "user-5", 2: TARGET}[len(self.board.calls)]
            if heard := [letter for letter in letters if letter[0] != away]:
                return heard


def test_a_friend_in_the_place_of_the_target_is_seen_by_name(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As many came in both rounds; who keeps the door also lets in who was not there before."""
    monkeypatch.setattr(shuffler._Memory, "invites", lambda *_: True)
    run = played(faults={"shuffler-1": Swapping})
    assert run.board.burned is not None
    assert run.board.burned.startswith("2 people were accepted in one of two rounds only")
    assert len(run.transcript.reads) == 1


class Reader(Endpoint):
    """A reader that shows other marks than those of what has come."""

    async def post(self, body: Body) -> None:
        """Show one of nothing in the place of another, or besides."""
        if isinstance(body, BallotMarks):
            body = BallotMarks(self.shows(body.hashes))
        await super().post(body)

    def shows(self, hashes: tuple[bytes, ...]) -> tuple[bytes, ...]:
        return (bytes(32), *hashes[1:])


class Inventing(Reader):
    """A reader that shows one more."""

    def shows(self, hashes: tuple[bytes, ...]) -> tuple[bytes, ...]:
        return (bytes(32), *hashes)


def test_a_reader_that_leaves_one_out_is_given_no_share() -> None:
    run = played(shufflers=2, faults={"curator": Reader})
    assert run.board.burned is not None
    assert "sent and was accepted has not come" in run.board.burned
    assert {alarm.cause for _, alarm in run.board.alarms} == {Cause.CHANGED}
    assert all(borne_out(run.board, alarm) for _, alarm in run.board.alarms)
    assert not run.board.challenged.share_secrets


def test_no_more_may_come_than_were_sent() -> None:
    run = played(faults={"curator": Inventing})
    assert run.board.burned == "the board refused the heard of curator: unexpected"


@pytest.mark.parametrize("hop", [1, 2])
def test_who_shows_no_share_of_the_lock_is_named(hop: int) -> None:
    class Silent(Endpoint):
        async def post(self, body: Body) -> None:
            """Post all but the secret."""
            if not isinstance(body, ShareSecret):
                await super().post(body)

    run = played(shufflers=2, faults={f"shuffler-{hop}": Silent})
    assert run.board.burned is not None
    assert run.board.burned.startswith(f"no secret of the lock came from shuffler-{hop} within")
    assert not run.transcript.reads


def test_who_posts_no_share_of_the_lock_is_named() -> None:
    class Silent(Endpoint):
        async def post(self, body: Body) -> None:
            """Post all but a share."""
            if not isinstance(body, Share):
                await super().post(body)

    run = played(shufflers=2, faults={"shuffler-2": Silent})
    assert run.board.burned == "no share of the round's lock came from shuffler-2"


Lie = Callable[[Round, Proofs], bytes]


def of_one_that_came(_plan: Round, proofs: Proofs) -> bytes:
    return evidence(2, proofs, 0)


def of_somebody_else(_plan: Round, proofs: Proofs) -> bytes:
    return evidence(3, proofs, 0)


def of_nobody(_plan: Round, proofs: Proofs) -> bytes:
    return evidence(MANY + 5, proofs, 0)


def of_another_envelope(plan: Round, _proofs: Proofs) -> bytes:
    """Sealed as it should be, but never sent."""
    return evidence(2, submit(plan, ROWS[2], SeededEntropy(77)).proofs, 0)  # type: ignore[arg-type]


def of_another_ballot(_plan: Round, proofs: Proofs) -> bytes:
    other = bytes([proofs.ballots[0][0] ^ 1]) + proofs.ballots[0][1:]
    return evidence(2, replace(proofs, ballots=(other, *proofs.ballots[1:])), 0)


def cut(_plan: Round, proofs: Proofs) -> bytes:
    return evidence(2, proofs, 0)[:-1]


def nothing(_plan: Round, _proofs: Proofs) -> bytes:
    return b""


def junk(_plan: Round, _proofs: Proofs) -> bytes:
    return b"\xff" * 300


LIES: tuple[Lie, ...] = (
    *(of_one_that_came, of_somebody_else, of_nobody, of_another_envelope, of_another_ballot),
    *(cut, nothing, junk),
)


@pytest.mark.parametrize("lie", LIES, ids=lambda lie: lie.__name__)
def test_a_false_alarm_ends_nothing(lie: Lie, monkeypatch: pytest.MonkeyPatch) -> None:
    async def lying(me: Endpoint, plan: Round, proofs: Proofs, *_: Any) -> None:
        await me.until(Kind.HEARD, lambda board: plan.call.round in board.challenged.marks)
        if me.party == TARGET and plan.call.round == 1:
            await me.post(Alarm(1, Cause.CHANGED, lie(plan, proofs)))

    monkeypatch.setattr(user, "contest", lying)
    run = KIT.run(ROWS, **GUARDED)
    assert run.results == KIT.run(ROWS).results
    assert [(party, alarm.cause) for party, alarm in run.board.alarms] == [(TARGET, Cause.CHANGED)]
    assert not borne_out(run.board, run.board.alarms[0][1])


@pytest.mark.parametrize("when", ["early", "late", "long"])
def test_an_alarm_out_of_its_time_or_size_is_not_heard(
    when: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def lying(me: Endpoint, plan: Round, _proofs: Proofs, *_: Any) -> None:
        if me.party != TARGET or plan.call.round > 1:
            return
        if when == "late":
            await me.until(Kind.TALLY, lambda board: bool(board.tallies))
        if when == "long":
            await me.until(Kind.HEARD, lambda board: 1 in board.challenged.marks)
        size = plan.envelope + 32 * 66 + 1 if when == "long" else 10
        await me.post(Alarm(1, Cause.CHANGED, bytes(size)))

    monkeypatch.setattr(user, "contest", lying)
    run = KIT.run(ROWS, **GUARDED)
    assert not run.board.alarms
    assert run.results == KIT.run(ROWS).results


def test_what_an_alarm_shows_nobody_can_open() -> None:
    """Neither the reader nor any shuffler has all shares of the lock of a burned round."""
    run = played(shufflers=2, faults={"shuffler-1": cheat(deed("drop-people"))})
    assert set(run.board.challenged.shares[1]) == {"shuffler-1", "shuffler-2", "curator"}
    assert not run.board.challenged.share_secrets
