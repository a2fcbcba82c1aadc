"""Values that are not said: who says what under a mask, who leaves a blank, and who could lie."""

from collections import Counter

import numpy as np
import pytest
from veilmix.crypto.entropy import OSEntropy, SeededEntropy
from veilmix.errors import ParameterError
from veilmix.protocol.ideal import PeopleTable, hide_table
from veilmix.protocol.wire.hiding_rules import (
    BLANK,
    COVERS,
    OTHER_VALUE,
    WIDEST,
    Mask,
    Redact,
    check_hidden,
    cover_draws,
    hide,
)
from veilmix.protocol.wire.schema import Feature

ROWS = (("a", "x", "1"), ("b", "y", "2"), ("c", "x", "1"), ("a", "z", "2"))


def test_no_value_is_spelt_like_what_stands_for_a_hidden_one() -> None:
    for spelt in (OTHER_VALUE, BLANK):
        assert len(spelt.encode()) == WIDEST
        assert not Feature("open", None, 20).admits(spelt)
        with pytest.raises(ParameterError):
            Feature("public", (spelt, "a"))


def test_a_mask_leaves_the_values_it_names() -> None:
    masks = (Mask(0, ("a", "b")), Mask(1, ("x",)))
    said = [tuple(hide(masks, row, OSEntropy())) for row in ROWS]
    assert said == [
        ("a", "x", "1"),
        ("b", OTHER_VALUE, "2"),
        (OTHER_VALUE, "x", "1"),
        ("a", OTHER_VALUE, "2"),
    ]
    assert hide((), ROWS[0], OSEntropy()) is ROWS[0]


def test_a_redaction_blanks_what_it_names_and_a_share_of_the_rest() -> None:
    rules = (Redact(0, ("a",), COVERS // 4), Redact(2, ("9",), 0))
    root = SeededEntropy(3)
    rows = [("ab"[i % 2], "x", "1") for i in range(2000)]
    said = [hide(rules, row, root.fork(str(i))) for i, row in enumerate(rows)]
    blanks = Counter(row[0] for row, new in zip(rows, said, strict=True) if new[0] == BLANK)
    assert blanks["a"] == 1000
    assert abs(blanks["b"] - 250) < 5 * (1000 * 0.25 * 0.75) ** 0.5  # five standard deviations
    assert {new[2] for new in said} == {"1"}


def test_draws_do_not_depend_on_what_a_person_has() -> None:
    """Or the entropy that is left for salts would differ with the value."""
    rules = (Redact(0, ("a",), 5), Redact(1, ("x",), 5))
    entropy, other = SeededEntropy(1), SeededEntropy(1)
    hide(rules, ROWS[0], entropy)
    hide(rules, ROWS[1], other)
    assert entropy.random(16) == other.random(16) == SeededEntropy(1).random(16)
    assert cover_draws(rules, SeededEntropy(1)) == cover_draws(rules, SeededEntropy(1))


def test_a_table_is_hidden_as_its_people_would() -> None:
    rules = (Redact(0, ("a",), COVERS // 3), Redact(1, ("z",), COVERS // 2))
    roots = [SeededEntropy(8).fork(str(i)) for i in range(400)]
    rows = [ROWS[i % 4] for i in range(400)]
    values = (("a", "b", "c"), ("x", "y", "z"), ("1", "2"))
    codes = np.array([[v.index(t) for v, t in zip(values, row, strict=True)] for row in rows])
    for hidden in (rules, (Mask(0, ("b",)), Mask(2, ("2",))), ()):
        draws = np.array([cover_draws(hidden, root) for root in roots]).reshape(400, len(hidden))
        table = hide_table(PeopleTable(values, codes), hidden, draws)
        said = [tuple(v[c] for v, c in zip(table.values, row, strict=True)) for row in table.codes]
        assert said == [tuple(hide(hidden, r, e)) for r, e in zip(rows, roots, strict=True)]


WRONG = {
    "nothing named": lambda: Mask(0, ()),
    "not in order": lambda: Mask(0, ("b", "a")),
    "named twice": lambda: Redact(0, ("a", "a"), 0),
    "no value": lambda: Mask(0, (OTHER_VALUE,)),
    "no column": lambda: Mask(255, ("a",)),
    "cover too large": lambda: Redact(0, ("a",), COVERS),
    "two rules": lambda: check_hidden((Mask(0, ("a",)), Mask(0, ("b",))), {0}),
    "not asked": lambda: check_hidden((Mask(1, ("a",)),), {0}),
    "descending": lambda: check_hidden((Mask(1, ("a",)), Mask(0, ("a",))), {0, 1}),
    "both kinds": lambda: check_hidden((Mask(0, ("a",)), Redact(1, ("a",), 0)), {0, 1}),
}


@pytest.mark.parametrize("name", WRONG)
def test_rules_that_make_no_sense_do_not_exist(name: str) -> None:
    with pytest.raises(ParameterError):
        WRONG[name]()
