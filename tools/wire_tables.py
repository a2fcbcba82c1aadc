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
    Alike,
    Blob,
    Choice,
    Codec,
    FieldType,
    Fixed,
    Items,
    Many,
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
        case Number(size=size, least=least, most=most):
            limits = "+" if (least, most) == (1, None) else f"({least}..{type_.limit})"
            return f"u{8 * size}{limits if least or most is not None else ''}"
        case Fixed(size=size):
            return str(size)
        case Trailing(size=size):
            return f"^{size}"
        case Alike():
            return "alike"
        case Blob(sizes=sizes):
            return f"blob({'|'.join(map(str, sizes))})" if sizes else "blob"
        case Name(members=members):
            return f"text({'|'.join(members)})"
        case Choice(unset=unset, chosen=chosen):
            return f"flag({unset}|{chosen})"
        case Matching(of=of, field=field, more=more):
            return f"{notation(of)}*({field}+{more})"
        case Maybe(of=of, count=count):
            return f"?{notation(of)}" if count == 1 else f"[{notation(of)}]?"
        case Items(of=of):
            width = f"({of.size})" if isinstance(of, Fixed) else ""
            return f"items{width}{_suffix(type_)}"
        case Many(of=of, count=count):
            first, last = "[]" if count == 2 else "{}"
            return f"{first}{notation(of)}{last}{_suffix(type_)}"
        case Nested(record=record):
            return record_name(record)
        case Codec(name=name):
            return name
    raise TypeError(type_)


def _suffix(type_: Many | Items) -> str:
    """Return the limits and the order of a list."""
    limits = "+" if type_.least else ""
    limits = f"({type_.least}..{type_.most})" if type_.most is not None else limits
    return limits + ORDERS[type_.order]


def record_name(record: type) -> str:
    """Return the name of a record inside messages: that of its class, in words."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "-", record.__name__).lower()


def field_list(fields: dict[str, FieldType]) -> str:
    """Return the fields of a row, as the page lists them."""
    return " ".join(f"{name}:{notation(type_)}" for name, type_ in fields.items()) or "(empty)"


def inner_records() -> dict[str, dict[str, FieldType]]:
    """Return the rows of records inside messages, by name, in the order in which they occur."""
    found: dict[str, dict[str, FieldType]] = {}
    todo = [type_ for row in TABLE.values() for type_ in rows(row.body).values()]
    for type_ in todo:
        if isinstance(type_, Nested) and type_.record not in KINDS:
            found[record_name(type_.record)] = rows(type_.record)
            todo += row_of(type_.record).values()
        if isinstance(inner := getattr(type_, "of", None), FieldType):
            todo.append(inner)
    return found


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
        case Number(size=size, least=least, limit=limit):
            return ["number", size, least, limit]
        case Fixed(size=size):
            return ["fixed", size]
        case Trailing(size=size):
            return ["trailing", size]
        case Alike():
            return ["alike"]
        case Blob(sizes=sizes):
            return ["blob", list(sizes)]
        case Name(members=members):
            return ["name", [str(member) for member in members]]
        case Choice(unset=unset, chosen=chosen):
            return ["choice", str(unset), str(chosen)]
        case Matching(of=of, field=field, more=more):
            return ["matching", described(of), field, more]
        case Maybe(of=of, count=count, absent=absent):
            return ["maybe", described(of), count, "" if absent == b"" else absent]
        case Items(of=of, least=least, order=order):
            return ["items", of.size if isinstance(of, Fixed) else 0, least, order]
        case Many(of=of, count=count, least=least, most=most, order=order):
            return ["many", described(of), count, least, most or (1 << 8 * count) - 1, order]
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
