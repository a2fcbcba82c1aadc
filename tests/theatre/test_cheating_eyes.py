"""What the page says of eyes that cheat is what was measured, and what Python says of them."""

from itertools import chain, combinations

import pytest
from veilmix.number_text import sentence
from veilmix.presentation.presenters.cheating import no_success
from veilmix.presentation.wording import OUTSIDE_CATALOGUE
from veilmix.scenarios.lab.validation.load import load
from veilmix.scenarios.studies.cheating.cheating_result import (
    AttackRun,
    AttackRuns,
    CheatingStudy,
    worst_of,
)
from veilmix.scenarios.studies.matrix.attack_plan import mark_of
from veilmix.theatre.cheating import cheating_data
from veilmix.theatre.page import render

PARTIES = ("analyst", "curator", "shuffler-1", "shuffler-2", "user-2", "user-7")


def shots(*read: bool) -> tuple[AttackRun, ...]:
    return tuple(
        AttackRun(7 + i, float(was_read), 1.0, was_read, "after") for i, was_read in enumerate(read)
    )


STUDY = CheatingStudy(
    version="0.1.0",
    scenario="classroom",
    mark=mark_of(load("classroom")),
    seed=7,
    runs=2,
    users=12,
    handlers=PARTIES[:4],
    watching=(),
    attempts=(
        AttackRuns("rerun", ("curator",), 0, "values", shots(True, False)),
        AttackRuns("surround", ("shuffler-1",), 0, "values", shots(True, True)),
        AttackRuns("swap", ("curator", "shuffler-2"), 1, "values", shots(True, True)),
        AttackRuns("delay", ("analyst",), 0, "values", shots(False, False)),
    ),
)


def test_a_page_says_what_was_measured_or_that_nothing_was() -> None:
    data = cheating_data(load("classroom"), STUDY)
    assert data["none"] is None
    assert data["told"] == "4 attacks on a person, 2 runs of each, seeds 7 to 8"
    assert data["nothing"] == no_success(4, 2, "them")
    assert data["limit"] == sentence(OUTSIDE_CATALOGUE)
    assert [row["attack"] for row in data["found"]] == ["surround", "swap", "rerun"]
    missing = cheating_data(load("classroom"), None)["none"]
    assert missing.startswith("If these eyes cheat: not measured; veilmix leak RUN --cheating ")
    assert missing.endswith(f" {data['limit']}")
    noisy = cheating_data(load("randomized-class"), None)["none"]
    assert noisy.endswith("where people add noise to their answers.")


@pytest.mark.slow
def test_the_worst_of_every_coalition_is_that_of_the_study(shown, tab, tmp_path) -> None:
    data = shown("classroom").data
    bill = {**data["bill"], "cheating": cheating_data(load("classroom"), STUDY)}
    path = tmp_path / "page.html"
    path.write_text(render({**data, "bill": bill}), "utf-8")
    page = tab.open(path)
    every = list(chain(*(combinations(PARTIES, size) for size in range(len(PARTIES) + 1))))
    said = page.evaluate("all => all.map(eyes => window.veilmix.cheating(eyes))", every)
    for eyes, words in zip(every, said, strict=True):
        people = sum(eye.startswith("user-") for eye in eyes)
        worst = worst_of(STUDY.attacks, set(eyes) - {"user-2", "user-7"}, people).worst
        if worst is None:
            assert words.startswith(f"If these eyes cheat: {no_success(4, 2, 'them')}. "), eyes
        else:
            often = f"{worst.attack} reads somebody's row in {worst.read} of {worst.runs} runs ("
            assert often in words, eyes
            assert "noticed: after. 4 attacks on a person, 2 runs of each, seeds 7 to 8." in words
        assert words.endswith(sentence(OUTSIDE_CATALOGUE)), eyes
