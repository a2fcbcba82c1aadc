"""Records: the reader, the writer and the check of a message, generated from its annotations.

    @dataclass(frozen=True, slots=True)
    class Head(Body):
        place: U8
        state: Digest
        signature: Signature

The annotations of a class give the types of its fields (fields.py), called its row. Fields are
encoded in this order, unless the class has an ORDER. At the first use of a class, Python source is
generated from its row and compiled, as in `dataclasses`. For speed, a single call of `struct` reads
or writes adjacent fields of fixed size.

A row does not state how fields depend on each other: `check` and `adds_up` do.
"""

import struct
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from itertools import groupby
from operator import attrgetter, itemgetter, lt
from reprlib import repr as shortened
from typing import Any, ClassVar, NoReturn, Self, get_origin, get_type_hints

from ...errors import ParameterError, Reason, Refused
from .fields import (
    Array,
    Blob,
    Codec,
    Double,
    Either,
    EqualSize,
    FieldType,
    FixedBytes,
    Flagged,
    Items,
    LineText,
    Matching,
    Maybe,
    Name,
    Nested,
    Number,
    OneOf,
    Trailing,
)
from .lines import line_fault
from .wire import Reader, Writer, decode

# Placeholder in a `struct` format for the length of an `EqualSize` field. The length is known only
# when a list is read or written.
GAP = "{}"
CODES = {1: "B", 2: "H", 4: "I"}  # bytes of a number -> format character of `struct`
NUMBERS = {1: (Reader.u8, Writer.u8), 2: (Reader.u16, Writer.u16), 4: (Reader.u32, Writer.u32)}

ORDERED = {
    "": "",
    "ascending": "strictly ascending",
    "distinct": "none twice",
    "listed": "none twice, in this order: ",
}

Read = Callable[[Reader], Any]
Write = Callable[[Writer, Any], object]
Test = Callable[[Any], bool]


class MessageRecord:
    """The base class of messages and their parts: annotations give the fields and their encoding.

    Attributes:
        ORDER: the names of all fields in the order of their encoding, if it is not that of the
            annotations.
        MEASURED: whether the length of all fields together, four bytes, is encoded before them.
    """

    __slots__ = ()
    ORDER: ClassVar[tuple[str, ...]] = ()
    MEASURED: ClassVar[bool] = False

    def __post_init__(self) -> None:
        """Raise ParameterError if a field has a value that its type does not accept."""
        generate(type(self), "__post_init__")
        self.__post_init__()

    def complete(self) -> None:
        """Fill in fields that a caller of the constructor may leave out.

        Received bytes must hold these fields, with the values that this method would fill in.
        """

    def check(self) -> None:
        """Raise ParameterError if the fields of a new record do not agree."""

    def error_place(self) -> str:
        """Return the words with which an error about a field begins, such as a name."""
        return ""

    def adds_up(self) -> bool:
        """Whether the fields of a received record agree; a malicious party may send any fields."""
        return True

    @classmethod
    def read(cls, data: Reader) -> Self:
        """Read a record from bytes; Refused(MALFORMED) if any byte is wrong."""
        generate(cls, "read")
        return cls.read(data)

    def write(self, out: Writer) -> None:
        """Append the bytes of the record; the first call generates this method from the fields."""
        generate(type(self), "write")
        self.write(out)


class Body(MessageRecord):
    """The base class of the contents of messages."""

    __slots__ = ()


def _row_of(record: type) -> Mapping[str, FieldType]:
    """Return the types of a record's fields, by their names, in the order of the encoding."""
    hints = get_type_hints(record, include_extras=True)
    names = [name for name, hint in hints.items() if get_origin(hint) is not ClassVar]
    return {name: type_of(hints[name]) for name in getattr(record, "ORDER", ()) or names}


row_of: Callable[[type], Mapping[str, FieldType]] = cache(_row_of)


def type_of(hint: Any) -> FieldType:
    """Return the field type in an annotation: the last field type, if there are several."""
    if isinstance(hint, type) and issubclass(hint, MessageRecord):
        return Nested(hint)
    return [each for each in hint.__metadata__ if isinstance(each, FieldType)][-1]


