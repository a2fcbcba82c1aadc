"""docs/deploy.md, typed as it stands, in four terminals; and what a session file must be."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal
from unicodedata import normalize

import pytest
from session_kit import CHANGED, DRIVEN, LONG, free_ports, left, let_pass
from veilmix.errors import DataError, ParameterError, ScenarioError, StorageError
from veilmix.machines.journal import Durable
from veilmix.scenarios.deployment.features import column_of
from veilmix.scenarios.deployment.people_keys import create_people, read_people, signers_of
from veilmix.scenarios.deployment.place import read_answers, site
from veilmix.scenarios.deployment.session_file import SessionFile, read_session
from veilmix.scenarios.populations.file_options import DEFAULT_OPTIONS, FileOptions
from veilmix.scenarios.records.identity_files import create, read_identity
from veilmix.scenarios.schema.model import BinsSection, FeatureSection

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "deploy.md").read_text("utf-8")
PLACES = ("board", "shuffler-1", "shuffler-2", "curator", "analyst", "hall")


def blocks(kind: str) -> list[str]:
    """The page's blocks of code of a kind."""
    return re.findall(rf"```{kind}\n(.*?)```", PAGE, re.DOTALL)


def placed(text: str, ports: list[int]) -> str:
    """The page's text with other ports than its own."""
    for number, port in enumerate(ports):
        text = text.replace(f"127.0.0.1:844{number}", f"127.0.0.1:{port}")
    return text


def lines(process: Any) -> Iterator[str]:
    """What a terminal is told."""
    yield from iter(process.stderr.readline, "")


@pytest.mark.place
@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="types into bash")
def test_four_terminals_do_what_the_page_says(tmp_path: Path, started: Any) -> None:
    """With another deadline than the page's, which comes when all places are idle."""
    keys, board, analyst, shufflers, people, status = blocks("sh")
    ports = free_ports(5)
    text = placed(blocks("toml")[0], ports).replace("deadline = 60 ", f"deadline = {LONG} ")
    (tmp_path / "session.toml").write_text(text)
    command = tmp_path / "bin" / "veilmix"
    command.parent.mkdir()
    command.write_text(f"#!/bin/sh\nexec '{sys.executable}' -c '{CHANGED}' \"$DRIVEN\" \"$@\"\n")
    command.chmod(0o755)
    path = f"{command.parent}:{Path(sys.executable).parent}:{os.environ['PATH']}"
    place = {**os.environ, "PATH": path, "DRIVEN": DRIVEN}

    def terminal(typed: str) -> Any:
        return started(
            shutil.which("bash") or "bash", "-c", f"{typed}\nwait", cwd=tmp_path, env=place
        )

    subprocess.run(["bash", "-c", keys], cwd=tmp_path, env=place, check=True, capture_output=True)
    window, reading, mixing = terminal(board), terminal(analyst), terminal(shufflers)
    for some, places in ((window, 1), (reading, 1), (mixing, 2)):
        ready = (line for line in lines(some) if "  ready  " in line)
        assert all(next(ready) for _ in range(places))
    last = terminal(people)
    assert any("curator: call" in line for line in lines(window))
    seen = subprocess.run(
        ["bash", "-c", placed(status, ports)],
        cwd=tmp_path,
        env=place,
        capture_output=True,
        text=True,
    )
    assert (seen.returncode, seen.stderr) == (0, "")
    assert re.search(r"collecting +now", seen.stdout)
    assert re.search(r"shuffler-2 +consent", seen.stdout)
    ahead = 0.0
    while last.poll() is None:
        ahead = let_pass(tmp_path, ahead, left(tmp_path, PLACES[1:], ahead))
    said, told = last.communicate()
    assert said == blocks("text")[0] * 2  # the people's and the curator's
    assert not re.search(r"meat|plants|Friday|user-\d", told)
    assert last.returncode == 0


