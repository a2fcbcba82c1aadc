"""A comparison: every program once, the same numbers again, and a folder that is whole."""

import csv
import json
from dataclasses import replace
from pathlib import Path

import pytest
from veilmix.analysis import drawing
from veilmix.analysis.figures.frontier import FrontierPoint, frontier
from veilmix.analysis.figures.frontier import figure as draw
from veilmix.errors import LocalError, ParameterError, StorageError
from veilmix.scenarios.lab.validation.load import change, load, loads
from veilmix.scenarios.schema.kinds import kinds
from veilmix.scenarios.serialization.record import plain
from veilmix.scenarios.studies.comparison import result_folder as comparisons
from veilmix.scenarios.studies.comparison.compare import compare, programs
from veilmix.scenarios.studies.comparison.mixed import available
from veilmix.scenarios.studies.comparison.result import COMPARISON, Comparison, ProgramCost

FREE = ProgramCost(0.0, None, 0, 0, 0.0, 0)


@pytest.fixture(scope="module")
def blood() -> Comparison:
    """Thirty people, seed 7, all programs."""
    return compare("blood-type", 7)


def timeless(comparison: Comparison) -> Comparison:
    """A comparison without its seconds."""
    return replace(
        comparison, programs=tuple(replace(program, cost=FREE) for program in comparison.programs)
    )


@pytest.mark.slow
def test_every_program_is_there_and_no_number_is_impossible(blood: Comparison) -> None:
    names = [program.program for program in blood.programs]
    assert len(set(names)) == len(names)
    assert {"exposure", "peers", "trusted", "trusted-cells", "shares"} <= set(names)
    assert {name.split(" e=")[0] for name in names} >= {"local joint", "local features"}
    assert not blood.skipped
    for program in blood.programs:
        worth, most = program.utility, program.trust.largest_party_leakage
        assert 0 <= program.privacy.true <= 1
        assert 0 <= worth.cells <= 1
        assert 0 <= worth.mean <= worth.largest <= 1
        assert 0 <= worth.entropy <= worth.entropy_of_all + 1e-9
        assert 0 <= most.bits_per_person <= 3 + 1e-9
        assert program.cost.cpu > 0
        assert program.cost.bytes > 0
        if program.privacy.promised is not None:
            assert program.privacy.true <= program.privacy.promised + 1e-12


@pytest.mark.slow
def test_what_follows_from_more_trust(blood: Comparison) -> None:
    two_round, trusted = blood.program("exposure"), blood.program("trusted")
    shares, cells = blood.program("shares"), blood.program("trusted-cells")
    assert two_round.utility == shares.utility
    assert two_round.privacy == shares.privacy
    assert trusted.utility.entropy >= two_round.utility.entropy
    assert trusted.trust.largest_party_leakage.bits_per_person == pytest.approx(3)
    assert two_round.trust.largest_party_leakage.bits_per_person < 3
    assert cells.privacy.true == 0
    assert shares.cost.bytes < two_round.cost.bytes


@pytest.mark.slow
def test_noise_is_the_same_noise_with_and_without_a_mix(blood: Comparison) -> None:
    for epsilon in ("e=1", "e=2", "e=4"):
        mixed, direct = (
            blood.program(f"{name} {epsilon}") for name in ("histogram", "local features")
        )
        assert mixed.utility == direct.utility
        assert mixed.trust.largest_party_leakage.linked == 0
        assert direct.trust.largest_party_leakage.linked == 30
        everybody = max(mixed.trust.coalitions, key=lambda coalition: len(coalition.parties))
        assert everybody.bits_per_person == pytest.approx(
            direct.trust.largest_party_leakage.bits_per_person
        )


@pytest.mark.slow
def test_a_seed_gives_the_same_numbers_again(blood: Comparison) -> None:
    assert timeless(compare("blood-type", 7)) == timeless(blood)


@pytest.mark.slow
def test_without_a_seed_all_programs_still_get_the_same_people() -> None:
    comparison = compare("peers-titanic", only=("exposure", "shares"))
    assert comparison.seed is None
    assert comparison.program("exposure").utility == comparison.program("shares").utility
    assert comparison.program("exposure").privacy == comparison.program("shares").privacy


@pytest.mark.slow
def test_samples_change_nothing_but_the_cost(blood: Comparison) -> None:
    only = ("exposure", "trusted", "shares", "local")
    counted = compare("blood-type", 7, only=only, messages=False)
    for program in counted.programs:
        same = blood.program(program.program)
        assert replace(program, cost=FREE) == replace(same, cost=FREE)
        assert program.cost.cpu_limits is not None


@pytest.mark.slow
def test_a_folder_holds_it_and_gives_it_back(blood: Comparison, tmp_path: Path) -> None:
    folder = comparisons.save(blood, load("blood-type"), tmp_path)
    assert folder.name == "compare-blood-type-0007"
    assert comparisons.read(folder) == blood
    with (folder / "comparison.csv").open(encoding="utf-8") as file:
        lines = list(csv.DictReader(file))
    assert [line["program"] for line in lines] == [program.program for program in blood.programs]
    assert float(lines[0]["cpu_seconds"]) == blood.programs[0].cost.cpu
    assert loads((folder / "scenario.toml").read_text("utf-8")).scenario.seed == 7
    assert (folder / "frontier.png").read_bytes().startswith(b"\x89PNG")
    assert b"<svg" in (folder / "frontier.svg").read_bytes()
    again = comparisons.save(blood, load("blood-type"), tmp_path)
    assert again.name == "compare-blood-type-0007-2"


