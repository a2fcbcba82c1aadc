"""Earlier advice applied to another file: the same coarser values, judged again.

The advice is the JSON that `veilmix advise --format json` prints, or the scenario that
`--write` makes. JSON also holds the released values. So new values can be named, and
rare values are merged as before: each value that was not released becomes "(other)".
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ..analysis.advice import Advice
from ..analysis.advice.choice import choice_of
from ..errors import DataError
from ..protocol.wire.coarsening import NUMBER, coarsened
from ..scenarios.populations.coarsening import OTHER_LABEL, levels, rules_of
from ..scenarios.populations.people import SourceTable
from ..scenarios.populations.values import DATE, UNKNOWN
from ..scenarios.schema.problems import listed
from ..strict_text import Unreadable, from_json, from_toml
from .advise import Advised, Basis, TableSearch
from .attacker_columns import Roles, select_columns
from .coarsening_ladders import LadderColumn, given_column, given_feature
from .judges import MarginalPromise, Truth

NO_SEARCH = "has no use with --like: earlier advice is applied, and no search is made"
MAX_VALUES = 5  # number of a column's values that a note lists; it counts the others
Keys = dict[str, Any]


@dataclass(frozen=True, slots=True)
class EarlierAdvice:
    """Advice that was given for an earlier file, read from JSON or a scenario.

    Attributes:
        file: the file that holds the advice.
        columns: for each searched column its rule, as keys of a scenario's `[[feature]]`;
            None: the column was dropped.
        unchanged_columns: columns that were released as they are.
        k: people in the smallest safe equivalence class.
        max_exposure: the share of people that may be in a smaller class.
        knowledge: whether attackers know the quasi-identifiers (`quasi`), or all columns
            (`all`).
        suppress: the largest share of people with suppressed rows; None: no row.
        values: the released values of columns, where the advice records them.
    """

    file: Path
    columns: Mapping[str, Keys | None]
    unchanged_columns: tuple[str, ...]
    k: int
    max_exposure: float
    knowledge: str
    suppress: float | None
    values: Mapping[str, frozenset[str]] = field(default_factory=dict)


def read_advice(file: Path) -> EarlierAdvice:
    """Return the advice in a file; DataError if there is no advice in it.

    The file is the JSON of `veilmix advise --format json`, or a scenario that `--write`
    made.
    """
    try:
        text = file.read_bytes().decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as bad:
        raise DataError(f"{file}: cannot be read: {bad}") from None
    try:
        if text.lstrip().startswith("{"):
            return _from_record(file, from_json(text))
        return _from_scenario(file, from_toml(text))
    except (Unreadable, KeyError, TypeError, AttributeError, ValueError) as wrong:
        raise DataError(
            f"{file}: no advice was found in it ({wrong}); the output of `veilmix advise --format "
            "json`, or the scenario that `--write` makes, is accepted"
        ) from None


def _from_record(file: Path, record: Any) -> EarlierAdvice:
    """Return the advice in a JSON record of `veilmix advise`."""
    columns = {column["column"]: column["feature"] for column in record["columns"]}
    values = {
        column["column"]: frozenset(column["values"])
        for column in record["columns"]
        if column.get("values") is not None
    }
    for name, keys in columns.items():
        given_feature(name, keys or {})
    unchanged_columns, knowledge = tuple(record["released_as_is"]), str(record["known"])
    k, share = int(record["k"]), float(record["max_exposure"])
    return EarlierAdvice(
        file, columns, unchanged_columns, k, share, knowledge, record.get("suppress"), values
    )


def _from_scenario(file: Path, document: Any) -> EarlierAdvice:
    """Return the advice in a scenario that `veilmix advise --write` made."""
    columns = dict[str, Keys | None]()
    for feature in document["feature"]:
        keys = {key: value for key, value in feature.items() if key != "name"}
        if "hierarchy" in keys:
            keys["hierarchy"] = str(file.parent / keys["hierarchy"])
        given_feature(feature["name"], keys)
        columns[feature["name"]] = keys
    policy = document["policy"]
    k, share = int(policy["k"]), float(policy["max_exposure"])
    return EarlierAdvice(file, columns, (), k, share, "all", None)


def search_again(
    table: SourceTable,
    earlier: EarlierAdvice,
    k: int,
    max_exposure: float,
    *,
    missing: str,
    roles: Roles,
    predict: str | None = None,
    by: str = "truth",
) -> TableSearch:
    """Return earlier advice applied to a table, in the form of a search's result.

    Args:
        table: the people's table, without direct identifiers.
        earlier: the advice.
        k: people in the smallest safe equivalence class.
        max_exposure: the share of people that may be in a smaller class.
        missing: the value of an empty cell of the table.
        roles: targets of sensitive columns, and the share of people with suppressed rows;
            the known and the kept columns are taken from the advice.
        predict: the column to predict from all other columns; None: no column.
        by: whether the table's `truth` or the `promise`, a bound from its columns' counts,
            decides.

    Raises:
        DataError: a column of the advice is missing, or a rule does not fit.
    """
    _check(table, earlier)
    keep = tuple(name for name in earlier.unchanged_columns if name in table.columns)
    roles = replace(roles, knowledge=earlier.knowledge, keep=keep)
    names = [name for name in earlier.columns if name in table.columns]
    notes = list(_new_columns(table, earlier))
    table = select_columns(table, [*names, *keep])
    searched = select_columns(table, names)
    columns, best = list[LadderColumn](), list[int]()
    for j, name in enumerate(names):
        keys = earlier.columns[name]
        frozen = None if keys is None else _frozen(searched, j, keys, earlier, missing)
        column = given_column(searched, j, frozen, missing)
        columns.append(column)
        best.append(len(column.steps) - (1 if keys is None else 2))
        if keys is not None:
            notes += _uncovered(searched, j, keys, earlier, missing)
    truth = Truth(table, searched, columns, k, roles, missing)
    promise = MarginalPromise(searched, columns, k, table, truth.unchanged_columns)
    people = int(truth(best))
    choice = choice_of([column.ladder for column in columns], best, people, table.n)
    advice = Advice(choice, choice.loss, (choice,), 1)
    rest = select_columns(table, list(keep)) if keep else None
    return TableSearch(
        table=table,
        columns=tuple(columns),
        rest=rest,
        roles=roles,
        truth=truth,
        promise=promise,
        advice=advice,
        max_exposure=max_exposure,
        predict=predict,
        by=Basis(by),
        like=str(earlier.file),
        notes=tuple(notes),
    )


def check_reached(advised: Advised, file: object) -> None:
    """Raise DataError if a file is to be written, but too many people miss k or another target.

    file: the file to write; None: no check.
    """
    if file is not None and not advised.reached:
        raise DataError(
            f"{file}: not written: the target is missed: {advised.missed:,} people are in classes "
            f"that miss it, and at most {advised.people_limit:,} are accepted; search again "
            "without --like, or leave rows out (--suppress)"
        )


def _check(table: SourceTable, earlier: EarlierAdvice) -> None:
    """Raise DataError for a column that the advice releases and the table lacks or leaves out."""
    left_out = {judged.column for judged in table.judged} - {*table.columns}
    needed = [name for name, keys in earlier.columns.items() if keys is not None]
    for name in (*needed, *earlier.unchanged_columns):
        if name in left_out:
            raise DataError(
                f"{table.called}: {name!r} is left out as a direct identifier or free text here, "
                f"and {earlier.file} releases it; if it is none, say --quasi {name}"
            )
        if name not in table.columns:
            raise DataError(
                f"{table.called}: no column {name!r}, which {earlier.file} releases; it has "
                f"{listed(table.columns)}"
            )


def _new_columns(table: SourceTable, earlier: EarlierAdvice) -> list[str]:
    """Return a note about columns of the table that the advice does not know."""
    names = [
        n for n in table.columns if n not in earlier.columns and n not in earlier.unchanged_columns
    ]
    if not names:
        return []
    return [f"not in {earlier.file}, and not released: {', '.join(names)}"]


def _frozen(table: SourceTable, j: int, keys: Keys, earlier: EarlierAdvice, missing: str) -> Keys:
    """Return a column's rule with a list of the values to merge, not a threshold for rare values.

    Earlier advice merged values of few people. Its released values show which; the same
    values are merged into "(other)" again, and values that are new in this file too. keys:
    the rule, as keys of a scenario's `[[feature]]`. A rule without such a threshold stays
    as it is.
    """
    earlier_values = earlier.values.get(table.columns[j])
    if "merge_below" not in keys or earlier_values is None:
        return keys
    rest = {key: value for key, value in keys.items() if key != "merge_below"}
    rules = rules_of(given_feature(table.columns[j], rest), table.values[j], (), missing)
    released_values = {missing, *earlier_values}
    groups = dict(rest.get("merge", {}))
    merged = {value for values in groups.values() for value in values}
    rare = [
        t for t in table.values[j] if t not in merged and coarsened(rules, t) not in released_values
    ]
    if rare:
        groups[OTHER_LABEL] = [*groups.get(OTHER_LABEL, ()), *rare]
    return {**rest, "merge": groups} if groups else rest


def _uncovered(
    table: SourceTable, j: int, keys: Keys, earlier: EarlierAdvice, missing: str
) -> list[str]:
    """Return notes about values that a column's rule does not cover, or that are new.

    New values were not in the earlier release. j: position of the column. keys: the rule, as
    keys of a scenario's `[[feature]]`. missing: the value of an empty cell.
    """
    name, texts = table.columns[j], table.values[j]
    folded = {value for group in keys.get("merge", {}).values() for value in group}
    unmerged_texts = [
        t for t in texts if t not in folded and t != missing and t.casefold() not in UNKNOWN
    ]
    lines = []
    if strange := [text for text in unmerged_texts if not _covers(keys, text)]:
        lines.append(f"column {name!r}: its rule does not cover {_named(strange)}: as they are")
    earlier_values = earlier.values.get(name)
    if earlier_values is not None:
        rules = rules_of(
            given_feature(name, _frozen(table, j, keys, earlier, missing)),
            texts,
            table.people_by(table.codes[:, j], len(texts)).tolist(),
            missing,
        )
        released = dict.fromkeys(
            coarsened(rules, text) for text in unmerged_texts if text not in strange
        )
        if fresh := [
            text for text in released if text not in earlier_values and text != OTHER_LABEL
        ]:
            lines.append(f"column {name!r}: {_named(fresh)}: not released before")
    return lines


def _covers(keys: Keys, text: str) -> bool:
    """Whether a column's rule of generalization applies to a value.

    Intervals apply to numbers, parts of dates to dates, and a hierarchy to its values.
    keys: the rule, as keys of a scenario's `[[feature]]`.
    """
    if "bins" in keys:
        return NUMBER.fullmatch(text) is not None
    if "date" in keys:
        return DATE.fullmatch(text) is not None
    if "hierarchy" in keys:
        return text in levels(Path(keys["hierarchy"]))
    return True


def _named(texts: Sequence[str]) -> str:
    """Return the first values in quotes, and the number of further values, for a note."""
    more = f" and {len(texts) - MAX_VALUES:,} more" if len(texts) > MAX_VALUES else ""
    return ", ".join(map(repr, texts[:MAX_VALUES])) + more
