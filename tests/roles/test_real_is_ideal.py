"""Real equals ideal: the same marginals, decision and release, with messages and without."""

from typing import Any

import protocol_kit as SAID
import pytest
import role_kit as KIT
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from veilmix.crypto.entropy import OSEntropy, SeededEntropy
from veilmix.crypto.suites import SUITES
from veilmix.errors import Reason
from veilmix.protocol.wire.announcement import AnnouncedPolicy, Rules, Setting


def policies(*, divided: bool) -> st.SearchStrategy[AnnouncedPolicy]:
    return st.builds(
        AnnouncedPolicy,
        st.just(2),
        st.just(0.5),
        st.sampled_from(["fixed", "coverage"]),
        st.booleans(),
        st.just(Setting.STATISTICAL if divided else Setting.FIXED),
        st.just(0.1 if divided else 0.0),
    )


def rules(suite: str) -> st.SearchStrategy[Rules]:
    return st.builds(
        Rules,
        min_batch=st.integers(1, 4),
        min_dropout=st.integers(1, 3),
        padded=st.booleans(),
        salted=st.just(True) if suite == "textbook" else st.booleans(),
        ordered=st.booleans(),
        lesson=st.just(True),
    )


@st.composite
def sessions(draw: Any) -> tuple[Any, dict[int, list[int]]]:
    """Give a session of a few people over any schema, and who is missing in which round."""
    schema = draw(SAID.schemas(4))
    values = [
        st.sampled_from(feature.values)
        if feature.values
        else st.sampled_from(["a", "b", "ab", "é"]).filter(feature.admits)
        for feature in schema.features
    ]
    rows = draw(st.lists(st.tuples(*values), max_size=9))
    kept = draw(st.sets(st.integers(0, len(schema.features) - 1)))
    what = st.sampled_from(["absent", "late", "duplicate", "malformed"])
    rounds = st.sampled_from([[1], [2], [1, 2]])
    wrong = draw(st.dictionaries(st.integers(0, 8), st.tuples(what, rounds), max_size=4))
    wrong = {index: fault for index, fault in wrong.items() if index < len(rows)}
    name = draw(st.sampled_from(sorted(SUITES)))
    divided = draw(st.booleans())
    cast = KIT.cast(
        rows,
        schema=schema,
        decide=KIT.keep(*sorted(kept), share=draw(st.sampled_from([0.0, 0.3]))),
        policy=draw(policies(divided=divided)),
        rounds=lambda index: (1 + index % 2,) if divided else (1, 2),
        shufflers=draw(st.integers(1, 3)),
        suite=name,
        rules=draw(rules(name)),
        faults=KIT.attack(**{f"user_{index + 1}": fault for index, fault in wrong.items()}),
        **({"entropy": OSEntropy()} if draw(st.booleans()) else {"seed": draw(st.integers(0, 9))}),
    )
    absent = {
        number: [i for i, (how, when) in wrong.items() if how != "duplicate" and number in when]
        for number in (1, 2)
    }
    return cast, absent


@pytest.mark.slow
@pytest.mark.memory
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(sessions())
def test_real_is_ideal(case: Any) -> None:
    cast, absent = case
    assert KIT.run(cast).ideal() == KIT.ideal(cast, absent)


@pytest.mark.parametrize("suite", SUITES)
@pytest.mark.parametrize("shufflers", [1, 2, 3])
def test_real_is_ideal_with_every_suite(suite: str, shufflers: int) -> None:
    rules = Rules(lesson=suite == "textbook")
    for entropy in (OSEntropy(), SeededEntropy(3)):
        cast = KIT.cast(
            KIT.people(8), suite=suite, shufflers=shufflers, rules=rules, entropy=entropy
        )
        outcome = KIT.run(cast).ideal()
        assert outcome == KIT.ideal(cast)
        assert outcome[2] is not None
        assert sum(outcome[2].values()) == 8


@pytest.mark.slow
@pytest.mark.parametrize("kept", [(0,), (1, 2), (0, 1, 2), ()])
def test_real_is_ideal_with_more_people_than_a_hop_carries(kept: tuple[int, ...]) -> None:
    cast = KIT.cast(KIT.people(300), decide=KIT.keep(*kept), shufflers=2)
    assert KIT.run(cast).ideal() == KIT.ideal(cast)


@pytest.mark.memory
def test_the_decision_may_depend_on_the_marginals() -> None:
    """The rule is handed the same counts on both roads."""
    handed = []

    def rule(schema: Any, marginals: Any, n: int) -> Any:
        handed.append((marginals, n))
        return KIT.keep(*[c for c, counts in enumerate(marginals) if len(counts) < 4])(
            schema, marginals, n
        )

    cast = KIT.cast(KIT.people(20), decide=rule)
    assert KIT.run(cast).ideal() == KIT.ideal(cast)
    assert handed[0] == handed[1]
    assert handed[0][1] == 20
    assert KIT.ideal(cast)[1].kept == (0, 2)


def test_without_salt_a_deterministic_suite_makes_equal_answers_one() -> None:
    """`textbook` unsalted: equal answers are equal ciphertexts, and repeats are dropped.

    So the salt is also what tells two people who say the same from one who says it twice.
    """
    rows = [("red", "Oslo", "yes")] * 3 + [("blue", "Rome", "yes")]
    for salted, reds in ((True, 3), (False, 1)):
        rules = Rules(salted=salted, lesson=True)
        run = KIT.run(rows, suite="textbook", rules=rules, decide=KIT.keep())
        assert run.transcript.reads[0].counts[0] == {("red",): reds, ("blue",): 1}
        assert run.board.mixed[0].refused.get(Reason.DUPLICATE, 0) == (0 if salted else 7)
