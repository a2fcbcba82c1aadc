"""Measures of attacks among peers: (value, its largest possible value)."""

from typing import TYPE_CHECKING

from ....analysis.exposure import users_below
from ....analysis.trust import received
from ....protocol.wire import parties
from .attack import Measured

if TYPE_CHECKING:
    from ...schema.model import Fault
    from .scene import PeerScene


def unreleased(scene: "PeerScene", _fault: "Fault") -> Measured:
    """Measure the people that no release counts, after a decision to release or a burned round.

    A peer that breaks the rules is named, and the round is burned with the answers of all peers.
    """
    reckoning = scene.record.reckoning
    if reckoning.burned is None and not (reckoning.decision and reckoning.decision.kept):
        return 0, scene.n  # nothing was safe enough: that is no attacker's doing
    return scene.n - sum((scene.release or {}).values()), scene.n


def answers_lost(scene: "PeerScene", _fault: "Fault") -> Measured:
    """Measure the answers of round 1 that were not counted, of all given."""
    answer_count = len(scene.record.board.keys) * len(scene.people.schema.names)
    tallies = scene.record.reckoning.tallies[:1]
    counted = sum(sum(count.values()) for tally in tallies for count in tally)
    return max(answer_count - counted, 0), answer_count


def above_promise(scene: "PeerScene", _fault: "Fault") -> Measured:
    """Measure the people exposed in the release beyond the number in the peers' certificate."""
    decision, joint = scene.record.reckoning.decision, scene.release
    if decision is None or joint is None:
        return 0, scene.n
    below = int(users_below(list(joint.values()), decision.certificate.k))
    return max(below - decision.certificate.people, 0), scene.n


def pooled(scene: "PeerScene", _fault: "Fault") -> Measured:
    """Measure the other peers that the first half of the peers link to a value by pooled views."""
    half = scene.n // 2
    members = tuple(parties.peer(index) for index in range(half))
    sizes = tuple(len(texts) for texts in scene.people.values)
    linked = received(scene.record.view(members), sizes).linked
    return max(linked - half, 0), scene.n - half
