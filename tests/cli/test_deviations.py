"""A run in which a party did not follow the protocol says so first, in every output.

No sentence of safety that is computed from pooled views stands there: a first shuffler that reads a
row was shown as "links nobody".
"""

import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from msgspec.structs import replace
from veilmix.cli import main
from veilmix.poll.cheats import with_cheat
from veilmix.poll.questions import DEMO, read_questions
from veilmix.poll.session import happened
from veilmix.poll.wall import Wall
from veilmix.report.make import make
from veilmix.scenarios.lab.play.run import run
from veilmix.scenarios.lab.validation.load import change, load
from veilmix.scenarios.programs.interface import Effect, Raised
from veilmix.scenarios.records.run_folder import read, save
from veilmix.scenarios.records.verification.deviations import NOT_BY_WATCHING, deviations
from veilmix.scenarios.schema.model import Fault
from veilmix.theatre.show import run_data

SAFE = (
    "Minimal linking coalitions",
    "no value can be pinned on anybody",
    "links nobody",
    "nobody linked",
    "no scored coalition links anyone",
    "must collude",
    "none is linked",
    "crowd of",  # `leak`, its verdict
)
DEVIATED = "shuffler-1 did not follow the protocol (surround): 4 of 4"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run in which the first shuffler reads somebody's row."""
    small = {"population.users": 40, "mix.min_batch": 20, "policy.max_exposure": 1.0}
    outcome = run(change(load("attack-surround"), small), 1, worst_case_nodes=0)
    return save(outcome, tmp_path_factory.mktemp("deviated"))


def plain(text: str) -> str:
    """The words of a page or a terminal, on one line."""
    return " ".join(re.sub(r"<[^>]+>", " ", text).split())


def told_run(folder: Path, capsys: pytest.CaptureFixture[str]) -> str:
    """What `run` prints of it."""
    from veilmix.cli.text.layout import page, show
    from veilmix.presentation.presenters.run import run_blocks

    scenario = read(folder).scenario
    show(page(), run_blocks(run(scenario, 1, worst_case_nodes=0)))
    return capsys.readouterr().out


def told(*command: str) -> Callable[[Path, pytest.CaptureFixture[str]], str]:
    """What a command prints of it."""

    def printed(folder: Path, capsys: pytest.CaptureFixture[str]) -> str:
        assert main([command[0], str(folder), *command[1:]]) == 0
        return capsys.readouterr().out

    return printed


def told_report(folder: Path, _capsys: pytest.CaptureFixture[str]) -> str:
    """The page about it, from its first alert on."""
    page = make(folder, 0).html
    return page[page.index('<section id="alerts"') :]


OUTPUTS = {
    "run": told_run,
    "show": told("show", "--as", "shuffler-1"),
    "show, its parties": told("show"),
    "leak": told("leak"),
    "report": told_report,
}


@pytest.mark.slow
@pytest.mark.parametrize("name", OUTPUTS)
def test_it_is_said_first_and_no_sentence_of_safety_stands_there(
    name: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = plain(OUTPUTS[name](folder, capsys))
    assert DEVIATED in words
    assert [safe for safe in SAFE if safe in words] == []
    if name != "show, its parties":
        assert words.index(DEVIATED) < words.lower().index(NOT_BY_WATCHING)
    before = words[: words.index(DEVIATED)]
    assert not re.search(r"linked|released|promised|exposure", before), before


@pytest.mark.slow
def test_programs_are_told_too(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["leak", str(folder), "--format", "json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["deviations"][0].startswith(DEVIATED)
    assert said["smallest"] == []


@pytest.mark.slow
def test_the_panel_of_the_theatre_says_it_instead_of_a_crowd(folder: Path) -> None:
    bill = run_data(read(folder))["bill"]
    assert bill["deviated"]["first"][0].startswith(DEVIATED)
    assert bill["deviated"]["instead"].lower().startswith(NOT_BY_WATCHING)
    panel = (Path(__file__).parents[2] / "theatre" / "static" / "panel.js").read_text("utf-8")
    assert "bill.deviated ? bill.deviated.instead : crowdSaid(bill, known)" in panel


def test_the_wall_says_it_before_anything_else() -> None:
    cheated = happened(with_cheat(read_questions(DEMO), "surround"))
    assert cheated is not None
    wall = Wall("a class", 2)
    assert wall._bill["deviated"] is None
    wall.own_up(cheated["told"])
    assert wall._bill["deviated"]["first"] == [cheated["told"]]


def test_the_phone_says_it_before_what_was_published() -> None:
    endings = (Path(__file__).parents[2] / "poll" / "static" / "endings.js").read_text("utf-8")
    counted = endings[endings.index("function endsCounted") :]
    assert counted.index("cheated(session, state, facts),") < counted.index("    what,\n")


HONEST = load("titanic")
READ = Effect("subtract", ("shuffler-1",), "released cells of the target", 3.0, 3.0)
CASES: dict[str, tuple[Sequence[Fault], Sequence[Effect], Sequence[Raised], list[str]]] = {
    "honest": ((), (), (), []),
    "a party that deviates, before it ends": (
        (Fault(attack="subtract", by="shuffler-1", target="user-1"),),
        (),
        (),
        ["shuffler-1 did not follow the protocol (subtract)"],
    ),
    "a party that deviates in vain": (
        (),
        (Effect("subtract", ("shuffler-1",), "cells", 0.0, 3.0),),
        (),
        ["shuffler-1 did not follow the protocol (subtract): 0 of 3 cells"],
    ),
    "an attack that succeeds": (
        (),
        (READ,),
        (),
        ["shuffler-1 did not follow the protocol (subtract): 3 of 3 released cells of the target"],
    ),
    "a design error that is used": (
        (),
        (Effect("size", ("shuffler-1",), "cells", 4.0, 9.0),),
        (),
        ["a design error (size): 4 of 9 cells"],
    ),
    "a design error that tells nothing": (
        (),
        (Effect("size", ("shuffler-1",), "cells", 0.0, 9.0),),
        (),
        [],
    ),
    "people who stay away": ((Fault(attack="absent", users=3),), (), (), []),
    "the network": (
        (Fault(attack="block", users=3),),
        (),
        (),
        ["the network did not follow the protocol (block)"],
    ),
    "alarms": (
        (),
        (),
        (Raised("user-1", 1, "missing"), Raised("user-2", 1, "missing")),
        ["the board bears out 2 alarms about missing"],
    ),
    "an alarm about nothing": ((), (), (Raised("user-1", 1, "missing", borne_out=False),), []),
    "views that are pooled": (
        (),
        (Effect("collude", ("curator", "shuffler-1"), "people", 9.0, 9.0),),
        (),
        [],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_what_is_said_first(name: str) -> None:
    faults, attacks, alarms, lines = CASES[name]
    scenario = replace(HONEST, fault=tuple(faults))
    assert list(deviations(scenario, attacks, alarms)) == lines
