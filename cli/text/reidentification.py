"""Re-identification of people in a release, as rows of the table of scores.

The rows show the attacker of the scenario, or else the best attackers tried: with a single column,
with all columns but a single column, and with all columns.
"""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ...number_text import give_or_take
from ...scenarios.programs.people_source import SetPopulation
from ...scenarios.programs.registry import capability
from .layout import percent, plural

if TYPE_CHECKING:
    from ...analysis.exposure import Attacker
    from ...scenarios.lab.scoring.outcome import Outcome
    from ...scenarios.lab.scoring.reidentification import AttackSuccess, Reidentified, ReportPie

NAMED = 3  # columns that are named one by one
NOTE = "Re-identified people are counted with the true values, which only the simulation knows."

Score = tuple[str, str, str]


def scores(outcome: "Outcome") -> Iterator[Score]:
    """Yield the rows; empty without a release."""
    reidentified = outcome.reidentification
    if reidentified is None:
        return
    features = len(outcome.schema.names)
    is_requested = bool(outcome.scenario.attacker.knows)
    if capability(outcome.scenario, SetPopulation):
        yield from _sets(reidentified)
        return
    for attack in worst(reidentified.attacks, features, is_requested=is_requested):
        label = f"re-identified, knowing {_known_columns(attack, features)}"
        yield label, *_attack(attack, reidentified.people)
    if reidentified.risk is not None:
        yield from _risk(reidentified)
    for report in reidentified.reports:
        yield from _pie(report, several=len(reidentified.reports) > 1)


def _sets(reidentified: "Reidentified") -> Iterator[Score]:
    """Yield the rows on owners of sets, with the piece of a vector that leaks most."""
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
    """Return the requested attacker, or the best with a column, all but a column, and all."""
    if is_requested or not attacks:
        return list(attacks[:1])
    kinds = dict.fromkeys(n for n in (1, features - 1, features) if n)
    return [
        max(sized_attacks, key=lambda attack: attack.found)
        for size in kinds
        if (sized_attacks := [attack for attack in attacks if len(attack.knows) == size])
    ]


def _known_columns(attack: "AttackSuccess", features: int) -> str:
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
    error = give_or_take(attack.standard_error, 1)
    meaning = f"expected correct best guesses; Bayes error {percent(attack.error)}"
    if attack.certain:
        meaning += f"; {attack.certain:,} with certainty"
    return f"{attack.found:,.1f}{error} of {people:,}", meaning


def _risk(reidentified: "Reidentified") -> Iterator[Score]:
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
    return f"mean {percent(attacker.mean)}"


def _pie(report: "ReportPie", *, several: bool) -> Iterator[Score]:
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
