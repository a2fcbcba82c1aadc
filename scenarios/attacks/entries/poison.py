"""`poison`: a user submits a false row: the last value of each column."""

from ..catalogue.attack import USER, Attack, by_some
from ..catalogue.measures import moved

ATTACK = Attack(
    by=USER,
    does="lies about itself",
    remedy="nothing: m liars move a count by at most m",
    scenario="attack-poison",
    unit="people by whom a count is moved",
    waits="an answer of a person whose row is not the forged one, the last value of each feature",
    measure=moved,
    reads=("users", "share"),
    trials={"": by_some()},
    forges=True,
)
