"""The presenter of the program `incidence`: it estimates how many sets hold each element.

Each set has an owner, which submits a vector with a bit for each possible element. The owner flips
the bits at random, and submits the vector in pieces.
"""

from collections.abc import Iterator
from math import isclose
from typing import TYPE_CHECKING, Any

from ...number_text import give_or_take, percent, plural
from ...scenarios.programs.incidence.score import IncidenceFindings
from ..blocks import EXPOSED, RELEASED, Block, PageFigure, Section, VerdictAnswer
from ..svg import plot
from ..text_blocks import Grid, Line, PageNumbers, Score
from .randomized import NoisePresenter, burned_round

if TYPE_CHECKING:
    from ...scenarios.populations import Population
    from ...scenarios.programs.evidence import Claims
    from ...scenarios.programs.incidence.score import ElementCount
    from ...scenarios.schema.model import Scenario

ROWS = 24  # rows of the table of counts: for 0, 1, .. sets; all counts are in a file
COUNTING = (
    "The analyst counts and publishes the pieces; in how many sets elements truly are is estimated "
    "from the counts, with limits. Nothing else is released."
)


class IncidencePresenter(NoisePresenter):
    """The texts on the program that estimates how many sets hold each element.

    Each set has an owner, which submits a bit vector with randomly flipped bits, in pieces.

    Attributes:
        member: the noun for the owner of a set, singular and plural.
        unit: the noun for a position of the vector, which stands for an element.
        attack_lead: the lead of the section on re-identification of owners.
    """

    member = ("owner", "owners")
    unit = "position"
    attack_lead = (
        "An attacker knows every set of every owner, and says of a piece of a vector whose it is. "
        "Long vectors are recognised through much noise: it hides the elements, and the mix the "
        "owners."
    )

    def steps(self, scenario: "Scenario", answering: str, mixing: str) -> list[str]:
        """Return the steps of a session, a sentence each.

        answering, mixing: the sentences on users and on shufflers, which most programs share.
        """
        flipping = (
            "Every owner flips each bit of its vector by itself, with "
            f"epsilon = {scenario.local.epsilon:g} nats a bit."
        )
        answering = answering.replace("one per feature", "one per piece of its vector")
        return [flipping, answering.replace("people answers", "owners answers"), mixing, COUNTING]

    def describe(self, people: "Population") -> list[str]:
        """Return a line on the bit vectors that owners submit: length and number of pieces.

        A position of the vector stands for an element. A vector is submitted in pieces, each a
        message.
        """
        from ...scenarios.populations.sets import positions_of

        pieces, positions = len(people.schema.names), positions_of(people)
        return [f"{positions:,} positions, said in {plural(pieces, 'piece')}"]

    def promise(self, scenario: "Scenario") -> str:
        """Return the guarantee: a vector changes the odds of a membership by at most e^epsilon.

        A membership: that an element is in the owner's set.
        """
        epsilon = scenario.local.epsilon
        return (
            f"epsilon = {epsilon:g} nats: an owner's vector, even with its name on it, changes the "
            f"odds that an element is in its set by a factor e^{epsilon:g} at most"
        )

    def summary(self, outcome: Any) -> Iterator[Block]:
        """Yield the number of submitted vectors, and the table of estimated counts with limits."""
        findings: IncidenceFindings | None = outcome.findings
        if findings is None:
            yield from burned_round(outcome)
            return
        noun = "answer" if outcome.mode == "ideal" else "onion"
        onions = plural(findings.owners * len(outcome.schema.names), noun)
        yield Line(f"  round 1  {onions} -> analyst   owners flip bits: {findings.rule}")
        yield Line()
        yield from _counts(findings, "result.json")
        kind = "posterior probability, all together" if _is_bayes(findings) else "all together"
        yield Line(f" limits: {kind}; truth: of the sets of those who took part,")
        yield Line(" which no analyst knows")
        if left_out := findings.left_out:
            yield Line(f" {left_out:,} positions left out: reports of their pieces are missing")
        yield Line()

    def scores(self, outcome: Any) -> Iterator[Score]:
        """Yield scores: errors of the estimates, leakage about an element and about a set."""
        if outcome.findings:
            yield from _scores(outcome.findings)

    def remark(self) -> str:
        """Return the remark that a linked vector is not the owner's set, as bits are flipped."""
        return (
            "a vector pinned on an owner is not its set: any one of its bits may have been flipped"
        )

    def answers(self, result: "Claims") -> tuple[VerdictAnswer, ...]:
        """Return answers for the head of a page: estimated counts, and leakage about an element.

        A vector changes the odds that an element is in its owner's set by a factor e^epsilon at
        most. This epsilon is the answer to the question how exposed people are. If no vector was
        counted, the answers say so, with the reason if the round was aborted (`result.burned`).
        """
        findings = result.findings
        if not isinstance(findings, IncidenceFindings):
            why = result.burned or "no vector was counted"
            return (
                VerdictAnswer(RELEASED, "nothing", f"Nothing was released: {why}."),
                VerdictAnswer(EXPOSED, "not at all", "No vector was counted."),
            )
        union = findings.union
        release_text = (
            f"In how many sets {findings.positions:,} elements are, from vectors that "
            f"{plural(findings.owners, 'owner')} flipped ({findings.rule}). In any set: "
            f"{union.value:,.0f}, from {union.low:,.0f} to {union.high:,.0f}."
        )
        exposure_text = (
            f"Nobody learns from a vector, even with its owner's name on it, whether an element "
            f"is in the set: odds change by e^{findings.epsilon:g} at most. An element of all "
            f"{findings.owners} sets is told about {findings.owners} times. The mix hides whose "
            "vector is whose."
        )
        return (
            VerdictAnswer(RELEASED, "estimated counts", release_text),
            VerdictAnswer(EXPOSED, f"epsilon {findings.epsilon:g} nats a bit", exposure_text),
        )

    def section(self, scenario: "Scenario", result: "Claims") -> Iterator[Section]:  # noqa: ARG002
        """Yield the section of a page on the numbers of elements in exactly 0, 1, .. sets."""
        findings = result.findings
        if not isinstance(findings, IncidenceFindings):
            return
        kind = "credible limits" if _is_bayes(findings) else "limits"
        lead = (
            f"{plural(findings.owners, 'owner')} flipped each of {findings.positions:,} bits by "
            f"itself ({findings.rule}) before sealing. The bars are {kind} that hold all counts "
            f"at once with {percent(1 - findings.beta)}; the truth is what the laboratory knows, "
            "and no analyst."
        )
        figure = _figure(findings)
        blocks = (figure, *_counts(findings, figure.numbers.file))
        yield Section("sets", "In how many sets", lead, blocks)


