"""result.json: one definition, which writes it, reads it, checks it and documents it.

    Result          what every run has, and what its program found beside it
    result_type()   the same with the findings of each program, as it is read and published
    coalition(one)  what parties learnt together, as it is written
    current(data)   the same of an older number, moved to where it is now
    SCHEMA          its number: one that is not known is another format, and is refused

What a program found is its own record, defined in its folder; `program.findings()` names it.
docs/result.schema.json is published from here by tools/make_schema.py.
"""

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, TypeVar, Union

from msgspec import UNSET, UnsetType, defstruct, field

from ...analysis.trust import Received
from ..ledger.account import Account
from ..programs.findings import Findings
from ..programs.interface import Effect, Raised
from ..programs.peers.found import PeersFound
from ..programs.registry import PROGRAMS
from ..serialization.record import Record
from .reidentification import Reidentified
from .worst_case import Search

REPORTED = ("feature", "report")  # columns of a release of randomized reports


F = TypeVar("F", bound=Findings)


class WrittenCertificate(Record, frozen=True):
    """Why a decision keeps its promise.

    Attributes:
        rule: the bound that proves it.
        k: people in the smallest crowd wanted.
        n: people who were counted.
        people: exposed at most.
        thresholds: one for each column kept.
        pivot, c: of the bound, where it has them.
        proof: what proves it beside these.
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
    """A column with values for which people leave a blank.

    Attributes:
        feature: its name.
        values: for which a blank is left.
        cover: of 2^64 coins, those with which anybody else leaves one too.
        rate: their share.
    """

    feature: str
    values: tuple[str, ...]
    cover: int
    rate: float


class WrittenDecision(Record, frozen=True, kw_only=True):
    """What the curator decided: the columns it keeps, the exposure that it promises, and why.

    Attributes:
        k: people in the smallest crowd wanted.
        max_exposure: share of people who may be in a smaller one.
        kept: names of columns.
        suppressed: names of the other columns.
        bound: the share of people exposed, at most.
        blank: what is left blank; left out where nothing is.
        certificate: what proves the bound.
    """

    k: int
    max_exposure: float
    kept: tuple[str, ...]
    suppressed: tuple[str, ...]
    bound: float
    blank: tuple[BlankRule, ...] | UnsetType = UNSET
    certificate: WrittenCertificate


class WrittenRelease(Record, frozen=True):
    """What was released: rows of values, each with the number of people who have them.

    Attributes:
        columns: their names.
        counts: values, one a column, and then the people who have them.
    """

    columns: tuple[str, ...]
    counts: tuple[tuple[str | int, ...], ...]

    @property
    def cells(self) -> Iterator[tuple[tuple[str, ...], int]]:
        """Each combination of values, with its people."""
        for row in self.counts:
            yield tuple(map(str, row[:-1])), int(row[-1])

    @property
    def crowds(self) -> list[int]:
        """People in each cell."""
        return [people for _, people in self.cells]


class WrittenWorstCase(Record, frozen=True):
    """Bounds of the largest share of people that a table with the released marginals exposes.

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
    """Shares of people in a crowd smaller than k: true, promised, possible (None: not asked).

    Attributes:
        true: of the release, 0 to 1.
        promised: 0 to 1.
        worst_case: its bounds; None where it was not asked.
    """

    true: float
    promised: float
    worst_case: WrittenWorstCase | None


class Sureness(Record, frozen=True):
    """How sure a coalition is of something true: before it saw anything, and now.

    Attributes:
        before: its probability, 0 to 1.
        now: its probability, 0 to 1.
    """

    before: float
    now: float


class WrittenCoalition(Record, frozen=True):
    """What parties learnt together (analysis/trust/received_view.py says what each figure is).

    Attributes:
        parties: its members.
        linked: people of whom a value is pinned.
        cells_certain: cells of the table that it knows for certain.
        bits_per_person: received.
        exact: whether the bits are.
        bits_are: exact, at least or at most so many.
        method: by which guesses were worked out.
        error: standard error of a sampled probability; 0 where it is exact.
        rows_guessed: people whose whole row a best guess gets right, in expectation; None: unknown.
        rows_guessed_before: the same, before it saw anything.
        cells_guessed: cells that a best guess gets right, in expectation; None: unknown.
        cells_guessed_before: the same, before it saw anything.
        worst_row: of the true row of which it is surest.
        worst_value: of the true value of which it is surest.
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
    """The whole file. What a run has not is left out, from `peers` on.

    Attributes:
        schema: the number of this format.
        scenario: its name.
        seed: None where system randomness was used.
        mode: real or ideal.
        users: people in the scenario.
        features: names of columns.
        marginals: feature -> value -> people, as the curator read them.
        decision, release: None where there is none.
        exposure: of the release.
        coalitions: what each learnt.
        refused: messages, by reason.
        burned: why a round was not completed.
        digest: names the run; equal for equal seeds.
        attacks: what each attack has achieved.
        alarms: who has noticed anything.
        peers: where there is no central party, who was named, and what coalitions follow.
        ledger: what was released about these people in earlier runs.
        executor: who else did its work (`--executor`), and what they could read.
        reidentification: who is found in the release.
        findings: what the program found beside all this; its key `program` says which one.
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


@cache
def result_type(kind: str | None = None) -> type[Result]:
    """`Result` with the findings of a program, as a file is read, checked and published.

    kind: of policy, which says the program; None: all that are known, those of other packages too.
    Then findings are a tagged union of the records that the programs say are theirs.
    """
    programs = PROGRAMS.values() if kind is None else (PROGRAMS[kind],)
    findings = (program.findings() for program in programs)
    own = tuple(dict.fromkeys(record for record in findings if record is not None))
    whole: Any = defstruct(
        "Result",
        [("findings", Union[(*own, UnsetType)], UNSET)],
        bases=(Result,),
        namespace={"__doc__": Result.__doc__},
        frozen=True,
        forbid_unknown_fields=True,
    )
    known: type[Result] = whole
    return known


def findings_of(result: Mapping[str, Any], program: str) -> Mapping[str, Any] | None:
    """The findings in the plain data of a result, if they are of this program."""
    own: Mapping[str, Any] = result.get("findings") or {}
    return own if own.get("program") == program else None


def is_released(*, release: object, findings: object, curated: object) -> bool:
    """Whether a run released anything: a table, or estimates from randomized reports.

    The one definition of it. Of many different reports the release holds none: the findings of the
    program are what was released.

    Args:
        release: the table; None: there is none.
        findings: what the program found; None: nothing.
        curated: what a curator decided, or why a round was burned; None where people randomize
            what they say, and the round was counted.
    """
    return release is not None or (curated is None and findings is not None)


def own(result: Result, kind: type[F]) -> F | None:
    """What the program of a result found, if it is of this kind."""
    return result.findings if isinstance(result.findings, kind) else None


def coalition(view: Received) -> WrittenCoalition:
    """What parties learnt together, as it is written."""
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
