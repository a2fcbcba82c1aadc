"""Who is found in the release: attackers who know some columns, and the three of the handbooks."""

from collections.abc import Iterator, Sequence
from typing import Any

from msgspec.structs import astuple

from ..scenarios.pages.pieces import Block, Figure, Grid, Numbers, Section
from ..scenarios.pages.svg import Drawing, Scale, number, shorten
from ..scenarios.programs.registry import program_of
from ..scenarios.scoring.reidentification import Reidentified, ReportPie, Risks
from ..scenarios.wording import many, percent
from .facts import Facts

ROW = 22
NAMES = 250
OWNERS = (
    "An attacker knows every set of every owner, and says of a piece of a vector whose it is. Long "
    "vectors are recognised through much noise: it hides the elements, and the mix the owners."
)


def section(facts: Facts) -> Section | None:
    """The part of the page on re-identification; None where nothing is known of it."""
    found = facts.result.reidentification
    if not found:
        return None
    blocks: list[Block] = []
    if found.attacks:
        blocks += [_figure(found), _table(found)]
    if found.risk:
        rows = list(_risk(found.risk, found.population))
        headings = ("attacker", "largest chance", "mean", "knows")
        blocks.append(Grid("Chances of a person to be found", headings, rows, (1, 2)))
    if found.reports:
        blocks.append(_reports(found.reports))
    lead = (
        f"The release is about {many(found.people, 'person', 'people')}, without names. An "
        "attacker knows some columns of everybody by name and names the owner of each row as well "
        "as anybody could. Found: named rightly, in expectation. Counted with everybody's true "
        "values, which the laboratory knows and no analyst does."
    )
    if not program_of(facts.run.scenario).held:
        lead = OWNERS
    return Section("found", "Who is found", lead, tuple(blocks))


def _figure(found: Reidentified) -> Figure:
    attacks, people = found.attacks, found.people
    height = ROW * len(attacks) + 62
    most = max(attacks, key=lambda one: one.found)
    about = f"at most {most.found:.1f} of {people:,} people, knowing {', '.join(most.knows)}"
    drawing = Drawing("found", "People found by attackers who know columns", about, 720, height)
    decades = people > 100
    x = Scale(1.0 if decades else 0.0, people, NAMES, 640, decades, NAMES)
    bottom = height - 46
    for tick in x.ticks():
        drawing.line((x(tick), 8), (x(tick), bottom), "grid")
        drawing.text(x(tick), bottom + 18, number(tick), anchor="middle")
    drawing.text((NAMES + 640) / 2, height - 6, f"people found, of {people:,}", "label", "middle")
    for row, one in enumerate(attacks):
        y = 20 + ROW * row
        drawing.text(NAMES - 8, y + 4, shorten(", ".join(one.knows), 38), anchor="end")
        drawing.line((NAMES, y), (x(one.found), y), "link")
        drawing.mark((x(one.found), y), "circle", "truth", 4.5)
        said = f"{one.found:,.1f}"
        if one.certain:
            drawing.mark((x(one.certain), y), "diamond", "promise bad", 4.5)
            said += f", {one.certain:,} for certain"
        drawing.text(x(one.found) + 9, y + 4, said)
    caption = "Rows: the columns an attacker knows. Open diamond: people named for certain."
    return Figure(drawing.svg(), caption, _numbers(found))


def _numbers(found: Reidentified) -> Numbers:
    keys = ("found", "standard_error", "bayes_error", "certain", "bits", "bits_standard_error")
    rows = [
        (" x ".join(one.knows), " x ".join(one.sees), *astuple(one)[2:]) for one in found.attacks
    ]
    return Numbers("found", ("knows", "sees", *keys), rows)


def _table(found: Reidentified) -> Grid:
    rows = [
        (
            ", ".join(one.knows),
            f"{one.found:,.1f}" + _spread(one.standard_error),
            percent(one.error),
            f"{one.certain:,}",
            f"{one.bits:.3g}" + _spread(one.bits_error),
        )
        for one in found.attacks
    ]
    headings = ("knows", "people found", "Bayes error", "for certain", "bits a row tells")
    caption = "Attackers by what they know"
    return Grid(caption, headings, rows, (1, 2, 3, 4), _numbers(found), folded=True)


def _spread(error: float) -> str:
    return f" +- {error:.2g}" if error else ""


def _risk(risk: Risks, population: int) -> Iterator[tuple[str, str, str, str]]:
    where = f"that it is one of {population:,} people"
    for name, chance, knows in (
        (
            *("prosecutor", risk.prosecutor),
            "the person's released values, and that it is in the release",
        ),
        ("journalist", risk.journalist, f"the person's released values, and {where}"),
    ):
        yield name, percent(chance.largest), percent(chance.mean), knows
    yield "marketer", "-", percent(risk.marketer), "the released values of all; share linked"


def _reports(reports: Sequence[ReportPie]) -> Grid:
    rows = [
        (
            one.feature,
            f"{one.pie:.3g}" + _spread(one.standard_error),
            f"{one.exact:.3g}" + ("" if one.attained else " (not known to be reached)"),
            f"{one.sharp:.3g}",
        )
        for one in reports
    ]
    headings = ("report", "these people (bits)", "at most, for any people (bits)", "sharp (bits)")
    caption = "What one report tells about who sent it (personal information entropy)"
    keys = ("feature", "pie", "standard_error", "exact", "sharp", "attained")
    numbers = Numbers(
        "report-pie", keys, [[_plain(getattr(one, key)) for key in keys] for one in reports]
    )
    return Grid(caption, headings, rows, (1, 2, 3), numbers)


def _plain(value: Any) -> Any:
    return int(value) if isinstance(value, bool) else value
