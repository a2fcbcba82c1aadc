"""`import veilmix`: what Tab offers, a run inside trio, an outcome in a notebook and as tables."""

import os
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, Never, get_args, get_origin, get_type_hints

import pytest
import trio
import trio.lowlevel
import veilmix
from veilmix.analysis import drawing
from veilmix.analysis.frames import MAX_ROWS, TypedFrame, plain_frame
from veilmix.errors import LocalError, ParameterError
from veilmix.own_data import export
from veilmix.report.make import make
from veilmix.roles.network.instruments import Instrument
from veilmix.scenarios.lab.ledger.book import opened
from veilmix.scenarios.populations.traces import check_ins, device_sessions, profiles, ratings
from veilmix.scenarios.records.identity_files import create, read_identity, read_known
from veilmix.scenarios.records.run_folder import folders, unwritable
from veilmix.scenarios.serialization.atomic_file import write_page

WRITTEN = {".csv", ".html", ".svg", ".xlsx"}
HOSTILE = "<script>alert(1)</script>"


@pytest.fixture(scope="module")
def outcome() -> veilmix.Outcome:
    return veilmix.run("blood-type", 7, worst_case_nodes=0)


@pytest.fixture(scope="module")
def attacked() -> veilmix.Outcome:
    return veilmix.run(veilmix.load("attack-drop"), worst_case_nodes=0)


