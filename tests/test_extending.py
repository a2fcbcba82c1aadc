"""docs/extending.md: a package installed beside veilmix brings what every command then knows."""

import dataclasses
import importlib
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib import metadata
from pathlib import Path

import pytest
import veilmix
from examples import blocks
from page_packages import OF_USERS, PACKAGES, PAGE, commands, install
from sample_kit import sampled
from veilmix.analysis.randomizers import Pure
from veilmix.deprecated import renamed
from veilmix.errors import ParameterError
from veilmix.presentation.presenters.presenter import Presenter
from veilmix.protocol.wire.messages import Decision, DecisionCertificate
from veilmix.protocol.wire.schema import Feature, Schema
from veilmix.scenarios.attacks.catalogue.attack import Attack
from veilmix.scenarios.attacks.catalogue.guard import Guard
from veilmix.scenarios.lab.scoring import frames
from veilmix.scenarios.lab.scoring.score_plugins import Score
from veilmix.scenarios.populations.generated import Generator
from veilmix.scenarios.programs import capabilities, people_source
from veilmix.scenarios.programs.capabilities import Capability
from veilmix.scenarios.programs.curated.program import Decided
from veilmix.scenarios.programs.interface import ReleaseProgram
from veilmix.scenarios.programs.registry import PROGRAMS
from veilmix.scenarios.schema import plugs
from veilmix.scenarios.schema.kinds import BUILT_IN, kinds

LINES = 200  # of the package, with its types


def test_the_package_is_short() -> None:
    folder = PACKAGES / "rival"
    package = [path for name in ("pyproject.toml", "rival/*.py") for path in folder.glob(name)]
    assert {path.name for path in package} >= {"pyproject.toml", "program.py", "others.py"}
    assert sum(len(path.read_text("utf-8").splitlines()) for path in package) < LINES


def test_the_page_shows_pieces_of_the_package() -> None:
    whole = "\n".join(
        path.read_text("utf-8") for path in sorted(PACKAGES.rglob("*")) if path.is_file()
    )
    shown = [block.text for block in blocks(PAGE) if block.language in ("toml", "python")]
    assert len(shown) == 2
    for text in shown:
        assert not [line for line in text.splitlines() if line not in whole]
    assert [at for at in re.findall(r"\w+ = \"[\w.]+\"", PAGE) if at not in whole] == []


def test_the_program_of_the_page_releases_nothing_where_no_column_is_safe(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path, "rival")
    monkeypatch.syspath_prepend(tmp_path)
    program = importlib.import_module("rival.program").SafestColumn()
    scenario = veilmix.change(
        veilmix.load("blood-type"), {"policy.k": 20, "policy.max_exposure": 0.0}
    )
    rule = program.strategy(scenario, None).rule
    schema = Schema((Feature("A", ("N", "Y")), Feature("B", ("N", "Y"))))
    assert rule(schema, [[16, 14], [29, 1]], 30) == Decision(
        (), DecisionCertificate("exact", 20, 30, 0)
    )


OLD = {entry.old for place, entry in renamed() if place.endswith(".randomizer.Randomizer")}


def members(of: type) -> set[str]:
    """The fields of a class, or its members that are neither private nor old names."""
    if dataclasses.is_dataclass(of):
        return {field.name for field in dataclasses.fields(of)}
    every = {name for base in of.__mro__[:-1] for name in (*vars(base), *base.__annotations__)}
    return {name for name in every if not name.startswith("_")} - OLD


def told(heading: str) -> set[str]:
    """The members in the table below a heading of the page."""
    _, _, after = PAGE.partition(f"{heading}\n\n")
    rows = after.split("\n## ")[0].split("\n### ")[0].splitlines()
    cells = [row.split("|")[2] for row in rows if row.startswith("|")]
    return {name for cell in cells[2:] for name in re.findall(r"`(\w+)`", cell)}


@pytest.mark.parametrize(
    ("heading", "of", "besides"),
    [
        ("### A program", ReleaseProgram, members(Presenter)),
        ("### A program", Presenter, members(ReleaseProgram)),
        ("### An attack", Attack, {"PeerAttack"}),
        ("### A randomizer", Pure, {"_columns"}),
        ("### A population", Generator, set[str]()),
        ("## A guard", Guard, {"Flaw"}),
    ],
    ids=["program", "words", "attack", "randomizer", "population", "guard"],
)
def test_the_page_has_every_member(heading: str, of: type, besides: set[str]) -> None:
    assert told(heading) - besides == members(of)


def test_the_page_has_every_part() -> None:
    _, _, after = PAGE.partition("### A part of a program\n\n")
    rows = after.split("\n### ")[0].splitlines()
    named = {row.split("|")[1].strip(" `") for row in rows if row.startswith("| `")}
    parts = {
        name
        for module in (capabilities, people_source)
        for name, part in vars(module).items()
        if isinstance(part, type) and issubclass(part, Capability) and part is not Capability
    }
    assert named == parts


class Dated(Decided):
    """A program that was written for an earlier version."""

    reports = True


class Bare:
    """A class that is no program."""

    kind = "mine"


@pytest.mark.parametrize(
    ("brought", "message"), [("Dated", "found reports; since 0.2.0"), ("Bare", "wire.* missing")]
)
def test_a_program_of_an_earlier_version_is_one_error(
    brought: str, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine = {"mine": f"{__name__}:{brought}"}
    monkeypatch.setattr(plugs, "installed", lambda what: mine if what == "programs" else {})
    with pytest.raises(ParameterError, match=message):
        PROGRAMS["mine"]


def test_a_name_of_veilmix_cannot_be_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    info = tmp_path / "thief-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Name: thief\nVersion: 1\n")
    (info / "entry_points.txt").write_text("[veilmix.programs]\nfixed = a:b\nmine = c:d\n")
    monkeypatch.syspath_prepend(tmp_path)
    plugs.installed.cache_clear()
    try:
        assert kinds() == {**BUILT_IN, "mine": "c:d"}
    finally:
        plugs.installed.cache_clear()


