"""The page of a run among peers: what each learned, what coalitions follow, who was named."""

import csv
import io
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from veilmix.presentation.blocks import Page, PageFigure, Section, VerdictAnswer
from veilmix.presentation.presenters.peers import answer
from veilmix.presentation.text_blocks import Grid, Line
from veilmix.protocol.peers.routes import followed
from veilmix.protocol.peers.view import PeerRecord
from veilmix.report.make import make
from veilmix.scenarios.lab.play.run import run
from veilmix.scenarios.lab.validation.load import change, load
from veilmix.scenarios.programs import registry
from veilmix.scenarios.programs.curated.choices import ExposureProgram
from veilmix.scenarios.programs.peer_findings import smallest_linking
from veilmix.scenarios.programs.peers.peer_knowledge import learned
from veilmix.scenarios.programs.peers.record import reckoned
from veilmix.scenarios.records.result_file import Run
from veilmix.scenarios.records.run_folder import read, save
from veilmix.scenarios.records.verification.views import record_of
from veilmix.scenarios.schema.model import Expect, Fault

KEYS = ["crowds", "decision", "found", "trust", "peers", "traffic", "repeat"]


def part(page: Page, key: str) -> Section:
    return next(section for section in page.sections if section.key == key)


def grid(section: Section, start: str) -> Grid:
    grids = (block for block in section.blocks if isinstance(block, Grid))
    return next(table for table in grids if table.caption.startswith(start))


@pytest.fixture(scope="module")
def village(tmp_path_factory: pytest.TempPathFactory) -> Run:
    outcome = run("village", worst_case_nodes=0)
    return read(save(outcome, tmp_path_factory.mktemp("village")))


@pytest.fixture(scope="module")
def page(village: Run) -> Page:
    return make(village.folder, 0).page


@pytest.mark.slow
def test_it_has_the_sections_of_a_run_and_one_of_peers(page: Page) -> None:
    assert [section.key for section in page.sections] == KEYS
    assert "paths of 3 peers" in page.about
    assert not [line for line in page.about if "shuffler" in line]
    assert "Everybody sees the counts" in part(page, "crowds").lead
    assert "can prove" in part(page, "decision").lead


@pytest.mark.slow
def test_whom_to_trust_is_said_by_the_size_of_coalitions(page: Page, village: Run) -> None:
    (answer,) = [verdict for verdict in page.verdict if verdict.question == "Who must be trusted?"]
    assert village.result.peers
    first = next(size.size for size in village.result.peers.sizes if size.people.mean > 0)
    assert answer.short == f"{first} peers must collude"
    assert "6 peers of 12 together follow" in answer.text


@pytest.mark.slow
def test_what_coalitions_follow_is_what_the_result_says(page: Page, village: Run) -> None:
    section = part(page, "peers")
    (figure,) = [block for block in section.blocks if isinstance(block, PageFigure)]
    rows = list(csv.DictReader(io.StringIO(figure.numbers.text)))
    assert village.result.peers
    said = village.result.peers.sizes
    assert [float(row["onions_mean"]) for row in rows] == [row.onions.mean for row in said]
    assert len(grid(section, "Coalitions by their size").rows) == len(said) == 11


@pytest.mark.slow
def test_what_each_peer_learned_is_counted_on_the_board(page: Page, village: Run) -> None:
    record = record_of(village)
    assert isinstance(record, PeerRecord)
    peers = learned(record)
    routes = [route for there in record.routes.values() for route in there]
    assert sum(peer.sent_messages for peer in peers) == len(routes) == 2 * 12 * 7
    assert sum(peer.opened for peer in peers) == 3 * len(routes)
    assert sum(peer.posted_ballots for peer in peers) == len(routes)
    for index, peer in enumerate(peers):
        alone = [followed(there, frozenset({index})) for there in record.routes.values()]
        assert peer.followed == sum(map(len, alone))
        assert peer.linked == len(set(record.linked(frozenset({index})).get(1, {})))
    rows = grid(part(page, "peers"), "What each peer").rows
    assert [row[3] for row in rows] == [f"{peer.opened}" for peer in peers]


