"""Trust: every coalition that was scored, and what it learnt."""

from collections.abc import Callable, Iterator, Sequence

from ..scenarios.pages.pieces import Block, Figure, Grid, Marked, Numbers, Section, Words
from ..scenarios.pages.svg import Drawing, shorten
from ..scenarios.wording import many, percent
from . import cheating
from .facts import READERS, Facts, Learner

ROWS = 36  # coalitions that are drawn; all are in the CSV
CELL = 26  # units of the picture
WIDE = 510  # units for all bars beside each other


def section(facts: Facts) -> Section | None:
    """The part of the page on trust; None where no coalition was scored."""
    if not facts.learners:
        return None
    blocks: list[Block] = [_figure(facts), _table(facts)]
    blocks += [Words(line) for line in _words(facts)]
    blocks += cheating.blocks(facts)
    what = "a report that the person had randomized" if facts.randomized else "a value"
    lead = (
        "A coalition that keeps to the rules shows each other all its members saw and all their "
        f"keys. Linked: {what} is "
        "pinned on the person. Certain: a value is known for certain, also without linking, where "
        "all agree. Bits: how much of who has which row was learnt, per person. Guessed: people "
        "whose whole row a best guess gets right, in expectation."
    )
    return Section("trust", "Trust", lead, tuple(blocks))


def chosen(facts: Facts) -> tuple[Learner, ...]:
    """Those to show: all, or where they are too many the telling ones."""
    if len(facts.learners) <= ROWS:
        return facts.learners
    breaking = {one.parties for one in facts.breaking}
    named = {tuple(sorted(set(one.parties))) for one in facts.run.scenario.coalition}
    most = max(len(one.parties) for one in facts.learners)
    telling = [
        one
        for one in facts.learners
        if len(one.parties) <= 1
        or len(one.parties) == most
        or one.parties in breaking
        or tuple(sorted(one.parties)) in named
    ]
    return tuple(telling[:ROWS])


def _parties(learners: Sequence[Learner]) -> list[str]:
    found = {party: None for one in learners for party in one.parties}
    return sorted(found, key=lambda party: (party not in READERS, party != "curator", party))


def _verdict(facts: Facts, one: Learner) -> Marked:
    if one.certain == facts.cells:
        return Marked("everything", "bad")
    if one.others:
        return Marked("people linked", "bad")
    if one.linked:
        return Marked("nobody but members linked", "good")
    return Marked("values certain", "bad") if one.certain else Marked("nobody linked", "good")


def _figure(facts: Facts) -> Figure:
    """Members to the left as filled squares, what they learnt to the right as bars."""
    learners = chosen(facts)
    parties = _parties(learners)
    left = max(CELL * len(parties) + 56, 720 - WIDE)
    start = left - CELL * len(parties) - 48
    top = 20 + 6.2 * max((len(shorten(party, 16)) for party in parties), default=0) * 0.75
    height = top + 20 * len(learners) + 12
    linking = sum(one.others > 0 for one in learners)
    drawing = Drawing(
        "trust",
        "Every coalition, and what it learnt",
        f"{len(learners)} coalitions, of which {linking} link somebody; the table has every number",
        left + WIDE,
        height,
    )
    for place, party in enumerate(parties):
        x = start + CELL * place + CELL / 2
        drawing.parts.append(_slanted(x, top - 8, shorten(party, 16)))
    most = max((one.bits for one in learners), default=0.0) or 1.0
    columns: tuple[tuple[str, Callable[[Learner], float], Callable[[Learner], str]], ...] = (
        ("people linked", lambda one: one.linked / facts.crowd, lambda one: f"{one.linked:,}"),
        ("values certain", lambda one: one.certain / facts.cells, lambda one: f"{one.certain:,}"),
        ("bits per person", lambda one: one.bits / most, lambda one: f"{one.bits:.2f}"),
    )
    if all(one.guessed is not None for one in learners):
        columns += (("rows guessed", lambda one: (one.guessed or 0.0) / facts.crowd, _guesses),)
    bar = WIDE / len(columns)
    for place, (title, _, _) in enumerate(columns):
        drawing.text(left + 8 + place * bar, top - 8, title, "label")
    for row, one in enumerate(learners):
        y = top + 20 * row
        if one.others and not facts.trusted(one):
            drawing.box(0, y - 1, drawing.width, 20, "highlight bad")
        for place, party in enumerate(parties):
            inside = party in one.parties
            kind = "member" if inside else "absent"
            size = 12 if inside else 4
            x = start + CELL * place + (CELL - size) / 2
            drawing.box(x, y + (18 - size) / 2, size, size, kind)
        for place, (_, share, text) in enumerate(columns):
            x = left + 8 + place * bar
            width = (bar - 66) * share(one)
            drawing.box(x, y + 3, width, 12, "bar" if share(one) < 1 else "bar low")
            drawing.text(x + width + 5, y + 13, text(one))
    caption = (
        "A filled square: the party is in the coalition. The first row is what anybody reads on "
        "the board."
    )
    return Figure(drawing.svg(), caption, _numbers(facts))


