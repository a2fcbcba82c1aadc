"""`tag`: a shuffler flips a bit of some encrypted answers, to recognize them in a later batch.

Layers are authenticated, so a changed answer does not open: the attack only loses answers.
"""

from ..catalogue import peer_measures
from ..catalogue.attack import LOSES, SHUFFLER, Attack, PeerAttack, by_shuffler
from ..catalogue.measures import answers_lost
from ..catalogue.setup import commits
from ..faults import peer
from ..faults.shuffler import tag

ATTACK = Attack(
    by=SHUFFLER,
    does="turns over a bit of some answers, to know them again",
    remedy="authenticated layers: tagging is dropping, and `balance` shows it",
    scenario="attack-tag",
    unit="answers lost",
    waits="a batch that the shuffler forwards, with answers enough to strike one",
    measure=answers_lost,
    reads=(*LOSES, "bit"),
    stopped_by=("balance",),
    trials={"": by_shuffler()},
    commit=commits(tag),
    among_peers=PeerAttack(
        does="turns over a bit of an onion before it hands it on",
        remedy="the sender seals the layer again in public, which names it",
        unit="answers lost",
        waits="onions that the peer is to forward",
        measure=peer_measures.answers_lost,
        act=peer.tag,
    ),
)
