"""Records: the reader, the writer and the check of a message, made from its row (fields.py).

    @dataclass(frozen=True, slots=True)
    class Head(Body):
        place: U8
        state: Digest
        signature: Signature

The annotations of a class are its row, in the order of the bytes. At the first use of a class its
row becomes source, as in `dataclasses`: neighbouring fields of fixed size are read, and written, by
one call of `struct`.
"""

import struct
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from itertools import groupby
from operator import attrgetter, itemgetter, lt
from reprlib import repr as shortened
from typing import Any, NoReturn, Self, get_type_hints

from ...errors import ParameterError, Reason, Refused
from .fields import (
    Array,
    Blob,
    Codec,
    Either,
    EqualSize,
    FieldType,
    FixedBytes,
    Items,
    Matching,
    Maybe,
    Name,
    Nested,
    Number,
    Trailing,
)
from .wire import Reader, Writer

GAP = "{}"  # in the code of a record: the size of `EqualSize`, which its list has
CODES = {1: "B", 2: "H", 4: "I"}  # bytes of a number -> its code in `struct`
NUMBERS = {1: (Reader.u8, Writer.u8), 2: (Reader.u16, Writer.u16), 4: (Reader.u32, Writer.u32)}

Read = Callable[[Reader], Any]
Write = Callable[[Writer, Any], object]
Test = Callable[[Any], bool]


class MessageRecord:
    """A message, or a part of a message: its annotations are its row."""

    __slots__ = ()

    def __post_init__(self) -> None:
        """Raise ParameterError if a field has a value that its type does not accept."""
        generate(type(self), "__post_init__")
        self.__post_init__()

    def check(self) -> None:
        """Raise ParameterError if the fields of a new record do not agree."""

    def adds_up(self) -> bool:
        """Whether the fields of a received record agree; a malicious party can make any."""
        return True

    @classmethod
    def read(cls, data: Reader) -> Self:
        """Take a record; Refused(MALFORMED) if any byte of it is wrong."""
        generate(cls, "read")
        return cls.read(data)

    def write(self, out: Writer) -> None:
        """Append the record."""
        generate(type(self), "write")
        self.write(out)


class Body(MessageRecord):
    """The content of a message."""

    __slots__ = ()


def _row_of(record: type) -> Mapping[str, FieldType]:
    """Return the types of a record's fields, by their names, in the order of the bytes."""
    hints = get_type_hints(record, include_extras=True)
    return {name: type_of(hint) for name, hint in hints.items()}


row_of: Callable[[type], Mapping[str, FieldType]] = cache(_row_of)


def type_of(hint: Any) -> FieldType:
    """Return the last type that an annotation names."""
    if isinstance(hint, type) and issubclass(hint, MessageRecord):
        return Nested(hint)
    return [each for each in hint.__metadata__ if isinstance(each, FieldType)][-1]


def generate(record: type[MessageRecord], name: str) -> None:
    """Give a class the function of its row with this name, if it does not define its own."""
    if name not in vars(record):
        setattr(record, name, FUNCTIONS[name](record))


def compiled(lines: Iterable[str], names: dict[str, Any]) -> Any:
    """Return the function `generated` of these lines, which use these names."""
    exec("\n".join(lines), names)  # noqa: S102 - of the code below alone, as in `dataclasses`
    return names["generated"]


def layout(types: Iterable[FieldType]) -> str:
    """Return the code of neighbouring fields in `struct`; empty if the size of one varies."""
    codes = [_code(type_) for type_ in types]
    return "".join(codes) if all(codes) else ""


def _code(type_: FieldType) -> str:
    match type_:
        case Number(size=size):
            return CODES[size]
        case FixedBytes(size=size):
            return f"{size}s"
        case EqualSize():
            return f"{GAP}s"
    return ""


def _runs(row: Mapping[str, FieldType]) -> Iterator[tuple[list[int], str]]:
    """Yield the places of fields that are handled at once; with a code if there are several."""
    types = list(row.values())
    for code, run in groupby(range(len(types)), lambda place: bool(_code(types[place]))):
        places = list(run)
        if code and len(places) > 1:
            yield places, ">" + layout(types[place] for place in places)
        else:
            yield from (([place], "") for place in places)


# Readers


