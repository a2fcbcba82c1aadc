"""`flood`: the network takes part in the session under many invented names."""

from ..catalogue.attack import NETWORK, Attack, Keys, RowsRead
from ..catalogue.measures import bits_taken
from ..catalogue.people_subtraction import UNIT, remaining_with_invented


def trial(people: int, _shufflers: int) -> list[Keys]:
    """Return the `[[fault]]` entry for the attack matrix: three invented people per real person."""
    return [{"users": 3 * people}]


ATTACK = Attack(
    by=NETWORK,
    does="takes part under many names",
    remedy="`registered`",
    scenario="attack-flood",
    unit="bits of anonymity taken",
    waits="a round in which its invented people are asked",
    measure=bits_taken,
    reads=("users",),
    stopped_by=("registered",),
    trials={"": trial},
    rows_read=RowsRead(unit=UNIT, measure=remaining_with_invented(lambda _person, _entry: True)),
    sybils=True,
)
