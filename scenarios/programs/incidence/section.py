"""The number of sets per element on the page of a run: estimates, their limits, and the truth."""

from ....presentation.pieces import (
    EXPOSED,
    RELEASED,
    PageFigure,
    PageGrid,
    PageNumbers,
    Section,
    VerdictAnswer,
)
from ....presentation.svg import plot
from ....presentation.wording import percent, plural
from .score import IncidenceFindings

KEYS = ("psi", "estimate", "low", "high", "truth")


def answers(
    findings: IncidenceFindings | None, burned: str | None
) -> tuple[VerdictAnswer, VerdictAnswer]:
    """Return the answers on release and exposure. burned: the reason for an abort, if any."""
    if not findings:
        why = burned or "no vector was counted"
        no_release = VerdictAnswer(RELEASED, "nothing", f"Nothing was released: {why}.")
        return no_release, VerdictAnswer(EXPOSED, "not at all", "No vector was counted.")
    union = findings.union
    release_text = (
        f"In how many sets {findings.positions:,} elements are, from vectors that "
        f"{plural(findings.owners, 'owner')} flipped ({findings.rule}). In any set: "
        f"{union.value:,.0f}, from {union.low:,.0f} to {union.high:,.0f}."
    )
    text = (
        f"Nobody learns from a vector, even with its owner's name on it, whether an element "
        f"is in the set: odds change by e^{findings.epsilon:g} at most. An element of all "
        f"{findings.owners} sets is told about {findings.owners} times. The mix hides whose vector "
        "is whose."
    )
    short = f"epsilon {findings.epsilon:g} nats a bit"
    return VerdictAnswer(RELEASED, "estimated counts", release_text), VerdictAnswer(
        EXPOSED, short, text
    )


def section(findings: IncidenceFindings) -> Section:
    """Return the section of the page on sets."""
    sure = percent(1 - findings.beta)
    kind = "credible limits" if findings.method == "bayes" else "limits"
    lead = (
        f"{plural(findings.owners, 'owner')} flipped each of {findings.positions:,} bits by itself "
        f"({findings.rule}) before sealing. The bars are {kind} that hold all counts at once with "
        f"{sure}; the truth is what the laboratory knows, and no analyst."
    )
    return Section("sets", "In how many sets", lead, (_figure(findings), _table(findings)))


def _rows(findings: IncidenceFindings) -> list[tuple[int | float | None, ...]]:
    unknown = (None,) * (findings.owners + 1)
    columns = (findings.psi, findings.phi, findings.low, findings.high, findings.truth or unknown)
    return [(t, *row) for t, row in enumerate(zip(*columns, strict=True))]


def _figure(findings: IncidenceFindings) -> PageFigure:
    n, m = findings.owners, findings.positions
    rows = _rows(findings)
    spoken = "; ".join(f"in {t}: {row[1]:,.0f}" for t, *row in rows)
    title = "Elements in exactly t sets"
    picture = plot("sets", title, spoken, (-0.5, n + 0.5, False), (1, m, True), zero=True, head=72)
    ticks = [(float(t), str(t)) for t in range(n + 1)]
    picture.axes("t: sets that hold an element", "elements (positions)", ticks)
    for t, psi, phi, low, high, truth in rows:
        assert t is not None  # noqa: S101 - they are numbered
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
    numbers = PageNumbers("incidence", ("t", *KEYS), rows)
    return PageFigure(picture.drawing.svg(), caption, numbers)


def _table(findings: IncidenceFindings) -> PageGrid:
    rows = [
        (
            name,
            f"{count.value:,.1f}",
            f"{count.low:,.0f}",
            f"{count.high:,.0f}",
            "-" if count.truth is None else f"{count.truth:,}",
        )
        for name, count in (("any set", findings.union), ("all sets", findings.intersection))
    ]
    return PageGrid("Elements", ("in", "estimate", "from", "to", "truth"), rows, (1, 2, 3, 4))
