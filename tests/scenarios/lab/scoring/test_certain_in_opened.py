"""What coalitions know where only what k people share opens, against a listing of all tables.

Who has which row is listed person by person; a table is possible if it gives a coalition the same
view: the release; for the reader what opened, and the sizes of closed groups; for a member its own
row, and for the reader with it all that is equal to it; for who follows messages to their reader
what opened of each, and which messages are of one group. Certain is what all possible tables agree
on; bits, and the rows and cells that best guesses get right, follow from their number.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import combinations_with_replacement, product
from math import log2
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pytest
from veilmix.analysis.trust import Received
from veilmix.protocol.rounds.exclusion import published_rows
from veilmix.protocol.rounds.opened_prefixes import CLOSED, PREFIXES, WHOLE
from veilmix.protocol.wire.announcement import AnnouncedPolicy
from veilmix.protocol.wire.schema import Feature, Schema
from veilmix.scenarios.lab.play.run import run
from veilmix.scenarios.lab.validation.load import check
from veilmix.scenarios.schema.model import Scenario

VALUES = "nyz"
RULES = (WHOLE, PREFIXES, WHOLE + CLOSED, PREFIXES + CLOSED)
CHAIN = ("analyst", "shuffler-1", "shuffler-2")
COALITIONS = (
    (),
    ("analyst",),
    ("user-1",),
    ("user-1", "user-2"),
    ("analyst", "user-1"),
    ("shuffler-1",),
    ("shuffler-1", "shuffler-2", "user-1"),
    ("curator", "randomness"),
    CHAIN,
    (*CHAIN, "user-1"),
    ("analyst", "randomness"),
    ("analyst", "randomness", "user-1"),
    (*CHAIN, "randomness"),
)
Row = tuple[str, ...]
Table = tuple[Row, ...]


class Known(NamedTuple):
    """What follows from a view: certain cells, bits, and what best guesses get right."""

    cells_certain: int
    bits: float
    rows_guessed: float
    cells_guessed: float


def schema_of(sizes: Sequence[int]) -> Schema:
    names = "ABC"[: len(sizes)]
    return Schema(
        tuple(Feature(name, tuple(VALUES[:size])) for name, size in zip(names, sizes, strict=True))
    )


def rows_of(sizes: Sequence[int]) -> list[Row]:
    return list(product(*(VALUES[:size] for size in sizes)))


def scenario(
    folder: Path, rows: Sequence[Row], sizes: Sequence[int], rule: str, k: int
) -> Scenario:
    schema = schema_of(sizes)
    text = "".join(",".join(row) + "\n" for row in (schema.names, *rows))
    (folder / "people.csv").write_text(text, "utf-8")
    prefixes, close = rule.startswith(PREFIXES), "published" if rule.endswith(CLOSED) else "none"
    data = {
        "scenario": {"name": "small"},
        "population": {"source": str(folder / "people.csv")},
        "feature": [
            {"name": one.name, "values": list(one.values or ())} for one in schema.features
        ],
        "policy": {"kind": "threshold", "k": k, "prefixes": prefixes, "close": close},
        "mix": {"min_batch": 2},
        "coalition": [
            {"name": "-".join(some), "parties": list(some)} for some in COALITIONS if some
        ],
    }
    made = msgspec.convert(data, Scenario)
    check(made)
    return made


def seen(table: Table, members: Sequence[str], sizes: Sequence[int], rule: str, k: int) -> Any:
    """What a coalition sees of a table of people."""
    counts, prefixes = Counter(table), rule.startswith(PREFIXES)
    published = published_rows(counts, AnnouncedPolicy(k, 0.0, rule), schema_of(sizes))
    what: list[Any] = [sorted(published.items())]
    own = [table[person] for person in (0, 1) if f"user-{person + 1}" in members]
    shown = [row[: opened_end(row, table, own, k, prefixes=prefixes)] for row in table]
    groups = [row[: len(open_) + 1] if prefixes else row for row, open_ in zip(table, shown)]  # noqa: B905
    reads, tries = "analyst" in members, {"analyst", "randomness"} <= set(members)
    if reads:
        closed = Counter(zip(shown, groups, strict=True))
        what += [sorted(Counter(shown).items())]
        what += [sorted((open_, people) for (open_, _), people in closed.items())]
    if tries:
        what.append(sorted(counts.items()))
    what += own
    if set(CHAIN) <= set(members):
        what += [shown, [groups.index(group) for group in groups]]
        what += [table] if tries else []
    return repr(what)


def opened_end(row: Row, table: Table, own: Sequence[Row], k: int, *, prefixes: bool) -> int:
    """How many values of a row its reader opens, with the secrets of users who help it."""
    for end in range(len(row), 0, -1 if prefixes else -len(row)):
        alike = sum(other[:end] == row[:end] for other in table)
        if alike >= k or any(other[:end] == row[:end] for other in own):
            return end
    return 0


@cache
def listed(
    n: int, members: tuple[str, ...], sizes: tuple[int, ...], rule: str, k: int
) -> Mapping[str, Known]:
    """What follows from each view that some table gives a coalition."""
    rows = rows_of(sizes)
    alike: dict[str, list[Table]] = {}
    for table in product(rows, repeat=n):
        alike.setdefault(seen(table, members, sizes, rule, k), []).append(table)
    return {view: known(tables, len(rows) ** n) for view, tables in alike.items()}


def known(tables: Sequence[Table], of: int) -> Known:
    """What follows if each of these tables is as likely, of so many before."""
    people = range(len(tables[0]))
    cells = [
        Counter(table[person][column] for table in tables)
        for person in people
        for column in range(len(tables[0][0]))
    ]
    rows = [Counter(table[person] for table in tables) for person in people]
    return Known(
        sum(len(values) == 1 for values in cells),
        log2(of / len(tables)),
        sum(max(row.values()) for row in rows) / len(tables),
        sum(max(values.values()) for values in cells) / len(tables),
    )


def compare(folder: Path, n: int, k: int, sizes: tuple[int, ...], rule: str) -> Counter[str]:
    """Compare all tables of n people; gives how often figures are exact, and how often bounds.

    Fewer cells are called certain than are only where members without the reader know that their
    own rows stayed closed, and so that few others have them.
    """
    found = Counter[str]()
    for rows in combinations_with_replacement(rows_of(sizes), n):
        made = scenario(folder, rows, sizes, rule, k)
        outcome = run(made, 1, "ideal", worst_case_nodes=0)
        assert outcome.released == (n >= 2)
        for members in COALITIONS:
            told = outcome.coalition(*members)
            true = listed(n, members, sizes, rule, k)[seen(rows, members, sizes, rule, k)]
            agree(told, true, (rows, members))
            found["exact"] += told.exact
            found["bounded"] += not told.exact
            reads = "analyst" in members  # who reads has all that a member's own row tells
            if reads or not any(member.startswith("user-") for member in members):
                assert told.cells_certain == true.cells_certain, (rows, members, told, true)
    return found


def agree(told: Received, true: Known, about: object) -> None:
    """What is called exact is equal, and what is called a lower bound is one."""
    for name, right in true._asdict().items():
        claimed = getattr(told, name)
        exact = told.exact if name == "bits" else told.method == "exact"
        assert claimed <= right + 1e-9, (name, about, told, right)
        assert not exact or claimed == pytest.approx(right, abs=1e-9), (name, about, told, right)


@pytest.mark.parametrize("rule", [PREFIXES, PREFIXES + CLOSED])
def test_a_closed_value_is_known_if_it_is_the_value_that_others_open(
    rule: str, tmp_path: Path
) -> None:
    """A member has (n, n), so the other who is (n, blank) has y there, as all who are open."""
    rows = (("n", "n"), ("n", "y"), ("y", "y"), ("y", "y"))
    outcome = run(scenario(tmp_path, rows, (2, 2), rule, 2), 1, "ideal", worst_case_nodes=0)
    assert outcome.coalition("analyst", "user-1").cells_certain == 5  # before: 2


@pytest.mark.slow
@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize(("n", "k"), [(2, 2), (2, 3), (3, 2), (3, 3)])
def test_what_is_called_exact_is_exact(n: int, k: int, rule: str, tmp_path: Path) -> None:
    """Before, of three people who are all (y, n) and all open, 0 of 6 cells were called certain."""
    found = compare(tmp_path, n, k, (2, 2), rule)
    assert min(found["exact"], found["bounded"]) > 0


@pytest.mark.long
@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("sizes", [(2, 2), (3,)])
def test_what_is_called_exact_is_exact_of_four_people(
    sizes: tuple[int, ...], k: int, rule: str, tmp_path: Path
) -> None:
    found = compare(tmp_path, 4, k, sizes, rule)
    assert min(found["exact"], found["bounded"]) > 0
