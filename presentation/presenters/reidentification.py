"""The presenter of re-identification in a release: rows of scores, and the section of a page.

An attacker knows some columns of all people by name, and names the person of each released row. The
scores show the attacker of the scenario. Without such an attacker they show three: the most
successful with a single known column, with all columns except a single column, and with all
columns.
"""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from msgspec.structs import astuple

from ...number_text import give_or_take, percent, plural
from ...scenarios.programs.people_source import SetPopulation
from ...scenarios.programs.registry import capability
from ..blocks import Block, PageFigure, Section
from ..svg import Drawing, PositionScale, shorten
from ..text_blocks import Grid, PageNumbers, Score, score_grid
from .registry import presenter_of

if TYPE_CHECKING:
    from ...analysis.exposure import Attacker
    from ...scenarios.lab.scoring.outcome import Outcome
    from ...scenarios.lab.scoring.reidentification import AttackSuccess, Reidentified, ReportPie
    from ...scenarios.records.result_file import Run

NAMED = 3  # largest number of known columns that are listed by name
NOTE = "Re-identified people are counted with the true values, which only the simulation knows."
ROW = 22  # height of a row in units of the picture
NAMES = 250


def scores(run: "Outcome | Run") -> Iterator[Score]:
    """Yield the scores on re-identification of people; empty if it was not measured."""
    reidentified = run.reidentification
    if reidentified is None:
        return
    features = len(run.sizes)
    is_requested = bool(run.scenario.attacker.knows)
    if capability(run.scenario, SetPopulation):
        yield from _sets(reidentified)
        return
    for attack in worst(reidentified.attacks, features, is_requested=is_requested):
        label = f"re-identified, knowing {_known_columns(attack, features)}"
        yield label, *_attack(attack, reidentified.people)
    yield from _chances(reidentified)


def _chances(reidentified: "Reidentified") -> Iterator[Score]:
    """Yield scores on prosecutor, journalist and marketer risk, and on noisy reports."""
    if reidentified.risk is not None:
        yield from _risk(reidentified)
    for report in reidentified.reports:
        yield from _pie(report, several=len(reidentified.reports) > 1)


def _sets(reidentified: "Reidentified") -> Iterator[Score]:
    """Yield scores on owners of sets, for an attacker that knows every set.

    An owner submits noisy pieces of a bit vector. The last score is on the piece that leaks most
    about its owner's identity.
    """
    several = len(reidentified.reports) > 1
    for attack in reidentified.attacks:
        value, meaning = _attack(attack, reidentified.people)
        meaning = f"owners, {meaning}, by {'a piece' if several else 'a vector'}"
        yield "re-identified, knowing every set", value, meaning
    if reidentified.reports:
        yield from _pie(max(reidentified.reports, key=lambda report: report.pie), several=several)


def worst(
    attacks: "Sequence[AttackSuccess]", features: int, *, is_requested: bool
) -> "list[AttackSuccess]":
    """Return the attacker that the scenario requests, or the most successful attackers.

    These are up to three: the best that knows a single column, the best that knows all columns
    except a single column, and the attacker that knows all columns.

    attacks: the attackers with their success. features: number of columns. is_requested: whether
    the scenario names the attacker's known columns.
    """
    if is_requested or not attacks:
        return list(attacks[:1])
    kinds = dict.fromkeys(n for n in (1, features - 1, features) if n)
    return [
        max(sized_attacks, key=lambda attack: attack.found)
        for size in kinds
        if (sized_attacks := [attack for attack in attacks if len(attack.knows) == size])
    ]


def _known_columns(attack: "AttackSuccess", features: int) -> str:
    """Return the columns that an attacker knows, as a phrase. features: number of all columns."""
    if len(attack.knows) == features:
        return "all columns" if features > 1 else attack.knows[0]
    if len(attack.knows) <= NAMED:
        return ", ".join(attack.knows)
    return (
        f"{len(attack.knows)} columns"
        if len(attack.knows) < features - 1
        else "all columns but one"
    )


def _attack(attack: "AttackSuccess", people: int) -> tuple[str, str]:
    """Return an attacker's expected number of correct guesses, and a text on its meaning.

    The text has the Bayes error. people: number of people.
    """
    error = give_or_take(attack.standard_error, 1)
    meaning = f"expected correct best guesses; Bayes error {percent(attack.error)}"
    if attack.certain:
        meaning += f"; {attack.certain:,} with certainty"
    return f"{attack.found:,.1f}{error} of {people:,}", meaning


