"""`flood`: the network takes part under many names."""

from ..catalogue.attack import NETWORK, Attack, Keys
from ..catalogue.measures import bits_taken


def trial(people: int, _shufflers: int) -> list[Keys]:
    """Three of four people in the batch do not exist."""
    return [{"users": 3 * people}]


ATTACK = Attack(
    by=NETWORK,
    does="takes part under many names",
    remedy="`registered`. 360 beside 40 people take 3.3 of 8.6 bits of everybody's anonymity",
    scenario="attack-flood",
    unit="bits of anonymity taken",
    waits="a round in which its invented people are asked",
    measure=bits_taken,
    reads=("users",),
    stopped_by=("registered",),
    trials={"": trial},
    sybils=True,
)
