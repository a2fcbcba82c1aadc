"""Scenario files that extend another: what they take from it, what is refused, and where it is."""

import tomllib
from pathlib import Path

import pytest
from veilmix.errors import ScenarioError
from veilmix.scenarios.lab.play.run import run
from veilmix.scenarios.lab.play.table_population import with_people
from veilmix.scenarios.lab.validation.extension import MAX_BASES, ScenarioFile, combined, with_bases
from veilmix.scenarios.lab.validation.gallery import attacks, bases, source
from veilmix.scenarios.lab.validation.load import load, loads
from veilmix.scenarios.records.run_folder import read, save
from veilmix.scenarios.schema.dump import dump
from veilmix.scenarios.schema.model import Expect, Scenario

BASE = """\
[scenario]
name  = "base"
title = "A base"
seed  = 5

[population]
source = "builtin:titanic"
users  = 40
roles  = { sex = "quasi", age = "quasi" }

[[feature]]
name = "sex"
[[feature]]
name = "age"

[policy]
k            = 3
max_exposure = 0.2
prefer       = ["sex"]

[expect]
kept_at_least = 4
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "base.toml").write_text(BASE)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def extending(rest: str = "", base: str = "base.toml") -> str:
    return f'extends = "{base}"\n[scenario]\nname = "own"\n{rest}'


def problems(text: str) -> list[str]:
    with pytest.raises(ScenarioError) as wrong:
        loads(text, "own.toml")
    return list(wrong.value.problems)


@pytest.mark.usefixtures("folder")
def test_keys_are_taken_one_by_one_and_lists_whole() -> None:
    scenario = loads(
        extending(
            '[population]\nusers = 50\nroles = { age = "sensitive" }\n'
            '[[feature]]\nname = "class"\n[policy]\nk = 4\nprefer = []\n'
        )
    )
    assert (scenario.population.source, scenario.population.users) == ("builtin:titanic", 50)
    assert scenario.population.roles == {"sex": "quasi", "age": "sensitive"}
    assert [feature.name for feature in scenario.feature] == ["class"]
    policy = scenario.policy
    assert (policy.k, policy.max_exposure, policy.prefer) == (4, 0.2, ())
    assert scenario.scenario.seed == 5


@pytest.mark.usefixtures("folder")
def test_name_title_and_expectations_are_of_one_file() -> None:
    scenario = loads(extending())
    assert (scenario.scenario.name, scenario.scenario.title) == ("own", "")
    assert scenario.expect == Expect()
    assert problems('extends = "base.toml"\n')[0] == (
        "own.toml:1: scenario.name: missing; a name of at most 64 letters, digits, '-', '_' and "
        "'.' is needed"
    )


def test_a_base_is_a_shipped_scenario_or_a_file_and_may_have_a_base(folder: Path) -> None:
    (folder / "in").mkdir()
    (folder / "in" / "far.toml").write_text(extending("[policy]\nk = 6\n", "../base.toml"))
    scenario = loads(extending("[population]\nusers = 60\n", "in/far.toml"))
    assert (scenario.policy.k, scenario.population.users, scenario.scenario.seed) == (6, 60, 5)
    assert scenario.scenario.extended == ("in/far.toml", "../base.toml")
    assert loads(extending(base="titanic")).policy == load("titanic").policy
    titanic = folder / "titanic.toml"
    titanic.write_text(extending("[policy]\nk = 7\n", "titanic"))
    assert load(titanic).policy.k == 7


def test_paths_of_a_base_start_from_its_folder(folder: Path) -> None:
    (folder / "in").mkdir()
    (folder / "in" / "p.csv").write_text("a,b\n" + "1,2\n" * 9)
    (folder / "in" / "h.csv").write_text("1;any\n")
    (folder / "in" / "base.toml").write_text(
        '[scenario]\nname = "x"\n[population]\nsource = "p.csv"\n'
        '[[feature]]\nname = "a"\nhierarchy = "h.csv"\nlevel = 1\n'
    )
    scenario = loads(extending(base="in/base.toml"))
    assert scenario.population.source == str(folder / "in" / "p.csv")
    assert scenario.feature[0].hierarchy == str(folder / "in" / "h.csv")
    (folder / "q.csv").write_text("a,b\n" + "1,2\n" * 9)
    own = loads(extending('[population]\nsource = "q.csv"\n', "in/base.toml"))
    assert own.population.source == str(folder / "q.csv")


@pytest.mark.usefixtures("folder")
def test_a_table_in_memory_takes_the_place_of_the_people_of_a_base(folder: Path) -> None:
    (folder / "p.csv").write_text("sex,age\n" + "f,1\n" * 40)
    text = extending("[population]\nroles = {}\n")
    assert with_people(text, folder / "p.csv").policy.k == 3
    with pytest.raises(ScenarioError, match=r"^extends: found 3; the name of a shipped scenario"):
        with_people("extends = 3\n", folder / "p.csv")


@pytest.mark.usefixtures("folder")
def test_a_mistake_is_told_with_the_file_that_has_it(folder: Path) -> None:
    (folder / "base.toml").write_text(BASE.replace("0.2", "20").replace("seed ", "sead "))
    own, seed, share = (
        "own.toml:5: policy.k: found 0; a whole number of at least 1 is accepted",
        "base.toml:4: scenario.sead: unknown key (did you mean `seed`?)",
        "base.toml:18: policy.max_exposure: found 20; a number from 0 to 1 is accepted",
    )
    base = " (own.toml extends this file)"
    assert problems(extending("[policy]\nk = 0\n")) == [own, seed + base, share + base]


@pytest.mark.usefixtures("folder")
def test_a_list_of_a_base_is_at_fault_where_it_is_taken(folder: Path) -> None:
    (folder / "base.toml").write_text(BASE.replace('name = "age"', 'nome = "age"'))
    assert [line.partition(": ")[0] for line in problems(extending())] == ["base.toml:14"]
    assert loads(extending('[[feature]]\nname = "sex"\n')).feature[0].name == "sex"


WRONG = {
    '"titanik"': 'found "titanik"; the name of a shipped scenario or the path of a .toml file is '
    "accepted (did you mean `titanic`?)",
    '"titanic.toml"': 'found "titanic.toml"; there is no such file (did you mean `titanic`?)',
    '["titanic"]': "found a list; the name of a shipped scenario or the path of a .toml file is "
    "accepted",
    '"own.toml"': 'found "own.toml"; it extends this file itself; a base without a circle is '
    "needed",
}


@pytest.mark.parametrize("value", WRONG)
def test_what_is_no_base_is_refused(value: str, folder: Path) -> None:
    own = folder / "own.toml"
    own.write_text(f'\n# about\nextends = {value}\n[scenario]\nname = "own"\n')
    with pytest.raises(ScenarioError) as wrong:
        load(own)
    assert list(wrong.value.problems) == [f"{own}:3: extends: {WRONG[value]}"]


def test_a_circle_of_several_files_is_refused(folder: Path) -> None:
    (folder / "in").mkdir()
    (folder / "a.toml").write_text(extending(base="in/b.toml"))
    (folder / "in" / "b.toml").write_text(extending(base="../a.toml"))
    with pytest.raises(ScenarioError, match=r"^in/b.toml:1: extends: .* it extends this file"):
        load("a.toml")
    with pytest.raises(ScenarioError, match=r"a circle"):
        loads(extending(base="a.toml"))


def test_bases_in_a_row_are_limited(folder: Path) -> None:
    for depth in range(MAX_BASES + 1):
        (folder / f"b{depth}.toml").write_text(extending(base=f"b{depth - 1}.toml"))
    (folder / "b0.toml").write_text(BASE)
    assert load(f"b{MAX_BASES}.toml").policy.k == 3
    with pytest.raises(ScenarioError) as wrong:
        loads(extending(base=f"b{MAX_BASES}.toml"))
    assert list(wrong.value.problems) == [
        'b1.toml:1: extends: found "b0.toml"; it is base 5; at most 4 are accepted'
    ]


@pytest.mark.parametrize("text", [b"[scenario", b"\xff", b"#" * ((1 << 20) + 1)])
@pytest.mark.usefixtures("folder")
def test_a_base_that_cannot_be_read_says_so(text: bytes, folder: Path) -> None:
    (folder / "base.toml").write_bytes(text)
    assert problems(extending())[0].startswith("base.toml:")


def test_a_run_has_the_whole_scenario(tmp_path: Path) -> None:
    played = run("attack-false-alarm", worst_case_nodes=0)
    saved = save(played, tmp_path)
    text = (saved / "scenario.toml").read_text("utf-8")
    assert "\nextends" not in text
    again = loads(text)
    assert again == read(saved).scenario == played.scenario
    assert again.scenario.extended == ("blood-type",)
    assert run(again, worst_case_nodes=0).digest == played.digest


def files_of(name: str) -> tuple[ScenarioFile, ...]:
    return with_bases(ScenarioFile.from_gallery(name))


@pytest.mark.parametrize("name", attacks())
def test_an_attack_holds_what_its_base_does_not(name: str) -> None:
    """No key is written again with the value that the base gives it."""
    own, *further = files_of(name)
    given = combined(further) if further else {}
    repeated = [
        f"{table}.{key}"
        for table, keys in own.tables.items()
        if isinstance(keys, dict)
        for key, value in keys.items()
        if given.get(table, {}).get(key) == value
    ]
    assert repeated == []
    assert "fault" in own.tables or "deviation" in own.tables


@pytest.mark.parametrize("name", [*attacks(), *bases()])
def test_a_shipped_scenario_is_the_same_without_its_base(name: str) -> None:
    scenario = load(name)
    assert loads(dump(scenario)) == scenario
    extended = scenario.scenario.extended
    assert (extended is not None) == ("extends" in tomllib.loads(source(name)))


def test_bases_are_extended_and_attack_nobody() -> None:
    assert {base for name in attacks() for base in load(name).scenario.extended or ()} >= {*bases()}
    for name in bases():
        scenario: Scenario = load(name)
        assert (scenario.scenario.name, scenario.fault, scenario.deviation) == (name, (), ())
