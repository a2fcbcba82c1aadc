"""What is written is what was read: for every valid scenario that can be thought of."""

import tomllib

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from veilmix.scenarios.lab.validation.gallery import shipped
from veilmix.scenarios.lab.validation.load import load, loads
from veilmix.scenarios.schema import shape
from veilmix.scenarios.schema.dump import dump
from veilmix.scenarios.schema.lines import Locator
from veilmix.scenarios.schema.model import (
    About,
    Coalition,
    Defence,
    Expect,
    Fault,
    FeatureSection,
    Local,
    Mix,
    Policy,
    PopulationSection,
    Scenario,
)

text = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12)
share = st.floats(0, 1)
people = st.integers(1, 2**31 - 1)
names = st.lists(text, max_size=3).map(tuple)
plain = st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False) | text


def maybe(strategy: st.SearchStrategy) -> st.SearchStrategy:
    return st.none() | strategy


SCENARIOS = st.builds(
    Scenario,
    scenario=st.builds(
        About,
        name=st.from_regex(r"[A-Za-z0-9][A-Za-z0-9._-]{0,9}", fullmatch=True),
        title=st.text(st.characters(exclude_categories=["Cs"]), max_size=9),
        seed=maybe(st.integers(0, 2**63 - 1)),
        repeat=st.integers(1, 9),
    ),
    population=st.builds(
        PopulationSection,
        source=text,
        users=maybe(people),
        columns=st.dictionaries(text, text, max_size=2),
        missing=text,
    ),
    feature=st.lists(
        st.builds(
            FeatureSection,
            name=text,
            values=maybe(st.lists(text, min_size=1, max_size=3).map(tuple)),
            open=st.booleans(),
            width=maybe(st.integers(1, 1024)),
            levels=maybe(st.integers(1, 9)),
        ),
        max_size=2,
    ).map(tuple),
    mix=st.builds(Mix, shufflers=st.integers(1, 64), pad=st.booleans(), min_batch=people),
    policy=st.builds(
        Policy,
        k=people,
        max_exposure=share,
        prefer=names,
        keep=names,
        weights=st.dictionaries(text, st.floats(1e-300, 1e9), max_size=2),
    ),
    local=st.builds(Local, epsilon=maybe(st.floats(1e-9, 1e6))),
    coalition=st.lists(
        st.builds(Coalition, name=text, parties=st.lists(text, min_size=1, max_size=2).map(tuple)),
        max_size=2,
    ).map(tuple),
    fault=st.lists(
        st.builds(
            Fault,
            attack=st.sampled_from(["absent", "drop"]),
            by=maybe(text),
            users=maybe(people),
            rate=maybe(share),
            round=st.sampled_from([None, 1, 2]),
        ),
        max_size=2,
    ).map(tuple),
    defence=st.builds(Defence, receipts=share),
    expect=st.builds(
        Expect,
        kept_at_least=maybe(st.integers(0, 9)),
        kept=maybe(names),
        promised_at_most=maybe(share),
    ),
    sweep=st.dictionaries(text, st.lists(plain, min_size=1, max_size=3).map(tuple), max_size=2),
)


@pytest.mark.slow
@given(SCENARIOS)
def test_what_is_written_is_read_as_it_was(scenario: Scenario) -> None:
    again, problems = shape.examine(tomllib.loads(dump(scenario)))
    assert problems == []
    assert again == scenario


@pytest.mark.slow
@given(SCENARIOS)
def test_every_key_that_is_written_is_found_on_its_line(scenario: Scenario) -> None:
    written = dump(scenario)
    lines, locator = written.split("\n"), Locator(written)
    assert lines[locator.line(("population", "source")) - 1].startswith("source = ")
    assert lines[locator.line(("defence", "min_dropout")) - 1].startswith("min_dropout = ")
    for i in range(len(scenario.feature)):
        assert lines[locator.line(("feature", i)) - 1] == "[[feature]]"
        assert lines[locator.line(("feature", i, "name")) - 1].startswith("name = ")


@pytest.mark.slow
@given(
    st.recursive(plain | st.none(), lambda inner: st.lists(inner) | st.dictionaries(text, inner))
)
def test_anything_at_all_is_mended_into_a_scenario(data: object) -> None:
    scenario, problems = shape.examine(
        {"scenario": data, "population": data, "mix": data, "fault": data, "sweep": data}
    )
    assert problems
    assert msgspec.convert(msgspec.to_builtins(scenario), Scenario) == scenario


@pytest.mark.parametrize("name", shipped())
def test_shipped_scenarios_load_and_come_back(name: str) -> None:
    scenario = load(name)
    assert scenario.scenario.name == name
    assert scenario.scenario.title
    assert loads(dump(scenario)) == scenario


def test_only_lessons_and_demonstrations_are_seeded() -> None:
    seeded = {name for name in shipped() if load(name).scenario.seed is not None}
    assert seeded == {
        *("blood-type", "who-must-collude", "classroom", "who-to-trust", "village"),
        *("hierarchical-class", "local-suppression-class", "more-people", "submit-once"),
        *("verified-class", "class-of-thirty"),
    }
