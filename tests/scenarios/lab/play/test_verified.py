"""Scenarios with a verified mix: each program gives what it gives without a message."""

from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace
from veilmix.errors import DataError, ParameterError
from veilmix.scenarios.lab.play.run import run
from veilmix.scenarios.lab.validation.load import check
from veilmix.scenarios.schema.model import Scenario
from veilmix.scenarios.studies.cheating.coalition_study import begin as begin_cheating
from veilmix.scenarios.studies.matrix.attack_matrix import attack
from veilmix.scenarios.studies.search.attack_search import begin as begin_search

ROWS = [("n", "y"), ("n", "n"), ("y", "n"), ("n", "n"), ("y", "n"), ("n", "y"), ("n", "n")]
POLICIES: dict[str, dict[str, Any]] = {
    "exposure": {"kind": "exposure", "max_exposure": 0.6},
    "published": {"kind": "exposure", "max_exposure": 0.6, "publish_marginals": True},
    "all": {"kind": "all"},
    "fixed": {"kind": "fixed", "keep": ["B"]},
    "pairs": {"kind": "pairs", "max_exposure": 0.6},
    "informative": {"kind": "informative", "max_exposure": 0.6},
    "hierarchical": {"kind": "hierarchical", "max_exposure": 0.6},
    "histogram": {"kind": "histogram"},
    "local-suppression": {"kind": "local-suppression", "k": 3, "max_exposure": 0.6, "delta": 0.3},
}
ONCE = {"kind": "verified", "submit": "once", "min_batch": 2}
SUBMITTED_ONCE = ("exposure", "published", "all", "fixed", "pairs", "informative")
FAULTY = [
    {"attack": "absent", "by": "user-1"},
    {"attack": "late", "by": "user-2"},
    {"attack": "malformed", "by": "user-3"},
    {"attack": "duplicate", "by": "user-4"},
]
LEAVERS = {
    "a user leaves": [{"attack": "absent", "by": "user-1", "round": 2}],
    "most leave": [{"attack": "absent", "by": f"user-{i}", "round": 2} for i in range(2, 8)],
    "a user sends junk": [{"attack": "malformed", "by": "user-1", "round": 1}],
    "a user is late": [{"attack": "late", "by": "user-1", "round": 1}],
}
TOGETHER = (
    ("curator", "shuffler-1", "shuffler-2"),
    ("analyst", "shuffler-2"),
    ("analyst", "shuffler-1", "shuffler-2", "user-1"),
    ("shuffler-1", "user-2"),
    ("shuffler-1", "shuffler-2", "user-2"),
)


def scenario(folder: Path, policy: str, faults: Any = (), **more: Any) -> Scenario:
    text = "A,B\n" + "".join(",".join(row) + "\n" for row in ROWS)
    (folder / "people.csv").write_text(text, "utf-8")
    data = {
        "scenario": {"name": "small", "seed": 5},
        "population": {"source": str(folder / "people.csv")},
        "feature": [{"name": name, "values": ["n", "y"]} for name in "AB"],
        "policy": {"k": 2, **POLICIES[policy]},
        "mix": {"kind": "verified", "min_batch": 2},
        "fault": list(faults),
        "defence": {"min_dropout": 2},
        "coalition": [{"name": "+".join(some), "parties": list(some)} for some in TOGETHER],
    }
    if policy == "histogram":
        data |= {"local": {"mechanism": "grr", "epsilon": 1.0}}
    made = msgspec.convert(data | more, Scenario)
    check(made)
    return made


def same(asked: Scenario) -> None:
    real, ideal = run(asked, worst_case_nodes=0), run(asked, mode="ideal", worst_case_nodes=0)
    assert (real.release, real.decision, real.burned) == (
        *(ideal.release, ideal.decision, ideal.burned),
    )
    assert real.marginals == ideal.marginals
    assert real.exposure == ideal.exposure
    assert real.findings == ideal.findings
    assert len(real.coalitions) == len(ideal.coalitions) > len(TOGETHER)
    for one, other in zip(real.coalitions, ideal.coalitions, strict=True):
        assert one == other, one.parties


@pytest.mark.slow
@pytest.mark.parametrize("policy", POLICIES)
def test_real_is_ideal(policy: str, tmp_path: Path) -> None:
    same(scenario(tmp_path, policy))


@pytest.mark.slow
@pytest.mark.parametrize("leave", LEAVERS)
def test_real_is_ideal_where_people_are_missing(leave: str, tmp_path: Path) -> None:
    same(scenario(tmp_path, "exposure", LEAVERS[leave]))


@pytest.mark.slow
@pytest.mark.parametrize("policy", SUBMITTED_ONCE)
def test_real_is_ideal_if_users_submit_once(policy: str, tmp_path: Path) -> None:
    same(scenario(tmp_path, policy, mix=ONCE))


@pytest.mark.slow
@pytest.mark.parametrize("policy", ["exposure", "published"])
def test_real_is_ideal_if_users_of_a_single_submission_are_faulty(
    policy: str, tmp_path: Path
) -> None:
    same(scenario(tmp_path, policy, FAULTY, mix=ONCE))


def test_the_keys_of_the_release_open_what_was_submitted_once(tmp_path: Path) -> None:
    """Else all shufflers and the analyst link the released column alone.

    All shufflers link that one in both cases: the analyst has posted its shares.
    """
    cells = {}
    for submit in ("once", "each-round"):
        played = run(scenario(tmp_path, "fixed", mix=ONCE | {"submit": submit}), worst_case_nodes=0)
        assert played.release == {("n",): 5, ("y",): 2}
        both = played.coalition("shuffler-1 + shuffler-2")
        found = played.coalition("analyst + shuffler-1 + shuffler-2")
        assert both.linked == found.linked == len(ROWS)
        cells[submit] = both.cells_certain, found.cells_certain
    assert cells == {"once": (7, 14), "each-round": (7, 7)}


@pytest.mark.slow
def test_it_releases_what_onions_release(tmp_path: Path) -> None:
    asked = scenario(tmp_path, "exposure")
    onions = replace(asked, mix=replace(asked.mix, kind="onion"))
    proved, other = run(asked, worst_case_nodes=0), run(onions, worst_case_nodes=0)
    assert (proved.release, proved.decision) == (other.release, other.decision)
    assert proved.digest != other.digest


def test_answers_that_may_be_too_long_are_refused_before_anything_is_played(tmp_path: Path) -> None:
    features = [{"name": "A", "open": True, "width": 14}, {"name": "B", "open": True, "width": 14}]
    asked = scenario(tmp_path, "exposure", feature=features)
    with pytest.raises(DataError, match="answers to A, B take up to 30 bytes, and at most 29"):
        run(asked)
    shorter = [features[0], {"name": "B", "open": True, "width": 13}]
    same(scenario(tmp_path, "exposure", feature=shorter))


def test_what_is_of_onions_alone_says_so(tmp_path: Path) -> None:
    asked = scenario(tmp_path, "exposure")
    for study in (
        lambda: begin_search(asked),
        lambda: begin_cheating(asked, 5, 1),
        lambda: attack(asked, 5, 1),
    ):
        with pytest.raises(ParameterError, match=r"needs an onion mix.*mix.kind"):
            study()
