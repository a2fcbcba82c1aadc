"""The section of a run's page on trust: the knowledge of every coalition that was scored."""

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from ...analysis.trust import Received
from ...number_text import plural, sentence
from ...scenarios.records.verification.deviations import NOT_BY_WATCHING
from ..blocks import Block, PageFigure, Section
from ..presenters import coalitions
from ..presenters.cheating import run_blocks
from ..presenters.coalitions import coalition_name, outsiders_linked
from ..svg import Drawing, shorten
from ..text_blocks import Grid, Line, Marked

if TYPE_CHECKING:
    from ..presenters.page_facts import PageFacts

ROWS = 36  # largest number of coalitions in the figure; the CSV file has all
CELL = 26  # width of a party's column of squares, in units of the picture
WIDE = 510  # width of all bars of a row together, in units of the picture

_Bar = tuple[str, Callable[[Received], float], Callable[[Received], str]]


def section(facts: "PageFacts") -> Section | None:
    """Return the section on trust; None if no coalition was scored."""
    if not facts.learners:
        return None
    blocks: list[Block] = [_figure(facts), _table(facts)]
    blocks += [Line(line) for line in _words(facts)]
    blocks += run_blocks(facts.run, facts.cheating)
    datum = "a report that the person had randomized" if facts.randomized else "a value"
    lead = (
        "A coalition that keeps to the rules shows each other all its members saw and all their "
        f"keys. Linked: {datum} is "
        "pinned on the person. Certain: a value is known for certain, also without linking, where "
        "all agree. The other figures are explained below the table."
    )
    return Section("trust", "Trust", lead, tuple(blocks))


def chosen(facts: "PageFacts") -> tuple[Received, ...]:
    """Return the coalitions to draw: all, or the first ROWS of a selection if there are more.

    The selection has single parties, the largest coalitions, minimal coalitions that link people,
    and coalitions that the scenario names.
    """
    if len(facts.learners) <= ROWS:
        return facts.learners
    breaking = {learner.parties for learner in facts.breaking}
    named = {tuple(sorted(set(coalition.parties))) for coalition in facts.run.scenario.coalition}
    largest_size = max(len(learner.parties) for learner in facts.learners)
    telling = [
        learner
        for learner in facts.learners
        if len(learner.parties) <= 1
        or len(learner.parties) == largest_size
        or learner.parties in breaking
        or tuple(sorted(learner.parties)) in named
    ]
    return tuple(telling[:ROWS])


def _parties(learners: Sequence[Received]) -> list[str]:
    """Return the parties of all coalitions, each once: curator, analyst, then by name."""
    parties = {party: None for learner in learners for party in learner.parties}
    return sorted(parties, key=lambda party: (party != "curator", party != "analyst", party))


def _figure(facts: "PageFacts") -> PageFigure:
    """Draw a row for each coalition: its members as filled squares, its knowledge as bars."""
    learners = chosen(facts)
    parties = _parties(learners)
    bars_x = max(CELL * len(parties) + 56, 720 - WIDE)
    start = bars_x - CELL * len(parties) - 48
    top = 20 + 6.2 * max((len(shorten(party, 16)) for party in parties), default=0) * 0.75
    height = top + 20 * len(learners) + 12
    linking = sum(outsiders_linked(learner) > 0 for learner in learners)
    drawing = Drawing(
        "trust",
        "Every coalition, and what it learnt",
        f"{len(learners)} coalitions, of which {linking} link somebody; the table has every number",
        bars_x + WIDE,
        height,
    )
    for place, party in enumerate(parties):
        x = start + CELL * place + CELL / 2
        drawing.slanted(x, top - 8, shorten(party, 16))
    columns = _bars(facts, learners)
    bar = WIDE / len(columns)
    for place, (title, _, _) in enumerate(columns):
        drawing.text(bars_x + 8 + place * bar, top - 8, title, "label")
    for row, learner in enumerate(learners):
        y = top + 20 * row
        if outsiders_linked(learner) and not facts.trusted(learner):
            drawing.box(0, y - 1, drawing.width, 20, "highlight bad")
        for place, party in enumerate(parties):
            inside = party in learner.parties
            kind = "member" if inside else "absent"
            size = 12 if inside else 4
            x = start + CELL * place + (CELL - size) / 2
            drawing.box(x, y + (18 - size) / 2, size, size, kind)
        for place, (_, share, text) in enumerate(columns):
            x = bars_x + 8 + place * bar
            width = (bar - 66) * share(learner)
            drawing.box(x, y + 3, width, 12, "bar" if share(learner) < 1 else "bar low")
            drawing.text(x + width + 5, y + 13, text(learner))
    caption = (
        "A filled square: the party is in the coalition. The first row is what anybody reads on "
        "the board."
    )
    return PageFigure(drawing.svg(), caption, coalitions.numbers(facts.learners))


