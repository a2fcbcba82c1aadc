"""Reports as text, their tallies, and what people do with their own randomness."""

from collections import Counter
from typing import Any

import numpy as np
import pytest
from veilmix.analysis.randomizers import (
    GRR,
    BitFlip,
    Hadamard,
    HadamardBlocks,
    LocalHash,
    ProjectiveGeometry,
    SubsetSelection,
    UnaryEncoding,
)
from veilmix.crypto.entropy import SeededEntropy
from veilmix.protocol.wire.schema import MAX_NAME, MAX_WIDTH, Feature
from veilmix.scenarios.lab.validation.load import loads
from veilmix.scenarios.programs.noisy_questions import (
    as_table,
    joined,
    questions,
    randomization,
    reports,
    rule,
)
from veilmix.scenarios.programs.randomized import privacy
from veilmix.scenarios.programs.randomized.check import MOST_VALUES
from veilmix.scenarios.programs.randomized.encoding import read, tally
from veilmix.scenarios.programs.registry import (
    announced_names,
    announced_schema,
    noisy_questions,
    samples,
)

MECHANISMS = (
    "grr",
    "rappor",
    "oue",
    "blh",
    "local-hash",
    "subset",
    "hadamard",
    "hadamard-blocks",
    "projective",
    "bit-flip",
)
KINDS: dict[str, Any] = {
    "grr": GRR(5, 1.0),
    "unary, whole bytes": UnaryEncoding.rappor(16, 1.0),
    "unary, spare bits": UnaryEncoding.oue(13, 1.0),
    "unary, wide": UnaryEncoding.blh(MOST_VALUES, 1.0),
    "hash, powers of two": LocalHash.olh(1000, 1.0),
    "hash, other numbers": LocalHash(10, 5, 1.0),
    "subsets": SubsetSelection(13, 4, 1.0),
    "columns": Hadamard(100, 1.0),
    "columns of blocks": HadamardBlocks.best(100, 3.0),
    "points": ProjectiveGeometry.best(100, 1.0),
    "one bit": BitFlip(1, 0.3),
    "bits": BitFlip(9, 0.3),
}


def scenario(mechanism: str, source: str = "blood-type", epsilon: float = 3) -> Any:
    return loads(
        f'[scenario]\nname = "s"\n[population]\nsource = "builtin:{source}"\nusers = 40\n'
        f'[policy]\nkind = "histogram"\n[local]\nmechanism = "{mechanism}"\nepsilon = {epsilon}\n'
    )


def drawn(randomizer: Any, people: int = 300) -> tuple[Any, tuple[str, ...]]:
    rng = np.random.default_rng(1)
    if isinstance(randomizer, BitFlip):
        x = rng.integers(0, 2, (people, randomizer.bits)).astype(np.uint8)
        return randomizer.sample(x, rng), ()
    x = rng.integers(0, randomizer.a, people)
    return randomizer.sample(x, rng), tuple(f"v{i}" for i in range(randomizer.a))


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_written_is_read_and_has_one_width(kind: str) -> None:
    randomizer = KINDS[kind]
    made, domain = drawn(randomizer)
    texts = randomizer.encode(made, domain)
    wide = randomizer.text_width
    if wide is None:
        assert set(texts) <= set(domain)
    else:
        assert {len(text) for text in texts} == {wide}
        assert wide <= MAX_WIDTH
        feature = Feature("x", None, wide)
        assert all(feature.admits(text) for text in texts)
    totals = tally(randomizer, domain, Counter((text,) for text in texts))
    want = made.sum(axis=0) if randomizer.takes_bits else randomizer.support_counts(made)
    assert totals.supporting.tolist() == want.tolist()
    assert (totals.people, totals.outside) == (len(texts), 0)


def test_position_0_is_the_most_significant_bit_of_the_first_byte() -> None:
    unary = UnaryEncoding.oue(10, 1.0)
    rows = np.zeros((3, 10), np.uint8)
    rows[0, 0] = rows[1, 7] = rows[2, 8] = rows[2, 9] = 1
    assert unary.encode(rows, ()) == ["8000", "0100", "00c0"]
    flip = BitFlip(3, 0.25)
    assert flip.encode(np.array([[1, 0, 0], [0, 1, 1]], np.uint8), ()) == ["100", "011"]
    assert tally(flip, (), {("100",): 2, ("011",): 1}).supporting.tolist() == [2, 1, 1]


WRONG = ("", "0", "zzzz", "8000 ", "8000\n", "80001", "８０００", "0X80", "80-1", "AB00")


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_no_report_is_counted_outside_and_stops_nothing(kind: str) -> None:
    randomizer = KINDS[kind]
    made, domain = drawn(randomizer, 20)
    good = Counter((text,) for text in randomizer.encode(made, domain))
    bad = Counter({(text,): 2 for text in WRONG if (text,) not in good})
    bad = Counter({cell: n for cell, n in bad.items() if len(cell[0]) != randomizer.text_width})
    totals = tally(randomizer, domain, good + bad)
    assert totals.people == 20
    assert totals.outside == bad.total() > 0
    assert totals.supporting.tolist() == tally(randomizer, domain, good).supporting.tolist()


