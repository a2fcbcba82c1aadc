"""The attack matrix: what is played, what is measured, what is kept on disk."""

import json
from concurrent.futures import BrokenExecutor, ThreadPoolExecutor
from pathlib import Path

import pytest
from msgspec.structs import replace
from veilmix.cli.text.layout import page, show
from veilmix.errors import DataError, ParameterError, ScenarioError, StorageError
from veilmix.presentation.presenters import attack_matrix
from veilmix.report.make import make
from veilmix.scenarios.attacks.catalogue.attack import REPORTS
from veilmix.scenarios.attacks.catalogue.registry import ATTACKS, committed, guarding, helping
from veilmix.scenarios.lab.play.run import run
from veilmix.scenarios.lab.validation.load import load
from veilmix.scenarios.programs.topology import CENTRAL, PEERS
from veilmix.scenarios.records.run_folder import save as save_run
from veilmix.scenarios.studies.matrix import matrix_runs
from veilmix.scenarios.studies.matrix.attack_matrix import Runs, attack
from veilmix.scenarios.studies.matrix.attack_matrix import cell_of as attack_cell
from veilmix.scenarios.studies.matrix.attack_matrix_file import (
    MATRIX,
    figure_of,
    is_one,
    plain,
    read,
    save,
    without_occasion,
)
from veilmix.scenarios.studies.matrix.attack_plan import (
    ALL_GUARDS,
    NONE,
    PlannedTrial,
    changed,
    plan_rows,
    rows_of,
    spares,
    trials,
)
from veilmix.scenarios.studies.matrix.matrix_frames import CELLS, cells
from veilmix.scenarios.studies.matrix.matrix_result import Cell, Matrix, verdict
from veilmix.scenarios.studies.matrix.matrix_runs import AttackOutcome, MatrixJob

ATTACKED = ("drop", "forward", "collude", "predictable", "size")
DEFENDED = ("order", "pad", "balance", "cascade", "random")
DESIGN_ERRORS = (
    *("bundle", "copy", "copy-last", "dictionary", "duplicate", "equivocate", "one-key"),
    *("one-salt", "replay", "replay-next", "replay-session"),
)  # rows: what is switched off for them is what a token stands on
UNPLAYED = {
    "receipts": (*DESIGN_ERRORS, "forward", "order", "size"),  # batches are sorted and padded
    "tokens": DESIGN_ERRORS,
    "challenge": (*DESIGN_ERRORS, "forward", "order", "size"),  # the same
    "audit": (*DESIGN_ERRORS, "forward", "order", "size", "collude"),  # and hops come in pairs
}


@pytest.fixture(scope="module")
def matrix() -> Matrix:
    return attack(load("blood-type"), 7, 2, attacks=ATTACKED, defences=DEFENDED)


def test_a_row_says_whether_its_parties_watch_or_cheat(matrix: Matrix) -> None:
    kinds = {row.name: row.kind for row in matrix.rows}
    assert kinds == {
        **dict.fromkeys(("drop", "forward"), "cheating"),
        **dict.fromkeys(("collude", "predictable", "size"), "watching"),
    }


def test_every_attack_has_a_row_and_every_helping_defence_a_column() -> None:
    for topology in (CENTRAL.name, PEERS.name):
        rows = plan_rows(topology).values()
        there = {name for name in committed(topology) if ATTACKS[name].about != REPORTS}
        assert {row.attack for row in rows} == there
        for row in rows:
            assert set(helping(row.attack, topology)) <= set(guarding(topology))
    assert {"absent", "drop", "tag", "lie", "collude"} <= set(committed(PEERS.name))
    assert set(committed(CENTRAL.name)) | set(committed(PEERS.name)) == set(ATTACKS)


@pytest.fixture(scope="module")
def among_peers() -> Matrix:
    return attack(load("village"), 5, 2)


@pytest.mark.slow
@pytest.mark.parametrize("row", ["absent", "drop", "tag", "lie", "provoke"])
def test_a_peer_that_breaks_a_rule_is_named_in_every_run_and_stops_it(
    row: str, among_peers: Matrix
) -> None:
    for defence in (NONE, ALL_GUARDS):
        cell = among_peers.cell(row, defence)
        assert (cell.alarmed, cell.causes, cell.released) == (2, {"named": 2}, 0)
        assert cell.value == (0 if row in ("lie", "provoke") else cell.of)
    assert next(line for line in among_peers.rows if line.name == row).by == "peer"


