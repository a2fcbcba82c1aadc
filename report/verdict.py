"""The questions of a run, answered on its first page: what, how exposed, whom to trust, why so."""

from collections.abc import Iterator

from ..scenarios.programs.incidence.score import Incidence
from ..scenarios.programs.randomized.score import Randomized
from ..scenarios.scoring.result import own
from ..scenarios.wording import many, percent
from .facts import Facts
from .pieces import Answer


def verdict(facts: Facts) -> tuple[Answer, ...]:
    """Answer them; the last one only where somebody had to decide."""
    return (
        _what(facts),
        _noise(facts) if facts.randomized else _exposed(facts),
        _trust(facts),
        *_decided(facts),
    )


def _what(facts: Facts) -> Answer:
    question = "What was released?"
    local = own(facts.result, Randomized)
    if local:
        shares = sum(len(one.values) for one in local.features)
        names = ", ".join(one.feature for one in local.features)
        worst = percent(local.largest_error)
        text = (
            f"{many(shares, 'estimated share')} of {names}, from reports that people randomized "
            f"themselves ({local.rule}). The largest error is {worst} of people."
        )
        return Answer(question, "estimates", text)
    sets = own(facts.result, Incidence)
    if sets:
        text = (
            f"In how many sets {sets.positions:,} elements are, from vectors that "
            f"{many(sets.owners, 'owner')} flipped ({sets.rule}). In any set: "
            f"{sets.union.value:,.0f}, from {sets.union.low:,.0f} to "
            f"{sets.union.high:,.0f}."
        )
        return Answer(question, "estimated counts", text)
    if not facts.result.release:
        why = facts.result.burned or "no column is safe enough for this promise"
        return Answer(question, "nothing", f"Nothing was released: {why}.")
    left = [name for name in facts.result.features if name not in facts.kept]
    text = (
        f"{many(len(facts.crowds), 'combination')} of {_of(len(facts.kept))}, counted over "
        f"{facts.released:,} people. "
        + (f"Not released: {', '.join(left)}." if left else "No column was held back.")
    )
    return Answer(question, " x ".join(facts.kept) or "the number of people", text)


def _of(columns: int) -> str:
    return many(columns, "column")


def _exposed(facts: Facts) -> Answer:
    question = "How exposed are people?"
    if not facts.crowds:
        return Answer(question, "not at all", "Nothing is released, so nobody is exposed by it.")
    exposure = facts.result.exposure
    people = sum(count for count in facts.crowds if count < facts.k)
    text = " ".join(_bounds(facts))
    short = f"{percent(exposure.true)} of people"
    held = f"{people:,} of {facts.released:,} are in a crowd smaller than k = {facts.k}. "
    return Answer(question, short, held + text)


def _bounds(facts: Facts) -> Iterator[str]:
    decision, exposure = facts.result.decision, facts.result.exposure
    if not decision:
        return
    proof = decision.certificate
    yield (
        f"Promised: at most {percent(decision.bound)} ({proof.people:,} people), by the rule "
        f"{proof.rule}; wanted: at most {percent(decision.max_exposure)}."
    )
    if facts.run.scenario.population.setting == "statistical":
        delta = facts.run.scenario.policy.delta
        yield f"It was made for people not yet counted, and fails with probability {percent(delta)}"
        yield "at most."
    elif exposure.worst_case is not None:
        yield f"No table with these counts exposes more than {percent(exposure.worst_case)}."


def _noise(facts: Facts) -> Answer:
    question = "How exposed are people?"
    local, sets = own(facts.result, Randomized), own(facts.result, Incidence)
    if sets:
        text = (
            f"Nobody learns from a vector, even with its owner's name on it, whether an element "
            f"is in the set: odds change by e^{sets.epsilon:g} at most. An element "
            f"of all {sets.owners} sets is told about {sets.owners} times. The mix hides "
            "whose vector is whose."
        )
        return Answer(question, f"epsilon {sets.epsilon:g} nats a bit", text)
    if not local:
        return Answer(question, "not at all", "No report was counted.")
    told = local.told.information
    text = "One person's reports are randomized before they are sealed. "
    if told is not None:
        error = local.told.information_error
        spread = f" +- {error:.2g}" if error else ""
        text += f"Pinned on it, they would tell {told:.3g}{spread} bits about its values. "
    text += "The mix hides whose report is whose."
    return Answer(question, f"epsilon {local.epsilon:g} nats, local", text)


def _trust(facts: Facts) -> Answer:
    question = "Who must be trusted?"
    breaking = facts.breaking
    if not breaking:
        return Answer(
            question, "nobody looked at links anyone", "No coalition that was scored links anyone."
        )
    smallest = min(len(one.parties) for one in breaking)
    names = "; or ".join(one.name for one in breaking)
    linked = max(one.others for one in breaking)
    what = "their reports" if facts.randomized else "their values"
    text = (
        f"As long as one of every such group is honest, nobody is linked. Together, {names} link "
        f"{linked:,} of {facts.crowd:,} people to {what}."
    )
    return Answer(question, f"{smallest} parties must collude", text)


def _decided(facts: Facts) -> Iterator[Answer]:
    decision = facts.result.decision
    if not decision:
        return
    proof = decision.certificate
    held = [name for name in facts.result.features if name not in decision.kept]
    text = (
        f"Policy {facts.run.scenario.policy.kind}, with k = {facts.k} and at most "
        f"{percent(decision.max_exposure)} of people exposed. The rule {proof.rule} proves "
        f"{percent(decision.bound)} at most. Held back: {', '.join(held) or 'nothing'}."
    )
    short = f"release {_of(len(decision.kept))}" if decision.kept else "release nothing"
    yield Answer("What was decided, and why?", short, text)