def record_reader(record: type) -> Read:
    """Return the function that takes a record."""
    row = row_of(record)
    names: dict[str, Any] = {"record": record, "refuse": _refuse}
    lines = ["def generated(data):"]
    for places, code in _runs(row):
        place, *_ = places
        values = ", ".join(f"f{each}" for each in places)
        type_ = list(row.values())[place]
        if code:
            run = struct.Struct(code)
            names[f"read{place}"] = run.unpack
            lines.append(f" {values} = read{place}(data.raw({run.size}))")
        elif isinstance(type_, Matching):
            names[f"read{place}"] = _read_all(type_.entry)
            number = f"len(f{list(row).index(type_.field)}) + {type_.more}"
            lines.append(f" {values} = read{place}(data, {number})")
        else:
            names[f"read{place}"] = reader(type_)
            lines.append(f" {values} = read{place}(data)")
    lines.append(f" value = record({', '.join(f'f{place}' for place in range(len(row)))})")
    if getattr(record, "adds_up", MessageRecord.adds_up) is not MessageRecord.adds_up:
        lines.append(" if not value.adds_up(): refuse()")
    return compiled([*lines, " return value"], names)  # type: ignore[no-any-return]


def _refuse() -> NoReturn:
    raise Refused(Reason.MALFORMED)


def reader(type_: FieldType) -> Read:
    """Return the function that takes a value of a type; it raises Refused(MALFORMED)."""
    match type_:
        case Number(size=size):
            return NUMBERS[size][0]
        case FixedBytes(size=size):
            return lambda data: data.raw(size)
        case Blob():
            return Reader.blob
        case Name(members=members):
            by_name = {member.value: member for member in members}
            return lambda data: by_name.get(data.text()) or _refuse()
        case Either(unset=unset, chosen=chosen):
            return lambda data: chosen if data.flag() else unset
        case Items():
            return lambda data: tuple(data.items())
        case Array(entry=Nested(record=record)) if GAP in layout(row_of(record).values()):
            return lambda data: _read_alike(record, data)
        case Array(entry=entry, count=size):
            number, read_all = NUMBERS[size][0], _read_all(entry)
            return lambda data: read_all(data, number(data))
        case Maybe(entry=entry, count=size, absent=absent):
            flag, read = Reader.flag if size == 1 else _none_or_one, reader(entry)
            return lambda data: read(data) if flag(data) else absent
        case Nested(record=record):
            if not issubclass(record, MessageRecord):
                return record_reader(record)
            generate(record, "read")
            return record.read
        case Codec(read=read):
            return read
    raise TypeError(type_)


def _none_or_one(data: Reader) -> int:
    number = data.u16()
    return number if number <= 1 else _refuse()


def _read_alike(record: type, data: Reader) -> tuple[Any, ...]:
    number, size = data.u32(), data.u32()
    if (number == 0) != (size == 0):
        _refuse()
    return _fixed_records(record, size)(data, number)


@lru_cache(maxsize=64)
def _fixed_records(record: Any, size: int = 0) -> Callable[[Reader, int], tuple[Any, ...]]:
    """Return the function that takes so many records of fixed size. size: of `EqualSize`."""
    entry = struct.Struct(">" + layout(row_of(record).values()).format(size))
    return lambda data, number: tuple(
        [record(*values) for values in entry.iter_unpack(data.raw(number * entry.size))]
    )


def _read_all(entry: FieldType) -> Callable[[Reader, int], tuple[Any, ...]]:
    """Return the function that takes so many values; it ends with the bytes."""
    if isinstance(entry, Nested) and layout(row_of(entry.record).values()):
        return _fixed_records(entry.record)
    if isinstance(entry, FixedBytes):
        return lambda data, number: _slices(data.raw(number * entry.size), entry.size)
    if isinstance(entry, Number):
        code, size = CODES[entry.size], entry.size
        return lambda data, number: struct.unpack(f">{number}{code}", data.raw(number * size))
    read = reader(entry)
    return lambda data, number: tuple([read(data) for _ in range(number)])


def _slices(data: bytes, size: int) -> tuple[bytes, ...]:
    return tuple([data[at : at + size] for at in range(0, len(data), size)])


# Writers


def record_writer(record: type) -> Callable[[Any, Writer], None]:
    """Return the function that appends a record, with the arguments of `MessageRecord.write`."""
    row, fields = row_of(record), _fields(record)
    names: dict[str, Any] = {"misfit": _misfit, "row": row, "error": struct.error}
    lines = ["def generated(body, out):", " try:", "  pass"]
    for places, code in _runs(row):
        place, *_ = places
        values = ", ".join(f"body{fields[each]}" for each in places)
        if code:
            names[f"write{place}"] = struct.Struct(code).pack
            lines.append(f"  out.raw(write{place}({values}))")
        else:
            names[f"write{place}"] = writer(list(row.values())[place])
            lines.append(f"  write{place}(out, {values})")
    body_values = "".join(f"body{field}, " for field in fields)
    lines += [" except error:", f"  raise misfit(row, [({body_values})]) from None"]
    return compiled(lines, names)  # type: ignore[no-any-return]