SESSION = placed(blocks("toml")[0], [8440, 8441, 8442, 8443, 8444])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the identities of the page."""
    directory = tmp_path_factory.mktemp("session")
    for name in PLACES:
        create(directory, name)
    return directory


def session(folder: Path, *changes: tuple[str, str]) -> SessionFile:
    text = SESSION
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    (folder / "session.toml").write_text(text)
    return read_session(folder / "session.toml")


def test_the_session_of_the_page_is_read(folder: Path) -> None:
    deployment = session(folder)
    assert deployment.shufflers == ("shuffler-1", "shuffler-2")
    assert [feature.name for feature in deployment.schema.features] == ["meal", "day"]
    assert deployment.directory.places["hall"].users == range(20)
    assert deployment.directory.speaks_for("hall", "user-20")
    assert not deployment.directory.speaks_for("hall", "user-21")
    assert not deployment.directory.speaks_for("hall", "curator")
    assert session(folder, ("canteen", "canteen 2")).roster.opening != deployment.roster.opening


@pytest.mark.parametrize(
    ("said", "names_keys", "on"),
    [
        pytest.param("", True, True, id="keys are named"),
        pytest.param("", False, False, id="no keys are named"),
        pytest.param("[defence]\nregistered = false\n", True, False, id="off"),
    ],
)
def test_people_are_registered_where_a_place_names_their_keys(
    said: str, names_keys: bool, on: bool, tmp_path: Path
) -> None:
    for name in PLACES:
        create(tmp_path, name)
    create_people(tmp_path, read_identity(tmp_path / "hall.key.toml"), 20)
    changes = [("[place.board]", f"{said}[place.board]")]
    if names_keys:
        changes.append(("users = [1, 20]", 'users = [1, 20]\npeople = "hall.people.toml"'))
    read = session(tmp_path, *changes)
    assert read.scenario.registered is on
    assert (read.registry is not None) is on


WRONG = {
    "no board": ("place.board", "place.bored", 'called "bored"; .* .did you mean `board`'),
    "shufflers from 2": ("place.shuffler-1", "place.shuffler-3", "shuffler-1 missing"),
    "a hole": ("place.shuffler-2", "place.shuffler-3", "numbered from 1"),
    "an unknown key": ("title =", "titel =", "titel|title"),
    "no values": ('values = ["Monday", "Friday"]', "open = true", "values is missing"),
    "no values left": ('values = ["Monday", "Friday"]', 'fold = ["case"]', "values is missing"),
    "one identity twice": ("shuffler-2.pub", "shuffler-1.pub", "same identity"),
    "no port": ("127.0.0.1:8440", "127.0.0.1", "HOST:PORT"),
    "port 0": ("127.0.0.1:8440", "127.0.0.1:0", "HOST:PORT"),
    "people with an address": ("users = [1, 20]", 'address = "127.0.0.1:1"', "users"),
    "a lesson": ("min_batch = 10", "min_batch = 10\nlesson = true", "lesson"),
    "noise of no kind": ("k = 3 ", 'kind = "histogram"\nk = 3 ', "mechanism and epsilon"),
    "randomness": (
        "k = 3 ",
        'kind = "threshold"\nk = 3 ',
        "this kind needs the party `randomness`",
    ),
    "sets": ("k = 3 ", 'kind = "incidence"\nk = 3 ', "each person's set"),
    "peers": ("min_batch = 10", "min_batch = 10\npeers = true", "has no way yet"),
    "an old guard": ("[place.board]", "[defence]\nunion = true\n[place.board]", "union"),
    "a verified mix": (
        *("min_batch = 10", 'min_batch = 10\nkind = "verified"'),
        "ballots are posted under registered names",
    ),
    "tokens": ("[place.board]", "[defence]\ntokens = true\n[place.board]", "registered = true"),
    "no keys": (
        "[place.board]",
        "[defence]\nregistered = true\n[place.board]",
        "veilmix keys hall --people 20",
    ),
    "deaf people": (
        "[place.board]",
        "[defence]\nregistered = true\ntokens = true\n[place.board]",
        "so the machine needs an address",
    ),
    "rare values": ('name = "day"', 'name = "day"\nmerge_below = 3', "the values of all people"),
    "widths": ('name = "day"', 'name = "day"\nbins = { width = 5 }', "say edges"),
    "a month": ('name = "day"', 'name = "day"\ndate = "month"', "day_first"),
    "not TOML": ("[mix]", "[mix", "session.toml"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_with_a_session_is_said(name: str, folder: Path) -> None:
    old, new, said = WRONG[name]
    with pytest.raises(ScenarioError, match=said):
        session(folder, (old, new))


def test_an_identity_that_is_not_there_is_said(folder: Path) -> None:
    with pytest.raises(StorageError, match=r"nobody\.pub\.toml"):
        session(folder, ("hall.pub", "nobody.pub"))


def test_a_place_is_only_who_the_session_says(folder: Path) -> None:
    own = read_identity(folder / "curator.key.toml")
    deployment = session(folder)
    log = pytest.fail
    assert site(deployment, "curator", own, log, Durable.DISK, folder).journal is not None
    with pytest.raises(ParameterError, match="session file"):
        site(deployment, "analyst", own, log, Durable.OFF, folder)
    with pytest.raises(ParameterError, match="this session has"):
        site(deployment, "shuffler-9", own, log, Durable.OFF, folder)


def test_answers_are_read_as_a_table_of_ones_own(folder: Path) -> None:
    deployment = session(folder)
    for form, text in (
        (DEFAULT_OPTIONS, "day,meal,more\nFriday,fish,x\n"),
        (DEFAULT_OPTIONS, "\ufeffday;meal\n Friday ; fish\n\n"),
        (FileOptions(separator="\t", encoding="utf-16"), "meal\tday\nfish\tFriday\n"),
    ):
        table = folder / "answers.csv"
        table.write_text(text, encoding=form.encoding or "utf-8")
        assert [list(row) for row in read_answers(table, deployment, form)] == [["fish", "Friday"]]


@pytest.mark.parametrize("ours", ["NFC", "NFD"])
@pytest.mark.parametrize("theirs", ["NFC", "NFD"])
def test_an_answer_with_decomposed_letters_is_the_same(
    folder: Path, ours: Literal["NFC", "NFD"], theirs: Literal["NFC", "NFD"]
) -> None:
    dish = normalize(ours, "crème")
    deployment = session(folder, ('"fish"', f'"{dish}"'))
    table = folder / "answers.csv"
    table.write_text(f"day,meal\nFriday,{normalize(theirs, 'crème')}\n", "utf-8")
    value = read_answers(table, deployment)[0][0]
    assert deployment.schema.features[0].admits(value)
    assert normalize("NFC", value) == "crème"


def test_answers_outside_the_domain_are_said_before_anything_is_sent(folder: Path) -> None:
    table = folder / "answers.csv"
    deployment = session(folder)
    for text, said in (
        ("day,meal\nFriday,fish\nSunday,fish\n", "answers.csv:3: day: found 'Sunday'"),
        ("day,meal\nFriday,\n", "answers.csv:2: meal: found ''"),
        ("day\nFriday\n", "answers.csv: column 'meal' is needed; found day"),
        ("day,meal\n", "a header, but no people"),
        ("day,meal\nFriday\n", "answers.csv:2: 1 cells found"),
        ("", "the file is empty"),
    ):
        table.write_text(text)
        with pytest.raises(DataError, match=said):
            read_answers(table, deployment)
    with pytest.raises(DataError, match="there is no such file"):
        read_answers(folder / "none.csv", deployment)


def test_people_have_keys_that_their_place_has_signed(tmp_path: Path) -> None:
    for name in ("hall", "annex"):
        create(tmp_path, name)
    own, other = (read_identity(tmp_path / f"{name}.key.toml") for name in ("hall", "annex"))
    path = create_people(tmp_path, own, 3)
    keys = read_people(path, own.public)
    assert keys == tuple(signer.public for signer in signers_of(own, 3))
    assert len(set(keys) | {signer.public for signer in signers_of(other, 3)}) == 6
    with pytest.raises(StorageError, match="not signed by annex"):
        read_people(path, other.public)
    text = path.read_text()
    wrong = {
        "not signed": text.replace(keys[0].hex(), keys[1].hex(), 1),
        "not a file of people's keys": text.replace(keys[0].hex(), "x", 1),
        "of people's keys": "keys = 3",
    }
    for said, changed in wrong.items():
        path.write_text(changed)
        with pytest.raises(StorageError, match=said):
            read_people(path, own.public)
    with pytest.raises(StorageError, match="is there already"):
        create_people(tmp_path, own, 3)


def test_rules_for_coarser_values_are_said_in_full(tmp_path: Path) -> None:
    (tmp_path / "jobs.csv").write_text("nurse,health\ncook,food\nbaker,food\n")
    job = FeatureSection(name="job", hierarchy="jobs.csv", level=1, values=("health", "food"))
    column = column_of(job, tmp_path)
    assert [column.coarsen(value) for value in ("baker", "nurse", "pilot")] == [
        "food",
        "health",
        "pilot",
    ]
    age = column_of(FeatureSection(name="age", bins=BinsSection(edges=(18.0, 65.0))), tmp_path)
    assert age.values == ("below 18", "18 to 64", "65 or more")
    assert age.coarsen("64.5") == "18 to 64"
