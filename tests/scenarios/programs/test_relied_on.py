"""Epsilon after shuffling is for the people who are assumed to tell nobody their reports."""

from pathlib import Path

from veilmix.presentation.presenters.noise_scores import privacy_rows
from veilmix.scenarios.lab.play.run import run
from veilmix.scenarios.lab.scoring.outcome import Outcome
from veilmix.scenarios.lab.validation.load import loads
from veilmix.scenarios.programs.randomized import privacy as local_told
from veilmix.scenarios.programs.randomized.score import Randomized
from veilmix.scenarios.programs.registry import noisy_questions, samples
from veilmix.scenarios.records.run_folder import read, save
from veilmix.scenarios.records.verification.checks import verify
from veilmix.scenarios.schema.model import Scenario


def scenario(mechanism: str, users: int = 40, more: str = "") -> Scenario:
    return loads(
        f'[scenario]\nname = "s"\n[population]\nsource = "builtin:blood-type"\nusers = {users}\n'
        f'[policy]\nkind = "histogram"\n[local]\nmechanism = "{mechanism}"\nepsilon = 3\n' + more
    )


def local(outcome: Outcome) -> Randomized:
    assert isinstance(outcome.findings, Randomized)
    return outcome.findings


def test_epsilon_after_shuffling_is_for_those_relied_on(tmp_path: Path) -> None:
    """It is that of a batch of so many people, and a board says no less."""
    asked = noisy_questions(scenario("bit-flip", 40), samples(scenario("bit-flip"), 1).people)
    outcome = run(scenario("bit-flip", 40, more="relied_on = 25\n"), 5)
    (told,) = local(outcome).privacy.shuffled
    (few,), _ = local_told.after_shuffling(asked, [25])
    (all_of_them,), _ = local_told.after_shuffling(asked, [40])
    assert told.hockey_stick == few.hockey_stick > all_of_them.hockey_stick
    assert (told.reports, told.relied_on, told.adjacency) == (40, 25, "replace one")
    assert (all_of_them.relied_on, local(outcome).budget.adjacency) == (None, "replace one")
    assert local(outcome).epsilon == 3  # the local one relies on nobody
    printed = [meaning for _, _, meaning in privacy_rows(local(outcome))]
    assert sum("40 reports, if 25 people tell nobody theirs" in each for each in printed) == 1
    table = outcome.frames.epsilons
    assert set(table["adjacency"]) == {"replace one"}
    assert dict(zip(table["of"], table["relied_on"], strict=True)) == {
        "local": None,
        "local: one feature": None,
        f"shuffled: {told.feature}": 25,
    }
    assert (table["nats"][0], table["delta"][0]) == (3, 0)
    assert (table["nats"][2], table["at_least"][2]) == (
        told.hockey_stick,
        told.hockey_stick_at_least,
    )
    folder = save(outcome, tmp_path)
    assert not [check for check in verify(read(folder), wants_replay=False) if check.ok is False]
    path = folder / "result.json"
    path.write_text(path.read_text("utf-8").replace('"relied_on": 25', '"relied_on": 40'), "utf-8")
    wrong = [str(check) for check in verify(read(folder), wants_replay=False) if check.ok is False]
    assert any("epsilons after shuffling" in check for check in wrong)


def test_those_who_took_part_are_relied_on_at_most() -> None:
    """Of several questions the fewest reports count together."""
    asked = noisy_questions(scenario("grr", 40), samples(scenario("grr"), 1).people)
    each, whole = local_told.after_shuffling(asked, [10, 30, 40], relied_on=35)
    plain, together = local_told.after_shuffling(asked, [10, 30, 35])
    assert [bound.relied_on for bound in each] == [10, 30, 35]
    assert [bound.hockey_stick for bound in each] == [bound.hockey_stick for bound in plain]
    assert whole is not None
    assert together is not None
    assert (whole.relied_on, whole.hockey_stick) == (10, together.hockey_stick)
