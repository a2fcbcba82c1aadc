"""The format of result.json, by which the file is written, read, checked and documented.

    Result          the facts of every run, and the findings of its release program
    result_type()   `Result` with the findings of each program, as it is read and published
    coalition(view) the record of the leakage to a coalition

The number of the format is `SCHEMA` (result_schemas.py). Each program defines its own findings in
its folder; `OwnFindings` names their record. tools/make_schema.py writes docs/result.schema.json
from this module.
"""

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, TypeVar, Union

from msgspec import UNSET, UnsetType, defstruct, field

from ....analysis.trust import Received
from ...programs.capabilities import OwnFindings
from ...programs.findings import Findings
from ...programs.interface import Effect, Raised
from ...programs.peer_findings import PeersFound
from ...programs.registry import PROGRAMS
from ...serialization.record import Record
from ..ledger.account import Account
from .person_rounds import SeveralRows
from .reidentification import Reidentified
from .worst_case import Search

REPORTED = ("feature", "report")  # names of the columns of a release of randomized reports


F = TypeVar("F", bound=Findings)


class WrittenCertificate(Record, frozen=True):
    """The certificate of a decision: a bound on exposed people, with its proof.

    Attributes:
        rule: the name of the method that proves the bound.
        k: people in the smallest equivalence class that counts as safe.
        n: number of people counted.
        people: the bound: no more people are exposed.
        thresholds: for each released column, the count from which the proof takes a value as
            common; () if the rule has no thresholds.
        pivot: the column that the bound of Theorem 2 singles out; None for another rule.
        c: the slack parameter of the bound of Theorem 3; None for another rule.
        proof: further data of the proof.
    """

    rule: str
    k: int
    n: int
    people: int
    thresholds: tuple[float, ...]
    pivot: int | None
    c: float | None
    proof: dict[str, Any] | UnsetType = UNSET


class BlankRule(Record, frozen=True):
    """The rule by which people suppress values of a column in their answers.

    Attributes:
        feature: the name of the feature.
        values: the values that are suppressed.
        cover: the probability, in units of 2^-32, that a person with another value suppresses it
            too. Such covers hide which suppressed values are listed.
        rate: this probability, 0 to 1.
    """

    feature: str
    values: tuple[str, ...]
    cover: int
    rate: float


class WrittenDecision(Record, frozen=True, kw_only=True):
    """The decision of the curator: the released columns, their certified bound, and its proof.

    Attributes:
        k: people in the smallest equivalence class that counts as safe.
        max_exposure: the allowed share of people in smaller classes, 0 to 1.
        kept: the names of the released columns.
        suppressed: the names of the other columns.
        bound: an upper bound on the share of exposed people, 0 to 1.
        blank: rules by which people suppress values; absent without such rules.
        certificate: the bound as a number of people, with its proof.
    """

    k: int
    max_exposure: float
    kept: tuple[str, ...]
    suppressed: tuple[str, ...]
    bound: float
    blank: tuple[BlankRule, ...] | UnsetType = UNSET
    certificate: WrittenCertificate


class WrittenRelease(Record, frozen=True):
    """The release: rows of values, each with the number of people that have them.

    Attributes:
        columns: the names of the released columns.
        counts: rows: a value for each column, and at the end the number of people that have them.
    """

    columns: tuple[str, ...]
    counts: tuple[tuple[str | int, ...], ...]

    @property
    def cells(self) -> Iterator[tuple[tuple[str, ...], int]]:
        """Each combination of values as a tuple, with its number of people."""
        for row in self.counts:
            yield tuple(map(str, row[:-1])), int(row[-1])

    @property
    def crowds(self) -> list[int]:
        """The size of each equivalence class (people with one combination of values)."""
        return [people for _, people in self.cells]


class WrittenWorstCase(Record, frozen=True):
    """Bounds on the largest share of people that a table with the released marginals exposes.

    Attributes:
        low: a lower bound: a table with this share was found, 0 to 1.
        high: an upper bound: no table has a larger share, 0 to 1.
        proven: whether both bounds are equal, and so are the worst case itself.
        search: the limits of the search for the worst case; None in a record of an older version.
    """

    low: float
    high: float
    proven: bool
    search: Search | None


class WrittenExposure(Record, frozen=True):
    """The exposure of a release: the share of people in an equivalence class smaller than k.

    Attributes:
        true: the true share, 0 to 1.
        promised: the upper bound certified by the decision, 0 to 1.
        worst_case: bounds on the largest share over all tables with the released marginals; None:
            not computed.
    """

    true: float
    promised: float
    worst_case: WrittenWorstCase | None


class Sureness(Record, frozen=True):
    """The highest probability that a coalition gives to a true row or value of a person.

    Attributes:
        before: the prior probability, 0 to 1.
        now: the posterior probability, after the coalition's view, 0 to 1.
    """

    before: float
    now: float


