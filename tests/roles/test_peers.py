"""Peers among themselves: the same as without a message, and whoever deviates is named."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest
from peer_kit import ROWS, SCHEMA, TERMS, both, cast
from veilmix.crypto.entropy import SeededEntropy
from veilmix.crypto.keys import SuiteCode
from veilmix.errors import ParameterError, Refused
from veilmix.protocol.board.strategies import strategy_of
from veilmix.protocol.ideal import PeopleTable, run_through
from veilmix.protocol.knowledge.transcript import Transcript
from veilmix.protocol.peers.accounting import Reckoning, reckon
from veilmix.protocol.peers.agreement import Agreement, PeerRound
from veilmix.protocol.peers.board import replay_peers
from veilmix.protocol.peers.onions import bags_of, make_onion, make_onions, seal_again, wrap_path
from veilmix.protocol.peers.routes import Route, followed
from veilmix.protocol.peers.view import PeerRecord
from veilmix.protocol.rounds.ballots import Ballot
from veilmix.protocol.wire import parties
from veilmix.protocol.wire.announcement import AnnouncedPolicy, Program
from veilmix.protocol.wire.messages import Body, Decision, DecisionCertificate
from veilmix.protocol.wire.peer_messages import Accusation, Agreed, Relay
from veilmix.protocol.wire.schema import Schema
from veilmix.roles.network.instruments import TranscriptRecorder
from veilmix.roles.peer import Commons, PeerSeat, play_peers
from veilmix.scenarios.attacks.faults import peer as misdeeds
from veilmix.scenarios.attacks.faults.peer import faulty_peer

Played = tuple[Reckoning, Transcript]


def played(terms: Agreement = TERMS, seed: int = 5, **changes: Any) -> Played:
    transcript = Transcript.sized(len(ROWS))
    changed = replace(cast(terms, seed), **changes)
    return play_peers(changed, [TranscriptRecorder(transcript)], pytest.fail), transcript


def table(rows: Sequence[tuple[str, str]]) -> PeopleTable:
    import numpy as np

    values = (("y", "n"), ("0", "A", "B"))
    codes = [[texts.index(said) for texts, said in zip(values, row, strict=True)] for row in rows]
    return PeopleTable(values, np.array(codes))


@pytest.mark.parametrize("path", [1, 2, 5])
def test_real_is_ideal(path: int) -> None:
    seen, _ = played(replace(TERMS, path=path))
    ideal = run_through(
        *(Program.TWO_ROUND, SCHEMA, lambda _: table(ROWS), TERMS.policy, TERMS.rules),
        strategy_of(both),
    )
    assert seen.burned is None
    assert tuple(seen.tallies) == ideal.tallies
    assert (seen.decision, tuple(seen.calls)) == (ideal.decision, ideal.calls)


def test_a_seeded_run_is_the_same_whatever_the_threads_do_and_replays() -> None:
    run, transcript = played(threads=1)
    other, _ = played(threads=3)
    assert run.board.digest() == other.board.digest()
    again = replay_peers(TERMS, transcript.posts)
    assert again.head == run.board.head
    outcome = reckon(again, strategy_of(both))
    assert (outcome.tallies, outcome.decision, outcome.burned) == (run.tallies, run.decision, None)


def test_an_interrupt_and_a_bug_surface_as_what_they_are() -> None:
    for trouble in (KeyboardInterrupt, ZeroDivisionError):

        def fails(_: int, trouble: type[BaseException] = trouble) -> tuple[str, ...]:
            raise trouble

        with pytest.raises(trouble):
            played(row=fails)


def faulty(**attacks: tuple[int, str]) -> dict[str, Callable[[Commons, int], PeerSeat]]:
    return {
        name.replace("_", "-"): faulty_peer({number: (getattr(misdeeds, attack), 0.3)})
        for name, (number, attack) in attacks.items()
    }


NAMED = """
path round attack  why
2    1     absent  posted nothing
2    2     absent  posted nothing
2    1     drop    got
2    2     drop    got
1    1     drop    got
2    1     tag     as its sender proves
2    2     tag     as its sender proves
1    1     tag     as its sender proves
1    2     tag     as its sender proves
2    1     lie     posted another digest of what it adds up to
2    2     lie     posted another digest of what it adds up to
"""


@pytest.mark.parametrize("line", NAMED.strip().splitlines()[1:])
def test_whoever_misbehaves_or_vanishes_is_named_and_nobody_else(line: str) -> None:
    path, number, attack, why = line.split(maxsplit=3)
    guilty = faulty(peer_3=(int(number), attack))
    seen, _ = played(replace(TERMS, path=int(path)), seats=guilty)
    assert {charge.peer for charge in seen.charges} == {"peer-3"}
    assert all(why in charge.why and charge.round == int(number) for charge in seen.charges)
    assert seen.burned is not None
    assert len(seen.tallies) == int(number) - 1  # nothing of the round is released
    assert (seen.decision is None) == (number == "1")


def test_whoever_is_absent_from_the_beginning_is_no_peer_and_nobody_at_fault() -> None:
    seen, _ = played(absent=frozenset({2}))
    assert (seen.burned, seen.charges) == (None, ())
    assert sum(seen.tallies[0][0].values()) == len(ROWS) - 1


@pytest.mark.parametrize("here", [0, 1, 2])
def test_too_few_peers_for_a_path_burn_the_session(here: int) -> None:
    seen, _ = played(absent=frozenset(range(here, len(ROWS))))
    assert seen.burned == f"{here} people took part; the smallest batch that hides is 3"


class Doing(PeerSeat):
    """Says what a function makes of what is due."""

    def __init__(self, commons: Commons, number: int, does: Callable[[Any, Any], Any]) -> None:
        super().__init__(commons, number)
        self.does = does

    def response(self, plan: PeerRound | None, body: Body) -> Body | None:
        changed: Body | None = self.does(plan, body) if plan else body
        return changed


def doing(does: Callable[[Any, Any], Any]) -> dict[str, Callable[[Commons, int], PeerSeat]]:
    return {"peer-3": lambda commons, number: Doing(commons, number, does)}


def instead(plan: PeerRound, body: Any, onion: Any) -> Body:
    """Put an onion in the place of one's own first."""
    pairs = [(to, layer) for to, layers in body.bags for layer in layers][1:]
    return Relay(1, bags_of([(onion.path[0], onion.layers[0]), *pairs]), {})


