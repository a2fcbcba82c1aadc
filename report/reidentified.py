"""The section on re-identification: attackers with known columns, and three standard attackers."""

from collections.abc import Iterator, Sequence
from typing import Any

from msgspec.structs import astuple

from ..number_text import percent, plural
from ..presentation.blocks import Block, Grid, PageFigure, PageNumbers, Section
from ..presentation.presenters.registry import presenter_of
from ..presentation.svg import Drawing, PositionScale, number, shorten
from ..scenarios.lab.scoring.reidentification import Reidentified, ReportPie, Risks
from .facts import PageFacts

ROW = 22
NAMES = 250


def section(facts: PageFacts) -> Section | None:
    """Return the section on re-identification; None if it was not measured."""
    reidentified = facts.result.reidentification
    if not reidentified:
        return None
    blocks: list[Block] = []
    if reidentified.attacks:
        blocks += [_figure(reidentified), _table(reidentified)]
    if reidentified.risk:
        rows = list(_risk(reidentified.risk, reidentified.population))
        headings = ("attacker", "largest chance", "mean", "knows")
        blocks.append(Grid(headings, rows, (1, 2), "Chances of a person to be found"))
    if reidentified.reports:
        blocks.append(_reports(reidentified.reports))
    lead = presenter_of(facts.run.scenario).attack_lead or (
        f"The release is about {plural(reidentified.people, 'person', 'people')}, without names. "
        "An attacker knows some columns of everybody by name and names the owner of each row as "
        "well as anybody could. Found: named rightly, in expectation. Counted with everybody's "
        "true values, which the laboratory knows and no analyst does."
    )
    return Section("found", "Who is found", lead, tuple(blocks))


def _figure(reidentified: Reidentified) -> PageFigure:
    attacks, people = reidentified.attacks, reidentified.people
    height = ROW * len(attacks) + 62
    best_attack = max(attacks, key=lambda attack: attack.found)
    about = (
        f"at most {best_attack.found:.1f} of {people:,} people, knowing "
        f"{', '.join(best_attack.knows)}"
    )
    drawing = Drawing("found", "People found by attackers who know columns", about, 720, height)
    decades = people > 100
    x = PositionScale(1.0 if decades else 0.0, people, NAMES, 640, decades, NAMES)
    bottom = height - 46
    for tick in x.ticks():
        drawing.line((x(tick), 8), (x(tick), bottom), "grid")
        drawing.text(x(tick), bottom + 18, number(tick), anchor="middle")
    drawing.text((NAMES + 640) / 2, height - 6, f"people found, of {people:,}", "label", "middle")
    for row, attack in enumerate(attacks):
        y = 20 + ROW * row
        drawing.text(NAMES - 8, y + 4, shorten(", ".join(attack.knows), 38), anchor="end")
        drawing.line((NAMES, y), (x(attack.found), y), "link")
        drawing.mark((x(attack.found), y), "circle", "truth", 4.5)
        label = f"{attack.found:,.1f}"
        if attack.certain:
            drawing.mark((x(attack.certain), y), "diamond", "promise bad", 4.5)
            label += f", {attack.certain:,} for certain"
        drawing.text(x(attack.found) + 9, y + 4, label)
    caption = "Rows: the columns an attacker knows. Open diamond: people named for certain."
    return PageFigure(drawing.svg(), caption, _numbers(reidentified))


def _numbers(reidentified: Reidentified) -> PageNumbers:
    keys = ("found", "standard_error", "bayes_error", "certain", "bits", "bits_standard_error")
    rows = [
        (" x ".join(attack.knows), " x ".join(attack.sees), *astuple(attack)[2:])
        for attack in reidentified.attacks
    ]
    return PageNumbers("found", ("knows", "sees", *keys), rows)


def _table(reidentified: Reidentified) -> Grid:
    rows = [
        (
            ", ".join(attack.knows),
            f"{attack.found:,.1f}" + _spread(attack.standard_error),
            percent(attack.error),
            f"{attack.certain:,}",
            f"{attack.bits:.3g}" + _spread(attack.bits_error),
        )
        for attack in reidentified.attacks
    ]
    headings = ("knows", "people found", "Bayes error", "for certain", "bits a row tells")
    caption = "Attackers by what they know"
    return Grid(headings, rows, (1, 2, 3, 4), caption, _numbers(reidentified), folded=True)


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
            report.feature,
            f"{report.pie:.3g}" + _spread(report.standard_error),
            f"{report.exact:.3g}" + ("" if report.attained else " (not known to be reached)"),
            f"{report.contraction:.3g}",
        )
        for report in reports
    ]
    headings = (
        "report",
        "these people (bits)",
        "at most, for any people (bits)",
        "by contraction (bits)",
    )
    caption = "What one report tells about who sent it (personal information entropy)"
    keys = ("feature", "pie", "standard_error", "exact", "contraction", "attained")
    numbers = PageNumbers(
        "report-pie", keys, [[_plain(getattr(report, key)) for key in keys] for report in reports]
    )
    return Grid(headings, rows, (1, 2, 3), caption, numbers)


def _plain(value: Any) -> Any:
    return int(value) if isinstance(value, bool) else value
