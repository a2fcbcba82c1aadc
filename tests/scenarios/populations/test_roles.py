"""What columns are: guessed with a reason, said by the user; direct identifiers are never asked."""

from pathlib import Path

import pytest
import veilmix
from veilmix.errors import DataError, ScenarioError
from veilmix.scenarios.populations.roles import ColumnRole, guess_roles

N = 100
COLUMNS = {
    "patient": [f"P{i:04}" for i in range(N)],
    "case": [str(40_000 + i) for i in range(N)],
    "name": [f"{'ABCDEFGHIJKLMNOPQRSTUVWXYZ'[i % 26]}. {i % 40}" for i in range(N)],
    "contact": [f"p{i}@example.org" for i in range(N)],
    "weight": [f"{50 + i / 3:.2f}" for i in range(N)],
    "born": [f"19{i:02}-0{1 + i % 9}-11" for i in range(N)],
    "diagnosis": ["flu", "cold"] * (N // 2),
    "sex": ["f", "m"] * (N // 2),
    "ward": ["a", "b", "c", "d"] * (N // 4),
    "study": ["x"] * N,
}
EXPECTED = {
    "patient": (ColumnRole.IDENTIFIER, "every value is different"),
    "case": (ColumnRole.IDENTIFIER, "every value is different"),
    "name": (ColumnRole.IDENTIFIER, "it is called 'name' and has"),
    "contact": (ColumnRole.IDENTIFIER, "its values are e-mail addresses"),
    "weight": (ColumnRole.QUASI, "it is called 'weight'"),
    "born": (ColumnRole.QUASI, "it is called 'born'"),
    "diagnosis": (ColumnRole.SENSITIVE, "it is called 'diagnosis'"),
    "sex": (ColumnRole.QUASI, "it is called 'sex'"),
    "ward": (ColumnRole.QUASI, "it is called 'ward'"),
    "study": (ColumnRole.OTHER, "it has one value only"),
}


@pytest.fixture
def table(tmp_path: Path) -> Path:
    lines = [",".join(COLUMNS), *map(",".join, zip(*COLUMNS.values(), strict=True))]
    path = tmp_path / "patients.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.mark.parametrize("name", COLUMNS)
def test_a_guess_has_its_reason(name: str) -> None:
    values = [sorted(set(COLUMNS[name]))]
    (guess,) = guess_roles([name], values, N, {}, "")
    role, reason = EXPECTED[name]
    assert (guess.role, guess.is_stated) == (role, False)
    assert guess.reason.startswith(reason)


def test_the_user_is_right() -> None:
    (guess,) = guess_roles(["patient"], [COLUMNS["patient"]], N, {"patient": "other"}, "")
    assert (guess.role, guess.is_stated) == (ColumnRole.OTHER, True)


def test_few_people_differ_by_chance() -> None:
    (guess,) = guess_roles(["who"], [["ann", "bob", "cyd"]], 3, {}, "")
    assert guess.role is ColumnRole.QUASI


def scenario(path: Path, *lines: str, features: str = "") -> str:
    people = "\n".join(lines)
    policy = "[policy]\nk = 2\nmax_exposure = 0.5\n"
    head = f'[scenario]\nname = "s"\nseed = 1\n[population]\nsource = "{path}"\n'
    return f"{head}{people}\n{policy}{features}"


@pytest.mark.parametrize("mode", ["real", "ideal"])
def test_nobody_is_asked_about_an_identifier(table: Path, mode: str) -> None:
    made = veilmix.loads(scenario(table, 'columns = { patient = "patient", sex = "sex" }'))
    outcome = veilmix.run(made, mode=mode)  # type: ignore[arg-type]
    assert outcome.schema.names == ("sex",)
    assert any(
        "'patient' is not asked about: a direct identifier" in note for note in outcome.notes
    )


def test_a_feature_that_is_an_identifier_is_a_mistake(table: Path) -> None:
    feature = '[[feature]]\nname = "patient"\n'
    with pytest.raises(ScenarioError, match=r'feature\[0\].name: "patient" is a direct identifier'):
        veilmix.loads(scenario(table, features=feature))
    veilmix.loads(scenario(table, 'roles = { patient = "quasi" }', features=feature))
    said = 'roles = { sex = "identifier" }'
    with pytest.raises(ScenarioError, match=r"direct identifier \(as you said\)"):
        veilmix.loads(scenario(table, said, features='[[feature]]\nname = "sex"\n'))
    with pytest.raises(ScenarioError, match=r"roles.sexx: no column is called"):
        veilmix.loads(scenario(table, 'roles = { sexx = "quasi" }'))


def test_only_identifiers_is_nobody_to_ask(table: Path) -> None:
    with pytest.raises((DataError, ScenarioError), match="every column is a direct identifier"):
        veilmix.loads(scenario(table, 'columns = { patient = "patient" }'))


KEYS = [f"{104_000 + 37 * i + i % 5}" for i in range(80)]  # of 400 rows, five each
CALLED = {
    "Patienten-Nr": (KEYS, ColumnRole.IDENTIFIER),
    "Fallnr": (KEYS, ColumnRole.IDENTIFIER),
    "case number": (KEYS, ColumnRole.IDENTIFIER),
    "KVNR": ([f"A{i:09}" for i in range(80)], ColumnRole.IDENTIFIER),
    "Versichertennummer": (KEYS, ColumnRole.IDENTIFIER),
    "n_securite_sociale": (KEYS, ColumnRole.IDENTIFIER),
    "numéro_dossier": (KEYS, ColumnRole.IDENTIFIER),
    "NumeroPaciente": (KEYS, ColumnRole.IDENTIFIER),
    "codice fiscale": (KEYS, ColumnRole.IDENTIFIER),
    "patiëntnummer": (KEYS, ColumnRole.IDENTIFIER),
    "patient": (KEYS, ColumnRole.IDENTIFIER),
    "Straße": ([f"Weg {i}" for i in range(80)], ColumnRole.IDENTIFIER),
    "register": (KEYS, ColumnRole.IDENTIFIER),  # by its law alone
    "Hauptdiagnose": (["J18", "I50", "E11"], ColumnRole.SENSITIVE),
    "MEDIKAMENT": (["a", "b"], ColumnRole.SENSITIVE),
    "diagnóstico principal": (["a", "b"], ColumnRole.SENSITIVE),
    "nebendiagnose_1": (["a", "b"], ColumnRole.SENSITIVE),
    "farmaco": (["a", "b"], ColumnRole.SENSITIVE),
    "drug name": ([f"d{i}" for i in range(30)], ColumnRole.SENSITIVE),
    "Hausarzt": (["Dr. A", "Dr. B"], ColumnRole.QUASI),
    "Geburtsjahr": (["1950", "1951"], ColumnRole.QUASI),
    "code postal": (["75001", "75002"], ColumnRole.QUASI),
    "ward id": ([f"w{i}" for i in range(30)], ColumnRole.QUASI),
    "PLZ": ([f"{10_000 + 97 * i}" for i in range(80)], ColumnRole.QUASI),
    "platelets": ([str(150_000 + 10 * i) for i in range(80)], ColumnRole.QUASI),  # round
    "steps": ([str(1000 + i * i) for i in range(80)], ColumnRole.QUASI),  # not even
    "year": ([str(1900 + i) for i in range(80)], ColumnRole.QUASI),
    "inpatient": (["yes", "no"], ColumnRole.QUASI),
}


@pytest.mark.parametrize("name", CALLED)
def test_names_in_six_languages_and_laws_of_numbers(name: str) -> None:
    values, role = CALLED[name]
    (guess,) = guess_roles([name], [sorted(values)], 400, {}, "")
    assert guess.role is role, guess.reason


def test_free_text_is_never_asked_about(tmp_path: Path) -> None:
    notes = [f"Patient {i} was seen with pain in the chest" for i in range(100)]
    (guess,) = guess_roles(["note"], [notes], 100, {}, "")
    assert guess.role is ColumnRole.TEXT
    calls = [f"ring {i} before the visit" for i in range(30)]
    calls[0] = "write to ada.abel@example.org before the visit"
    (guess,) = guess_roles(["remark"], [calls], 3000, {}, "")
    assert guess.role is ColumnRole.TEXT
    assert "an e-mail address" in guess.reason
    (guess,) = guess_roles(["remark"], [calls[1:]], 3000, {}, "")
    assert guess.role is ColumnRole.QUASI
    lines = ["note,sex", *(f"{note},{'fm'[i % 2]}" for i, note in enumerate(notes))]
    (tmp_path / "t.csv").write_text("\n".join(lines) + "\n")
    score = veilmix.score(tmp_path / "t.csv", k=2)
    assert [column.name for column in score.columns] == ["sex"]
    with pytest.raises(ScenarioError, match=r'"note" is free text \(long texts'):
        veilmix.loads(scenario(tmp_path / "t.csv", features='[[feature]]\nname = "note"\n'))
    assert (
        veilmix.score(tmp_path / "t.csv", text="sex", quasi="note", k=2).columns[0].name == "note"
    )


@pytest.mark.parametrize("word", ["NA", "n/a", "-", ".", "NULL", "k.A.", "#N/A", "?", "onbekend"])
def test_a_word_for_missing_makes_no_measurement_an_identifier(word: str, tmp_path: Path) -> None:
    """The same file with an empty cell instead has the same exposure."""
    exposures = []
    for cell in ("", word):
        cells = [cell if i == 7 else f"{20 + i / 8:.3f}" for i in range(120)]
        path = tmp_path / "t.csv"
        lines = [f"{cell},{'fm'[i % 2]}" for i, cell in enumerate(cells)]
        path.write_text("\n".join(["bmi,sex", *lines]) + "\n")
        score = veilmix.score(path, k=2)
        exposures.append(score.joint.crowds.users_below(2))
        advised = veilmix.advise(path, k=2, max_exposure=0.5, missing_text=(word,))
        assert advised.columns[0].ladder.column == "bmi"
    assert exposures == [120, 120]
    guess, _ = guess_roles(["bmi", "sex"], [sorted(cells), ["f", "m"]], 120, {}, "")
    assert guess.role is ColumnRole.QUASI
    assert f"{word!r} left aside" in guess.reason


def test_texts_that_are_said_to_mean_missing_are_missing(tmp_path: Path) -> None:
    cells = [f"{20 + i / 7:.2f}".replace(".", ",") for i in range(60)] + ["ohne Wert"] * 4
    path = tmp_path / "t.csv"
    path.write_text("\n".join(["bmi;sex", *(f"{cell};f" for cell in cells)]) + "\n")
    assert veilmix.advise(path, k=2, max_exposure=0.5, missing_text=("ohne Wert",)).columns
    score = veilmix.score(path, k=2, missing_text=("ohne Wert",))
    assert score.columns[0].missing == 4


def test_numbers_of_a_register_are_never_made_coarser(tmp_path: Path) -> None:
    lines = [f"{KEYS[i % 80]},{'fm'[i % 2]}" for i in range(400)]
    (tmp_path / "t.csv").write_text("\n".join(["entry,sex", *lines]) + "\n")
    with pytest.raises(DataError, match="80 different values of the identifier 'entry'"):
        veilmix.score(tmp_path / "t.csv")
    asked = {"quasi": "entry", "max_exposure": 0.5}
    column = veilmix.advise(tmp_path / "t.csv", k=6, **asked).columns[0]  # type: ignore[arg-type]
    assert [level.name for level in column.ladder.levels] == ["as it is", "dropped"]
