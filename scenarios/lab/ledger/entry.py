"""An entry of the ledger: a session with its people, its batches and its outcome."""

import msgspec
from msgspec import UNSET, UnsetType

from .cells import Cell, CountedCell
from .certified import Certified
from .noise import Noise

NEVER_ENDED = "the session never ended"


class Suppression(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The suppressed values of a column.

    Either all values except `said` are suppressed, or the values in `blank`. With `blank`, other
    values can be suppressed at random (cover suppression), which hides the values that are
    sensitive.

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
    """The rules that made the values of a column coarser.

    Attributes:
        column: the name of the column in the source.
        rules: hashes that identify the rules, in the order in which they were applied.
    """

    column: str
    rules: tuple[str, ...]


class LedgerBatch(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A batch of answers, written to the ledger before the first shuffler forwards it.

    Attributes:
        round: the number of the round, from 1.
        missing: people asked, by index, but not counted.
        others: names of people counted but not asked, such as invented people, each different.
        asks: sets of columns that are counted together, by the names in the source.
        unsaid: the rules for suppressed values.
        coarser: the rules that made values coarser, before suppression.
        public: whether the batch is a release; otherwise the curator reads it.
        singles: whether all counts are published, of single columns too.
        coins: a name of the random draws that suppress values as cover (to hide sensitive values);
            "" if no other session can repeat these draws.
        unsure: whether the batch may count fewer people, because a curator noted it, which does not
            know the batch's people. Not set if the people are known.
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
        source: the columns of the table from which people and answers come.
        people: fingerprints (keyed hashes) of the people asked.
        seed: the seed of the run; None: the randomness of the system.
        least: the scenario's `min_dropout`: between rounds, no person or at least so many people
            leave.
        session: the session's name. In one process: the digest of its board, empty until it has
            ended. Between machines: the hash of the session file, from the start.
        handed: the batches that the first shuffler forwarded.
        k, max_exposure: the promised limits: people in the smallest safe equivalence class, and
            share of people in smaller classes.
        released: the cells of the release, fewest people first; empty without a completed release.
        burned: the reason why the session was not completed; None: it was completed.
        noise: the noise that people add; None: they add no noise.
        certified: the epsilon of their reports after shuffling; None: no bound was certified. Not
            set in an entry of schema 5, because its digest does not cover this field.
        rows: if people have several rows, for each of `people` the positions in `released` of the
            cells of its rows; `released` then counts different people. Otherwise not set.
        shown: between machines: the number of tallies (published counts) on the board that the
            party which keeps the ledger saw. Otherwise, and before the session has ended, not set.
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
        """The batch for the analyst, which is the release; None if there is no such batch."""
        return next((batch for batch in self.handed if batch.public), None)

    @property
    def cells(self) -> tuple[int, ...]:
        """The people in each cell of the release, fewest first; () without a completed release."""
        return tuple(cell.people for cell in self.released)

    @property
    def person_rows(self) -> dict[str, list[Cell]] | None:
        """The cells of each person's rows, by the person's fingerprint (keyed hash).

        None unless people have several rows.
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
        """Return the fingerprints (keyed hashes) of the people that a batch counts."""
        absent = set(batch.missing)
        present = (mark for i, mark in enumerate(self.people) if i not in absent)
        return frozenset((*present, *batch.others))
