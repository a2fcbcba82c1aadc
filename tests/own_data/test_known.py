"""Advice by what others know: targets of sensitive columns, columns kept, both headline numbers."""

from collections import Counter, defaultdict
from math import exp, log
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import veilmix
from veilmix.errors import DataError
from veilmix.own_data.sensitive_targets import Targets

ROLES = {"quasi": "age,zip,sex", "sensitive": "diagnosis,los", "other": "study"}
K, MOST = 4, 0.1
Row = tuple[str, ...]


@pytest.fixture(scope="module")
def trial(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A hundred and fifty people; the length of stay and a diagnosis are the outcome."""
    rng = np.random.default_rng(11)
    rows = [
        (
            str(20 + int(rng.integers(60))),
            f"0{rng.integers(10, 14)}{rng.integers(10)}",
            "fm"[int(rng.integers(2))],
            ("flu", "cold", "hiv", "flu")[int(rng.integers(4))],
            str(int(rng.integers(1, 15))),
            f"s{rng.integers(8)}",
        )
        for _ in range(150)
    ]
    path = tmp_path_factory.mktemp("trial") / "trial.csv"
    names = ("age", "zip", "sex", "diagnosis", "los", "study")
    path.write_text("\n".join(map(",".join, [names, *rows])) + "\n")
    return path


def classes(columns: dict[str, tuple[str, ...]], known: list[str]) -> list[Row]:
    return list(zip(*(columns[name] for name in known), strict=True)) or []


def below(columns: dict[str, tuple[str, ...]], known: list[str]) -> int:
    rows = classes(columns, known)
    sizes = Counter(rows)
    return sum(sizes[row] < K for row in rows)


def missed(
    columns: dict[str, tuple[str, ...]], known: list[str], sought: str, **asked: float
) -> int:
    """The people in classes that miss k or a target, counted one by one."""
    rows, values = classes(columns, known), columns[sought]
    everybody = Counter(values)
    held: dict[Row, Counter[str]] = defaultdict(Counter)
    for row, value in zip(rows, values, strict=True):
        held[row][value] += 1
    order = sorted(everybody, key=float) if asked.pop("ordered", 0) else sorted(everybody)
    people = 0
    for counts in held.values():
        n = sum(counts.values())
        gaps = [counts[v] / n - everybody[v] / len(values) for v in order]
        far = sum(map(abs, gaps)) / 2
        if asked.get("numbers"):
            far = float(np.abs(np.cumsum(gaps)).sum()) / (len(order) - 1)
        entropy = -sum(c / n * log(c / n) for c in counts.values())
        bad = n < K or len(counts) < asked.get("l", 0)
        bad = (
            bad or exp(entropy) < asked.get("entropy_l", 0) - 1e-9 or far > asked.get("t", 1) + 1e-9
        )
        people += n * bad
    return people


def test_outcomes_are_kept_where_others_know_quasi_identifiers(trial: Path) -> None:
    advised = veilmix.advise(trial, K, MOST, **ROLES)  # type: ignore[arg-type]
    said, quasi = advised.coarse(), ["age", "zip", "sex"]
    assert {"diagnosis", "los", "study"} <= set(said)
    left = [name for name in quasi if name in said]
    assert advised.exposed == (below(said, left), below(said, list(said)))
    assert advised.best.people == advised.exposed[0] <= MOST * 150
    assert advised.exposed[1] > MOST * 150
    everything = veilmix.advise(trial, K, MOST, known="all", **ROLES)  # type: ignore[arg-type]
    assert everything.rest is None
    assert everything.exposed[1] <= MOST * 150
    assert everything.best.loss > advised.best.loss
    assert veilmix.advise(trial, K, MOST).knowledge == "all"


@pytest.mark.parametrize(
    ("column", "asked"),
    [
        ("diagnosis", {"l": 3}),
        ("diagnosis", {"entropy_l": 2.2}),
        ("diagnosis", {"t": 0.2}),
        ("los", {"t": 0.12, "numbers": 1}),
        ("los", {"t": 0.3, "nominal": True}),
    ],
)
def test_sensitive_columns_have_targets_of_their_own(
    trial: Path, column: str, asked: dict[str, Any]
) -> None:
    target = Targets(**{key: value for key, value in asked.items() if key != "numbers"})
    advised = veilmix.advise(trial, K, MOST, targets={column: target}, **ROLES)  # type: ignore[arg-type]
    plain = veilmix.advise(trial, K, MOST, **ROLES)  # type: ignore[arg-type]
    said = advised.coarse()
    left = [name for name in ("age", "zip", "sex") if name in said]
    said["all"] = ("",) * 150  # so that a class is there, whatever is dropped
    ordered = {"ordered": 1.0} if "numbers" in asked else {}
    numbers = {key: value for key, value in asked.items() if key != "nominal"}
    found = missed(said, [*left, "all"], column, **numbers, **ordered)
    assert advised.missed == found <= MOST * 150
    assert advised.best.loss >= plain.best.loss
    assert advised.advice.exact


def test_what_is_kept_is_released_as_it_is(trial: Path) -> None:
    advised = veilmix.advise(trial, K, MOST, keep=("sex",), **ROLES)  # type: ignore[arg-type]
    said = advised.coarse()
    assert set(said["sex"]) == {"f", "m"}
    left = [name for name in ("age", "zip", "sex") if name in said]
    assert advised.best.people == below(said, left) == advised.exposed[0] <= MOST * 150
    with pytest.raises(ValueError, match="kept columns leave"):
        veilmix.advise(trial, K, 0.0, keep=("age", "zip"), **ROLES)  # type: ignore[arg-type]
    by = {"by": "promise", **ROLES}
    promised = veilmix.advise(trial, K, MOST, keep=("sex",), **by)  # type: ignore[arg-type]
    assert promised.cost.promised <= MOST * 150


@pytest.mark.parametrize(
    ("more", "match"),
    [
        ({"targets": {"diagnosis": Targets(l=4)}}, "'diagnosis' of all people misses l = 4"),
        ({"keep": ("age", "zip", "sex")}, "no column is left to make coarser"),
        ({"keep": ("agee",)}, "no column is called 'agee'"),
        ({"known": "some"}, "known: found 'some'; quasi and all"),
    ],
)
def test_targets_that_cannot_be_are_refused(trial: Path, more: dict[str, Any], match: str) -> None:
    with pytest.raises(DataError, match=match):
        veilmix.advise(trial, K, MOST, **ROLES, **more)
