"""Write the tables of docs/environment.md from tests/environment.toml, which a test plays.

python tools/make_environment.py            write it
python tools/make_environment.py --check    exit 1 if it is another
"""

import sys
import tomllib
from collections.abc import Iterator

from generated import DOCS, ROOT, filled, write_or_check

PAGE, DATA = DOCS / "environment.md", ROOT / "tests" / "environment.toml"
HEADINGS = ("read by", "changes", "variables, with the values tried")


def lines() -> Iterator[str]:
    """The lines of the table: one for the variables of a library with the same effect."""
    yield f"| {' | '.join(HEADINGS)} |"
    yield "|---" * len(HEADINGS) + "|"
    for group in tomllib.loads(DATA.read_text("utf-8"))["group"]:
        changes = "last digits of figures" if group.get("digits") else "nothing"
        alike: dict[str, list[str]] = {}
        for row in group["variables"]:
            looks = f"looks: {row['looks']}" if "looks" in row else changes
            alike.setdefault(looks, []).append(f"`{row['name']}={','.join(row['tried'])}`")
        for looks, variables in alike.items():
            yield f"| {group['library']} | {looks} | {', '.join(variables)} |"


def untried() -> Iterator[str]:
    """The list of the variables that were not tried, by reason."""
    for rows in tomllib.loads(DATA.read_text("utf-8"))["untried"]:
        yield f"* {rows['why']}: {', '.join(f'`{name}`' for name in rows['names'])}"


def page() -> str:
    """The page with the tables as they are now."""
    made = [*lines(), "", "Read, and not tried:", "", *untried(), ""]
    return filled(PAGE.read_text("utf-8"), {"variables": "\n".join(made)})


if __name__ == "__main__":
    sys.exit(write_or_check(sys.argv[1:], {PAGE: page()}))
