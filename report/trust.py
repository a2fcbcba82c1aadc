"""The section on trust: every coalition that was scored, and its knowledge."""

from collections.abc import Callable, Iterator, Sequence

from ..number_text import percent, plural, sentence
from ..presentation.blocks import Block, Grid, Line, Marked, PageFigure, PageNumbers, Section
from ..presentation.svg import Drawing, shorten
from ..scenarios.records.verification.deviations import NOT_BY_WATCHING
from . import cheating
from .facts import READERS, Learner, PageFacts

ROWS = 36  # coalitions that are drawn; all are in the CSV
CELL = 26  # units of the picture
WIDE = 510  # units for all bars beside each other

_Bar = tuple[str, Callable[[Learner], float], Callable[[Learner], str]]


def section(facts: PageFacts) -> Section | None:
    """Return the section on trust; None if no coalition was scored."""
    if not facts.learners:
        return None
    blocks: list[Block] = [_figure(facts), _table(facts)]
    blocks += [Line(line) for line in _words(facts)]
    blocks += cheating.blocks(facts)
    datum = "a report that the person had randomized" if facts.randomized else "a value"
    lead = (
        "A coalition that keeps to the rules shows each other all its members saw and all their "
        f"keys. Linked: {datum} is "
        "pinned on the person. Certain: a value is known for certain, also without linking, where "
        "all agree. Bits: how much of who has which row was learnt, per person. Guessed: people "
        "whose whole row a best guess gets right, in expectation."
    )
    return Section("trust", "Trust", lead, tuple(blocks))