class WrittenCoalition(Record, frozen=True):
    """The leakage to a coalition (analysis/trust/received_view.py defines each figure).

    Attributes:
        parties: the names of the parties in the coalition.
        linked: number of people that the coalition links to a value.
        cells_certain: number of cells of the table that the coalition knows for certain.
        bits_per_person: the leakage in bits, per person.
        exact: whether bits_per_person is exact.
        bits_are: whether bits_per_person is exact, a lower or an upper bound.
        method: how the posterior was computed.
        error: standard error of a sampled probability; 0 if it is exact.
        rows_guessed: expected number of rows that a best guess gets right; None: unknown.
        rows_guessed_before: rows_guessed from the prior alone.
        cells_guessed: expected number of cells that a best guess gets right; None: unknown.
        cells_guessed_before: cells_guessed from the prior alone.
        worst_row: highest posterior of a person's true row; None: unknown.
        worst_value: highest posterior of a person's true value; None: unknown.
        sets: pairs (number of people in an anonymity set, number of sets of this size).
    """

    parties: tuple[str, ...]
    linked: int
    cells_certain: int
    bits_per_person: float
    exact: bool = True
    bits_are: str = ""
    method: str = "exact"
    error: float = 0.0
    rows_guessed: float | None = None
    rows_guessed_before: float | None = None
    cells_guessed: float | None = None
    cells_guessed_before: float | None = None
    worst_row: Sureness | None = None
    worst_value: Sureness | None = None
    sets: tuple[tuple[int, int], ...] = field(name="anonymity_sets", default=())


class Result(Record, frozen=True):
    """The content of result.json. From `peers` on, facts that a run does not have are absent.

    Attributes:
        schema: the number of this format.
        scenario: the name of the scenario.
        seed: the seed of all randomness; None if system randomness was used.
        mode: real (with messages) or ideal (without).
        users: number of people in the scenario.
        features: names of columns.
        marginals: feature -> value -> number of people, as the curator read them.
        decision: the decision of the curator; None without a decision.
        release: the released counts; None without a release.
        exposure: the exposure of people by the release.
        coalitions: the leakage to each coalition.
        refused: reason -> number of refused messages.
        burned: the reason why a round was aborted; None: no round was.
        digest: a hash that identifies the run; equal for equal seeds.
        attacks: the success of each attack.
        alarms: the alarms that parties raised.
        peers: without a central party, the peers proved to have misbehaved, and the leakage to
            coalitions.
        ledger: earlier releases about these people.
        executor: other computers that did work of the run (`--executor`), and the data that they
            could read.
        reidentification: the scores of attacks that re-identify people in the release.
        findings: the release program's own findings; their key `program` names the program.
        several_rows: persons and dummies (ballots without an answer) of each round, if persons have
            several rows. Counts are then of different persons, and a person can be in several.
    """

    schema: int
    scenario: str
    seed: int | None
    mode: str
    users: int
    features: tuple[str, ...]
    marginals: dict[str, dict[str, int]]
    decision: WrittenDecision | None
    release: WrittenRelease | None
    exposure: WrittenExposure
    coalitions: tuple[WrittenCoalition, ...]
    refused: dict[str, int]
    burned: str | None
    digest: str
    attacks: tuple[Effect, ...] = ()
    alarms: tuple[Raised, ...] = ()
    peers: PeersFound | UnsetType = UNSET
    ledger: Account | UnsetType = UNSET
    executor: str | UnsetType = UNSET
    reidentification: Reidentified | UnsetType = UNSET
    findings: Findings | UnsetType = UNSET
    several_rows: SeveralRows | UnsetType = UNSET


@cache
def result_type(kind: str | None = None) -> type[Result]:
    """Return `Result` with a release program's findings, as a file is read, checked and published.

    kind: the policy's kind, which determines the program; None: all known programs, also of other
    packages. Then the findings are a tagged union of the records of these programs.
    """
    programs = PROGRAMS.values() if kind is None else (PROGRAMS[kind],)
    findings = (program.capability(OwnFindings) for program in programs)
    records = tuple(dict.fromkeys(part.record() for part in findings if part is not None))
    whole: Any = defstruct(
        "Result",
        [("findings", Union[(*records, UnsetType)], UNSET)],
        bases=(Result,),
        namespace={"__doc__": Result.__doc__},
        frozen=True,
        forbid_unknown_fields=True,
    )
    result_class: type[Result] = whole
    return result_class


def findings_of(result: Mapping[str, Any], program: str) -> Mapping[str, Any] | None:
    """Return the findings in a result's plain data if this release program wrote them; else None.

    program: the name of the program.
    """
    findings: Mapping[str, Any] = result.get("findings") or {}
    return findings if findings.get("program") == program else None


def is_released(*, release: object, findings: object, curated: object) -> bool:
    """Whether a run has a release: a table, or estimates from randomized reports.

    If a randomizer has very many different reports, no table of reports is written. Then the
    findings of the release program are the release.

    Args:
        release: the table; None: there is none.
        findings: the findings of the program; None: there are none.
        curated: a curator's decision, or the reason why a round was aborted; None if people
            randomize their answers, and the round was counted.
    """
    return release is not None or (curated is None and findings is not None)


def findings_as(result: Result, kind: type[F]) -> F | None:
    """Return the findings of a run if they are a record of this class, else None."""
    return result.findings if isinstance(result.findings, kind) else None


def coalition(view: Received) -> WrittenCoalition:
    """Return the leakage to a coalition as the record that is written to result.json."""
    row, value = view.worst_row, view.worst_value
    return WrittenCoalition(
        view.parties,
        view.linked,
        view.cells_certain,
        view.bits_per_person,
        view.exact,
        view.bits_are.value,
        view.method.value,
        view.error,
        view.rows_guessed,
        view.rows_guessed_before,
        view.cells_guessed,
        view.cells_guessed_before,
        Sureness(row.prior, row.posterior) if row else None,
        Sureness(value.prior, value.posterior) if value else None,
        view.sets,
    )