def test_tab_offers_what_there_is_and_all_of_it_is_there() -> None:
    assert {"run", "play", "load", "Scenario", "Outcome", "analysis"} <= set(dir(veilmix))
    assert set(dir(veilmix)) == set(veilmix.__all__)
    for name in veilmix.__all__:
        assert getattr(veilmix, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = veilmix.nothing


async def test_in_a_trio_program_run_says_what_to_do_and_play_does_it(outcome) -> None:
    with pytest.raises(ParameterError, match=r"await veilmix\.play"):
        veilmix.run("blood-type", 7)
    with pytest.raises(ParameterError, match=r"await veilmix\.play"):
        veilmix.run("village")
    played = await veilmix.play("blood-type", 7, worst_case_nodes=0)
    assert played.digest == outcome.digest
    assert played.release == outcome.release


async def test_other_tasks_go_on_while_it_plays() -> None:
    turns = 0

    async def turn() -> None:
        nonlocal turns
        while True:
            turns += 1
            await trio.lowlevel.checkpoint()

    async with trio.open_nursery() as nursery:
        nursery.start_soon(turn)
        await veilmix.play("blood-type", 7, worst_case_nodes=0)
        nursery.cancel_scope.cancel()
    assert turns > 1


async def test_what_is_wrong_is_raised_as_by_run() -> None:
    with pytest.raises(LocalError, match="no such file"):
        await veilmix.play("nothing")


@pytest.mark.slow
async def test_a_run_that_is_cancelled_ends() -> None:
    told = []
    ended = trio.Event()

    class BoardMonitor(Instrument):
        def posted(self, time, entry) -> None:
            told.append(entry)
            token.run_sync_soon(ended.set)

    token = trio.lowlevel.current_trio_token()
    with trio.CancelScope() as scope:
        async with trio.open_nursery() as nursery:

            async def stop() -> None:
                await ended.wait()
                scope.cancel()

            nursery.start_soon(stop)
            await veilmix.play("titanic", 7, instruments=[BoardMonitor()], worst_case_nodes=0)
    assert scope.cancelled_caught
    assert ended.is_set()
    while before := len(told):
        await trio.sleep(0.3)
        if len(told) == before:
            break
    assert not any(type(entry.message.body).__name__ == "Decision" for entry in told)


# Tables


def test_the_tables_have_what_the_outcome_has(outcome) -> None:
    tables = outcome.frames
    assert sum(tables.release["people"]) == 30
    assert tuple(tables.release.columns) == ("A", "B", "people")
    assert sum(tables.marginals["people"]) == 30 * 3
    assert len(tables.coalitions) == len(outcome.coalitions) == 16
    assert tables.coalitions["linked"] == tuple(
        coalition.linked for coalition in outcome.coalitions
    )
    assert len(tables.attacks) == 0


def test_attacks_are_a_table(attacked) -> None:
    (row,) = attacked.frames.attacks
    assert row["attack"] == "drop"
    assert (row["achieved"], row["of"]) == (attacked.attacks[0].value, attacked.attacks[0].of)


def test_a_heading_that_comes_twice_keeps_both_columns() -> None:
    table = plain_frame(("people", "people"), [("x", 1)])
    assert list(table) == [{"people": "x", "people (2)": 1}]


def typed_columns(tables: Any) -> Iterator[tuple[type, str, tuple[Any, ...]]]:
    """Yield each column with a declared type: the type, its place, its cells."""
    for name, declared in get_type_hints(type(tables)).items():
        if get_origin(declared) is TypedFrame:
            for cells, headings in zip((int, float, str), get_args(declared), strict=True):
                for heading in () if headings is Never else get_args(headings):
                    place = f"{type(tables).__name__}.{name}[{heading}]"
                    table = getattr(tables, name)
                    assert table.declared[heading] is cells, place
                    yield cells, place, table[heading]


def test_cells_are_of_their_declared_types(outcome, attacked) -> None:
    runs = [
        outcome,
        attacked,
        *(veilmix.run(n, mode="ideal") for n in ("village", "incidence-class")),
    ]
    table = {"age": [30, 30, 31, 31, 32, 32], "ward": ["e", "e", "w", "w", "e", "w"]}
    score = veilmix.score(table, k=2, quasi="age", sensitive="ward").frames
    advice = veilmix.advise(table, k=2).frames
    declared, filled = set(), set()
    for tables in (*(run.frames for run in runs), score, advice):
        for cells, place, column in typed_columns(tables):
            accepted = (int, float) if cells is float else cells
            assert [type(cell) for cell in column if not isinstance(cell, accepted)] == [], place
            declared.add(place)
            filled |= {place} if column else set()
    ours = {place for place in declared if not place.startswith("Frames.scores[")}
    assert filled == ours  # no package that brings scores is installed
    assert "Frames.release[people]" in declared


def test_a_released_column_called_people_does_not_hide_the_count(tmp_path) -> None:
    (tmp_path / "p.csv").write_text("people,b\n" + "x,1\ny,1\n" * 6, "utf-8")
    text = '[scenario]\nname = "s"\nseed = 1\n[policy]\nkind = "all"\nk = 2\n'
    release = veilmix.run(
        veilmix.with_people(text, tmp_path / "p.csv"), mode="ideal", worst_case_nodes=0
    ).frames.release
    assert sum(release["people"]) == 12
    assert release["people (2)"] == ("x", "y")


# Paths


class Place(os.PathLike[str]):
    """A path of another library, which is no `pathlib.Path`, and prints as something else."""

    def __init__(self, path: str | Path) -> None:
        self.path = str(path)

    def __fspath__(self) -> str:
        return self.path


@pytest.mark.parametrize("as_path", [str, Path, Place])
def test_every_door_takes_every_kind_of_path(
    as_path: Callable[[Path], Any], outcome, tmp_path: Path
) -> None:
    at = {name: as_path(tmp_path / name) for name in ("runs", "s.toml", "p.csv", "h.csv", "l.json")}
    folder = veilmix.save(outcome, at["runs"])
    assert veilmix.read(as_path(folder)).result.digest == outcome.digest
    rows = "".join(f"3{n % 2},{n % 2}\n" for n in range(12))
    (tmp_path / "p.csv").write_text(f"age,b\n{rows}", "utf-8")
    (tmp_path / "h.csv").write_text("30;all\n31;all\n", "utf-8")
    text = '[scenario]\nname = "s"\nseed = 1\n[policy]\nkind = "all"\nk = 2\n'
    named = f'{text}[population]\nsource = "p.csv"\n'
    (tmp_path / "s.toml").write_text(named, "utf-8")
    loaded = veilmix.loads(named, base=as_path(tmp_path))
    assert veilmix.load(at["s.toml"]) == loaded
    assert veilmix.with_people(text, at["p.csv"]).population == loaded.population
    assert veilmix.run(at["s.toml"], mode="ideal", worst_case_nodes=0).users == 12
    assert veilmix.compare(at["s.toml"], only=["trusted"], messages=False).users == 12
    assert veilmix.score(at["p.csv"], k=2).n == 12
    assert veilmix.advise(at["p.csv"], k=2, hierarchies={"age": at["h.csv"]}).n == 12
    with opened(at["l.json"]) as ledger:
        assert ledger.entries == []
    assert check_ins(at["p.csv"], "age", "b", "b").people == ("30", "31")
    assert ratings(at["p.csv"], "age", "b", "b", "b", min_rating=0).people == ("30", "31")
    assert device_sessions(at["p.csv"], "age", "b").devices == ("30", "31")
    assert profiles(at["p.csv"])[1] == ("age", "b")


@pytest.mark.parametrize("as_path", [str, Path, Place])
def test_files_of_a_run_are_read_and_written_by_every_kind_of_path(
    as_path: Callable[[Path], Any], outcome, tmp_path: Path
) -> None:
    folder = veilmix.save(outcome, tmp_path)
    assert folders(as_path(tmp_path)) == (folder.name,)
    assert unwritable(as_path(tmp_path)) is None
    assert make(as_path(folder)).path == folder / "report.html"
    secret, public = create(as_path(tmp_path), "ada")
    assert list(read_known(as_path(public))) == [read_identity(as_path(secret)).public.name]
    for name in ("o.csv", "o.xlsx"):
        export.write(as_path(tmp_path / name), ("a",), [("x",)])
    write_page(as_path(tmp_path / "p.html"), "<!doctype html>")
    drawing.save(drawing.new(2, 2)[0], as_path(tmp_path / "f.svg"))
    made = sorted(path.name for path in tmp_path.iterdir() if path.suffix in WRITTEN)
    assert made == ["f.svg", "o.csv", "o.xlsx", "p.html"]


# Notebooks


class Strict(HTMLParser):
    """Counts tags, and wants each closed in its turn."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.open.append(tag)
        self.seen.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.mark.parametrize("name", ["blood-type", "randomized-class", "incidence-class"])
def test_an_outcome_shows_itself(name: str) -> None:
    html = veilmix.run(name, 7, "ideal", worst_case_nodes=0)._repr_html_()
    page = Strict()
    page.feed(html)
    assert page.open == []
    assert "table" in page.seen
    assert name in html


def test_what_is_shown_is_escaped_and_runs_nothing(tmp_path) -> None:
    rows = "".join(f"{HOSTILE},{n % 2}\n" for n in range(12))
    (tmp_path / "people.csv").write_text(f"a{HOSTILE},b\n{rows}", "utf-8")
    (tmp_path / "s.toml").write_text(
        '[scenario]\nname = "s"\nseed = 1\n[population]\nsource = "people.csv"\n'
        '[policy]\nkind = "all"\n',
        "utf-8",
    )
    html = veilmix.run(tmp_path / "s.toml", worst_case_nodes=0)._repr_html_()
    assert "<script" not in html
    assert "&lt;script&gt;" in html


def test_a_long_table_says_how_much_is_left_out() -> None:
    table = plain_frame(("n",), [(n,) for n in range(MAX_ROWS + 3)])
    assert "... 3 more rows" in table._repr_html_()
