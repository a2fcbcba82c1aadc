"""Files of questions: what a class may choose, and one clear line for each mistake."""

from pathlib import Path

import pytest
from veilmix.analysis.randomizers import GRR
from veilmix.cli import main
from veilmix.errors import ScenarioError, StorageError
from veilmix.poll.questions import (
    DEMO,
    LARGEST,
    asks_questions,
    noise_of,
    promise_of,
    read_questions,
    scenario_of,
    table_of,
    write_new,
)
from veilmix.scenarios.schema.model import Scenario

GOOD = """title = "canteen"
[[feature]]
name = "meal"
values = ["meat", "plants"]
"""
ALIKE = GOOD + '[policy]\nkind = "threshold"\n'
MANY = 'title = "many"\n' + "".join(
    f'[[feature]]\nname = "{i}"\nvalues = ["a", "b", "c", "d"]\n' for i in range(7)
)
NOISY = GOOD + '[policy]\nkind = "histogram"\n'


def read(tmp_path: Path, text: str) -> Scenario:
    path = tmp_path / "questions.toml"
    path.write_text(text, "utf-8")
    return read_questions(path)


def test_the_demo_can_be_asked_as_it_is() -> None:
    scenario = read_questions(DEMO)
    assert scenario.scenario.name == "three-questions"
    assert scenario.scenario.title == "Three questions"
    assert len(scenario.feature) == 3
    assert not scenario.defence.locks  # pages cannot seal to a lock


def test_what_a_class_may_choose_is_taken(tmp_path: Path) -> None:
    more = '[mix]\nshufflers = 3\ndeadline = 30\nmin_batch = 4\n[policy]\nkind = "all"\nk = 2\n'
    scenario = read(tmp_path, GOOD + more + "[defence]\nmin_dropout = 2\n")
    assert (scenario.mix.shufflers, scenario.mix.deadline, scenario.mix.min_batch) == (3, 30, 4)
    assert scenario.defence.min_dropout == 2


def test_a_verified_mix_is_asked_for_by_name(tmp_path: Path) -> None:
    for kind in ("exposure", "fixed", "all"):
        policy = f'[policy]\nkind = "{kind}"\n' + ('keep = ["meal"]\n' if kind == "fixed" else "")
        for submit in ("each-round", "once"):
            mix = f'[mix]\nkind = "verified"\nsubmit = "{submit}"\n'
            scenario = read(tmp_path, GOOD + mix + policy)
            assert (scenario.mix.kind, scenario.mix.submit) == ("verified", submit)
    assert read(tmp_path, GOOD).mix.kind == "onion"


def test_noise_is_asked_for_by_name_and_budget(tmp_path: Path) -> None:
    scenario = read(tmp_path, NOISY + '[local]\nmechanism = "grr"\nepsilon = 2\n')
    assert (scenario.local.mechanism, scenario.local.epsilon) == ("grr", 2)
    (question,) = noise_of(scenario)
    assert question.randomizer == GRR(2, 2)
    assert promise_of(scenario).startswith("local epsilon = 2 nats")
    assert scenario_of(table_of(scenario)) == scenario  # what those who mix are given


def test_rows_are_opened_that_k_people_share(tmp_path: Path) -> None:
    scenario = read(tmp_path, ALIKE + "k = 4\n")
    assert promise_of(scenario).startswith("no row is opened that fewer than k = 4 people share")
    nested = read(tmp_path, MANY + '[policy]\nkind = "threshold"\nprefixes = true\n')
    assert "no row or prefix of one is opened" in promise_of(nested)
    assert scenario_of(table_of(nested)) == nested  # what those who mix are given


