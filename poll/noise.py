"""Estimates from the noisy answers of a class, and the privacy that the noise guarantees.

Phones randomize answers before they send them (`static/noise.js`), so no other computer ever has a
true answer. The board has public counts of the noisy reports. From these counts follow the share of
each answer with its 95 % interval, and two privacy parameters. The local epsilon holds against
every observer; the epsilon of the shuffled reports holds against observers of the mixed batch.
"""

from collections.abc import Sequence
from math import ceil, floor, log10
from typing import Any

import msgspec

from ..crypto.entropy import OSEntropy
from ..languages.language import Language, english
from ..presentation.presenters.limit_forecast import VERDICTS
from ..protocol.board.board import Board
from ..scenarios.programs.noisy_questions import Question, randomization, rule
from ..scenarios.programs.randomized.privacy import Shuffled, after_shuffling
from ..scenarios.programs.randomized.score import estimates
from ..scenarios.programs.randomized.share_estimates import Estimated, limits
from ..scenarios.schema.model import Scenario
from .questions import noise_of

# half of the width of a 95 % interval, as a share of people; estimates with wider intervals are not
# shown
TOO_WIDE = VERDICTS[0][0]


class AnswerShare(msgspec.Struct, frozen=True):
    """The estimated share of an answer.

    Attributes:
        answer: the text of the answer, as it was announced.
        share: the estimated share of people with this answer. The estimate is unbiased, so it may
            be below 0 or above 1.
        low, high: the limits of the 95 % confidence interval of the share, within 0 to 1.
    """

    answer: str
    share: float
    low: float
    high: float

    @property
    def says(self) -> str:
        """The estimated share as a percentage in English, or that there are too few people."""
        return self.says_in(english())

    def says_in(self, language: Language) -> str:
        """Return the estimated share as a percentage in a language.

        If the 95 % interval is too wide, the text says instead that there are too few people.
        """
        wide = (self.high - self.low) / 2 >= TOO_WIDE
        return language.say("verdict-little") if wide else language.percent(self.share)


class NoisyResult(msgspec.Struct, frozen=True):
    """The result of a session with noisy answers, which phones show at the end.

    Attributes:
        rule: the randomizer of the answers, as it was announced.
        local: epsilon of a person's whole answer, in nats, before the mix.
        shuffled: an upper bound on epsilon of all shuffled reports, in nats; None: fewer than two
            people, so no bound.
        delta: the delta of the (epsilon, delta) guarantee `shuffled`; None: no bound.
        people: number of people for whom `shuffled` is computed: simulated people do not count.
        shares: the estimated share of each answer, by the name of the question.
    """

    rule: str
    local: float
    shuffled: float | None
    delta: float | None
    people: int
    shares: dict[str, tuple[AnswerShare, ...]]


def noisy_result(scenario: Scenario, board: Board, simulated: int) -> NoisyResult | None:
    """Return estimated shares and privacy parameters; None without noise or without counts.

    Takes seconds, since the bound on epsilon after shuffling is a numerical search. simulated:
    number of simulated people; they do not add to the privacy of others, since this computer knows
    their answers.
    """
    questions = noise_of(scenario)
    if not questions or board.burned is not None or not board.tallies:
        return None
    counts = board.tallies[0].counts or ()
    read = [sum(count.values()) for count in counts]
    if not read or not min(read):
        return None
    names = [feature.name for feature in scenario.feature]
    estimated_shares: list[Estimated] = [
        limits(estimate, ())
        for question, count in zip(questions, counts, strict=True)
        for estimate in estimates(question, count, names)
    ]
    people = max(0, min(read) - simulated)
    mixed = _shuffled(questions, people)
    return NoisyResult(
        rule(scenario.local, len(questions)),
        scenario.local.epsilon or 0.0,
        mixed.hockey_stick if mixed else None,
        mixed.delta if mixed else None,
        people,
        {
            estimate.feature: tuple(
                map(AnswerShare, estimate.values, estimate.shares, estimate.low, estimate.high)
            )
            for estimate in estimated_shares
        },
    )


def _shuffled(questions: Sequence[Question], people: int) -> Shuffled | None:
    """Return the epsilon and delta after shuffling for all reports of a person together.

    None for fewer than two people. people: number of people whose reports are shuffled.
    """
    if people < 2:
        return None
    each, joint_bound = after_shuffling(questions, [people] * len(questions))
    return joint_bound or (each[0] if each else None)


def promised(result: NoisyResult, language: Language | None = None) -> list[str]:
    """Return the privacy guarantees of noisy answers, in sentences.

    language: the language of the sentences; None: English.
    """
    language = language or english()
    sentences = [language.say("noise-local", epsilon=language.number(result.local))]
    if result.shuffled is not None and result.delta is not None:
        bound = at_most(result.shuffled).replace(".", language.decimal)
        delta = language.number(result.delta)
        sentences.append(
            language.say("noise-shuffled", epsilon=bound, delta=delta, n=result.people)
        )
    return sentences


def result_data(result: NoisyResult, language: Language | None = None) -> dict[str, Any]:
    """Return the result as tables and sentences for the wall, the page projected for all.

    language: the language of the texts; None: English.
    """
    language = language or english()
    keys = ("table-answer", "table-estimate", "noise-from", "noise-to")
    headings = [language.say(key) for key in keys]
    tables = [
        {
            "caption": question,
            "headings": headings,
            "rows": [
                [
                    share.answer,
                    share.says_in(language),
                    language.percent(share.low),
                    language.percent(share.high),
                ]
                for share in shares
            ],
        }
        for question, shares in result.shares.items()
    ]
    title, notes = language.say("noise-title"), promised(result, language)
    return {"what": "told", "title": title, "tables": tables, "notes": notes}


def at_most(value: float) -> str:
    """Return a bound > 0 as text with three digits, rounded up to stay a bound."""
    scale = 10.0 ** (2 - floor(log10(value)))
    return f"{ceil(value * scale) / scale:.3g}"


def percent(share: float) -> str:
    """Return an estimated share, which may be below 0 or above 1, as a percentage."""
    return f"{100 * share:.1f} %"


def lines(result: NoisyResult) -> list[str]:
    """Return the estimates and privacy guarantees of noisy answers, for the terminal."""
    return [
        *(
            f"{question}: {share.answer}  {share.says} "
            f"(95 %: {percent(share.low)} to {percent(share.high)} of people)"
            for question, shares in result.shares.items()
            for share in shares
        ),
        *promised(result),
    ]


def response(scenario: Scenario, row: Sequence[str]) -> Sequence[str]:
    """Return a person's response to a row of answers: noisy answers, if phones add noise.

    row: the true answers, in the order of the questions.
    """
    questions = noise_of(scenario)
    return randomization(questions)(row, OSEntropy()) if questions else row