class Sealing(PeerSeat):
    """Sends an onion of its own making in the place of its first."""

    def __init__(self, commons: Commons, number: int, first: Callable[[PeerRound], Any]) -> None:
        super().__init__(commons, number)
        self.first = first

    def seals(self, plan: PeerRound, onions: list[Any]) -> list[Any]:
        return [self.first(plan), *onions[1:]]

    def response(self, plan: PeerRound | None, body: Body) -> Body:
        """Keep quiet about it: an accusation would fall back on it."""
        if isinstance(body, Accusation) and plan is not None:
            return Agreed(body.step, self.commons.board.found_digest(plan.call.round))
        return body


def asked_for_more(plan: PeerRound) -> Any:
    """Answer a question that was not asked."""
    return make_onion(plan, 3, Ballot(len(plan.call.asks), ("y",)), SeededEntropy(9))


def outside_the_domain(plan: PeerRound) -> Any:
    return make_onion(plan, 3, Ballot(0, ("?",)), SeededEntropy(9))


def twice_the_same(plan: PeerRound) -> Any:
    return make_onion(plan, 3, Ballot(1, ("A",)), SeededEntropy(9))


def poisoned(plan: PeerRound) -> Any:
    """Send an onion that does not open at the second peer of its path, and know it."""
    good = make_onion(plan, 3, None, SeededEntropy(9))
    held = good.inside[0][:-1] + bytes([good.inside[0][-1] ^ 1])
    bad = seal_again(plan, 1, good.path[0], held, good.draws[0])
    inside = (held, *good.inside[1:])
    return good._replace(layers=(bad, held[2:], *good.layers[2:]), inside=inside)


