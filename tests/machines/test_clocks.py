"""The clock that a session counts by: nothing sets it, and a place that goes on keeps it."""

from pathlib import Path

import pytest
from veilmix.machines import clocks
from veilmix.machines.clocks import RealTime, moment, time_of_moment


def set_clocks(patch: pytest.MonkeyPatch, boot: Path, date: float) -> None:
    """Have the machine show a start and a date."""
    patch.setattr(clocks, "BOOT", boot)
    patch.setattr(clocks.time, "time", lambda: date)


def test_a_date_that_is_set_moves_no_deadline(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither while a place runs, nor when it is started again on the same machine."""
    boot = tmp_path / "boot"
    boot.write_text("first\n")
    set_clocks(monkeypatch, boot, 1_000.0)
    kept = moment(10.0)
    for date in (0.0, 1_030.0, 1e9):
        set_clocks(monkeypatch, boot, date)
        assert time_of_moment(kept, 40.0) == 10.0
    steady = clocks.steady_time()
    assert steady <= clocks.steady_time() < steady + 1e6


def test_after_a_start_of_the_machine_the_date_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    boot = tmp_path / "boot"
    boot.write_text("first\n")
    set_clocks(monkeypatch, boot, 1_000.0)
    kept = moment(500.0)
    boot.write_text("second\n")
    set_clocks(monkeypatch, boot, 1_060.0)
    assert time_of_moment(kept, 5.0) == 5.0 - 60.0
    set_clocks(monkeypatch, boot, 900.0)  # set back: no deadline comes twice as late
    assert time_of_moment(kept, 5.0) == 5.0


def test_without_the_name_of_a_start_the_date_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_clocks(monkeypatch, tmp_path / "none", 1_000.0)
    kept = moment(500.0)
    set_clocks(monkeypatch, tmp_path / "none", 1_007.0)
    now = RealTime(lambda: 600.0, lambda now: time_of_moment(kept, now))
    now.begin()
    assert now.now() == 7.0