def generate(record: type[MessageRecord], name: str) -> None:
    """Generate a function of a class from its fields, unless the class defines the function itself.

    name: `read`, `write` or `__post_init__` (the check).
    """
    if name not in vars(record):
        setattr(record, name, FUNCTIONS[name](record))


def compiled(lines: Iterable[str], names: dict[str, Any]) -> Any:
    """Compile source lines that define a function called `generated`; return the function.

    names: the global names that the lines use, with their values.
    """
    exec("\n".join(lines), names)  # noqa: S102 - of the code below alone, as in `dataclasses`
    return names["generated"]


def layout(types: Iterable[FieldType]) -> str:
    """Return the `struct` format of adjacent fields; empty if the size of a field varies."""
    codes = [_code(type_) for type_ in types]
    return "".join(codes) if all(codes) else ""


def _code(type_: FieldType) -> str:
    """Return the `struct` code of a field type; empty if its size varies."""
    match type_:
        case Number(size=size):
            return CODES[size]
        case FixedBytes(size=size):
            return f"{size}s"
        case EqualSize():
            return f"{GAP}s"
    return ""


def _units(row: Mapping[str, FieldType]) -> Iterator[list[int]]:
    """Yield groups of adjacent fields that one call reads or writes, as lists of field indices.

    A group is fields of fixed size, or flags, or a list with its trailing bytes, or a single field.
    row: the types of a record's fields, by name.
    """
    types = list(row.values())

    def unit(place: int) -> object:
        """Return a key that is equal for adjacent fields that are read or written together.

        place: the index of the field.
        """
        if _code(types[place]):
            return "fixed"
        if isinstance(types[place], Flagged):
            return "flagged"
        # A `Trailing` field gets the key of the list before it, because the encoded number of the
        # list's entries says whether the trailing bytes are present.
        return place - isinstance(types[place], Trailing)

    yield from (list(places) for _, places in groupby(range(len(types)), unit))


# The functions below generate readers.


def record_reader(record: type) -> Read:
    """Return the function that reads a record."""
    read = fields_reader(record)
    if not getattr(record, "MEASURED", False):
        return read
    return lambda data: decode(data.blob(), read)


@cache
def fields_reader(record: Any) -> Read:
    """Return the function that reads the fields of a record, without a length before them."""
    row = row_of(record)
    types = list(row.values())
    names: dict[str, Any] = {"record": record, "refuse": _refuse}
    lines = ["def generated(data):"]
    for places in _units(row):
        place, *more = places
        values = ", ".join(f"f{each}" for each in places)
        if isinstance(types[place], Flagged):
            lines += _flagged_reading(types, places, names)
        elif more and isinstance(types[more[0]], Trailing):
            names[f"read{place}"] = _read_trailing(types[place], types[more[0]])
            lines.append(f" {values} = read{place}(data)")
        elif more:
            run = struct.Struct(">" + layout(types[each] for each in places))
            names[f"read{place}"] = run.unpack
            lines.append(f" {values} = read{place}(data.raw({run.size}))")
        elif isinstance(type_ := types[place], Matching):
            names[f"read{place}"] = _read_all(type_.entry)
            number = f"len(f{list(row).index(type_.field)}) + {type_.more}"
            lines.append(f" {values} = read{place}(data, {number})")
        else:
            names[f"read{place}"] = reader(types[place])
            lines.append(f" {values} = read{place}(data)")
    keywords = getattr(record, "ORDER", ())
    arguments = [f"{name}=f{i}" if keywords else f"f{i}" for i, name in enumerate(row)]
    lines.append(f" value = record({', '.join(arguments)})")
    if getattr(record, "complete", MessageRecord.complete) is not MessageRecord.complete:
        # The constructor may fill in a field that was received empty. This would give a value a
        # second encoding, so such bytes are refused.
        filled = ", ".join(f"value.{name}" for name in row)
        read = ", ".join(f"f{place}" for place, _ in enumerate(row))
        lines.append(f" if ({filled},) != ({read},): refuse()")
    if getattr(record, "adds_up", MessageRecord.adds_up) is not MessageRecord.adds_up:
        lines.append(" if not value.adds_up(): refuse()")
    return compiled([*lines, " return value"], names)  # type: ignore[no-any-return]