def _is_bayes(findings: IncidenceFindings) -> bool:
    """Whether the limits of the estimates are credible limits of a posterior distribution."""
    return findings.method == "bayes"


def _counts(findings: IncidenceFindings, file: str) -> "Iterator[Grid | Line]":
    """Yield the table of elements by the number of sets that hold them: estimate and truth.

    If the table has only the first rows, a line below names the file with all rows.
    """
    sure = f"{percent(1 - findings.beta)} from"
    headings = ("elements in", f"by {findings.method}", sure, "to", "seen, noisy", "truth")
    yield Grid(headings, list(_rows(findings)), (1, 2, 3, 4, 5), "Elements by their number of sets")
    if (counts := findings.owners + 1) > ROWS:
        yield Line(f" the first {ROWS} of {counts}; all are in {file}", "dim")


def _rows(findings: IncidenceFindings) -> Iterator[tuple[str, ...]]:
    """Yield a table row for each t = 0, 1, ..: elements that are in exactly t owners' sets.

    A row has the estimated number of elements, its limits, the noisy number that is seen in the
    submitted bit vectors, and the true number.
    """
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
        true_text = "-" if true is None else f"{sum(true[1:]):,}"
        yield ("any set", *_count(findings.union), "", true_text)
    # The loop stops at t = ROWS - 1, so from n = ROWS owners on it has no row for elements in all n
    # sets.
    if n >= ROWS:
        true_text = "-" if true is None else f"{true[-1]:,}"
        yield ("all sets", *_count(findings.intersection), "", true_text)


