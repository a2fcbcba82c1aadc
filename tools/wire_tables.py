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
from pathlib import Path
from typing import Any

from veilmix.protocol.wire.announcement import Announcement
from veilmix.protocol.wire.bodies import KINDS, TABLE
from veilmix.protocol.wire.fields import (
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
from veilmix.protocol.wire.records import row_of

ROOT = Path(__file__).parent.parent
PAGE, SCRIPT = ROOT / "docs" / "wire.md", ROOT / "poll" / "static" / "rows.js"
BEGIN, END = "<!-- tools/wire_tables.py -->\n```\n", "```\n<!-- end -->\n"
WIDTH = 118  # signs of a line of the page
AUTHOR = 22  # signs of the second column
ORDERS = {"": "", "ascending": "<", "distinct": "!"}
WHOLE = {Announcement: {"announcement": Blob()}}  # its fields have a section


def rows(body: type) -> dict[str, FieldType]:
    """Return the fields of a message by name."""
    return dict(WHOLE.get(body) or row_of(body))


def notation(type_: FieldType) -> str:
    """Return the notation of a type in docs/wire.md."""
    match type_:
        case Number(size=size, minimum=minimum, maximum=maximum):
            limits = "+" if (minimum, maximum) == (1, None) else f"({minimum}..{type_.limit})"
            return f"u{8 * size}{limits if minimum or maximum is not None else ''}"
        case FixedBytes(size=size):
            return str(size)
        case Trailing(size=size):
            return f"^{size}"
        case EqualSize():
            return "alike"
        case Blob(sizes=sizes):
            return f"blob({'|'.join(map(str, sizes))})" if sizes else "blob"
        case Name(members=members):
            return f"text({'|'.join(members)})"
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


def field_list(fields: dict[str, FieldType]) -> str:
    """Return the fields of a row, as the page lists them."""
    return " ".join(f"{name}:{notation(type_)}" for name, type_ in fields.items()) or "(empty)"


def inner_records() -> dict[str, dict[str, FieldType]]:
    """Return the rows of records inside messages, by name, in the order in which they occur."""
    observed: dict[str, dict[str, FieldType]] = {}
    todo = [type_ for row in TABLE.values() for type_ in rows(row.body).values()]
    for type_ in todo:
        if isinstance(type_, Nested) and type_.record not in KINDS:
            observed[record_name(type_.record)] = rows(type_.record)
            todo += row_of(type_.record).values()
        if isinstance(inner := getattr(type_, "entry", None), FieldType):
            todo.append(inner)
    return observed


def page_table() -> str:
    """Return the table of the page: number, kind, author and fields of each message."""
    lines = [f"{'kind':<16} {'from':<{AUTHOR}} fields"]
    for kind, row in sorted(TABLE.items()):
        first = f"{kind:>2} {KINDS[row.body].name.lower():<13} {row.author:<{AUTHOR}} "
        lines += _wrapped(first, field_list(rows(row.body)))
    lines += ["", "inside"]
    for name, fields in inner_records().items():
        lines += _wrapped(f"   {name:<{14 + AUTHOR}} ", field_list(fields))
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
        case FixedBytes(size=size):
            return ["fixed", size]
        case Trailing(size=size):
            return ["trailing", size]
        case EqualSize():
            return ["alike"]
        case Blob(sizes=sizes):
            return ["blob", list(sizes)]
        case Name(members=members):
            return ["name", [str(member) for member in members]]
        case Either(unset=unset, chosen=chosen):
            return ["choice", str(unset), str(chosen)]
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
        case Nested(record=record):
            return ["nested", listed(rows(record))]
        case Codec(name=name):
            return ["codec", name]
    raise TypeError(type_)


def listed(fields: dict[str, FieldType]) -> list[list[Any]]:
    """Return the fields of a row as the reader in JavaScript takes them."""
    return [[name, described(type_)] for name, type_ in fields.items()]


def script() -> str:
    """Return the module of the rows."""
    lines = [
        "// The row of each message: its kind, and its fields. Written by tools/wire_tables.py.",
        "export const ROWS = {",
    ]
    for kind, row in sorted(TABLE.items()):
        value = json.dumps([KINDS[row.body].name.lower(), listed(rows(row.body))])
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