WRONG = {
    "not TOML": ("title =", "Invalid value"),
    "no question": ('title = "a"', "feature"),
    "no title": (GOOD.replace('title = "canteen"', ""), "title"),
    "unknown key": (GOOD + "colour = 3", "colour"),
    "no answers": (
        GOOD.replace('values = ["meat", "plants"]', ""),
        r"feature\[0\].values: found 0 answers to",
    ),
    "one answer": (GOOD.replace('"meat", ', ""), "from 2 to 50"),
    "an answer twice": (GOOD.replace("plants", "meat"), "'meat' occurs twice"),
    "a question of two lines": (GOOD.replace('"meal"', '"a\\nb"'), "meal|name|control"),
    "coarser": (GOOD + "merge_below = 3", r"feature\[0\].merge_below: found 3; a question has"),
    "a suite": (GOOD + '[mix]\nsuite = "hpke-x25519"', 'mix.suite: found "hpke'),
    "a lesson": (GOOD + "[mix]\nlesson = true", "mix.lesson: found true"),
    "tokens": (
        GOOD + "[defence]\ntokens = true",
        "defence.tokens: found true; a class can choose min_dropout",
    ),
    "no noise": (NOISY, 'local.mechanism: found "none"; "grr" is accepted'),
    "noise of another form": (
        NOISY + '[local]\nmechanism = "oue"\nepsilon = 1',
        'local.mechanism: found "oue"; "grr" is accepted',
    ),
    "no budget": (
        NOISY + '[local]\nmechanism = "grr"',
        "local.epsilon: found none; from 0.01 to 20",
    ),
    "no noise to speak of": (
        NOISY + '[local]\nmechanism = "grr"\nepsilon = 21',
        "local.epsilon: found 21 nats; from 0.01 to 20 nats",
    ),
    "noise that is kept": (
        NOISY + '[local]\nmechanism = "grr"\nepsilon = 1\nspend = 2',
        "local.spend: found 2.0; a class can choose mechanism, epsilon",
    ),
    "one question a phone": (
        NOISY + '[local]\nmechanism = "grr"\nepsilon = 1\nfeatures = "sample"',
        'local.features: found "sample"; a class',
    ),
    "noise for nothing": (
        GOOD + '[local]\nmechanism = "grr"\nepsilon = 1',
        "phones add noise only with",
    ),
    "shares of more than can be": (
        ALIKE + "k = 256",
        'policy.k: kind = "threshold" takes k up to 255',
    ),
    "people at random": (
        ALIKE + "sample = 0.5",
        "policy.sample: found a rate; leave it out: in a class all people take part",
    ),
    "noise where rows are opened": (
        ALIKE + '[local]\nmechanism = "grr"\nepsilon = 1',
        "phones add noise only with .*threshold",
    ),
    "counts where rows are opened": (ALIKE + "publish_marginals = true", "counts nothing before"),
    "more rows than can be tried": (
        MANY + '[policy]\nkind = "threshold"',
        "found 16,384 rows of answers; up to 10,000 are accepted",
    ),
    "sets": (
        GOOD + '[policy]\nkind = "incidence"',
        '"incidence": it asks owners of sets, and not.* threshold and histogram are accepted',
    ),
    "peers": (GOOD + "[mix]\npeers = true", "mix.peers: found true"),
    "onions submitted once": (
        GOOD + '[mix]\nsubmit = "once"',
        'mix.submit: mix.submit = "once" needs mix.kind = "verified": an onion has a single reader',
    ),
    "noise in a verified mix": (
        NOISY + '[local]\nmechanism = "grr"\nepsilon = 1\n[mix]\nkind = "verified"',
        'mix.kind: found "verified" with policy.kind = "histogram"; on phones it is played with',
    ),
    "rows that k people open in a verified mix": (
        ALIKE + '[mix]\nkind = "verified"',
        'mix.kind: found "verified" with policy.kind = "threshold"; on phones it is played with',
    ),
    "a promise of another question": (
        GOOD + '[policy]\nkind = "fixed"\nkeep = ["drink"]',
        r'policy.keep\[0\]: no feature is called "drink"; this scenario asks about meal',
    ),
    "many readings submitted once": (
        GOOD + '[policy]\nkind = "hierarchical"\n[mix]\nkind = "verified"\nsubmit = "once"',
        'mix.submit: mix.submit = "once" is not played with "hierarchical"',
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_mistake_is_one_line_that_names_the_file(tmp_path: Path, name: str) -> None:
    text, expected = WRONG[name]
    with pytest.raises(ScenarioError, match=expected) as wrong:
        read(tmp_path, text)
    assert "questions.toml" in str(wrong.value)
    assert "\n" not in str(wrong.value)


def test_all_mistakes_are_told_at_once_with_their_lines(tmp_path: Path) -> None:
    text = """titel = "canteen"
[[feature]]
name = "meal"
values = ["meat"]
[[feature]]
name = "meal"
values = [
  "yes", "no", "yes",
]
[policy]
k = "three"
kind = "exposur"
[mix]
deadline = 0
lesson = true
"""
    with pytest.raises(ScenarioError) as wrong:
        read(tmp_path, text)
    told = [line.rpartition("questions.toml:")[2] for line in wrong.value.problems]
    assert [line.split(": ")[:2] for line in told] == [
        ["1", "titel"],
        ["4", "feature[0].values"],
        ["5", "feature[1]"],
        ["6", "feature[1].name"],
        ["11", "policy.k"],
        ["12", "policy.kind"],
        ["14", "mix.deadline"],
        ["15", "mix.lesson"],
    ]
    assert "did you mean `title`" in told[0]
    assert "did you mean `exposure`" in told[5]
    assert "found 1 answer to" in told[1]


def test_the_file_to_begin_with_is_right_and_explains_each_key(tmp_path: Path) -> None:
    path = tmp_path / "questions.toml"
    write_new(path)
    scenario = read_questions(path)
    assert len(scenario.feature) == 2
    text = path.read_text("utf-8")
    for key in ("title", "name", "values", "k", "max_exposure", "deadline", "min_batch"):
        lines = [line for line in text.splitlines() if line.startswith(f"{key} ")]
        assert lines, key
        assert all("#" in line for line in lines), key
    with pytest.raises(StorageError, match="already exists"):
        write_new(path)
    assert path.read_text("utf-8") == text
    with pytest.raises(StorageError, match="cannot be written"):
        write_new(tmp_path / "nowhere" / "questions.toml")


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        (GOOD, True),
        ("[[feature]]\n", True),
        ('[scenario]\nname = "a"\n', False),
        ("[population]\n" + GOOD.partition("\n")[2], False),
        ("title = ", False),
        ("k = 1", False),
    ],
)
def test_a_file_of_questions_is_told_from_a_scenario(tmp_path: Path, text: str, asks: bool) -> None:
    path = tmp_path / "some.toml"
    path.write_text(text, "utf-8")
    assert asks_questions(path) is asks
    assert not asks_questions(tmp_path / "none.toml")


def test_a_file_that_is_none_is_told(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="cannot be read"):
        read_questions(tmp_path / "nowhere.toml")
    (tmp_path / "large.toml").write_bytes(b"#" * (LARGEST + 1))
    with pytest.raises(StorageError, match="larger than"):
        read_questions(tmp_path / "large.toml")


def test_check_judges_files_of_questions_too(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "canteen.toml"
    assert main(["poll", "--new", str(path)]) == 0
    capsys.readouterr()
    assert main(["check", str(path)]) == 0
    said = capsys.readouterr().out
    assert "My class: 2 questions" in said
    assert f"next: veilmix poll {path}" in said
    assert main(["check", str(path), "--format", "json"]) == 2
    path.write_text(GOOD + "[mix]\ndedline = 3\n[policy]\nk = true\n", "utf-8")
    capsys.readouterr()
    assert main(["check", str(path)]) == 2
    wrong = capsys.readouterr().err
    assert f"{path}:6: mix.dedline: unknown key (did you mean `deadline`?)" in wrong
    assert f"{path}:8: policy.k: found true" in wrong
    assert main(["poll", "--new", str(path), "--demo"]) == 2
