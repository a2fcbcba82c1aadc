"""Every lie that a run folder can tell is found by the check that is there for it."""

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from checks_kit import require
from claims_kit import claiming
from slow_machine import slow_down
from veilmix.errors import Reason, VerificationError
from veilmix.protocol.knowledge.transcript import Read, Refusal
from veilmix.protocol.wire.messages import Kind
from veilmix.scenarios.lab.play.run import run
from veilmix.scenarios.lab.validation.load import change, load, loads
from veilmix.scenarios.records.run_folder import Run, read, save
from veilmix.scenarios.records.verification.checks import CHECKS, CheckResult, Shows, verify

NAMES = [name for name, _, _ in CHECKS]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    outcome = run("blood-type", 7, worst_case_nodes=10)
    return save(outcome, tmp_path_factory.mktemp("kept"))


@pytest.fixture
def kept(folder: Path) -> Run:
    return read(folder)


def judged(record: Run, *, again: bool | None = False) -> dict[str, bool | None]:
    return {check.name: check.ok for check in verify(record, wants_replay=again)}


def test_an_honest_run_passes_every_check(kept: Run) -> None:
    checks = verify(kept)
    assert [check.name for check in checks] == NAMES
    assert all(check.ok for check in checks), checks
    assert all(check.detail for check in checks)
    require(checks)


LIES: dict[str, tuple[str, Callable[[Any], object]]] = {
    "digest": ("digest", lambda r: r.update(digest="0" * 64)),
    "users": ("result", lambda r: r.update(users=31)),
    "seed": ("result", lambda r: r.update(seed=8)),
    "marginals": ("result", lambda r: r["marginals"]["A"].update(N=17)),
    "kept": ("result", lambda r: r["decision"].update(kept=["A"], suppressed=["B", "Rh"])),
    "suppressed": ("result", lambda r: r["decision"].update(suppressed=[])),
    "bound": ("result", lambda r: r["decision"].update(bound=0.0)),
    "proof": ("result", lambda r: r["decision"]["certificate"].update(people=0)),
    "a kept feature nobody asked": ("result", lambda r: r["decision"].update(kept=["X"])),
    "release": ("result", lambda r: r["release"]["counts"][0].__setitem__(-1, 1)),
    "true": ("exposure", lambda r: r["exposure"].update(true=0.5)),
    "promised": ("exposure", lambda r: r["exposure"].update(promised=0.0)),
    "refused": ("result", lambda r: r["refused"].update(late=1)),
    "burned": ("result", lambda r: r.update(burned="never")),
    "linked": ("coalitions", lambda r: r["coalitions"][-1].update(linked=0)),
    "bits": ("coalitions", lambda r: r["coalitions"][1].update(bits_per_person=0.1)),
    "certain": ("coalitions", lambda r: r["coalitions"][1].update(cells_certain=1)),
    "a coalition less": ("coalitions", lambda r: r["coalitions"].pop()),
    "other parties": ("coalitions", lambda r: r["coalitions"][1].update(parties=["analyst"])),
}


@pytest.mark.parametrize("lie", LIES)
def test_a_changed_result_is_found(kept: Run, lie: str) -> None:
    check, edit = LIES[lie]
    changed = claiming(kept, edit)
    assert judged(changed)[check] is False
    with pytest.raises(VerificationError, match=f"^{check}: |\n{check}: "):
        require(verify(changed, wants_replay=False))


def test_a_worst_case_below_the_truth_is_found(tmp_path: Path) -> None:
    outcome = run(change(load("titanic"), {"population.users": 60, "policy.max_exposure": 0.9}), 3)
    record = read(save(outcome, tmp_path))
    assert record.result.exposure.true > 0
    none = {"low": 0.0, "high": 0.0, "proven": True, "search": None}
    lie = claiming(record, lambda r: r["exposure"].update(worst_case=none))
    assert judged(lie)["exposure"] is False


@pytest.mark.parametrize(
    ("low", "high", "proven"), [(0.9, 0.8, False), (0.8, 0.9, True), (0.9, 0.9, False)]
)
def test_a_worst_case_that_contradicts_itself_is_found(
    kept: Run, low: float, high: float, *, proven: bool
) -> None:
    worst = {"low": low, "high": high, "proven": proven, "search": None}
    lie = claiming(kept, lambda r: r["exposure"].update(worst_case=worst))
    assert judged(lie)["exposure"] is False