@pytest.mark.slow
def test_who_was_named_is_on_the_page(tmp_path: Path) -> None:
    faults = (Fault(attack="drop", by="peer-3", rate=0.3),)
    chosen = replace(load("village"), fault=faults, expect=Expect())
    made = make(save(run(chosen, worst_case_nodes=0), tmp_path), 0).page
    lines = [block.text for block in part(made, "peers").blocks if isinstance(block, Line)]
    assert [line.split()[0] for line in lines if " is named: " in line] == ["peer-3"]
    achieved = [
        row
        for row in grid(part(made, "attacks"), "What was refused").rows
        if row[0].startswith("attack: ")
    ]
    assert achieved == [("attack: drop", "36 of 36", "answers lost")]
    assert grid(part(made, "attacks"), "Who attacked").rows == [("drop", "peer-3")]
    guards = grid(part(made, "attacks"), "Guards").rows
    assert [row[0] for row in guards] == ["cover", "path"]


@pytest.mark.slow
def test_an_ideal_run_of_peers_has_nothing_to_follow(tmp_path: Path) -> None:
    made = make(save(run("village", mode="ideal", worst_case_nodes=0), tmp_path), 0).page
    assert [section.key for section in made.sections] == [
        "crowds",
        "decision",
        "found",
        "trust",
        "repeat",
    ]
    (answer,) = [verdict for verdict in made.verdict if verdict.question == "Who must be trusted?"]
    assert answer.short == "nobody in the middle"


@pytest.mark.slow
def test_a_coalition_is_not_said_to_link_its_own_members(page: Page) -> None:
    words = [block.text for block in part(page, "trust").blocks if isinstance(block, Line)]
    two, half = (
        word for word in words if "neighbours compare" in word or "half the village" in word
    )
    assert two.endswith("links nobody else.")
    assert re.search(r"links \d people besides its members\.$", half)


def test_a_program_alone_brings_its_part_of_a_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither `report` nor anything else has to know of it."""

    class Told(ExposureProgram):
        def answers(self, result: Any) -> tuple[VerdictAnswer, ...]:
            return VerdictAnswer("What was released?", "a poem", ""), VerdictAnswer(
                "And why?", "for fun", ""
            )

        def section(self, scenario: Any, result: Any) -> Iterator[Section]:
            yield Section("poem", "A poem", f"About {scenario.scenario.name}.", ())

    folder = save(run("blood-type", 3, "ideal", worst_case_nodes=0), tmp_path)
    before = [section.key for section in make(folder, 0).page.sections]
    monkeypatch.setattr(registry, "_load_program", lambda _place: Told())
    made = make(folder, 0).page
    assert [verdict.short for verdict in made.verdict[:2]] == ["a poem", "for fun"]
    assert [section.key for section in made.sections if section.key != "poem"] == before
    assert part(made, "poem").lead == "About blood-type."


@pytest.mark.slow
def test_of_many_peers_those_of_one_path_are_enough() -> None:
    """Coalitions that are drawn seldom hold a whole path: their sizes alone would promise more."""
    made = change(load("peers-titanic"), {"population.users": 100, "mix.min_batch": 50})
    outcome = run(made, 7, worst_case_nodes=0)
    assert outcome.peers
    assert outcome.transcript
    first = next(size.size for size in outcome.peers.sizes if size.people.mean > 0)
    assert first > outcome.peers.path == smallest_linking(outcome.peers) == 3
    assert answer(outcome.peers).short == "3 peers must collude"
    assert (
        f"had {first} peers. A coalition of the 3 peers of one path" in answer(outcome.peers).text
    )
    seen = reckoned(made, outcome.peers.agreement, outcome.transcript.posts)
    record = PeerRecord(outcome.transcript, seen)
    route = next(
        route for route in record.routes[1] if route.answer and route.origin not in route.stops
    )
    assert route.origin in record.linked(frozenset(route.stops))[1]