def _guesses(one: Learner) -> str:
    return f"{one.guessed:,.1f}" if one.guessed is not None else "-"


def _slanted(x: float, y: float, text: str) -> str:
    from html import escape

    return (
        f'<text class="tick" transform="translate({x:.1f} {y:.1f}) rotate(-50)">'
        f"{escape(text)}</text>"
    )


def _guessed(one: Learner) -> str:
    """People whose row is guessed right, and how many were before; ~ sampled, >= at least."""
    if one.guessed is None:
        return "-"
    mark = {"sampled": "~ ", "at least": ">= "}.get(one.method, "")
    return f"{mark}{one.guessed:,.1f} ({one.before or 0.0:,.1f})"


def _table(facts: Facts) -> Grid:
    rows = [
        (
            one.name,
            f"{one.linked:,} ({percent(one.linked / facts.crowd)})",
            f"{one.certain:,} of {facts.cells:,}",
            one.bits_are.mark + f"{one.bits:.3g}",
            _guessed(one),
            "-" if one.sure is None else f"{percent(one.sure)} ({percent(one.sure_before or 0)})",
            "yes" if facts.trusted(one) else "no",
            _verdict(facts, one),
        )
        for one in facts.learners
    ]
    headings = (
        *("coalition", "people linked", "values certain", "bits per person"),
        *("rows guessed (before)", "surest of one (before)"),
        *(facts.topology.line(facts.run.scenario), "learnt"),
    )
    caption = f"{many(len(rows), 'coalition')}, the smallest first"
    return Grid(caption, headings, rows, (1, 2, 3, 4, 5), _numbers(facts), folded=True)


def _numbers(facts: Facts) -> Numbers:
    headings = (
        *("coalition", "linked_people", "of_people", "certain_values", "of_values"),
        *("bits_per_person", "bits_are", "rows_guessed", "rows_guessed_before"),
        *("surest_of_one", "surest_of_one_before", "method"),
    )
    rows = [
        (
            *("+".join(one.parties), one.linked, facts.crowd, one.certain, facts.cells),
            *(one.bits, one.bits_are.value, one.guessed, one.before),
            *(one.sure, one.sure_before, one.method),
        )
        for one in facts.learners
    ]
    return Numbers("coalitions", headings, rows)


def _words(facts: Facts) -> Iterator[str]:
    breaking = facts.breaking
    if breaking:
        names = "; ".join(one.name for one in breaking)
        yield f"The smallest coalitions that link anyone by watching: {names}."
    else:
        yield "No coalition that was scored links anyone by watching."
    by_name = {frozenset(one.parties): one for one in facts.learners}
    for one in facts.run.scenario.coalition:
        found = by_name.get(frozenset(one.parties))
        if found:
            what = (
                f"links {many(found.others, 'person', 'people')}"
                if found.others
                else "links nobody"
            )
            if found.linked > found.others:
                what += " else" if found.others == 0 else " besides its members"
            yield f"{one.name} ({' + '.join(one.parties)}): {what}."
    yield from facts.halved
