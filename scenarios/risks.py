"""Who is found in the release of a run: what attackers who know some columns get out of it.

    attacks      an attacker knows columns of everybody in the release, by name, sees the release
                 without names, and names the owner of each row: how many it gets right at best
                 (Bayes error 1 - found / people), how many for certain, bits a row tells
    risk         prosecutor, journalist, marketer (analysis/risk.py): they know all that is released
    reports      randomized reports: the PIE of one of them, and the most it can be for any people

The columns are those of `[attacker] knows`; without it every single column, all but one, and all.
Truth is the whole real population, which the laboratory has and no analyst: journalists count
crowds in the table that a sample was drawn from.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace as changed

from ..analysis.cells import distinct
from ..analysis.crowds import Crowds
from ..analysis.risk import Attacker, Risk, risk, risk_within
from ..analysis.side_information import find_people
from ..protocol.messages import Counts
from .model import Scenario
from .samples import Samples

if TYPE_CHECKING:
    from .populations import Population

MOST = 16  # columns; with more, attackers who know all but one are left out


@dataclass(frozen=True, slots=True)
class Attack:
    """What one attacker gets out of a release.

    knows: columns, of everybody. sees: columns of the release, or the one report. found: people
    named correctly by the best guesses, in expectation; standard_error: of it, 0 where it is exact.
    certain: people whose row can be nobody else's. bits: a row tells about its owner.
    """

    knows: tuple[str, ...]
    sees: tuple[str, ...]
    people: int
    found: float
    standard_error: float
    certain: int
    bits: float
    bits_error: float = 0.0

    @property
    def error(self) -> float:
        """The Bayes error: the share of people that even the best attacker names wrongly."""
        return max(0.0, 1 - self.found / self.people)

    def plain(self) -> dict[str, Any]:
        """As result.json writes it."""
        return {
            "knows": list(self.knows),
            "sees": list(self.sees),
            "found": self.found,
            "standard_error": self.standard_error,
            "bayes_error": self.error,
            "certain": self.certain,
            "bits": self.bits,
            "bits_standard_error": self.bits_error,
        }


@dataclass(frozen=True, slots=True)
class ReportPie:
    """The personal information entropy of one report, in bits (paper 003).

    pie: with the people of this run; standard_error: 0 where it is exact. sharp, exact: the most
    for any people, as many as these (analysis/pie_bounds.py). attained: whether `exact` is the
    supremum, or only the least bound that is proved.
    """

    feature: str
    pie: float
    standard_error: float
    sharp: float
    exact: float
    attained: bool

    def plain(self) -> dict[str, Any]:
        """As result.json writes it."""
        return {
            "feature": self.feature,
            "pie": self.pie,
            "standard_error": self.standard_error,
            "sharp": self.sharp,
            "exact": self.exact,
            "attained": self.attained,
            "unit": "bits",
        }


@dataclass(frozen=True, slots=True)
class Reidentified:
    """All of it. people: in the release. population: people it was drawn from, themselves included.

    risk: None where reports are released, of which nobody knows the true one.
    """

    people: int
    population: int
    attacks: tuple[Attack, ...]
    risk: Risk | None
    reports: tuple[ReportPie, ...] = ()

    def plain(self) -> dict[str, Any]:
        """The content of `reidentification` in result.json."""
        return {
            "people": self.people,
            "population": self.population,
            "attacks": [one.plain() for one in self.attacks],
            "risk": plain_risk(self.risk) if self.risk else None,
            "reports": [one.plain() for one in self.reports],
        }


def plain_risk(found: Risk) -> dict[str, Any]:
    """The three attackers, as result.json writes them."""
    return {
        "k": found.k,
        "prosecutor": _chances(found.prosecutor),
        "journalist": _chances(found.journalist),
        "marketer": found.marketer,
    }


def _chances(one: Attacker) -> dict[str, float]:
    return {"largest": one.largest, "mean": one.mean, "above": one.above}


def known_sets(features: int, knows: Sequence[int] = ()) -> tuple[tuple[int, ...], ...]:
    """The sets of columns that attackers know: what is asked for first, then the usual ones."""
    every = tuple(range(features))
    sets = [tuple(knows)] if knows else []
    sets += [(column,) for column in every]
    if 2 < features <= MOST:
        sets += [every[:column] + every[column + 1 :] for column in every]
    return tuple(dict.fromkeys([*sets, every]))


def asked_sets(scenario: Scenario, names: Sequence[str]) -> tuple[tuple[int, ...], ...]:
    """The sets of a scenario, as columns of its people."""
    return known_sets(len(names), [names.index(name) for name in scenario.attacker.knows])


def in_release(
    scenario: Scenario, crowd: Samples, present: Any, kept: Sequence[int], release: Counts | None
) -> Reidentified | None:
    """Score an exact release of some columns; None where nothing, or only one person, is released.

    present: indices of the people who are in it. A release that is not theirs, because somebody
    has tampered with it, has no attacks: nobody knows whose rows these are.
    """
    if not release or sum(release.values()) < 2:
        return None
    people, columns = crowd.people, list(kept)
    cells = Crowds.of_cells(list(release.values()))
    k, whole = scenario.policy.k, everybody(scenario, crowd)
    if release != _counted(people, present, columns):
        return Reidentified(cells.n, len(whole), (), risk(cells, k))
    rows, many = distinct(people.codes[present])
    same = len(whole) == len(present)
    among = cells if same else _among(rows[:, columns], many, whole[:, columns])
    attacks = _attacks(scenario, people.schema.names, rows, many, columns)
    return Reidentified(cells.n, len(whole), tuple(attacks), risk_within(cells, among, k))


def everybody(scenario: Scenario, crowd: Samples) -> Any:
    """The codes of the whole population: the table, or everybody who was generated."""
    from .populations import population
    from .populations.build import offer

    section = scenario.population
    if offer(section).generated:
        return crowd.people.codes
    whole = changed(section, users=None, round2_users=None, setting="fixed")
    return population(whole, scenario.feature).codes


def _counted(people: "Population", present: Any, columns: Sequence[int]) -> Counts:
    from ..protocol.ideal import Table, count_cells

    return count_cells(Table(people.values, people.codes[present]), columns)


def _among(shown: Any, many: Any, whole: Any) -> Crowds:
    """The crowds that people in the release have in the population.

    shown: different rows of the release, `many` people each (a cell may have several rows).
    """
    import numpy as np

    cells, sizes = distinct(whole)
    place = {tuple(row): size for row, size in zip(cells.tolist(), sizes.tolist(), strict=True)}
    crowds = np.array([place[tuple(row)] for row in shown.tolist()], np.int64)
    return Crowds.of_rows(crowds, many)


def _attacks(
    scenario: Scenario, names: Sequence[str], rows: Any, many: Any, kept: Sequence[int]
) -> Iterator[Attack]:
    sees = tuple(names[column] for column in kept)
    for known in asked_sets(scenario, names):
        one = find_people(rows, known, kept, many)
        knows = tuple(names[column] for column in known)
        yield Attack(knows, sees, one.people, one.found, 0.0, one.certain, one.bits)
