"""Files of questions: what a class may choose, and one clear line for each mistake."""

from pathlib import Path

import pytest
from veilmix.analysis.randomizers import GRR
from veilmix.errors import ScenarioError, StorageError
from veilmix.poll.questions import (
    DEMO,
    LARGEST,
    noise_of,
    promise_of,
    read_questions,
    scenario_of,
    table_of,
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
    "no answers": (GOOD.replace('values = ["meat", "plants"]', ""), "meal: values: found 0"),
    "one answer": (GOOD.replace('"meat", ', ""), "from 2 to 50"),
    "an answer twice": (GOOD.replace("plants", "meat"), "'meat' occurs twice"),
    "a question of two lines": (GOOD.replace('"meal"', '"a\\nb"'), "meal|name|control"),
    "coarser": (GOOD + "merge_below = 3", "merge_below; name and values"),
    "a suite": (GOOD + '[mix]\nsuite = "hpke-x25519"', "mix: found suite"),
    "a lesson": (GOOD + "[mix]\nlesson = true", "mix: found lesson"),
    "tokens": (GOOD + "[defence]\ntokens = true", "defence: found tokens; min_dropout"),
    "no noise": (NOISY, "local.mechanism: found 'none'; grr is accepted"),
    "noise of another form": (
        NOISY + '[local]\nmechanism = "oue"\nepsilon = 1',
        "local.mechanism: found 'oue'; grr is accepted",
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
        "local: found spend; mechanism, epsilon",
    ),
    "one question a phone": (
        NOISY + '[local]\nmechanism = "grr"\nepsilon = 1\nfeatures = "sample"',
        "local: found features; mechanism, epsilon",
    ),
    "noise for nothing": (GOOD + '[local]\nmechanism = "grr"\nepsilon = 1', "and nowhere else"),
    "shares of more than can be": (
        ALIKE + "k = 256",
        'policy: kind = "threshold" takes k up to 255',
    ),
    "people at random": (ALIKE + "sample = 0.5", "policy.sample: found a rate; all take part"),
    "noise where rows are opened": (
        ALIKE + '[local]\nmechanism = "grr"\nepsilon = 1',
        "phones add noise where .* nowhere else",
    ),
    "counts where rows are opened": (ALIKE + "publish_marginals = true", "counts nothing before"),
    "more rows than can be tried": (
        MANY + '[policy]\nkind = "threshold"',
        "found 16,384 rows of answers; up to 10,000 are accepted",
    ),
    "sets": (
        GOOD + '[policy]\nkind = "incidence"',
        "'incidence': its sets are of owners.* threshold and histogram are accepted",
    ),
    "peers": (GOOD + "[mix]\npeers = true", "mix: found peers"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_mistake_is_one_line_that_names_the_file(tmp_path: Path, name: str) -> None:
    text, expected = WRONG[name]
    with pytest.raises(ScenarioError, match=expected) as wrong:
        read(tmp_path, text)
    assert "questions.toml" in str(wrong.value)
    assert "\n" not in str(wrong.value)


def test_a_file_that_is_none_is_told(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="cannot be read"):
        read_questions(tmp_path / "nowhere.toml")
    (tmp_path / "large.toml").write_bytes(b"#" * (LARGEST + 1))
    with pytest.raises(StorageError, match="larger than"):
        read_questions(tmp_path / "large.toml")