def _fields(record: type) -> list[str]:
    """Return the suffix of a record that reads each field: a name, or a place of a tuple."""
    if issubclass(record, tuple):
        return [f"[{place}]" for place, _ in enumerate(row_of(record))]
    return [f".{name}" for name in row_of(record)]


def _misfit(row: Mapping[str, FieldType], records: Iterable[Sequence[Any]]) -> ParameterError:
    """Return the error that names the first number that has no place in its bytes."""
    for values in records:
        for (name, type_), value in zip(row.items(), values, strict=True):
            if isinstance(type_, Number) and not 0 <= value < 1 << 8 * type_.size:
                return ParameterError(
                    f"{name}: {value} does not fit {type_.size} bytes on the wire"
                )
    return ParameterError(f"{', '.join(row)}: a value has no place on the wire")


def writer(type_: FieldType) -> Write:
    """Return the function that appends a value of a type."""
    match type_:
        case Number(size=size):
            return NUMBERS[size][1]
        case FixedBytes() | Trailing():
            return Writer.raw
        case Blob():
            return Writer.blob
        case Name():
            return Writer.text
        case Either(chosen=chosen):
            return lambda out, value: out.flag(value == chosen)
        case Items():
            return Writer.items
        case Array(entry=Nested(record=record)) if GAP in layout(row_of(record).values()):
            return lambda out, values: _write_alike(record, out, values)
        case Array(entry=entry, count=size):
            number, write_all = NUMBERS[size][1], _write_all(entry)
            return lambda out, values: write_all(number(out, len(values)), values)
        case Matching(entry=entry):
            return _write_all(entry)
        case Maybe(entry=entry, count=size, absent=absent):
            number, write = NUMBERS[size][1], writer(entry)
            return lambda out, value: (
                number(out, 0) if value == absent else write(number(out, 1), value)
            )
        case Nested(record=record):
            if not issubclass(record, MessageRecord):
                write_pair = record_writer(record)
                return lambda out, value: write_pair(value, out)
            return lambda out, value: value.write(out)
        case Codec(write=write):
            return write
    raise TypeError(type_)


def _write_all(entry: FieldType) -> Write:
    """Return the function that appends values."""
    if isinstance(entry, FixedBytes):
        return lambda out, values: out.raw(b"".join(values))
    if isinstance(entry, Nested) and layout(row_of(entry.record).values()):
        return _packed(entry.record)
    if isinstance(entry, Number):
        code, row = CODES[entry.size], {"entries": entry}

        def write_numbers(out: Writer, values: Sequence[int]) -> None:
            try:
                out.raw(struct.pack(f">{len(values)}{code}", *values))
            except struct.error:
                raise _misfit(row, ((value,) for value in values)) from None

        return write_numbers
    write = writer(entry)

    def write_all(out: Writer, values: Iterable[Any]) -> None:
        for value in values:
            write(out, value)

    return write_all


def _write_alike(record: type, out: Writer, values: Sequence[Any]) -> None:
    row = row_of(record)
    place = list(row.values()).index(EqualSize())
    size = len(_values(record, list(row))(values[0])[place]) if values else 0
    _packed(record, size)(out.u32(len(values)).u32(size), values)


@lru_cache(maxsize=64)
def _packed(record: Any, size: int = 0) -> Write:
    """Return the function that appends records of fixed size. size: of `EqualSize`."""
    row = row_of(record)
    pack = struct.Struct(">" + layout(row.values()).format(size)).pack
    get = _values(record, list(row))

    def write(out: Writer, records: Sequence[Any]) -> None:
        try:
            out.raw(b"".join([pack(*get(value)) for value in records]))
        except struct.error:
            raise _misfit(row, map(get, records)) from None

    return write


def _values(record: type, names: Sequence[str]) -> Callable[[Any], Any]:
    """Return the function that gives fields of a record: a tuple, if there are several."""
    if issubclass(record, tuple):
        return itemgetter(*map(list(row_of(record)).index, names))
    return attrgetter(*names)


# Checks


def record_check(record: type[MessageRecord]) -> Callable[[Any], None]:
    """Return the function that raises ParameterError unless a record is acceptable."""
    row = row_of(record)
    names: dict[str, Any] = {"refused": _refused}
    tests = []
    for place, (name, type_) in enumerate(row.items()):
        match type_:
            case FixedBytes(size=size):
                tests.append(f"len(self.{name}) == {size}")
            case _ if test := predicate(type_):
                names[f"test{place}"] = test
                tests.append(f"test{place}(self.{name})")
    lines = ["def generated(self):", " pass"]
    if tests:
        lines.append(f" if not ({' and '.join(tests)}): raise refused(self)")
    if record.check is not MessageRecord.check:
        lines.append(" self.check()")
    return compiled(lines, names)  # type: ignore[no-any-return]


