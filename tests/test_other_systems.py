"""On a system without the facilities of Linux every file imports and every command works.

Another system is simulated in a process of its own (kits/other_systems.py says what is and what is
not): names are hidden, and nobody has run veilmix on Windows or macOS.
"""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import other_systems
import pytest
import veilmix
from click.testing import CliRunner
from sample_kit import sampled
from veilmix import systems
from veilmix.cli.commands.doctor import command as doctor
from veilmix.errors import StorageError
from veilmix.scenarios.lab.ledger import lock
from veilmix.scenarios.lab.ledger.book import opened

pytestmark = pytest.mark.slow
DAY = Path(__file__).parent / "kits" / "day_elsewhere.py"
EVERYWHERE = {"locks on files"}
ABSENT = {
    "win32": {facility.name for facility in systems.FACILITIES} - EVERYWHERE,
    "darwin": {facility.name for facility in systems.FACILITIES}
    - {*EVERYWHERE, "reads at a position", "files for their owner alone"}
    - {"folders written to the disk at once"},
}


@pytest.fixture(scope="module", params=sampled(sorted(ABSENT), 1))
def day(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The name of a system, and the results of a day on it."""
    folder = tmp_path_factory.mktemp(request.param)
    line = [sys.executable, DAY, request.param, folder]
    done = subprocess.run(line, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return request.param, json.loads(done.stdout)


def test_people_are_asked_and_scored_as_here(day: Any) -> None:
    _, seen = day
    assert seen["commands"]["failed"] == {}
    assert seen["commands"]["swept"] == 2
    assert seen["commands"]["digest"] == veilmix.run("blood-type", seed=7).digest
    assert seen["poll"] == 6


def test_a_page_for_an_own_table_works_there(day: Any) -> None:
    _, seen = day
    assert seen["own_table"]["command"].startswith("veilmix advise 'my table.csv' --table ")
    assert seen["own_table"]["handed"] == ["my table.csv"]
    assert seen["own_table"]["saved"] == ["released.csv", "released.xlsx", "released.parquet"]


def test_without_copies_one_process_does_the_work(day: Any) -> None:
    system, seen = day
    on_disk = 0 if system == "win32" else 40
    assert seen["large_batches"] == [1000, on_disk]
    assert seen["transcript_ahead"]
    assert seen["pool"] == (61 if system == "win32" else 100)
    assert seen["keys"] == 1


def test_what_cannot_be_had_is_refused_in_a_sentence(day: Any) -> None:
    _, seen = day
    (code, said) = seen["refusals"][0]
    assert code == 2
    assert said.startswith("processes: parties as processes need Linux")
    assert said.count("\n") == 1
    assert seen["journal"] == ["--durable tmpfs: there is no /dev/shm here; choose off or disk"]


def test_the_second_of_two_runs_waits_for_the_first(day: Any) -> None:
    _, seen = day
    refused, waited = seen["second_waits"]
    assert "another run has locked it" in refused
    assert waited == "the first has ended"


def test_the_doctor_lists_what_is_not_there(day: Any) -> None:
    system, seen = day
    without = {f"no {facility.name}": facility.without for facility in systems.FACILITIES}
    assert {found for found, _, _ in seen["doctor"]} == {f"no {name}" for name in ABSENT[system]}
    assert all(row == [row[0], "note", without[row[0]]] for row in seen["doctor"])


def test_what_is_hidden_is_what_such_a_system_has_not() -> None:
    """Names that the documentation of Python calls absent there are in the lists of typeshed."""
    for name in ("fork", "waitid", "killpg", "geteuid", "pread", "O_DIRECTORY"):
        assert name in other_systems.hidden_names("os", "win32")
    assert "memfd_create" in other_systems.hidden_names("os", "darwin")
    assert {"SIGKILL", "SIGHUP", "pthread_sigmask"} <= other_systems.hidden_names("signal", "win32")
    assert "AF_UNIX" in other_systems.hidden_names("socket", "win32")
    for name in ("replace", "open", "getppid", "fsync"):
        assert name not in other_systems.hidden_names("os", "win32")


@pytest.mark.skipif(not systems.LINUX, reason="says what Linux has")
def test_here_the_doctor_has_nothing_to_list() -> None:
    said = CliRunner().invoke(doctor, ["--format", "json"])
    rows = [row for row in json.loads(said.stdout) if row["what"] == "system"]
    assert rows == [
        {"what": "system", "found": "no facility is missing", "state": "ok", "advice": ""}
    ]


def test_a_ledger_that_cannot_be_locked_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def fail(*_: object) -> None:
        raise OSError(37, "No locks available")

    with monkeypatch.context() as patch:
        patch.setattr(lock, "_lock", fail)
        with pytest.raises(StorageError, match="cannot be locked: No locks available; keep"):
            opened(tmp_path / "book.json").__enter__()
    monkeypatch.setattr(systems, "LOCKS", False)
    with pytest.raises(StorageError, match=r"cannot lock files.*leave out --ledger"):
        opened(tmp_path / "book.json").__enter__()
    assert not (tmp_path / "book.json").exists()
