"""Proofs by cases: exact on small tables, never below a real table, refused where they are none."""

import ast
import json
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from census_kit import CENSUS
from every_table import all_tables
from imports_kit import code_lines
from veilmix.analysis.composition import case_relaxation, check_cases
from veilmix.analysis.composition.case_search import search_cases
from veilmix.analysis.composition.check_cases import proved_by_cases
from veilmix.analysis.composition.exact_worst_case import worst_case
from veilmix.analysis.composition.margins_bound import margins_bound
from veilmix.errors import VerificationError

THREE = [column.tolist() for column in CENSUS[:3]]
ADMISSIONS = [[933, 585, 918, 792, 584, 714], [1835, 2691], [2771, 1755]]  # dept, sex, admitted
HAIR_EYE = [[108, 286, 71, 127], [220, 215, 93, 64], [279, 313]]
WORST = 117  # of the first three columns of the census, k = 10
MUTATIONS = 60


@pytest.fixture(scope="module")
def proof() -> bytes:
    return search_cases(THREE, 10, WORST, 1_000).proof


@pytest.mark.slow
@pytest.mark.parametrize(
    ("columns", "k", "bound", "people"),
    [
        (THREE, 10, 126, WORST),
        (HAIR_EYE, 10, 244, 235),
        pytest.param(ADMISSIONS, 10, 162, 152, marks=pytest.mark.long),
    ],
)
def test_the_gap_of_the_margins_bound_closes(
    columns: list[list[int]], k: int, bound: int, people: int
) -> None:
    assert margins_bound(columns, k).people == bound
    found = search_cases(columns, k, people, 3_000)
    assert found.people == proved_by_cases(columns, k, found.proof) == people


@pytest.mark.slow
def test_few_nodes_prove_less_and_the_same_nodes_the_same(proof: bytes) -> None:
    ends = [search_cases(THREE, 10, -1, nodes) for nodes in (1, 21, 61)]
    assert [end.people for end in ends] == sorted((end.people for end in ends), reverse=True)
    assert ends[0].people == margins_bound(THREE, 10).people == 126
    assert WORST <= ends[2].people < 126
    for end in ends:
        assert proved_by_cases(THREE, 10, end.proof) == end.people
        assert end.nodes == len(json.loads(end.proof)["tree"])
    assert search_cases(THREE, 10, WORST, 1_000).proof == proof
    turned = [column[::-1] for column in THREE]  # the checker numbers values by their counts
    assert proved_by_cases(turned, 10, proof) == WORST


