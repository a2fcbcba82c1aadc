"""`stuff`: a user answers the same question in all slots of its message.

It votes several times on this question, so that the totals of the questions differ.
"""

from ....protocol.wire import parties
from ....roles.occasions import Notes
from ..catalogue.attack import STRIKES, USER, Attack, by_some
from ..catalogue.measures import moved
from ..catalogue.setup import AttackSetup
from ..faults.users import stuffer


def strike(setup: AttackSetup, index: int, rounds: Notes) -> None:
    """Let the user with an index seal the same answer in every slot, in some rounds."""
    user = parties.user(index)
    entropy = setup.entropy(f"stuffing of {user}")
    setup.places[user] = stuffer(rounds, setup.row(index), entropy)


ATTACK = Attack(
    by=USER,
    does="answers one question in every slot",
    remedy="`balance`: the totals of the questions differ; `tokens` abort the round",
    scenario="attack-stuff",
    unit="people by whom a count is moved",
    waits="a round with several questions that one of those who commit it answers",
    measure=moved,
    reads=STRIKES,
    stopped_by=("tokens", "balance"),
    trials={"": by_some(round=1)},
    strike=strike,
)
