"""Who is found in the release of a run: what attackers who know some columns get out of it.

    attacks      an attacker knows columns of everybody in the release, by name, sees the release
                 without names, and names the owner of each row: how many it gets right at best
                 (Bayes error 1 - found / people), how many for certain, bits a row tells
    risk         prosecutor, journalist, marketer, who know all that is released
                 (analysis/exposure/attacker_risk.py)
    reports      randomized reports: the PIE of one of them, and the most it can be for any people

The columns are those of `[attacker] knows`; without it every single column, all but one, and all.
Truth is the whole real population, which the laboratory has and no analyst: journalists count
crowds in the table that a sample was drawn from.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from msgspec.structs import replace as changed

from ...analysis.exposure.attacker_risk import Attacker, Risk, risk, risk_within
from ...analysis.exposure.cells import cells_of, distinct
from ...analysis.exposure.equivalence_classes import Crowds
from ...analysis.reidentification.attacks.side_information import counted
from ...analysis.reidentification.personal_information import pie
from ...protocol.hiding import BLANK, COVERS, OTHER, Hiding, Redact, apply_rule
from ...protocol.messages import Counts
from ..populations.samples import Samples
from ..schema.model import Scenario

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
    for any people, as many as these (analysis/reidentification/pie_bounds.py). attained: whether
    `exact` is the supremum, or only the least bound that is proved.
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
    scenario: Scenario,
    crowd: Samples,
    present: Any,
    kept: Sequence[int],
    release: Counts | None,
    hidden: Sequence[Hiding] = (),
) -> Reidentified | None:
    """Score a release of some columns; None where nothing, or only one person, is released.

    present: indices of the people who are in it. hidden: rules by which some values were not said;
    crowds in the population are then not known, and the journalist is taken for the prosecutor.
    A release that is not theirs, because somebody has tampered with it, has no attacks: nobody
    knows whose rows these are.
    """
    if not release or sum(release.values()) < 2:
        return None
    people, columns = crowd.people, list(kept)
    cells = Crowds.of_cells(list(release.values()))
    k, whole = scenario.policy.k, everybody(scenario, crowd)
    rows, many = distinct(people.codes[present])
    said = said_rows(rows, people.values, columns, hidden)
    if not _theirs(release, said, many, people.values, columns, hidden):
        return Reidentified(cells.n, len(whole), (), risk(cells, k))
    same = len(whole) == len(present) or any(rule.column in columns for rule in hidden)
    among = cells if same else _among(rows[:, columns], many, whole[:, columns])
    attacks = tuple(_attacks(scenario, people.schema.names, rows, many, columns, said))
    return Reidentified(cells.n, len(whole), attacks, risk_within(cells, among, k))


@dataclass(frozen=True, slots=True, eq=False)
class Said:
    """What the people with a row may say, one line for each way: `row` says `codes` with `chance`.

    A hidden value has the code after those of its column.
    """

    row: Any
    codes: Any
    chance: Any

    @property
    def exact(self) -> bool:
        """Whether everybody says one thing only."""
        return bool((self.chance == 1).all())


def said_rows(
    rows: Any, values: Sequence[Sequence[str]], kept: Sequence[int], hidden: Sequence[Hiding]
) -> Said:
    """Say in all ways what rows become under the rules of a call."""
    import numpy as np

    found = Said(np.arange(len(rows)), rows[:, list(kept)].astype(np.int64), np.ones(len(rows)))
    for rule in hidden:
        if rule.column not in kept:
            continue
        place, texts = list(kept).index(rule.column), values[rule.column]
        gone = np.array([apply_rule(rule, text, COVERS - 1) != text for text in texts])
        cover = rule.rate if isinstance(rule, Redact) else 0.0
        chance = np.where(gone[found.codes[:, place]], 1.0, cover)
        blank = found.codes.copy()
        blank[:, place] = len(texts)
        ways = np.concatenate([found.chance * (1 - chance), found.chance * chance])
        row, codes = np.concatenate([found.row] * 2), np.concatenate([found.codes, blank])
        some = ways > 0
        found = Said(row[some], codes[some], ways[some])
    return found


def _theirs(
    release: Counts,
    said: Said,
    many: Any,
    values: Sequence[Sequence[str]],
    kept: Sequence[int],
    hidden: Sequence[Hiding],
) -> bool:
    """Whether a release is what these people said; where chance hides values, as far as it can."""
    import numpy as np

    if not said.exact:
        return int(many.sum()) == sum(release.values())
    spelt = {rule.column: BLANK if isinstance(rule, Redact) else OTHER for rule in hidden}
    texts = [(*values[column], spelt.get(column, "")) for column in kept]
    cells = cells_of(said.codes, range(len(kept)))
    people = np.bincount(cells, weights=many[said.row]).astype(np.int64).tolist()
    someone = np.zeros(len(people), np.int64)
    someone[cells] = np.arange(len(cells))
    found = {
        tuple(text[code] for text, code in zip(texts, codes, strict=True)): count
        for codes, count in zip(said.codes[someone].tolist(), people, strict=True)
    }
    return found == dict(release)


def everybody(scenario: Scenario, crowd: Samples) -> Any:
    """The codes of the whole population: the table, or everybody who was generated."""
    from ..populations import population
    from ..populations.build import offer

    section = scenario.population
    if offer(section).generated:
        return crowd.people.codes
    whole = changed(section, users=None, round2_users=None, setting="fixed")
    return population(whole, scenario.feature).codes


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
    scenario: Scenario,
    names: Sequence[str],
    rows: Any,
    many: Any,
    kept: Sequence[int],
    said: Said,
) -> Iterator[Attack]:
    sees = tuple(names[column] for column in kept)
    n, shown = int(many.sum()), cells_of(said.codes, range(len(kept)))
    for known in asked_sets(scenario, names):
        counts = counted(cells_of(rows, known)[said.row], shown, many[said.row] * said.chance)
        found, certain, bits = best_guesses(counts, n)
        knows = tuple(names[column] for column in known)
        yield Attack(knows, sees, n, found, 0.0, certain, bits)


def best_guesses(counts: Any, people: int) -> tuple[float, int, float]:
    """People found, those for certain, and bits; counts: known cells x what is said, expected.

    What chance hides is averaged over; certain people are then rounded.
    """
    import numpy as np

    held, each = counts.tocoo(), np.asarray(counts.sum(axis=1)).ravel()
    share = counts.multiply(1 / each[:, None]).tocsr()
    only = np.bincount(held.col, minlength=counts.shape[1])[held.col] == 1
    alone = np.isclose(each, 1)[held.row] & only
    bits = pie(counts / people) if counts.shape[0] > 1 else 0.0
    return float(share.max(axis=0).sum()), round(float(held.data[alone].sum())), bits
