"""A seed fixes a run, whatever the scheduler does; without one, runs differ and results do not."""

from itertools import count
from typing import Any

import pytest
import role_kit as KIT
from veilmix.crypto.entropy import OSEntropy, SeededEntropy
from veilmix.crypto.keys import SuiteCode
from veilmix.protocol.board.board import replay
from veilmix.protocol.knowledge.exploits import EPHEMERAL
from veilmix.protocol.peers.agreement import Agreement
from veilmix.protocol.wire.announcement import AnnouncedPolicy, Rules
from veilmix.protocol.wire.frames import decode_message
from veilmix.protocol.wire.messages import Batch, Submission
from veilmix.protocol.wire.peer_messages import Relay
from veilmix.roles import session
from veilmix.roles.cast import Guards
from veilmix.roles.compute import worker_pool
from veilmix.roles.network.instruments import Instrument
from veilmix.roles.network.memory_network import Fault
from veilmix.roles.occasions import unnoted
from veilmix.roles.peer import PeerCast, play_peers
from veilmix.scenarios.attacks.faults.shuffler import Deed, cheat, substitute
from veilmix.scenarios.attacks.faults.users import stuffer

ROWS = KIT.people(40)
FAULTS = {
    "user_3": "late",
    "user_5": "duplicate",
    "user_8": "malformed",
    "user_9": "absent",
    "user_11": ("late", [1]),
}


def fault_free(entropy: Any = None, **changes: Any) -> Any:
    more = {} if entropy is None else {"entropy": entropy}
    return KIT.run(ROWS, shufflers=2, **more, **changes)


@pytest.mark.slow
def test_a_seeded_run_has_one_digest_in_twenty_repetitions(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Every repetition has its tasks run in another order, which the seed would fix."""
    orders = count()
    monkeypatch.setattr(session, "order_of", lambda _cast: next(orders))
    runs = [
        KIT.run(ROWS, shufflers=2, threads=threads, faults=KIT.attack(**FAULTS), seed=4)
        for threads in (1, 2, 3, 4, 5) * 4
    ]
    assert {run.board.digest().hex() for run in runs} == {runs[0].board.digest().hex()}
    assert all(run.results == runs[0].results for run in runs)
    refused = [sorted(map(repr, run.transcript.refusals)) for run in runs]
    assert all(refusals == refused[0] for refusals in refused)
    assert len({run.board.head for run in runs}) > 1  # or nothing was put to the test


@pytest.mark.slow
@pytest.mark.parametrize(("suite", "reproducible"), [("hpke-x25519", False), ("textbook", True)])
def test_a_seed_fixes_what_the_suite_lets_it_fix(suite: str, reproducible: bool) -> None:
    rules = KIT.Rules(lesson=suite == "textbook")
    run, other = (fault_free(suite=suite, rules=rules) for _ in range(2))
    assert (run.board.digest() == other.board.digest()) is reproducible
    assert run.board.announcement == other.board.announcement
    assert run.results == other.results


def test_another_seed_gives_another_run_with_the_same_results() -> None:
    run, other = fault_free(seed=1), fault_free(seed=2)
    assert run.board.digest() != other.board.digest()
    assert run.results == other.results


class Ephemerals(Instrument):
    """Keeps the senders' ephemeral points of every layer that is sent."""

    def __init__(self) -> None:
        self.points: set[bytes] = set()

    def carried(self, time: float, sender: str, receiver: str, data: bytes) -> None:
        """Take a message apart."""
        match decode_message(data).body:
            case Submission(envelope):
                self.points.add(envelope[EPHEMERAL])
            case Batch(layers):
                self.points.update(layer[EPHEMERAL] for layer in layers)
            case Relay(_, bags):
                self.points.update(layer[EPHEMERAL] for _, layers in bags for layer in layers)


FORGING = {
    "shuffler-1": cheat(Deed(substitute, SeededEntropy(8).fork("substitute"), users=3)),
    "user-4": stuffer(unnoted((1,)), ROWS[3], SeededEntropy(8).fork("stuff")),
}


@pytest.mark.parametrize("faults", [{}, FORGING], ids=["honest", "forging"])
def test_two_sessions_of_one_seed_share_no_ephemeral_key(faults: dict[str, Fault]) -> None:
    """Two texts sealed with one ephemeral key are each the other's, by exclusive or."""
    points = []
    for title in ("one session", "another"):
        seen = Ephemerals()
        KIT.run(ROWS, [seen], shufflers=2, title=title, faults=faults)
        points.append(seen.points)
    assert len(points[0]) == len(points[1]) > 9 * len(ROWS)
    assert not points[0] & points[1]


def test_two_sessions_of_peers_with_one_seed_share_no_ephemeral_key() -> None:
    points = []
    for title in ("one session", "another"):
        seen = Ephemerals()
        terms = AnnouncedPolicy(2, 0.5, "fixed"), Rules(), SuiteCode.SEALEDBOX, 2, 1
        agreement = Agreement(title, KIT.SCHEMA, *terms)
        play_peers(PeerCast(agreement, 6, ROWS.__getitem__, KIT.keep(0), SeededEntropy(3)), [seen])
        points.append(seen.points)
    assert len(points[0]) == len(points[1]) > 6
    assert not points[0] & points[1]


def test_runs_without_a_seed_differ_and_agree_in_their_results() -> None:
    outcome, other = fault_free(OSEntropy()), fault_free(OSEntropy())
    assert outcome.board.digest() != other.board.digest()
    assert outcome.board.session != other.board.session
    names = [
        {name for made in run.transcript.sealed_answers for name in [made.names]}
        for run in (outcome, other)
    ]
    assert not names[0] & names[1]
    assert outcome.results == other.results == fault_free().results


SIGNED = {"guards": Guards(registered=len(ROWS))}
KEPT: dict[str, dict[str, Any]] = {
    "nothing": {},
    "signatures": SIGNED,
    "tokens": SIGNED | {"rules": Rules(tokens=True)},
}


@pytest.mark.parametrize("copied", [False, True])
@pytest.mark.parametrize("faulty", [False, True])
@pytest.mark.parametrize("kept", KEPT)
def test_users_in_cohorts_say_the_same_as_users_alone(
    kept: str, faulty: bool, copied: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    faults = KIT.attack(**FAULTS) if faulty else {}
    alone = fault_free(faults=faults, **KEPT[kept])
    monkeypatch.setattr(session, "COHORT_ABOVE", 10)
    monkeypatch.setattr(worker_pool, "COPY_ABOVE", 10 if copied else 1 << 30)
    monkeypatch.setattr(worker_pool, "CHUNK", 4)
    together = fault_free(faults=faults, **KEPT[kept])
    assert together.board.digest() == alone.board.digest()
    assert sorted(together.transcript.sealed_answers) == sorted(alone.transcript.sealed_answers)
    assert together.results == alone.results


def test_the_posts_of_a_run_replay_to_its_board() -> None:
    run = fault_free()
    again = replay(run.transcript.posts)
    assert again == run.board
    assert again.digest() == run.board.digest()
