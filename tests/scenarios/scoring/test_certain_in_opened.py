"""Cells that are certain where only what k people share opens, against a listing of all tables.

Who has which row is listed person by person; a table is possible if it gives a coalition the same
release (and the reader the same sizes), and its members and those it links the same rows. Certain
is what all possible tables agree on.
"""

from collections import Counter
from collections.abc import Sequence
from itertools import combinations_with_replacement, product
from pathlib import Path
from typing import Any

import msgspec
import pytest
from veilmix.protocol.announcement import Policy
from veilmix.protocol.exclusion import published_rows, sizes_behind
from veilmix.protocol.opened_prefixes import CLOSED, PREFIXES, WHOLE, opened, shown_of
from veilmix.protocol.schema import Feature, Schema
from veilmix.scenarios.play.run import run
from veilmix.scenarios.schema.model import Scenario
from veilmix.scenarios.validation.load import check

VALUES = ("n", "y")
ROWS = list(product(VALUES, repeat=2))
SCHEMA = Schema((Feature("A", VALUES), Feature("B", VALUES)))
COALITIONS = (
    (),
    ("analyst",),
    ("user-1",),
    ("analyst", "user-1"),
    ("shuffler-1",),
    ("analyst", "shuffler-1", "shuffler-2"),
    ("analyst", "randomness"),
)
Row = tuple[str, ...]


def scenario(folder: Path, rows: Sequence[Row], k: int, **policy: Any) -> Scenario:
    text = "A,B\n" + "".join(",".join(row) + "\n" for row in rows)
    (folder / "people.csv").write_text(text, "utf-8")
    data = {
        "scenario": {"name": "small"},
        "population": {"source": str(folder / "people.csv")},
        "feature": [{"name": name, "values": list(VALUES)} for name in "AB"],
        "policy": {"kind": "threshold", "k": k, **policy},
        "mix": {"min_batch": 2},
        "coalition": [
            {"name": "-".join(some), "parties": list(some)} for some in COALITIONS if some
        ],
    }
    made = msgspec.convert(data, Scenario)
    check(made)
    return made


def seen(table: Sequence[Row], members: Sequence[str], rule: str, k: int) -> Any:
    """What a coalition sees of a table of people."""
    counts, prefixes = Counter(table), rule.startswith(PREFIXES)
    published = published_rows(counts, Policy(k, 0.0, rule), SCHEMA)
    what: list[Any] = [frozenset(published.items())]
    raw = opened(counts, k, prefixes=prefixes)
    if "analyst" in members:
        sizes = sizes_behind(counts, k, prefixes=prefixes)
        what += [frozenset(raw.items()), sorted((p, sorted(s)) for p, s in sizes.items())]
    if "randomness" in members:
        what.append(frozenset(counts.items()))
    if "user-1" in members:
        what.append(table[0])
    if "shuffler-2" in members:
        ends = {cell[: cell.index(" blank")] if " blank" in cell else cell for cell in raw}
        what.append([shown_of(dict(enumerate(row)), ends) for row in table])
    return what


def certain(table: Sequence[Row], members: Sequence[str], rule: str, k: int) -> int:
    """Cells on which all tables agree that look the same to a coalition."""
    mine = seen(table, members, rule, k)
    alike = [
        other for other in product(ROWS, repeat=len(table)) if seen(other, members, rule, k) == mine
    ]
    return sum(
        len({other[person][column] for other in alike}) == 1
        for person in range(len(table))
        for column in range(2)
    )


def compare(folder: Path, n: int, k: int, rule: str) -> Counter[str]:
    """Compare all tables of n people; gives how often the figure is equal, and how often less."""
    found: Counter[str] = Counter()
    policy = {
        "prefixes": rule.startswith(PREFIXES),
        "close": "published" if rule.endswith(CLOSED) else "none",
    }
    for rows in combinations_with_replacement(ROWS, n):
        made = scenario(folder, rows, k, **policy)
        outcome = run(made, 1, "ideal", worst_case_nodes=0)
        for members in COALITIONS:
            told, true = outcome.coalition(*members), certain(rows, members, rule, k)
            assert told.cells_certain <= true, (rows, members, told, true)
            equal = told.cells_certain == true
            assert equal or (told.method != "exact" and members), (rows, members, told, true)
            found["equal" if equal else "less"] += 1
    return found


@pytest.mark.slow
@pytest.mark.parametrize("rule", [WHOLE, PREFIXES, WHOLE + CLOSED, PREFIXES + CLOSED])
def test_certain_cells_of_three_people(rule: str, tmp_path: Path) -> None:
    """Before, of three people who are all (y, n) and all open, 0 of 6 cells were called certain."""
    found = compare(tmp_path, 3, 2, rule)
    assert found == {"equal": found["equal"]}


@pytest.mark.long
@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("rule", [WHOLE, PREFIXES, WHOLE + CLOSED, PREFIXES + CLOSED])
def test_certain_cells_of_four_people(rule: str, k: int, tmp_path: Path) -> None:
    found = compare(tmp_path, 4, k, rule)
    assert found == {"equal": found["equal"]}
