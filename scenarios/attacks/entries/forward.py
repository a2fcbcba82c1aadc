"""`forward`: a shuffler forwards messages in the order of arrival, instead of shuffling them."""

from ....protocol.knowledge import exploits
from ....protocol.wire import parties
from ..catalogue.attack import SHUFFLER, Attack, Keys, counts_victim
from ..catalogue.measures import linked
from ..catalogue.setup import commits
from ..faults.shuffler import forward


def trial(_people: int, shufflers: int) -> list[Keys]:
    """Return the `[[fault]]` entries for the attack matrix: all shufflers keep the order."""
    return [{"by": parties.shuffler(hop + 1)} for hop in range(shufflers)]


ATTACK = Attack(
    by=SHUFFLER,
    does="keeps the order of arrival",
    remedy="`order`: the receiver of the batch reports it and processes nothing",
    scenario="attack-forward",
    unit="people linked",
    waits="a batch that the shuffler forwards",
    learns=counts_victim,
    measure=linked((parties.NETWORK, parties.CURATOR), exploits.by_order),
    helpers=lambda _policy, _entry: (parties.CURATOR, parties.NETWORK),
    reads=("round",),
    stopped_by=("order",),
    trials={"": trial},
    commit=commits(forward),
)