def _flagged_reading(
    types: Sequence[FieldType], places: Sequence[int], names: dict[str, Any]
) -> Iterator[str]:
    """Yield source lines that read adjacent optional fields (`Flagged`) after their shared byte.

    Each bit of the byte says whether a field is present.

    types: the types of a record's fields. places: the indices of these fields (`Flagged`). names:
    the values that the lines use; the lines' own are added.
    """
    bits = f"bits{places[0]}"
    yield f" {bits} = data.u8()"
    yield f" if {bits} >= {1 << len(places)}: refuse()"
    for bit, place in enumerate(places):
        type_ = types[place]
        if not isinstance(type_, Flagged) or type_.entry is None:
            yield f" f{place} = ({bits} & {1 << bit}) > 0"
            continue
        names |= {f"read{place}": reader(type_.entry), f"absent{place}": type_.absent}
        yield f" f{place} = read{place}(data) if {bits} & {1 << bit} else absent{place}"
        yield f" if {bits} & {1 << bit} and f{place} == absent{place}: refuse()"


def _read_trailing(list_: Any, trailing: Any) -> Read:
    """Return the function that reads a list, and the optional bytes behind it.

    The top bit of the list's number of entries says whether the bytes are present.
    """
    number, read_all = NUMBERS[list_.count][0], _read_all(list_.entry)
    flag, size = highest_bit(list_), trailing.size

    def read(data: Reader) -> tuple[Any, bytes]:
        """Read the list and, if the top bit of its length is set, the bytes behind the list."""
        count = number(data)
        values = read_all(data, count & ~flag)
        return values, data.raw(size) if count & flag else b""

    return read


def highest_bit(list_: Array) -> int:
    """Return the top bit of the encoded number of a list's entries.

    It says whether an optional byte string follows the list.
    """
    return 1 << 8 * list_.count - 1


def _refuse() -> NoReturn:
    """Raise the error for bytes that are no canonical encoding of a record."""
    raise Refused(Reason.MALFORMED)


def reader(type_: FieldType) -> Read:
    """Return the function that reads a value of a field type; it raises Refused(MALFORMED)."""
    # The type is examined here, once for each field, and not for each message that is read.
    match type_:
        case Number(size=size):
            return NUMBERS[size][0]
        case Double():
            return Reader.f64
        case LineText():
            return Reader.text
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
        case OneOf(records=records):
            reads = {place: reader(Nested(each)) for place, each in enumerate(records, start=1)}
            return lambda data: (reads.get(data.u8()) or _refuse())(data)
        case Codec(read=read):
            return read
    raise TypeError(type_)


def _none_or_one(data: Reader) -> int:
    """Read the number of values of an optional field, which must be 0 or 1."""
    number = data.u16()
    return number if number <= 1 else _refuse()


def _read_alike(record: type, data: Reader) -> tuple[Any, ...]:
    """Read a list of records with byte strings of one length.

    The number of records and the length of the byte strings are encoded first.
    """
    number, size = data.u32(), data.u32()
    if (number == 0) != (size == 0):
        _refuse()
    return _fixed_records(record, size)(data, number)


@lru_cache(maxsize=64)
def _fixed_records(record: Any, size: int = 0) -> Callable[[Reader, int], tuple[Any, ...]]:
    """Return the function that reads a given number of records of fixed size.

    size: the length of a byte string that has the same length in all records (`EqualSize`).
    """
    entry = struct.Struct(">" + layout(row_of(record).values()).format(size))
    return lambda data, number: tuple(
        [record(*values) for values in entry.iter_unpack(data.raw(number * entry.size))]
    )


