"""A column of sampling weights: recognised, left out, and used where it is named."""

import csv
import io
import json
from pathlib import Path

import numpy as np
import pytest
from veilmix.analysis.exposure.sampled_population import sampled_risk
from veilmix.scenarios.lab.validation.load import load
from veilmix.scenarios.populations.roles import ColumnRole, guess_roles

SIZE = 240
RNG = np.random.default_rng(3)
AGES = RNG.integers(20, 40, SIZE).tolist()
WEIGHTS = np.round(RNG.uniform(2, 900, SIZE), 2).tolist()
EXPANSION = tuple(f"{50 + i}.37" for i in range(200))


@pytest.fixture
def survey(tmp_path: Path) -> Path:
    file = tmp_path / "survey.csv"
    rows = enumerate(zip(AGES, WEIGHTS, strict=True))
    lines = [f"{age};{'mf'[i % 2]};{weight}" for i, (age, weight) in rows]
    file.write_text("\n".join(["age;sex;fnlwgt", *lines]) + "\n", "utf-8")
    return file


def role(name: str, texts: tuple[str, ...]) -> ColumnRole:
    """The role guessed for a column with each text in four rows."""
    return guess_roles([name], [texts], 4 * len(texts), {}, "")[0].role


@pytest.mark.parametrize(
    "name",
    [
        *("fnlwgt", "PWEIGHT", "sampling_weight", "expansion factor", "Hochrechnungsfaktor"),
        *("Gewichtungsfaktor", "coefficient de pondération", "poids de sondage", "PONDERACIÓN"),
        *("factor de expansión", "peso campionario", "steekproefgewicht", "wegingsfactor"),
    ],
)
def test_names_of_sampling_weights_in_six_languages(name: str) -> None:
    """With numbers above 0 they are weights, and with texts they are not."""
    assert role(name, EXPANSION) is ColumnRole.WEIGHT
    assert role(name, ("low", "high", "middle")) is not ColumnRole.WEIGHT
    assert role(name, ("-1", "0", "3")) is not ColumnRole.WEIGHT


@pytest.mark.parametrize("name", ["weight", "Gewicht", "poids", "peso"])
def test_the_weight_of_a_body_is_none(name: str) -> None:
    """The same word stands for both; numbers no body can have, with decimals, are weights."""
    kilograms = tuple(f"{45 + i / 4}" for i in range(200))
    grams = tuple(str(2500 + 10 * i) for i in range(200))
    assert role(name, kilograms) is ColumnRole.QUASI
    assert role(name, grams) is ColumnRole.QUASI
    assert role(f"birth {name}", tuple(f"{9 * i}.5" for i in range(1, 200))) is ColumnRole.QUASI
    assert role(name, tuple(f"{9 * i}.5" for i in range(1, 200))) is ColumnRole.WEIGHT


def test_journalist_and_marketer_use_the_weights(typed, survey: Path) -> None:
    """In JSON, CSV and text, with the interval; the prosecutor's risk is as before."""
    plain = json.loads(typed("score", str(survey), "--format", "json").out)
    assert plain["risk"]["sampled"] is None
    assert [column["name"] for column in plain["columns"]] == ["age", "sex"]
    said = typed("score", str(survey), "--weight", "fnlwgt", "--format", "json")
    record = json.loads(said.out)
    rows = [(age, i % 2) for i, age in enumerate(AGES)]
    cells = np.array([sorted(set(rows)).index(row) for row in rows])
    risk = sampled_risk(cells, WEIGHTS, 5)
    assert risk.estimate is not None
    found = record["risk"]
    assert found["prosecutor"] == plain["risk"]["prosecutor"]
    assert found["journalist"]["mean"] == pytest.approx(risk.journalist.mean)
    assert found["marketer"] == pytest.approx(risk.marketer)
    assert found["sampled"]["people"] == pytest.approx(sum(WEIGHTS))
    assert found["sampled"]["marketer_low"] < found["marketer"] < found["sampled"]["marketer_high"]
    tidy = typed("score", str(survey), "--weight", "fnlwgt", "--format", "csv").out
    values = {row["measure"]: row["value"] for row in csv.DictReader(io.StringIO(tidy))}
    assert float(values["marketer_low"]) == pytest.approx(found["sampled"]["marketer_low"])
    assert float(values["population"]) == pytest.approx(sum(WEIGHTS))
    page = typed("score", str(survey), "--weight", "fnlwgt", "--save", "score.json")
    words = " ".join(page.out.split())
    assert f"a population of {sum(WEIGHTS):,.0f}" in words
    assert "95 % interval of F under this model, by 1,000 draws (seed 0)" in words
    assert typed("report", "score.json", "--out", "page.html").code == 0
    html = Path("page.html").read_text("utf-8")
    assert f"a population of {sum(WEIGHTS):,.0f}" in html


