"""Coarser values end to end: people apply the rules, and the ideal road says the same."""

from pathlib import Path

import numpy as np
import pytest
import veilmix
from sample_kit import sampled
from veilmix.errors import DataError, ScenarioError
from veilmix.protocol.board.board import Entry
from veilmix.protocol.wire.announcement import Announcement
from veilmix.protocol.wire.coarsening import Bins
from veilmix.roles.network.instruments import Instrument
from veilmix.scenarios.lab.play.run import run
from veilmix.scenarios.populations import population
from veilmix.scenarios.programs.randomized.score import Randomized
from veilmix.scenarios.schema.model import BinsSection, FeatureSection, PopulationSection

N = 60
AGES = [18 + (i * 7) % 50 for i in range(N - 2)] + ["", "-1"]
ROWS = [
    (
        AGES[i],
        "mMfF"[i % 4],
        f"10{i % 10}{i % 3}7",
        f"{1 + i % 28}.{1 + i % 12}.{1950 + i}",
        ("Oslo", "oslo ", "Bergen", "Voss")[i % 4] if i % 20 else "Kirkenes",
    )
    for i in range(N)
]
RULES = """
[[feature]]
name = "age"
merge = { "(missing)" = ["-1"] }
bins = { width = 10 }

[[feature]]
name = "sex"
fold = ["case"]

[[feature]]
name = "zip"
prefix = 2

[[feature]]
name = "born"
date = "decade"

[[feature]]
name = "city"
fold = ["case", "spaces"]
merge_below = 5
"""


@pytest.fixture
def base(tmp_path: Path) -> Path:
    lines = ["age,sex,zip,born,city", *(",".join(map(str, row)) for row in ROWS)]
    (tmp_path / "people.csv").write_text("\n".join(lines) + "\n")
    (tmp_path / "zip.csv").write_text(
        "".join(
            f"{row[2]};{row[2][:3]}**;*\n" for row in sorted(ROWS, key=lambda row: row[2])
        ).replace("\n\n", "\n")
    )
    return tmp_path


class Announced(Instrument):
    """Keeps the announcements that the board accepts."""

    def __init__(self) -> None:
        self.told: list[Announcement] = []

    def posted(self, time: float, entry: Entry) -> None:
        if isinstance(entry.message.body, Announcement):
            self.told.append(entry.message.body)


def scenario(more: str = RULES, head: str = "", policy: str = 'kind = "all"') -> str:
    return (
        f'[scenario]\nname = "s"\nseed = 5\n[population]\nsource = "people.csv"\n{head}\n'
        f"[policy]\nk = 2\n{policy}\n{more}"
    )


def made(base: Path, feature: FeatureSection) -> tuple[str, ...]:
    return population(PopulationSection(source="people.csv"), [feature], base=base).values[0]


def test_what_is_said_instead(base: Path) -> None:
    people = population(
        PopulationSection(source="people.csv"),
        veilmix.loads(scenario(), base=base).feature,
        base=base,
    )
    assert people.values[0] == (
        *("10 to 19", "20 to 29", "30 to 39", "40 to 49", "50 to 59", "60 to 69", "(missing)"),
    )
    assert people.values[1:3] == (("f", "m"), ("10*",))
    assert people.values[3][0] == "1950s"
    assert people.values[4] == ("(other)", "bergen", "oslo", "voss")
    assert people.row(0)[:2] == ("10 to 19", "m")
    assert people.exact_values(0)[:2] == ("18", "m")
    assert people.exact_values(1)[1] == "M"
    sample = people.sample(7, 1)
    for i in range(7):
        assert sample.schema.coarsen(sample.exact_values(i)) == sample.row(i)


KINDS = ["all", "exposure", "hierarchical", "local-suppression"]


@pytest.mark.slow
@pytest.mark.parametrize("kind", sampled(KINDS, 0, 1, 3))
def test_real_is_ideal(base: Path, kind: str) -> None:
    loaded = veilmix.loads(scenario(policy=f'kind = "{kind}"\nmax_exposure = 0.4'), base=base)
    real = run(loaded, worst_case_nodes=0)
    ideal = run(loaded, mode="ideal", worst_case_nodes=0)
    assert real.marginals == ideal.marginals
    assert real.decision == ideal.decision
    assert real.release == ideal.release
    assert real.marginals is not None
    assert set(real.marginals[1]) == {("f",), ("m",)}
    assert real.refused == {}


