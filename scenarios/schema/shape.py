"""The checker of the form of a scenario file: unknown keys, missing keys, types and ranges.

msgspec stops at the first mistake. This module compares the parsed file with the types of
schema/model.py, notes every mistake, and replaces each wrong value by a harmless value. The correct
values can then still be checked for their meaning.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import msgspec
from msgspec import inspect

from .model import Scenario
from .problems import Path, Problem, as_found, closest_name, did_you_mean, listed, problem

T = TypeVar("T")
# an upper end of a range from this number on is named in a message only if the value found exceeds
# it
FAR = 100_000
GRAMMAR = inspect.type_info(Scenario)

Note = Callable[[Problem], None]


def examine(data: object) -> tuple[Scenario, list[Problem]]:
    """Return the scenario in parsed data, and the mistakes in the data.

    In the scenario a harmless value replaces each mistake.
    """
    return examine_table(data, Scenario)


def examine_table(data: object, kind: type[T]) -> tuple[T, list[Problem]]:
    """Return parsed data as a struct, and the mistakes in the data.

    In the struct a harmless value replaces each mistake. kind: a struct with texts, numbers, lists
    and tables as values.
    """
    problems: list[Problem] = []
    mended = _mend(data, inspect.type_info(kind), (), problems.append)
    return msgspec.convert(mended, kind), problems


def type_at(keys: Path) -> inspect.Type | None:
    """Return the type of the value at a path of keys and list indices; None for an unknown key."""
    current: inspect.Type = GRAMMAR
    for key in keys:
        current = _bare(current)
        if isinstance(key, int) and isinstance(current, inspect.VarTupleType):
            current = current.item_type
            continue
        if not isinstance(current, inspect.StructType):
            return None
        fields = {field.encode_name: field.type for field in current.fields}
        if str(key) not in fields:
            return None
        current = fields[str(key)]
    return current


def misfit(value: object, type_: inspect.Type) -> str | None:
    """Return the first mistake in a value, compared with its type; None if the value fits."""
    problems: list[Problem] = []
    _mend(value, type_, (), problems.append)
    return problems[0].message if problems else None


def settings() -> tuple[str, ...]:
    """Return the dotted path of every key with a plain value, in tables that occur once."""
    tables = {f.encode_name: _bare(f.type) for f in _struct(GRAMMAR).fields}
    return tuple(
        f"{table}.{field.encode_name}"
        for table, type_ in tables.items()
        if isinstance(type_, inspect.StructType)
        for field in type_.fields
        if isinstance(_bare(field.type), _PLAIN)
    )


def entries() -> tuple[tuple[str, str], ...]:
    """Return every key with a plain value in lists of tables, as (table, key)."""
    return tuple(
        (listed.encode_name, field.encode_name)
        for listed in _struct(GRAMMAR).fields
        if isinstance(listed.type, inspect.VarTupleType)
        for field in _struct(listed.type.item_type).fields
        if isinstance(_bare(field.type), _PLAIN)
    )


_PLAIN = (
    inspect.BoolType,
    inspect.IntType,
    inspect.FloatType,
    inspect.StrType,
    inspect.LiteralType,
)


def _struct(type_: inspect.Type) -> inspect.StructType:
    """Return a table's type without msgspec's wrapping; TypeError if the type is no table."""
    bare = _bare(type_)
    if not isinstance(bare, inspect.StructType):  # pragma: no cover - all types are from model.py
        raise TypeError(f"{bare} is not a table")
    return bare


def _described(type_: inspect.Type) -> tuple[inspect.Type, str | None]:
    """Return a type without msgspec's wrapping and `| None`, and its description (or None)."""
    if isinstance(type_, inspect.UnionType):
        inner = [t for t in type_.types if not isinstance(t, inspect.NoneType)]
        return _described(inner[0]) if len(inner) == 1 else (type_, None)
    if isinstance(type_, inspect.Metadata):
        description = (type_.extra_json_schema or {}).get("description")
        return _described(type_.type)[0], description
    return type_, None


def _bare(type_: inspect.Type) -> inspect.Type:
    """Return a type without msgspec's wrapping and without `| None`."""
    return _described(type_)[0]


def _mend(value: Any, type_: inspect.Type, path: Path, note: Note) -> Any:
    """Return a value if it fits its type; else note the mistake and return a harmless value.

    note: receives each mistake. path: the path of the value in the file.
    """
    bare = _bare(type_)
    match bare:
        case inspect.StructType() if isinstance(value, dict):
            return _mend_table(value, bare, path, note)
        case inspect.VarTupleType() if isinstance(value, list | tuple):
            return _mend_list(value, bare, type_, path, note)
        case inspect.DictType() if isinstance(value, dict):
            return {
                key: _mend(item, bare.value_type, (*path, key), note) for key, item in value.items()
            }
    if _fits(value, bare):
        return value
    hint = (
        did_you_mean(value, map(str, bare.values)) if isinstance(bare, inspect.LiteralType) else ""
    )
    note(problem(path, f"found {as_found(value)}; {_accepted(type_, value)} is accepted{hint}"))
    return _harmless(type_)


def _mend_table(
    value: dict[str, Any], type_: inspect.StructType, path: Path, note: Note
) -> dict[str, Any]:
    """Return a table of a file with a harmless value for each mistake.

    Mistakes are unknown, missing or wrong keys. note: receives each mistake. path: the path of the
    table.
    """
    fields = {field.encode_name: field for field in type_.fields}
    mended = {}
    for key, item in value.items():
        if key in fields:
            mended[key] = _mend(item, fields[key].type, (*path, key), note)
        else:
            note(_unknown(key, [name for name in fields if name not in value], fields, path))
    for name, field in fields.items():
        if field.required and name not in mended:
            if not any(closest_name(key, [name]) for key in value if key not in fields):
                note(problem((*path, name), f"missing; {_accepted(field.type)} is needed"))
            mended[name] = _harmless(field.type)
    return mended