@pytest.mark.parametrize("first", [asked_for_more, outside_the_domain, twice_the_same, poisoned])
def test_a_ballot_that_is_none_or_one_too_many_burns_the_round_and_names_nobody(
    first: Callable[[PeerRound], Any],
) -> None:
    seats: Any = {"peer-3": lambda commons, number: Sealing(commons, number, first)}
    seen, _ = played(seats=seats)
    assert seen.burned is not None
    assert "does not balance" in seen.burned
    assert "cannot be named" in seen.burned
    assert seen.charges == ()
    assert seen.tallies == []


def test_who_stuffs_its_slots_burns_the_round() -> None:
    def stuff(plan: PeerRound, body: Any) -> Body:
        if isinstance(body, Relay) and body.step == 1:
            return Relay(1, body.bags[1:], {})
        return body

    seen, _ = played(seats=doing(stuff))
    assert [charge.peer for charge in seen.charges] == ["peer-3"]
    assert "onions of 4" in seen.charges[0].why


def test_a_false_accusation_falls_back_on_who_makes_it() -> None:
    def accuse(plan: PeerRound, body: Any) -> Body:
        step = getattr(body, "step", 0)
        if step != 3:
            return body
        onion = wrap_path(plan, (5, 6), bytes(plan.ballot), SeededEntropy(4))
        return Accusation(step, 5, onion.inside[0], onion.draws[0])

    seen, _ = played(seats=doing(accuse))
    assert [(charge.peer, charge.why) for charge in seen.charges] == [
        ("peer-3", "accuses peer-5 without proof")
    ]


def test_a_sender_cannot_accuse_for_an_onion_that_nobody_had_to_hand_on() -> None:
    """It sends an onion with a path to nowhere, and shows, rightly, that it was not handed on."""
    made: list[Any] = []

    def trap(plan: PeerRound, body: Any) -> Body:
        if isinstance(body, Relay) and body.step == 1:
            onion = wrap_path(plan, (5, 6), bytes(plan.ballot), SeededEntropy(4))
            held = (999).to_bytes(2, "big") + onion.inside[0][2:]
            layer = seal_again(plan, 1, 5, held, onion.draws[0])
            made.append((held, onion.draws[0]))
            return instead(plan, body, onion._replace(layers=(layer, *onion.layers[1:])))
        if getattr(body, "step", 0) == 3 and made:
            return Accusation(3, 5, *made[0])
        return body

    seen, _ = played(seats=doing(trap))
    assert [(charge.peer, charge.why) for charge in seen.charges] == [
        ("peer-3", "accuses peer-5 without proof")
    ]


def test_who_agreed_to_something_else_says_nothing_that_counts() -> None:
    class Elsewhere(PeerSeat):
        async def say(self, plan: PeerRound | None, body: Body) -> bool:
            return await super().say(replace(plan, session=bytes(32)) if plan else None, body)

    seen, transcript = played(seats={"peer-3": Elsewhere})
    assert [charge.peer for charge in seen.charges] == ["peer-3"]
    assert [refusal.party for refusal in transcript.refusals] == ["board"]


def test_the_board_takes_one_post_a_peer_and_step_from_those_who_take_part() -> None:
    seen, transcript = played()
    author, data = transcript.posts[-1]
    for who in (author, "user-1", "peer-99", "curator"):
        with pytest.raises(Refused):
            seen.board.post(who, data)
    with pytest.raises(Refused):
        seen.board.post("peer-1", transcript.posts[0][1])


@pytest.mark.parametrize(
    "change",
    [{"path": 0}, {"path": 17}, {"cover": -1}, {"cover": 256}, {"suite": SuiteCode.HPKE_X25519}],
)
def test_an_agreement_says_what_is_out_of_range(change: dict[str, Any]) -> None:
    with pytest.raises(ParameterError, match="accepted"):
        replace(TERMS, **change)


