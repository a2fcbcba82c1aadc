"""Sessions between machines with tokens, people who look, coarser values, noise; their terms."""

import csv
import sys
from pathlib import Path
from typing import Any

import pytest
import session_kit as KIT
from veilmix.scenarios.lab.ledger.book import read

pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform != "linux", reason="types bash")]

COARSER = """title = "tour"
[[feature]]
name = "age"
bins = { edges = [10, 20, 30] }
[[feature]]
name = "town"
fold = ["case"]
values = ["oslo", "rome"]
[policy]
k = 2
max_exposure = 0.5
"""
ALL = "[defence]\nregistered = true\ntokens = true\nreceipts = 1.0\nbalance = true\n"


def test_registered_people_with_tokens_who_look_say_less_than_they_know(
    tmp_path: Path, started: Any
) -> None:
    halls = {
        "hall": KIT.Hall(1, [("15", "Oslo"), ("25.5", "ROME")] * 4, listens=True),
        "annex": KIT.Hall(9, [("15", "oslo"), ("29", "Rome")] * 2, listens=True),
    }
    session = KIT.Session(tmp_path, started, ALL, COARSER, halls)
    session.start_all(own={"shuffler-1": ("--ledger", "people.json")})
    for place in (*KIT.PARTIES, *halls):
        assert session.ended(place) == 0, session.said(place)
    (kept,) = read(tmp_path / "people.json")
    assert (len(kept.people), kept.columns, kept.cells) == (12, ("age", "town"), (6, 6))
    assert [batch.missing for batch in kept.handed] == [(), ()]
    assert "ledger: sessions" in (tmp_path / "shuffler-1.log").read_text()
    for place in ("curator", "hall", "annex"):
        assert session.out(place) == "age,town,count\n10 to 19,oslo,6\n20 to 29,rome,6\n"
    posts = [event["detail"] for event in session.log("annex") if event["event"] == "entry"]
    for kind in ("curator: registry", "curator: mint", "analyst: issued", "analyst: heard"):
        assert kind in posts
    assert not [kind for kind in posts if "alarm" in kind]


NOISY = """title = "poll"
[[feature]]
name = "smokes"
values = ["yes", "no"]
[policy]
kind = "histogram"
[local]
mechanism = "grr"
epsilon = 8
"""


def test_people_who_add_noise_before_they_seal_are_estimated(tmp_path: Path, started: Any) -> None:
    """With epsilon 8 a report is the truth but in 1 of 2,982."""
    halls = {"hall": KIT.Hall(1, [["yes"]] * 15 + [["no"]] * 5)}
    session = KIT.Session(tmp_path, started, head=NOISY, halls=halls)
    session.start_all()
    for place in (*KIT.PARTIES, *halls):
        assert session.ended(place) == 0, session.said(place)
    estimates = {row["value"]: row for row in csv.DictReader(session.out("analyst").splitlines())}
    assert set(estimates) == {"yes", "no"}
    for value, share in (("yes", 0.75), ("no", 0.25)):
        assert (
            float(estimates[value]["low_95"]) - 0.2
            < share
            < float(estimates[value]["high_95"]) + 0.2
        )
    assert session.out("hall") == session.out("curator") == session.out("analyst")


OTHERWISE = """
import veilmix.scenarios.deployment.place as place
from dataclasses import replace
told = place.announced_policy
place.announced_policy = lambda scenario: replace(told(scenario), k=2)
"""


def test_a_curator_that_announces_something_else_than_was_agreed_on_is_alone(
    tmp_path: Path, started: Any
) -> None:
    session = KIT.Session(tmp_path, started)
    session.start_all(before={"curator": OTHERWISE})
    for place in (*KIT.PARTIES, "hall"):
        assert session.ended(place) == 3
    words = "finds in the announcement another policy than was agreed on"
    assert words in session.said("hall")
    posts = [event["detail"] for event in session.log("hall") if event["event"] == "entry"]
    assert "curator: call" not in posts
