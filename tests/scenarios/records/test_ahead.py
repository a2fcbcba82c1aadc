"""A transcript that was written ahead is the one that is written when its run is saved."""

import os
from pathlib import Path

import pytest
from veilmix import systems
from veilmix.scenarios.lab.play.run import run
from veilmix.scenarios.records import transcript_writer as ahead
from veilmix.scenarios.records.run_folder import read, save
from veilmix.scenarios.records.transcript_writer import writing_ahead


@pytest.mark.parametrize("mode", ["real", "ideal"])
@pytest.mark.parametrize("copies", [True, False], ids=["copies", "none"])
def test_it_is_the_one_that_would_be_written_then(
    mode: str, copies: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(ahead, "LONG", 10)
    with writing_ahead(copies=copies) as early:
        outcome = run("blood-type", 7, mode, worst_case_nodes=0, recorded=early.begin)  # type: ignore[arg-type]
        now = save(outcome, tmp_path)
        then = save(outcome, tmp_path, transcript=early.text)
    for file in ("transcript.jsonl.gz", "result.json", "seal.json"):
        assert (now / file).read_bytes() == (then / file).read_bytes()
    assert read(then).result == read(now).result


@pytest.mark.skipif(not systems.FORKS, reason="this system copies no process")
@pytest.mark.parametrize(("long", "apart"), [(10, True), (10_000, False)], ids=["long", "short"])
def test_a_long_one_is_written_by_a_copy_of_the_process(
    long: int, apart: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ahead, "LONG", long)
    monkeypatch.setattr(ahead, "encode", lambda *_: str(os.getpid()).encode())
    with writing_ahead(copies=True) as early:
        run("blood-type", 7, worst_case_nodes=0, recorded=early.begin)
        assert early.text is not None
        assert (int(early.text()) != os.getpid()) is apart


def test_nothing_is_recorded_before_anything_is_played() -> None:
    with writing_ahead(copies=True) as early:
        assert early.text is None
