"""Scenarios among peers: the ideal's counts, coalitions as in theory, whoever cheats named."""

import json
from pathlib import Path

import pytest
from msgspec.structs import replace
from veilmix.analysis.trust.peer_paths import path_share
from veilmix.errors import ParameterError, ScenarioError
from veilmix.scenarios.lab.play.run import run
from veilmix.scenarios.lab.scoring.outcome import Outcome
from veilmix.scenarios.lab.validation.load import change, load, loads
from veilmix.scenarios.programs.peers.score import sizes_of
from veilmix.scenarios.records.run_folder import read, save
from veilmix.scenarios.records.verification.checks import verify
from veilmix.scenarios.records.verification.views import board, view_of
from veilmix.scenarios.schema.model import Fault, Scenario
from veilmix.scenarios.studies.comparison.compare import compare
from veilmix.scenarios.studies.sweeps.sweep_file import half, smallest_coalition

VILLAGE = load("village")


def with_fault(lines: str) -> Scenario:
    text = (Path(__file__).parents[3] / "scenarios/gallery/village.toml").read_text("utf-8")
    return loads(text.replace("[expect]\nkept_at_least = 1", f"[[fault]]\n{lines}"))


@pytest.fixture(scope="module")
def outcome() -> Outcome:
    return run(VILLAGE, worst_case_nodes=0)


@pytest.mark.slow
def test_real_is_ideal(outcome: Outcome) -> None:
    ideal = run(VILLAGE, mode="ideal", worst_case_nodes=0)
    assert (outcome.marginals, outcome.release) == (ideal.marginals, ideal.release)
    assert (outcome.decision, outcome.exposure) == (ideal.decision, ideal.exposure)
    assert outcome.released
    assert outcome.failed == ()


@pytest.mark.slow
def test_a_program_is_played_among_peers_if_it_says_so() -> None:
    """Nobody lists the kinds: a new one is asked, as those of other packages are."""
    pairs = change(VILLAGE, {"policy.kind": "pairs", "policy.max_exposure": 0.4})
    real, ideal = (run(pairs, mode=mode, worst_case_nodes=0) for mode in ("real", "ideal"))  # type: ignore[arg-type]
    assert (real.decision, real.release) == (ideal.decision, ideal.release)
    assert len(real.released_columns) == 2
    with pytest.raises(ScenarioError, match="decide by exposure, fixed, all, pairs"):
        change(VILLAGE, {"policy.kind": "hierarchical"})


@pytest.mark.slow
@pytest.mark.parametrize(
    ("lines", "why"),
    [
        ('attack = "drop"\nby = "peer-3"\nrate = 0.2', "handed on"),
        ('attack = "drop"\nby = "peer-3"\nround = 2', "handed on"),
        ('attack = "tag"\nby = "peer-3"', "as its sender proves"),
        ('attack = "lie"\nby = "peer-3"', "another digest"),
        ('attack = "absent"\nby = "peer-3"\nround = 2', "posted nothing"),
    ],
)
def test_who_cheats_is_named_in_the_result(lines: str, why: str) -> None:
    outcome = run(with_fault(lines), worst_case_nodes=0)
    assert outcome.peers is not None
    ((who, said),) = [(charge.peer, charge.why) for charge in outcome.peers.charges]
    assert (who, why in said) == ("peer-3", True)
    assert not outcome.released
    assert outcome.burned is not None
    assert said in outcome.burned
    ideal = run(with_fault(lines), mode="ideal", worst_case_nodes=0)
    if "absent" in lines:  # where nobody sends a message, that is all that can go wrong
        assert (ideal.marginals, ideal.release) == (outcome.marginals, None)


@pytest.mark.slow
def test_who_never_comes_is_missed_by_nobody_in_both_modes() -> None:
    scenario = with_fault('attack = "absent"\nusers = 3')
    real, ideal = (run(scenario, mode=mode, worst_case_nodes=0) for mode in ("real", "ideal"))  # type: ignore[arg-type]
    assert real.peers is not None
    assert ideal.peers is not None
    assert real.peers.peers == ideal.peers.peers == 9
    assert (real.marginals, real.release) == (ideal.marginals, ideal.release)