def _bars(facts: "PageFacts", learners: Sequence[Received]) -> tuple[_Bar, ...]:
    """Return the kinds of bars that every coalition has: title, share of the full width, text.

    Share and text are functions of the leakage to a coalition. learners: all drawn coalitions, of
    which the largest leakage in bits gives the full width of its bar.
    """
    max_bits = max((learner.bits_per_person for learner in learners), default=0.0) or 1.0
    bars: tuple[_Bar, ...] = (
        (
            "people linked",
            lambda coalition: coalition.linked / facts.crowd,
            lambda coalition: f"{coalition.linked:,}",
        ),
        (
            "values certain",
            lambda coalition: coalition.cells_certain / facts.cells,
            lambda coalition: f"{coalition.cells_certain:,}",
        ),
        (
            "bits per person",
            lambda coalition: coalition.bits_per_person / max_bits,
            lambda coalition: f"{coalition.bits_per_person:.2f}",
        ),
    )
    if all(learner.rows_guessed is not None for learner in learners):
        bars += (
            (
                "rows guessed",
                lambda coalition: (coalition.rows_guessed or 0.0) / facts.crowd,
                lambda coalition: f"{coalition.rows_guessed or 0.0:,.1f}",
            ),
        )
    return bars


def _table(facts: "PageFacts") -> Grid:
    """Return the table of all coalitions, with figures on their knowledge and a verdict."""
    rows = [
        (
            coalition_name(learner),
            *coalitions.figures(learner)[:-1],
            _verdict(facts, learner),
            "yes" if facts.trusted(learner) else "no",
        )
        for learner in facts.learners
    ]
    line = facts.topology_words.line(facts.run.scenario)
    caption = (
        f"{plural(len(rows), 'coalition')}, the smallest first; linked: of {facts.crowd:,} people; "
        f"certain: of {facts.cells:,} cells"
    )
    headings, numbers = (
        ("coalition", *coalitions.HEADINGS, line),
        coalitions.numbers(facts.learners),
    )
    return Grid(headings, rows, (1, 2, 3, 4, 5), caption, numbers, folded=True)


def _verdict(facts: "PageFacts", view: Received) -> Marked:
    """Return the verdict on a coalition's knowledge, marked as good or bad.

    It is bad if the coalition links a person that is no member, or is certain of values. If parties
    deviated from the protocol, no good verdict is given: the figures cover only observation.
    """
    certain = view.cells_certain == view.cells or (view.cells_certain and not view.linked)
    if outsiders_linked(view) or certain:
        return Marked(view.verdict, "bad")
    if facts.deviations:
        return Marked("no statement: parties deviated", "bad")
    return Marked("only members linked" if view.linked else view.verdict, "good")


def _words(facts: "PageFacts") -> Iterator[str]:
    """Yield sentences on minimal coalitions that link people, and on coalitions in the scenario.

    If parties deviated from the protocol, a warning stands in place of these sentences. Notes on
    the figures follow.
    """
    if facts.deviations:
        yield sentence(NOT_BY_WATCHING)
    else:
        yield sentence(coalitions.smallest([view.parties for view in facts.breaking]))
        requested = coalitions.requested_lines(facts.run.scenario, facts.learners)
        # not capitalized, because a line begins with a name that the scenario gives
        yield from (f"{line}." for line in requested)
        yield from facts.audited
    yield from map(sentence, coalitions.notes(facts.learners))
