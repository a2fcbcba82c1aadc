"""`drop`: a shuffler loses single answers, and posts on the board that they did not decrypt."""

from ..catalogue import peer_measures
from ..catalogue.attack import LOSES, SHUFFLER, Attack, PeerAttack, by_shuffler
from ..catalogue.measures import answers_lost
from ..catalogue.setup import commits
from ..faults import peer
from ..faults.shuffler import drop

ATTACK = Attack(
    by=SHUFFLER,
    does="loses single answers and says that they did not open",
    remedy=("`challenge`, `receipts`; `balance` shows it afterwards"),
    scenario="attack-drop",
    unit="answers lost",
    waits="a batch that the shuffler forwards, with answers enough to strike one",
    measure=answers_lost,
    reads=LOSES,
    stopped_by=("balance", "receipts"),
    trials={"": by_shuffler(last=True)},
    commit=commits(drop),
    among_peers=PeerAttack(
        does="hands on only a share of what it should",
        remedy="its account does not add up: it is named, and the round aborts",
        unit="answers lost",
        waits="onions that the peer is to forward",
        measure=peer_measures.answers_lost,
        act=peer.drop,
        rated=True,
    ),
)
