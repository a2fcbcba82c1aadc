"""The format of result.json: one definition by which it is written, read, checked and documented.

    Result          the facts of every run, and the findings of its program
    result_type()   the same with the findings of each program, as it is read and published
    coalition(view) the record of the leakage to a coalition
    current(data)   data of an older schema, moved to the present one
    SCHEMA          its number: an unknown number is another format, and is refused

The findings of a program are its own record, defined in its folder; `OwnFindings` names it.
docs/result.schema.json is published from here by tools/make_schema.py.
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
        rule: the name of the bound.
        k: people in the smallest equivalence class that counts as safe.
        n: number of people counted.
        people: the bound: no more people are exposed.
        thresholds: for each released column, the count from which the proof takes a value as
            common; () if the rule has no thresholds.
        pivot, c: parameters of the bound, if it has them.
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
    """The rule for suppressed values of a column.

    Attributes:
        feature: the name of the feature.
        values: the values that are suppressed.
        cover: the probability, in units of 2^-64, that a person with another value suppresses it
            too.
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
        max_exposure: share of people that may be in a smaller class.
        kept: names of columns.
        suppressed: names of the other columns.
        bound: the share of people exposed, at most.
        blank: rules of suppressed values; absent without such rules.
        certificate: the bound in people, with its proof.
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
        columns: their names.
        counts: values, one a column, and then the number of people that have them.
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
        """The number of people in each combination of values."""
        return [people for _, people in self.cells]


class WrittenWorstCase(Record, frozen=True):
    """Bounds on the largest share of people that a table with the released marginals exposes.

    Attributes:
        low: a table with so large a share was found, 0 to 1.
        high: no table has a larger share, 0 to 1.
        proven: whether both are the same, and so the worst case itself.
        search: the limits of the search for it; None in a record of an older version.
    """

    low: float
    high: float
    proven: bool
    search: Search | None


class WrittenExposure(Record, frozen=True):
    """The exposure of a release, as shares of people: true, promised, and possible.

    A person is exposed in an equivalence class smaller than k.

    Attributes:
        true: the true share, 0 to 1.
        promised: the upper bound by the decision, 0 to 1.
        worst_case: bounds on the largest possible share; None: not computed.
    """

    true: float
    promised: float
    worst_case: WrittenWorstCase | None


class Sureness(Record, frozen=True):
    """The highest posterior of a coalition for a true statement, and its prior.

    Attributes:
        before: the prior, 0 to 1.
        now: the posterior, 0 to 1.
    """

    before: float
    now: float


class WrittenCoalition(Record, frozen=True):
    """The leakage to a coalition (analysis/trust/received_view.py defines each figure).

    Attributes:
        parties: the names of the parties in the coalition.
        linked: number of people that it links to a value.
        cells_certain: number of cells of the table that it knows for certain.
        bits_per_person: the leakage in bits, per person.
        exact: whether bits_per_person is exact.
        bits_are: whether bits_per_person is exact, a lower or an upper bound.
        method: how the posterior was computed.
        error: standard error of a sampled probability; 0 if it is exact.
        rows_guessed: expected number of rows that a best guess gets right; None: unknown.
        rows_guessed_before: rows_guessed from the prior alone.
        cells_guessed: expected number of cells that a best guess gets right; None: unknown.
        cells_guessed_before: cells_guessed from the prior alone.
        worst_row: highest posterior of a true row.
        worst_value: highest posterior of a true value.
        sets: size of an anonymity set -> how many sets have it.
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
        seed: None if system randomness was used.
        mode: real or ideal.
        users: people in the scenario.
        features: names of columns.
        marginals: feature -> value -> people, as the curator read them.
        decision, release: None without a decision or a release.
        exposure: the exposure of people by the release.
        coalitions: the leakage to each coalition.
        refused: reason -> number of refused messages.
        burned: the reason why a round was not completed; None: all were completed.
        digest: identifies the run; equal for equal seeds.
        attacks: the success of each attack.
        alarms: raised by parties.
        peers: without a central party, the named peers, and the leakage to coalitions.
        ledger: earlier releases about these people.
        executor: other computers that did its work (`--executor`), and the data that they could
            read.
        reidentification: the scores of attacks that re-identify people in the release.
        findings: the release program's own findings; their key `program` names the program.
        several_rows: persons and dummies of each round, if persons have several rows; counts are of
            different persons then, and a person can be in several.
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
    """Return `Result` with the findings of a program, as a file is read, checked and published.

    kind: the policy's kind, which determines the program; None: all known programs, also of other
    packages, and then findings are a tagged union of the records of these programs.
    """
    programs = PROGRAMS.values() if kind is None else (PROGRAMS[kind],)
    findings = (program.capability(OwnFindings) for program in programs)
    records = tuple(dict.fromkeys(own.record() for own in findings if own is not None))
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
    """Return the findings in a result's plain data if they are of this program; else None."""
    findings: Mapping[str, Any] = result.get("findings") or {}
    return findings if findings.get("program") == program else None


def is_released(*, release: object, findings: object, curated: object) -> bool:
    """Whether a run has a release: a table, or estimates from randomized reports.

    It is the only definition. For many different reports the table is left out: the findings of the
    program are the release.

    Args:
        release: the table; None: there is none.
        findings: the findings of the program; None: there are none.
        curated: a curator's decision, or why a round was aborted; None if people randomize their
            answers, and the round was counted.
    """
    return release is not None or (curated is None and findings is not None)


def findings_as(result: Result, kind: type[F]) -> F | None:
    """Return the findings of a result's program if they are of this kind, else None."""
    return result.findings if isinstance(result.findings, kind) else None


def coalition(view: Received) -> WrittenCoalition:
    """Return the leakage to a coalition in the form of result.json."""
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
