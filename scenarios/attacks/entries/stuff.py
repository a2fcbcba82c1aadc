"""`stuff`: a user answers the same question several times in one message.

A message has a slot for the answer to each question of a round. The user fills all slots with
answers to the same question, so the totals of the questions differ.
"""

from ....protocol.wire import parties
from ....roles.occasions import Notes
from ..catalogue.attack import STRIKES, USER, Attack, by_some
from ..catalogue.measures import moved
from ..catalogue.setup import AttackSetup
from ..faults.users import stuffer


def strike(setup: AttackSetup, index: int, rounds: Notes) -> None:
    """Let a user put the answer to the first question in every slot of its message, in some rounds.

    A message has a slot for each question of the round. index: the user's number, from 0. rounds:
    round -> function that records the attack.
    """
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
