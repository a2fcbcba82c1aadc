"""`stuff`: a person answers one question in every slot: several votes, and totals that differ."""

from ....protocol.wire import parties
from ....roles.occasions import Notes
from ..catalogue.attack import STRIKES, USER, Attack, by_some
from ..catalogue.measures import moved
from ..catalogue.setup import AttackSetup
from ..faults.users import stuffer


def strike(setup: AttackSetup, index: int, rounds: Notes) -> None:
    """Run the user in a place of its own, from which it seals ballots of other questions."""
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