@pytest.mark.slow
def test_a_village_in_which_no_path_is_possible_is_burned() -> None:
    alone = replace(VILLAGE, coalition=())
    few = change(alone, {"population.users": 4, "mix.path": 3, "mix.min_batch": 4})
    assert run(few, worst_case_nodes=0).burned is None
    nobody = with_fault('attack = "absent"\nusers = 10')
    for mode in ("real", "ideal"):
        outcome = run(nobody, mode=mode, worst_case_nodes=0)  # type: ignore[arg-type]
        assert outcome.burned == "2 people took part; the smallest batch that hides is 4"


@pytest.mark.slow
def test_coalitions_follow_what_theory_expects_and_thin_batches_add() -> None:
    """Of 60 peers a few: batches hold many senders, so nearly only whole paths are followed."""
    scenario = change(
        VILLAGE, {"population.users": 60, "mix.cover": 13, "mix.path": 2, "policy.k": 2}
    )
    outcome = run(scenario, worst_case_nodes=0)
    assert outcome.peers is not None
    groups = {size.size: size for size in outcome.peers.sizes}
    assert set(groups) == set(sizes_of(60))
    for size in (6, 12, 18, 24):
        group = groups[size]
        width = group.onions.high - group.onions.mean
        assert group.expected == path_share(size, 60, 2)
        assert abs(group.onions.mean - group.expected) < 3 * width + 0.01
        assert group.onions.mean == pytest.approx(group.expected, rel=0.2)
    assert groups[59].onions.mean == groups[59].expected == 1
    means = [outcome.peers.sizes[i].onions.mean for i in range(len(groups))]
    assert means == sorted(means)


def test_the_whole_path_is_a_share_of_all_paths() -> None:
    assert path_share(3, 12, 3) == pytest.approx(6 / (11 * 10 * 9))
    assert [path_share(c, 5, 2) for c in range(5)] == [0, 0, 2 / 12, 6 / 12, 1]
    for wrong in ((0, 5, 0), (0, 5, 5), (5, 5, 2), (-1, 5, 2)):
        with pytest.raises(ParameterError):
            path_share(*wrong)


@pytest.mark.slow
def test_a_run_is_kept_looked_at_and_verified(outcome: Outcome, tmp_path: Path) -> None:
    kept = read(save(outcome, tmp_path))
    assert all(check.ok for check in verify(kept))
    seen = view_of(kept, ["peer-1", "peer-2"])
    assert set(seen.pinned) >= {0, 1}
    assert not view_of(kept, ["network"]).pinned
    with pytest.raises(ParameterError, match="peer-1 to peer-12"):
        view_of(kept, ["user-1"])
    with pytest.raises(ParameterError, match="no curator and no shufflers"):
        board(kept)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("change_", "check"),
    [
        (lambda result: result["marginals"]["A"].update(Y=12), "counts"),
        (lambda result: result["release"]["counts"][0].__setitem__(-1, 1), "counts"),
        (lambda result: result["peers"]["coalitions"][3].update(expected=0.0), "coalitions"),
        (
            lambda result: result["peers"]["named"].append(
                {"peer": "peer-4", "round": 1, "step": 2, "why": "is disliked"}
            ),
            "board",
        ),
        (lambda result: result.update(digest="00" * 32), "digest"),
    ],
)
def test_verify_finds_what_was_changed(outcome: Outcome, tmp_path: Path, change_, check) -> None:  # type: ignore[no-untyped-def]
    folder = save(outcome, tmp_path)
    result = json.loads((folder / "result.json").read_text("utf-8"))
    change_(result)
    (folder / "result.json").write_text(json.dumps(result), "utf-8")
    failed = [check.name for check in verify(read(folder), wants_replay=False) if check.ok is False]
    assert failed == ["files", check]


