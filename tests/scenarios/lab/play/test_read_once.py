"""A file of people is read once: a run says the same, whatever becomes of the file meanwhile."""

import pickle
import shutil
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextvars import Context
from pathlib import Path
from typing import Any

import pytest
from veilmix import with_people
from veilmix.cli.app import start
from veilmix.errors import DataError
from veilmix.protocol.board.board import Entry
from veilmix.protocol.wire.messages import Call
from veilmix.roles.network.instruments import Instrument
from veilmix.scenarios.lab.ledger.book import opened as open_ledger
from veilmix.scenarios.lab.play import run as playing
from veilmix.scenarios.lab.scoring.outcome import Outcome
from veilmix.scenarios.lab.validation.load import load
from veilmix.scenarios.programs.registry import samples
from veilmix.scenarios.records.run_folder import contents
from veilmix.scenarios.serialization import content
from veilmix.scenarios.studies.sweeps.sweep import sweep
from veilmix.scenarios.studies.sweeps.sweep_plan import plan

ROWS = [f"{30 + i // 8},sport {i % 3},{'Ur' if i == 7 else f'town {i % 2}'}" for i in range(24)]
HEADER = "shoe,sport,town"
TEXT = "\n".join((HEADER, *ROWS)) + "\n"

Edit = Callable[[Path], None]


def added(file: Path) -> None:
    """Rows are appended, one with values that nobody had."""
    with file.open("a") as stream:
        stream.write("\n".join([*ROWS, "99,chess,Rome"]) + "\n")


def replaced(file: Path) -> None:
    """Another table has the name of this one."""
    file.write_text("a,b\n" + "x,y\n" * 30)


EDITS: dict[str, Edit] = {
    "added": added,
    "replaced": replaced,
    "emptied": lambda file: file.write_text("") and None,
    "removed": Path.unlink,
}
PEOPLE = {
    "all of a file": "",
    "a sample of it": "users = 12\n",
    "others in round 2": 'users = 10\nround2_users = 12\nsetting = "statistical"\n',
}
STAGES = ("loaded", "drawn", "round 1", "round 2", "played", "scored")


@pytest.fixture(autouse=True)
def _nothing_kept() -> Iterator[None]:
    """No test finds what another has read."""
    content._last.clear()
    yield
    content._last.clear()


def scenario(folder: Path, people: str, features: str = "", policy: str = "") -> Path:
    """Write a scenario and its file of people, `people.csv`."""
    (folder / "people.csv").write_text(TEXT)
    file = folder / "once.toml"
    file.write_text(
        '[scenario]\nname = "once"\nseed = 7\n[population]\nsource = "people.csv"\n'
        f"{people}{features}[mix]\nshufflers = 1\n"
        + (policy or '[policy]\nk = 2\nmax_exposure = 0.9\nrule = "refined"\n')
    )
    return file