def _unknown(key: str, free: list[str], fields: dict[str, inspect.Field], path: Path) -> Problem:
    """Return the mistake of an unknown key, with a similar accepted key as a hint.

    Later checks skip the similar key, because its value was probably written under the unknown
    name. free: accepted keys that the table lacks. fields: all accepted keys. path: the path of the
    table.
    """
    near = closest_name(key, free) or closest_name(key, fields)
    hint = f" (did you mean `{near}`?)" if near else f"; accepted here are {listed(fields, 20)}"
    return problem((*path, key), f"unknown key{hint}", (*path, near or key))


def _mend_list(
    value: Sequence[Any], bare: inspect.VarTupleType, type_: inspect.Type, path: Path, note: Note
) -> Any:
    """Return a list with a harmless value for each mistake; a wrong length is a mistake as well.

    bare: the list's type without msgspec's wrapping. type_: the wrapped type, which may describe
    the accepted values for messages. note: receives each mistake.
    """
    if not (bare.min_length or 0) <= len(value) <= (bare.max_length or len(value)):
        note(problem(path, f"found a list of {len(value)}; {_accepted(type_, value)} is accepted"))
        return _harmless(type_)
    return [_mend(item, bare.item_type, (*path, i), note) for i, item in enumerate(value)]


def _fits(value: Any, type_: inspect.Type) -> bool:
    """Whether a value, neither a table nor a list, has a type and lies in the type's range."""
    match type_:
        case inspect.BoolType():
            return isinstance(value, bool)
        case inspect.IntType():
            return _whole(value) and _within(value, type_)
        case inspect.FloatType():
            return (_whole(value) or isinstance(value, float)) and _within(value, type_)
        case inspect.StrType():
            return isinstance(value, str) and (
                len(value) >= (type_.min_length or 0)
                and (type_.pattern is None or re.search(type_.pattern, value) is not None)
            )
        case inspect.LiteralType():
            return value in type_.values and not isinstance(value, bool | float)
        case inspect.UnionType():
            return any(_fits(value, inner) for inner in type_.types)
    return False


def _whole(value: object) -> bool:
    """Whether a value is a whole number; a bool is not."""
    return isinstance(value, int) and not isinstance(value, bool)


def _within(value: float, type_: inspect.IntType | inspect.FloatType) -> bool:
    """Whether a number lies in the range of its type; not-a-number lies in no range with limits."""
    return (
        (type_.ge is None or value >= type_.ge)
        and (type_.gt is None or value > type_.gt)
        and (type_.le is None or value <= type_.le)
        and (type_.lt is None or value < type_.lt)
    )


_NOUNS: Mapping[type[inspect.Type], str] = {
    inspect.StructType: "tables",
    inspect.IntType: "whole numbers",
    inspect.FloatType: "numbers",
}  # type of a list's items -> noun in messages


def _accepted(type_: inspect.Type, value: object = None) -> str:
    """Return in words the values that a type accepts, for an error message about `value`."""
    bare, description = _described(type_)
    if description is not None:
        return description
    match bare:
        case inspect.BoolType():
            return "true or false"
        case inspect.IntType():
            return f"a whole number{_range(bare, value)}"
        case inspect.FloatType():
            return f"a number{_range(bare, value)}"
        case inspect.StrType():
            return "text that is not empty" if bare.min_length else "text"
        case inspect.LiteralType():
            return f"one of {', '.join(map(str, bare.values))}"
        case inspect.VarTupleType():
            noun = _NOUNS.get(type(_bare(bare.item_type)), "texts")
            return f"a list of {noun}{' that is not empty' if bare.min_length else ''}"
        case inspect.UnionType():
            return "text, a number, true or false"
    return "a table"


def _range(type_: inspect.IntType | inspect.FloatType, value: object) -> str:
    """Return a range of numbers in words; a very large upper end only if `value` exceeds it."""
    passed = isinstance(value, int | float) and type_.le is not None and value > type_.le
    far = type_.le is None or (type_.le >= FAR and not passed)
    if type_.ge is not None and not far:
        return f" from {type_.ge} to {type_.le:,}"
    low = f" of at least {type_.ge}" if type_.gt is None else f" above {type_.gt}"
    if type_.lt is not None:
        return f"{low} and below {type_.lt:,}"
    return low if far else f"{low} and at most {type_.le:,}"


def _harmless(type_: inspect.Type) -> Any:
    """Return a value that fits a type, to replace a wrong value in further checks."""
    bare = _bare(type_)
    match bare:
        case inspect.StructType():
            return {f.encode_name: _harmless(f.type) for f in bare.fields if f.required}
        case inspect.VarTupleType():
            return [_harmless(bare.item_type)] * (bare.min_length or 0)
        case inspect.DictType():
            return {}
        case inspect.IntType() | inspect.FloatType():
            return _number(bare)
        case inspect.LiteralType():
            return bare.values[0]
        case inspect.BoolType():
            return False
    return "x"


def _number(type_: inspect.IntType | inspect.FloatType) -> float:
    """Return a number within the range of a type."""
    if type_.ge is not None:
        return type_.ge
    return 1 if type_.lt is None else ((type_.gt or 0) + type_.lt) / 2
