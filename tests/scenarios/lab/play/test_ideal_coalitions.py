"""A run without messages tells every coalition what the run with messages tells it.

Every subset of the parties and two users, in every program: nobody leaves, one leaves, so many that
a round is burned, one after whose leaving the promise cannot be proved. `real == ideal`, figure by
figure: who is linked, cells certain, bits, guesses, the surest row, anonymity sets.
"""

from collections.abc import Iterator, Sequence
from itertools import chain, combinations
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace
from veilmix.errors import DataError
from veilmix.protocol.wire import parties
from veilmix.scenarios.lab.play.run import run
from veilmix.scenarios.lab.scoring.outcome import Outcome
from veilmix.scenarios.lab.validation.load import check
from veilmix.scenarios.programs.registry import PROGRAMS
from veilmix.scenarios.schema.model import Coalition, Scenario

ROWS = [("n", "y"), ("n", "n"), ("y", "n"), ("n", "n"), ("y", "n"), ("n", "y"), ("n", "n")]
ALIKE = [("y", "n")] * len(ROWS)
VALUES = {"values": ["n", "y"]}
OPEN = {"open": True, "width": 3}
WIDE = {"values": ["n", "y", *map(str, range(9))]}  # more values than people
PARTIES = ("analyst", "curator", "shuffler-1", "shuffler-2", "user-1", "user-2")
LEAVE: dict[str, list[dict[str, Any]]] = {
    "nobody leaves": [],
    "a user never comes": [{"attack": "absent", "by": "user-2"}],
    "a user leaves": [{"attack": "absent", "by": "user-1", "round": 2}],
    "most leave": [{"attack": "absent", "by": f"user-{i}", "round": 2} for i in range(2, 8)],
    "the promise fails": [
        {"attack": "absent", "by": f"user-{i}", "round": 2} for i in (2, 4, 6, 7)
    ],
    "a user is late": [{"attack": "late", "by": "user-1", "round": 1}],
    "a user sends junk": [{"attack": "malformed", "by": "user-1", "round": 1}],
    "everybody is missing": [{"attack": "absent", "users": len(ROWS)}],
}
POLICIES: dict[str, dict[str, Any]] = {
    "exposure": {"kind": "exposure", "max_exposure": 0.6},
    "exposure, tight": {"kind": "exposure", "max_exposure": 0.3},
    "hierarchical, tight": {"kind": "hierarchical", "max_exposure": 0.3},
    "published": {"kind": "exposure", "max_exposure": 0.6, "publish_marginals": True},
    "nothing safe": {"kind": "exposure", "k": 7, "max_exposure": 0.0},
    "all": {"kind": "all"},
    "fixed": {"kind": "fixed", "keep": ["B"]},
    "pairs": {"kind": "pairs", "max_exposure": 0.6},
    "informative": {"kind": "informative", "max_exposure": 0.6},
    "hierarchical": {"kind": "hierarchical", "max_exposure": 0.6},
    "local-suppression": {"kind": "local-suppression", "k": 3, "max_exposure": 0.6, "delta": 0.3},
    "threshold": {"kind": "threshold", "k": 3},
    "threshold prefixes": {"kind": "threshold", "k": 3, "prefixes": True},
    "threshold sampled": {"kind": "threshold", "k": 2, "sample": 0.5},
    "histogram": {"kind": "histogram"},
}


def subsets(members: Sequence[str]) -> Iterator[tuple[str, ...]]:
    return chain.from_iterable(combinations(members, n) for n in range(1, len(members) + 1))


def scenario(folder: Path, policy: str, leave: str, **more: Any) -> Scenario:
    rows, feature = more.pop("rows", ROWS), more.pop("feature", VALUES)
    names = "AB"[: len(rows[0])]
    text = ",".join(names) + "\n" + "".join(",".join(row) + "\n" for row in rows)
    (folder / "people.csv").write_text(text, "utf-8")
    kind = POLICIES[policy]["kind"]
    randomness = (parties.RANDOMNESS,) if kind == "threshold" else ()
    noise = {"mechanism": "grr", "epsilon": 1.0} if kind == "histogram" else {}
    rounds = 1 if kind in ("threshold", "histogram") else 2
    data = {
        "scenario": {"name": "small", "seed": 5},
        "population": {"source": str(folder / "people.csv")},
        "feature": [{"name": name, **feature} for name in names],
        "policy": {"k": 2, **POLICIES[policy]},
        "local": noise,
        "mix": {"shufflers": 2, "min_batch": 2, "lesson": True},
        "defence": {"min_dropout": 1, **more.pop("defence", {})},
        "fault": [fault for fault in LEAVE[leave] if fault.get("round", 1) <= rounds],
        "coalition": [
            {"name": "-".join(some), "parties": list(some)}
            for some in subsets((*PARTIES, *randomness))
        ],
    }
    made = msgspec.convert(data, Scenario)
    check(made)
    return made