@pytest.mark.slow
def test_longer_paths_leave_half_of_the_peers_less(among_peers: Matrix) -> None:
    without, path, every = (
        among_peers.cell("collude", defence) for defence in (NONE, "path", ALL_GUARDS)
    )
    assert without.of == 6
    assert every.value < without.value
    assert every.linked == 0  # by one peer that looks alone
    assert path.linked < without.linked
    assert without.alarmed == every.alarmed == 0
    assert [column.name for column in among_peers.columns] == ["cover", "path"]
    assert all(column.on and column.cost and column.cost.size > 0 for column in among_peers.columns)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["blood-type", "titanic", "hierarchical-class", "zipf"])
def test_all_can_be_played_where_people_say_their_values(name: str) -> None:
    """But guards that stand on what the attack is about having been left out."""
    scenario = load(name)
    plan = list(trials(scenario, tuple(rows_of(scenario)), tuple(guarding(CENTRAL.name)), 30))
    unplayed = {(trial.row, trial.defence) for trial in plan if trial.scenario is None}
    assert unplayed <= {(row, name) for name, rows in UNPLAYED.items() for row in rows}
    for trial in plan:
        if trial.scenario is not None:
            assert trial.scenario.fault


@pytest.mark.slow
def test_what_is_known_of_these_attacks_is_measured(matrix: Matrix) -> None:
    for row, defence, outcome, value in (
        ("forward", NONE, "works", 30),
        ("forward", "order", "stopped", 0),
        ("collude", NONE, "works", 30),
        ("collude", "cascade", "stopped", 0),
        ("predictable", NONE, "works", 30),
        ("predictable", "random", "stopped", 0),
        ("predictable", "order", "works", 30),
        ("drop", "balance", "works", 3),
        ("size", NONE, "idle", 0),
        ("size", "pad", "idle", 0),
        ("forward", ALL_GUARDS, "stopped", 0),
    ):
        cell = matrix.cell(row, defence)
        assert (cell.verdict, cell.value, cell.runs) == (outcome, value, 2), (row, defence)


@pytest.mark.slow
def test_alarms_are_counted_with_their_interval(matrix: Matrix) -> None:
    seen = matrix.cell("forward", "order")
    assert (seen.alarmed, seen.causes, seen.released) == (2, {"order": 2}, 0)
    assert seen.low == pytest.approx(0.025**0.5)  # both of two: (alpha / 2)^(1/2)
    assert seen.high == 1
    unseen = matrix.cell("drop", NONE)
    assert (unseen.alarmed, unseen.low) == (0, 0)
    assert unseen.high == pytest.approx(1 - 0.025**0.5)


@pytest.mark.slow
def test_a_defence_that_is_on_anyway_is_not_played_again(matrix: Matrix) -> None:
    assert matrix.cell("drop", "order").same
    assert not matrix.cell("forward", "order").same
    assert not matrix.cell("drop", "balance").same  # the scenario has it off
    assert matrix.cell("drop", "random").verdict == "unplayed"


@pytest.mark.slow
def test_costs_follow_from_honest_pairs(matrix: Matrix) -> None:
    price = {column.name: column.cost for column in matrix.columns}
    cascade, balance = price["cascade"], price["balance"]
    assert cascade is not None
    assert balance is not None
    assert cascade.size > 10_000  # a second shuffler: another layer, another batch
    assert cascade.messages > 0
    assert balance.size == balance.messages == 0
    assert all(column.cost and column.cost.false_alarms == 0 for column in matrix.columns)
    order = price["order"]
    assert order is not None
    assert order.crowd == 29  # of 30: who leaves in the order of arrival is known
    assert cascade.crowd == balance.crowd == order.steps == 0
    assert cascade.steps == 2  # its batch, in each round
    assert matrix.honest["messages"] > 60


@pytest.mark.slow
def test_an_audit_is_paid_in_anonymity_and_tokens_in_steps() -> None:
    matrix = attack(load("blood-type"), 7, 2, attacks=("drop",), defences=("audit", "tokens"))
    audit, tokens = (column.cost for column in matrix.columns)
    assert audit is not None
    assert tokens is not None
    assert audit.crowd is not None
    assert -29 < audit.crowd < -15  # half of the people are linked in each of two rounds
    assert audit.steps > 8
    assert tokens.crowd == 0
    assert tokens.steps >= 8  # a key, requests, tokens, their number: in each round


