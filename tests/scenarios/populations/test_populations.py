"""The people veilmix ships and makes: published facts, stated laws, the same person every time."""

import csv
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from veilmix.errors import DataError
from veilmix.scenarios.populations import Population, population
from veilmix.scenarios.populations.tables import TABLES, shipped
from veilmix.scenarios.schema.model import FeatureSection, PopulationSection

DATA = Path(__file__).resolve().parents[4] / "shared" / "data" / "adult"
needs_adult = pytest.mark.data("adult/adult.data")
KS = (2, 5, 10, 20, 50, 100, 200, 500, 1000)


def people(name: str, **more: object) -> Population:
    features = more.pop("features", ())
    seed = more.pop("seed", None)
    return population(PopulationSection(source=f"builtin:{name}", **more), features, seed)  # type: ignore[arg-type]


def rows(of: Population) -> Counter[tuple[str, ...]]:
    return Counter(of.row(i) for i in range(of.n))


def marginal(of: Population, feature: str) -> dict[str, int]:
    j = of.schema.column(feature)
    counts = np.bincount(of.codes[:, j], minlength=len(of.values[j]))
    return dict(zip(of.values[j], counts.tolist(), strict=True))


# People whose combination of all features occurs fewer than k times, for the k of KS.
EXPOSED = {
    "titanic": (2201, (1, 8, 13, 108, 163, 540, 1144, 1531, 2201)),
    "admissions": (4526, (0, 0, 8, 44, 90, 326, 853, 4014, 4526)),
    "hair-eye": (592, (0, 12, 87, 173, 359, 592, 592, 592, 592)),
    "census": (32561, (11, 94, 179, 469, 954, 1816, 3036, 6153, 11383)),
}


@pytest.mark.parametrize("name", EXPOSED)
def test_people_in_small_crowds(name: str) -> None:
    of = people(name)
    _, counts = np.unique(of.codes, axis=0, return_counts=True)
    assert of.n == EXPOSED[name][0]
    assert tuple(int(counts[counts < k].sum()) for k in KS) == EXPOSED[name][1]


# The totals that are published, of the tables that are not counted above.
PEOPLE = {
    "heart-risk": 1841,
    "rochdale": 665,
    "dayton": 2276,
    "cancer-knowledge": 1729,
    "employment": 1583,
    "drinking": 5144,
    "divorce": 1036,
    "punishment": 1456,
    "ovary": 299,
    "caesarean": 251,
    "eyesight": 7477 + 3242,
    "toxaemia": 13384,
}


@pytest.mark.parametrize("name", PEOPLE)
def test_the_people_of_a_table_are_those_published(name: str) -> None:
    assert len(shipped(name).codes) == PEOPLE[name]


def test_every_shipped_table_is_counted() -> None:
    assert {*EXPOSED, *PEOPLE} == {*TABLES}


MARGINALS = {
    ("titanic", "class"): {"1st": 325, "2nd": 285, "3rd": 706, "crew": 885},
    ("titanic", "sex"): {"female": 470, "male": 1731},
    ("titanic", "age"): {"adult": 2092, "child": 109},
    ("titanic", "survived"): {"no": 1490, "yes": 711},
    ("admissions", "department"): {"A": 933, "B": 585, "C": 918, "D": 792, "E": 584, "F": 714},
    ("admissions", "sex"): {"female": 1835, "male": 2691},
    ("admissions", "admission"): {"admitted": 1755, "rejected": 2771},
    ("hair-eye", "hair"): {"black": 108, "blond": 127, "brown": 286, "red": 71},
    ("hair-eye", "eye"): {"blue": 215, "brown": 220, "green": 64, "hazel": 93},
    ("hair-eye", "sex"): {"female": 313, "male": 279},
    ("census", "sex"): {"Female": 10771, "Male": 21790},
    ("census", "income"): {"<=50K": 24720, ">50K": 7841},
    ("census", "race"): {
        "Amer-Indian-Eskimo": 311,
        "Asian-Pac-Islander": 1039,
        "Black": 3124,
        "Other": 271,
        "White": 27816,
    },
}


