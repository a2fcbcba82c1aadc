"""A record that cannot be: the run folder is named, and a fault of ours is not hidden behind it."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from veilmix.errors import ParameterError, Reason, Refused, StorageError
from veilmix.scenarios.lab.play.run import run
from veilmix.scenarios.records.run_folder import Run, read, save
from veilmix.scenarios.records.verification.damaged_record import diagnose_record
from veilmix.scenarios.records.verification.views import learnt_in, view_of
from veilmix.theatre.show import run_data


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save(run("classroom", 3, worst_case_nodes=0), tmp_path_factory.mktemp("kept"))


@pytest.fixture
def damaged(folder: Path) -> Run:
    """A well-formed record that lacks its fourth post, the announcement."""
    record = read(folder)
    assert record.transcript is not None
    del record.transcript.posts[3]
    return replace(record, versions={"veilmix": "0.0.9"})


LOOKS: dict[str, Callable[[Run], object]] = {
    "leak": learnt_in,
    "show": lambda record: view_of(record, ["curator"]),
}


@pytest.mark.parametrize("name", LOOKS)
def test_what_does_not_hold_together_names_folder_and_remedy(damaged: Run, name: str) -> None:
    with pytest.raises(StorageError) as wrong, diagnose_record(damaged):
        LOOKS[name](damaged)
    said = str(wrong.value)
    assert said.startswith(f"{damaged.folder / 'transcript.jsonl.gz'}: does not hold together")
    assert "recorded by veilmix 0.0.9" in said
    assert "run the scenario again" in said


def test_the_theatre_does_not_play_it(damaged: Run) -> None:
    with pytest.raises(StorageError, match="does not hold together"):
        run_data(damaged)


def test_a_bug_of_ours_stays_one(folder: Path) -> None:
    with pytest.raises(KeyError, match="ours"), diagnose_record(read(folder)):
        raise KeyError("ours")


def test_a_mistake_of_the_caller_is_not_blamed_on_the_run(damaged: Run) -> None:
    with pytest.raises(ParameterError, match="no party is called"), diagnose_record(damaged):
        view_of(damaged, ["nobody"])


def test_any_other_fault_of_a_damaged_run_is_its_own(damaged: Run) -> None:
    with pytest.raises(StorageError), diagnose_record(damaged):
        raise Refused(Reason.MALFORMED)
