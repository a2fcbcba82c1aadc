"""Tables in Markdown, as the tools that write pages use them."""

from collections.abc import Iterable, Sequence

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