def _risk(reidentified: "Reidentified") -> Iterator[Score]:
    """Yield the scores on the risks from three attackers: prosecutor, journalist and marketer.

    The prosecutor knows that its target is in the data. The journalist knows only that its target
    is in the population. The marketer links all people.
    """
    risk = reidentified.risk
    assert risk is not None  # noqa: S101 - its caller checks it
    yield (
        "prosecutor risk, maximum",
        percent(risk.prosecutor.largest),
        f"attacker knows the person is in the data; {_mean(risk.prosecutor)}",
    )
    where = f"the population of {reidentified.population:,}"
    if reidentified.population == reidentified.people:
        where = "the population, here the same people"
    yield (
        "journalist risk, maximum",
        percent(risk.journalist.largest),
        f"attacker knows only that the person is in {where}; {_mean(risk.journalist)}",
    )
    right = plural(round(risk.marketer * reidentified.people), "person", "people")
    meaning = f"expected share of rows linked correctly: {right}"
    yield "marketer risk", percent(risk.marketer), meaning


def _mean(attacker: "Attacker") -> str:
    """Return the mean risk over people for an attacker, as text."""
    return f"mean {percent(attacker.mean)}"


def _pie(report: "ReportPie", *, several: bool) -> Iterator[Score]:
    """Yield scores on personal information entropy (PIE): a report's bits about its sender.

    several: whether there are reports on several features, so that each feature is named.
    """
    about = f", {report.feature}" if several else ""
    error = give_or_take(report.standard_error, 1)
    meaning = "what one report tells about who sent it: personal information entropy"
    yield f"PIE of a report{about}", f"{report.pie:.3g}{error} bits", meaning
    bound_name = "the supremum" if report.attained else "the least proved bound"
    meaning = (
        f"for any people, as many as these: {bound_name} (by contraction "
        f"{report.contraction:.3g} bits)"
    )
    yield "... at most", f"{report.exact:.3g} bits", meaning


def section(run: "Run") -> Section | None:
    """Return the section of a page on re-identification; None if it was not measured."""
    reidentified = run.reidentification
    if not reidentified:
        return None
    blocks: list[Block] = []
    if reidentified.attacks:
        blocks += [_figure(reidentified), _table(reidentified)]
    if rows := [*_chances(reidentified)]:
        keys = ("feature", "pie", "standard_error", "contraction", "exact", "attained")
        plain = [[getattr(report, key) for key in keys] for report in reidentified.reports]
        numbers = PageNumbers("report-pie", keys, plain) if plain else None
        blocks.append(score_grid(rows, "Chances of a person to be found", numbers))
    lead = presenter_of(run.scenario).attack_lead or (
        f"The release is about {plural(reidentified.people, 'person', 'people')}, without names. "
        "An attacker knows some columns of everybody by name and names the owner of each row as "
        f"well as anybody could. Found: named rightly, in expectation. {NOTE}"
    )
    return Section("found", "Who is found", lead, tuple(blocks))


def _figure(reidentified: "Reidentified") -> PageFigure:
    """Draw a row for each attacker: people named correctly, and people named with certainty."""
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
    drawing.ruler(x, 8, f"people found, of {people:,}")
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


def _numbers(reidentified: "Reidentified") -> PageNumbers:
    """Return all figures of the attackers, unrounded, for a CSV file."""
    keys = ("found", "standard_error", "bayes_error", "certain", "bits", "bits_standard_error")
    rows = [
        (" x ".join(attack.knows), " x ".join(attack.sees), *astuple(attack)[2:])
        for attack in reidentified.attacks
    ]
    return PageNumbers("found", ("knows", "sees", *keys), rows)


def _table(reidentified: "Reidentified") -> Grid:
    """Return the table of attackers by known columns: people found, Bayes error, leakage."""
    rows = [
        (
            ", ".join(attack.knows),
            f"{attack.found:,.1f}" + give_or_take(attack.standard_error, 2),
            percent(attack.error),
            f"{attack.certain:,}",
            f"{attack.bits:.3g}" + give_or_take(attack.bits_error, 2),
        )
        for attack in reidentified.attacks
    ]
    headings = ("knows", "people found", "Bayes error", "for certain", "bits a row tells")
    caption = "Attackers by what they know"
    return Grid(headings, rows, (1, 2, 3, 4), caption, _numbers(reidentified), folded=True)
