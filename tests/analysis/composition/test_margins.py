"""The sharpest promise that whole numbers alone prove, its check, and 4,000 forgeries of proofs."""

import ast
import json
import os
import random
from collections.abc import Callable
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from imports_kit import code_lines
from veilmix.analysis import composition
from veilmix.analysis.composition import best_bound, check_margins, margins_bound, worst_case  # type: ignore[attr-defined]
from veilmix.analysis.composition.check_margins import SCALE, proved_people
from veilmix.analysis.composition.check_margins import check_margins as check
from veilmix.analysis.composition.margins_bound import MarginsCertificate
from veilmix.analysis.composition.margins_bound import margins_bound as bound
from veilmix.errors import ParameterError, VerificationError
from veilmix.scenarios.lab.validation.load import load
from veilmix.scenarios.programs.registry import samples

FORGED = int(os.environ.get("VEILMIX_FORGED", "4000"))


def columns(name: str) -> list[list[int]]:
    people = samples(load(name), 7).people
    return [np.bincount(column).tolist() for column in people.codes.T]


CENSUS = columns("census")
LARGER = [[90, 40, 12, 3], [70, 50, 25], [80, 44, 21]]


def proof(prices: list[list[int]], blocks: list[Any] | None = None) -> bytes:
    return json.dumps({"prices": prices, "blocks": blocks or []}).encode()


@pytest.mark.slow
@pytest.mark.parametrize(("k", "most"), [(10, 1_209), (50, 4_043), (200, 9_807)])
def test_the_census_reaches_its_figures(k: int, most: int) -> None:
    certificate = bound(CENSUS, k)
    assert isinstance(certificate, MarginsCertificate)
    assert certificate.people <= most
    assert certificate.people < best_bound(CENSUS, k).people
    check(CENSUS, k, certificate.people, certificate.proof)
    with pytest.raises(VerificationError, match="the proof gives"):
        check(CENSUS, k, certificate.people - 1, certificate.proof)


def test_a_proof_holds_in_whatever_order_values_are_counted() -> None:
    certificate, rng = bound(LARGER, 9), random.Random(3)
    assert isinstance(certificate, MarginsCertificate)
    for _ in range(20):
        mixed = [rng.sample([*column, 0], len(column) + 1) for column in LARGER]
        check(mixed, 9, certificate.people, certificate.proof)
        assert bound(mixed, 9) == certificate


def test_the_promise_of_a_run_is_asked_by_its_public_name() -> None:
    certificate = composition.best_bound(LARGER, 9, "margins")
    assert certificate == bound(LARGER, 9)
    assert certificate.people < composition.best_bound(LARGER, 9).people
    certificate.verify([[0, *column] for column in LARGER])
    with pytest.raises(VerificationError, match="the proof gives"):
        replace(certificate, people=certificate.people - 1).verify(LARGER)
    with pytest.raises(VerificationError, match="counts another number"):
        certificate.verify([[*column, 1] for column in LARGER])
    with pytest.raises(ParameterError, match="needs 'margins', 'coverage'"):
        composition.best_bound(LARGER, 9, "price")


def test_a_proof_is_the_same_every_time() -> None:
    assert bound(LARGER, 9) == bound(LARGER, 9)


@settings(max_examples=40, deadline=None)
@given(
    some.lists(some.tuples(*[some.integers(0, 3)] * 3), min_size=2, max_size=40),
    some.integers(1, 9),
)
def test_the_truth_is_never_more_and_coverage_never_less(
    rows: list[tuple[int, ...]], k: int
) -> None:
    marginals = [np.bincount([row[j] for row in rows], minlength=4).tolist() for j in range(3)]
    certificate = bound(marginals, k)
    true = sum(rows.count(row) for row in set(rows) if rows.count(row) < k)
    assert true <= certificate.people <= best_bound(marginals, k).people
    if isinstance(certificate, MarginsCertificate):
        check(marginals, k, certificate.people, certificate.proof)


def test_no_worst_table_is_above_it() -> None:
    certificate, worst = bound(LARGER, 9), worst_case(LARGER, 9, 5)
    assert isinstance(certificate, MarginsCertificate)
    assert worst.people <= certificate.people


@settings(max_examples=60, deadline=None)
@given(some.data())
def test_any_prices_prove_what_is_true(data: some.DataObject) -> None:
    """Not only those that a search finds: no table with these columns has more exposed people."""
    rows = data.draw(some.lists(some.tuples(*[some.integers(0, 2)] * 2), min_size=3, max_size=18))
    k = data.draw(some.integers(1, 6))
    marginals = [np.bincount([row[j] for row in rows], minlength=3).tolist() for j in range(2)]
    sizes = [sum(c >= k for c in column) + any(0 < c < k for c in column) for column in marginals]
    price = some.integers(-3 * SCALE, 3 * SCALE)
    prices = [data.draw(some.lists(price, min_size=size, max_size=size)) for size in sizes]
    blocks = []
    for j, size in enumerate(sizes):
        values = data.draw(some.sets(some.integers(0, size - 1)))
        blocks.append([data.draw(some.integers(0, 4 * SCALE)), [[j, sorted(values)]]])
    true = sum(rows.count(row) for row in set(rows) if rows.count(row) < k)
    assert proved_people(marginals, k, proof(prices, blocks)) >= true


