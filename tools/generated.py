"""Generated files: pages with blocks and tables, records, vectors; written, or compared.

A page has blocks, each between the line `<!-- NAME -->` and `<!-- end -->`.
"""

import json
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
LINE = "---"  # under a heading


def write_or_check(
    arguments: Sequence[str], files: Mapping[Path, str], folder: Path | None = None
) -> int:
    """Write files; with the argument `--check`, compare them instead.

    Args:
        arguments: of the command line.
        files: the text of each.
        folder: has no other JSON files; they are removed.

    Returns:
        the exit code: 1 if a file that is checked is missing, different or left over.
    """
    others = set(folder.glob("*.json")) - files.keys() if folder else set()
    if "--check" in arguments:
        wrong = [path for path, text in files.items() if _text(path) != text]
        for path in sorted([*others, *wrong]):
            print(f"{path.relative_to(ROOT)}: not what {sys.argv[0]} makes", file=sys.stderr)
        return int(bool(others or wrong))
    for path in others:
        path.unlink()
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return 0


def _text(path: Path) -> str | None:
    return path.read_text("utf-8") if path.is_file() else None


def vector_files(folder: Path, vectors: Mapping[str, Any]) -> dict[Path, str]:
    """Return the text of published vectors. vectors: the content of each file, by name."""
    return {folder / name: json.dumps(it, indent=1) + "\n" for name, it in vectors.items()}


def filled(page: str, blocks: Mapping[str, str]) -> str:
    """Return a page with the text of these blocks replaced."""
    names = "|".join(map(re.escape, blocks))
    block = re.compile(rf"(<!-- ({names}) -->\n).*?(<!-- end -->)", re.DOTALL)
    return block.sub(lambda found: found[1] + blocks[found[2]] + found[3], page)


def block(page: str, name: str) -> str:
    """Return the text of a block of a page."""
    return page.partition(f"<!-- {name} -->\n")[2].partition("<!-- end -->")[0]


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


def save_picture(figure: "Figure", path: Path, colours: int) -> None:
    """Write a drawing as a PNG with a palette of so many colours."""
    from PIL import Image
    from veilmix.analysis import drawing

    with Image.open(BytesIO(drawing.rendered(figure, ".png"))) as picture:
        picture.convert("RGB").quantize(colours).save(path, optimize=True)
