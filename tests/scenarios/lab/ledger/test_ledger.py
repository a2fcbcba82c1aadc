"""The ledger: what may still be released about whom, from run to run."""

import json
import multiprocessing
import os
import stat
from pathlib import Path
from typing import Any

import msgspec
import pytest
from ledger_kit import played
from veilmix.analysis.exposure.curves import users_below
from veilmix.errors import DataError, StorageError
from veilmix.scenarios.lab.ledger import book as module
from veilmix.scenarios.lab.ledger.book import key_of, opened, read
from veilmix.scenarios.lab.ledger.entry import NEVER_ENDED, LedgerBatch, LedgerEntry
from veilmix.scenarios.lab.play.run import run
from veilmix.scenarios.lab.validation.load import check
from veilmix.scenarios.records.result_file import read as read_run
from veilmix.scenarios.records.run_folder import save
from veilmix.scenarios.records.verification.checks import verify
from veilmix.scenarios.schema.model import Scenario

NO_RULE = {"column": "a", "rules": []}


def scenario(*keep: str, users: int = 60, gone: str = "", **policy: Any) -> Scenario:
    """People of the Titanic, of whom some columns are released."""
    faults = [{"attack": "absent", "by": gone}] if gone else []
    data = {
        "scenario": {"name": "kept", "seed": 7},
        "population": {"source": "builtin:titanic", "users": users},
        "policy": {"kind": "fixed", "k": 3, "max_exposure": 1.0, "keep": list(keep), **policy},
        "fault": faults,
    }
    made = msgspec.convert(data, Scenario)
    check(made)
    return made


def test_drop_one_and_run_again_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "ledger.json"
    assert played(file, scenario("class", "sex")).release is not None
    again = played(file, scenario("class", "sex", gone="user-4"))
    assert again.release is None
    assert again.marginals is None
    assert again.burned is not None
    assert again.burned.startswith("1 people took part in other rounds")
    assert again.ledger is not None
    assert again.ledger.refused == again.burned
    entry, two = read(file)
    assert (entry.columns, entry.burned) == (("class", "sex"), None)
    assert [(batch.missing, batch.public) for batch in entry.handed] == [((), False), ((), True)]
    assert sum(entry.cells) == 60
    assert two.burned == again.burned
    assert two.handed == two.cells == ()


def test_without_a_ledger_it_is_not() -> None:
    gone = scenario("class", "sex", gone="user-4")
    outcome = run(gone, 7, worst_case_nodes=0)
    assert outcome.release is not None
    assert outcome.ledger is None
    assert "ledger" not in outcome.result()


def test_a_policy_that_warns_lets_it_pass(tmp_path: Path) -> None:
    file = tmp_path / "ledger.json"
    played(file, scenario("class", "sex"))
    again = played(file, scenario("class", "sex", gone="user-4", ledger="warn"))
    assert again.release is not None
    assert again.ledger is not None
    (warned,) = again.ledger.warnings
    assert "1 people took part in other rounds" in warned
    assert again.ledger.refused is None
    assert [batch.missing for batch in read(file)[1].handed] == [(3,), (3,)]


def test_the_same_people_may_be_asked_the_same_again(tmp_path: Path) -> None:
    file = tmp_path / "ledger.json"
    for sessions in (1, 2):
        outcome = played(file, scenario("class", "sex"))
        assert outcome.release is not None
        assert outcome.ledger is not None
        assert outcome.ledger.sessions == sessions
        assert outcome.ledger.warnings == ()
        assert outcome.ledger.union is None  # twice the same is one release


def test_a_release_of_other_columns_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "ledger.json"
    played(file, scenario("class", "sex"))
    second = played(file, scenario("age"))
    assert second.release is None
    assert second.burned is not None
    assert "more than in an earlier release about these people" in second.burned
    assert played(file, scenario("sex")).release is not None  # it tells nothing new


def test_the_exposure_of_two_releases_together_is_between_its_bounds(tmp_path: Path) -> None:
    file = tmp_path / "ledger.json"
    first = played(file, scenario("class", "sex"))
    second = played(file, scenario("age", "survived", ledger="warn"))
    kept = second.ledger
    assert kept is not None
    assert kept.union is not None
    assert kept.union.true is not None
    assert kept.releases == (("class", "sex"), ("age", "survived"))
    assert kept.union.at_least <= kept.union.true <= kept.union.at_most
    alone = [
        users_below(list((outcome.release or {}).values()), kept.union.k)
        for outcome in (first, second)
    ]
    assert kept.union.true > max(alone)  # together they tell more than each
    assert any("2 columns more than" in line for line in kept.warnings)
    assert second.result()["ledger"]["union"]["true"] == kept.union.true


