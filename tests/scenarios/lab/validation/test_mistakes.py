"""Every mistake a scenario file can hold, as the line that the person who made it reads.

The cases are in `mistakes/*.txt`: `=== name`, the file, `--- says`, lines without the file name.
`{kinds}` in a line stands for the kinds of policy that there are, `{mechanisms}` for those of
[local] as a message tells them and `{mechanism names}` for all that it may say.
"""

import re
from pathlib import Path

import pytest
from veilmix.errors import ScenarioError
from veilmix.scenarios.lab.validation.load import loads
from veilmix.scenarios.programs.registry import PROGRAMS
from veilmix.scenarios.schema import mechanisms
from veilmix.scenarios.schema.problems import did_you_mean

HEAD = '[scenario]\nname = "s"\n'
PEOPLE = '[population]\nsource = "builtin:titanic"\nusers = 30\n'
RIGHT = HEAD + PEOPLE
FEATURE = '[[feature]]\nname = "class"\n'

CASES: dict[str, tuple[str, list[str]]] = {}
for table in sorted((Path(__file__).parent / "mistakes").glob("*.txt")):
    for case in re.split(r"^=== ", table.read_text("utf-8"), flags=re.MULTILINE)[1:]:
        name, _, rest = case.partition("\n")
        text, _, said = rest.partition("--- says\n")
        CASES[f"{table.stem}: {name}"] = text, said.strip().splitlines()


def problems(text: str, file: str = "m.toml") -> list[str]:
    try:
        loads(text, file)
    except ScenarioError as wrong:
        return [line.removeprefix(f"{file}:") for line in wrong.problems]
    return []


def test_the_table_of_mistakes_was_found() -> None:
    assert len(CASES) > 50
    assert all(said for _, said in CASES.values())


@pytest.mark.parametrize("name", CASES)
def test_each_mistake_is_its_line(name: str) -> None:
    text, said = CASES[name]
    kinds = ", ".join(sorted(PROGRAMS))
    stands = {
        "{kinds}": kinds,
        "{mechanisms}": mechanisms.listed(),
        "{mechanism names}": ", ".join(sorted(mechanisms.names())),
    }
    for word, meant in stands.items():
        said = [line.replace(word, meant) for line in said]
    assert problems(text) == list(said)


def test_what_is_right_has_no_problems() -> None:
    assert problems(RIGHT) == []
    assert problems(RIGHT + FEATURE + 'values = ["crew", "3rd", "2nd", "1st", "stowaway"]\n') == []
    assert problems(RIGHT + '[[fault]]\nattack = "absent"\nby = "user-1*"\nround = 2\n') == []
    assert problems(RIGHT + '[[coalition]]\nname = "c"\nparties = ["user-30", "network"]\n') == []
    assert problems(RIGHT + '[mix]\nsuite = "textbook"\nlesson = true\n') == []
    assert problems(RIGHT + '[policy]\nkind = "fixed"\nkeep = ["sex"]\nk = 99\n') == []


def test_all_mistakes_are_reported_at_once_in_the_order_of_the_file() -> None:
    parts = [
        "[scenario]\nnam = 1\n",  # 1-2
        '[population]\nsource = "builtin:titanic"\nusers = 30\n',  # 3-5
        '[mix]\nshufflers = 0\nsuite = "sealdbox"\n',  # 6-8
        '[policy]\nk = 50\nmax_exposure = 2\nprefer = ["sox"]\n',  # 9-12
        '[[coalition]]\nname = "c"\nparties = ["curatr", "shuffler-9"]\n',  # 13-15
        '[[fault]]\nattack = "lat"\n[expect]\nkept = 3\n[sweep]\n"a.b" = [1]\n',  # 16-21
    ]
    mistakes = [line.split(": ")[:2] for line in problems("".join(parts))]
    assert mistakes == [
        ["2", "scenario.nam"],
        ["7", "mix.shufflers"],
        ["8", "mix.suite"],
        ["10", "policy.k"],
        ["11", "policy.max_exposure"],
        ["12", "policy.prefer[0]"],
        ["15", "coalition[0].parties[0]"],
        ["17", "fault[0].attack"],
        ["19", "expect.kept"],
        ["21", 'sweep."a.b"'],
    ]


def test_one_mistake_is_not_reported_a_second_time_for_what_follows_from_it() -> None:
    wrong_users = RIGHT.replace("30", '"many"') + "[policy]\nk = 5000\n"
    assert [line[:19] for line in problems(wrong_users)] == ["5: population.users"]
    wrong_source = RIGHT.replace("titanic", "atlantis") + '[policy]\nprefer = ["sox"]\n'
    assert [line[:20] for line in problems(wrong_source)] == ["4: population.source"]


@pytest.mark.parametrize(
    ("number", "said"),
    [
        ("1" * 5_000, "a number of 5,000 digits; at most 4,300 digits can be read"),
        ("0x" + "f" * 5_000, "found a whole number of some 6,021 digits"),
        ("1" * 300, "found a whole number of some 300 digits"),
    ],
)
def test_a_number_of_thousands_of_digits_is_a_mistake_with_its_line(number: str, said: str) -> None:
    with pytest.raises(ScenarioError) as wrong:
        loads(
            '[scenario]\nname = "x"\n[population]\nsource = "builtin:blood-type"\n'
            f"users = {number}\n"
        )
    (line,) = wrong.value.problems
    assert line.startswith("scenario:5: ")
    assert said in line


def test_a_key_without_its_table_is_known() -> None:
    accepted = ("scenario.seed", "policy.k", "mix.shufflers", "policy.keep")
    assert did_you_mean("k", accepted) == " (did you mean `policy.k`?)"
    assert did_you_mean("Seed", accepted) == " (did you mean `scenario.seed`?)"
    assert did_you_mean("q", accepted) == ""
