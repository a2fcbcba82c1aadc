"""Sets of parts, columns of yes and no, spellings of numbers, composed letters."""

import unicodedata
from pathlib import Path

import pytest
from veilmix.cli import main
from veilmix.errors import DataError
from veilmix.own_data.api import advise
from veilmix.own_data.read_table import Reading, read, suspects
from veilmix.scenarios.lab.validation.load import loads
from veilmix.scenarios.populations.build import population
from veilmix.scenarios.populations.coarsening import levels
from veilmix.scenarios.populations.column_forms import number_spellings, one_spelling, set_sign
from veilmix.scenarios.schema.model import FeatureSection, PopulationSection

CELLS = ("fever;cough", "cough;fever", "cough; fever;", "pain", "", "pain;cough", "fever")


def decomposed(text: str) -> str:
    return unicodedata.normalize("NFD", text)


@pytest.fixture
def symptoms(tmp_path: Path) -> Path:
    lines = ["age,symptoms", *(f'3{i % 2},"{cell}"' for i, cell in enumerate(CELLS))]
    (tmp_path / "t.csv").write_text("\n".join(lines) + "\n")
    return tmp_path / "t.csv"


def column(table, name: str) -> list[str]:
    j = table.columns.index(name)
    return [table.values[j][code] for code in table.codes[:, j].tolist()]


def test_a_set_has_no_order(symptoms: Path) -> None:
    table = read(symptoms, Reading(sets=("symptoms=;",)))
    assert column(table, "symptoms") == [
        *("cough;fever",) * 3,
        *("pain", "", "cough;pain", "fever"),
    ]
    assert not [line for line in suspects(table, ()) if "symptoms" in line]


def test_a_column_for_each_part(symptoms: Path) -> None:
    said = Reading(yes_no=("symptoms=;",), sensitive="symptoms", columns="symptoms,age")
    table = read(symptoms, said)
    assert table.columns == ("symptoms: cough", "symptoms: fever", "symptoms: pain", "age")
    assert column(table, "symptoms: fever") == ["yes", "yes", "yes", "no", "", "no", "yes"]
    assert column(table, "symptoms: pain") == ["no", "no", "no", "yes", "", "yes", "no"]
    roles = {judged.column: str(judged.role) for judged in table.judged}
    assert [roles[name] for name in table.columns[:3]] == ["sensitive"] * 3
    assert table.source is not None
    assert list(table.source.rows())[3] == ["31", "no", "no", "yes"]


def test_a_scenario_asks_about_parts(symptoms: Path) -> None:
    section = PopulationSection(source=str(symptoms), yes_no={"symptoms": ";"}, missing="unknown")
    people = population(
        section, [FeatureSection(name="symptoms: pain"), FeatureSection(name="age")]
    )
    assert people.values[0] == ("no", "unknown", "yes")
    assert people.row(3) == ("yes", "31")
    sets = PopulationSection(source=str(symptoms), sets={"symptoms": ";"}, missing="unknown")
    assert "cough;fever" in population(sets, [FeatureSection(name="symptoms")]).values[0]


def test_advice_writes_the_forms_into_its_scenario(
    symptoms: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = symptoms.with_name("t.toml")
    arguments = ["--k", "2", "--max-exposure", "0.9", "--yes-no", "symptoms=;", "--known", "all"]
    assert main(["advise", str(symptoms), *arguments, "--write", str(file)]) == 0
    assert 'yes_no = { symptoms = ";" }' in file.read_text()
    assert main(["check", str(file)]) == 0
    assert "symptoms: " in capsys.readouterr().out


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ({"sets": ("symptom=;",)}, "no column is called 'symptom'"),
        ({"yes_no": ("symptoms",)}, "COLUMN=SIGN is accepted"),
        ({"yes_no": ("symptoms=;",), "sets": ("symptoms=;",)}, "choose one"),
        ({"as_number": "ages"}, "did you mean `age`"),
    ],
)
def test_a_form_that_cannot_be(symptoms: Path, said: dict[str, object], message: str) -> None:
    with pytest.raises(DataError, match=message):
        read(symptoms, Reading(**said))  # type: ignore[arg-type]


def test_too_many_parts_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "t.csv"
    file.write_text("a,b\n" + "".join(f"1,x{i};y{i}\n" for i in range(60)))
    with pytest.raises(DataError, match="120 different parts between ';'"):
        read(file, Reading(yes_no=("b=;",)))


def test_another_sign_is_pointed_out(symptoms: Path) -> None:
    table = read(symptoms, Reading(sets=("symptoms=|",)))
    assert (
        "column 'symptoms': --sets: no cell holds '|', so every cell has one part" in table.warnings
    )


@pytest.mark.parametrize(
    ("texts", "sign"),
    [
        (CELLS, ";"),
        (("a, b", "b", "c, a, b", "c", ""), ","),
        (("1;2", "2", "3;1"), ";"),
        (("Oslo, Norway", "Bergen, Norway", "Lund, Sweden", "Malmo, Sweden"), None),  # one size
        (("1,5", "2", "3,5", "4,25"), None),
        (("Smith, John", "Ames, Ann", "Berg", "Cole, Cy", "Day, Di"), None),
        ([f"a{i};b{i}" for i in range(50)] + ["a1"], None),
        (("yes", "no"), None),
    ],
)
def test_what_looks_like_sets(texts: tuple[str, ...], sign: str | None) -> None:
    assert set_sign(texts) == sign


