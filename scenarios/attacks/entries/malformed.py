"""`malformed`: a user sends an envelope (encrypted message) that does not open."""

from ....errors import Reason
from ..catalogue.attack import STRIKES, USER, Attack, by_some
from ..catalogue.measures import refused_for

ATTACK = Attack(
    by=USER,
    does="sends an envelope that does not open",
    remedy="always on: refused one by one and counted; nobody is named",
    scenario="attack-poison",
    unit="messages refused",
    waits="an answer of one of those who commit it",
    # With registered users, the signature is checked before the envelope is opened. A changed
    # envelope fails this check, and is refused as UNREGISTERED.
    measure=refused_for(Reason.DOES_NOT_OPEN, Reason.UNREGISTERED),
    reads=STRIKES,
    trials={"": by_some(round=1)},
    unlike_honest=True,
    strike=lambda setup, index, rounds: setup.message(index, rounds, "malformed"),
)
