"""A second count of a release with suppressed cells, from its texts, before it is written.

The count shares no code with the search for suppressed cells. It compares rows as they
are written, counts people and values row by row, and computes l, entropy-l and t by
their definitions. So an error of the search cannot release an unsafe table.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from math import exp, log

from ..errors import DataError
from ..scenarios.populations.roles import ColumnRole
from .advise import Advised
from .sensitive_targets import Targets, column_numbers, targets_text

ROUNDING = 1e-9
Members = Sequence[int]


def check_written(advised: Advised, columns: Mapping[str, Sequence[str]]) -> None:
    """Raise DataError if an equivalence class of the written rows misses k or a target.

    A target is l, entropy-l or t of a sensitive column. columns: the texts of the release
    by column, in the order of the table's rows.
    """
    persons = advised.table.persons
    owner = range(len(advised.table.codes)) if persons is None else persons.tolist()
    known_texts = [columns[name] for name in known_names(advised) if name in columns]
    classes: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for row, texts in enumerate(
        zip(*known_texts, strict=True) if known_texts else [()] * len(owner)
    ):
        classes[texts].append(row)
    short = sum(len({owner[row] for row in rows}) < advised.k for rows in classes.values())
    if short:
        raise DataError(
            f"{advised.table.called}: not written: counted again, {short:,} different rows have "
            f"fewer than k = {advised.k} people"
        )
    for name, target in advised.targets.items():
        missed = _classes_missed(
            columns[name], owner, list(classes.values()), target, advised.missing
        )
        if missed:
            raise DataError(
                f"{advised.table.called}: not written: counted again, {missed:,} different rows "
                f"miss {targets_text(target)} of {name}"
            )


def known_names(advised: Advised) -> list[str]:
    """Return the names of the columns that attackers may know, coarser or released unchanged."""
    role = {judged.column: judged.role for judged in advised.table.judged}
    fixed_columns = () if advised.rest is None else advised.rest.columns
    return [
        *advised.table.columns,
        *(
            name
            for name in fixed_columns
            if name not in advised.targets
            and (advised.knowledge == "all" or role.get(name, ColumnRole.QUASI) is ColumnRole.QUASI)
        ),
    ]


def _classes_missed(
    texts: Sequence[str],
    owner: Sequence[int],
    classes: Sequence[Members],
    target: Targets,
    missing: str,
) -> int:
    """Return the number of equivalence classes that miss a target of a sensitive column.

    texts: the column's text in each row. owner: the person of each row. classes: the rows
    of each class. missing: the text of an empty cell.
    """
    distinct = list(dict.fromkeys(texts))
    numbers = None if target.nominal else column_numbers(distinct, missing)
    values: Sequence[object] = texts
    order: list[object] | None = None
    if numbers is not None:
        number_of = dict(zip(distinct, (str(number) for number in numbers.tolist()), strict=True))
        values = [number_of[text] for text in texts]
        order = sorted(set(values), key=lambda text: (text == "nan", float(str(text))))
    overall_law = _shares(values, owner, range(len(values)))[0]
    return sum(
        _misses(_shares(values, owner, rows), overall_law, order, target) for rows in classes
    )


def _shares(
    values: Sequence[object], owner: Sequence[int], rows: Members
) -> tuple[dict[object, float], bool]:
    """Return the share of each value in some rows, and whether all their persons share a value.

    values, owner: the value and the person of each row of the table. rows: the indices of
    these rows. A person counts once for each of its values.
    """
    pairs = {(values[row], owner[row]) for row in rows}
    counts = Counter(value for value, _ in pairs)
    people = len({person for _, person in pairs})
    shares = {value: count / len(pairs) for value, count in counts.items()}
    return shares, max(counts.values()) == people


def _misses(
    class_shares: tuple[dict[object, float], bool],
    overall_law: Mapping[object, float],
    order: Sequence[object] | None,
    target: Targets,
) -> bool:
    """Whether an equivalence class misses a target of a sensitive column.

    class_shares: the share of each value in the class, and whether all its people share a
    value. overall_law: the share of each value among all people. order: the values in order
    of size if they are numbers; None: categories.
    """
    shares, certain = class_shares
    different = 1 if certain else len(shares)
    entropy = 0.0 if certain else -sum(share * log(share) for share in shares.values())
    gaps = [shares.get(value, 0.0) - overall_law[value] for value in order or overall_law]
    far = sum(map(abs, gaps)) / 2
    if order is not None:
        far, up_to = 0.0, 0.0
        for gap in gaps:
            up_to += gap
            far += abs(up_to) / max(1, len(order) - 1)
    return (
        (target.l is not None and different < target.l)
        or (target.entropy_l is not None and exp(entropy) < target.entropy_l - ROUNDING)
        or (target.t is not None and far > target.t + ROUNDING)
    )
