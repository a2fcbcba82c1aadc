"""`collude`: the first shuffler and the curator pool their views and keys."""

from ....protocol.knowledge import exploits
from ....protocol.wire import parties
from ..catalogue import peer_measures
from ..catalogue.attack import BYSTANDER, Attack, PeerAttack, committed, counts_victim
from ..catalogue.measures import linked

COALITION = (parties.CURATOR, parties.shuffler(1))

ATTACK = Attack(
    by=BYSTANDER,
    does="show each other all they saw and all keys",
    remedy="`cascade`: more shufflers, one of them honest",
    scenario="who-must-collude",
    unit="people linked",
    learns=counts_victim,
    measure=linked(COALITION, exploits.open_envelopes),
    helpers=lambda _policy, _entry: COALITION,
    stopped_by=("cascade",),
    watchers="shuffler-1 and curator",
    among_peers=PeerAttack(
        by=BYSTANDER,
        does="show each other all they saw and all keys",
        remedy="`path`: more peers on every path; `cover`: more messages in every batch",
        unit="others linked to a value",
        measure=peer_measures.pooled,
        trials={"": committed()},
        stopped_by=("path", "cover"),
        watchers="half of the peers",
    ),
)
