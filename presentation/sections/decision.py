"""The section of a run's page on the decision: sets of columns with bound and true exposure."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ...number_text import percent, plural, sentence
from ...scenarios.populations.coarsening import in_words, is_coarser
from ..blocks import Block, PageFigure, Section
from ..presenters.decision import (
    SET_HEADINGS,
    decision_rule,
    set_cells,
    set_decision,
    unreleased,
)
from ..svg import Drawing, PositionScale, number, shorten
from ..text_blocks import Grid, Line, Marked, PageNumbers

if TYPE_CHECKING:
    from ...scenarios.studies.exposure.column_sets import ColumnSet
    from ..presenters.page_facts import PageFacts

ROW = 22  # height of the row of a set of columns, in units of the picture
NAMES = 250  # width of the names of column sets, in units of the picture
SMALL = 100  # largest number of people for a linear axis; with more people the axis is logarithmic


def section(facts: "PageFacts") -> Section | None:
    """Return the section on the decision; None if the run made no decision."""
    if not facts.sets or not facts.result.decision:
        return None
    blocks: list[Block] = [_figure(facts), _table(facts)]
    if coarser := list(_coarser(facts)):
        title = "Coarser values: public rules that everybody applies before answering"
        blocks.append(Grid(("column", "what is said"), coarser, caption=title))
    blocks += [Line(line) for line in _unreleased_sets(facts)]
    lead = (
        f"{sentence(decision_rule(facts.run.scenario))} Certified bound (promise): what "
        f"{facts.topology.reader} can prove from the counts of single columns. Truth: what would "
        "be so, were these columns released; nobody in the protocol knows it. Worth: the policy's "
        "weights, and the bits per person that the counts hold."
    )
    return Section("decision", "The decision", lead, tuple(blocks))


def _coarser(facts: "PageFacts") -> Iterator[tuple[str, str]]:
    """Yield the name of each column with generalized values, and its rules in words."""
    for feature in facts.run.scenario.feature:
        if is_coarser(feature):
            yield feature.name, in_words(feature)


def _fate(choice: "ColumnSet") -> Marked:
    """Return the decision about a set of columns in words, with a class of the style sheet."""
    mark = "chosen" if choice.released else "good" if choice.safe else "bad"
    return Marked(set_decision(released=choice.released, safe=choice.safe), mark)


def _table(facts: "PageFacts") -> Grid:
    """Return the table of the sets of columns that the decision considered.

    A row has the bound on exposed people that could be promised for the set, and the rule that
    proves it. Next come the true number of exposed people, the entropy, the weight and the
    decision.
    """
    sets = facts.sets.sets if facts.sets else ()
    rows = [
        (
            *set_cells(
                choice.columns,
                f"{choice.promised:,} ({percent(choice.promised / choice.bound_population)})",
                choice.rule,
            ),
            "-"
            if choice.truth is None
            else f"{choice.truth:,} ({percent(choice.truth / choice.counted)})",
            "-" if choice.entropy is None else f"{choice.entropy:.2f}",
            f"{choice.weight:.4g}",
            _fate(choice),
        )
        for choice in sets
    ]
    every = facts.sets is not None and facts.sets.every
    title = "Every set of columns" if every else "Single columns, the kept set and its neighbours"
    headings = (*SET_HEADINGS, "truth: people", "bits per person", "weight", "decision")
    return Grid(headings, rows, (1, 3, 4, 5), title, _numbers(sets))


def _numbers(sets: tuple["ColumnSet", ...]) -> PageNumbers:
    """Return the numbers behind the table of column sets, unrounded."""
    headings = (
        *("columns", "promised_people", "of_people", "rule", "true_people", "of_people_counted"),
        *("entropy_bits_per_person", "weight", "safe", "released"),
    )
    rows = [
        (
            *(
                " x ".join(choice.columns),
                choice.promised,
                choice.bound_population,
                choice.rule,
                choice.truth,
            ),
            *(
                choice.counted or None,
                choice.entropy,
                choice.weight,
                int(choice.safe),
                int(choice.released),
            ),
        )
        for choice in sets
    ]
    return PageNumbers("column-sets", headings, rows)


def _figure(facts: "PageFacts") -> PageFigure:
    """Draw a line for each set of columns, from the truly exposed people to the certified bound.

    A dashed line shows the limit `max_exposure` of the policy.
    """
    sets = facts.sets.sets if facts.sets else ()
    people = max(choice.bound_population for choice in sets)
    decades = people > SMALL
    height = ROW * len(sets) + 66
    released = " x ".join(facts.released_columns) or "nothing"
    drawing = Drawing(
        "sets",
        "Promise and truth of every set of columns",
        f"{plural(len(sets), 'set')}; released: {released}; the table below has every number",
        720,
        height,
    )
    # A logarithmic axis has no 0, so zero people are drawn left of one person.
    start = NAMES + (34 if decades else 12)
    x = PositionScale(1.0 if decades else 0.0, people, start, 626, decades, NAMES + 12)
    bottom = height - 46
    zero = [(0.0, "0")] if decades else []
    ticks = [*zero, *((tick, number(tick)) for tick in x.ticks())]
    drawing.ruler(x, 26, f"people exposed, of {people:,}", ticks)
    limit = facts.run.scenario.policy.max_exposure * people
    drawing.line((x(limit), 20), (x(limit), bottom), "mark", "3 3")
    end = x(limit) > 480
    limit_label = f"max_exposure: {percent(facts.run.scenario.policy.max_exposure)}"
    drawing.text(x(limit) + (-4 if end else 4), 14, limit_label, "note", "end" if end else "start")
    for row, choice in enumerate(sets):
        _row(drawing, x, 36 + ROW * row, choice)
    caption = "Each line runs from the truth (circle) to the promise (diamond)."
    return PageFigure(drawing.svg(), caption, _numbers(sets))


def _row(drawing: Drawing, x: PositionScale, y: float, choice: "ColumnSet") -> None:
    """Draw the line of a set of columns at height `y`.

    The line runs from the truly exposed people (circle) to the certified bound (diamond).
    """
    kind = "chosen" if choice.released else "good" if choice.safe else "bad"
    if choice.released:
        drawing.box(0, y - 10, 720, ROW - 1, "highlight")
    drawing.text(NAMES - 6, y + 4, shorten(" x ".join(choice.columns), 38), anchor="end")
    end = x(choice.promised)
    place = end if choice.truth is None else x(choice.truth)
    drawing.line((place, y), (end, y), "link")
    drawing.mark((end, y), "diamond", f"promise {kind}", 4.2)
    if choice.truth is not None:
        drawing.mark((place, y), "circle", "truth", 4 if abs(place - end) > 8 else 2.4)
    drawing.text(640, y + 4, _fate(choice), "tick")


def _unreleased_sets(facts: "PageFacts") -> Iterator[str]:
    """Yield sentences on the sets of columns that were not released, and why.

    The last sentence names a set of larger weight than the release, which is safe by the true
    table, although the rule cannot prove it.
    """
    policy = facts.run.scenario.policy
    yield from map(sentence, unreleased(facts.sets.dropped if facts.sets else ()))
    sets = facts.sets.sets if facts.sets else ()
    released_sets = [choice for choice in sets if choice.released]
    better = [
        choice
        for choice in sets
        if not choice.released
        and choice.truth is not None
        and choice.truth / choice.counted <= policy.max_exposure
        and choice.weight
        > max((released_set.weight for released_set in released_sets), default=0.0)
    ]
    if better:
        best = max(better, key=lambda choice: choice.weight)
        yield (
            f"{' x '.join(best.columns)} would have kept the promise in truth "
            f"({percent(best.truth / best.counted) if best.truth is not None else '-'} exposed), "
            f"but the rule {policy.rule} cannot prove it from the counts of single columns: "
            "that is the price of not seeing the people."
        )