def _read_all(entry: FieldType) -> Callable[[Reader, int], tuple[Any, ...]]:
    """Return the function that reads a given number of values of a field type."""
    if isinstance(entry, Nested) and layout(row_of(entry.record).values()):
        return _fixed_records(entry.record)
    if isinstance(entry, FixedBytes):
        return lambda data, number: _slices(data.raw(number * entry.size), entry.size)
    if entry == Number(1):
        return lambda data, number: tuple(data.raw(number))
    if isinstance(entry, Number):
        code, size = CODES[entry.size], entry.size
        return lambda data, number: struct.unpack(f">{number}{code}", data.raw(number * size))
    read = reader(entry)
    return lambda data, number: tuple([read(data) for _ in range(number)])


def _slices(data: bytes, size: int) -> tuple[bytes, ...]:
    """Cut bytes into pieces of `size` bytes."""
    return tuple([data[at : at + size] for at in range(0, len(data), size)])


# The functions below generate writers.


def record_writer(record: type) -> Callable[[Any, Writer], None]:
    """Return the function that appends a record's bytes, with their length first if `MEASURED`."""
    write = fields_writer(record)
    return _measured_writer(write) if getattr(record, "MEASURED", False) else write


def _measured_writer(write: Callable[[Any, Writer], None]) -> Callable[[Any, Writer], None]:
    """Return the function that appends the bytes of `write`, with their length before them."""

    def write_measured(body: Any, out: Writer) -> None:
        """Append the length of a record's bytes, and the bytes."""
        inside = Writer()
        write(body, inside)
        out.blob(inside.finish())

    return write_measured


@cache
def fields_writer(record: Any) -> Callable[[Any, Writer], None]:
    """Return the function that appends the fields of a record, without a length before them."""
    row, fields = row_of(record), _fields(record)
    types = list(row.values())
    names: dict[str, Any] = {"misfit": _misfit, "row": row, "error": struct.error}
    lines = ["def generated(body, out):", " try:", "  pass"]
    for places in _units(row):
        place, *more = places
        values = ", ".join(f"body{fields[each]}" for each in places)
        if isinstance(types[place], Flagged):
            lines += _flagged_writing(types, places, fields, names)
        elif more and isinstance(types[more[0]], Trailing):
            names[f"write{place}"] = _write_trailing(types[place])
            lines.append(f"  write{place}(out, {values})")
        elif more:
            names[f"write{place}"] = struct.Struct(">" + layout(types[i] for i in places)).pack
            lines.append(f"  out.raw(write{place}({values}))")
        else:
            names[f"write{place}"] = writer(types[place])
            lines.append(f"  write{place}(out, {values})")
    body_values = "".join(f"body{field}, " for field in fields)
    lines += [" except error:", f"  raise misfit(row, [({body_values})]) from None"]
    return compiled(lines, names)  # type: ignore[no-any-return]


def _flagged_writing(
    types: Sequence[FieldType], places: Sequence[int], fields: list[str], names: dict[str, Any]
) -> Iterator[str]:
    """Yield source lines that write adjacent optional fields (`Flagged`) after their shared byte.

    Each bit of the byte says whether a field is present.

    types: the types of a record's fields. places: the indices of these fields (`Flagged`). fields:
    the source text that reads each field of a record. names: the values that the lines use; the
    lines' own are added.
    """
    terms, present = list[str](), list[tuple[int, int]]()
    for bit, place in enumerate(places):
        type_ = types[place]
        names[f"absent{place}"] = type_.absent if isinstance(type_, Flagged) else None
        terms.append(f"({1 << bit} if body{fields[place]} != absent{place} else 0)")
        if isinstance(type_, Flagged) and type_.entry is not None:
            names[f"write{place}"] = writer(type_.entry)
            present.append((bit, place))
    yield f"  bits = {' | '.join(terms)}"
    yield "  out.u8(bits)"
    for bit, place in present:
        yield f"  if bits & {1 << bit}: write{place}(out, body{fields[place]})"


