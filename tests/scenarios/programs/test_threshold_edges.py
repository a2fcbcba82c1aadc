"""The program `threshold` at its edges: open values, tiny crowds, few values, nobody.

Each case is played with messages and without, opened whole and by prefixes, closed further and not,
verified from its folder and by a replay. Who is known by exclusion is worked out by hand.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pytest
from checks_kit import require
from ideal_kit import check_same
from veilmix.scenarios.lab.play.run import run
from veilmix.scenarios.lab.validation.load import check
from veilmix.scenarios.programs.threshold.score import OpenedRows
from veilmix.scenarios.records.run_folder import read, save
from veilmix.scenarios.records.verification.checks import verify
from veilmix.scenarios.schema.model import Fault, Scenario

MANY = tuple(f"v{number}" for number in range(40))
Known = tuple[int, int]  # people known by exclusion: to everybody, to the reader


class Case(NamedTuple):
    """A table, and who is known by exclusion where all is published, and where less is.

    domains: values of each column; None: any text.
    """

    rows: Sequence[str]
    domains: tuple[tuple[str, ...] | None, ...]
    k: int
    none: Known
    published: Known


YES_NO = ("n", "y")
CASES = {
    "open values": Case("a" * 6 + "b" * 4 + "c" * 4, (None,), 5, (0, 0), (0, 0)),
    "open values, a rest of few": Case("a" * 6 + "b" * 4, (None,), 5, (4, 4), (0, 4)),
    "open values beside a domain": Case(["an"] * 6 + ["by"] * 3, (None, YES_NO), 5, (3, 3), (0, 3)),
    "more values than people": Case(["v1", "v1", "v2"], (MANY,), 2, (1, 1), (0, 1)),
    "k above the people": Case("n" * 4 + "y" * 3, (YES_NO,), 9, (0, 0), (0, 0)),
    "k people, and nothing opens": Case("n" * 3 + "y" * 2, (YES_NO,), 5, (5, 5), (5, 5)),
    "one column": Case("n" * 9 + "y" * 2, (YES_NO,), 5, (2, 2), (0, 2)),
    "one value": Case("n" * 8, (("n",),), 5, (0, 0), (0, 0)),
    "one value, and k above the people": Case("n" * 3, (("n",),), 5, (0, 0), (0, 0)),
    "all equal": Case(["nn"] * 8, (YES_NO, YES_NO), 5, (0, 0), (0, 0)),
}


def scenario(folder: Path, case: Case, faults: Sequence[Fault] = (), **policy: Any) -> Scenario:
    names = "AB"[: len(case.domains)]
    lines = [",".join(row if len(names) > 1 else [row]) for row in case.rows]
    (folder / "people.csv").write_text("\n".join([",".join(names), *lines, ""]), "utf-8")
    features = [
        {"name": name, "open": True, "width": 4}
        if values is None
        else {"name": name, "values": values}
        for name, values in zip(names, case.domains, strict=True)
    ]
    data = {
        "scenario": {"name": "edge", "seed": 3},
        "population": {"source": str(folder / "people.csv")},
        "feature": features,
        "policy": {"kind": "threshold", "k": case.k, **policy},
        "mix": {"min_batch": 2},
    }
    made = msgspec.structs.replace(msgspec.convert(data, Scenario), fault=tuple(faults))
    check(made)
    return made


@pytest.mark.slow
@pytest.mark.parametrize("prefixes", [False, True])
@pytest.mark.parametrize("close", ["none", "published"])
@pytest.mark.parametrize("name", CASES)
def test_an_edge_is_played_counted_and_verified(
    name: str, close: str, prefixes: bool, tmp_path: Path
) -> None:
    case = CASES[name]
    made = scenario(tmp_path, case, prefixes=prefixes, close=close)
    real, ideal = (run(made, mode=mode) for mode in ("real", "ideal"))
    check_same(real, ideal)
    assert isinstance(real.findings, OpenedRows)
    expected = case.none if close == "none" else case.published
    assert real.findings.by_exclusion == expected
    assert real.exposure.true == expected[0] / len(case.rows)
    require(verify(read(save(real, tmp_path))))


@pytest.mark.slow
@pytest.mark.parametrize("close", ["none", "published"])
def test_where_everybody_is_missing_nothing_is_said(close: str, tmp_path: Path) -> None:
    gone = Fault(attack="absent", users=11)
    made = scenario(tmp_path, CASES["one column"], [gone], close=close)
    real, ideal = (run(made, mode=mode) for mode in ("real", "ideal"))
    assert real.burned
    assert real.release is ideal.release is None
    assert real.findings is ideal.findings is None
    assert real.exposure == ideal.exposure
    assert real.exposure.true == 0
    require(verify(read(save(real, tmp_path))))


@pytest.mark.slow
def test_who_is_missing_is_in_no_group(tmp_path: Path) -> None:
    """Of nine people with `n` five come, and of two with `y` one: then it is alone."""
    gone = [Fault(attack="absent", by=f"user-{number}") for number in (1, 2, 3, 4, 11)]
    for close, expected in (("none", (1, 1)), ("published", (0, 1))):
        made = scenario(tmp_path, CASES["one column"], gone, close=close)
        real, ideal = (run(made, mode=mode) for mode in ("real", "ideal"))
        check_same(real, ideal)
        assert isinstance(real.findings, OpenedRows)
        assert real.findings.by_exclusion == expected