def chosen(facts: PageFacts) -> tuple[Learner, ...]:
    """Return the coalitions to draw: all, or if there are more than ROWS the most informative.

    These are single parties, the largest coalitions, minimal coalitions that link people, and
    coalitions of the scenario.
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


def _parties(learners: Sequence[Learner]) -> list[str]:
    parties = {party: None for learner in learners for party in learner.parties}
    return sorted(parties, key=lambda party: (party not in READERS, party != "curator", party))


def _verdict(facts: PageFacts, learner: Learner) -> Marked:
    if learner.certain == facts.cells:
        return Marked("everything", "bad")
    if learner.linked_outsiders:
        return Marked("people linked", "bad")
    if learner.certain and not learner.linked:
        return Marked("values certain", "bad")
    if facts.deviations:
        return Marked("not said of this run", "bad")
    return Marked("nobody but members linked" if learner.linked else "nobody linked", "good")


def _figure(facts: PageFacts) -> PageFigure:
    """Draw members at the left as filled squares, and their knowledge at the right as bars."""
    learners = chosen(facts)
    parties = _parties(learners)
    bars_x = max(CELL * len(parties) + 56, 720 - WIDE)
    start = bars_x - CELL * len(parties) - 48
    top = 20 + 6.2 * max((len(shorten(party, 16)) for party in parties), default=0) * 0.75
    height = top + 20 * len(learners) + 12
    linking = sum(learner.linked_outsiders > 0 for learner in learners)
    drawing = Drawing(
        "trust",
        "Every coalition, and what it learnt",
        f"{len(learners)} coalitions, of which {linking} link somebody; the table has every number",
        bars_x + WIDE,
        height,
    )
    for place, party in enumerate(parties):
        x = start + CELL * place + CELL / 2
        drawing.parts.append(_slanted(x, top - 8, shorten(party, 16)))
    columns = _bars(facts, learners)
    bar = WIDE / len(columns)
    for place, (title, _, _) in enumerate(columns):
        drawing.text(bars_x + 8 + place * bar, top - 8, title, "label")
    for row, learner in enumerate(learners):
        y = top + 20 * row
        if learner.linked_outsiders and not facts.trusted(learner):
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
    return PageFigure(drawing.svg(), caption, _numbers(facts))


def _bars(facts: PageFacts, learners: Sequence[Learner]) -> tuple[_Bar, ...]:
    """Return the bars of every coalition: title, share of the full width, text."""
    max_bits = max((learner.bits for learner in learners), default=0.0) or 1.0
    bars: tuple[_Bar, ...] = (
        (
            "people linked",
            lambda coalition: coalition.linked / facts.crowd,
            lambda coalition: f"{coalition.linked:,}",
        ),
        (
            "values certain",
            lambda coalition: coalition.certain / facts.cells,
            lambda coalition: f"{coalition.certain:,}",
        ),
        (
            "bits per person",
            lambda coalition: coalition.bits / max_bits,
            lambda coalition: f"{coalition.bits:.2f}",
        ),
    )
    if all(learner.guessed is not None for learner in learners):
        bars += (
            ("rows guessed", lambda coalition: (coalition.guessed or 0.0) / facts.crowd, _guesses),
        )
    return bars


def _guesses(learner: Learner) -> str:
    return f"{learner.guessed:,.1f}" if learner.guessed is not None else "-"


def _slanted(x: float, y: float, text: str) -> str:
    from html import escape

    return (
        f'<text class="tick" transform="translate({x:.1f} {y:.1f}) rotate(-50)">'
        f"{escape(text)}</text>"
    )


def _guessed(learner: Learner) -> str:
    """Return the expected rows guessed right, and before the view; ~ sampled, >= lower bound."""
    if learner.guessed is None:
        return "-"
    mark = {"sampled": "~ ", "at least": ">= ", "at most": "<= "}.get(learner.method, "")
    return f"{mark}{learner.guessed:,.1f} ({learner.guessed_before or 0.0:,.1f})"


def _table(facts: PageFacts) -> Grid:
    rows = [
        (
            learner.name,
            f"{learner.linked:,} ({percent(learner.linked / facts.crowd)})",
            f"{learner.certain_are(facts.cells).mark}{learner.certain:,} of {facts.cells:,}",
            learner.bits_are.mark + f"{learner.bits:.3g}",
            _guessed(learner),
            "-"
            if learner.sure is None
            else f"{percent(learner.sure)} ({percent(learner.sure_before or 0)})",
            "yes" if facts.trusted(learner) else "no",
            _verdict(facts, learner),
        )
        for learner in facts.learners
    ]
    headings = (
        *("coalition", "people linked", "values certain", "bits per person"),
        *("rows guessed (before)", "surest of one (before)"),
        *(facts.topology_words.line(facts.run.scenario), "learnt"),
    )
    caption = f"{plural(len(rows), 'coalition')}, the smallest first"
    return Grid(headings, rows, (1, 2, 3, 4, 5), caption, _numbers(facts), folded=True)


def _numbers(facts: PageFacts) -> PageNumbers:
    headings = (
        *("coalition", "linked_people", "of_people", "certain_values", "of_values"),
        *("bits_per_person", "bits_are", "rows_guessed", "rows_guessed_before"),
        *("surest_of_one", "surest_of_one_before", "method"),
    )
    rows = [
        (
            *("+".join(learner.parties), learner.linked, facts.crowd, learner.certain, facts.cells),
            *(learner.bits, learner.bits_are.value, learner.guessed, learner.guessed_before),
            *(learner.sure, learner.sure_before, learner.method),
        )
        for learner in facts.learners
    ]
    return PageNumbers("coalitions", headings, rows)


def _words(facts: PageFacts) -> Iterator[str]:
    breaking = facts.breaking
    if facts.deviations:
        yield sentence(NOT_BY_WATCHING)
        return
    if breaking:
        names = "; ".join(learner.name for learner in breaking)
        yield f"Minimal linking coalitions (honest-but-curious): {names}."
    else:
        yield "No coalition that was scored links anyone by watching."
    by_name = {frozenset(learner.parties): learner for learner in facts.learners}
    for coalition in facts.run.scenario.coalition:
        learner = by_name.get(frozenset(coalition.parties))
        if learner:
            link_text = (
                f"links {plural(learner.linked_outsiders, 'person', 'people')}"
                if learner.linked_outsiders
                else "links nobody"
            )
            if learner.linked > learner.linked_outsiders:
                link_text += " else" if learner.linked_outsiders == 0 else " besides its members"
            yield f"{coalition.name} ({' + '.join(coalition.parties)}): {link_text}."
    yield from facts.audited