def _write_trailing(list_: Any) -> Callable[[Writer, Sequence[Any], bytes], None]:
    """Return the function that appends a list, and the optional bytes behind it.

    The top bit of the list's number of entries says whether the bytes are present.
    """
    number, write_all, flag = (
        NUMBERS[list_.count][1],
        _write_all(list_.entry),
        highest_bit(list_),
    )

    def write(out: Writer, values: Sequence[Any], trailing: bytes) -> None:
        """Append the list and, unless they are empty, the bytes behind it."""
        number(out, len(values) | (flag if trailing else 0))
        write_all(out, values)
        out.raw(trailing)

    return write


def _fields(record: type) -> list[str]:
    """Return the source text that reads each field of a record: `.name`, or `[index]`."""
    if issubclass(record, tuple):
        return [f"[{place}]" for place, _ in enumerate(row_of(record))]
    return [f".{name}" for name in row_of(record)]


def _misfit(row: Mapping[str, FieldType], records: Iterable[Sequence[Any]]) -> ParameterError:
    """Return the error that names the first number that does not fit into its bytes.

    row: the field types, by name. records: the values of the fields, for each record.
    """
    for values in records:
        for (name, type_), value in zip(row.items(), values, strict=True):
            if isinstance(type_, Number) and not 0 <= value < 1 << 8 * type_.size:
                return ParameterError(
                    f"{name}: {value} does not fit into {type_.size} bytes of a message"
                )
    return ParameterError(f"{', '.join(row)}: a value cannot be encoded in a message")


def writer(type_: FieldType) -> Write:
    """Return the function that appends a value of a field type."""
    # The type is examined here, once for each field, and not for each message that is written.
    match type_:
        case Number(size=size):
            return NUMBERS[size][1]
        case Double():
            return Writer.f64
        case FixedBytes():
            return Writer.raw
        case Blob():
            return Writer.blob
        case Name() | LineText():
            return Writer.text
        case Either(chosen=chosen):
            return lambda out, value: out.flag(value == chosen)
        case Items():
            return Writer.items
        case Array(entry=Nested(record=record)) if GAP in layout(row_of(record).values()):
            return _write_alike(record)
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
        case OneOf(records=records):
            places = {each: place for place, each in enumerate(records, start=1)}
            return lambda out, value: value.write(out.u8(places[type(value)]))
        case Codec(write=write):
            return write
    raise TypeError(type_)


def _write_all(entry: FieldType) -> Write:
    """Return the function that appends a list of values of this type, without their number."""
    if isinstance(entry, FixedBytes):
        return lambda out, values: out.raw(b"".join(values))
    if isinstance(entry, Nested) and layout(row_of(entry.record).values()):
        return _packed(entry.record)
    if isinstance(entry, Number):
        code, row = CODES[entry.size], {"entries": entry}

        def write_numbers(out: Writer, values: Sequence[int]) -> None:
            """Append all numbers at once; ParameterError names a number that is out of range."""
            try:
                out.raw(
                    bytes(values) if code == "B" else struct.pack(f">{len(values)}{code}", *values)
                )
            except (struct.error, ValueError):
                raise _misfit(row, ((value,) for value in values)) from None

        return write_numbers
    write = writer(entry)

    def write_all(out: Writer, values: Iterable[Any]) -> None:
        """Append the values, one after the other."""
        for value in values:
            write(out, value)

    return write_all


def _write_alike(record: type) -> Write:
    """Return the function that appends a list of records with byte strings of one length.

    The number of records and the length of the byte strings (`EqualSize`) are appended first.
    """
    row = row_of(record)
    (name,) = [name for name, type_ in row.items() if type_ == EqualSize()]
    get = _values(record, [name])

    def write(out: Writer, values: Sequence[Any]) -> None:
        """Append the number of records, the length of their byte strings, and the records."""
        size = len(get(values[0])) if values else 0
        _packed(record, size)(out.u32(len(values)).u32(size), values)

    return write


@lru_cache(maxsize=64)
def _packed(record: Any, size: int = 0) -> Write:
    """Return the function that appends records of fixed size.

    size: the length of a byte string that has the same length in all records (`EqualSize`).
    """
    row = row_of(record)
    pack = struct.Struct(">" + layout(row.values()).format(size)).pack
    get = _values(record, list(row))

    def write(out: Writer, records: Sequence[Any]) -> None:
        """Append all records at once; ParameterError if a number is too large for its field."""
        try:
            out.raw(b"".join([pack(*get(value)) for value in records]))
        except struct.error:
            raise _misfit(row, map(get, records)) from None

    return write


