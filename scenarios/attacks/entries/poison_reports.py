"""`poison-reports`: some users craft their randomized reports, so that an estimate shifts far."""

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

TRIED = 64  # honest reports that an attacking user draws; it sends the most harmful of them
STREAM = 0x706F6973  # separates these random draws from other uses of a user's index


def crafted(question: Question, people: Population, index: int) -> str:
    """Return the report that an attacking user sends to a question, in the text form of reports.

    The user draws 64 honest reports for the last value in the question's domain. The sent report
    supports this value most and other values least. An honest user could send this report too, so
    no single report is suspicious. index: the user's index, from 0.
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
    """Let a user send crafted reports in some rounds.

    index: the user's number, from 0. rounds: round -> function that records the attack.
    """
    people, questions = setup.crowd.people, setup.settings.questions
    row = tuple(crafted(question, people, index) for question in questions)
    user = parties.user(index)
    setup.places[user] = crafter(rounds, row, setup.entropy(f"crafting of {user}"))


def moved(scene: Scene, fault: Fault) -> Measured:
    """Return the largest shift of an estimate that the attack causes, and its maximum, in people.

    An estimate is the number of people with the last value in a question's domain. The attackers
    know their own reports, so they subtract these from the public counts and estimate again. An
    honest report of this value shifts the estimate by 1 person on average.
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

    counts: the number of reports with each text. If reports are vectors of bits, the value is the
    estimated number of people with the first bit set.
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
        # Numeric values: the number of people with the largest value that gives this mean, if all
        # other people have the least value.
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