@pytest.mark.parametrize(("name", "feature"), MARGINALS)
def test_marginals_of_shipped_people_are_the_published_ones(name: str, feature: str) -> None:
    assert marginal(people(name), feature) == MARGINALS[name, feature]


@pytest.mark.slow
@needs_adult
def test_census_is_counted_from_uci_adult() -> None:
    with (DATA / "adult.data").open(newline="") as file:
        adult = [[cell.strip() for cell in row] for row in csv.reader(file) if row]
    counted = Counter((row[9], row[14], row[8], row[1]) for row in adult)
    assert len(counted) == 131
    assert rows(people("census")) == counted


@pytest.mark.parametrize("name", TABLES)
def test_a_shipped_table_says_where_it_comes_from_and_numbers_people_by_its_lines(
    name: str,
) -> None:
    of = people(name)
    assert "Source: " in of.note
    assert of.codes.dtype == np.int32
    assert of.codes.flags.c_contiguous
    assert [f.values for f in of.schema.features] == list(of.values)
    assert of.row(0) == tuple(t[c] for t, c in zip(of.values, shipped(name).codes[0], strict=True))
    assert (of.codes == people(name, seed=5).codes).all()


def test_person_i_is_found_by_counting() -> None:
    of = people("titanic")
    assert of.row(3) == ("1st", "female", "adult", "no")  # four of them: persons 0 to 3
    assert of.row(4) == ("1st", "female", "adult", "yes")
    assert of.row(2200) == ("crew", "male", "adult", "yes")


def test_features_choose_rename_and_order_columns() -> None:
    of = people(
        "titanic",
        columns={"fate": "survived"},
        features=[
            FeatureSection(name="fate", values=("yes", "no", "unknown")),
            FeatureSection(name="class"),
        ],
    )
    assert of.schema.names == ("fate", "class")
    assert of.values[0] == ("yes", "no", "unknown")
    assert marginal(of, "fate") == {"yes": 711, "no": 1490, "unknown": 0}
    assert people("titanic", columns={"fate": "survived"}).schema.names == ("fate",)


def test_an_open_feature_keeps_its_texts_but_shows_none() -> None:
    of = people("titanic", features=[FeatureSection(name="class", open=True, width=9)])
    assert of.schema.features[0].values is None
    assert of.schema.features[0].width == 9
    assert of.values == (("1st", "2nd", "3rd", "crew"),)


def test_a_sample_is_without_replacement_in_order_and_by_seed() -> None:
    of = people("titanic", users=200, seed=7)
    assert of.n == 200
    assert not rows(of) - rows(people("titanic"))
    assert (of.codes == people("titanic", users=200, seed=7).codes).all()
    assert (of.codes != people("titanic", users=200, seed=8).codes).any()
    assert rows(people("titanic", users=2201, seed=7)) == rows(people("titanic"))
    whole = people("titanic")
    assert (whole.sample(2201, 1).codes == whole.codes).all()
    with pytest.raises(DataError, match=r"2,202 people asked for; it has 2,201"):
        whole.sample(2202)


def test_system_randomness_differs_from_run_to_run() -> None:
    drawn = [people("zipf", users=64).codes.tobytes() for _ in range(4)]
    assert len(set(drawn)) == 4


def test_blood_types_follow_the_stated_alleles() -> None:
    of = people("blood-type", users=40_000, seed=1)
    present = [marginal(of, name)["Y"] / of.n for name in ("A", "B", "Rh")]
    expected = [1 - (1 - p) ** 2 for p in (0.266, 0.158, 0.592)]
    assert present == pytest.approx(expected, abs=0.015)
    both = rows(
        people(
            "blood-type",
            users=40_000,
            seed=1,
            features=[FeatureSection(name="A"), FeatureSection(name="B")],
        )
    )
    assert both["Y", "Y"] / of.n == pytest.approx(2 * 0.266 * 0.158, abs=0.01)  # one of each
    assert people("blood-type").n == 30