class Editor(Instrument):
    """Edits the file once, at one stage of a run."""

    def __init__(self, file: Path, stage: str, edit: Edit) -> None:
        self.file, self.at, self.edit, self.done = file, stage, edit, False

    def reached(self, stage: str) -> None:
        """Edit, if this is the stage."""
        if stage == self.at and not self.done:
            self.done = True
            self.edit(self.file)
            if stage != "loaded":  # from here on no code may ask for the file
                (content._read_contents.get() or {}).clear()
                content._last.clear()

    def posted(self, time: float, entry: Entry) -> None:
        """A round begins with its call."""
        if isinstance(entry.message.body, Call):
            self.reached(f"round {entry.message.body.round}")

    def hook(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Listen at the stages that send no message."""
        draw, scored = playing.samples, playing.outcome_of

        def drawing(*given: Any) -> Any:
            self.reached("loaded")
            crowd = draw(*given)
            self.reached("drawn")
            return crowd

        def scoring(*given: Any) -> Outcome:
            self.reached("played")
            return scored(*given)

        monkeypatch.setattr(playing, "samples", drawing)
        monkeypatch.setattr(playing, "outcome_of", scoring)


def told(outcome: Outcome) -> dict[str, bytes]:
    """The files of a run folder."""
    files = dict(contents(outcome))
    del files["seal.json"]
    return files


def played(file: Path, editor: Editor | None = None, book: Path | None = None) -> Outcome:
    """A run of a scenario file, real, with or without a ledger."""
    more: dict[str, Any] = {"instruments": (editor,)} if editor else {}
    if book is None:
        outcome = playing.run(file, worst_case_nodes=0, **more)
    else:
        with open_ledger(book) as ledger:
            outcome = playing.run(file, worst_case_nodes=0, ledger=ledger, **more)
    if editor:
        editor.reached("scored")
        assert editor.done
    return outcome


def feature(*names: str) -> str:
    return "".join(f'[[feature]]\nname = "{name}"\n' for name in names)


def fixed(*names: str) -> str:
    """Release these columns, whatever the ledger says."""
    listed = ", ".join(f'"{name}"' for name in names)
    return (
        f'[policy]\nkind = "fixed"\nk = 2\nmax_exposure = 1.0\nkeep = [{listed}]\nledger = "warn"\n'
    )


@pytest.mark.slow
@pytest.mark.parametrize("people", PEOPLE)
def test_a_run_says_the_same_whatever_becomes_of_its_file(
    people: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A sample: every edit before people are drawn, and one at every later stage."""
    file = scenario(tmp_path, PEOPLE[people])
    right = played(file)
    assert right.reidentification is not None
    assert right.reidentification.attacks
    assert right.reidentification.population == len(ROWS)
    tried = [("drawn", "replaced"), ("played", "removed")]
    if people == "a sample of it":
        tried = [("loaded", edit) for edit in EDITS]
        tried += zip(STAGES[1:], [*EDITS, "added"], strict=True)
    for stage, edit in tried:
        file = scenario(tmp_path, PEOPLE[people])
        editor = Editor(tmp_path / "people.csv", stage, EDITS[edit])
        with monkeypatch.context() as patch:
            editor.hook(patch)
            assert told(played(file, editor)) == told(right), (stage, edit)


@pytest.mark.slow
def test_a_ledger_knows_the_people_of_the_file_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also what they are in columns that this run does not ask about."""
    book, again = tmp_path / "book.json", tmp_path / "again.json"
    some = "users = 16\n"
    played(scenario(tmp_path, some, feature("shoe", "town"), fixed("town")), book=book)
    second = scenario(tmp_path, some, feature("sport"), fixed("sport"))
    for part in ("", ".key"):
        shutil.copy(f"{book}{part}", f"{again}{part}")
    right = played(second, book=again)
    assert right.ledger is not None
    assert right.ledger.union is not None
    assert right.ledger.union.true is not None
    for stage, edit in [*zip(STAGES, [*EDITS, *EDITS], strict=False), ("drawn", "removed")]:
        second = scenario(tmp_path, some, feature("sport"), fixed("sport"))
        editor = Editor(tmp_path / "people.csv", stage, EDITS[edit])
        for part in ("", ".key"):
            shutil.copy(f"{book}{part}", f"{again}{part}")
        with monkeypatch.context() as patch:
            editor.hook(patch)
            outcome = played(second, editor, again)
        assert (outcome.ledger, told(outcome)) == (right.ledger, told(right)), (stage, edit)


@pytest.mark.slow
def test_a_file_is_read_once_without_messages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And with noise, where the population is only counted."""
    noisy = '[policy]\nkind = "histogram"\n[local]\nmechanism = "grr"\nepsilon = 2.0\n'
    for policy in ("", noisy):
        file = scenario(tmp_path, PEOPLE["a sample of it"], policy=policy)
        right = playing.run(file, mode="ideal", worst_case_nodes=0)
        assert right.reidentification is not None
        assert right.reidentification.population == len(ROWS)
        with monkeypatch.context() as patch:
            Editor(tmp_path / "people.csv", "drawn", Path.unlink).hook(patch)
            assert told(playing.run(file, mode="ideal", worst_case_nodes=0)) == told(right)


class Opens:
    """Counts how often a file is opened while commands run here."""

    def __init__(self) -> None:
        self.of: Path | None = None
        self.times = 0
        sys.addaudithook(self._look)

    def _look(self, event: str, given: tuple[Any, ...]) -> None:
        if self.of is not None and event == "open" and isinstance(given[0], str):
            self.times += Path(given[0]).absolute() == self.of

    def during(self, file: Path, *typed: str) -> int:
        """How often a command opens it."""
        self.of, self.times = file.absolute(), 0
        try:
            assert start(typed) in (0, 3), typed
        finally:
            self.of = None
        return self.times


@pytest.fixture(scope="module")
def opens() -> Opens:
    return Opens()


COMMANDS = {
    "run": ("run", "once.toml", "--mode", "ideal", "--worst-case", "0"),
    "runs": ("run", "again.toml", "--mode", "ideal", "--worst-case", "0"),
    "ledger": ("run", "once.toml", "--no-save", "--ledger", "book.json", "--worst-case", "0"),
    "check": ("check", "once.toml"),
    "compare": ("compare", "once.toml", "--programs", "trusted"),
    "sweep": (
        "sweep",
        "once.toml",
        "--set",
        "policy.k=2,3",
        "--mode",
        "ideal",
        "--executor",
        "thread",
    ),
    "score": ("score", "people.csv", "--header", "--advise", "--save", "score.json"),
    "advise": ("advise", "people.csv", "--write", "advised.toml"),
}


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_opens_the_file_once(
    command: str, opens: Opens, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    text = scenario(tmp_path, PEOPLE["a sample of it"]).read_text()
    (tmp_path / "again.toml").write_text(text.replace("seed = 7", "seed = 7\nrepeat = 3"))
    (tmp_path / "swept.toml").write_text(f'{text}[sweep]\n"policy.k" = [2, 3]\n')
    assert opens.during(tmp_path / "people.csv", *COMMANDS[command]) == 1


@pytest.mark.slow
def test_all_runs_of_a_command_are_of_one_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    file = scenario(tmp_path, PEOPLE["a sample of it"])
    file.write_text(file.read_text().replace("seed = 7", "seed = 7\nrepeat = 2"))
    typed = ("run", "once.toml", "--mode", "ideal", "--no-save", "--format", "json")
    said = []
    for edit in (lambda _: None, Path.unlink):
        with monkeypatch.context() as patch:
            Editor(tmp_path / "people.csv", "loaded", edit).hook(patch)
            assert start(typed) == 0
        said.append(capsys.readouterr().out)
    assert said[0] == said[1]


def test_work_in_another_process_finds_the_file_as_it_was_read(tmp_path: Path) -> None:
    """The work is pickled, and run where neither the file nor its content is left."""
    file = tmp_path / "people.csv"
    file.write_text(TEXT)
    made = with_people('[scenario]\nname = "sent"\n', file)
    with content.reading_once():
        samples(made, 1)
        sent = pickle.dumps(content.as_read(samples))
    file.unlink()
    content._last.clear()
    with pytest.raises(DataError, match="there is no such file"):
        samples(made, 1)
    found = Context().run(pickle.loads(sent), made, 1)
    assert found.people.row(0) == ("30", "sport 0", "town 0")
    assert found.people.n == len(ROWS)


def test_a_sweep_is_of_one_file(tmp_path: Path) -> None:
    """A file that changes while it is swept changes none of its runs."""
    file = scenario(tmp_path, "")
    with content.reading_once():
        jobs = plan(load(file), {"policy.k": (2, 3, 4)}, 1, None, "ideal", 0.0)
        lines = sweep(jobs, lambda: ThreadPoolExecutor(1), 1)
        first = next(lines)
        (tmp_path / "people.csv").unlink()
        assert [line.error for line in (first, *lines)] == [None] * 3


def test_outside_a_command_a_changed_file_is_read_anew(tmp_path: Path) -> None:
    """A user who loads a scenario in a notebook and then mends the data plays the mended data."""
    file = scenario(tmp_path, "")
    loaded = load(file)
    added(tmp_path / "people.csv")
    assert samples(loaded, 1).people.n == 2 * len(ROWS) + 1


def test_a_copy_of_many_pieces_is_the_file(tmp_path: Path) -> None:
    """A copy of several pieces has the bytes of its file, at every position."""
    file = tmp_path / "large.csv"
    rows = "".join(f"{i % 7},{'x' * 90}{i % 5},{i % 3}\n" for i in range(25_000))
    file.write_text("a,b,c\n" + rows)
    read = content.content_of(file)
    file.unlink()
    assert len(read.pieces) == 3
    with read.open() as stream:
        whole = stream.read()
        assert whole.decode() == "a,b,c\n" + rows
        for at in (0, content.PIECE - 3, content.PIECE, read.size - 1, read.size + 5):
            stream.seek(at)
            assert stream.read(7) == whole[at : at + 7]
        stream.seek(-5, 2)
        assert stream.read() == whole[-5:]
