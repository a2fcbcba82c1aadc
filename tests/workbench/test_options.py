"""The page has every option of the commands on a table: a new option is missed here by its name."""

from collections.abc import Mapping

import click
import pytest
from veilmix.cli.commands import advise, counts, score
from veilmix.own_data.read_table import ROLES
from veilmix.workbench.choices import FURTHER, KEEPING_LEVELS, UserChoices
from veilmix.workbench.options import COUNTS, JUDGE, OPTIONS, SCORE, STEPS, counts_arguments

COMMANDS = {"score": score.command, "advise": advise.command, "counts": counts.command}
PARTS = {"score": (SCORE, JUDGE), "advise": ("advise",), "counts": (COUNTS,)}

# option -> why the page has no field for it; a hidden option of earlier versions needs no line
NO_FIELD: Mapping[str, Mapping[str, str]] = {
    "score": {
        "--format": "the page shows what is printed for people; the score as JSON is `--save`",
        "--advise": "steps 4 and 5 are this advice",
        "--of": "it is the file of step 1",
    },
    "advise": {
        "--format": "the page shows what is printed for people; JSON is a link of the last step",
        "--table": "the download of the last step, always a part of the shown command",
        "--save": "the page to sign of the last step, always a part of the shown command",
        "--force": "the page asks before it replaces a file",
    },
    "counts": {"--format": "the page shows what is printed for people; the file is `--table`"},
}


def flags_of_page(command: str) -> set[str]:
    """The options of a command for which the page has a field."""
    found = set[str]()
    for option in OPTIONS:
        if not set(option.commands) & set(PARTS[command]) or option.kind == "tables":
            continue
        roles = {f"--{role}" for role in ROLES}
        found |= roles if option.kind == "roles" else {option.flag_name}
    # Weights are of no use for counts: their columns are others.
    return found - {"--weight"} if command == "counts" else found


def flags_of_command(command: click.Command) -> set[str]:
    """The shown options of a command, each by its longest name."""
    return {
        max(parameter.opts, key=len)
        for parameter in command.params
        if isinstance(parameter, click.Option) and not parameter.hidden
    }


@pytest.mark.parametrize("name", COMMANDS)
def test_the_page_has_every_option_of_a_command(name: str) -> None:
    known, page = flags_of_command(COMMANDS[name]), flags_of_page(name)
    assert known - page - set(NO_FIELD[name]) == set(), "no field in workbench/options.py"
    assert page - known == set(), "no option of the command"
    assert set(NO_FIELD[name]) - known == set(), "a reason without an option"
    assert page & set(NO_FIELD[name]) == set(), "a field, and a reason for none"


@pytest.mark.parametrize("name", COMMANDS)
def test_an_option_that_the_page_lacks_is_found(name: str) -> None:
    added = click.Option(["--added"], help="New.")
    grown = click.Command(name, params=[*COMMANDS[name].params, added])
    assert flags_of_command(grown) - flags_of_page(name) - set(NO_FIELD[name]) == {"--added"}


@pytest.mark.parametrize("name", COMMANDS)
def test_values_to_choose_from_are_those_of_the_command(name: str) -> None:
    by_flag = {
        option.flag_name: option
        for option in OPTIONS
        if set(option.commands) & set(PARTS[name]) and option.kind == "choice"
    }
    for parameter in COMMANDS[name].params:
        if isinstance(parameter.type, click.Choice) and (flag := max(parameter.opts, key=len)):
            if flag in NO_FIELD[name]:
                continue
            if flag == "--threshold":  # an authority without a k is no goal
                assert set(by_flag[flag].choices) <= set(parameter.type.choices)
            else:
                assert list(by_flag[flag].choices) == list(parameter.type.choices), flag


def test_each_option_has_a_step_or_a_place() -> None:
    assert {option.step for option in OPTIONS} <= {*STEPS, *FURTHER}
    for place, names in FURTHER.items():
        of_place = {option.name for option in OPTIONS if option.step == place}
        assert of_place == set(names) - {"scored"}
        assert set(names) <= KEEPING_LEVELS  # a score of the file changes no search


def test_tables_of_counts_are_no_options() -> None:
    choices = UserChoices(data="a.csv", counts_tables=("-x,sex",), roles={"w": "weight"}, k=7)
    line = counts_arguments(choices)
    assert line[-3:] == ["--", "a.csv", "-x,sex"]
    assert line[line.index("--k") + 1] == "7"
    assert line[line.index("--other") + 1] == "w"
