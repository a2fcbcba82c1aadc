"""Rules that make values coarser: what each does, one encoding, and fixed points."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from veilmix.errors import ParameterError, Refused
from veilmix.protocol.wire.coarsening import (
    RULES,
    Bins,
    Date,
    Fold,
    Merge,
    Part,
    Prefix,
    Rule,
    Unit,
    coarsened,
)
from veilmix.protocol.wire.records import reader, writer
from veilmix.protocol.wire.schema import Feature, Schema
from veilmix.protocol.wire.wire import Writer, decode

FOLD = Fold((Part.CASE, Part.SPACES, Part.ACCENTS))
TENS = Bins((0, 10, 20), whole=True)
TABLE: list[tuple[Rule, dict[str, str]]] = [
    (FOLD, {"M": "m", " São  Paulo": "sao paulo", "STRASSE": "strasse", "Straße": "strasse"}),
    (Fold((Part.CASE,)), {"É": "é", "a  B": "a  b"}),
    (Merge((("x", ("a", "b")), ("y", ("c",)))), {"a": "x", "c": "y", "d": "d", "x": "x"}),
    (
        Date(Unit.YEAR),
        {"2019-05-17": "2019", "17.5.2019": "2019", "2019-05-17 10:30": "2019", "soon": "soon"},
    ),
    (
        Date(Unit.MONTH),
        {"20190517": "2019-05", "20191317": "20191317", "12345678": "12345678"},
    ),
    (Date(Unit.MONTH), {"2019-5-17": "2019-05", "3/4/2020": "2020-04", "2019": "2019"}),
    (Date(Unit.MONTH, day_first=False), {"3/4/2020": "2020-03"}),
    (Date(Unit.DECADE), {"1987-01-02": "1980s", "1.1.2010": "2010s", "1980s": "1980s"}),
    (Prefix(3, ("(missing)",)), {"10117": "101*", "101": "101", "(missing)": "(missing)"}),
    (
        TENS,
        {
            "-1": "below 0",
            "0": "0 to 9",
            "9.5": "0 to 9",
            "20": "20 or more",
            "?": "?",
            "1e400": "1e400",
        },
    ),
    (Bins((0, 1, 5), whole=True), {"0": "0", "1": "1 to 4"}),
    (Bins((0.5, 1.5)), {"0.5": "0.5 to below 1.5", "2": "1.5 or more", ".1": "below 0.5"}),
]


@pytest.mark.parametrize(("rule", "said"), TABLE, ids=[type(rule).__name__ for rule, _ in TABLE])
def test_what_a_rule_does(rule: Rule, said: dict[str, str]) -> None:
    assert {value: rule.apply(value) for value in said} == said
    assert rule.describe()


TEXTS = st.text(st.characters(codec="utf-8"), max_size=6)
ANY_RULE = st.one_of(
    st.sets(st.sampled_from(list(Part)), min_size=1).map(
        lambda parts: Fold(tuple(part for part in Part if part in parts))
    ),
    st.dictionaries(TEXTS, TEXTS, max_size=4).map(
        lambda pairs: Merge(tuple((f"g{i}", (value,)) for i, value in enumerate(pairs)))
    ),
    st.builds(Date, st.sampled_from(list(Unit)), st.booleans()),
    st.builds(Prefix, st.integers(1, 255), st.lists(TEXTS, max_size=3).map(tuple)),
    st.sets(st.integers(-(10**9), 10**9), min_size=1).map(
        lambda edges: Bins(tuple(map(float, sorted(edges))), whole=True)
    ),
)


@given(ANY_RULE)
def test_a_rule_has_one_encoding(rule: Rule) -> None:
    out = Writer()
    writer(RULES)(out, rule)
    data = out.finish()
    assert decode(data, reader(RULES)) == rule
    for wrong in (data[:-1], data + b"\0"):
        with pytest.raises(Refused):
            decode(wrong, reader(RULES))


@given(ANY_RULE.filter(lambda rule: not isinstance(rule, Merge)), TEXTS)
def test_what_was_said_is_said_again(rule: Rule, value: str) -> None:
    """So whoever has a coarse value already says the same. (A merge may move its own labels.)"""
    once = rule.apply(value)
    assert rule.apply(once) == once


def test_a_feature_says_only_what_its_rules_leave_alone() -> None:
    feature = Feature("age", TENS.labels, rules=(TENS,))
    assert feature.coarsen("7") == "0 to 9"
    with pytest.raises(ParameterError, match=r"'7' is in its domain, but its rules make it '0 to"):
        Feature("age", ("7",), rules=(TENS,))
    schema = Schema((feature, Feature("sex", ("f", "m"))))
    assert schema.coarsen(("12", "f")) == ("10 to 19", "f")
    out = Writer()
    feature.write(out)
    assert decode(out.finish(), Feature.read) == feature


@pytest.mark.parametrize(
    "data",
    [
        *("00", "06", "0100000000", "05000000", "0300046461797300", "030005796561727300"),
        "0400",
    ],
)
def test_what_is_no_rule_is_refused(data: str) -> None:
    with pytest.raises(Refused):
        decode(bytes.fromhex(data), reader(RULES))


@pytest.mark.parametrize(
    "make",
    [
        lambda: Bins((2.0, 1.0)),
        lambda: Bins(()),
        lambda: Bins((0.5,), whole=True),
        lambda: Bins((float("nan"),)),
        lambda: Merge((("a", ("x",)), ("b", ("x",)))),
        lambda: Merge((("a", ("x",)), ("a", ("y",)))),
        lambda: Prefix(0),
        lambda: Fold(()),
        lambda: Feature("a", ("x",), rules=(FOLD,) * 9),
    ],
)
def test_impossible_rules_are_refused(make: Any) -> None:
    with pytest.raises(ParameterError):
        make()


def test_rules_are_a_chain() -> None:
    rules = (Fold((Part.CASE,)), Merge((("no", ("n", "never")),)))
    assert [coarsened(rules, value) for value in ("N", "Never", "YES")] == ["no", "no", "yes"]
