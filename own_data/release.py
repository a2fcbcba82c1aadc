"""A user's own table as the next release of a ledger: judged, and recorded before it is written.

A ledger is a file of earlier releases about the same people. Subtracting an earlier
release from a new one reveals the counts of the people that only one release holds. The new
release may not reveal a small equivalence class in such a group of people. The holder
of the table knows all its cells, so the group's true exposure decides (`exact`), unless
only the counts of single columns are to decide. The holder alone reads a refusal. If
other people learn of a refusal, they learn that a group has small equivalence classes.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from msgspec import UNSET, UnsetType
from msgspec.structs import replace as changed

from ..errors import DataError, RoundBurned
from ..protocol.history.release_safety import Release
from ..protocol.history.shuffler_history import HandedBatch, SingleCounts
from ..protocol.wire.coarsening import rule_digest
from ..protocol.wire.messages import Counts
from ..scenarios.lab.ledger.account import Account
from ..scenarios.lab.ledger.batches import handed
from ..scenarios.lab.ledger.book import Ledger, opened
from ..scenarios.lab.ledger.cells import CountedCell, mark_of, marked
from ..scenarios.lab.ledger.entry import LedgerEntry
from ..scenarios.lab.ledger.groups import KnownRelease
from ..scenarios.lab.ledger.keep import account, entry_of, remembered
from ..scenarios.lab.ledger.net_change import net_changes
from ..scenarios.lab.ledger.people import ScenarioPeople, crowd_of_table
from ..scenarios.lab.ledger.subtraction import group_rule
from ..scenarios.populations.people import SourceTable, coarse, say
from ..scenarios.schema.model import About, FeatureSection, Policy, PopulationSection, Scenario
from ..temporary_files import private_folder
from .advise import Advised, Basis

PersonCells = Sequence[Sequence[tuple[str, ...]]]  # for each person, the cell of each of its rows

UNKNOWN_PEOPLE = (
    "no person of this table is in the ledger: people are known by their whole rows; if cells "
    "change from file to file, --person COLUMN knows them by a column, from the first file on"
)


def release_table(
    ledger: Ledger,
    table: SourceTable,
    features: Sequence[FeatureSection],
    policy: Policy,
    *,
    missing: str = "",
    exact: bool = True,
    noted: bool = True,
    person: str | None = None,
) -> Account:
    """Judge a table as the next release about its people, and record it in the ledger.

    RoundBurned if the release may not be made. If persons have several rows, the ledger
    holds the rows of each person as marks (keyed hashes). DataError if such a table follows
    a release about the same people that was recorded without these marks.

    Args:
        ledger: earlier releases.
        table: the people's table, before values are made coarser.
        features: the columns that are released, with their rules of generalization.
        policy: the target of the release: k and max_exposure.
        missing: the value of an empty cell.
        exact: whether the cells of the table decide; if not, the counts of single columns.
        noted: whether the table will be released, so that the ledger records it.
        person: the column by which people are known in the ledger; None: by their whole
            rows.
    """
    crowd = crowd_of_table(table, ledger.secret(), person)
    past = list(ledger.entries)
    names, cells, rows = _cells(table, features, missing)
    released = marked(names, cells, ledger.secret())
    places: tuple[tuple[int, ...], ...] | UnsetType = UNSET
    if table.persons is not None:
        _check_rows_known(table, past, crowd)
    if table.persons is not None or _has_row_lists(past, crowd):
        places = _row_places(names, rows, released, ledger.secret())
    scenario = Scenario(
        scenario=About(name=table.name),
        population=PopulationSection(source=table.name),
        policy=policy,
    )
    rule = group_rule(past, scenario, crowd, ledger.secret())
    noted_entry = changed(entry_of(scenario, crowd, None, None), released=released, rows=places)
    rule.cells, rule.exact = {cell.marks: cell.people for cell in released}, exact
    rule.rows = noted_entry.person_rows
    memory = remembered(ledger, past, scenario, crowd, None, rule)
    memory.write = lambda _: None
    people = frozenset(crowd.people)
    words = _words(table, features, missing, crowd)
    release = Release(people, frozenset(names), coarser=words)
    batch = HandedBatch(1, people, scenario.defence.min_dropout, (release,), public=True)
    memory.admit(batch, _singles(names, rows), first=True)
    entry = changed(noted_entry, handed=(handed(batch, crowd),))
    now = KnownRelease.with_cells(rule.number, release, rule.cells, rule.rows)
    changes = list(net_changes(rule.past, now, rule.promises)) if exact else []
    if broken := [change for change in changes if change.breaks]:
        raise RoundBurned(broken[0].refusal)
    if noted:
        ledger.add(entry)
    ledger_account = account(past, entry, memory, rule, scenario, None)
    warnings = ledger_account.warnings
    if past and ledger_account.sessions == 1 and person is None:
        warnings = (*warnings, UNKNOWN_PEOPLE)
    subtractions = (*(change.subtraction for change in changes), *ledger_account.subtractions)
    return changed(
        ledger_account,
        warnings=warnings,
        groups=ledger_account.groups + len(changes),
        subtractions=subtractions,
    )


def judge_advised(
    advised: Advised, ledger: Path | None, person: str | None = None
) -> Account | None:
    """Judge the advised table by a ledger, if given; RoundBurned if it may not be released.

    ledger: the file of earlier releases; None: no judgement, and the result is None.
    person: the column by which people are known; None: by their whole rows. The ledger is
    not changed, because the table is not released yet.
    """
    if ledger is None:
        return None
    chosen = zip(advised.columns, advised.best.levels, strict=True)
    features = [feature for column, level in chosen if (feature := column.feature(level))]
    features += [
        FeatureSection(name=name) for name in (advised.rest.columns if advised.rest else ())
    ]
    if not features:
        return None
    with _looked_at(ledger) as book:
        return release_table(
            book,
            advised.whole,
            features,
            Policy(k=advised.k, max_exposure=advised.max_exposure),
            missing=advised.missing,
            exact=advised.by is Basis.TRUTH,
            noted=False,
            person=person,
        )


@contextmanager
def _looked_at(ledger: Path) -> Iterator[Ledger]:
    """Open a ledger of earlier releases for reading; a missing file counts as an empty ledger."""
    if ledger.exists():
        with opened(ledger) as book:
            yield book
    else:
        with private_folder("an empty ledger") as folder, opened(folder / ledger.name) as book:
            yield book


def _words(
    table: SourceTable, features: Sequence[FeatureSection], missing: str, crowd: ScenarioPeople
) -> dict[str, tuple[str, ...]]:
    """Return, by column, digests of the rules that made its values coarser.

    Columns without such rules are left out. crowd: the people of the table; its `read` has, by
    column, keyed hashes of source texts that are read as equal. missing: the value of an empty
    cell.
    """
    words = {
        feature.name: (
            *crowd.read.get(feature.name, ()),
            *map(rule_digest, say(table, feature, missing).rules),
        )
        for feature in features
    }
    return {name: rules for name, rules in words.items() if rules}


def _cells(
    table: SourceTable, features: Sequence[FeatureSection], missing: str
) -> tuple[list[str], Counts, PersonCells]:
    """Return the released columns, the people of each cell, and the cells of each person's rows.

    A cell is a combination of released values. features: the released columns with their
    rules of generalization. missing: the value of an empty cell.
    """
    coarse_table, names = coarse(table, features, missing), [feature.name for feature in features]
    at = [coarse_table.columns.index(name) for name in names]
    texts = [coarse_table.values[place] for place in at]
    cells, cell_of = np.unique(coarse_table.codes[:, at], axis=0, return_inverse=True)
    words = [
        tuple(str(values[code]) for values, code in zip(texts, cell, strict=True))
        for cell in cells.tolist()
    ]
    owner = range(table.n) if table.persons is None else table.persons.tolist()
    rows: list[list[tuple[str, ...]]] = [[] for _ in range(table.n)]
    for person, cell in zip(owner, cell_of.ravel().tolist(), strict=True):
        rows[person].append(words[cell])
    return names, Counter(cell for person_cells in rows for cell in set(person_cells)), rows


def _singles(names: Sequence[str], rows: PersonCells) -> SingleCounts:
    """Return, by column, the number of different people with each value.

    rows: for each person, the cell (released values) of each of its rows.
    """
    return {
        name: Counter(
            value for person_cells in rows for value in {cell[place] for cell in person_cells}
        )
        for place, name in enumerate(names)
    }


def _row_places(
    names: Sequence[str], rows: PersonCells, released: Sequence[CountedCell], key: bytes
) -> tuple[tuple[int, ...], ...]:
    """Return, for each person, the indices in the release of the cells of its rows, ascending.

    names: the released columns. rows: the cell of each row of each person. released: the
    cells of the release, by marks (keyed hashes of their values). key: the key of these
    hashes.
    """
    number = {cell.marks: place for place, cell in enumerate(released)}
    order = sorted(range(len(names)), key=names.__getitem__)
    place_of = dict[tuple[str, ...], int]()
    for cell in {cell for person_cells in rows for cell in person_cells}:
        marks = tuple(mark_of(names[at], cell[at], key) for at in order)
        place_of[cell] = number[marks]
    return tuple(tuple(sorted(place_of[cell] for cell in person_cells)) for person_cells in rows)


def _has_row_lists(past: Sequence[LedgerEntry], crowd: ScenarioPeople) -> bool:
    """Whether a release about these people was recorded with the rows of each person.

    past: earlier releases. crowd: the people.
    """
    people = set(crowd.people)
    return any(entry.rows is not UNSET and not people.isdisjoint(entry.people) for entry in past)


def _check_rows_known(
    table: SourceTable, past: Sequence[LedgerEntry], crowd: ScenarioPeople
) -> None:
    """Raise DataError if an earlier release about these people was recorded without their rows.

    Only with the rows of each person can releases of several rows a person be compared.
    """
    people = set(crowd.people)
    for number, entry in enumerate(past, 1):
        if entry.rows is UNSET and entry.released and not people.isdisjoint(entry.people):
            raise DataError(
                f"{table.called}: persons have several rows, and session {number} of the ledger "
                "was noted with one row a person, without the rows of each: take one row of each "
                "(--one-row first, last, earliest:COLUMN or latest:COLUMN), or begin another "
                "ledger (--ledger) with releases of all rows"
            )
