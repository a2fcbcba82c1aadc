"""Deviations in a scenario file: what is accepted, and one clear error for what is not."""

from typing import get_args

import pytest
from veilmix.errors import ScenarioError
from veilmix.protocol.search.changes import CHANGES
from veilmix.protocol.search.deviation import OWN_KEYS, Action
from veilmix.protocol.wire.messages import Cause, Kind
from veilmix.scenarios.lab.validation import deviations
from veilmix.scenarios.lab.validation.deviations import ACTIONS
from veilmix.scenarios.lab.validation.load import loads
from veilmix.scenarios.schema import model
from veilmix.scenarios.schema.model import Scenario

FILE = """
[scenario]
name = "deviant"
[population]
source = "builtin:uniform"
users = 12
[[feature]]
name = "x"
values = ["a", "b"]
{more}
"""
GOOD = """
[[deviation]]
by = "analyst"
do = "change"
message = "heard"
field = "hashes"
change = "empty"
rounds = [2]
"""


def read(more: str) -> Scenario:
    return loads(FILE.format(more=more), "deviant.toml")


def test_a_deviation_is_read() -> None:
    (one,) = read(GOOD).deviation
    assert (one.by, one.field, one.rounds) == ("analyst", "hashes", (2,))


def test_the_words_of_a_file_are_those_of_the_protocol() -> None:
    assert set(get_args(model.MessageKind)) == {kind.name.lower() for kind in Kind}
    assert set(get_args(model.Action)) == {action.value for action in Action} == set(ACTIONS)
    assert set(get_args(model.Change)) == {*CHANGES, OWN_KEYS, *(cause.value for cause in Cause)}
    assert deviations.OWN_KEYS == OWN_KEYS


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (('by = "analyst"', 'by = "analist"'), 'deviation[0].by: no party is called "analist"'),
        (('do = "change"', 'do = "bend"'), 'do: found "bend"; one of add, ask, change'),
        (('"heard"', '"haerd"'), "did you mean `heard`?"),
        (('field = "hashes"', 'field = "hashs"'), 'found "hashs"; heard has hashes'),
        (('field = "hashes"\n', ""), 'deviation[0].field: missing; do = "change" needs it'),
        (('"empty"', '"split"'), 'deviation[0].change: found "split"; of a field, one more'),
        (("[2]", "[3]"), "deviation[0].rounds[0]: found 3; this scenario has 2 rounds at most"),
        (("[2]", '["two"]'), 'deviation[0].rounds[0]: found "two"; a whole number'),
        (("rounds = [2]", 'people = ["user-13"]'), 'no user is called "user-13"; this scenario'),
        (("rounds = [2]", "deadlines = 2.0"), 'do = "change" does not read deadlines; it reads by'),
        (("rounds = [2]", 'row = ["a", "b"]'), "deviation[0].row: found 2 values; this scenario"),
        (('do = "change"', 'do = "drop"'), 'found "analyst"; do = "drop" is done by: shuffler'),
        (('do = "change"', 'do = "hold"'), 'do = "hold" is done by: network'),
        (('"empty"', '"own keys"'), 'deviation[0].change: found "own keys"; of a field, one more'),
    ],
)
def test_what_is_wrong_is_one_clear_error(change: tuple[str, str], said: str) -> None:
    assert change[0] in GOOD
    with pytest.raises(ScenarioError) as wrong:
        read(GOOD.replace(*change))
    assert "deviant.toml:" in str(wrong.value)
    assert said in str(wrong.value)


SHOWN = """
[[deviation]]
by = "network"
do = "show"
people = ["shuffler-1"]
message = "tally"
"""


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (('"network"', '"analyst"'), 'do = "show" is done by: network, curator'),
        (
            ('["shuffler-1"]', '["shuffler-9"]'),
            'no reader of the board is called "shuffler-9"',
        ),
        (
            ('["shuffler-1"]', '["network"]'),
            'no reader of the board is called "network"',
        ),
        (('people = ["shuffler-1"]\n', ""), 'people: missing; do = "show" needs it'),
        (('message = "tally"\n', ""), "message: message must name the changed post"),
        (
            ('"tally"', '"tally"\nchange = "own keys"'),
            "message: message must name the changed post",
        ),
        (('"tally"', '"tally"\nchange = "zeros"'), "field: give both field and change"),
        (('"tally"', '"tally"\nfield = "counts"'), "field: give both field and change"),
        (('"tally"', '"tally"\nfield = "sum"\nchange = "zeros"'), 'found "sum"; tally has totals'),
        (('"network"', '"curator"'), "the curator can show only another announcement"),
    ],
)
def test_another_board_is_one_that_its_maker_can_show(change: tuple[str, str], said: str) -> None:
    (one,) = read(SHOWN).deviation
    assert one.people == ("shuffler-1",)
    with pytest.raises(ScenarioError) as wrong:
        read(SHOWN.replace(*change))
    assert said in str(wrong.value)


def test_deviations_and_faults_exclude_each_other() -> None:
    fault = '[[fault]]\nattack = "absent"\nusers = 1\n'
    with pytest.raises(ScenarioError, match=r"deviation: found \[\[fault\]\] too"):
        read(GOOD + fault)


def test_peers_have_no_deviations() -> None:
    with pytest.raises(ScenarioError, match="deviation: only central parties can deviate"):
        read(GOOD + "[mix]\npeers = true\n")