@pytest.mark.slow
def test_blocks_that_come_in_the_last_round_need_no_price(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(case_relaxation, "ROUNDS", 1)
    found = search_cases(THREE, 10, WORST, 5)
    assert proved_by_cases(THREE, 10, found.proof) == found.people >= WORST


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
def test_no_table_exposes_more_than_any_number_of_nodes_proves(seed: int) -> None:
    """Against a list of every table with the columns, which share counts now and then."""
    rng = np.random.default_rng(seed)
    shape, k = [(3, 3), (2, 2, 2), (2, 3, 2)][seed % 3], 2 + seed % 4
    rows = [rng.choice(size, 11, p=rng.dirichlet(np.ones(size))) for size in shape]
    columns = [np.bincount(each, minlength=size) for each, size in zip(rows, shape, strict=True)]
    worst = max(int(table[table < k].sum()) for table in all_tables(columns))
    counts = [column.tolist() for column in columns]
    for nodes in (1, 3, 9, 500):
        found = search_cases(counts, k, worst, nodes)
        assert proved_by_cases(counts, k, found.proof) == found.people >= worst
    assert found.people == worst


def test_a_split_of_a_single_cell_narrows_what_it_holds() -> None:
    """By hand: two columns of 6 and 4 people, k = 3, all prices 0; cell 3 is that of both 4s.

    With cell 3 exposed the others may be exposed too, 2 people each; the worst table has 6. With 3
    or more people in cell 3 both cells beside it are exposed, with at most 1 person each.
    """
    leaf = ["leaf", [0, 0, 0, 0], [], [0]]
    by_hand = {"blocks": [], "tree": [["split", [3], 0], leaf, leaf]}
    assert proved_by_cases([[6, 4], [4, 6]], 3, json.dumps(by_hand).encode()) == 8
    assert max(int(t[t < 3].sum()) for t in all_tables([np.array([6, 4])] * 2)) == 6


def mutated(proof: bytes, rng: random.Random) -> bytes:
    """Change one number, set of cells or node of a proof."""
    parsed = json.loads(proof)
    tree = parsed["tree"]
    node = rng.choice(tree)
    way = rng.randrange(8)
    if way == 0:
        tree.remove(node)
    elif way == 1:
        other = rng.choice(tree)
        node[:], other[:] = list(other), list(node)
    elif node[0] == "split" and way < 5:
        node[1] = sorted(rng.sample(range(20), rng.randint(1, 5)))
    elif node[0] == "split":
        node[2] += rng.choice([-2, -1, 1, 2])
    elif way == 2 or not node[2]:
        node[1][rng.randrange(9)] += rng.choice([-1, 1]) << rng.randrange(36)
    elif way < 5:
        rng.choice(node[2])[1] += rng.choice([-1, 1]) << rng.randrange(36)
    elif way == 5 and node[3]:
        node[3][rng.randrange(len(node[3]))] += rng.choice([-1, 1]) << rng.randrange(36)
    else:
        block = rng.choice(parsed["blocks"])
        block[0] += rng.choice([-1, 1])
        block[1] = sorted(rng.sample(range(9), rng.randint(1, 6)))
    return json.dumps(parsed).encode()


@pytest.mark.slow
def test_a_corrupted_proof_is_refused_or_proves_no_less_than_is_true(proof: bytes) -> None:
    """117 people are exposed in a table with these columns: no proof may say fewer."""
    rng, refused, weaker = random.Random(5), 0, 0
    for _ in range(MUTATIONS):
        try:
            people = proved_by_cases(THREE, 10, mutated(proof, rng))
        except VerificationError:
            refused += 1
            continue
        assert people >= WORST
        weaker += people > WORST
    assert refused > MUTATIONS // 10
    assert weaker > MUTATIONS // 4


def changed(proof: bytes, change: Any) -> bytes:
    parsed = json.loads(proof)
    change(parsed, next(node for node in parsed["tree"] if node[0] == "leaf" and node[2]))
    return json.dumps(parsed).encode()


@pytest.mark.parametrize(
    "change",
    [
        lambda proof, leaf: proof["tree"].pop(),
        lambda proof, leaf: proof["tree"].append(leaf),
        lambda proof, leaf: leaf[1].pop(),
        lambda proof, leaf: leaf[3].append(0),
        lambda proof, leaf: leaf[3].pop(),
        lambda proof, leaf: leaf[1].__setitem__(0, 0.5),
        lambda proof, leaf: leaf[2][0].__setitem__(1, -1),
        lambda proof, leaf: leaf[2][0].__setitem__(0, 10_000),
        lambda proof, leaf: leaf[3].__setitem__(0, -1),
        lambda proof, leaf: leaf.__setitem__(0, "leaves"),
        lambda proof, leaf: proof["tree"][0].__setitem__(2, 1.5),
        lambda proof, leaf: proof["tree"][0].__setitem__(2, True),
        lambda proof, leaf: proof["tree"][0].__setitem__(1, [20]),
        lambda proof, leaf: proof["tree"][0].__setitem__(1, [-1]),
        lambda proof, leaf: proof["blocks"][0][1].append(9),
        lambda proof, leaf: proof["blocks"][0][1].append(-1),
        lambda proof, leaf: proof["blocks"][0].__setitem__(0, 0.5),
        lambda proof, leaf: proof.pop("tree"),
        lambda proof, leaf: proof.pop("blocks"),
    ],
)
def test_what_is_no_proof_is_refused(proof: bytes, change: Any) -> None:
    with pytest.raises(VerificationError, match="cases: the proof is invalid"):
        proved_by_cases(THREE, 10, changed(proof, change))


def test_other_columns_and_other_bytes_are_refused(proof: bytes) -> None:
    for bad in (
        b"",
        b"[]",
        b"{}",
        b"\xff",
        b'{"blocks": [], "tree": []}',
        b'{"tree": 1, "blocks": 1}',
    ):
        with pytest.raises(VerificationError, match="cases: the proof is invalid"):
            proved_by_cases(THREE, 10, bad)
    for columns, k in (([[3, 4], [7, 1]], 2), ([], 2), (THREE, 0)):
        with pytest.raises(
            VerificationError, match="cases: needs columns whose counts have equal sums"
        ):
            proved_by_cases(columns, k, proof)


@pytest.mark.slow
def test_a_worst_case_carries_its_proof_and_verifies_it() -> None:
    witness = worst_case(CENSUS[:3], 10)
    assert witness.proof is not None
    assert (witness.people, witness.proven) == (WORST, True)
    witness.verify(CENSUS[:3])
    one_leaf = search_cases(THREE, 10, -1, 1).proof
    with pytest.raises(
        VerificationError, match="claims at most 117 people; its proof by cases gives 126"
    ):
        replace(witness, proof=one_leaf).verify(CENSUS[:3])
    with pytest.raises(VerificationError, match="cases: the proof is invalid"):
        replace(witness, proof=witness.proof[:-9]).verify(CENSUS[:3])


def test_the_checker_is_short_and_imports_nothing_of_the_search() -> None:
    tree = ast.parse(Path(check_cases.__file__).read_text("utf-8"))
    imported = {
        node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.level
    }
    assert code_lines(check_cases) <= 120
    assert imported == {"errors", "strict_text"}
