"""`poison-reports`: some people craft their randomized reports, and move an estimate far."""

from collections import Counter
from typing import Any

from ....protocol.knowledge.adversary_view import senders
from ....protocol.wire import parties
from ....protocol.wire.messages import Counts
from ....roles.occasions import Notes
from ...populations import Population
from ...programs.noisy_questions import Question
from ...programs.randomized.encoding import tally
from ...schema.model import Fault
from ..catalogue.attack import REPORTS, USER, Attack, Measured, by_some
from ..catalogue.scene import Scene
from ..catalogue.setup import AttackSetup
from ..faults.users import crafter

TRIED = 64  # honest reports that an attacking user draws to choose from
STREAM = 0x706F6973  # separates these random draws from other uses of a user's index


def crafted(question: Question, people: Population, index: int) -> str:
    """Return the report that an attacking user sends to a question, in the text form of reports.

    Of 64 honest reports of the last value, it is the report that supports this value best, and as
    few other values as possible. No single report is suspicious.
    """
    import numpy as np

    rng = np.random.default_rng([STREAM, index])
    target_codes = [len(people.values[column]) - 1 for column in question.columns]
    codes: Any = np.tile(np.array([target_codes]), (TRIED, 1))
    randomizer = question.randomizer
    reports = randomizer.sample(randomizer.inputs_of(codes), rng)
    texts: list[str] = randomizer.encode(reports, question.domain)
    supports = [tally(randomizer, question.domain, {(text,): 1}).supporting for text in texts]
    aims = slice(None) if randomizer.takes_bits else slice(-1, None)
    return max(zip(texts, supports, strict=True), key=lambda x: (x[1][aims].sum(), -x[1].sum()))[0]


def strike(setup: AttackSetup, index: int, rounds: Notes) -> None:
    """Let the user with an index send crafted reports in some rounds."""
    people, questions = setup.crowd.people, setup.settings.questions
    row = tuple(crafted(question, people, index) for question in questions)
    user = parties.user(index)
    setup.places[user] = crafter(rounds, row, setup.entropy(f"crafting of {user}"))


def moved(scene: Scene, fault: Fault) -> Measured:
    """Return the largest shift of an estimate of a last value, and its maximum, in people.

    The attackers know their reports, and compute the estimates without them from the public counts.
    An honest report of that value moves the estimate by 1 person on average.
    """
    loot = scene.loot(scene.strikers(fault.attack))
    submitters = [parties.index(user) for user in senders(loot, 1)]
    counts = loot.board.tallies[0].counts if loot.board.tallies else None
    if not submitters or counts is None:
        return 0, scene.n
    people = scene.people
    shifts = []
    for question, count in zip(scene.settings.questions, counts, strict=True):
        without = Counter(count)
        without.subtract((crafted(question, people, index),) for index in submitters)
        shifts.append(estimated(question, count) - estimated(question, +without))
    value = max(shifts, default=0.0)
    return max(value, 0.0), max(scene.n, value)


def estimated(question: Question, counts: Counts) -> float:
    """Return the analyst's estimate of the number of people with the last value of a question.

    For randomizers of single bits, it is the number of people with the first bit set.
    """
    randomizer = question.randomizer
    question_tally = tally(randomizer, question.domain, counts)
    if not question_tally.people:
        return 0.0
    if randomizer.takes_bits:
        set_bits = int(question_tally.supporting[0])
        return float(
            randomizer.single()
            .estimate_tally([question_tally.people - set_bits, set_bits], question_tally.people)
            .counts[1]
        )
    if not randomizer.gives_shares:
        # Numeric values: people with the largest value, if all other people have the least.
        total = (
            question_tally.people
            * randomizer.measures(question_tally.supporting, question_tally.people)[0].value
        )
        return float(
            (total - question_tally.people * min(randomizer.points)) / (2 * randomizer.scale)
        )
    return float(
        randomizer.estimate_tally(question_tally.supporting, question_tally.people).counts[-1]
    )


ATTACK = Attack(
    by=USER,
    does="crafts the randomized report that moves an estimate most",
    remedy=(
        "nothing: a crafted report counts for (1 - q) / (p - q) people, 3.5 here, an honest one "
        "for 1 on average; less with a larger `local.epsilon`"
    ),
    scenario="attack-poison-reports",
    unit="people by whom an estimate is moved",
    waits="a report that is due from one of those who commit it",
    measure=moved,
    reads=("users", "share"),
    trials={"": by_some()},
    about=REPORTS,
    strike=strike,
)