@pytest.mark.slow
@pytest.mark.parametrize("more", ['setting = "statistical"', "users = 41"])
def test_real_is_ideal_for_samples(base: Path, more: str) -> None:
    loaded = veilmix.loads(scenario(head=more), base=base)
    real, ideal = veilmix.run(loaded), veilmix.run(loaded, mode="ideal")
    assert (real.marginals, real.release) == (ideal.marginals, ideal.release)


@pytest.mark.slow
def test_peers_apply_them_too(base: Path) -> None:
    more = RULES + "[mix]\npeers = true\nmin_batch = 5\n"
    loaded = veilmix.loads(scenario(more, "users = 20", 'kind = "exposure"'), base=base)
    real, ideal = veilmix.run(loaded), veilmix.run(loaded, mode="ideal")
    assert (real.marginals, real.release) == (ideal.marginals, ideal.release)


def test_the_announcement_says_them(base: Path) -> None:
    watch = Announced()
    veilmix.run(veilmix.loads(scenario(), base=base), instruments=[watch])
    (told,) = watch.told
    assert told.schema.features[0].rules[-1] == Bins(
        (10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0), whole=True
    )
    assert [bool(feature.rules) for feature in told.schema.features] == [True] * 5


BINS: list[tuple[BinsSection, tuple[str, ...]]] = [
    (BinsSection(edges=(30, 65)), ("below 30", "30 to 64", "65 or more", "(missing)")),
    (BinsSection(quantiles=2), ("below 43", "43 or more", "(missing)")),
    (BinsSection(width=50, start=18), ("18 to 67", "(missing)")),
]


@pytest.mark.parametrize(("bins", "values"), BINS)
def test_bins_name_their_ranges_and_keep_missing_values(
    base: Path, bins: BinsSection, values: tuple[str, ...]
) -> None:
    merge = {"(missing)": ("-1",)}
    assert made(base, FeatureSection(name="age", merge=merge, bins=bins)) == values


def test_a_hierarchy_as_arx_has_them(base: Path) -> None:
    feature = FeatureSection(name="zip", hierarchy=str(base / "zip.csv"), level=1)
    assert set(made(base, feature)) == {f"10{i}**" for i in range(10)}
    for level, message in ((3, "level = 3 is none"), (2, None)):
        feature = FeatureSection(name="zip", hierarchy=str(base / "zip.csv"), level=level)
        if message is None:
            assert made(base, feature) == ("*",)
            continue
        with pytest.raises(DataError, match=message):
            made(base, feature)
    (base / "few.csv").write_text("10007;1*\n10117;1*\n")
    with pytest.raises(DataError, match=r"few.csv: has no line for"):
        made(base, FeatureSection(name="zip", hierarchy=str(base / "few.csv"), level=1))


