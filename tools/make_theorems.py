"""Write the tables of all numbered items of the papers into docs/theorems.md.

python tools/make_theorems.py            write
python tools/make_theorems.py --check    exit 1 if the page is another than the list says

The list is docs/numbered-items.txt. Every name of the package must be there, and every test.
"""

import re
import sys
from dataclasses import dataclass
from functools import reduce
from importlib import import_module
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
PAGE, ITEMS = ROOT / "docs" / "theorems.md", ROOT / "docs" / "numbered-items.txt"
TESTS = ROOT / "tests" / "analysis"
BLOCK = re.compile(r"(<!-- items (\d{3}) -->\n).*?(<!-- end -->)", re.DOTALL)
HEADINGS = ("number", "statement", "status", "where", "test")
FILES = {
    "comp": "composition/test_composition.py",
    "ent": "estimation/test_estimation_entropy.py",
    "est": "estimation/test_estimation.py",
    "exp": "exposure/test_exposure.py",
    "bits": "shuffled/test_shuffled_bits.py",
    "inf": "information/test_information.py",
    "err": "information/test_information_errata.py",
    "fin": "information/test_information_finite.py",
    "post": "information/test_posterior.py",
    "ran": "randomizers/test_randomizers.py",
    "pie": "reidentification/test_pie.py",
    "pb": "reidentification/test_pie_bounds.py",
    "div": "reidentification/test_divergence.py",
    "ib": "incidence/test_incidence_bounds.py",
    "im": "incidence/test_incidence_matrix.py",
    "r0": "figures/test_reproduce000.py",
    "r3": "figures/test_reproduce003.py",
    "rinf": "figures/test_information_figures.py",
    "ist": "figures/test_incidence_study.py",
    "lem": "test_lemmas.py",
    "laws": "information/test_lemmas_of_laws.py",
}


@dataclass(frozen=True, slots=True)
class Item:
    """One numbered item: what it says, what became of it, names of the package, and a test.

    Attributes:
        number: in its paper.
        statement: what it says.
        status: what became of it.
        where: names of the package.
        file, test: of `tests/analysis`, the function without its "test_"; "" where there is none.
    """

    number: str
    statement: str
    status: str
    where: tuple[str, ...]
    file: str
    test: str

    @classmethod
    def of(cls, line: str) -> "Item":
        """From a line of the list."""
        number, statement, status, where, test = (part.strip() for part in line.split(" | "))
        names = () if where == "-" else tuple(where.split(", "))
        alias, _, function = ("", "", "") if test == "-" else test.partition(": ")
        return cls(number, statement, status, names, FILES.get(alias, ""), function)

    @property
    def cells(self) -> tuple[str, ...]:
        """A row of the table."""
        where = ", ".join(f"`{name.removeprefix('analysis.')}`" for name in self.where) or "-"
        test = (
            f"`{self.file.rpartition('/')[2]}` {self.test.replace('_', ' ')}" if self.file else "-"
        )
        return self.number, self.statement, self.status, where, test


def items() -> dict[str, list[Item]]:
    """All items, by paper."""
    items: dict[str, list[Item]] = {}
    for line in ITEMS.read_text(encoding="utf-8").splitlines():
        if heading := re.fullmatch(r"\[(\d{3})\]", line):
            items[heading[1]] = []
        elif line and not line.startswith("#"):
            items[list(items)[-1]].append(Item.of(line))
    return items


def missing(item: Item) -> list[str]:
    """Names and tests of an item that are not there."""
    gone = [name for name in item.where if not _there(name)]
    if item.file:
        source = (TESTS / item.file).read_text(encoding="utf-8")
        if f"def test_{item.test}(" not in source:
            gone.append(f"{item.file}: test_{item.test}")
    return gone


def _there(name: str) -> bool:
    parts = name.split(".")
    for cut in range(len(parts), 0, -1):
        try:
            module: Any = import_module(".".join(["veilmix", *parts[:cut]]))
        except ModuleNotFoundError:
            continue
        try:
            reduce(getattr, parts[cut:], module)
        except AttributeError:
            return False
        return True
    return False


def table(rows: list[Item]) -> str:
    """A table in Markdown."""
    lines = [HEADINGS, ("---",) * len(HEADINGS), *(item.cells for item in rows)]
    return "".join("| " + " | ".join(line) + " |\n" for line in lines)


def written(page: str) -> str:
    """The page with its tables as the list says."""
    known = items()
    return BLOCK.sub(lambda block: block[1] + table(known[block[2]]) + block[3], page)


def main() -> int:
    """Write the page, or compare it."""
    if gone := [name for some in items().values() for item in some for name in missing(item)]:
        print("not there:", *gone, sep="\n")
        return 1
    page = PAGE.read_text(encoding="utf-8")
    if "--check" in sys.argv:
        return int(page != written(page))
    PAGE.write_text(written(page), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