@pytest.mark.slow
def test_outcomes_follow_from_the_seed(matrix: Matrix) -> None:
    again = attack(load("blood-type"), 7, 2, attacks=("drop", "forward"), defences=DEFENDED)
    for outcome in again.outcomes:
        assert outcome == matrix.cell(outcome.row, outcome.defence)


def cell(most: float, least: float | None = None) -> Cell:
    least = most if least is None else least
    value = (most + least) / 2
    return Cell(row="r", defence="d", verdict="works", runs=2, value=value, least=least, most=most)


@pytest.mark.parametrize(
    ("now", "without", "expected"),
    [
        (cell(3), None, "works"),
        (cell(0), None, "idle"),
        (cell(0), cell(3), "stopped"),
        (cell(1), cell(3), "reduced"),
        (cell(2), cell(3), "works"),  # more than half
        (cell(3, 0), cell(9, 2), "works"),  # some run without it achieved no more
        (cell(0), cell(0), "idle"),
        (cell(2), cell(0), "works"),
    ],
)
def test_what_is_called_stopped_and_what_reduced(
    now: Cell, without: Cell | None, expected: str
) -> None:
    assert verdict(now, without) == expected


def test_who_is_not_there_is_named() -> None:
    with pytest.raises(ParameterError, match="did you mean `forward`"):
        attack(load("blood-type"), 7, 1, attacks=("forwards",))
    with pytest.raises(ParameterError, match="defences: found 'paint'"):
        attack(load("blood-type"), 7, 1, defences=("paint",))
    with pytest.raises(ParameterError, match="at least 1"):
        attack(load("blood-type"), 7, 0)
    with pytest.raises(DataError, match="add noise"):
        attack(load("randomized-class"), 7, 1)


@pytest.mark.slow
def test_a_saved_matrix_is_read_back(matrix: Matrix, tmp_path: Path) -> None:
    folder = save(matrix, load("blood-type"), tmp_path)
    assert folder.name == "attack-blood-type-0007"
    assert is_one(folder)
    assert read(folder) == read(folder / MATRIX) == matrix
    assert (folder / "matrix.png").read_bytes().startswith(b"\x89PNG")
    lines = (folder / "matrix.csv").read_text().splitlines()
    assert lines[0].split(",") == list(CELLS)
    assert len(lines) == 1 + len(cells(matrix)) == 1 + len(ATTACKED) * (len(DEFENDED) + 2)


@pytest.mark.slow
def test_a_damaged_matrix_is_refused(matrix: Matrix, tmp_path: Path) -> None:
    file = tmp_path / MATRIX
    whole = plain(matrix)
    for data, says in (
        ({**whole, "schema": 2}, "schema 2"),
        ({**whole, "extra": 1}, "unknown field"),
        ({**whole, "outcomes": whole["outcomes"][1:]}, "drop x none"),
        ({**whole, "outcomes": [*whole["outcomes"], whole["outcomes"][0]]}, "drop x none"),
    ):
        file.write_text(json.dumps(data))
        with pytest.raises(StorageError, match=says):
            read(tmp_path)
    file.write_text("{")
    with pytest.raises(StorageError, match="no matrix of attacks"):
        read(file)


@pytest.mark.slow
def test_the_report_shows_it_by_itself_and_beside_a_run(matrix: Matrix, tmp_path: Path) -> None:
    folder = save(matrix, load("blood-type"), tmp_path)
    made = make(folder)
    assert made.path == folder / "report.html"
    cells = len(matrix.rows) * (len(matrix.columns) + 2)  # beside none and all
    assert made.html.count('<g class="heat') == cells
    for text in (
        "Attacks by shufflers",
        "Attacks by who looks on",
        "30 of 30",
        "What defences cost",
    ):
        assert text in made.html
    warned = {alert.title for alert in made.page.alerts}
    assert "drop: no defence stops it" not in warned  # noticed in every run
    kept = save_run(run("blood-type", 7, worst_case_nodes=0), tmp_path)
    keys = [section.key for section in make(kept, 0, folder).page.sections]
    assert "matrix" in keys
    assert "matrix" not in [section.key for section in make(kept, 0).page.sections]
    other = save(replace(matrix, scenario="zipf"), load("zipf"), tmp_path)
    with pytest.raises(StorageError, match="matrix is of the scenario zipf"):
        make(kept, 0, other)


@pytest.mark.slow
def test_the_figure_has_a_sign_for_every_cell(matrix: Matrix) -> None:
    table = figure_of(matrix)
    assert table.headings == (NONE, *sorted(DEFENDED), ALL_GUARDS)
    signs = {(name, h): s for name, row in table.rows for h, s in zip(table.headings, row)}  # noqa: B905
    assert len(signs) == len(matrix.outcomes)
    seen = signs["forward", "order"]
    assert (seen.verdict, seen.detected, seen.withheld, seen.named) == ("stopped", 1, True, True)
    assert signs["drop", "order"].is_baseline


