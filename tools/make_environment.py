"""Write the table of docs/environment.md from tests/environment.toml, which a test plays.

python tools/make_environment.py            write it
python tools/make_environment.py --check    exit 1 if it is another
"""

import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
PAGE, DATA = ROOT / "docs" / "environment.md", ROOT / "tests" / "environment.toml"
START, END = "<!-- variables -->\n", "<!-- end -->"
HEADINGS = ("variable", "read by", "tried", "changes")


def lines() -> Iterator[str]:
    """The lines of the table."""
    yield f"| {' | '.join(HEADINGS)} |"
    yield "|---" * len(HEADINGS) + "|"
    for group in tomllib.loads(DATA.read_text("utf-8"))["group"]:
        changes = "last digits of figures" if group.get("digits") else "nothing"
        for row in group["variables"]:
            tried = ", ".join(f"`{value}`" for value in row["tried"])
            looks = f"looks: {row['looks']}" if "looks" in row else changes
            yield f"| `{row['name']}` | {group['library']} | {tried} | {looks} |"


def page() -> str:
    """The page with the table as it is now."""
    before, _, rest = PAGE.read_text("utf-8").partition(START)
    _, _, after = rest.partition(END)
    return f"{before}{START}{chr(10).join(lines())}\n{END}{after}"


def main() -> int:
    """Write the page, or compare it."""
    if "--check" in sys.argv[1:]:
        return int(PAGE.read_text("utf-8") != page())
    PAGE.write_text(page(), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
