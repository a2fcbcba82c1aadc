"""A class whose phones add noise: what is published, what is promised, and what nobody can know."""

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from class_kit import noisy
from phone_kit import Class, Client, together
from pupil_kit import KEPT, alone, narrow
from veilmix.analysis.randomizers import GRR
from veilmix.cli import main
from veilmix.cli.commands.mix import say_release
from veilmix.poll.noise import AnswerShare, at_most, lines
from veilmix.poll.record import outcome_of_phones
from veilmix.scenarios.records.run_folder import read, save
from veilmix.scenarios.records.verification.checks import verify

pytestmark = pytest.mark.slow

VALUES = (("never", "once", "often"), ("yes", "no"))


def failed(folder: Path) -> list[str]:
    return [check.name for check in verify(read(folder)) if check.ok is False]


CLAIMS: tuple[tuple[Callable[[Any], None], str], ...] = (
    (
        lambda findings: findings["features"][0].update(truth=[1.0, 0.0, 0.0]),
        "the answers arrived with noise",
    ),
    (lambda findings: findings["privacy"].update(information=0.0), "information"),
)


def claimed(folder: Path, change: Callable[[Any], None]) -> str:
    """Why a record of which something is changed does not hold."""
    place = folder / "result.json"
    kept = place.read_text("utf-8")
    result = json.loads(kept)
    change(result["findings"])
    place.write_text(json.dumps(result), "utf-8")
    (estimates,) = (check for check in verify(read(folder)) if check.name == "estimates")
    place.write_text(kept, "utf-8")
    assert estimates.ok is False
    return estimates.detail


def test_reports_are_estimated_and_the_truth_is_said_to_be_unknown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [("never", "yes")] * 4 + [("once", "no")] * 3 + [("never", "no")]  # what phones say
    with Class(noisy(tmp_path), 8) as room:
        clients = [Client(room.address, f"pupil {i}", row) for i, row in enumerate(rows)]
        together(clients)
    assert all(client.counted() == [True] for client in clients)
    outcome = outcome_of_phones(room.scenario, room.done())
    assert outcome is not None
    assert outcome.release == {
        ("copied", "never"): 5, ("copied", "once"): 3, ("slept", "yes"): 4, ("slept", "no"): 4,
    }  # fmt: skip
    copied, slept = outcome.findings.features
    known = GRR(3, 1.5).estimate_tally([5, 3, 0], 8)
    assert copied.shares == pytest.approx(known.shares.tolist())
    assert copied.errors == pytest.approx(known.errors.tolist())
    assert (copied.truth, copied.error, slept.truth) == ((), None, ())
    assert outcome.reidentification is None
    told = room.done().room.noisy_result
    assert told is not None
    assert [share.share for share in told.shares["copied"]] == list(copied.shares)
    assert told.local == 3
    assert outcome.findings.privacy.together.hockey_stick == told.shuffled <= told.local
    assert clients[0].facts["noise"]["shuffled"] == told.shuffled
    assert "copied: never  too few to say anything (95 %: 25.0 % to 100.0 % of people)" in lines(
        told
    )
    say_release(room.done().board, room.scenario)  # what whoever mixes is left with
    printed = capsys.readouterr().out.split()
    assert printed[0] == "feature,report,count"
    assert sorted(printed[1:]) == ["copied,never,5", "copied,once,3", "slept,no,4", "slept,yes,4"]
    folder = save(outcome, tmp_path)
    checks = {check.name: check.ok for check in verify(read(folder))}
    assert [name for name, ok in checks.items() if ok is False] == []
    assert checks["estimates"] is True
    for words in (["leak"], ["report"], ["verify"]):
        assert main([words[0], str(folder), *words[1:]]) == 0
    page = (folder / "report.html").read_text("utf-8")
    assert "the true shares are unknown" in page
    assert "nan" not in capsys.readouterr().out
    for change, said in CLAIMS:
        assert said in claimed(folder, change)


def test_phones_in_chromium_add_the_noise_themselves(
    new_phone: Callable[[str], Any], tmp_path: Path
) -> None:
    with Class(noisy(tmp_path), 3, simulated=4) as room:
        wall = new_phone(f"{room.address}/theatre")
        wall.set_viewport_size({"width": 1366, "height": 768})
        pages = [new_phone(room.address) for _ in range(3)]
        for number, page in enumerate(pages):
            alone(page, f"pupil {number}", (0, 1))
        for page in pages:
            page.wait_for_selector("h1:has-text('This was published')")
            page.wait_for_selector("text=After the mix")
        told = [str(page.inner_text("main")) for page in pages]
        kept = [json.loads(page.evaluate(KEPT)) for page in pages]
        wall.wait_for_selector("#told:not([hidden])")
        shown = str(wall.inner_text("#told"))
        assert all(narrow(page) for page in pages)
    outcome = outcome_of_phones(room.scenario, room.done())
    assert outcome is not None
    assert [storage["row"] for storage in kept] == [["never", "no"]] * 3  # it stays on the phone
    said = [storage["rounds"]["1"]["answers"] for storage in kept]
    held = room.done().room
    reports = Counter(
        answer
        for made in outcome.transcript.sealed_answers
        if made.user not in held.simulated
        for answer in (f"{column} {ballot.values[0]}"
                       for column, ballot in zip(("copied", "slept"), made.answers, strict=True))
    )  # fmt: skip
    assert reports == Counter(answer for answers in said for answer in answers)
    assert sum(outcome.release.values()) == 2 * 7
    for feature in outcome.findings.features:
        for share, low, high in zip(feature.shares, feature.low, feature.high, strict=True):
            said = AnswerShare("", share, low, high).says
            assert all(said in words for words in (*told, shown))
            assert all(f"{100 * low:.1f} % to {100 * high:.1f} %" in words for words in told)
    promise = f"epsilon is at most {at_most(held.noisy_result.shuffled)} nats"
    assert all("local epsilon = 3 nats" in words and promise in words for words in told)
    assert "Local epsilon = 3 nats" in shown
    assert "answers of 3 people" in shown  # those who are simulated hide nobody
    assert failed(save(outcome, tmp_path)) == []