def test_what_a_lost_process_left_is_played_here(monkeypatch: pytest.MonkeyPatch) -> None:
    class Mortal(ThreadPoolExecutor):
        def map(self, work, jobs, **_):
            yield work(jobs[0])
            raise BrokenExecutor

    monkeypatch.setattr(matrix_runs, "shoot", lambda job: -job)
    told = []
    with Mortal(1) as pool:
        results = list(matrix_runs.play_all([1, 2, 3], pool, lambda *far: told.append(far)))
    assert results == [-1, -2, -3]
    assert told == [(1, 3), (2, 3), (3, 3)]


def test_audits_take_two_shufflers() -> None:
    changes = {"mix.shufflers": 1, "defence.registered": True, "defence.audit": True}
    with pytest.raises(ScenarioError, match="2 shufflers are needed; there is 1"):
        changed(load("blood-type"), changes, ())
    scenario = changed(load("blood-type"), {"mix.shufflers": 1}, ())
    whole = [trial for trial in trials(scenario, ("drop",), (), 30) if trial.defence == ALL_GUARDS]
    assert [trial.scenario is not None and trial.scenario.defence.audit for trial in whole] == [
        False
    ]


def test_what_a_program_cannot_do_without_is_no_column() -> None:
    """A program without design errors is not played with them, whatever their price would be."""
    opened = load("threshold-titanic")
    assert not spares(opened, "bind")
    assert spares(opened, "registered")
    assert spares(load("blood-type"), "bind")


def outcome(value: float, *, unmet: bool = False) -> AttackOutcome:
    """A run of `drop` that nobody has played."""
    told = (10.0, "answers lost", 0, 0, (), True, False, (), 0, 0.0, 0, 0)
    return AttackOutcome(value, *told, unmet=unmet)


def counted(*runs: AttackOutcome) -> Cell:
    """The cell of these runs."""
    scenario, seeds = load("blood-type"), range(len(runs))
    trial = PlannedTrial("drop", NONE, scenario)
    keys = [MatrixJob("drop", scenario, seed, seeded=True).key for seed in seeds]
    plain = [outcome(0) for _ in runs]
    return attack_cell(
        trial, None, Runs(CENTRAL.name, dict(zip(keys, runs, strict=True)), plain, seeds, 30)
    )


def test_runs_without_an_occasion_are_counted_apart() -> None:
    """The mean of the others is not lowered by them, and neither is the share of alarms."""
    some = counted(outcome(4), outcome(0, unmet=True), outcome(2))
    assert (some.runs, some.unmet, some.verdict) == (2, 1, "works")
    assert (some.value, some.least, some.most, some.released) == (3, 2, 4, 2)
    assert without_occasion(some) == "1 of 3 without an occasion"
    assert without_occasion(counted(outcome(4))) == ""


def test_a_cell_of_runs_without_an_occasion_is_no_success_of_a_defence() -> None:
    none = counted(*[outcome(0, unmet=True)] * 3)
    assert (none.runs, none.unmet, none.verdict) == (0, 3, "unmet")
    assert verdict(cell(0), none) == "idle"
    assert verdict(cell(2), none) == "works"


@pytest.mark.slow
def test_an_attack_that_waits_for_a_round_that_is_not_called_is_shown_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """In text, CSV, JSON, picture and page."""
    unsafe = changed(load("blood-type"), {"policy.max_exposure": 0.0, "policy.k": 30}, ())
    found = attack(unsafe, 7, 1, attacks=("subtract",), defences=("tokens",))
    assert [(one.verdict, one.runs, one.unmet) for one in found.outcomes] == [("unmet", 0, 1)] * 3
    folder = save(found, unsafe, tmp_path)
    assert read(folder) == found
    lines = [line.split(",") for line in (folder / "matrix.csv").read_text().splitlines()]
    assert [line[lines[0].index("unmet")] for line in lines] == ["unmet", "1", "1", "1"]
    signs = [sign.verdict for _, row in figure_of(found).rows for sign in row]
    assert signs == ["unmet"] * 3
    assert "no occasion" in make(folder).html
    show(page(), attack_matrix.terminal(found))
    assert capsys.readouterr().out.count("1 of 1 without an occasion") == 3
