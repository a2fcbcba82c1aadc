"""The search for defects of a ledger entry that was decoded without an error."""

from collections import Counter

from msgspec import UNSET

from ....protocol.wire.hiding_rules import COVERS
from .certified import defect
from .entry import LedgerEntry


def entry_defect(entry: LedgerEntry, *, certifies: bool, attests: bool) -> str | None:
    """Return a description of a defect of an entry; None if there is no defect.

    certifies: whether the file's format has certificates (epsilon after shuffling). attests:
    whether the format has two fields of ledgers between machines: `unsure` marks a batch that may
    count fewer people, and `shown` is the number of published counts that the ledger's party saw.
    """
    wrong = _wrong(entry) or _wrong_certificate(entry, certifies=certifies) or _wrong_cells(entry)
    wrong = wrong or _wrong_rows(entry)
    return wrong or _wrong_attendance(entry, attests=attests)


def _wrong(entry: LedgerEntry) -> str | None:
    """Return a description of a defect in an entry's people, batches or promised exposure.

    None if there is no defect.
    """
    people = len(entry.people)
    if not people or len(set(entry.people)) < people:
        return f"people: found {people}; at least one is accepted, and each only once"
    if entry.least < 1:
        return f"least: found {entry.least}; at least 1 is accepted"
    for batch in entry.handed:
        if list(batch.missing) != sorted({i for i in batch.missing if 0 <= i < people}):
            return f"missing: not ascending indices below {people}"
        if not all(batch.asks) or not batch.asks:
            return "asks: a batch, or a question in it, without columns"
        if any(bool(suppression.said) == bool(suppression.blank) for suppression in batch.unsaid):
            return "unsaid: exactly one of said and blank must list values"
        if any(not 0 <= suppression.cover < COVERS for suppression in batch.unsaid):
            return "unsaid: cover must be at least 0 and less than 2^32"
        if not all(coarsening.rules for coarsening in batch.coarser):
            return "coarser: a column without rules"
    if not 0 <= entry.max_exposure <= 1:
        return f"max_exposure: found {entry.max_exposure}; 0 to 1 is accepted"
    return None


def _wrong_certificate(entry: LedgerEntry, *, certifies: bool) -> str | None:
    """Return a description of a defect in an entry's certificate (epsilon after shuffling).

    None if there is no defect. certifies: whether the file's format has certificates.
    """
    if entry.certified is UNSET or entry.certified is None:
        return None
    if not certifies:
        return "certified: a file of this schema has no such field"
    if entry.noise is None or entry.burned is not None:
        return "certified: the session has no noise, or was not completed"
    wrong = defect(entry.certified)
    return wrong and f"certified: {wrong}"


def _wrong_attendance(entry: LedgerEntry, *, attests: bool) -> str | None:
    """Return a description of a defect in the fields `unsure` and `shown`; None without defect.

    Only a ledger between machines has these fields. `unsure` marks a batch that may count fewer
    people than it lists. `shown` is the number of tallies (published counts) that the party which
    keeps the ledger saw. attests: whether the file's format has these fields.
    """
    unsure = [batch.unsure for batch in entry.handed if batch.unsure is not UNSET]
    if not attests and (unsure or entry.shown is not UNSET):
        return "shown, unsure: a file of this schema has no such field"
    if not all(unsure):
        return "unsure: only true is accepted; leave it out if the counted people are known"
    if entry.shown is not UNSET and not 0 <= entry.shown <= len(entry.handed):
        return f"shown: found {entry.shown} tallies of {len(entry.handed)} batches"
    return None


def _wrong_rows(entry: LedgerEntry) -> str | None:
    """Return a description of a defect in the rows of people; None if there is no defect.

    The entry lists rows only if people can have several rows each.
    """
    if entry.rows is UNSET:
        return None
    if len(entry.rows) != len(entry.people) or not all(entry.rows):
        return "rows: not at least one row for each of `people`"
    places = range(len(entry.released))
    if any(place not in places for row in entry.rows for place in row):
        return f"rows: places of cells are 0 to {len(places) - 1}"
    persons = Counter(place for row in entry.rows for place in set(row))
    if any(persons[place] != cell.people for place, cell in enumerate(entry.released)):
        return "rows: the persons of a cell are not as many as `released` says"
    return None


def _wrong_cells(entry: LedgerEntry) -> str | None:
    """Return a description of a defect in the cells of a release; None if there is no defect.

    A cell is a combination of values as keyed hashes (marks), with its count of people.
    """
    if list(entry.cells) != sorted(entry.cells) or any(cell < 1 for cell in entry.cells):
        return "released: a cell counts no person, or the cells are not sorted by their people"
    if entry.released and not entry.columns:
        return "released: cells, although no batch of the session is a release"
    if any(len(cell.marks) != len(entry.columns) for cell in entry.released):
        return "released: the marks (hashes of values) of a cell are not as many as the columns"
    if len({cell.marks for cell in entry.released}) < len(entry.released):
        return "released: a cell is there twice"
    return None