def entries(place: Path) -> None:
    """Write what an installer leaves of a package that brings a program."""
    info = place / "other-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Name: other\nVersion: 1\n")
    (info / "entry_points.txt").write_text("[veilmix.programs]\nmine = c:d\n")


def archive(place: Path) -> None:
    """Make of all that is in a folder an archive by its name."""
    shutil.make_archive(str(place), "zip", place)
    shutil.rmtree(place)
    place.with_suffix(".zip").rename(place)


class Finder:
    """Finds one package that is nowhere on the path."""

    def __init__(self, place: Path) -> None:
        self.place = place

    def find_spec(self, *_: object) -> None:
        """Find no module."""

    def find_distributions(self, _context: object = None) -> Iterator[metadata.Distribution]:
        """Find the package."""
        yield metadata.Distribution.at(self.place / "other-1.dist-info")


@pytest.mark.parametrize("where", ["folder", "archive", "finder"])
def test_what_is_installed_is_found_where_importlib_finds_it(
    where: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "place"
    place.mkdir()
    entries(place)
    if where == "archive":
        archive(place)
    if where == "finder":
        monkeypatch.setattr(sys, "meta_path", [*sys.meta_path, Finder(place)])
    else:
        monkeypatch.syspath_prepend(place)
    plugs.installed.cache_clear()
    try:
        assert plugs.installed("programs")["mine"] == "c:d"
    finally:
        plugs.installed.cache_clear()


@pytest.mark.parametrize("place", ["no_such_module:LAW", "json:no_such_law", "json"])
def test_a_package_that_has_not_what_it_names_is_named(place: str) -> None:
    with pytest.raises(ParameterError, match=f"entry point '{place}' of an installed package"):
        plugs.load(place)


def test_what_is_missing_of_veilmix_itself_is_a_bug() -> None:
    with pytest.raises(AttributeError):
        plugs.load("veilmix.errors:NoSuchError")


@pytest.mark.slow
@pytest.mark.parametrize("share", sampled([3, 1], 0), ids=["a third", "all"])
def test_every_command_knows_what_an_installed_package_brings(share: int, tmp_path: Path) -> None:
    install(tmp_path, "rival")
    env = {**os.environ, "PYTHONPATH": str(tmp_path), "NO_COLOR": "1"}
    for words, pieces in list(commands(OF_USERS))[::share]:
        done = subprocess.run(
            [sys.executable, "-m", "veilmix", *words],
            cwd=tmp_path,
            env=env,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        assert not [piece for piece in pieces if piece not in done.stdout], done.stdout


@pytest.mark.slow
def test_a_randomizer_of_another_package_is_a_mechanism(tmp_path: Path) -> None:
    install(tmp_path, "rival")
    text = (tmp_path / "solo.toml").read_text()
    text = text[: text.index("[policy]")] + '[policy]\nkind = "histogram"\n'
    (tmp_path / "noisy.toml").write_text(text + '[local]\nmechanism = "coin"\nepsilon = 4.0\n')
    done = subprocess.run(
        [sys.executable, "-m", "veilmix", "run", "noisy.toml", "--no-save"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "coin epsilon=4 each of 2" in done.stdout


@pytest.mark.place
def test_help_reads_no_entry_points() -> None:
    code = (
        "import sys; sys.argv = ['veilmix', '--help']; from veilmix.cli import main\n"
        "try: main()\nexcept SystemExit: pass\n"
        "print('veilmix.scenarios.schema.plugs' in sys.modules, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "False"


def score_of(measure: object) -> Callable[[str], dict[str, str]]:
    """Return the entry points of a package that brings a score: its module is this one."""
    globals()["BROUGHT"] = measure
    return lambda what: {"mine": f"{__name__}:BROUGHT"} if what == "scores" else {}


def test_a_score_is_measured_of_runs_and_of_saved_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    brought = score_of(Score("people", lambda result: result.users / 4, "a quarter of all"))
    monkeypatch.setattr(plugs, "installed", brought)
    outcome = veilmix.run("blood-type", 7, mode="ideal", worst_case_nodes=0)
    (row,) = outcome.frames.scores
    assert row == {"score": "mine", "value": 7.5, "unit": "people", "meaning": "a quarter of all"}
    assert veilmix.read(veilmix.save(outcome, tmp_path)).frames.scores == outcome.frames.scores


@pytest.mark.parametrize(
    ("brought", "message"),
    [
        (Score("people", lambda _: float("nan")), "score 'mine' .* found nan; a finite number"),
        (Score("people", lambda _: True), "found True; a finite number or None"),
        (len, "veilmix.scores: found builtin_function_or_method; a Score"),
    ],
)
def test_a_score_that_is_none_is_one_error(
    brought: object, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plugs, "installed", score_of(brought))
    with pytest.raises(ParameterError, match=message):
        frames.score_rows(veilmix.run("blood-type", 7, "ideal", worst_case_nodes=0).written())


def test_a_run_without_such_a_number_has_no_row(monkeypatch: pytest.MonkeyPatch) -> None:
    brought = score_of(Score("people", lambda _: None))
    monkeypatch.setattr(plugs, "installed", brought)
    written = veilmix.run("blood-type", 7, "ideal", worst_case_nodes=0).written()
    assert frames.score_rows(written) == []
