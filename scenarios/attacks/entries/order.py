"""`order`: network and curator link senders to answers by the order of arrival.

The attack works only with a design error: shufflers do not sort their batches.
"""

from ....protocol.knowledge import exploits
from ....protocol.wire import parties
from ..catalogue.attack import BYSTANDER, Attack, counts_victim
from ..catalogue.measures import linked

ATTACK = Attack(
    by=BYSTANDER,
    does="read who is who from the order of arrival",
    remedy="`order`: sorted batches",
    scenario="attack-order",
    unit="people linked",
    learns=counts_victim,
    measure=linked((parties.NETWORK, parties.CURATOR), exploits.by_order),
    helpers=lambda _policy, _entry: (parties.NETWORK, parties.CURATOR),
    switches={"mix.order": "kept", "mix.lesson": True},
    stopped_by=("order",),
)