def test_a_recognised_column_is_left_out_and_said(typed, survey: Path) -> None:
    """It is no quasi-identifier, not released, not searched; the user may overrule that."""
    words = " ".join(typed("score", str(survey)).out.split())
    assert "fnlwgt sampling weight: left out it is called 'fnlwgt'" in words
    assert "the population by its weights: --weight fnlwgt" in words
    said = typed("advise", str(survey), "--k", "3", "--table", "out.csv", "--write", "a.toml")
    assert "left out fnlwgt: a sampling weight" in " ".join(said.out.split())
    assert Path("out.csv").read_text("utf-8").splitlines()[0].split(",") == ["age", "sex"]
    assert load("a.toml").population.roles == {"fnlwgt": "weight"}
    weighted = json.loads(typed("score", "a.toml", "--format", "json").out)
    assert weighted["risk"]["sampled"]["people"] == pytest.approx(sum(WEIGHTS))
    kept = typed("advise", str(survey), "--keep", "fnlwgt")
    assert (kept.code, "say --other fnlwgt too" in kept.err) == (2, True)
    assert typed("advise", str(survey), "--other", "fnlwgt", "--keep", "fnlwgt").code == 0


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--weight", "fnlwgt", "--population-factor", "9"), "contradict each other"),
        (("--weight", "fnlwgt", "--missing", "wildcard"), "--missing wildcard contradict"),
        (("--weight", "fnlwgt", "--person", "age"), "survey.csv: --weight fnlwgt: "),
        (("--weight", "fnlwgt,age"), "one column of sampling weights"),
        (("--weight", "fnlwgt", "--quasi", "fnlwgt"), "a column is one thing"),
        (("--weight", "fnlwgt", "--columns", "fnlwgt"), "no other column is left"),
        (("--weight", "sex"), "found 'm'"),
    ],
)
def test_weights_that_cannot_be_used_are_one_error(
    typed, survey: Path, options: tuple[str, ...], told: str
) -> None:
    """Nothing is scored then."""
    said = typed("score", str(survey), *options)
    assert (said.code, said.out) == (2, "")
    assert told in said.err
    assert said.err.count("\n") == 1


def test_weights_scaled_to_the_table_are_refused(typed, tmp_path: Path) -> None:
    """Their sum is the number of rows: they count no population."""
    file = tmp_path / "s.csv"
    file.write_text("sex,w\n" + "f,0.5\nm,1.5\n" * 10, "utf-8")
    said = typed("score", str(file), "--weight", "w")
    assert said.code == 2
    assert "scaled to the table" in said.err


@pytest.mark.parametrize(
    ("weight", "told"),
    [
        ("1e308", "s.csv:22: column 'w': found '1e308'; a sampling weight of at most 1e+12"),
        ("1e18", "s.csv:22: column 'w': found '1e18'; a sampling weight of at most 1e+12"),
        ("", ""),
    ],
)
def test_weights_of_no_population_are_refused(typed, tmp_path: Path, weight, told) -> None:
    file = tmp_path / "s.csv"
    last = f"m,{weight}\n" if weight else ""
    file.write_text("sex,w\n" + "f,30\nm,15\n" * 10 + last, "utf-8")
    said = typed("score", str(file), "--weight", "w")
    assert (said.code, told in said.err) == (2 if told else 0, True)


def test_the_sum_of_the_weights_is_limited(typed, tmp_path: Path) -> None:
    (tmp_path / "s.csv").write_text("sex,w\n" + "f,1e12\nm,1e12\n" * 600, "utf-8")
    said = typed("score", "s.csv", "--weight", "w")
    assert (said.code, said.out) == (2, "")
    assert "s.csv: --weight w: found a sum of 1.2e+15 people; at most 1e+15" in said.err


def test_the_earlier_form_of_importance_is_read_and_named(typed, survey: Path) -> None:
    """The same advice as by the new form, with the new form's name."""
    old, new = (
        typed("advise", str(survey), option, "age=50", "--format", "json")
        for option in ("--weight", "--importance")
    )
    assert old.out == new.out
    assert "'--weight COLUMN=NUMBER' is now '--importance COLUMN=NUMBER'" in old.err
    assert "is now" not in new.err
