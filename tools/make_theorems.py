"""Write a page for each paper: the list of its numbered items, and their exact statements.

python tools/make_theorems.py            write docs/statements-NNN.md
python tools/make_theorems.py --check    exit 1 if a page differs from the list

The list is docs/numbered-items.txt, the mathematics docs/statements/NNN.txt, and the meaning of
signs docs/statements/notation.txt. Every item must have a statement, and every name of the package
and every test must be there.
"""

import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from importlib import import_module
from pathlib import Path
from typing import Any

from generated import DOCS, ROOT, write_or_check

sys.path.insert(0, str(DOCS / "extensions"))

from statements import Statement, listed_items, statements

PAGE = DOCS / "theorems.md"
TESTS = ROOT / "tests" / "analysis"
STATUS = re.compile(r"^(true|corrected|sharper|false|used|definition|out of scope|open|redrawn)\b")
TITLE = re.compile(r"^## Paper (\d{3}): (.+)$", re.MULTILINE)
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
    def of(cls, fields: Sequence[str]) -> "Item":
        """Return the item with these fields of the list."""
        number, statement, status, where, test = fields
        names = () if where == "-" else tuple(where.split(", "))
        alias, _, function = ("", "", "") if test == "-" else test.partition(": ")
        return cls(number, statement, status, names, FILES.get(alias, ""), function)

    def subject(self) -> str:
        """Return the first line of the section: the subject, and the status in bold.

        What is true as printed has no status.
        """
        status = STATUS.sub(lambda word: f"**{word[0]}**", self.status)
        remark = "" if self.status == "true" else f" Status: {status}."
        return f"{self.statement[0].upper()}{self.statement[1:]}.{remark}\n"

    def block(self, statement: Statement) -> str:
        """The subject (definitions begin with it), the statement, its functions and its test."""
        functions = f"\n**Functions**: {_names(self.where)}.\n" if self.where else ""
        file = self.file.rpartition("/")[2]
        tested = f"\n**Test**: `{file}::test_{self.test}`\n" if file else ""
        subject = "" if self.status == "definition" else f"{self.subject()}\n"
        return f"## {self.number}\n\n{subject}{statement.markdown}{functions}{tested}"


def items() -> dict[str, list[Item]]:
    """Return all items, by paper."""
    return {paper: [Item.of(fields) for fields in rows] for paper, rows in listed_items().items()}


def missing(item: Item) -> list[str]:
    """Names and tests of an item that are not there."""
    gone = [name for name in item.where if not _there(name)]
    if item.file:
        source = (TESTS / item.file).read_text(encoding="utf-8")
        if f"def test_{item.test}(" not in source:
            gone.append(f"{item.file}: test_{item.test}")
    return gone


def unstated(paper: str) -> list[str]:
    """Return the items that are in the list and not among the statements, or the other way."""
    listed, stated = {item.number for item in items()[paper]}, set(statements(paper))
    return sorted(f"{paper}: {number}" for number in listed ^ stated)


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


def _names(names: Sequence[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def statement_pages(page: str) -> dict[Path, str]:
    """The page of exact statements of each paper that the page of theorems has a title of."""
    return {
        DOCS / f"statements-{paper}.md": statement_page(paper, title)
        for paper, title in TITLE.findall(page)
    }


def statement_page(paper: str, title: str) -> str:
    """Return the page of a paper: its numbered items, with their exact statements."""
    known, rows = statements(paper), items()[paper]
    head = (
        f"# Statements of paper {paper}: {title}\n\n[Theorems](theorems.md) says what a status of "
        "these items means; an item without one is true as printed.\nWritten by "
        f"`tools/make_theorems.py` from `docs/statements/{paper}.txt`.\n"
    )
    return "\n".join([head, *(item.block(known[item.number]) for item in rows)])


def main() -> int:
    """Write the pages, or compare them."""
    gone = [name for some in items().values() for item in some for name in missing(item)]
    if gone := gone + [name for paper in items() for name in unstated(paper)]:
        print("not there:", *gone, sep="\n")
        return 1
    return write_or_check(sys.argv[1:], statement_pages(PAGE.read_text(encoding="utf-8")))


if __name__ == "__main__":
    sys.exit(main())
