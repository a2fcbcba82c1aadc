"""`guess-row`: k - 1 people send a guessed row; if it opens, another person has the same row.

The reader can open a row only if at least k people have submitted it.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, product

from ....protocol.knowledge.adversary_view import submissions
from ....protocol.rounds.opened_prefixes import cell, exposed, prefix_of, shown_of
from ....roles.occasions import Notes
from ...schema.model import Fault, Policy
from ..catalogue.attack import OPENED, USER, Attack, Keys, Measured, counts_victim
from ..catalogue.scene import Scene
from ..catalogue.setup import AttackSetup

Row = tuple[str, ...]


def strike(setup: AttackSetup, index: int, _rounds: Notes) -> None:
    """Let the user with an index submit a guessed row instead of its own.

    k - 1 users submit each guess, because a row opens with k submissions. Without a remaining
    guess, the user submits its own row.
    """
    place = len(setup.guesses) // max(setup.settings.policy.k - 1, 1)
    remaining_guesses = islice(guesses(setup.crowd.people.values), place, None)
    setup.guesses[index] = next(remaining_guesses, setup.row(index))


def guesses(domains: Sequence[Sequence[str]]) -> Iterator[Row]:
    """Yield all possible rows: combinations of values of the columns, values listed last first."""
    return product(*(values[::-1] for values in domains))


def guessed(scene: Scene) -> Mapping[str, Row]:
    """Return the guessed row of each attacking user that has submitted it."""
    strikers = scene.strikers(ATTACK_NAME)
    submitters = {*submissions(scene.loot(strikers), 1)}
    rows = list(islice(guesses(scene.people.values), len(strikers)))
    each = max(scene.settings.policy.k - 1, 1)
    return {
        user: rows[at // each]
        for at, user in enumerate(strikers)
        if user in submitters and at // each < len(rows)
    }


def confirmed(scene: Scene, _fault: Fault) -> Measured:
    """Return the number of people exposed because guesses decrypt their values, and of all people.

    Attackers do not count as exposed. Without the guesses, these values are shared by fewer than k
    people.
    """
    mine, board = guessed(scene), scene.public
    counts = board.tallies[0].counts if board.tallies else None
    if not mine or counts is None:
        return 0, scene.n
    prefixes = {*map(prefix_of, counts[0])}
    remaining_counts, columns = Counter(counts[0]), len(scene.people.schema.names)
    for row in mine.values():
        shown_values = shown_of(dict(enumerate(row)), prefixes)
        remaining_counts[cell(tuple(shown_values.values()), columns)] -= 1
    return exposed(+remaining_counts, scene.settings.policy.k), scene.n


def friends(_policy: Policy, entry: Fault) -> tuple[str, ...]:
    """Return the attackers, for a report: the number of users that send guesses, as text.

    () if the entry gives no number.
    """
    if entry.users is None:
        return ()
    return ("one of the people" if entry.users == 1 else f"{entry.users} of the people",)


def trial(people: int, _shufflers: int) -> list[Keys]:
    """Return the `[[fault]]` entry for the attack matrix: a third of the people guess."""
    return [{"users": max(people // 3, 1)}]


ATTACK_NAME = "guess-row"
ATTACK = Attack(
    by=USER,
    does="sends, with k - 2 others, a row that somebody else may have",
    remedy=(
        "nothing: k - 1 people together learn whether another person has one given row. "
        "`registered`: these k - 1 must be registered people"
    ),
    scenario="attack-guess-row",
    unit="others opened by guesses",
    waits="an answer of one of those who commit it",
    learns=counts_victim,
    measure=confirmed,
    helpers=friends,
    about=OPENED,
    reads=("users", "share"),
    trials={"": trial},
    strike=strike,
)
