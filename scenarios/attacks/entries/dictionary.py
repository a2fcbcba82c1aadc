"""`dictionary`: the first shuffler seals every possible answer, and compares with users' answers.

Equal answers must give equal ciphertexts: encryption without randomness or salt, a design error
that only a lesson (a scenario that shows an attack) may have.
"""

from ....protocol.knowledge import exploits
from ....protocol.wire import parties
from ..catalogue.attack import BYSTANDER, Attack, counts_victim
from ..catalogue.measures import linked

ATTACK = Attack(
    by=BYSTANDER,
    does="seal every possible answer and compare",
    remedy="`salt` or `randomised`",
    scenario="attack-dictionary",
    unit="people linked",
    learns=counts_victim,
    measure=linked((parties.shuffler(1),), exploits.by_dictionary),
    helpers=lambda _policy, _entry: (parties.shuffler(1),),
    switches={"mix.suite": "textbook", "mix.salt": False, "mix.lesson": True},
    stopped_by=("randomised", "salt"),
)
