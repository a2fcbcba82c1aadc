"""An entry of the ledger: one session, its batches, and its outcome."""

import msgspec
from msgspec import UNSET, UnsetType

from .cells import Cell, CountedCell
from .certified import Certified
from .noise import Noise

NEVER_ENDED = "the session never ended"


class Suppression(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The suppressed values of a column: all except `said`, or `blank` with cover suppression.

    Attributes:
        column: the name of the column in the source.
        said: the values that are reported.
        blank: the values that are suppressed.
        cover: the probability, in units of 2^-32, of suppressing any other value as cover.
    """

    column: str
    said: tuple[str, ...] = ()
    blank: tuple[str, ...] = ()
    cover: int = 0


class Coarsening(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The rules that made the values of a column coarser, by their names.

    Attributes:
        column: the name of the column in the source.
        rules: the rules, in the order in which they were applied.
    """

    column: str
    rules: tuple[str, ...]


class LedgerBatch(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A batch of answers, written to the ledger before the first shuffler hands it on.

    Attributes:
        round: the number of the round, from 1.
        missing: people asked, by index, but not counted.
        others: people counted but not asked, each with a different name.
        asks: columns counted together, by the names of the source.
        unsaid, coarser: the rules for suppressed values, and the rules that first made values
            coarser.
        public: whether it is a release, or questions of the curator.
        singles: whether all counts are published, of single columns too.
        coins: a name of the random draws of covers (values suppressed at random), "" if no other
            session can repeat them.
        unsure: whether it may count fewer people: a curator notes a batch without knowing its
            people. Not set where these are known.
    """

    round: int
    missing: tuple[int, ...] = ()
    others: tuple[str, ...] = ()
    asks: tuple[tuple[str, ...], ...]
    unsaid: tuple[Suppression, ...] = ()
    coarser: tuple[Coarsening, ...] = ()
    public: bool
    singles: bool = False
    coins: str = ""
    unsure: bool | UnsetType = UNSET


class LedgerEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A session in the ledger: its people, its batches and its outcome.

    Attributes:
        scenario: the name of the scenario.
        source: the columns of the table.
        people: fingerprints of the people asked.
        seed: the seed of the run; None: the system's randomness.
        least: `min_dropout` of the scenario: at least so many, or none, may leave between rounds.
        session: the digest of its board, empty until it has ended; between machines the hash of its
            file, from the start.
        handed: the batches that the first shuffler handed on.
        k, max_exposure: the promise: the smallest safe class, and the share of people in smaller
            classes.
        released: the cells of the release, fewest people first; empty without a completed release.
        burned: the reason if it was not completed.
        noise: the noise that people add; None: they add no noise.
        certified: the epsilon of their reports after shuffling; None: no bound was certified. Not
            set in an entry of schema 5, since its digest is of entries without it.
        rows: where persons have several rows, for each of `people` the places in `released` of the
            cells of its rows; then `released` counts different persons. Not set elsewhere.
        shown: between machines: the number of tallies its keeper saw on the board. Not set
            elsewhere, and before it has ended.
    """

    scenario: str
    source: tuple[str, ...]
    people: tuple[str, ...]
    seed: int | None
    least: int
    session: str = ""
    handed: tuple[LedgerBatch, ...] = ()
    k: int
    max_exposure: float
    released: tuple[CountedCell, ...] = ()
    burned: str | None = None
    noise: Noise | None = None
    certified: Certified | UnsetType | None = UNSET
    shown: int | UnsetType = UNSET
    rows: tuple[tuple[int, ...], ...] | UnsetType = UNSET

    @property
    def release(self) -> LedgerBatch | None:
        """The batch for the analyst, opened or not; None if no batch was forwarded to it."""
        return next((batch for batch in self.handed if batch.public), None)

    @property
    def cells(self) -> tuple[int, ...]:
        """The people in each cell of the release, fewest first; () without a completed release."""
        return tuple(cell.people for cell in self.released)

    @property
    def person_rows(self) -> dict[str, list[Cell]] | None:
        """The cells of each person's rows, by fingerprint.

        None unless persons have several rows.
        """
        if self.rows is UNSET:
            return None
        marks = [cell.marks for cell in self.released]
        pairs = zip(self.people, self.rows, strict=True)
        return {person: [marks[place] for place in places] for person, places in pairs}

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the release; () without a release."""
        return self.release.asks[0] if self.release else ()

    @property
    def coarser(self) -> tuple[Coarsening, ...]:
        """The rules that made the values of the release coarser."""
        return self.release.coarser if self.release else ()

    def counted(self, batch: LedgerBatch) -> frozenset[str]:
        """Return the fingerprints of the people that a batch counts."""
        absent = set(batch.missing)
        present = (mark for i, mark in enumerate(self.people) if i not in absent)
        return frozenset((*present, *batch.others))