def _refused(record: MessageRecord) -> ParameterError:
    """Return the error that names the first field with a value that its type does not accept."""
    for name, type_ in row_of(type(record)).items():
        value = getattr(record, name)
        if (test := predicate(type_)) and not test(value):
            observed = f"{len(value)} bytes" if isinstance(value, bytes) else shortened(value)
            return ParameterError(f"{name}: found {observed}; {accepted(type_)} are accepted")
    raise AssertionError(record)


def predicate(type_: FieldType) -> Test | None:
    """Return the test of a value; None if all that the bytes of a type can hold is accepted."""
    match type_:
        case Number(minimum=minimum, limit=limit) if minimum or type_.maximum is not None:
            return lambda value: minimum <= value <= limit
        case FixedBytes(size=size):
            return lambda value: len(value) == size
        case Blob(sizes=sizes) if sizes:
            return lambda value: len(value) in sizes
        case Trailing(size=size):
            return lambda value: len(value) in (0, size)
        case EqualSize():
            return bool
        case Either(unset=unset, chosen=chosen):
            return lambda value: value in (unset, chosen)
        case Array() | Items():
            return _list_test(type_)
        case Matching(entry=entry) if each := predicate(entry):
            return _test_all(each)
        case Maybe(entry=entry, absent=absent) if value_test := predicate(entry):
            return lambda value: value == absent or value_test(value)
        case Nested(record=record) if issubclass(record, tuple):
            tests = [predicate(each) or _always for each in row_of(record).values()]
            return lambda value: all(test(field) for test, field in zip(tests, value, strict=True))
    return None


def _test_all(test: Callable[[Any], object]) -> Callable[[Any], bool]:
    return lambda values: all(map(test, values))


def _always(_value: object) -> bool:
    return True


def _list_test(type_: Array | Items) -> Test | None:
    """Return the test of a list: its length, its entries, its order."""
    tests = list[Test]()
    entry, minimum, maximum = type_.entry, type_.minimum, type_.maximum
    if minimum or maximum is not None:
        tests.append(lambda values: minimum <= len(values) <= (maximum or len(values)))
    if isinstance(entry, FixedBytes):
        tests.append(lambda values: {entry.size}.issuperset(map(len, values)))
    elif each := predicate(entry):
        tests.append(lambda values: all(map(each, values)))
    if type_.order == "ascending" and isinstance(entry, Nested):
        key = _values(entry.record, list(row_of(entry.record))[:1])
        tests.append(lambda values: _ascends([key(value) for value in values]))
    elif type_.order == "ascending":
        tests.append(_ascends)
    elif type_.order == "distinct":
        tests.append(lambda values: len(set(values)) == len(values))
    if len(tests) < 2:
        return tests[0] if tests else None
    return lambda values: all(test(values) for test in tests)


def _ascends(values: Sequence[Any]) -> bool:
    return all(map(lt, values, values[1:]))


def accepted(type_: FieldType) -> str:
    """Return the values that a type accepts, in words."""
    match type_:
        case Number(minimum=minimum, limit=limit):
            return f"{minimum} to {limit}"
        case FixedBytes(size=size):
            return f"{size} bytes"
        case EqualSize():
            return "bytes of one size"
        case Blob(sizes=sizes):
            return f"{' or '.join(map(str, sizes))} bytes"
        case Either():
            return f"{type_.unset} or {type_.chosen}"
        case Maybe(entry=entry) | Matching(entry=entry):
            return accepted(entry)
        case Trailing(size=size):
            return f"0 or {size} bytes"
        case (
            Array(entry=entry, minimum=minimum, maximum=maximum, order=order)
            | Items(entry=entry, minimum=minimum, maximum=maximum, order=order)
        ):
            number = f"{minimum} to {maximum} entries" if maximum else f"{minimum} or more entries"
            each = f"{accepted(entry)} each" if predicate(entry) else ""
            ordered = {"ascending": "strictly ascending", "distinct": "none twice"}.get(order, "")
            return ", ".join(filter(None, (number, each, ordered)))
        case Nested(record=record):
            rows = row_of(record).items()
            return ", ".join(f"{name} {accepted(each)}" for name, each in rows if predicate(each))
    raise TypeError(type_)


FUNCTIONS: Mapping[str, Callable[[type[MessageRecord]], Any]] = {
    "__post_init__": record_check,
    "read": lambda record: staticmethod(record_reader(record)),
    "write": record_writer,
}