def _values(record: type, names: Sequence[str]) -> Callable[[Any], Any]:
    """Return a function from a record to the named fields: one value, or a tuple of several."""
    if issubclass(record, tuple):
        return itemgetter(*map(list(row_of(record)).index, names))
    return attrgetter(*names)


# The functions below generate checks.


def record_check(record: type[MessageRecord]) -> Callable[[Any], None]:
    """Return the function that raises ParameterError unless all fields of a record are valid."""
    names: dict[str, Any] = {"refused": _refused}
    tests = []
    for place, (name, type_) in enumerate(row_of(record).items()):
        match type_:
            case FixedBytes(size=size):
                tests.append(f"len(self.{name}) == {size}")
            case _ if test := predicate(type_):
                names[f"test{place}"] = test
                tests.append(f"test{place}(self.{name})")
    lines = ["def generated(self):", " pass"]
    if record.complete is not MessageRecord.complete:
        lines.append(" self.complete()")
    if tests:
        lines.append(f" if not ({' and '.join(tests)}): raise refused(self)")
    if record.check is not MessageRecord.check:
        lines.append(" self.check()")
    return compiled(lines, names)  # type: ignore[no-any-return]


def _refused(record: MessageRecord) -> ParameterError:
    """Return the error about the first field with a value that its type does not accept."""
    for name, type_ in row_of(type(record)).items():
        value = getattr(record, name)
        if (test := predicate(type_)) and not test(value):
            return ParameterError(f"{record.error_place()}{name}: {fault(type_, value)}")
    raise AssertionError(record)


def fault(type_: FieldType, value: Any) -> str:
    """Return the reason why a field type does not accept a value, in words."""
    match type_:
        case LineText(limit=limit):
            return line_fault(value, limit)
        case Flagged(entry=FieldType() as entry, absent=absent):
            return fault(entry, value) + (f", or {absent}" if isinstance(absent, int) else "")
        case Array(entry=entry) | Items(entry=entry):
            test = predicate(entry) or _always
            if wrong := [each for each in value if not test(each)]:
                return fault(entry, wrong[0])
            if not type_.minimum <= len(value) <= (type_.maximum or len(value)):
                upper = "or more" if type_.maximum is None else f"to {type_.maximum}"
                return f"found {len(value)}; {type_.minimum} {upper} are accepted"
            if type_.order == "distinct":
                twice = _first_twice(map(order_key(entry), value))
                return f"{shortened(twice)} occurs twice; {accepted(type_)} are accepted"
            if type_.order == "listed":
                return f"found {', '.join(value)}; {accepted(type_)} are accepted"
    observed = f"{len(value)} bytes" if isinstance(value, bytes) else shortened(value)
    return f"found {observed}; {accepted(type_)} are accepted"


def _first_twice(keys: Iterable[Any]) -> Any:
    """Return the first key that also occurs earlier; AssertionError without such a key."""
    earlier = set[Any]()
    for key in keys:
        if key in earlier:
            return key
        earlier.add(key)
    raise AssertionError("no key occurs twice")


