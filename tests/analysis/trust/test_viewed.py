"""What people hid before they said it, against every table and every cover."""

from collections import Counter
from itertools import product
from math import fsum, log2

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from veilmix.analysis.trust import inferred, received
from veilmix.analysis.trust.side import Side
from veilmix.protocol.knowledge.run_record import CountsSeen
from veilmix.protocol.knowledge.transcript import Transcript
from veilmix.protocol.knowledge.view import View
from veilmix.protocol.wire.hiding_rules import BLANK, COVERS, OTHER_VALUE, Hiding, Mask, Redact

VALUES = ("a", "b", "c")
ROWS = list(product(VALUES, ("x", "y")))
MASK, REDACT = Mask(0, ("a",)), Redact(0, ("c",), COVERS // 4)
COVERING = REDACT.rate


def say(rule: Hiding, row: tuple[str, ...], covered: bool) -> tuple[str, ...]:
    if isinstance(rule, Mask):
        return (row[0] if row[0] in rule.named_values else OTHER_VALUE, row[1])
    return (BLANK if covered or row[0] in rule.values else row[0], row[1])


def view_of(
    marginals: Counter[tuple[str, ...]] | None,
    release: Counter[tuple[str, ...]],
    rule: Hiding,
    said: dict[int, tuple[str, ...]],
) -> View:
    seen = [CountsSeen(2, (0, 1), release, (rule,))]
    if marginals is not None:
        seen.insert(0, CountsSeen(1, (0,), marginals))
    pinned = {2: {person: dict(enumerate(row)) for person, row in said.items()}} if said else {}
    users = release.total()
    came = {(tally.round, tally.columns): frozenset(range(users)) for tally in seen}
    empty = Transcript(users)
    return View(frozenset({"curator"}), users, True, pinned, tuple(seen), {}, {}, empty, came)


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from(ROWS), st.booleans()), min_size=1, max_size=3),
    st.sampled_from([MASK, REDACT]),
    st.booleans(),
    st.sets(st.integers(0, 2)),
)
def test_what_is_hidden_is_as_open_as_the_rule_leaves_it(
    people: list[tuple[tuple[str, ...], bool]], rule: Hiding, first: bool, some: set[int]
) -> None:
    spoken = [say(rule, row, covered) for row, covered in people]
    marginals = Counter((row[0],) for row, _ in people) if first else None
    linked = {person: spoken[person] for person in some if person < len(people)}
    view = view_of(marginals, Counter(spoken), rule, linked)

    tables: dict[tuple[tuple[str, ...], ...], float] = {}
    whole, holds = 0.0, [Counter[tuple[str, ...]]() for _ in people]
    for table in product(ROWS, repeat=len(people)):
        if first and Counter((row[0],) for row in table) != marginals:
            continue
        for covers in product((False, True), repeat=len(people)):
            other = [say(rule, row, c) for row, c in zip(table, covers, strict=True)]
            if Counter(other) != Counter(spoken) or any(other[p] != linked[p] for p in linked):
                continue
            weight = 1.0
            for covered in covers:
                weight *= COVERING if covered else 1 - COVERING
            whole += weight
            tables[table] = tables.get(table, 0.0) + weight
            for person, row in enumerate(table):
                holds[person][row] += weight

    known, posterior = inferred(view, (3, 2))
    bits = len(people) * log2(6) + fsum(w / whole * log2(w / whole) for w in tables.values())
    assert (
        posterior.leakage.side is Side.EXACT
    )  # of the rows: how a coin fell is nothing of a row's
    assert posterior.bits == pytest.approx(bits, abs=1e-9)
    for person, held in enumerate(holds):
        crowd = next(i for i, people in enumerate(known.members) if person in people)
        for row in ROWS:
            coded = known.row(dict(enumerate(row))) if set(row) <= named(known.codes) else None
            if coded is not None:
                share = held[row] / whole
                assert posterior.probability(crowd, coded) == pytest.approx(share, abs=1e-9)
    sure = sum(len({row[c] for row in held if held[row]}) == 1 for held in holds for c in range(2))
    assert posterior.cells_certain == sure
    best = fsum(max(held.values()) / whole for held in holds)
    assert received(view, (3, 2)).rows_guessed == pytest.approx(best, abs=1e-9)


def named(codes: tuple[dict[str, int], ...]) -> set[str]:
    return {text for column in codes for text in column}
