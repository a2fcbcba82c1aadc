"""The error study behind Figure 2's counterparts, and the recorded counts it states."""

import csv
import json
from pathlib import Path

import pytest
from veilmix.analysis.figures import incidence_error_figure, session_error_figure
from veilmix.analysis.figures import paper004 as reproduce004
from veilmix.analysis.figures.paper004 import PAPER, QUICK, figure2
from veilmix.analysis.figures.paper004_errors import (
    DEVICES,
    SESSIONS,
    study,
    wifi,
)
from veilmix.analysis.figures.registry import Material
from veilmix.analysis.incidence import error_bound, eta_of, zipf
from veilmix.errors import ParameterError

DATA = Path(__file__).parents[4] / "shared" / "data" / "wifi_probes"
WINDOWS = ("5_sessions_2023-08-28", "7_sessions_2023-08-26", "first_10_sessions")


@pytest.mark.data("wifi_probes/incidence.json", "wifi_probes/device_session.csv")
def test_the_stated_counts_are_those_of_the_recordings() -> None:
    windows = json.loads((DATA / "incidence.json").read_text(encoding="utf-8"))["windows"]
    for window, (title, stated) in zip(WINDOWS, SESSIONS.items(), strict=True):
        recorded = windows[window]
        assert list(stated) == list(recorded["devices_in_exactly_t_sessions"].values())
        assert recorded["sessions"][0] in title
        assert recorded["sessions"][-1] in title
    with (DATA / "device_session.csv").open(encoding="utf-8", newline="") as file:
        assert len({row["device"] for row in csv.DictReader(file)}) == DEVICES


def test_the_wifi_vectors_count_every_device() -> None:
    week = wifi(SESSIONS["7 sessions, 2023-08-26 to 2023-09-01"])
    assert week.tolist() == [4286, 115, 11, 6, 1, 3, 0, 4]


@pytest.mark.slow
def test_a_study_is_repeatable_and_another_method_changes_no_other_line() -> None:
    phi, budgets = zipf(3, 1000), (1.0, 3.0)
    first = study("x", phi, ["minmax"], runs=3, budgets=budgets, rng=1)
    more = study("x", phi, ["bayes", "minmax"], runs=3, budgets=budgets, rng=1)
    assert (first.quantiles["minmax"] == more.quantiles["minmax"]).all()
    assert (first.n, first.m) == (3, 1000)
    assert first.bound.tolist() == [error_bound(3, 1000, eta_of(e), 0.1) for e in budgets]
    other = study("x", phi, ["minmax"], runs=3, budgets=budgets, rng=2)
    assert (first.quantiles["minmax"] != other.quantiles["minmax"]).any()
    with pytest.raises(ParameterError, match="runs: found 0"):
        study("x", phi, ["minmax"], runs=0)


@pytest.mark.slow
def test_the_figure_draws_what_its_numbers_say(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reproduce004, "OWNERS", (1, 2, 3, 4))
    monkeypatch.setattr(reproduce004, "RUNS", 4)
    stages: list[str] = []
    made = figure2(Material(0, 0, stages.append))
    assert stages == [f"Zipf data, n = {n}" for n in (1, 2, 3, 4)]
    (table,) = made.numbers
    assert len(table.rows) == 4 * 7
    column = table.headings.index("program")
    drawn = made.draw().axes[0].lines[0].get_ydata()
    assert [row[column] for row in table.rows[:7]] == list(drawn)
    judged = {check.subject: check.agrees for check in made.checks}
    assert judged["lower bounds, constant 1"] is True
    assert judged["paper's program within the rigorous bound"] is True


@pytest.mark.slow
def test_panels_of_both_kinds_can_be_drawn() -> None:
    stages: list[str] = []
    parts = {"methods": ("minmax",), "epsilons": (1.0,), "runs": 1, "progress": stages.append}
    made = incidence_error_figure(owners=(1, 5, 10), positions=1000, **parts)
    titles = [ax.get_title(loc="left") for ax in made.draw().axes]
    assert titles == ["n = 1", "n = 5", "n = 10"]
    recorded = session_error_figure(**parts)
    titles = [ax.get_title(loc="left") for ax in recorded.draw().axes]
    assert titles == [*SESSIONS, "estimates for the 7 sessions, epsilon = 3"]
    assert stages[-3:] == [f"Wi-Fi, {title}" for title in SESSIONS]
    assert (made.checks, recorded.checks) == ((), ())
    assert set(PAPER.figures) == {"2", "2-wifi"}
    assert "bayes" not in QUICK  # seconds an estimate