@pytest.fixture(scope="module")
def searched(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A run whose search for the worst case ended with an interval."""
    folder, rng = tmp_path_factory.mktemp("searched"), np.random.default_rng(3)
    margins = ([97, 54, 49], [101, 59, 40], [102, 64, 34])
    columns = [rng.permutation(np.repeat(np.arange(3), margin)) for margin in margins]
    rows = "\n".join(",".join(map(str, row)) for row in zip(*columns, strict=True))
    (folder / "people.csv").write_text(f"a,b,c\n{rows}\n", "utf-8")
    text = f'[scenario]\nname = "s"\nseed = 7\n[population]\nsource = "{folder}/people.csv"\n'
    text += "[policy]\nk = 5\nmax_exposure = 0.9\n"
    record = read(save(run(loads(text), mode="ideal", worst_case_nodes=2), folder))
    worst = record.result.exposure.worst_case
    assert worst is not None
    assert worst.low < worst.high
    return record


def replayed(record: Run, *, again: bool | None = None) -> tuple[bool | None, str]:
    (replay,) = (check for check in verify(record, wants_replay=again) if check.name == "replay")
    return replay.ok, replay.detail


def claimed_worst(record: Run, **fields: Any) -> Run:
    return claiming(record, lambda r: r["exposure"]["worst_case"].update(fields))


@pytest.mark.slow
def test_a_replay_on_another_processor_may_have_other_last_digits(kept: Run) -> None:
    """Sums in another order: OPENBLAS_CORETYPE=Nehalem changes the bits of an attack by 1e-16."""

    def times(factor: float) -> tuple[bool | None, str]:
        def edit(result: Any) -> None:
            attack = result["reidentification"]["attacks"][0]
            attack["bits"] *= factor

        return replayed(claiming(kept, edit))

    assert times(1 + 1e-13)[0] is True
    ok, detail = times(1 + 1e-6)
    assert ok is False
    assert detail.startswith("reidentification: attacks[0]: bits: ")


@pytest.mark.slow
def test_a_replay_runs_the_recorded_search_again(searched: Run) -> None:
    ok, detail = replayed(searched)
    assert ok
    assert detail.endswith(", and the same worst case")
    worst = searched.result.exposure.worst_case
    assert worst is not None
    for fields in ({"low": worst.low - 0.001}, {"high": worst.high + 0.001}):
        ok, detail = replayed(claimed_worst(searched, **fields))
        assert not ok
        assert detail.startswith("exposure: worst_case: [")


@pytest.mark.slow
def test_bounds_that_other_versions_of_libraries_found_need_only_overlap(searched: Run) -> None:
    other = replace(searched, versions={**searched.versions, "python": "3.99"})
    worst = searched.result.exposure.worst_case
    assert worst is not None
    for low, high in ((worst.low, worst.high), (0.0, worst.low), (worst.high, 1.0)):
        ok, detail = replayed(claimed_worst(other, low=low, high=high))
        assert ok
        assert "bounds that other versions of libraries find" in detail
    for low, high in ((0.0, worst.low - 0.001), (worst.high + 0.001, 1.0)):
        ok, detail = replayed(claimed_worst(other, low=low, high=high))
        assert not ok
        assert detail.startswith("exposure: worst_case: ")


@pytest.mark.slow
def test_a_long_search_is_run_again_only_on_request(searched: Run) -> None:
    wider = {"nodes": 101, "cells": None, "enough": 0.0}
    ok, detail = replayed(claimed_worst(searched, search=wider, low=0.0, high=1.0))
    assert ok
    assert detail.endswith("; the worst case was searched with 101 nodes; --replay repeats this")
    assert (
        replayed(claimed_worst(searched, search=wider, low=0.0, high=1.0), again=True)[0] is False
    )
    ok, detail = replayed(claimed_worst(searched, search=None))
    assert ok
    assert detail.endswith("; the worst case was recorded without the limits of its search")


@pytest.mark.slow
def test_a_worst_case_that_nobody_seeks_is_found(tmp_path: Path) -> None:
    """Where values are suppressed other tables have these marginals; of nothing there are none."""
    worst = {"low": 0.0, "high": 1.0, "proven": False, "search": None}
    for name, check in (("local-suppression-class", "replay"), ("nothing", "exposure")):
        keys = {"policy.max_exposure": 0.0, "policy.k": 29} if check == "exposure" else {}
        scenario = change(load("blood-type" if keys else name), keys)
        record = read(save(run(scenario, 7, worst_case_nodes=20), tmp_path))
        assert record.result.exposure.worst_case is None
        lie = claiming(record, lambda r: r["exposure"].update(worst_case=worst))
        verdicts = {made.name: made.ok for made in verify(lie)}
        assert verdicts[check] is False


def test_a_changed_release_file_is_found(kept: Run) -> None:
    assert kept.release is not None
    assert (
        judged(replace(kept, release_text=kept.release_text.replace("7", "8")))["result"] is False
    )
    assert judged(replace(kept, release_text=None))["result"] is False


def test_a_changed_scenario_is_found(kept: Run) -> None:
    for key, value, check in (
        ("policy.k", 3, "terms"),
        ("policy.max_exposure", 0.5, "terms"),
        ("mix.min_batch", 5, "terms"),
        ("policy.rule", "theorem2", "decision"),
    ):
        other = change(load("blood-type"), {key: value})
        assert judged(replace(kept, scenario=other))[check] is False, key


def post(record: Run, kind: Kind) -> int:
    assert record.transcript is not None
    return next(i for i, (_, data) in enumerate(record.transcript.posts) if data[3] == kind)


def test_a_post_that_is_not_legal_is_found(kept: Run) -> None:
    assert kept.transcript is not None
    posts = kept.transcript.posts
    posts[post(kept, Kind.TALLY)], posts[post(kept, Kind.MIXED)] = (
        posts[post(kept, Kind.MIXED)],
        posts[post(kept, Kind.TALLY)],
    )
    verdicts = judged(kept)
    assert verdicts["board"] is False
    assert verdicts["digest"] is False


def test_a_session_that_was_not_closed_is_found(kept: Run) -> None:
    assert kept.transcript is not None
    kept.transcript.posts.pop()
    verdicts = judged(kept)
    assert verdicts["board"] is False
    assert verdicts["digest"] is False


def test_a_post_that_was_never_seen_is_found(kept: Run) -> None:
    assert kept.transcript is not None
    last = kept.transcript.events[-1]
    kept.transcript.events[-1] = last._replace(size=last.size + 1)
    assert judged(kept)["board"] is False


@pytest.mark.parametrize(
    "change",
    [lambda names: names[8:], lambda names: names[:8] + names[:-8]],
    ids=["a layer less", "a layer twice"],
)
def test_another_batch_than_was_accounted_for_is_found(
    kept: Run, change: Callable[[bytes], bytes]
) -> None:
    assert kept.transcript is not None
    events = kept.transcript.events
    at, event = next(pair for pair in enumerate(events) if pair[1].kind is Kind.BATCH)
    events[at] = event._replace(names=change(event.names))
    assert judged(kept)["batches"] is False


def test_counts_that_do_not_add_up_are_found(kept: Run) -> None:
    """A shuffler that accounts for one layer too few."""
    from veilmix.protocol.wire.frames import decode_message

    assert kept.transcript is not None
    at = post(kept, Kind.MIXED)
    author, data = kept.transcript.posts[at]
    message = decode_message(data)
    fewer = replace(message.body, forwarded=message.body.forwarded - 1)  # type: ignore[type-var]
    kept.transcript.posts[at] = author, replace(message, body=fewer).encode()
    verdicts = judged(kept)
    assert verdicts["batches"] is False
    assert verdicts["digest"] is False


def test_marginals_that_the_curator_did_not_read_are_found(kept: Run) -> None:
    assert kept.transcript is not None
    first = kept.transcript.reads[0]
    counts = tuple({("N",): 29, ("Y",): 1} for _ in first.counts)
    kept.transcript.reads[0] = Read(first.reader, first.round, counts)
    verdicts = judged(kept)
    assert verdicts["decision"] is False
    assert verdicts["release"] is False
    assert verdicts["result"] is False


def test_a_refusal_that_was_not_told_is_found(kept: Run) -> None:
    assert kept.transcript is not None
    kept.transcript.refusals.append(Refusal("curator", 1, Reason.MALFORMED))
    assert judged(kept)["result"] is False


def test_published_marginals_are_taken_from_the_board(tmp_path: Path) -> None:
    public = change(load("blood-type"), {"policy.publish_marginals": True})
    record = read(save(run(public, 7, worst_case_nodes=0), tmp_path))
    (decision,) = [
        check for check in verify(record, wants_replay=False) if check.name == "decision"
    ]
    assert decision.ok
    assert "from the board" in decision.detail


def test_a_replay_that_gives_something_else_is_found(kept: Run) -> None:
    other = change(load("blood-type"), {"policy.k": 3, "policy.max_exposure": 0.9})
    changed = replace(kept, scenario=other)
    assert judged(changed, again=True)["replay"] is False


def test_what_cannot_be_replayed_says_why(kept: Run, tmp_path: Path) -> None:
    unseeded = claiming(kept, lambda r: r.update(seed=None))
    (replay,) = [check for check in verify(unseeded) if check.name == "replay"]
    assert replay.ok is None
    assert "system randomness" in replay.detail
    (tmp_path / "p.csv").write_text("a,b\n" + "x,y\nz,w\n" * 10, "utf-8")
    text = '[scenario]\nname = "s"\nseed = 1\n[population]\nsource = "p.csv"\n'
    text += "[policy]\nk = 2\nmax_exposure = 0.5\n"
    record = read(save(run(loads(text, base=tmp_path), worst_case_nodes=0), tmp_path))
    assert all(check.ok for check in verify(record))
    (tmp_path / "p.csv").unlink()
    (replay,) = [check for check in verify(record) if check.name == "replay"]
    assert replay.ok is None
    assert "cannot be read any more" in replay.detail


TOLD: dict[str, dict[str, object]] = {
    "hpke-x25519": {"mix.suite": "hpke-x25519"},
    "one shuffler": {"mix.shufflers": 1},
    "all columns": {"policy.kind": "all"},
    "nothing safe": {"policy.k": 30, "policy.max_exposure": 0.0},
    "unordered": {"mix.order": "kept"},
    "unpadded": {"mix.pad": False},
    "worst-case rule": {"policy.rule": "worst-case"},
    "theorem 3": {"policy.rule": "theorem3"},
    "publish": {"policy.publish_marginals": True},
}


@pytest.mark.slow
@pytest.mark.parametrize("name", TOLD)
@pytest.mark.parametrize("mode", ["real", "ideal"])
def test_honest_runs_of_every_kind_verify(name: str, mode: Any, tmp_path: Path) -> None:
    outcome = run(change(load("blood-type"), TOLD[name]), 7, mode, worst_case_nodes=0)
    checks = verify(read(save(outcome, tmp_path)))
    assert [check for check in checks if check.ok is False] == []


@pytest.mark.slow
def test_the_worst_case_is_checked_on_a_machine_ten_times_slower(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every clock that the search reads runs ten times as fast there: it decided without one."""
    outcome = run(change(load("blood-type"), {"policy.rule": "worst-case"}), 7, "ideal")
    assert outcome.decision
    kept = read(save(outcome, tmp_path))
    slow_down(monkeypatch, 10)
    checks = verify(kept)
    assert [check for check in checks if check.ok is False] == []
    again = run(outcome.scenario, 7, "ideal", worst_case_nodes=0)
    assert again.decision == outcome.decision
    assert outcome.decision.certificate.rule == "worst-case"


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["real", "ideal"])
def test_a_statistical_run_verifies(mode: Any, tmp_path: Path) -> None:
    text = '[scenario]\nname = "s"\nseed = 1\n[population]\nsource = "builtin:titanic"\n'
    text += 'setting = "statistical"\nusers = 301\nround2_users = 200\n'
    text += "[policy]\nk = 2\nmax_exposure = 0.5\n"
    outcome = run(loads(text), mode=mode, worst_case_nodes=0)
    checks = verify(read(save(outcome, tmp_path)))
    assert [check for check in checks if check.ok is False] == []


