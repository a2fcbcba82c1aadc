"""A release that was made elsewhere, judged against the original: anonymised or synthetic data.

k, l and t of a release alone do not show how it relates to the people. A synthetic
table has no equivalence classes of people, and an anonymised table may hold copies of
rows. So the judgement looks for the people of the original in the release: by the rows
that fit each person, by copies, and by the regulators' three attacks (singling out,
linkability, inference).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path

import numpy as np
from msgspec.structs import replace as changed
from numpy.typing import NDArray

from ..analysis.advice.ladder import entropy
from ..analysis.exposure import joint_counts, users_below
from ..analysis.exposure.cells import cells_of
from ..analysis.release_risks import ReleaseAttack, ask, diversity, singling_out
from ..analysis.release_risks.compatible_rows import ANY_VALUE, NO_VALUE, RowMatches, match_rows
from ..analysis.release_risks.copied_rows import copied_rows, record_distances
from ..analysis.release_risks.person_matches import PersonMatches, match_persons
from ..analysis.release_risks.unchanged_table import ROWS, SETS, SIZES, usual_questions
from ..errors import DataError
from ..scenarios.populations.build import columns_of
from ..scenarios.populations.coarsening import levels
from ..scenarios.populations.file_options import options_of
from ..scenarios.populations.files import source_of
from ..scenarios.populations.people import SourceTable
from ..scenarios.populations.roles import ColumnRole
from ..scenarios.populations.values import numbers_of
from ..scenarios.schema.problems import listed
from .judged_record import CopiedRows, JudgedRelease, LinkRisks, MatchedColumn, NearestRows
from .read_table import Reading, read
from .released_columns import ComparedColumns, match_names, released_columns
from .released_values import FittedColumn, ValueTexts, fit_column
from .risk_places import known_columns
from .score_record import AskedQuestion, AttackRate, SensitiveColumn

PAIRS = 300  # most pairs of columns for which two-way tables are compared
EXAMPLES = 3
Columns = NDArray[np.int64]


def judge_release(
    release: Path,
    original: Path,
    reading: Reading,
    k: int = 5,
    *,
    hierarchies: Mapping[str, Path] | None = None,
    control: Path | None = None,
    progress: Callable[[str], None] = lambda _stage: None,
) -> JudgedRelease:
    """Return the risks of a release for the people of the original table.

    Args:
        release: its file: anonymised or synthetic rows.
        original: the file of the people.
        reading: the description of the original file; its encoding, separator, header, decimal
            sign and words for missing also hold for the release.
        k: rows or people in the smallest safe equivalence class.
        hierarchies: files of generalization levels in the form of ARX, by column of the
            original.
        control: a file of people of the same kind that the release was not made from; None:
            no control.
        progress: is called with the name of each stage.

    Raises:
        DataError: a file cannot be read, no column is in both files, or persons have
            several rows in the original and no column in the control.
    """
    people = read(original, reading, progress=progress)
    rows, columns = _released(release, original, people, reading, progress)
    outside = None
    if control is not None:
        person = reading.person if people.persons is not None else None
        outside, _ = _released(control, original, people, reading, progress, person)
        if missed := [name for name in rows.columns if name not in outside.columns]:
            raise DataError(f"{control}: has no column {listed(missed)}, which the release has")
    progress("matching values")
    files = {name: levels(file) for name, file in (hierarchies or {}).items()}
    if strange := [name for name in files if name not in rows.columns]:
        raise DataError(
            f"--hierarchy {strange[0]}: no column in both files; accepted: {listed(rows.columns)}"
        )
    joined = _joined(release, people, rows, outside, files)
    return _Judge(release, original, control, joined, k, progress).record(columns)


@dataclass(frozen=True, slots=True, eq=False)
class JoinedTables:
    """The original, the release and the control, reduced to their common columns.

    The control is a table of people outside the release.

    Attributes:
        people: the original, in the common columns.
        rows: the release, suppressed rows left out.
        suppressed: number of suppressed rows.
        outside: the control, in the common columns; None: no control.
        fitted: for each column, the original values that each released value may stand for.
        attacker_columns: numbers of the columns that an attacker may know.
        sensitive: numbers of the sensitive columns.
        lacking: columns of the original that the release lacks.
    """

    people: SourceTable
    rows: SourceTable
    suppressed: int
    outside: SourceTable | None
    fitted: tuple[FittedColumn, ...]
    attacker_columns: tuple[int, ...]
    sensitive: tuple[int, ...]
    lacking: tuple[str, ...]


def _released(
    file: Path,
    original: Path,
    people: SourceTable,
    reading: Reading,
    progress: Callable[[str], None],
    person: str | None = None,
) -> tuple[SourceTable, ComparedColumns]:
    """Return the columns of a release (or control) that the original has, under its names.

    Also returns the comparison of the columns of both files. person: the column by which
    rows belong to persons; None: each row is judged by itself.
    """
    progress(f"reading {file}")
    form = Reading(
        separator=reading.separator,
        encoding=reading.encoding,
        header=reading.header,
        decimal=reading.decimal,
        missing_text=reading.missing_text,
    )
    section = form.section(file)
    source = source_of(file, options_of(section))
    columns = released_columns(people, source.columns)
    if not columns.chosen:
        raise DataError(
            f"{file}: no column is called as one of {original}: it has {listed(source.columns)}, "
            f"the original {listed(people.columns)}; rename them"
        )
    roles = dict.fromkeys(columns.chosen, "other")
    section = changed(section, columns=columns.chosen, roles=roles, each_row=person is None)
    if person is not None:
        name = match_names([person], source.columns).get(person)
        if name is None:
            raise DataError(
                f"{file}: no column is called {person!r} (--person): the original has persons with "
                "several rows, and so the control needs their column too; take one row of each "
                "person (--one-row first), or leave --control out"
            )
        section = changed(section, person=name)
    return columns_of(source, section, (), progress), columns


def _joined(
    release: Path,
    people: SourceTable,
    rows: SourceTable,
    outside: SourceTable | None,
    files: Mapping[str, Mapping[str, Sequence[str]]],
) -> JoinedTables:
    """Return the tables in their common columns, without suppressed rows.

    Each released value is matched with the original values that it may stand for, such as
    "30-39" with 34. people: the original. rows: the release. outside: people outside the
    release, for comparison; None: no such table. files: from the hierarchy file of each
    column, each value with its coarser values.
    """
    names = list(rows.columns)
    role = {judged.column: judged.role for judged in people.judged}
    may_be_known = {people.columns[j] for j in known_columns(people)}
    attacker_columns = [j for j, name in enumerate(names) if name in may_be_known] or list(
        range(len(names))
    )
    lacking = tuple(name for name in people.columns if name not in names)
    people = _select(people, names)
    fitted = tuple(
        fit_column(
            name,
            ValueTexts.from_column(people.values[j], people.codes[:, j]),
            ValueTexts.from_column(rows.values[j], rows.codes[:, j]),
            files.get(name),
        )
        for j, name in enumerate(names)
    )
    suppressed_mask = np.logical_and.reduce(
        [fitted[j].column.layer[rows.codes[:, j]] == ANY_VALUE for j in attacker_columns]
    )
    if suppressed_mask.all():
        raise DataError(
            f"{release}: all {len(suppressed_mask):,} rows are suppressed: no row is left"
        )
    return JoinedTables(
        people,
        replace(rows, codes=rows.codes[~suppressed_mask]),
        int(suppressed_mask.sum()),
        None if outside is None else _select(outside, names),
        fitted,
        tuple(attacker_columns),
        tuple(j for j, name in enumerate(names) if role.get(name) is ColumnRole.SENSITIVE),
        lacking,
    )


def _select(table: SourceTable, names: Sequence[str]) -> SourceTable:
    """Return a table with these columns, in this order."""
    places = [table.columns.index(name) for name in names]
    values = tuple(table.values[place] for place in places)
    return replace(table, columns=tuple(names), codes=table.codes[:, places], values=values)


class _Judge:
    """The computation of all measures of a release; `record` returns them."""

    def __init__(
        self,
        release: Path,
        original: Path,
        control: Path | None,
        joined: JoinedTables,
        k: int,
        progress: Callable[[str], None],
    ) -> None:
        """Encode the original and the control (people outside the release) as the release would.

        release, original, control: the files, for their names in the record. joined: the three
        tables. k: rows or people in the smallest safe equivalence class. progress: is called with
        the name of each stage.
        """
        self.files = (release.name, original.name, control.name if control else "")
        self.joined, self.k, self.progress = joined, k, progress
        self.rows = joined.rows.codes.astype(np.int64)
        texts = [[*values] for values in joined.rows.values]
        self.people = self._as_released(joined.people, texts)
        self.outside = None if joined.outside is None else self._as_released(joined.outside, texts)
        self.texts = texts

    def _as_released(self, table: SourceTable, texts: list[list[str]]) -> Columns:
        """Return a table's codes as coarse as the release would write them, shape (rows, columns).

        A value that the release cannot express gets a new code, and its text is added to
        `texts`. table: the original, or the control. texts: for each column, the text of each
        code.
        """
        columns = []
        for j, fitted in enumerate(self.joined.fitted):
            place = {text: code for code, text in enumerate(texts[j])}
            original_codes = {text: code for code, text in enumerate(self.joined.people.values[j])}
            finest = fitted.column.finest
            codes = np.empty(len(table.values[j]), np.int64)
            for number, text in enumerate(table.values[j]):
                code = (
                    finest[original_codes[text]]
                    if text in original_codes and len(finest)
                    else NO_VALUE
                )
                if code == NO_VALUE:
                    code = place.setdefault(text, len(texts[j]))
                    if code == len(texts[j]):
                        texts[j].append(text)
                codes[number] = code
            columns.append(codes[table.codes[:, j]])
        return np.stack(columns, axis=1)

    def record(self, columns: ComparedColumns) -> JudgedRelease:
        """Return the record of all measures of the release.

        columns: the comparison of the columns of release and original.
        """
        joined, attacker_columns = self.joined, list(self.joined.attacker_columns)
        self.progress("rows that fit each person")
        links = self._links(attacker_columns)
        crowds = joint_counts(self.rows, attacker_columns)
        self.progress("copies and nearest rows")
        copies = self._copies()
        plain, coarse = not any(self._has_coarser(j) for j in range(len(joined.fitted))), []
        if not plain:
            coarse = ["distances to the nearest row: values of the release are coarser"]
        nearest = self._nearest() if plain else None
        self.progress("singling out, linkability, inference")
        return JudgedRelease(
            *self.files,
            *(len(self.rows), joined.suppressed, self.k),
            self._columns(),
            *(columns.added, joined.lacking, columns.identifiers),
            *(int(crowds.min()), int(users_below(crowds, self.k))),
            links,
            copies,
            nearest,
            self._questions(),
            self._sensitive(),
            self._two_way(),
            joined.rows.source.digest if joined.rows.source else "",
            joined.people.source.digest if joined.people.source else "",
            tuple(coarse),
            columns.free_text,
            columns.not_judged,
            0 if joined.people.persons is None else len(joined.people.codes),
        )

    def _has_coarser(self, j: int) -> bool:
        """Whether some released values of column `j` stand for further original values."""
        return self.joined.fitted[j].coarser > 0

    def _links(self, known_columns: Sequence[int]) -> LinkRisks:
        """Return the re-identification risks from the rows of the release that fit each person.

        A row fits a person if its values in the known columns may stand for the person's
        values. If persons have several rows, persons are counted in place of rows.
        """
        owner, original = self.joined.people.persons, self.joined.people.codes[:, known_columns]
        release = self.joined.rows.codes[:, known_columns]
        columns = [self.joined.fitted[j].column for j in known_columns]
        matches: RowMatches | PersonMatches
        if owner is None:
            matches = match_rows(original, release, columns)
            crowds = matches.rows
        else:
            matches = match_persons(original, release, columns, owner.astype(np.int64))
            crowds = matches.crowds
        rows, people = crowds[crowds > 0], matches.people[matches.people > 0]
        chances, row_chances = 1 / rows, 1 / people
        return LinkRisks(
            *(len(crowds), len(rows), int((rows < self.k).sum()), int((rows == 1).sum())),
            *(matches.pairs, int(rows.min()) if len(rows) else 0),
            *(float(chances.max(initial=0)), float(chances.sum()) / max(1, len(rows))),
            len(people),
            *(float(row_chances.max(initial=0)), float(row_chances.sum()) / max(1, len(people))),
            float(row_chances.sum()) / len(matches.people),
        )

    def _copies(self) -> CopiedRows:
        """Return the counts of released rows that equal an original row in every text."""
        codes = [
            f.equal_codes[self.joined.rows.codes[:, j]] for j, f in enumerate(self.joined.fitted)
        ]
        equal_codes = np.stack(codes, axis=1)
        whole = equal_codes[(equal_codes != NO_VALUE).all(axis=1)]
        people, outside = self.joined.people, self.joined.outside
        copies, share = copied_rows(people.codes.astype(np.int64), whole, people.persons), None
        if outside is not None:
            codes_outside = _codes_in(outside, people)
            outside_codes = (codes_outside != NO_VALUE).all(axis=1)
            owner = None if outside.persons is None else outside.persons[outside_codes]
            share = copied_rows(codes_outside[outside_codes], whole, owner).people / outside.n
        own_share = copies.people / people.n
        return CopiedRows(copies.rows, copies.of_unique, copies.people, own_share, share)

    def _numbers(self) -> list[NDArray[np.float64] | None]:
        """Return, for each column, the number of each text; None for categories."""
        numbers = list[NDArray[np.float64] | None]()
        for texts in self.texts:
            parsed_numbers = numbers_of([text for text in texts if text])
            values = iter(parsed_numbers or ())
            numbers.append(
                None
                if parsed_numbers is None
                else np.array([next(values) if t else np.nan for t in texts])
            )
        return numbers

    def _nearest(self) -> NearestRows:
        """Return the distances of released rows to the nearest original row."""
        distances = record_distances(self.people, self.rows, self.outside, self._numbers())
        nearer = None if distances.nearer is None else distances.nearer.interval()
        return NearestRows(
            distances.rows, distances.zero, distances.median, distances.control_median, nearer
        )

    def _questions(self) -> tuple[AskedQuestion, ...]:
        """Return the results of three attacks: singling out, linkability and inference.

        The release is attacked; people outside the release are the control.
        """
        numbers, every = self._numbers(), list(range(self.rows.shape[1]))
        attacker_columns = [
            j for j in self.joined.attacker_columns if j not in self.joined.sensitive
        ]
        attacks, outside = list[tuple[ReleaseAttack, int]](), self.joined.outside
        owners = self.joined.people.persons, None if outside is None else outside.persons
        for size in SIZES:
            if size <= len(every):
                predicates = singling_out(
                    self.rows, self.people, size, self.outside, numbers, SETS, owners
                )
                attacks.append((predicates.attack(), size))
        questions = usual_questions(every, attacker_columns or every, list(self.joined.sensitive))
        if questions:
            question_attacks = ask(
                questions, self.rows, self.people, self.outside, numbers, ROWS, owners
            )
            attacks += [(attack, 0) for attack in question_attacks]
        return tuple(self._question_record(attack, size) for attack, size in attacks)

    def _question_record(self, attack: ReleaseAttack, size: int) -> AskedQuestion:
        """Return the record of an attack: singling out, linkability or inference.

        size: the number of columns of a predicate that singles out; 0 for other attacks.
        """
        names = self.joined.rows.columns
        risk = attack.risk()
        return AskedQuestion(
            attack.question,
            size,
            tuple(names[j] for j in attack.known_columns),
            tuple(names[j] for j in attack.sought),
            AttackRate.from_rate(attack.attack),
            None if attack.control is None else AttackRate.from_rate(attack.control),
            attack.baseline.share,
            AttackRate(risk.value, risk.low, risk.high),
        )

    def _sensitive(self) -> tuple[SensitiveColumn, ...]:
        """Return k, l, entropy-l and t of each sensitive column in the release."""
        numbers, rows = self._numbers(), list[SensitiveColumn]()
        for j in self.joined.sensitive:
            attacker_columns = [column for column in self.joined.attacker_columns if column != j]
            column_diversity = diversity(self.rows, attacker_columns, j, numbers[j])
            name = self.joined.rows.columns[j]
            rows.append(
                SensitiveColumn(
                    name,
                    column_diversity.k,
                    column_diversity.l,
                    column_diversity.entropy_l,
                    column_diversity.t,
                )
            )
        return tuple(rows)

    def _columns(self) -> tuple[MatchedColumn, ...]:
        """Return a record for each common column: numbers of values, entropy, and distance."""
        joined, columns = self.joined, list[MatchedColumn]()
        for j, fitted in enumerate(joined.fitted):
            codes = joined.rows.codes[:, j]
            strange = fitted.column.layer[codes] == NO_VALUE
            columns.append(
                MatchedColumn(
                    joined.rows.columns[j],
                    j in joined.attacker_columns,
                    *(len(np.unique(codes)), len(np.unique(joined.people.codes[:, j]))),
                    *(fitted.coarser, int(strange.sum())),
                    fitted.strange[:EXAMPLES],
                    entropy(np.bincount(codes)),
                    entropy(np.bincount(joined.people.codes[:, j])),
                    _distance(self.people[:, [j]], self.rows[:, [j]]),
                )
            )
        return tuple(columns)

    def _two_way(self) -> float | None:
        """Return the mean total variation distance of two-way tables of original and release.

        The distance is 0 to 1; at most `PAIRS` pairs of columns are compared. The original's
        values are made as coarse as the release. None with a single column.
        """
        pairs = list(combinations(range(self.rows.shape[1]), 2))[:PAIRS]
        if not pairs:
            return None
        distances = [_distance(self.people[:, pair], self.rows[:, pair]) for pair in pairs]
        return sum(distances) / len(pairs)


def _codes_in(table: SourceTable, reference: SourceTable) -> Columns:
    """Return a table's cells as codes of the reference table; NO_VALUE for texts it lacks."""
    columns = []
    for j, texts in enumerate(table.values):
        place = {text: code for code, text in enumerate(reference.values[j])}
        codes = np.array([place.get(text, NO_VALUE) for text in texts], np.int64)
        columns.append(codes[table.codes[:, j]])
    return np.stack(columns, axis=1)


def _distance(people: Columns, rows: Columns) -> float:
    """Return the total variation distance, 0 to 1, between the cell shares of two tables.

    A cell is a combination of values of all columns. people, rows: codes, shape (rows,
    columns).
    """
    cells = cells_of(np.concatenate((people, rows)), range(people.shape[1]))
    size = int(cells.max()) + 1
    shares = (
        np.bincount(part, minlength=size) / len(part)
        for part in (cells[: len(people)], cells[len(people) :])
    )
    return float(np.abs(np.subtract(*shares)).sum()) / 2