@cache
def predicate(type_: FieldType) -> Test | None:
    """Return the test of a value; None if the type accepts every value that can be encoded."""
    # A type whose guard (`if`) is false is not tested: its encoding already excludes other values.
    match type_:
        case Number(minimum=minimum, limit=limit) if minimum or type_.maximum is not None:
            return lambda value: minimum <= value <= limit
        case Double(minimum=minimum, maximum=float() as maximum):
            return lambda value: minimum <= value <= maximum
        case LineText(limit=limit):
            return lambda value: not line_fault(value, limit)
        case FixedBytes(size=size):
            return lambda value: len(value) == size
        case Blob(sizes=sizes) if sizes:
            return lambda value: len(value) in sizes
        case Trailing(size=size):
            return lambda value: len(value) in (0, size)
        case EqualSize():
            return bool
        case Either(unset=unset, chosen=chosen) if unset is not False:
            return lambda value: value in (unset, chosen)
        case Array() | Items():
            return _list_test(type_)
        case Matching(entry=entry) if each := predicate(entry):
            return _test_all(each)
        case (
            Maybe(entry=entry, absent=absent) | Flagged(entry=FieldType() as entry, absent=absent)
        ) if value_test := predicate(entry):
            return lambda value: value == absent or value_test(value)
        case Nested(record=record) if issubclass(record, tuple):
            tests = [(place, predicate(each)) for place, each in enumerate(row_of(record).values())]
            parts = [(f"value[{place}]", test) for place, test in tests if test]
            return _conjunction(parts) if parts else None
    return None


def _test_all(test: Callable[[Any], object]) -> Callable[[Any], bool]:
    """Return the test that is passed if all values of a list pass `test`."""
    return lambda values: all(map(test, values))


def _always(_value: object) -> bool:
    """Accept every value."""
    return True


def _list_test(type_: Array | Items) -> Test | None:
    """Return the test of a list: length, entries, order; None if all lists are accepted."""
    tests = list[Test]()
    entry, minimum, maximum = type_.entry, type_.minimum, type_.maximum
    if minimum or maximum is not None:
        tests.append(lambda values: minimum <= len(values) <= (maximum or len(values)))
    if isinstance(entry, FixedBytes):
        tests.append(lambda values: {entry.size}.issuperset(map(len, values)))
    elif each := predicate(entry):
        tests.append(lambda values: all(map(each, values)))
    key = order_key(entry)
    if type_.order == "ascending" and isinstance(entry, Nested):
        tests.append(lambda values: _ascends([key(value) for value in values]))
    elif type_.order == "ascending":
        tests.append(_ascends)
    elif type_.order == "distinct" and isinstance(entry, Nested):
        tests.append(lambda values: len(set(map(key, values))) == len(values))
    elif type_.order == "distinct":
        tests.append(lambda values: len(set(values)) == len(values))
    elif type_.order == "listed" and isinstance(entry, Name):
        members = entry.members
        tests.append(lambda values: values == tuple(each for each in members if each in values))
    return _conjunction([("value", test) for test in tests]) if tests else None


def _conjunction(tests: Sequence[tuple[str, Test]]) -> Test:
    """Return the test of a value that is passed if all given tests are passed.

    tests: (source text of a part of `value`, such as `value[0]`; test of this part).
    """
    if len(tests) == 1 and tests[0][0] == "value":
        return tests[0][1]
    names = {f"test{place}": test for place, (_, test) in enumerate(tests)}
    calls = [f"test{place}({part})" for place, (part, _) in enumerate(tests)]
    lines = ["def generated(value):", f" return {' and '.join(calls)}"]
    return compiled(lines, dict(names))  # type: ignore[no-any-return]


def order_key(entry: FieldType) -> Callable[[Any], Any]:
    """Return the function that gives the part of a list entry by which the list is ordered.

    For a record it is the first field.
    """
    if isinstance(entry, Nested):
        return _values(entry.record, list(row_of(entry.record))[:1])
    return lambda value: value


def _ascends(values: Sequence[Any]) -> bool:
    """Whether the values are in strictly ascending order."""
    return all(map(lt, values, values[1:]))


def accepted(type_: FieldType) -> str:
    """Return, in words for a message, the values that a field type accepts."""
    # Each type that `predicate` tests needs a case here, because messages name accepted values.
    match type_:
        case Number(minimum=minimum, limit=limit):
            return f"{minimum} to {limit}"
        case Double(minimum=minimum, maximum=float() as maximum):
            return f"{minimum:g} to {maximum:g}"
        case FixedBytes(size=size):
            return f"{size} bytes"
        case Name(members=members):
            return ", ".join(members)
        case LineText(limit=limit):
            return f"lines of at most {limit} bytes"
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
            ordered = ORDERED[order] + (accepted(entry) if order == "listed" else "")
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
