"""The answers to the first questions about a run, at the top of its page.

The questions are about the release, exposure, trust, malicious parties and the decision.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ...number_text import percent, plural, sentence
from ...scenarios.lab.scoring.run_scores import saved_exposure
from ...scenarios.records.verification.deviations import NOT_BY_WATCHING
from ..blocks import EXPOSED, RELEASED, VerdictAnswer, as_sentences
from ..equal_people import alike_lines
from ..presenters import exposure
from ..presenters.coalitions import coalition_name, outsiders_linked
from ..presenters.decision import decision_rule
from ..presenters.registry import presenter_of
from ..wording import UNSAFE
from . import cheating

if TYPE_CHECKING:
    from ..presenters.page_facts import PageFacts


def verdict(facts: "PageFacts") -> tuple[VerdictAnswer, ...]:
    """Return the answers at the top of a run's page; the last only if a policy decided."""
    program_answers = presenter_of(facts.run.scenario).answers(facts.result)
    return (
        *(program_answers or (_release_answer(facts), _exposed(facts))),
        _trust(facts),
        cheating.answer(facts),
        *_decided(facts),
    )


def _release_answer(facts: "PageFacts") -> VerdictAnswer:
    """Return the answer on the release: its columns and people, or the reason why it is empty."""
    if not facts.result.release:
        why = facts.result.burned or UNSAFE
        return VerdictAnswer(RELEASED, "nothing", f"Nothing was released: {why}.")
    suppressed_columns = [
        name for name in facts.result.features if name not in facts.released_columns
    ]
    text = (
        f"{plural(len(facts.crowds), 'combination')} of "
        f"{_columns_text(len(facts.released_columns))}, counted over "
        f"{facts.released:,} people. "
        + (
            f"Not released: {', '.join(suppressed_columns)}."
            if suppressed_columns
            else "No column was held back."
        )
    )
    return VerdictAnswer(
        RELEASED, " x ".join(facts.released_columns) or "the number of people", text
    )


def _columns_text(columns: int) -> str:
    """Return a number of columns with its noun."""
    return plural(columns, "column")


def _exposed(facts: "PageFacts") -> VerdictAnswer:
    """Return the answer on exposure: the exposed people, and the bounds on their number."""
    if not facts.crowds:
        return VerdictAnswer(
            EXPOSED, "not at all", "Nothing is released, so nobody is exposed by it."
        )
    scenario, measured = facts.run.scenario, saved_exposure(facts.result)
    bounds = [
        bound
        for bound in exposure.bounds(scenario, facts.result, measured)
        if bound[1] != "-"  # `-` stands for a bound that was not computed
    ]
    shared = alike_lines(facts.released_columns, facts.shared_values)
    text = " ".join(
        [
            f"{facts.exposed:,} of {facts.released:,}: {exposure.exposed_people(scenario)}.",
            *as_sentences(bounds),
            *shared,
        ]
    )
    return VerdictAnswer(EXPOSED, f"{percent(measured.true)} of people", text)


def _trust(facts: "PageFacts") -> VerdictAnswer:
    """Return the answer on the parties to trust: the smallest coalitions that link people.

    If parties deviated from the protocol, the answer names the deviations and gives no coalition.
    """
    question = "Who must be trusted?"
    if facts.deviations:
        deviation_text = f"{'; '.join(facts.deviations)}. {sentence(NOT_BY_WATCHING)}"
        return VerdictAnswer(question, "no statement: parties deviated", deviation_text)
    if among := facts.topology_words.trust(facts.result):
        return among
    breaking = facts.breaking
    if not breaking:
        return VerdictAnswer(
            question,
            "no scored coalition links anyone",
            "No coalition that was scored links anyone.",
        )
    smallest = min(len(learner.parties) for learner in breaking)
    names = "; or ".join(coalition_name(learner) for learner in breaking)
    linked = max(outsiders_linked(learner) for learner in breaking)
    linked_values = "their reports" if facts.randomized else "their values"
    text = (
        "Of parties that keep to the rules: as long as one of every such group tells nobody, none "
        f"is linked. Together, {names} link {linked:,} of {facts.crowd:,} people to "
        f"{linked_values}."
    )
    return VerdictAnswer(question, f"{smallest} must collude, if all keep to the rules", text)


def _decided(facts: "PageFacts") -> Iterator[VerdictAnswer]:
    """Yield the answer on the decision: the proved bound, and the suppressed columns."""
    decision = facts.result.decision
    if not decision:
        return
    proof = decision.certificate
    suppressed_columns = [name for name in facts.result.features if name not in decision.kept]
    text = (
        f"{sentence(decision_rule(facts.run.scenario))} The rule {proof.rule} proves "
        f"{percent(decision.bound)} at most. Held back: "
        f"{', '.join(suppressed_columns) or 'nothing'}."
    )
    short = f"release {_columns_text(len(decision.kept))}" if decision.kept else "release nothing"
    yield VerdictAnswer("What was decided, and why?", short, text)
