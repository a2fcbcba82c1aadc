"""Tables in Markdown and their records, as the tools that write pages use them."""

import json
from collections.abc import Iterable, Mapping, Sequence

LINE = "---"  # under a heading


def written_table(
    headings: Sequence[str], rows: Iterable[Sequence[str]], lines: Sequence[str] = ()
) -> str:
    """Return a table in Markdown. lines: under the headings, to align columns; else LINE."""
    whole = [headings, lines or [LINE] * len(headings), *rows]
    return "".join("| " + " | ".join(row) + " |\n" for row in whole)


def table_cells(text: str) -> list[list[str]]:
    """Return the cells of a table in Markdown, without its headings. Other lines are left out."""
    lines = [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line] for line in lines[2:]]


def record_text(record: Mapping[str, object]) -> str:
    """Return what a page is written from as JSON, a row a line."""
    parts = []
    for name, value in record.items():
        text = json.dumps(value, ensure_ascii=False)
        if isinstance(value, list):
            rows = (f"  {json.dumps(row, ensure_ascii=False)}" for row in value)
            text = "[\n" + ",\n".join(rows) + "\n ]"
        parts.append(f' "{name}": {text}')
    return "{\n" + ",\n".join(parts) + "\n}\n"
