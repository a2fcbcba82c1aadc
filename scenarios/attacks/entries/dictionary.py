"""`dictionary`: the first shuffler seals every possible answer, and compares with the answers.

It needs deterministic encryption without salt, a design error of the lesson's scenario.
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
