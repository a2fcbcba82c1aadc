"""`copy`: a shuffler sends some answers twice."""

from ..catalogue.attack import LOSES, SHUFFLER, Attack, by_shuffler
from ..catalogue.measures import moved
from ..catalogue.session import AttackSetup

ATTACK = Attack(
    by=SHUFFLER,
    does="sends some answers twice",
    remedy=("order: a batch with repeats does not ascend; `dedupe` where batches are not ordered"),
    scenario="attack-copy",
    unit="people by whom a count is moved",
    measure=moved,
    reads=LOSES,
    switches={"mix.order": "kept"},
    stopped_by=("dedupe", "order"),
    trials={"": by_shuffler(), "last": by_shuffler(last=True)},
    commit=AttackSetup.deed,
)
