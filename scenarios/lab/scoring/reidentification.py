"""Re-identification in the release of a run: the success of attackers that know some columns.

    attacks      an attacker knows some columns of all people in the release, by name. It sees the
                 release without names, and names the owner of each row. Scores: the expected
                 number of right names (Bayes error 1 - found / people), the number of certain
                 names, and the bits that a row reveals about its owner
    risk         prosecutor, journalist and marketer risk, for attackers that know all released
                 columns (analysis/exposure/attacker_risk.py)
    reports      for randomized reports: the PIE (personal information entropy) of a report, and
                 its maximum over all populations

An attacker knows the columns in `[attacker] knows`. Further attackers know a single column, all but
a single column, or all. The laboratory knows the whole real population, which no analyst does. So
for the journalist risk it counts equivalence classes in the table that a sample was drawn from.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from msgspec import field

from ....analysis.exposure import Attacker, Crowds, Risk, risk, risk_within
from ....analysis.exposure.cells import cells_of, distinct
from ....analysis.reidentification.attacks.side_information import counted
from ....number_text import percent
from ....protocol.rounds.opened_prefixes import prefix_of, shown_of
from ....protocol.wire.hiding_rules import BLANK, COVERS, OTHER_VALUE, Hiding, Redact, apply_rule
from ....protocol.wire.messages import Counts
from ...populations.samples import Samples
from ...programs.capability import AnswerKind
from ...programs.registry import answers_for
from ...serialization.record import Record

if TYPE_CHECKING:
    from ...programs.interface import ScoringSettings

# with more columns, attackers that know all columns but one are left out: they are too many
MAX_COLUMNS = 16


class AttackSuccess(Record, frozen=True):
    """The success of a re-identification attack on a release.

    Attributes:
        knows: columns of all people that the attacker knows.
        sees: columns of the release, or the report, that the attacker sees.
        found: expected number of people named correctly by the best guesses.
        standard_error: the standard error of `found`; 0 if exact.
        error: the Bayes error: the share of people that even the best attacker names wrongly.
        certain: number of people with a row that can belong to no other person.
        bits: mean information that a row gives about its owner, in bits.
        bits_error: the standard error of `bits`; 0 if exact.
    """

    knows: tuple[str, ...]
    sees: tuple[str, ...]
    found: float
    standard_error: float
    error: float = field(name="bayes_error")
    certain: int
    bits: float
    bits_error: float = field(name="bits_standard_error")


def bayes_error(named: float, people: int) -> float:
    """Return the Bayes error of an attacker: the share of people named wrongly.

    named: expected number of people named correctly, of `people`.
    """
    return max(0.0, 1 - named / people)


class ReportPie(Record, frozen=True):
    """The personal information entropy (PIE) of a noisy report, in bits (paper 003).

    PIE is the information in a report about the identity of its sender.

    Attributes:
        feature: the reported feature.
        pie: the PIE with the people of this run.
        standard_error: the standard error of `pie`; 0 if exact.
        contraction: an upper bound for any data of as many people, never below `exact`
            (analysis/reidentification/pie_bounds.py). Its key in result.json is `sharp`.
        exact: the least upper bound that is proved, from the channel capacity of the randomizer.
        attained: whether `exact` is the supremum over all data of as many people; else it may be
            larger.
        unit: the unit of all these numbers.
    """

    feature: str
    pie: float
    standard_error: float
    contraction: float = field(name="sharp")
    exact: float
    attained: bool
    unit: str = "bits"


class Risks(Record, frozen=True):
    """The risks by three attackers that know the whole release.

    analysis/exposure/attacker_risk.py defines them.

    Attributes:
        k: people in the smallest safe equivalence class. A chance above 1 / k to name a person
            counts as a risk.
        prosecutor: the risk by an attacker that knows that its target is in the table.
        journalist: the risk by an attacker that knows the population, but not the list of people in
            the table.
        marketer: the expected share of correct links if an attacker links all people, 0 to 1.
    """

    k: int
    prosecutor: Attacker
    journalist: Attacker
    marketer: float

    def __str__(self) -> str:
        """Return a sentence with the three risks."""
        prosecutor, journalist = (
            f"{percent(attacker.largest)} at most, {percent(attacker.mean)} on average"
            for attacker in (self.prosecutor, self.journalist)
        )
        return (
            f"prosecutor {prosecutor}; journalist {journalist}; marketer {percent(self.marketer)} "
            "of all rows"
        )

    @classmethod
    def from_risk(cls, risk: Risk) -> "Risks":
        """Return the record of risks computed by the analysis."""
        return cls(risk.k, risk.prosecutor, risk.journalist, risk.marketer)


class Reidentified(Record, frozen=True):
    """The re-identification scores of a run's release.

    Attributes:
        people: the number of people in the release.
        population: the number of people that they were drawn from, themselves included.
        attacks: the success of each attacker, by the columns that it knows.
        risk: the risks by three standard attackers; None for a release of reports, because the true
            values are not released.
        reports: the PIE (personal information entropy) of each report, for a release of reports.
    """

    people: int
    population: int
    attacks: tuple[AttackSuccess, ...]
    risk: Risks | None
    reports: tuple[ReportPie, ...] = ()


def known_sets(features: int, knows: Sequence[int] = ()) -> tuple[tuple[int, ...], ...]:
    """Return the sets of columns that attackers know: the requested set, then the usual sets.

    The usual sets are each single column, all columns but one column, and all. features: the number
    of columns. knows: the requested set, by indices; () without.
    """
    every = tuple(range(features))
    sets = [tuple(knows)] if knows else []
    sets += [(column,) for column in every]
    if 2 < features <= MAX_COLUMNS:
        sets += [every[:column] + every[column + 1 :] for column in every]
    return tuple(dict.fromkeys([*sets, every]))


def in_release(
    settings: "ScoringSettings",
    crowd: Samples,
    present: Any,
    released_columns: Sequence[int],
    release: Counts | None,
    hidden: Sequence[Hiding] = (),
) -> Reidentified | None:
    """Return the re-identification scores of a release; None for fewer than two people.

    If a party has tampered with the release, the owners of its rows are unknown: no attack is
    scored.

    Args:
        settings: the settings of the scores.
        crowd: the people of the scenario.
        present: the indices of the people in the release.
        released_columns: the indices of the released columns.
        release: the joint counts.
        hidden: rules by which people suppressed values. Then equivalence classes in the population
            are unknown, and the journalist risk is set to the prosecutor risk.
    """
    if not release or sum(release.values()) < 2:
        return None
    people, columns = crowd.people, list(released_columns)
    cells = Crowds.from_cells(list(release.values()))
    k, whole, names = settings.policy.k, people.source_codes, people.schema.names
    # In a threshold release, values that fewer than k people share stay encrypted, shown as blank.
    opened = answers_for(settings.program) is AnswerKind.OPENED
    rows, row_counts = distinct(people.codes[present])
    responses = response_laws(rows, people.values, columns, hidden)
    if opened:
        responses = opened_rows(rows, people.values, release)
    if not _theirs(release, responses, row_counts, people.values, columns, hidden):
        return Reidentified(cells.n, len(whole), (), Risks.from_risk(risk(cells, k)))
    has_same_crowds = opened or len(whole) == len(present)
    has_same_crowds = has_same_crowds or any(rule.column in columns for rule in hidden)
    among = cells if has_same_crowds else _among(rows[:, columns], row_counts, whole[:, columns])
    attacks = tuple(_attacks(settings.knows, names, rows, row_counts, columns, responses))
    return Reidentified(cells.n, len(whole), attacks, Risks.from_risk(risk_within(cells, among, k)))


@dataclass(frozen=True, slots=True, eq=False)
class Responses:
    """The possible entries of each person's row in a release, with their probabilities.

    A row has several possible entries if its values may be suppressed at random, to hide which
    suppressed values are sensitive. Line i of the three arrays states: row `row[i]` appears as
    `codes[i]` with probability `chance[i]`.

    Attributes:
        row: the number of the row.
        codes: the values in the release, shape (lines, released columns). A suppressed value has
            the code after the last code of its column.
        chance: the probability, 0 to 1.
    """

    row: Any
    codes: Any
    chance: Any

    @property
    def exact(self) -> bool:
        """Whether each row has a single possible entry in the release."""
        return bool((self.chance == 1).all())


def response_laws(
    rows: Any,
    values: Sequence[Sequence[str]],
    released_columns: Sequence[int],
    hidden: Sequence[Hiding],
) -> Responses:
    """Return all possible entries of rows in a release, under the suppression rules of a query.

    Each entry has its probability.

    Args:
        rows: the different rows, as codes.
        values: the texts of each column.
        released_columns: the indices of the released columns.
        hidden: the rules by which people suppress values.
    """
    import numpy as np

    responses = Responses(
        np.arange(len(rows)), rows[:, list(released_columns)].astype(np.int64), np.ones(len(rows))
    )
    for rule in hidden:
        if rule.column not in released_columns:
            continue
        place, texts = list(released_columns).index(rule.column), values[rule.column]
        is_suppressed = np.array([apply_rule(rule, text, COVERS - 1) != text for text in texts])
        cover = rule.rate if isinstance(rule, Redact) else 0.0
        chance = np.where(is_suppressed[responses.codes[:, place]], 1.0, cover)
        blank = responses.codes.copy()
        blank[:, place] = len(texts)
        ways = np.concatenate([responses.chance * (1 - chance), responses.chance * chance])
        row, codes = np.concatenate([responses.row] * 2), np.concatenate([responses.codes, blank])
        is_possible = ways > 0
        responses = Responses(row[is_possible], codes[is_possible], ways[is_possible])
    return responses


def opened_rows(rows: Any, values: Sequence[Sequence[str]], release: Counts) -> Responses:
    """Return the opened part of each row in a threshold release: its longest released prefix.

    A row's values are opened column by column while at least k people share them. rows: the
    different rows, as codes. values: the texts of each column. release: the counts of opened
    prefixes.
    """
    import numpy as np

    prefixes, codes = set(map(prefix_of, release)), rows.astype(np.int64)
    for place, row in enumerate(rows.tolist()):
        texts: dict[int, str] = {j: values[j][int(code)] for j, code in enumerate(row)}
        for j in range(len(shown_of(texts, prefixes)), len(row)):
            codes[place, j] = len(values[j])
    return Responses(np.arange(len(rows)), codes, np.ones(len(rows)))


def _theirs(
    release: Counts,
    responses: Responses,
    row_counts: Any,
    values: Sequence[Sequence[str]],
    released_columns: Sequence[int],
    hidden: Sequence[Hiding],
) -> bool:
    """Whether a release has the counts that the true rows of its people give.

    Different counts show that a party has tampered with the release. If values are suppressed at
    random, only the number of people is compared.

    Args:
        release: the joint counts.
        responses: the possible entries of each different row in the release.
        row_counts: the number of people with each different row.
        values: the texts of each column.
        released_columns: the indices of the released columns.
        hidden: the rules by which people suppress values.
    """
    import numpy as np

    if not responses.exact:
        return int(row_counts.sum()) == sum(release.values())
    spelt = {rule.column: BLANK if isinstance(rule, Redact) else OTHER_VALUE for rule in hidden}
    texts = [(*values[column], spelt.get(column, BLANK)) for column in released_columns]
    cells = cells_of(responses.codes, range(len(released_columns)))
    people = np.bincount(cells, weights=row_counts[responses.row]).astype(np.int64).tolist()
    someone = np.zeros(len(people), np.int64)
    someone[cells] = np.arange(len(cells))
    counted = {
        tuple(text[code] for text, code in zip(texts, codes, strict=True)): count
        for codes, count in zip(responses.codes[someone].tolist(), people, strict=True)
    }
    return counted == dict(release)


def _among(released_rows: Any, row_counts: Any, whole: Any) -> Crowds:
    """Return the number of released people by the size of their class in the population.

    The class of a person is all people of the population with equal values in the released columns.

    released_rows: the different rows, over the released columns. row_counts: the number of people
    with each. whole: the rows of the population, over the released columns.
    """
    import numpy as np

    cells, sizes = distinct(whole)
    place = {tuple(row): size for row, size in zip(cells.tolist(), sizes.tolist(), strict=True)}
    crowds = np.array([place[tuple(row)] for row in released_rows.tolist()], np.int64)
    return Crowds.from_rows(crowds, row_counts)


def _attacks(
    asked: Sequence[int],
    names: Sequence[str],
    rows: Any,
    row_counts: Any,
    released_columns: Sequence[int],
    responses: Responses,
) -> Iterator[AttackSuccess]:
    """Yield the success of an attacker for each set of columns that it may know.

    Args:
        asked: the set of columns that the scenario requests, by indices; () without.
        names: the names of all columns.
        rows: the different rows of the people, as codes.
        row_counts: the number of people with each different row.
        released_columns: the indices of the released columns.
        responses: the possible entries of each different row in the release.
    """
    sees = tuple(names[column] for column in released_columns)
    n, response_cells = (
        int(row_counts.sum()),
        cells_of(responses.codes, range(len(released_columns))),
    )
    for known_columns in known_sets(len(names), asked):
        counts = counted(
            cells_of(rows, known_columns)[responses.row],
            response_cells,
            row_counts[responses.row] * responses.chance,
        )
        knows, named = tuple(names[column] for column in known_columns), counts.expected_matches
        error = bayes_error(named, n)
        yield AttackSuccess(knows, sees, named, 0.0, error, counts.certain, counts.bits, 0.0)