def test_the_shipped_thirty_are_the_same_everywhere() -> None:
    of = people("blood-type", seed=7)
    assert marginal(of, "A") == {"N": 16, "Y": 14}
    assert marginal(of, "B") == {"N": 21, "Y": 9}
    assert marginal(of, "Rh") == {"N": 2, "Y": 28}


LAWS = {
    "zipf": [12 / 25, 6 / 25, 4 / 25, 3 / 25],  # 1, 1/2, 1/3, 1/4, together 25/12
    "uniform": [1 / 4] * 4,
    "correlated": [1 / 4] * 4,
}


@pytest.mark.parametrize("name", LAWS)
def test_generated_values_follow_their_law(name: str) -> None:
    of = people(name, users=40_000, seed=3, features=[FeatureSection(name="x", levels=4)])
    shares = np.array(list(marginal(of, "x").values())) / of.n
    assert of.values == (("v1", "v2", "v3", "v4"),)
    assert shares == pytest.approx(LAWS[name], abs=0.012)


def test_generated_columns_are_independent_and_named() -> None:
    of = people("bits", users=40_000, seed=3)
    assert of.schema.names == ("a", "b", "c")
    assert of.values == (("0", "1"),) * 3
    assert [count / of.n for count in rows(of).values()] == pytest.approx([1 / 8] * 8, abs=0.01)
    assert people("zipf", users=9).values[0][-1] == "v10"
    named = people("bits", users=9, features=[FeatureSection(name="heads", values=("no", "yes"))])
    assert named.values == (("no", "yes"),)


def test_even_columns_have_every_value_as_often() -> None:
    of = people("even", users=30, features=(FeatureSection(name="team", levels=10),))
    assert set(marginal(of, "team").values()) == {3}
    assert of.row(0) == of.row(10) != of.row(11)


def test_correlated_columns_go_together_nine_times_in_ten() -> None:
    """Two columns of four values agree with probability 0.81 + 0.19 / 4; a coarser one follows."""
    features = [
        FeatureSection(name="a", levels=4),
        FeatureSection(name="b", levels=4),
        FeatureSection(name="c"),
    ]
    of = people("correlated", users=40_000, seed=3, features=features)
    assert np.mean(of.codes[:, 0] == of.codes[:, 1]) == pytest.approx(0.81 + 0.19 / 4, abs=0.01)
    halves = np.mean(of.codes[:, 0] // 2 == of.codes[:, 2] // 5)
    assert halves == pytest.approx(0.81 + 0.19 / 2, abs=0.01)
    again = people("correlated", users=40_000, seed=3, features=features)
    assert (again.codes == of.codes).all()
    assert (people("correlated", users=40_000, seed=4, features=features).codes != of.codes).any()


WRONG: dict[str, tuple[dict[str, object], str]] = {
    "atlantis": ({}, r"no population is called 'atlantis'; shipped are blood-type, titanic"),
    "zipf": ({}, r"people are generated; say in users how many"),
    "bits": (
        {"users": 3, "features": [FeatureSection(name="x", levels=3)]},
        r"3 values; this .* has 2",
    ),
    "titanic": (
        {"features": [FeatureSection(name="x")]},
        r"no column is called 'x'; it has class, sex",
    ),
    "hair-eye": (
        {"features": [FeatureSection(name="eye", values=("blue",))]},
        r"the data also hold",
    ),
    "census": ({"users": 32_562}, r"32,562 people asked for; it has 32,561"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_cannot_be_had(name: str) -> None:
    more, message = WRONG[name]
    with pytest.raises(DataError, match=message):
        people(name, **more)


@pytest.mark.slow
def test_a_million_people_are_made_quickly() -> None:
    of = people(
        "zipf",
        users=1_000_000,
        features=[FeatureSection(name=f"f{j}", levels=20) for j in range(8)],
    )
    assert of.codes.shape == (1_000_000, 8)
    assert of.codes.nbytes == 32_000_000
