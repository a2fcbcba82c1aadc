"""What columns are: guessed with a reason, said by the user; direct identifiers are never asked."""

from pathlib import Path

import pytest
import veilmix
from veilmix.errors import DataError, ScenarioError
from veilmix.scenarios.populations.roles import Role, guess_roles

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
    "patient": (Role.IDENTIFIER, "every value is somebody's own"),
    "case": (Role.IDENTIFIER, "every value is somebody's own"),
    "name": (Role.IDENTIFIER, "it is called 'name' and has"),
    "contact": (Role.IDENTIFIER, "its values are e-mail addresses"),
    "weight": (Role.QUASI, "it is called 'weight'"),
    "born": (Role.QUASI, "it is called 'born'"),
    "diagnosis": (Role.SENSITIVE, "it is called 'diagnosis'"),
    "sex": (Role.QUASI, "it is called 'sex'"),
    "ward": (Role.QUASI, "somebody may know it"),
    "study": (Role.OTHER, "it has one value only"),
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
    assert (guess.role, guess.said) == (role, False)
    assert guess.reason.startswith(reason)


def test_the_user_is_right() -> None:
    (guess,) = guess_roles(["patient"], [COLUMNS["patient"]], N, {"patient": "other"}, "")
    assert (guess.role, guess.said) == (Role.OTHER, True)


def test_few_people_differ_by_chance() -> None:
    (guess,) = guess_roles(["who"], [["ann", "bob", "cyd"]], 3, {}, "")
    assert guess.role is Role.QUASI


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