def compare(made: Scenario) -> Outcome:
    real, ideal = (run(made, mode=mode, worst_case_nodes=0) for mode in ("real", "ideal"))  # type: ignore[arg-type]
    assert (real.burned, real.release, real.decision) == (
        ideal.burned,
        ideal.release,
        ideal.decision,
    )
    assert len(real.coalitions) == len(ideal.coalitions) >= 63
    for one, other in zip(real.coalitions, ideal.coalitions, strict=True):
        assert one == other, one.parties
    return ideal


FAST = [
    *((policy, "nobody leaves") for policy in POLICIES),
    *((policy, "a user leaves") for policy in ("exposure", "all", "local-suppression")),
    ("exposure", "most leave"),
    ("hierarchical, tight", "the promise fails"),
    ("exposure", "a user never comes"),
    ("threshold", "a user never comes"),
    ("histogram", "a user never comes"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("policy", "leave"), FAST)
def test_every_coalition_of_an_ideal_run_knows_what_it_would(
    policy: str, leave: str, tmp_path: Path
) -> None:
    compare(scenario(tmp_path, policy, leave))


def owners(fault: list[dict[str, Any]], min_batch: int) -> Scenario:
    """Four owners of sets, two of whom may be members."""
    data = {
        "scenario": {"name": "sets", "seed": 5},
        "population": {"source": "builtin:sets", "users": 4},
        "policy": {"kind": "incidence"},
        "local": {"mechanism": "bit-flip", "epsilon": 3.0},
        "incidence": {"positions": 20},
        "mix": {"shufflers": 2, "min_batch": min_batch, "lesson": True},
        "fault": fault,
        "coalition": [{"name": "-".join(some), "parties": list(some)} for some in subsets(PARTIES)],
    }
    made = msgspec.convert(data, Scenario)
    check(made)
    return made


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fault", "min_batch"),
    [([], 2), (LEAVE["a user never comes"], 2), (LEAVE["a user never comes"], 4)],
    ids=["all stay", "one never comes", "burned"],
)
def test_every_coalition_with_owners_of_sets(fault: list[dict[str, Any]], min_batch: int) -> None:
    assert bool(compare(owners(fault, min_batch)).burned) == (min_batch == 4)


def test_every_program_is_compared() -> None:
    assert {policy["kind"] for policy in POLICIES.values()} | {"incidence"} == set(PROGRAMS)


@pytest.mark.long
@pytest.mark.parametrize("leave", LEAVE)
@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("defence", [{}, {"tokens": True, "registered": True}, {"promise": False}])
def test_every_coalition_of_every_program(
    policy: str, leave: str, defence: dict[str, bool], tmp_path: Path
) -> None:
    if defence.get("tokens") and POLICIES[policy]["kind"] == "threshold":
        pytest.skip("a threshold run asks for outputs, not for tokens")
    if policy == "nothing safe" and any(fault.get("round") == 2 for fault in LEAVE[leave]):
        with pytest.raises(DataError, match="round 2 was not called"):
            compare(scenario(tmp_path, policy, leave, defence=defence))
        return
    compare(scenario(tmp_path, policy, leave, defence=defence))


@pytest.mark.long
@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize(
    "people",
    [
        {"rows": [row[:1] for row in ROWS]},
        {"rows": ALIKE},
        {"feature": OPEN},
        {"feature": WIDE},
    ],
    ids=["one column", "all equal", "open", "more values than people"],
)
def test_every_coalition_of_bad_input(policy: str, people: Any, tmp_path: Path) -> None:
    if policy == "histogram" and people.get("feature") == OPEN:
        pytest.skip("it blurs values that it knows")
    if policy == "fixed" and "rows" in people and len(people["rows"][0]) == 1:
        pytest.skip("the column that it names is not there")
    compare(scenario(tmp_path, policy, "nobody leaves", **people))


def test_a_member_knows_its_own_row(tmp_path: Path) -> None:
    """Before, in 144 of 144 coalitions with a user its own row was not counted."""
    ideal = run(scenario(tmp_path, "exposure", "nobody leaves"), mode="ideal", worst_case_nodes=0)
    alone = ideal.coalition("user-1")
    assert (alone.linked, alone.crowd) == (1, 1)
    assert alone.bits > ideal.coalition().bits


@pytest.mark.slow
def test_the_analyst_has_read_what_it_burned(tmp_path: Path) -> None:
    """The promise cannot be proved of those who stayed: nothing is released, but it was read."""
    outcome = compare(scenario(tmp_path, "exposure, tight", "the promise fails"))
    assert outcome.burned is not None
    assert "3 people came where the promise was made for 7" in outcome.burned
    assert outcome.coalition("analyst").bits > outcome.coalition().bits


def test_a_peer_knows_its_own_row(tmp_path: Path) -> None:
    """A single peer follows no onion here: it knows what it said, played in both ways."""
    made = scenario(tmp_path, "exposure", "nobody leaves")
    mix = replace(made.mix, peers=True, path=2, shufflers=2)
    named = (Coalition(name="a friend", parties=("peer-1",)),)
    peers = replace(made, mix=mix, coalition=named)
    real, ideal = (run(peers, mode=mode, worst_case_nodes=0) for mode in ("real", "ideal"))  # type: ignore[arg-type]
    assert ideal.coalition("peer-1") == real.coalition("peer-1")
    assert ideal.coalition("peer-1").linked == 1