@pytest.mark.slow
def test_a_sweep_reads_what_half_of_the_peers_link(outcome: Outcome) -> None:
    result = outcome.result()
    assert outcome.peers is not None
    assert half(result) == outcome.peers.sizes[5].people.mean
    assert smallest_coalition(result) is None  # those who are named know themselves
    assert half({"peers": None}) is half({}) is None


MISTAKES = [
    ("path  = 3", "path  = 12", "a message passes other peers than its sender: 11 at most"),
    ("peers = true", 'peers = true\nsuite = "hpke-pq"', "peers always mix with suite"),
    ("peers = true", "peers = true\npad = false", "peers always mix with pad = true"),
    ("[policy]", '[policy]\nkind = "hierarchical"', "needs a curator"),
    ('"peer-1", "peer-2"]', '"peer-1", "curator"]', 'no party is called "curator"'),
    ('"peer-1", "peer-2"]', '"peer-1", "peer-13"]', "this scenario has peer-1 to peer-12"),
    ("[expect]", "[expect]\ncurator_links_at_most = 0", "peers have no central party"),
    ("[expect]", "[defence]\nreceipts = 0.1\n[expect]", "peers guard themselves"),
    ("[expect]", '[[fault]]\nattack = "late"\nby = "peer-1"\n[expect]', "committed by peers"),
    ("[expect]", '[[fault]]\nattack = "drop"\nby = "peer-99"\n[expect]', "no peer is called"),
    ("[expect]", '[[fault]]\nattack = "drop"\n[expect]', "name the peers with a single key"),
    ("[expect]", '[[fault]]\nattack = "lie"\nby = "peer-1"\nrate = 0.5\n[expect]', "read rate"),
]


@pytest.mark.parametrize(("original", "written", "said"), MISTAKES)
def test_what_peers_cannot_do_is_said_beforehand(original: str, written: str, said: str) -> None:
    text = (Path(__file__).parents[3] / "scenarios/gallery/village.toml").read_text("utf-8")
    assert original in text
    with pytest.raises(ScenarioError, match=said):
        loads(text.replace(original, written))


@pytest.mark.slow
def test_peers_are_compared_with_a_mix_on_the_same_people(outcome: Outcome) -> None:
    comparison = compare(VILLAGE, only=("exposure", "peers", "shares"))
    assert not comparison.skipped
    among, central = comparison.program("peers"), comparison.program("exposure")
    assert (
        among.utility.columns
        == central.utility.columns
        == comparison.program("shares").utility.columns
    )
    assert among.privacy == central.privacy
    assert among.cost.bytes > central.cost.bytes
    assert among.utility.mean < central.utility.mean  # counts of single columns are public
    (alone,) = [
        coalition for coalition in among.trust.coalitions if coalition.parties == ("peer-1",)
    ]
    assert among.trust.largest_party_leakage == alone
    assert (alone.linked, alone.cells_certain) == (0, 3)  # its own, and of nobody else any
    assert path_share(1, 12, 3) == 0
    ((*together,),) = among.trust.smallest
    assert len(together) >= VILLAGE.mix.path
    assert outcome.peers is not None
    assert f"{outcome.peers.sizes[5].onions.mean:.1%}" in among.note


@pytest.mark.slow
def test_who_stays_away_does_so_in_every_program() -> None:
    comparison = compare(
        with_fault('attack = "absent"\nby = "peer-1"'), only=("exposure", "peers", "shares")
    )
    assert not comparison.skipped
    assert len({program.utility.columns for program in comparison.programs}) == 1
    assert not any(
        "peer-1" in coalition.parties for coalition in comparison.program("peers").trust.coalitions
    )


def test_what_peers_cannot_be_compared_on_is_said() -> None:
    with pytest.raises(ParameterError, match="only peers can commit tag"):
        compare(with_fault('attack = "tag"\nby = "peer-3"'))
    comparison = compare(VILLAGE, only=("peers",), messages=False)
    assert "needs the messages of all people" in comparison.skipped["peers"]
    late = change(load("blood-type"), {"population.users": 5})
    late = replace(late, fault=(Fault(attack="late", users=1),))
    assert "committed by peers" in compare(late, only=("peers",)).skipped["peers"]