def _count(count: "ElementCount") -> tuple[str, str, str]:
    """Return an estimated number of elements, and its lower and upper limit, as texts."""
    return f"{count.value:,.1f}", f"{count.low:,.0f}", f"{count.high:,.0f}"


def _scores(findings: IncidenceFindings) -> Iterator[Score]:
    """Yield scores on the estimated numbers of elements in exactly t sets.

    The scores: errors against the truth, epsilons, and leakage about an owner's set.
    """
    if findings.largest_error is not None:
        share = percent(findings.largest_error / findings.positions)
        meaning = f"positions, of {findings.positions:,}: {share}; the worst of all counts"
        yield "largest error", f"{findings.largest_error:,.1f}", meaning
        guarantee = f"all at once with {percent(1 - findings.beta)} or more"
        if _is_bayes(findings):
            guarantee = f"all at once with posterior probability {percent(1 - findings.beta)}"
        yield "truth within its limits", f"{findings.covered} of {findings.owners + 1}", guarantee
    yield "... of the estimate itself", "", findings.note
    if findings.outside:
        yield "outside", f"{findings.outside:,}", "texts that are no vector, left out"
    meaning = "nats; whether one element is in one set, whatever is seen of the vectors"
    yield "epsilon, one membership", f"{findings.epsilon:g}", meaning
    meaning = f"nats; in which of all {findings.owners} sets one element is"
    yield "... one element", f"{findings.epsilon * findings.owners:g}", meaning
    meaning = "Bayes error about one membership from a vector pinned on its owner, odds even"
    yield "guessing one bit errs", percent((1 - findings.eta) / 2), meaning
    error = give_or_take(findings.information_error, 2)
    if not isclose(findings.information, 0, abs_tol=1e-12):
        meaning = "bits, all pieces of one owner together, were they pinned on it: which set it has"
        yield "one owner's reports tell", f"{findings.information:.3g}{error}", meaning


def _figure(findings: IncidenceFindings) -> PageFigure:
    """Draw for each t the number of elements in exactly t sets: estimate, limits and truth."""
    n, m = findings.owners, findings.positions
    unknown = (None,) * (n + 1)
    columns = findings.psi, findings.phi, findings.low, findings.high, findings.truth or unknown
    rows = [(t, *row) for t, row in enumerate(zip(*columns, strict=True))]
    spoken = "; ".join(f"in {t}: {row[1]:,.0f}" for t, *row in rows)
    title = "Elements in exactly t sets"
    picture = plot("sets", title, spoken, (-0.5, n + 0.5, False), (1, m, True), zero=True, head=72)
    ticks = [(float(t), str(t)) for t in range(n + 1)]
    picture.axes("t: sets that hold an element", "elements (positions)", ticks)
    for t, psi, phi, low, high, truth in rows:
        picture.span(t, low or 0, high or 0, "bounds")
        for value, shift, shape, kind in (
            (psi, 0.25, "cross", "dot s4"),
            (phi, 0.0, "square", "estimate"),
            (truth, -0.25, "diamond", "promise"),
        ):
            if value is not None:
                place = picture.x(t + shift), picture.y(max(0.0, value))
                picture.drawing.mark(place, shape, kind, 4)
    picture.note(f"estimate ({findings.method}), with limits", "square", "estimate")
    picture.note("truth", "diamond", "promise")
    picture.note("seen in the flipped vectors", "cross", "dot s4")
    picture.legend(picture.x.end - 250, 6)
    covered = findings.covered
    coverage_note = (
        ""
        if covered is None
        else f" {covered} of {n + 1} limits hold the truth (open diamonds, left)."
    )
    caption = (
        f"Squares: estimates; bars: limits.{coverage_note} Crosses, right: counts before "
        "estimating."
    )
    numbers = PageNumbers("incidence", ("t", "psi", "estimate", "low", "high", "truth"), rows)
    return PageFigure(picture.drawing.svg(), caption, numbers)