def test_every_table_of_small_columns_keeps_it() -> None:
    """All tables with these columns, one by one."""
    first, second, k = (5, 3, 1), (4, 4, 1), 3
    worst = 0
    for a, b, c, d in product(range(6), repeat=4):
        table = [[a, b, 5 - a - b], [c, d, 3 - c - d]]
        table.append([second[j] - table[0][j] - table[1][j] for j in range(3)])
        cells = [cell for row in table for cell in row]
        if min(cells) >= 0 and sum(table[2]) == first[2]:
            worst = max(worst, sum(cell for cell in cells if cell < k))
    assert worst <= bound([list(first), list(second)], k).people


def forgeries(honest: dict[str, Any], people: int) -> list[Callable[[random.Random], Any]]:
    """Ways to change a certificate so that it claims fewer people, or says something else."""

    def priced(rng: random.Random) -> Any:
        made = json.loads(json.dumps(honest))
        column = rng.choice(made["prices"])
        at = rng.randrange(len(column))
        column[at] += rng.choice((-1, 1)) * rng.randrange(1, SCALE)
        return people - 1 - rng.randrange(3), made

    def blocked(rng: random.Random) -> Any:
        made = json.loads(json.dumps(honest))
        block = rng.choice(made["blocks"])
        block[0] = rng.choice((-block[0], block[0] * rng.randrange(2, 9), -1))
        return people - 1 - rng.randrange(50), made

    def widened(rng: random.Random) -> Any:
        made = json.loads(json.dumps(honest))
        block = rng.choice(made["blocks"])
        sets = block[1] or [[0, [0]]]
        part = rng.choice(sets)
        part[1] = [*part[1], rng.randrange(-2, 9)]
        return people - 1, made

    def shaped(rng: random.Random) -> Any:
        made = json.loads(json.dumps(honest))
        wrong = rng.choice(
            [
                *("[]", "{}", "nothing", '{"prices": [], "blocks": []}', "\x00", "[" * 5_000),
                json.dumps(made | {"more": 1}),
                json.dumps(made | {"prices": made["prices"][:-1]}),
                json.dumps(made | {"prices": [[1.5] * len(price) for price in made["prices"]]}),
                json.dumps(made | {"prices": [[True] * len(price) for price in made["prices"]]}),
                json.dumps(
                    made | {"prices": [[1 << 400] * len(price) for price in made["prices"]]}
                ),
                json.dumps(made | {"blocks": [[1, [[0, [0]], [0, [1]]]]]}),
                json.dumps(made | {"blocks": [[1, [[9, [0]]]]]}),
                json.dumps(made | {"blocks": [[-1, []]]}),
                json.dumps(made | {"blocks": [[1, [["0", [0]]]]]}),
                json.dumps(made | {"blocks": 7}),
            ]
        )
        return people, wrong

    return [priced, blocked, widened, shaped]


@pytest.mark.slow
def test_forged_certificates_are_refused() -> None:
    """4,000 of them; VEILMIX_FORGED says another number."""
    marginals, k = LARGER, 9
    certificate = bound(marginals, k)
    assert isinstance(certificate, MarginsCertificate)
    honest, rng = json.loads(certificate.proof), random.Random(19)
    assert honest["blocks"]
    ways = forgeries(honest, certificate.people)
    for number in range(FORGED):
        people, made = ways[number % len(ways)](rng)
        data = (made if isinstance(made, str) else json.dumps(made)).encode()
        with pytest.raises(VerificationError, match="margins"):
            check(marginals, k, people, data)


def test_other_columns_and_other_k_are_not_proved_by_it() -> None:
    certificate = bound(LARGER, 9)
    assert isinstance(certificate, MarginsCertificate)
    for other in ([*LARGER, [145]], [[130, 12, 3], *LARGER[1:]]):
        with pytest.raises(VerificationError, match="one price for each value"):
            check(other, 9, certificate.people, certificate.proof)
    with pytest.raises(VerificationError, match="columns whose counts have equal sums"):
        check([[90, 40, 12, 4], *LARGER[1:]], 9, certificate.people, certificate.proof)
    with pytest.raises(VerificationError, match="the proof gives"):
        check(LARGER, 12, certificate.people, certificate.proof)


def test_who_checks_shares_nothing_with_who_searches() -> None:
    """It is short, and imports the language, the error that it raises, and the decoder of JSON."""
    path = Path(check_margins.__file__ or "")
    tree = ast.parse(path.read_text("utf-8"))
    assert code_lines(check_margins) <= 100
    imported = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    assert [node.module for node in imported if node.level] == ["errors", "strict_text"]
    assert "margins_bound" not in {name.name for node in imported for name in node.names}
    assert Path(margins_bound.__file__ or "") != path


def test_where_coverage_says_as_much_it_is_given() -> None:
    wide = [[100 + at for at in range(20)]] * 3  # 8,000 cells
    assert bound(wide, 60) == best_bound(wide, 60)
    assert bound([[50, 50]], 60).rule == "exact"
    with pytest.raises(ParameterError):
        bound([[1, 2], [4]], 2)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("{", "no JSON: not JSON: "),
        ('{"prices": [], "prices": [], "blocks": []}', "prices: this key is there twice"),
        ('{"prices": [[NaN]], "blocks": []}', r"prices\[0\]\[0\]: found NaN"),
        ('{"prices": [[%s]], "blocks": []}' % ("9" * 5_000), "a number of 5,000 digits"),
        ("[" * 100_000, "nested too deeply"),
        ("{}", "the proof needs the keys prices and blocks, and no others"),
    ],
    ids=["cut short", "a key twice", "no number", "too many digits", "too deep", "other keys"],
)
def test_a_proof_that_is_no_strict_json_is_refused(text: str, why: str) -> None:
    with pytest.raises(VerificationError, match=f"^margins: .*{why}"):
        proved_people([[3, 2], [4, 1]], 2, text.encode())