@pytest.mark.slow
@pytest.mark.parametrize("attack", ["absent", "late", "malformed", "duplicate"])
@pytest.mark.parametrize("users", [2, 12])
@pytest.mark.parametrize("number", [1, 2])
def test_runs_with_faults_verify(attack: str, users: int, number: int, tmp_path: Path) -> None:
    text = '[scenario]\nname = "s"\nseed = 1\n[population]\nsource = "builtin:blood-type"\n'
    text += "[policy]\nk = 2\nmax_exposure = 0.2\n"
    text += f'[[fault]]\nattack = "{attack}"\nusers = {users}\nround = {number}\n'
    outcome = run(loads(text), worst_case_nodes=0)
    checks = verify(read(save(outcome, tmp_path)))
    assert [check for check in checks if check.ok is False] == []


def test_require_names_each_failure() -> None:
    rows = (("a", True, ""), ("b", False, "why"), ("c", None, ""))
    checks = [CheckResult(name, "", ok, why, Shows.NEITHER) for name, ok, why in rows]
    with pytest.raises(VerificationError, match=r"^b: why$"):
        require(checks)
    require(checks[:1])


def test_a_copied_folder_verifies_too(folder: Path, tmp_path: Path) -> None:
    shutil.copytree(folder, tmp_path / "elsewhere")
    record = read(tmp_path / "elsewhere")
    assert record.result == read(folder).result
    assert False not in judged(record).values()