def test_columns_go_by_the_names_of_the_source(tmp_path: Path) -> None:
    """A scenario that renames a column releases no other; one that asks less is still judged."""
    file = tmp_path / "ledger.json"
    played(file, scenario("class", "sex"))
    data = msgspec.to_builtins(scenario("class"))
    data["population"]["columns"] = {"rank": "class", "years": "age"}
    data["policy"] |= {"keep": ["years"], "ledger": "warn"}
    outcome = played(file, msgspec.convert(data, Scenario))
    assert outcome.ledger is not None
    assert outcome.ledger.releases == (("class", "sex"), ("age",))
    assert outcome.ledger.union is not None
    assert outcome.ledger.union.true is not None  # of columns that this run does not ask about


def test_a_session_that_is_killed_has_counted_everybody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "ledger.json"

    def killed(*_: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("veilmix.scenarios.lab.play.real.play_real", killed)
        with pytest.raises(KeyboardInterrupt):
            played(file, scenario("class", "sex"))
    (entry,) = read(file)
    assert entry.burned == NEVER_ENDED
    assert entry.handed == ()
    again = played(file, scenario("class", "sex", gone="user-4"))
    assert again.burned is not None
    assert again.burned.startswith("1 people took part in other rounds")
    assert (
        played(file, scenario("class", "sex")).release is not None
    )  # the same people: nothing new


def test_what_is_written_lasts_before_it_takes_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Flushed to the disk, then renamed, then the name: or a lost power supply loses a release."""
    done: list[str] = []
    sync, rename = os.fsync, Path.replace

    def fsync(handle: int) -> None:
        done.append("folder" if stat.S_ISDIR(os.fstat(handle).st_mode) else "file")
        sync(handle)

    def replace(path: Path, target: Path) -> Path:
        done.append("name")
        return rename(path, target)

    monkeypatch.setattr(os, "fsync", fsync)
    monkeypatch.setattr(Path, "replace", replace)
    with opened(tmp_path / "ledger.json") as book:
        book.secret()
        book.begin(
            LedgerEntry(
                scenario="s", source=("a",), people=("x",), seed=1, least=2, k=2, max_exposure=0.1
            )
        )
    assert done == ["file", "name", "folder"] * 2


def test_only_its_owner_reads_it_and_nothing_is_left_beside_it(tmp_path: Path) -> None:
    file = tmp_path / "ledger.json"
    played(file, scenario("class"))
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(key_of(file).stat().st_mode) == 0o600
    assert {path.name for path in tmp_path.iterdir()} == {
        "ledger.json",
        "ledger.json.key",
        ".ledger.json.lock",
    }


def _hold(path: Path, ready: Any, done: Any) -> None:
    with opened(path):
        ready.set()
        done.wait()


@pytest.mark.slow
def test_of_two_runs_at_a_time_the_second_waits(tmp_path: Path) -> None:
    file = tmp_path / "ledger.json"
    context = multiprocessing.get_context("fork")
    ready, done = context.Event(), context.Event()
    other = context.Process(target=_hold, args=(file, ready, done))
    other.start()
    try:
        assert ready.wait()
        with pytest.raises(StorageError, match="another run has locked it"), opened(file, 0.1):
            pass
    finally:
        done.set()
        other.join()
    with opened(file) as book:
        assert book.entries == []


def whole(tmp_path: Path) -> dict[str, Any]:
    file = tmp_path / "ledger.json"
    played(file, scenario("class"))
    data: dict[str, Any] = json.loads(file.read_text())
    return data


def signed(path: Path, data: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """An entry changed, and a digest that fits it."""
    entries = [{**data["entries"][0], **changes}]
    made = msgspec.convert(entries, list[LedgerEntry])
    return {**data, "entries": entries, "digest": module.digest_of(made, module._key(path) or b"")}


def test_a_damaged_file_is_not_read(tmp_path: Path) -> None:
    data = whole(tmp_path)
    file = tmp_path / "ledger.json"
    text = file.read_text()
    (entry,) = data["entries"]
    first, last = entry["handed"]
    for damaged, says in (
        (text[: len(text) // 2], "no ledger"),
        (text.encode() + b"\xff", "no ledger"),
        ([], "no ledger"),
        ({**data, "entries": [{**entry, "seed": 8}]}, "do not fit the digest"),
        ({**data, "entries": []}, "do not fit the digest"),
        ({**data, "more": 1}, "unknown field"),
        ({**data, "schema": 1}, "schema 1; this version reads 5"),
        (signed(file, data, people=[]), "entry 1: people"),
        (signed(file, data, people=[*entry["people"], entry["people"][0]]), "entry 1: people"),
        (signed(file, data, least=0), "entry 1: least"),
        (signed(file, data, handed=[{**first, "missing": [60]}]), "entry 1: missing"),
        (signed(file, data, handed=[{**first, "missing": [4, 3]}]), "entry 1: missing"),
        (signed(file, data, handed=[{**first, "asks": []}]), "entry 1: asks"),
        (signed(file, data, handed=[{**first, "unsaid": [{"column": "a"}]}]), "entry 1: unsaid"),
        (signed(file, data, handed=[{**last, "coarser": [NO_RULE]}]), "entry 1: coarser"),
        (
            signed(file, data, handed=[{**last, "unsaid": [{"column": "a", "cover": -1}]}]),
            "entry 1: unsaid",
        ),
        (signed(file, data, max_exposure=1.5), "entry 1: max_exposure"),
        (signed(file, data, released=[{"marks": ["a"], "people": 0}]), "entry 1: released"),
        (signed(file, data, released=[{"marks": [], "people": 1}]), "not as many as the columns"),
        (signed(file, data, rows=[[0]]), "rows: not at least one row for each"),
        (signed(file, data, rows=[[999]] * len(entry["people"])), "rows: places of cells are 0"),
        (signed(file, data, rows=[[0]] * len(entry["people"])), "rows: the persons of a cell"),
        (signed(file, data, released=[entry["released"][0]] * 2), "a cell is there twice"),
        (signed(file, data, handed=[first]), "entry 1: released"),
    ):
        content = damaged if isinstance(damaged, str | bytes) else json.dumps(damaged)
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
        before = file.read_bytes()
        with pytest.raises(StorageError, match=says), opened(file):
            pass
        assert file.read_bytes() == before  # nothing is mended silently
    file.write_text(json.dumps(signed(file, data)))
    assert len(read(file)) == 1


def test_without_its_key_a_ledger_is_not_read(tmp_path: Path) -> None:
    whole(tmp_path)
    file = tmp_path / "ledger.json"
    key = key_of(file).read_text()
    for wrong, says in ((None, "is not there"), ("ab", "no key of 32 bytes"), ("xy", "no key")):
        key_of(file).unlink()
        if wrong is not None:
            key_of(file).write_text(wrong)
        with pytest.raises(StorageError, match=says), opened(file):
            pass
        key_of(file).write_text(key)
    key_of(file).write_text("0" * 64)
    with pytest.raises(StorageError, match="made with this key"), opened(file):
        pass
    key_of(file).write_text(key)
    assert len(read(file)) == 1


def test_a_folder_is_no_ledger(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="cannot be read"), opened(tmp_path):
        pass


def test_where_there_is_no_ledger_to_keep(tmp_path: Path) -> None:
    with opened(tmp_path / "one.json") as book:
        with pytest.raises(DataError, match="first shuffler keeps the ledger"):
            run(scenario("class"), 7, "ideal", ledger=book)
        refused = {"statistical": "same people", "incidence-class": "about sets"}
        for name, says in refused.items():
            with pytest.raises(DataError, match=says):
                run(name, 7, ledger=book, worst_case_nodes=0)
    assert {path.name for path in tmp_path.iterdir()} == {".one.json.lock"}


def test_an_entry_names_those_who_are_counted() -> None:
    batch = LedgerBatch(round=1, missing=(1,), others=("z",), asks=(("a",),), public=False)
    entry = LedgerEntry(
        scenario="s",
        source=("a",),
        people=("x", "y", "w"),
        seed=1,
        least=2,
        k=2,
        max_exposure=1.0,
        handed=(batch,),
    )
    assert entry.counted(batch) == {"x", "w", "z"}
    assert entry.release is None
    assert entry.columns == ()


@pytest.mark.slow
def test_a_run_with_a_ledger_verifies(tmp_path: Path) -> None:
    file = tmp_path / "ledger.json"
    for setting in (scenario("class", "sex"), scenario("class", "sex", gone="user-4")):
        checks = verify(read_run(save(played(file, setting), tmp_path)))
        assert {check.name for check in checks if check.ok is False} == set(), checks
