"""Measures of attacks among peers: the success as (value, its largest possible value)."""

from typing import TYPE_CHECKING

from ....analysis.exposure import users_below
from ....analysis.trust import received
from ....protocol.wire import parties
from .attack import Measured

if TYPE_CHECKING:
    from ...schema.model import Fault
    from .scene import PeerScene


def unreleased(scene: "PeerScene", _fault: "Fault") -> Measured:
    """Measure the people that no release counts, of all people.

    The value is 0 if the peers decided to release no column: no attacker caused that. If a peer
    breaks the rules it is named, and the round is aborted, so that the answers of all peers are
    lost.
    """
    reckoning = scene.record.reckoning
    if reckoning.burned is None and not (reckoning.decision and reckoning.decision.kept):
        return 0, scene.n  # no column was safe to release: no attacker caused that
    return scene.n - sum((scene.release or {}).values()), scene.n


def answers_lost(scene: "PeerScene", _fault: "Fault") -> Measured:
    """Measure the answers of round 1 that no peer counted, of all answers given."""
    answer_count = len(scene.record.board.keys) * len(scene.people.schema.names)
    tallies = scene.record.reckoning.tallies[:1]
    counted = sum(sum(count.values()) for tally in tallies for count in tally)
    return max(answer_count - counted, 0), answer_count


def above_promise(scene: "PeerScene", _fault: "Fault") -> Measured:
    """Measure the people exposed in the release beyond the bound that its certificate proves."""
    decision, joint = scene.record.reckoning.decision, scene.release
    if decision is None or joint is None:
        return 0, scene.n
    below = int(users_below(list(joint.values()), decision.certificate.k))
    return max(below - decision.certificate.people, 0), scene.n


def pooled(scene: "PeerScene", _fault: "Fault") -> Measured:
    """Measure the peers that the pooled views of the first half of the peers link to a value.

    Peers of the coalition itself do not count: the maximum is the number of other peers.
    """
    half = scene.n // 2
    members = tuple(parties.peer(index) for index in range(half))
    sizes = tuple(len(texts) for texts in scene.people.values)
    linked = received(scene.record.view(members), sizes).linked
    return max(linked - half, 0), scene.n - half
