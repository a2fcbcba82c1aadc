"""Each number that README and the documents print first is asked by its public name."""

import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import veilmix
from veilmix.analysis import composition, exposure, randomizers, reidentification, shuffled

ROOT = Path(__file__).parent.parent
pytestmark = pytest.mark.slow


def text(name: str) -> str:
    """The text of a document, on one line."""
    return " ".join((ROOT / name).read_text("utf-8").split())


@cache
def played(name: str) -> veilmix.Outcome:
    return veilmix.run(name, 7, mode="ideal", worst_case_nodes=0)


@cache
def marginals(name: str, columns: tuple[str, ...]) -> list[list[int]]:
    frame = played(name).frames.marginals
    cells = list(zip(frame["feature"], frame["people"], strict=True))
    return [[people for feature, people in cells if feature == column] for column in columns]


@cache
def table() -> Any:
    """The released columns of the Titanic as codes, a row a person."""
    release = played("titanic").frames.release
    codes = [
        np.unique(release[name], return_inverse=True)[1]
        for name in played("titanic").released_columns
    ]
    return np.repeat(np.column_stack(codes), release["people"], axis=0)


KEPT = ("class", "sex", "survived")
RELEASED = "titanic", KEPT
ALL = ("class", "sex", "age", "survived")


def percent(share: float) -> str:
    return f"{share:.1%}".replace("%", " %")


def found(*known: int) -> str:
    who = reidentification.find_people(table(), known)
    return f"{who.expected_matches:.1f} of {who.people:,}  Bayes error {percent(who.error)}"


def linked(*parties: str) -> str:
    coalition = played("titanic").coalition(*parties)
    return f"{coalition.linked:,} of {coalition.users:,}"


def attackers() -> exposure.Risk:
    crowds = exposure.Crowds.from_cells(played("titanic").frames.release["people"])
    return exposure.risk(crowds, 5)


SHUFFLERS = ("shuffler-1", "shuffler-2")
SCORES: dict[str, Callable[[], str]] = {
    "exposure": lambda: percent(exposure.exposure(played("titanic").frames.release["people"], 5)),
    "certified bound": lambda: percent(
        composition.best_bound(marginals(*RELEASED), 5, "margins").value
    ),
    "worst case": lambda: percent(
        composition.worst_case(marginals(*RELEASED), 5).upper / played("titanic").users
    ),
    "re-identified, knowing class": lambda: found(0),
    "re-identified, knowing class, sex, survived": lambda: found(0, 1, 2),
    "re-identified, knowing all columns": lambda: found(0, 1, 2),
    "prosecutor risk, maximum": lambda: (
        f"{percent(attackers().prosecutor.largest)}  mean {percent(attackers().prosecutor.mean)}"
    ),
    "journalist risk, maximum": lambda: (
        f"{percent(attackers().journalist.largest)}  mean {percent(attackers().journalist.mean)}"
    ),
    "marketer risk": lambda: percent(attackers().marketer),
    "linked by the curator": lambda: linked("curator"),
    "linked by the analyst": lambda: linked("analyst"),
    "linked by both shufflers": lambda: linked(*SHUFFLERS),
    "linked by curator and shufflers": lambda: linked("curator", *SHUFFLERS),
}


def printed_scores() -> dict[str, str]:
    """The table of scores of README: label -> value, with the share that its meaning has."""
    lines = (ROOT / "README.md").read_text("utf-8").partition(" value  meaning\n")[2]
    rows: dict[str, str] = {}
    for line in lines.partition("\n\n")[0].splitlines():
        label, value, meaning = [*re.split(r" {2,}", line.strip(), maxsplit=2), "", ""][:3]
        if not value:  # a meaning that goes on
            label, meaning = next(reversed(rows)), label
            value = rows[label]
        more = re.search(r"(mean|Bayes error) [\d.]+ %", meaning)
        rows[label] = f"{value}  {more[0]}" if more else value
    return rows


def test_every_score_of_readme_has_a_public_name() -> None:
    printed = printed_scores()
    assert printed.keys() == SCORES.keys()
    assert {label: ask() for label, ask in SCORES.items()} == printed


def test_what_age_would_cost_is_a_promise_too() -> None:
    share = composition.best_bound(marginals("titanic", ALL), 5, "margins").value
    (printed,) = re.findall(r"with age the bound is ([\d.]+ %)", text("README.md"))
    assert percent(share) == printed


def test_bounds_of_the_census_are_those_of_the_page_on_theorems() -> None:
    columns = marginals("census", ("sex", "income", "race", "workclass"))
    people = {rule: composition.best_bound(columns, 10, rule).people for rule in RULES}
    page = text("docs/theorems.md")
    for rule, pattern in RULES.items():
        (printed,) = set(re.findall(pattern, page))
        assert f"{people[rule]:,}" == printed, rule
    release = played("census").frames.release["people"]
    (printed,) = re.findall(r"at k = 10: truth ([\d,]+) people", page)
    assert f"{exposure.users_below(release, 10):,}" == printed


RULES = {
    "margins": r"Census: ([\d,]+) at k = 10",
    "coverage": r"exact worst case 1,191, coverage ([\d,]+),",
    "refined": r"refined ([\d,]+), printed",
    "printed": r"refined 1,412, printed ([\d,]+)",
}


def test_epsilons_after_shuffling_are_asked_of_one_function() -> None:
    (printed,) = re.findall(r"one run costs ([\d.]+) at delta = 1e-6", text("docs/randomized.md"))
    assert f"{shuffled.shuffle(randomizers.GRR(2, 1.0), 40, 1e-6).high:.2f}" == printed


@pytest.mark.parametrize(
    ("row", "parties"),
    [
        ("● · ○ ○", ("curator",)),
        ("● · ● ●", ("curator", *SHUFFLERS)),
        ("· ● ● ●", ("analyst", *SHUFFLERS)),
    ],
)
def test_bits_of_coalitions_are_asked_of_the_outcome(row: str, parties: tuple[str, ...]) -> None:
    page = (ROOT / "docs" / "inference.md").read_text("utf-8")
    (line,) = re.findall(rf"^ {row} +(.*)$", page, re.MULTILINE)
    _, people, cells, bits, guessed, surest, _ = line.split(maxsplit=6)
    received = played("blood-type").coalition(*parties)
    assert (str(received.linked), str(received.cells_certain)) == (people, cells)
    assert f"{received.bits_per_person:.2f}" == bits
    assert f"{received.rows_guessed:.1f}" == guessed
    assert received.worst_row is not None
    assert f"{received.worst_row.posterior:.1%}".removesuffix("%") == surest
    (before,) = re.findall(r"before any of it: ([\d.]+) rows", page)
    assert f"{received.rows_guessed_before:.1f}" == before