@pytest.mark.parametrize(
    ("randomizer", "text"),
    [
        (UnaryEncoding.oue(13, 1.0), "0001"),  # a bit after the last position
        (UnaryEncoding.oue(13, 1.0), "ABCD"),  # another spelling of the same bits
        (LocalHash(10, 5, 1.0), "00005"),  # hash values are 0 to 4
        (LocalHash(10, 5, 1.0), "50000"),  # so are the words of this key
        (BitFlip(4, 0.2), "0102"),
    ],
)
def test_the_right_width_is_not_enough(randomizer: Any, text: str) -> None:
    totals = tally(randomizer, (), {(text,): 3})
    assert (totals.people, totals.outside) == (0, 3)
    assert not list(read(randomizer, {(text,): 3}))


def test_blocks_of_reports_lose_none(monkeypatch: pytest.MonkeyPatch) -> None:
    from veilmix.scenarios.programs.randomized import encoding as local_text

    randomizer = KINDS["unary, spare bits"]
    made, _ = drawn(randomizer)
    counts = Counter((text,) for text in randomizer.encode(made, ()))
    monkeypatch.setattr(local_text, "BLOCK", 13 * 7)
    assert [len(block) for block in read(randomizer, counts)] == [7] * 42 + [6]
    assert tally(randomizer, (), counts).supporting.tolist() == made.sum(axis=0).tolist()


def test_the_budget_is_divided_over_the_features() -> None:
    for mechanism in MECHANISMS:
        chosen = scenario(mechanism, epsilon=0.75)
        queries = noisy_questions(chosen, samples(chosen, 1).people)
        assert sum(query.randomizer.epsilon for query in queries) == pytest.approx(0.75)
        assert rule(chosen.local, 3) == f"{mechanism} epsilon=0.75 each of 3"
    assert rule(scenario("grr", epsilon=1).local, 3) == "grr epsilon=1 each of 3"
    assert (
        noisy_questions(
            loads('[scenario]\nname="s"\n[population]\nsource="builtin:titanic"\n'), None
        )
        == ()
    )


def test_what_is_announced_are_reports() -> None:
    for mechanism in MECHANISMS:
        chosen = scenario(mechanism)
        people = samples(chosen, 1).people
        schema = announced_schema(chosen, people.schema)
        assert schema.names == announced_names(chosen, people.schema.names)
        assert len(schema.names) == (1 if mechanism == "bit-flip" else 3)
        opened = [feature.values is None for feature in schema.features]
        assert opened == [mechanism != "grr"] * len(opened)
    assert joined(("A", "B", "Rh")) == "A+B+Rh"
    assert joined(["x" * 200, "y" * 200]) == "2 features"
    assert len(joined(["x" * 126, "y" * 128])) == MAX_NAME


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_a_lie_uses_ones_own_entropy_and_nothing_else(mechanism: str) -> None:
    chosen = scenario(mechanism)
    people = samples(chosen, 1).people
    lying = randomization(noisy_questions(chosen, people))
    root = SeededEntropy(3)
    said = [lying(people.row(0), root.fork(f"user-{i}")) for i in range(40)]
    assert said == [lying(people.row(0), root.fork(f"user-{i}")) for i in range(40)]
    assert len(set(map(tuple, said))) > 1
    schema = announced_schema(chosen, people.schema)
    for report, feature in zip(zip(*said, strict=True), schema.features, strict=True):
        assert all(map(feature.admits, report))


def test_thousands_of_bits_a_person() -> None:
    chosen = scenario("oue")
    (question,) = questions(chosen, ["x"], [tuple(map(str, range(MOST_VALUES)))])
    (report,) = randomization([question])(["17"], SeededEntropy(1))
    assert len(report) == MAX_WIDTH
    (bits,) = read(question.randomizer, {(report,): 1})
    assert bits.shape == (1, MOST_VALUES)
    lam = question.randomizer.lam
    spread = (MOST_VALUES * lam * (1 - lam)) ** 0.5
    assert abs(bits.sum() - MOST_VALUES * lam) < 5 * spread


def test_reports_are_shown_while_they_are_few() -> None:
    assert reports(["x"], [{("a",): 2}]) == {("x", "a"): 2}
    assert reports(["x"], [{(str(i),): 1 for i in range(1001)}]) is None


def test_a_table_of_what_was_said() -> None:
    table = as_table([["a", "b", "a"], ["x", "x", "y"]])
    assert table.values == (("a", "b"), ("x", "y"))
    assert table.codes.tolist() == [[0, 0], [1, 0], [0, 1]]


def test_no_matrix_of_more_entries_than_are_summed_over_is_made() -> None:
    """300 symbols x 6,561 reports: 1,968,300 entries, of at most 2^20."""
    small, large = LocalHash(5, 3, 1.0), LocalHash(300, 3, 1.0)
    assert privacy.entries_of(large) == 0 < privacy.entries_of(small)
    told, factor = privacy._information_metrics(small)
    assert told is not None
    assert factor is not None
    assert privacy._information_metrics(large) == (None, None)