def test_a_scenario_asks_too(symptoms: Path) -> None:
    plain = PopulationSection(source=str(symptoms), missing="unknown")
    (line,) = population(plain, [FeatureSection(name="symptoms")]).warnings
    assert 'yes_no = { symptoms = ";" }' in line
    settled = [
        FeatureSection(name="symptoms", merge={"ill": tuple({cell for cell in CELLS if cell})})
    ]
    assert not population(plain, settled).warnings


def test_both_options_are_named(symptoms: Path) -> None:
    (line,) = [line for line in suspects(read(symptoms, Reading()), ()) if "symptoms" in line]
    assert "4 cells hold several of 3 parts" in line
    assert "--sets 'symptoms=;'" in line
    assert "--yes-no 'symptoms=;'" in line


def test_one_number_has_one_spelling() -> None:
    spelled = {"67.0": "67", "067": "67", "+67": "67", "-0.50": "-0.5", "1e3": "1000", ".5": "0.5"}
    same = ("67", "x", "1,5", "", "12345678901234567890123", "0", "1e999", "0." + "1" * 80)
    for text, shortest in (spelled | dict(zip(same, same, strict=True))).items():
        assert one_spelling(text) == shortest
    assert number_spellings(["67", "67.0", "067", "5", "x"]) == {"67": ["67.0", "067"]}
    assert number_spellings(["67", "67.0", "067"], zeros=False) == {"67": ["67.0"]}
    assert number_spellings(["067", "67"], zeros=False) == {}


def test_spellings_of_numbers_are_asked_about(tmp_path: Path) -> None:
    file = tmp_path / "t.csv"
    file.write_text("age,sex\n" + "67,f\n67.0,f\n45,m\n45,f\n" * 3)
    plain = read(file, Reading())
    (line,) = suspects(plain, ())
    assert "'67' and '67.0' are different values; 1 number in 6 cells is spelled" in line
    assert "say --as-number age (in a scenario, in [population]: as_number = [" in line
    assert column(plain, "age").count("67") == 3
    table = read(file, Reading(as_number="age"))
    assert column(table, "age").count("67") == 6
    assert not suspects(table, ())
    advised = advise(file, k=3, max_exposure=0)
    assert set(advised.coarse()["age"]) == {"45", "67"}  # without a loss
    assert advised.level_names(advised.best)[0] == "67.0 as 67"


@pytest.fixture
def cities(tmp_path: Path) -> Path:
    cells = ["Zürich", decomposed("Zürich"), "Genf", "Genf"]
    lines = [f"{decomposed('größe')},stadt", *(f"17{i % 2},{cell}" for i, cell in enumerate(cells))]
    (tmp_path / "t.csv").write_text("\n".join(lines) + "\n", "utf-8")
    return tmp_path / "t.csv"


@pytest.mark.parametrize("spell", [str, decomposed])
def test_composed_and_decomposed_letters_are_one(cities: Path, spell) -> None:
    said = Reading(
        sensitive=spell("größe"),
        missing_text=(spell("Zürich"),),
        coarsen=(spell('größe.merge={"groß"=["170","171"]}'),),
    )
    table = read(cities, said)
    assert table.columns == ("größe", "stadt")
    assert table.values == (("groß",), ("", "Genf"))
    assert {j.column: str(j.role) for j in table.judged}["größe"] == "sensitive"
    assert "letters and accents of 1 cells composed into one sign (NFC)" in table.warnings[0]
    assert table.source is not None
    assert [row[1] for row in table.source.rows()] == ["Zürich", "Zürich", "Genf", "Genf"]


@pytest.mark.parametrize("spell", [str, decomposed])
def test_a_scenario_and_a_hierarchy_compose_too(cities: Path, spell) -> None:
    file = cities.with_name(spell("stufen-ü") + ".csv")
    file.write_text(f"{decomposed('Zürich')};Schweiz\nGenf;{decomposed('Schwéiz')}\n", "utf-8")
    assert levels(file)["Zürich"] == ("Zürich", "Schweiz")
    text = (
        f'[scenario]\nname = "s"\n[population]\nsource = "{cities.name}"\n'
        f'roles = {{ "{spell("größe")}" = "quasi" }}\n'
        f'[[feature]]\nname = "stadt"\nhierarchy = "{file.name}"\nlevel = 1\n'
        f'[[feature]]\nname = "{spell("größe")}"\nvalues = ["170", "171"]\n[policy]\nk = 2\n'
    )
    scenario = loads(text, "s.toml", cities.parent)
    assert [feature.name for feature in scenario.feature] == ["stadt", "größe"]
    people = population(scenario.population, scenario.feature, base=cities.parent)
    assert people.values[0] == ("Schweiz", "Schwéiz")


def test_two_columns_of_one_name_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "t.csv"
    file.write_text(f"größe,{decomposed('größe')}\n1,2\n3,4\n", "utf-8")
    with pytest.raises(DataError, match="two columns are called 'größe'"):
        read(file, Reading())