def test_an_agreement_reads_as_it_was_written_and_every_field_changes_the_session() -> None:
    assert Agreement.decode(TERMS.encode()) == TERMS
    others = [{"path": 3}, {"cover": 5}, {"title": "another"}, {"policy": AnnouncedPolicy(3, 0.5)}]
    names = {replace(TERMS, **other).session({}) for other in others} | {TERMS.session({})}
    assert len(names) == len(others) + 1


# What coalitions see


def test_an_onion_is_followed_through_members_and_lost_at_an_honest_peer() -> None:
    routes = [
        Route(0, (1, 2), (0, ("y",))),
        Route(3, (4, 2), (0, ("n",))),
        Route(5, (4, 1), (0, ("n",))),
    ]
    assert followed(routes, frozenset()) == set()
    assert followed(routes, frozenset({1, 2})) == {0}
    assert followed(routes, frozenset({1, 2, 4})) == {0, 1, 2}
    assert followed(routes, frozenset({4, 2})) == {0, 1, 2}  # 0 is alone at peer 1, 2 after it


def test_a_thin_batch_hides_nobody() -> None:
    alone = [Route(0, (1, 2), (0, ("y",))), Route(3, (4, 5), (0, ("n",)))]
    assert followed(alone, frozenset()) == {0, 1}
    together = [Route(0, (1, 2), (0, ("y",))), Route(3, (1, 2), (0, ("n",)))]
    assert followed(together, frozenset()) == set()
    assert followed(together, frozenset({3})) == {0}  # a member knows its own


def test_what_is_recorded_is_the_way_onions_went() -> None:
    seen, transcript = played()
    record = PeerRecord(transcript, seen)
    for number in (1, 2):
        routes = record.routes[number]
        assert len(routes) == len(ROWS) * TERMS.onions
        for route in routes:
            assert len({*route.stops, route.origin}) == 1 + TERMS.path
    everybody = record.view(parties.peer(i) for i in range(len(ROWS)))
    assert everybody.pinned == {i: dict(enumerate(row)) for i, row in enumerate(ROWS)}
    board = record.view(())
    assert {count.round for count in board.counted} == {1, 2}
    assert board.member_indices == frozenset()
    assert board.sees_who


class Counting:
    """Keeps the first column; proves of a release how many are alone in it."""

    def ask(self, *_: Any) -> None:
        """Nothing."""

    def decide(self, _schema: Schema, heard: Sequence[Any]) -> Decision:
        people = sum(heard[0].counts[0].values())
        return Decision((0,), DecisionCertificate("coverage", 2, people, 0))

    def prove(
        self, _schema: Schema, _calls: Any, _decision: Decision, joint: Any
    ) -> DecisionCertificate:
        alone = sum(people for people in joint.values() if people < 2)
        return DecisionCertificate("coverage", 2, sum(joint.values()), alone)


class Turncoat(PeerSeat):
    """Answers the second round otherwise than the first."""

    def seals(self, plan: PeerRound, onions: Any) -> Any:
        if plan.call.round < 2:
            return onions
        return make_onions(plan, self.number, ("n", "0"), SeededEntropy(self.number))


@pytest.mark.parametrize(("turning", "released"), [(0, True), (3, False)])
def test_peers_prove_the_promise_of_the_ballots_shown(turning: int, released: bool) -> None:
    """Four say y and three n; if three who said y say n, one is alone: everybody burns the round.

    Nobody is named: that somebody has said something else shows in no single post.
    """
    seats = {parties.peer(index): Turncoat for index in (0, 2, 4)[:turning]}
    terms = replace(TERMS, policy=AnnouncedPolicy(2, 0.0))
    seen, _ = played(terms, decide=Counting(), seats=seats)
    assert (len(seen.tallies) == 2) is released
    assert seen.charges == ()
    if not released:
        assert seen.burned == (
            "7 people came where the promise was made for 7: it cannot be proved that at most 0 % "
            "of them are in a crowd smaller than 2"
        )
