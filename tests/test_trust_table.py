"""Successes of the catalogue with each set of guards: as shipped, told and played."""

import make_trust_table as TOOL
import pytest
from msgspec.structs import replace
from veilmix.presentation.wording import OUTSIDE_CATALOGUE
from veilmix.scenarios.lab.validation.gallery import shipped as scenarios
from veilmix.scenarios.lab.validation.load import load
from veilmix.scenarios.programs.registry import randomizing
from veilmix.scenarios.programs.topology import CENTRAL
from veilmix.scenarios.studies.cheating.coalition_study import attempts
from veilmix.scenarios.studies.cheating.trust_table import measured_trust, shipped
from veilmix.scenarios.studies.matrix.attack_plan import changed

TOLD = {chosen.name: chosen for chosen in shipped().sets}
TRIED = {attack for chosen in shipped().sets for attack in chosen.tried}
QUICK = "one shuffler, those that are on"


def test_the_page_is_written_from_the_table() -> None:
    """If this fails: python tools/make_trust_table.py --page."""
    assert TOOL.page(shipped()) == TOOL.PAGE.read_text("utf-8")


def test_the_table_has_the_sets_that_its_tool_names_in_their_order() -> None:
    """If this fails: python tools/make_trust_table.py NAME for each that is new."""
    named = [chosen.name for chosen in shipped().sets]
    assert named == list(TOOL.SETS)
    central = [
        chosen.name
        for chosen in shipped().sets
        if chosen.topology == CENTRAL.name and not chosen.opens
    ]
    assert central == list(TOOL.CENTRAL)


@pytest.mark.parametrize("name", TOOL.SETS)
def test_every_set_of_guards_was_measured_with_every_attack_there_is(name: str) -> None:
    """If this fails: python tools/make_trust_table.py NAME."""
    line, made = TOLD[name], TOOL.scenario(name)
    assert line.on == measured_trust(made, [line]).measured.on  # type: ignore[union-attr]
    assert line.tried == tuple(attempt.row for attempt in attempts(made))
    assert (line.seed, line.runs) == (TOOL.SEED, TOOL.RUNS)
    assert all(reading.runs == line.runs for reading in line.reading)


def test_each_set_is_in_one_cell_of_the_page() -> None:
    named = [name for pair in TOOL.PAIRS.values() for name in pair if name]
    assert sorted(named) == sorted(TOOL.SETS)


def test_the_limit_of_the_figures_names_a_section_that_is_there() -> None:
    section = OUTSIDE_CATALOGUE.partition("docs/attacks.md, ")[2].removesuffix(")")
    assert f"\n## {section}\n" in TOOL.PAGE.read_text("utf-8")


def test_a_coalition_that_links_by_watching_is_no_success_of_the_catalogue() -> None:
    for chosen in shipped().sets:
        assert [some for some in chosen.smallest if some not in chosen.succeeding] == [
            some for some in chosen.smallest if some.watching
        ], chosen.name
    rows = list(TOOL.rows(shipped().sets))
    assert len(rows) == sum(len(chosen.succeeding) for chosen in shipped().sets)
    assert {row[2] for row in rows} <= {f"`{name}`" for name in TRIED}


def test_no_coalition_learns_more_by_watching_than_by_cheating() -> None:
    for chosen in shipped().sets:
        for links in chosen.watching:
            assert any(set(some.parties) <= set(links.parties) for some in chosen.smallest), (
                chosen.name
            )


def test_the_successes_of_the_catalogue_with_tokens_have_a_reader_in_them() -> None:
    """It mints the tokens. Attacks outside the catalogue need none (S5: nine people, network)."""
    sets = [chosen for chosen in shipped().sets if "tokens" in chosen.on]
    assert len(sets) >= 4
    for chosen in sets:
        assert all({"curator", "analyst"} & set(some.parties) for some in chosen.reading), (
            chosen.name
        )


@pytest.mark.slow
def test_a_line_is_what_is_played() -> None:
    """If this fails, the table is to be made again: python tools/make_trust_table.py."""
    there, line = TOLD[QUICK], TOOL.measured(QUICK, 1)
    assert line.watching == there.watching
    assert [reading.attack for reading in line.reading] == [
        reading.attack for reading in there.reading
    ]
    assert {coalition.parties for coalition in line.smallest} == {
        coalition.parties for coalition in there.smallest
    }


def test_a_scenario_is_told_of_its_own_guards_or_of_the_most_of_them() -> None:
    plain = load("titanic")
    told = measured_trust(plain)
    assert told is not None
    assert (told.fit, told.besides) == ("same", ())
    assert told.measured.name == "those that are on where nothing is said"
    more = changed(plain, {"defence.balance": True}, ())
    told = measured_trust(more)
    assert told is not None
    assert (told.fit, told.besides) == ("fewer", ("balance",))
    public = changed(plain, {"policy.publish_marginals": True}, ())
    told = measured_trust(public)
    assert told is not None
    assert told.measured.public
    village = measured_trust(load("village"))
    assert village is not None
    assert village.measured.topology != CENTRAL.name
    assert measured_trust(load("randomized-class")) is None
    assert measured_trust(plain, [replace(TOLD[QUICK], on=("a guard of tomorrow",))]) is None


def test_every_shipped_scenario_is_told_something_or_is_not_measured() -> None:
    """It is not where people add noise, or a proof stands; else what was measured of its kind."""
    untold = [name for name in scenarios() if measured_trust(load(name)) is None]
    proved = {name for name in untold if load(name).mix.kind == "verified"}
    assert {"submit-once", "verified-class"} <= proved
    unmeasured = randomizing()
    assert all(load(name).policy.kind in unmeasured for name in set(untold) - proved), untold
    for name in scenarios():
        if told := measured_trust(load(name)):
            assert told.measured.opens == (load(name).policy.kind == "threshold"), name
