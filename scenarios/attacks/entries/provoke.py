"""`provoke`: the last peer of some paths leaves out ballots, so that their senders accuse the peer.

A sender accuses a peer if its ballot is missing from the peer's post. The attackers hope that an
accusation reveals the sender's values.
"""

from ....protocol.peers.accusations import accuser_values
from ...schema.model import Fault
from ..catalogue.attack import PEER, USER, Attack, Measured, PeerAttack, counts_victim
from ..catalogue.scene import PeerScene, Scene
from ..faults import peer

DOES = "leaves out ballots at the end of their paths, so that their senders accuse"
REMEDY = (
    "always on: an accusation opens nothing ([ADR 35](adr/0035-peers-accuse-without-telling.md))"
)
UNIT = "values told by those who accuse"


def unmasked(scene: PeerScene, _fault: Fault) -> Measured:
    """Return the number of true values that accusations reveal, and of all values of all people.

    Accusations and disclosed secrets are public; the attackers add their own secrets.
    """
    rows = accuser_values(scene.loot)
    right = sum(scene.right(person, row) for person, row in rows.items())
    return right, scene.n * len(scene.people.schema.names)


def no_accusations(_scene: Scene, _fault: Fault) -> Measured:
    """Return (0, 0): in a session with shufflers no user accuses a peer."""
    return 0, 0


ATTACK = Attack(
    by=USER,
    does=DOES,
    remedy=REMEDY,
    scenario="attack-provoke",
    unit=UNIT,
    waits="peers, and ballots at the end of a path",
    measure=no_accusations,
    reads=("users", "share", "round"),
    about=PEER,
    strike=lambda _setup, _index, _rounds: None,
    among_peers=PeerAttack(
        does=DOES,
        remedy=REMEDY,
        unit=UNIT,
        waits="ballots at the end of a path",
        measure=unmasked,
        act=peer.provoke,
        learns=counts_victim,  # a single revealed value of the victim counts as success
    ),
)
