"""Explanations of a run with a verified mix say what the view of the same parties says."""

from collections.abc import Callable
from functools import cache
from itertools import chain, combinations
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from sample_kit import sampled
from veilmix.scenarios.lab.play.run import run
from veilmix.scenarios.lab.validation.load import change, load
from veilmix.scenarios.records.run_folder import Run, read, save
from veilmix.scenarios.records.verification.explanation import why
from veilmix.scenarios.records.verification.views import view_of
from veilmix.scenarios.schema.model import Expect, Fault, Scenario

LATE = (Fault(attack="late", by="user-3"), Fault(attack="absent", by="user-4"))
CASES: dict[str, Callable[[], Scenario]] = {
    "once": lambda: load("submit-once"),
    "each round": lambda: load("verified-class"),
    "late": lambda: replace(load("submit-once"), fault=LATE, expect=Expect()),
    "public": lambda: change(load("submit-once"), {"policy.publish_marginals": True}),
}
PARTIES = ("curator", "analyst", "shuffler-1", "shuffler-2", "user-2")
COALITIONS = list(chain(*(combinations(PARTIES, size) for size in range(1, len(PARTIES) + 1))))
ABOUT = range(1, 5)


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Run]:
    """Play and save a case once."""

    @cache
    def play(case: str) -> Run:
        folder: Path = tmp_path_factory.mktemp("runs")
        return read(save(run(CASES[case](), worst_case_nodes=0), folder))

    return play


@pytest.mark.slow
@pytest.mark.parametrize("case", sampled(CASES, 0))
def test_a_person_is_explained_as_the_view_links_it(case: str, saved: Any) -> None:
    kept = saved(case)
    for members in COALITIONS:
        linked = view_of(kept, members).pinned
        for person in ABOUT:
            told = why(kept, members, f"user-{person}")
            assert told.ending.startswith(f"user-{person} is linked") == (person - 1 in linked)
            if row := linked.get(person - 1):
                names = kept.result.features
                said = " ".join(f"{names[column]}={value}" for column, value in row.items())
                assert any(said in step.text for step in told.steps), (members, person)
                continue
            assert not set(told.missing) & set(members)
            if told.missing:
                more = why(kept, (*members, *told.missing), f"user-{person}")
                assert more.ending.startswith(f"user-{person} is linked"), (members, person)


@pytest.mark.slow
def test_an_absent_user_leaves_no_trace_and_a_late_one_its_ballots(saved: Any) -> None:
    kept = saved("late")
    both = ("shuffler-1", "shuffler-2")
    assert why(kept, both, "user-4").ending.endswith("nothing that it could know to be from user-4")
    late = why(kept, both, "user-3")
    assert late.missing
    assert [step.rule for step in late.steps] == ["sender"]
    assert why(kept, (*both, "analyst"), "user-3").ending.startswith("user-3 is linked")
    assert not why(kept, ("analyst",), "user-3").steps


@pytest.mark.slow
def test_the_steps_of_a_release_name_what_is_held(saved: Any) -> None:
    told = why(saved("once"), ("shuffler-1", "shuffler-2"), "user-2")
    assert [step.text for step in told.steps] == [
        "the ballots of user-2 stand on the board under its name, round 1",
        "they are mixed again in round 2",
        "shuffler-1 has its order of round 2",
        "shuffler-2 has its order of round 2",
        "all decryption shares of round 2 stand on the board, of analyst too",
        "so user-2 said A=N Rh=Y in round 2",
    ]
    assert told.steps[-1].after == (2, 3, 4, 5)
    told = why(saved("once"), ("shuffler-1", "shuffler-2", "analyst"), "user-2")
    assert "analyst has its key of the release" in [step.text for step in told.steps]


@pytest.mark.slow
def test_ballots_are_explained_by_their_name(saved: Any) -> None:
    kept = saved("once")
    view = view_of(kept, ("network",))
    name = next(event.names for event in view.events if event.sender == "user-2").hex()
    closed = why(kept, ("analyst",), name)
    assert closed.ending == "it stays closed: it takes what shuffler-1 and shuffler-2 hold too"
    seen = why(kept, ("network",), name)
    assert "network saw" in seen.steps[0].text
    opened = why(kept, ("curator", "shuffler-1", "shuffler-2"), name)
    assert opened.ending.startswith("its sender and its content are known to")
    assert opened.steps[-1].text == "so user-2 said A=N B=N Rh=Y in round 1"
