"""The report of a run in which owners flipped the bits of their sets."""

from collections.abc import Iterator
from math import isclose
from typing import TYPE_CHECKING, Any

from ....presentation.wording import Block, Grid, Line, give_or_take, percent, plural

if TYPE_CHECKING:
    from ...populations import Population
    from ...schema.model import Scenario
    from .score import ElementCount, IncidenceFindings

ROWS = 24  # counts listed one by one
NOTE = "a vector pinned on an owner is not its set: any one of its bits may have been flipped"

Score = tuple[str, str, str]


def summary(outcome: Any) -> Iterator[Block]:
    """Yield the number of vectors, and the counts with their limits."""
    findings = outcome.findings
    if findings is None:
        yield Line(f"  round 1  burned: {outcome.burned}", "bold red")
        yield Line()
        return
    pieces = len(outcome.schema.names)
    noun = "answer" if outcome.mode == "ideal" else "onion"
    onions = plural(findings.owners * pieces, noun)
    yield Line(f"  round 1  {onions} -> analyst   owners flip bits: {findings.rule}")
    yield Line()
    sure = f"{percent(1 - findings.beta)} from"
    headings = ("elements in", f"by {findings.method}", sure, "to", "seen, noisy", "truth")
    yield Grid(headings, list(_rows(findings)), (1, 2, 3, 4, 5))
    if (counts := findings.owners + 1) > ROWS:
        yield Line(f" the first {ROWS} of {counts}; all are in result.json", "dim")
    probability_kind = (
        "posterior probability, all together" if findings.method == "bayes" else "all together"
    )
    yield Line(f" limits: {probability_kind}; truth: of the sets of those who took part,")
    yield Line(" which no analyst knows")
    if findings.left_out:
        yield Line(
            f" {findings.left_out:,} positions left out: reports of their pieces are missing"
        )
    yield Line()


def _rows(findings: "IncidenceFindings") -> Iterator[tuple[str, ...]]:
    n, true = findings.owners, findings.truth
    for t in range(min(n + 1, ROWS)):
        yield (
            f"{'no set' if t == 0 else f'exactly {t}' if t < n else f'all {n}'}",
            f"{findings.phi[t]:,.1f}",
            f"{findings.low[t]:,.0f}",
            f"{findings.high[t]:,.0f}",
            f"{findings.psi[t]:,}",
            "-" if true is None else f"{true[t]:,}",
        )
    if n > 1:
        yield (
            "any set",
            *_count(findings.union),
            "",
            "-" if true is None else f"{sum(true[1:]):,}",
        )


def _count(count: "ElementCount") -> tuple[str, str, str]:
    return f"{count.value:,.1f}", f"{count.low:,.0f}", f"{count.high:,.0f}"


def scores(findings: "IncidenceFindings") -> Iterator[Score]:
    """Yield score rows: error of the estimates, leakage about an element and about an owner."""
    if findings.largest_error is not None:
        share = percent(findings.largest_error / findings.positions)
        meaning = f"positions, of {findings.positions:,}: {share}; the worst of all counts"
        yield "largest error", f"{findings.largest_error:,.1f}", meaning
        guarantee = f"all at once with {percent(1 - findings.beta)} or more"
        if findings.method == "bayes":
            guarantee = f"all at once with posterior probability {percent(1 - findings.beta)}"
        yield "truth within its limits", f"{findings.covered} of {findings.owners + 1}", guarantee
    yield "... of the estimate itself", "", findings.note
    if findings.outside:
        yield "outside", f"{findings.outside:,}", "texts that are no vector, left out"
    meaning = "nats; whether one element is in one set, whatever is seen of the vectors"
    yield "epsilon, one membership", f"{findings.epsilon:g}", meaning
    meaning = f"nats; in which of all {findings.owners} sets one element is"
    yield "... one element", f"{findings.epsilon * findings.owners:g}", meaning
    lie = (1 - findings.eta) / 2
    meaning = "Bayes error about one membership from a vector pinned on its owner, odds even"
    yield "guessing one bit errs", percent(lie), meaning
    error = give_or_take(findings.information_error, 2)
    if not isclose(findings.information, 0, abs_tol=1e-12):
        meaning = "bits, all pieces of one owner together, were they pinned on it: which set it has"
        yield "one owner's reports tell", f"{findings.information:.3g}{error}", meaning


def describe(people: "Population") -> list[str]:
    """Return the length of the owners' vectors, in a line."""
    from ...populations.sets import positions_of

    pieces, positions = len(people.schema.names), positions_of(people)
    return [f"{positions:,} positions, said in {plural(pieces, 'piece')}"]


def steps(scenario: "Scenario", answering: str) -> tuple[str, str]:
    """Return two sentences: the owners' noise, and their submission."""
    flipping = (
        "Every owner flips each bit of its vector by itself, with "
        f"epsilon = {scenario.local.epsilon:g} nats a bit."
    )
    return flipping, answering.replace("one per feature", "one per piece of its vector").replace(
        "people answers", "owners answers"
    )


COUNTING = (
    "The analyst counts and publishes the pieces; in how many sets elements truly are is estimated "
    "from the counts, with limits. Nothing else is released."
)


def promise(scenario: "Scenario") -> str:
    """Return the promise to the elements."""
    epsilon = scenario.local.epsilon
    return (
        f"epsilon = {epsilon:g} nats: an owner's vector, even with its name on it, changes the "
        f"odds that an element is in its set by a factor e^{epsilon:g} at most"
    )