MISTAKES = {
    "two shapes": ('prefix = 2\ndate = "year"', "date and prefix exclude each other; choose one"),
    "no bins": ("bins = {}", "found none; one of edges, width, quantiles is accepted"),
    "two bins": ("bins = { width = 1, quantiles = 2 }", "found width and quantiles; one of"),
    "edges": ("bins = { edges = [3, 3] }", "edges must ascend, and each occurs once"),
    "a word": ('fold = ["cases"]', "(did you mean `case`?)"),
    "no level": ('hierarchy = "zip.csv"', "hierarchy names a file, and level"),
    "no file": ('hierarchy = "no.csv"\nlevel = 1', "no.csv: cannot be read"),
    "twice": ('merge = { a = ["x"], b = ["x"] }', "'x' is in two groups; each value is in one"),
    "no number": ("bins = { width = 5 }", "bins of numbers, but none of its values is one"),
    "a moved label": (
        'merge = { Voss = ["Bergen"], Fjord = ["Voss"] }',
        "'Voss' is changed again by its rules, to 'Fjord'",
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes_are_lines(base: Path, name: str) -> None:
    lines, message = MISTAKES[name]
    with pytest.raises(ScenarioError) as wrong:
        veilmix.loads(scenario(f'[[feature]]\nname = "city"\n{lines}\n'), base=base)
    assert message in str(wrong.value)


def test_months_of_which_the_day_is_not_known(base: Path) -> None:
    (base / "d.csv").write_text("d,x\n1/2/2020,a\n3/4/2020,b\n")
    section = PopulationSection(source="d.csv")
    with pytest.raises(DataError, match="say day_first = true or false"):
        population(section, [FeatureSection(name="d", date="month")], base=base)
    said = population(section, [FeatureSection(name="d", date="month", day_first=False)], base=base)
    assert said.values[0] == ("2020-01", "2020-03")
    (base / "d.csv").write_text("d,x\n1/20/2020,a\n3/4/2020,b\n")
    with pytest.raises(DataError, match="day_first = true, '1/20/2020' has no month"):
        population(section, [FeatureSection(name="d", date="month", day_first=True)], base=base)


def test_dates_that_are_none_are_an_error(base: Path) -> None:
    (base / "d.csv").write_text("d,x\n1 May 2020,a\n3 May 2020,b\n")
    with pytest.raises(DataError, match=r"none of its values is a date.*such as '1 May 2020'"):
        population(
            PopulationSection(source="d.csv"), [FeatureSection(name="d", date="year")], base=base
        )


def test_generated_people_have_none() -> None:
    zipf = '[scenario]\nname = "z"\n[population]\nsource = "builtin:zipf"\nusers = 50\n'
    with pytest.raises(ScenarioError, match="rules for coarser values need a table"):
        veilmix.loads(zipf + '[[feature]]\nname = "a"\nprefix = 1\n')


@pytest.mark.parametrize(
    "mechanism", sampled(["grr", "oue", "local-hash", "hadamard", "subset"], 4)
)
def test_people_make_values_coarser_before_they_add_noise(base: Path, mechanism: str) -> None:
    """Rules are announced beside the noise, applied before it, and both roads say the same."""
    noise = f'[local]\nmechanism = "{mechanism}"\nepsilon = 25.0\n'
    rules = RULES.replace("prefix = 2", "prefix = 3")  # of one value nothing is reported
    chosen = veilmix.loads(scenario(rules + noise, policy='kind = "histogram"'), base=base)
    watch = Announced()
    real, ideal = veilmix.run(chosen, instruments=[watch]), veilmix.run(chosen, mode="ideal")
    assert real.findings == ideal.findings
    assert real.refused == {}
    (told,) = watch.told
    assert [bool(feature.rules) for feature in told.schema.features] == [True] * 5
    assert told.schema.coarsen(("23", "F", "10117", "3.4.1951", "oslo ")) == (
        *("20 to 29", "f", "101*", "1950s", "oslo"),
    )
    people = population(PopulationSection(source="people.csv"), chosen.feature, base=base)
    assert isinstance(real.findings, Randomized)
    for j, feature in enumerate(real.findings.features):
        truth = np.bincount(people.codes[:, j], minlength=len(people.values[j])) / people.n
        assert feature.values == people.values[j]
        assert feature.truth == pytest.approx(truth)
        assert np.all(np.abs(feature.shares - truth) <= 5 * np.asarray(feature.errors) + 1e-9)


def test_rules_have_no_place_in_one_report_of_all_features(base: Path) -> None:
    noise = '[local]\nmechanism = "bit-flip"\nepsilon = 1.0\n'
    rules = '[[feature]]\nname = "sex"\nfold = ["case"]\n'
    with pytest.raises(ScenarioError, match="one report of all features, where the rules of one"):
        veilmix.loads(scenario(rules + noise, policy='kind = "histogram"'), base=base)


def test_a_scenario_is_written_as_it_was_read(base: Path) -> None:
    from veilmix.scenarios.schema.dump import dump

    loaded = veilmix.loads(scenario(), base=base)
    assert veilmix.loads(dump(loaded)) == loaded