BROKEN = {
    "another schema": (lambda data: data | {"schema": 2}, "reads schema 1"),
    "a key missing": (lambda data: {k: v for k, v in data.items() if k != "k"}, "not a comparison"),
    "text for a number": (lambda data: data | {"users": "many"}, "not a comparison"),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", BROKEN)
def test_only_a_comparison_is_read(name: str, blood: Comparison, tmp_path: Path) -> None:
    change, why = BROKEN[name]
    text = json.dumps(change(plain(blood)))
    (tmp_path / COMPARISON).write_text(text, "utf-8")
    with pytest.raises(StorageError, match=why):
        comparisons.read(tmp_path)


def test_what_is_no_folder_or_no_json_is_said(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="veilmix compare"):
        comparisons.read(tmp_path)
    (tmp_path / COMPARISON).write_text("{", "utf-8")
    with pytest.raises(StorageError, match="not a comparison"):
        comparisons.read(tmp_path)


@pytest.mark.slow
def test_a_save_that_fails_leaves_nothing(
    blood: Comparison, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(drawing, "rendered", fail)
    with pytest.raises(KeyboardInterrupt):
        comparisons.save(blood, load("blood-type"), tmp_path)
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
def test_without_matplotlib_there_is_no_picture_and_all_the_rest(
    blood: Comparison, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing() -> None:
        raise LocalError("no matplotlib")

    monkeypatch.setattr(drawing, "require", missing)
    files = [name for name, _ in comparisons.contents(blood, load("blood-type"))]
    assert "comparison.json" in files
    assert "frontier.csv" in files
    assert not [name for name in files if name.endswith((".png", ".svg"))]


def test_the_programs_of_the_mix_are_those_that_can_be_run() -> None:
    of_columns = ("exposure", "hierarchical", "local-suppression")
    assert available() == (*of_columns, "threshold", "histogram")
    assert set(programs()) == {
        *available(),
        *("verified", "peers", "trusted", "trusted-cells", "shares", "local"),
    }


def test_what_cannot_be_compared_is_said() -> None:
    with pytest.raises(ParameterError, match="compared on the same people"):
        compare("statistical")
    with pytest.raises(ParameterError, match="no program is called 'trust'"):
        compare("blood-type", only=["trust"])


def test_a_program_that_cannot_is_left_out_with_its_reason() -> None:
    text = """
[scenario]
name = "open"
seed = 1
[population]
source = "builtin:titanic"
users  = 30
[[feature]]
name = "class"
open = true
[[feature]]
name = "sex"
"""
    comparison = compare(loads(text), only=["trusted", "shares"])
    assert [program.program for program in comparison.programs] == ["trusted"]
    assert "only public domains" in comparison.skipped["shares"]


POINTS = [
    FrontierPoint("a", "mix", 1.0, 0.1, 0.2, 0.3, None, 0.5),
    FrontierPoint("b", "shares", 1.0, 0.1, 0.2, 0.3, None, 0.5),
    FrontierPoint("c", "central", 5.0, 0.0, 0.0, 0.0, None, 1.0),
    FrontierPoint("d e=1", "local", 0.1, 0.0, None, 0.5, (0.4, 0.6), 0.01, rows=False),
    FrontierPoint("d e=2", "local", 2.0, 0.0, None, 0.35, (0.3, 0.4), 0.1, rows=False),
]


def test_the_frontier_is_those_that_nothing_beats() -> None:
    assert [point.name for point in frontier(POINTS)] == ["d e=1", "a", "c"]
    assert frontier([]) == []


@pytest.mark.slow
def test_the_picture_names_every_program_and_says_more_than_colour() -> None:
    figure = draw(POINTS, "five", 5)
    left, right = figure.axes
    assert {text.get_text() for text in right.texts} == {"a, b", "c", "d e=1", "d e=2"}
    assert {text.get_text() for text in left.texts} == {"a, b", "c"}
    shapes = {tuple(c.get_paths()[0].vertices.ravel().round(2)) for c in right.collections}
    assert len(shapes) == 4


@pytest.mark.slow
def test_a_picture_of_noise_alone_has_no_released_rows() -> None:
    left, right = draw(POINTS[3:], "noise", 5).axes
    assert not left.texts
    assert len(right.texts) == 2


def test_programs_are_called_as_the_kind_of_policy_is() -> None:
    """Old names are understood, and answered with the new one."""
    with pytest.warns(DeprecationWarning, match="'two-round' is now 'exposure'"):
        comparison = compare("blood-type", 7, only=("two-round", "trusted"))
    assert [program.program for program in comparison.programs] == ["exposure", "trusted"]
    with pytest.warns(DeprecationWarning, match=r"since 0\.2\.0; the old name is accepted until 0"):
        assert comparison.program("two-round") is comparison.program("exposure")
    before = replace(comparison.program("exposure"), program="two-round")  # as 0.1.0 saved it
    saved = replace(comparison, programs=(before,))
    assert saved.program("exposure") is before
    every = load("blood-type")
    every = change(every, {"policy.kind": "all"})
    (played,) = compare(every, 7, only=("all",)).programs
    assert played.program == "all"
    with pytest.raises(ParameterError, match="no program is called 'exposure'; there are all, "):
        compare(every, 7, only=("exposure",))


def test_each_row_of_the_mix_is_a_kind_of_policy() -> None:
    assert set(available()) <= set(kinds())
