"""Reshaping of columns at the user's request: sets of parts, yes-no columns, plain numbers.

    sets        a cell "b;a" is the set of its parts, written "a;b", because order has no meaning
    yes_no      a column with such cells is replaced by a column of "yes" and "no" for each part,
                such as "symptoms: fever"
    as_number   numbers of equal size get equal spelling: 67 for 67.0, 067 and +67

Columns are reshaped only at request; `doubts` names columns that seem to need it.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Context, Decimal
from pathlib import Path
from shlex import quote

import numpy as np

from ...errors import DataError
from ...protocol.wire.coarsening import NUMBER
from ..schema.problems import did_you_mean, listed, quoted, quoted_key
from .decimals import renamed
from .file_options import FileOptions
from .people import Codes, SourceTable
from .values import UNKNOWN

YES, NO = "yes", "no"
BETWEEN = ": "  # separates a column's name from the part, in names of yes-no columns
MOST_PARTS = 100  # most yes-no columns that replace a column; more are an error
SIGNS = (";", "|", ",")  # separators inside a cell, tried in this order
FEW_PARTS = 40  # a column with more different parts is not taken for a multiple-choice question
# a column looks like multiple choice if at least this share of its values has several parts
OFTEN_PARTED = 0.05
# most digits of a number that gets its shortest spelling; longer texts are unchanged
MOST_DIGITS = 60
DIGITS = Context(prec=2 * MOST_DIGITS)


def check_forms(path: Path, names: Sequence[str], options: FileOptions) -> None:
    """Raise DataError for unknown columns in sets, yes_no or as_number, or columns in two of them.

    path: the file. names: the columns of the file.
    """
    forms = (("sets", dict(options.sets)), ("yes_no", dict(options.yes_no)))
    settings = [(key, name) for key, columns in forms for name in columns]
    settings += [("as_number", name) for name in options.as_number]
    form_by_column: dict[str, str] = {}
    for key, name in settings:
        if name not in names:
            raise DataError(
                f"{path}: {key}: no column is called {name!r}; it has {listed(names)}"
                f"{did_you_mean(name, names)}"
            )
        if form_by_column.setdefault(name, key) != key:
            raise DataError(
                f"{path}: column {name!r} is in {form_by_column[name]} and {key}; choose one"
            )
    for key, columns in forms:
        for name, sign in columns.items():
            if not sign.strip():
                raise DataError(
                    f"{path}: {key}: found {sign!r} between the parts of {name!r}; a sign such as "
                    "; is accepted"
                )


def parts_of(text: str, sign: str) -> list[str]:
    """Return the different parts of a cell with several answers, in alphabetical order.

    sign: the text between two parts, such as `;`.
    """
    return sorted({part for part in (piece.strip() for piece in text.split(sign)) if part})


def part_names(path: Path, name: str, sign: str, texts: Sequence[str]) -> tuple[str, ...]:
    """Return the different parts that occur in a column of cells with several answers.

    texts: the values. sign: separates two parts. Raises DataError for no part, or more than 100.
    """
    parts = sorted({part for text in texts for part in parts_of(text, sign)})
    if not parts or len(parts) > MOST_PARTS:
        raise DataError(
            f"{path}: yes_no: column {name!r} has {len(parts):,} different parts between {sign!r}; "
            f"1 to {MOST_PARTS} are accepted"
        )
    return tuple(parts)


def reshape(table: SourceTable, options: FileOptions, missing: str) -> SourceTable:
    """Return the table with equal sets and equal numbers in one spelling, in the requested columns.

    missing: the value of an empty cell.
    """
    codes, values = table.codes, list(table.values)
    sets, numbers = dict(options.sets), set(options.as_number)
    for j, name in enumerate(table.columns):
        if name in sets:
            spelled = [_as_set(text, sets[name], missing) for text in values[j]]
        elif name in numbers:
            spelled = [one_spelling(text) for text in values[j]]
        else:
            continue
        if spelled != list(values[j]):
            codes = codes.copy() if codes is table.codes else codes
            codes[:, j], values[j] = renamed(codes[:, j], spelled)
    return table if codes is table.codes else replace(table, codes=codes, values=tuple(values))


def yes_no_column(
    codes: Codes, texts: Sequence[str], part: str, sign: str, missing: str
) -> tuple[Codes, tuple[str, ...]]:
    """Return the yes-no column of one part as codes and texts: "yes", "no", or missing.

    codes, texts: the codes and texts of the column with all parts. part: the part. sign: stands
    between two parts. missing: the value of an empty cell.
    """
    answers = [
        text if text == missing else YES if part in parts_of(text, sign) else NO for text in texts
    ]
    return renamed(codes, answers)


def _as_set(text: str, sign: str, missing: str) -> str:
    """Return a cell with its parts in alphabetical order, each once; unchanged if missing.

    sign: stands between two parts. missing: the value of an empty cell.
    """
    return text if text == missing else sign.join(parts_of(text, sign)) or text


def one_spelling(text: str) -> str:
    """Return a number in its shortest spelling, such as 67 for 67.0; any other text unchanged."""
    if len(text) > MOST_DIGITS or not NUMBER.fullmatch(text):
        return text
    number = DIGITS.normalize(Decimal(text))
    if not number:
        return "0"
    return format(number, "f") if abs(number.adjusted()) <= MOST_DIGITS else text


def number_spellings(texts: Sequence[str], *, zeros: bool = True) -> dict[str, list[str]]:
    """Return the numbers with several spellings: the shortest spelling -> further spellings.

    zeros: whether a text with leading zeros, such as 067, counts as a number. It may be a code
    instead.
    """
    groups: dict[str, list[str]] = {}
    for text in texts:
        digits = text.lstrip("+-")
        leads = len(digits) > 1 and digits[0] == "0" and digits[1].isdigit()
        if NUMBER.fullmatch(text) and (zeros or not leads):
            groups.setdefault(one_spelling(text), []).append(text)
    return {
        shortest: [text for text in group if text != shortest]
        for shortest, group in groups.items()
        if len(group) > 1
    }


def doubts(
    table: SourceTable, sets: Collection[str] = (), settled: Collection[str] = ()
) -> Iterator[str]:
    """Yield a warning for each column that looks like sets, or like numbers of two spellings.

    sets: columns that are already read as sets of parts. settled: columns that get no warning,
    because the scenario has rules for their spelling or for coarser values.
    """
    for j, (name, texts) in enumerate(zip(table.columns, table.values, strict=True)):
        if name in settled:
            continue
        rows = np.bincount(table.codes[:, j], minlength=len(texts))
        yield from _number_doubt(name, texts, rows)
        if name not in sets:
            yield from _set_doubt(name, texts, rows)


def _number_doubt(name: str, texts: Sequence[str], rows: np.ndarray) -> Iterator[str]:
    """Yield a warning if numbers of a column have several spellings.

    rows: the number of rows with each text. name, texts: the column and its different values.
    """
    groups = number_spellings(texts)
    if not groups:
        return
    counted = dict(zip(texts, rows.tolist(), strict=True))
    shortest, group = next(iter(groups.items()))
    first = [text for text in texts if text in (shortest, *group)]
    spelled = [text for pair in groups.items() for text in (pair[0], *pair[1])]
    cells = sum(counted.get(text, 0) for text in spelled)
    yield (
        f"column {name!r}: {' and '.join(map(repr, first[:3]))} are different values; "
        f"{len(groups):,} number{'s' * (len(groups) != 1)} in {cells:,} cells {_are(len(groups))} "
        f"spelled in several ways; if they mean the same, say --as-number {quote(name)} (in a "
        f"scenario, in [population]: as_number = [{quoted(name)}])"
    )


def _are(number: int) -> str:
    """Return "is" for the number 1, else "are"."""
    return "is" if number == 1 else "are"


def _set_doubt(name: str, texts: Sequence[str], rows: np.ndarray) -> Iterator[str]:
    """Yield a warning if the cells of a column look like sets of parts.

    rows: the number of rows with each text. name, texts: the column and its different values.
    """
    sign = set_sign(texts)
    if sign is None:
        return
    parted = [len(parts_of(text, sign)) > 1 for text in texts]
    cells, parts = int(rows[parted].sum()), {p for text in texts for p in parts_of(text, sign)}
    argument = quote(f"{name}={sign}")
    yield (
        f"column {name!r}: {cells:,} cells hold several of {len(parts)} parts with {sign!r} "
        f"between them; --sets {argument} reads each as a set, whose order has no meaning, and "
        f"--yes-no {argument} makes a column for each part (in a scenario, in [population]: sets "
        "or "
        f"yes_no = {{ {quoted_key(name)} = {quoted(sign)} }})"
    )


def set_sign(texts: Sequence[str]) -> str | None:
    """Return the sign between the parts of a column's values; None if they do not look like sets.

    Values look like sets if they have few different parts, combined in various ways and numbers.
    """
    known_texts = [text for text in texts if text and text.casefold() not in UNKNOWN]
    for sign in SIGNS:
        min_parted = max(2, OFTEN_PARTED * len(known_texts))
        if sum(sign in text for text in known_texts) < min_parted:
            continue
        cut = [parts_of(text, sign) for text in known_texts]
        several = [parts for parts in cut if len(parts) > 1]
        if len(several) < min_parted:
            continue
        count = Counter(part for parts in cut for part in parts)
        repeated_parts = sum(number > 1 for number in count.values())
        numeric = sign == "," and all(part[0].isdigit() for part in count)
        if (
            len(count) <= FEW_PARTS
            and len({len(parts) for parts in cut}) > 1
            and 2 * repeated_parts >= len(count)
            and not numeric
        ):
            return sign
    return None


def with_parts(
    names: Iterable[str], yes_no: Collection[str], columns: Sequence[str]
) -> Iterator[tuple[str, str]]:
    """Yield pairs (column of the file, column of the table), for each named column.

    A column in `yes_no` was replaced by a yes-no column for each part, such as "symptoms: fever";
    it yields a pair for each of these. Any other column yields itself. columns: all columns of the
    table.
    """
    for name in names:
        parts = [column for column in columns if column.startswith(f"{name}{BETWEEN}")]
        yield from ((name, new) for new in (parts if name in yes_no else [name]))


def expanded_names(names: Sequence[str], parts: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """Return the names of columns, in which a column with parts is replaced by its yes-no columns.

    parts: column -> its parts.
    """
    return tuple(
        new
        for name in names
        for new in ([f"{name}{BETWEEN}{part}" for part in parts[name]] if name in parts else [name])
    )


def reshaped_choices(
    choices: Sequence[tuple[str, str]],
    options: FileOptions,
    names: Sequence[str],
    missing: str,
    read: Callable[[Sequence[tuple[str, str]]], SourceTable],
) -> SourceTable:
    """Return a table of the chosen columns, reshaped to sets, yes-no columns or numbers at request.

    Args:
        choices: (name in the scenario, name in the source) of each column.
        options: the user's options, with the columns to reshape.
        names: the names of the columns of the file.
        missing: the value of an empty cell.
        read: reads columns of the file, which are chosen by pairs of names too.
    """
    origins = [_origin(theirs, options, names) for _, theirs in choices]
    source_names = list(dict.fromkeys(name for name, _ in origins))
    table = reshape(read([(name, name) for name in source_names]), options, missing)
    signs = dict(options.yes_no)
    codes, values = np.empty((len(table.codes), len(choices)), np.int32, order="F"), []
    for j, (name, part) in enumerate(origins):
        place = table.columns.index(name)
        column, texts = table.codes[:, place], table.values[place]
        if part is not None:
            column, texts = yes_no_column(column, texts, part, signs[name], missing)
        codes[:, j] = column
        values.append(texts)
    ours = tuple(name for name, _ in choices)
    notes = [*_notes(table, options)]
    return replace(
        table,
        columns=ours,
        codes=codes,
        values=tuple(values),
        warnings=(*table.warnings, *notes),
    )


def _notes(table: SourceTable, options: FileOptions) -> Iterator[str]:
    """Yield a warning for each column of sets in which the given separator never occurs."""
    for key, forms in (("--sets", options.sets), ("--yes-no", options.yes_no)):
        for name, sign in forms:
            texts = table.values[table.columns.index(name)] if name in table.columns else (sign,)
            if not any(sign in text for text in texts):
                yield f"column {name!r}: {key}: no cell holds {sign!r}, so every cell has one part"


def _origin(theirs: str, options: FileOptions, names: Sequence[str]) -> tuple[str, str | None]:
    """Return the column of the file for a requested column, and the part for a yes-no column.

    The part is None for any other column. theirs: the requested column. names: the file's columns.
    """
    for name, _ in options.yes_no:
        if theirs.startswith(f"{name}{BETWEEN}") and theirs not in names:
            return name, theirs.removeprefix(f"{name}{BETWEEN}")
    return theirs, None
