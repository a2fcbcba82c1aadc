"""Peers accuse without telling: what an accusation shows is sealed to all, and never opens."""

from dataclasses import replace as changed
from typing import Any

import peer_kit as PEERS
import pytest
from msgspec.structs import replace
from veilmix.errors import Refused
from veilmix.protocol.knowledge.transcript import Transcript
from veilmix.protocol.peers.accusations import PeerLoot, accuser_values
from veilmix.protocol.peers.agreement import PeerRound, accusable, last_step
from veilmix.protocol.peers.view import PeerRecord
from veilmix.protocol.wire.frames import Message
from veilmix.protocol.wire.messages import Body
from veilmix.protocol.wire.parties import peer
from veilmix.protocol.wire.peer_messages import ShareSecret
from veilmix.roles.network.instruments import TranscriptRecorder
from veilmix.roles.peer import PeerCast, play_peers
from veilmix.scenarios.attacks.faults.peer import faulty_peer, provoke
from veilmix.scenarios.lab.play.run import run
from veilmix.scenarios.lab.validation.load import load
from veilmix.scenarios.schema.model import Fault


def provoked(name: str, by: str, number: int) -> Any:
    scenario = load(name)
    fault = Fault(attack="provoke", by=by, round=number)
    scenario = replace(scenario, fault=(fault,), expect=type(scenario.expect)())
    return run(scenario, worst_case_nodes=0)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["village", "peers-titanic"])
def test_it_achieves_nothing_and_names_who_did_it(name: str) -> None:
    for number in (1, 2):
        outcome = provoked(name, "peer-3", number)
        assert [(attack.value, attack.of > 0) for attack in outcome.attacks] == [(0, True)]
        assert outcome.release is None
        assert {charge.peer for charge in outcome.peers.charges} == {"peer-3"}


def withhold(_plan: PeerRound, body: Body, _rate: float) -> Body | None:
    """Withhold its secret of the round's key, after all other peers have shown theirs."""
    return None if isinstance(body, ShareSecret) else body


def session(
    attack: str, number: int = 1, seed: int = 5
) -> tuple[Any, Transcript, dict[tuple[int, int], bytes]]:
    """One peer attacks; also every other peer's secret, which nobody has together."""
    secrets: dict[tuple[int, int], bytes] = {}
    transcript = Transcript.sized(len(PEERS.ROWS))
    honest = {peer(i): faulty_peer({}, secrets) for i in range(len(PEERS.ROWS)) if i != 2}
    act = {"provoke": provoke, "withhold": withhold}[attack]
    seats = {**honest, "peer-3": faulty_peer({number: (act, 1.0)}, secrets)}
    cast: PeerCast = changed(PEERS.cast(seed=seed), seats=seats)
    return play_peers(cast, [TranscriptRecorder(transcript)], pytest.fail), transcript, secrets


@pytest.mark.parametrize("number", [1, 2])
def test_only_all_secrets_together_would_open_what_is_shown(number: int) -> None:
    # What is accused may be cover, which tells nothing: of some sessions one in which it is not.
    tried = (session("provoke", number, seed) for seed in range(20))
    told = ((accuser_values(PeerLoot(seen, all_)), seen, all_) for seen, _, all_ in tried)
    everything, seen, secrets = next(case for case in told if case[0])
    for who, row in everything.items():
        assert all(PEERS.ROWS[who][column] == value for column, value in row.items())
    for owner in [key for key in secrets if key[0] == number]:
        less = {key: secret for key, secret in secrets.items() if key != owner}
        assert accuser_values(PeerLoot(seen, less)) == {}


@pytest.mark.parametrize("number", [1, 2])
def test_nobody_reads_a_round_that_was_burned_before_it_was_opened(number: int) -> None:
    seen, transcript, _ = session("provoke", number)
    record = PeerRecord(transcript, seen)
    everybody = record.view(peer(i) for i in range(len(PEERS.ROWS)))
    most = record.view(peer(i) for i in range(len(PEERS.ROWS) - 1))
    assert {count.round for count in most.counted} == set(range(1, number))
    assert set(everybody.by_round) == {1, 2} if number == 2 else {1}
    assert number not in record.linked(frozenset(range(len(PEERS.ROWS) - 1)))


@pytest.mark.parametrize("number", [1, 2])
def test_who_keeps_its_secret_is_named_and_alone_reads_the_burned_round(number: int) -> None:
    seen, transcript, _ = session("withhold", number)
    assert {charge.peer for charge in seen.charges} == {"peer-3"}
    assert len(seen.tallies) == number - 1
    record = PeerRecord(transcript, seen)
    readers = {
        i: {count.round for count in record.view([peer(i)]).counted} for i in range(len(PEERS.ROWS))
    }
    before = set(range(1, number))
    assert readers == {i: before | {number} if i == 2 else before for i in readers}


def test_an_accusation_comes_before_any_secret_and_no_secret_before_all_is_found() -> None:
    terms = PEERS.TERMS
    shown = terms.path + 4
    assert [step for step in range(last_step(terms) + 1) if accusable(terms, step)] == list(
        range(2, shown)
    )
    seen, _, secrets = session("provoke", 1)
    early = Message(seen.board.session, 1, ShareSecret(shown, secrets[1, 1])).encode()
    with pytest.raises(Refused):
        seen.board.post("peer-1", early)
