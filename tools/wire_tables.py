"""Write the tables that follow from the rows of messages (protocol/wire/fields.py).

    python tools/wire_tables.py            write them
    python tools/wire_tables.py --check    exit 1 if one of them differs

They are the messages of docs/wire.md, between two lines that name this tool, and the rows of the
reader in JavaScript, poll/static/rows.js.
"""

import json
import re
import sys
import textwrap
from itertools import pairwise
from pathlib import Path
from typing import Any

from veilmix.protocol.wire.bodies import KINDS, TABLE
from veilmix.protocol.wire.fields import (
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
from veilmix.protocol.wire.records import row_of

ROOT = Path(__file__).parent.parent
PAGE, SCRIPT = ROOT / "docs" / "wire.md", ROOT / "poll" / "static" / "rows.js"
BEGIN, END = "<!-- tools/wire_tables.py -->\n```\n", "```\n<!-- end -->\n"
WIDTH = 118  # signs of a line of the page
AUTHOR = 22  # signs of the second column
ORDERS = {"": "", "ascending": "<", "distinct": "!", "listed": "|"}
MEASURED = "# "  # before the fields of a message that stand behind their length


def notation(type_: FieldType) -> str:
    """Return the notation of a type in docs/wire.md."""
    match type_:
        case Number(size=size, minimum=minimum, maximum=maximum):
            limits = "+" if (minimum, maximum) == (1, None) else f"({minimum}..{type_.limit})"
            return f"u{8 * size}{limits if minimum or maximum is not None else ''}"
        case Double(minimum=minimum, maximum=maximum):
            return "f64" if maximum is None else f"f64({minimum:g}..{maximum:g})"
        case LineText(limit=limit):
            return f"line({limit})"
        case FixedBytes(size=size):
            return str(size)
        case Trailing(size=size):
            return f"^{size}"
        case Flagged(entry=None):
            return "bit"
        case Flagged(entry=FieldType() as entry, absent=absent):
            return f"bit?{notation(entry)}{'' if absent is None else f'={json.dumps(absent)}'}"
        case EqualSize():
            return "alike"
        case Blob(sizes=sizes):
            return f"blob({'|'.join(map(str, sizes))})" if sizes else "blob"
        case Name(members=members):
            return f"text({'|'.join(members)})"
        case Either(unset=False):
            return "flag"
        case Either(unset=unset, chosen=chosen):
            return f"flag({unset}|{chosen})"
        case Matching(entry=entry, field=field, more=more):
            return f"{notation(entry)}*({field}+{more})"
        case Maybe(entry=entry, count=count):
            return f"?{notation(entry)}" if count == 1 else f"[{notation(entry)}]?"
        case Items(entry=entry):
            width = f"({entry.size})" if isinstance(entry, FixedBytes) else ""
            return f"items{width}{_suffix(type_)}"
        case Array(entry=entry, count=count):
            first, last = "[]" if count == 2 else "{}"
            return f"{first}{notation(entry)}{last}{_suffix(type_)}"
        case Nested(record=record):
            return record_name(record)
        case OneOf(records=records):
            return f"({'|'.join(map(record_name, records))})"
        case Codec(name=name):
            return name
    raise TypeError(type_)


def _suffix(type_: Array | Items) -> str:
    """Return the limits and the order of a list."""
    limits = "+" if type_.minimum else ""
    limits = f"({type_.minimum}..{type_.maximum})" if type_.maximum is not None else limits
    return limits + ORDERS[type_.order]


def record_name(record: type) -> str:
    """Return the name of a record inside messages: that of its class, in words."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "-", record.__name__).lower()


def field_list(record: Any) -> str:
    """Return the fields of a row, as the page lists them."""
    fields = [
        f"..{notation(type_)}" if is_spread(type_) else f"{name}:{notation(type_)}"
        for name, type_ in row_of(record).items()
    ]
    measured = getattr(record, "MEASURED", False)
    return (MEASURED if measured else "") + (" ".join(fields) or "(empty)")


def is_spread(type_: FieldType) -> bool:
    """Whether the fields of a record are given beside those of the record that it is in."""
    return isinstance(type_, Nested) and type_.spread


def inner_records() -> dict[str, type]:
    """Return the records inside messages, by name, in the order in which they occur."""
    observed: dict[str, type] = {}
    todo = [type_ for row in TABLE.values() for type_ in row_of(row.body).values()]
    for type_ in todo:
        records = type_.records if isinstance(type_, OneOf) else ()
        if isinstance(type_, Nested) and type_.record not in KINDS:
            records = (type_.record,)
        for record in records:
            observed[record_name(record)] = record
            todo += row_of(record).values()
        if isinstance(inner := getattr(type_, "entry", None), FieldType):
            todo.append(inner)
    return observed


def page_table() -> str:
    """Return the table of the page: number, kind, author and fields of each message."""
    lines = [f"{'kind':<16} {'from':<{AUTHOR}} fields"]
    for kind, row in sorted(TABLE.items()):
        first = f"{kind:>2} {KINDS[row.body].name.lower():<13} {row.author:<{AUTHOR}} "
        lines += _wrapped(first, field_list(row.body))
    lines += ["", "inside"]
    for name, record in inner_records().items():
        lines += _wrapped(f"   {name:<{14 + AUTHOR}} ", field_list(record))
    return "".join(f"{line.rstrip()}\n" for line in lines)


def _wrapped(first: str, fields: str) -> list[str]:
    width, indent = WIDTH - len(first), " " * len(first)
    lines = textwrap.wrap(fields, width, break_long_words=False, break_on_hyphens=False)
    return [
        start + line for start, line in zip([first, *[indent] * len(lines)], lines, strict=False)
    ]


def described(type_: FieldType) -> list[Any]:
    """Return a type as the reader in JavaScript takes it: its name and what it needs to know."""
    match type_:
        case Number(size=size, minimum=minimum, limit=limit):
            return ["number", size, minimum, limit]
        case Double(minimum=minimum, maximum=maximum):
            return ["double"] if maximum is None else ["double", minimum, maximum]
        case LineText(limit=limit):
            return ["line", limit]
        case FixedBytes(size=size):
            return ["fixed", size]
        case Flagged(entry=None):
            return ["bit"]
        case Flagged(entry=FieldType() as entry, absent=absent):
            return ["bit", described(entry), absent is not None]
        case Trailing(size=size):
            return ["trailing", size]
        case EqualSize():
            return ["alike"]
        case Blob(sizes=sizes):
            return ["blob", list(sizes)]
        case Name(members=members):
            return ["name", [str(member) for member in members]]
        case Either(unset=unset, chosen=chosen):
            return ["choice", unset, chosen]
        case Matching(entry=entry, field=field, more=more):
            return ["matching", described(entry), field, more]
        case Maybe(entry=entry, count=count, absent=absent):
            return ["maybe", described(entry), count, "" if absent == b"" else absent]
        case Items(entry=entry, minimum=minimum, order=order):
            return ["items", entry.size if isinstance(entry, FixedBytes) else 0, minimum, order]
        case Array(entry=entry, count=count, minimum=minimum, maximum=maximum, order=order):
            return [
                "many",
                described(entry),
                count,
                minimum,
                maximum or (1 << 8 * count) - 1,
                order,
            ]
        case Nested(record=record, spread=spread):
            return ["spread" if spread else "nested", listed(record)]
        case OneOf(records=records):
            return ["one", [[record_name(record), listed(record)] for record in records]]
        case Codec(name=name):
            return ["codec", name]
    raise TypeError(type_)


def listed(record: type) -> list[list[Any]]:
    """Return the fields of a row as the reader in JavaScript takes them."""
    fields = [[name, described(type_)] for name, type_ in row_of(record).items()]
    for (_, list_), (_, after) in pairwise(fields):
        if after[0] == "trailing":
            list_.append(True)
    return fields


def script() -> str:
    """Return the module of the rows."""
    lines = [
        "// The row of each message: its kind, its fields, and true if they stand behind their",
        "// length. Written by tools/wire_tables.py.",
        "export const ROWS = {",
    ]
    for kind, row in sorted(TABLE.items()):
        measured = [True] if row.body.MEASURED else []
        value = json.dumps([KINDS[row.body].name.lower(), listed(row.body), *measured])
        lines.append(f"  {kind}: {value},")
    return "\n".join([*lines, "};", ""])


def written() -> dict[Path, str]:
    """Return the text of both files."""
    page = PAGE.read_text("utf-8")
    before, rest = page.split(BEGIN)
    _, after = rest.split(END)
    return {PAGE: before + BEGIN + page_table() + END + after, SCRIPT: script()}


def main(arguments: list[str]) -> int:
    """Write, or check."""
    differ = [
        path
        for path, text in written().items()
        if not path.exists() or path.read_text("utf-8") != text
    ]
    for path in differ:
        if arguments == ["--check"]:
            print(f"{path.name}: python tools/wire_tables.py writes other rows")
        else:
            path.write_text(written()[path], "utf-8")
    return 1 if differ and arguments == ["--check"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
