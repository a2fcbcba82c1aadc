"""What the commands say of a run with a verified mix."""

from pathlib import Path

import pytest
from veilmix.presentation.wording import AUDITED

FILE = """
[scenario]
name = "small"
seed = 5
[population]
source = "builtin:titanic"
users = 12
[mix]
kind = "verified"
[policy]
max_exposure = 0.9
"""


@pytest.mark.slow
def test_a_run_says_what_is_claimed_and_can_be_verified(tmp_path: Path, typed) -> None:
    Path("small.toml").write_text(FILE, "utf-8")
    said = typed("run", "small.toml")
    text = " ".join(said.out.split())
    assert said.code == 0
    assert "48 ballots -> curator" in text
    assert "a proof sketch, not machine-checked" in text
    assert "Each proof was checked once for all keyholders of one process" in text
    checked = typed("verify", "runs/small-0005")
    assert checked.code == 0, checked.out
    assert "60 ballots, 10 shuffles" in checked.out
    assert "What this record proves (docs/verified.md):" in checked.out
    text = " ".join(checked.out.split())
    assert "NO round 1: the counts of 4 questions are what the ballots hold (why not" in text
    assert "yes round 2: the counts are what the 12 listed ballots hold (if" in text
    shown = typed("show", "runs/small-0005", "--as", "shuffler-1")
    assert "round 1: holds 1 of the 3 keys that open an answer" in shown.out
    told = typed("leak", "runs/small-0005")
    assert "a proof sketch, not machine-checked" in " ".join(told.out.split())


@pytest.mark.slow
@pytest.mark.parametrize("public", [False, True], ids=["secret", "public"])
def test_a_run_says_what_all_shufflers_link(public: bool, typed) -> None:
    text = FILE + "publish_marginals = true\n" * public
    Path("small.toml").write_text(text, "utf-8")
    known = "answer" if public else "released row"
    said = " ".join(typed("run", "small.toml").out.split())
    assert f"linked by both shufflers 12 of 12 know whose each {known} is" in said
    assert "Minimal linking coalitions (honest-but-curious): shuffler-1 + shuffler-2" in said


@pytest.mark.slow
def test_a_run_says_what_submitting_once_gives_and_costs(typed) -> None:
    said = typed("run", "submit-once")
    text = " ".join(said.out.split())
    price = (
        "2 shufflers and the analyst together could read of each user also B, not released; users "
        "could not stop after the decision"
    )
    assert said.code == 0
    assert "36 ballots -> curator" in text
    assert f"no user was missing between the rounds. Price: {price}" in text
    checked = typed("verify", "runs/submit-once-0003")
    assert checked.code == 0, checked.out
    assert "and round 2 mixes the ballots of round 1" in " ".join(checked.out.split())
    shown = typed("show", "runs/submit-once-0003", "--as", "analyst+shuffler-1+shuffler-2")
    assert "round 1: holds all of the 3 keys that open an answer" in shown.out
    told = typed("leak", "runs/submit-once-0003")
    assert price in " ".join(told.out.split())
    assert "Minimal linking coalitions (honest-but-curious): shuffler-1 + shuffler-2" in told.out


def test_a_check_counts_ballots_and_multiplications(typed) -> None:
    Path("small.toml").write_text(FILE, "utf-8")
    said = typed("check", "small.toml")
    text = " ".join(said.out.split())
    assert said.code == 0, said.err
    assert "encrypts its answers to 4 questions under keys of which shuffler-1" in text
    assert "multiplications in the group ristretto255" in text
    assert "A party that checks everything makes " in text
    assert "layers" not in text
    assert "onion" not in text
    assert "a proof sketch, not machine-checked" in text


@pytest.mark.slow
def test_a_comparison_says_by_what_coalitions_are_shown(typed) -> None:
    Path("small.toml").write_text(FILE, "utf-8")
    said = typed("compare", "small.toml", "--programs", "exposure,verified", "--no-save")
    assert said.code == 0, said.err
    assert "who must collude, and how that is shown" in said.out
    assert "by proof: a coalition of all these" in " ".join(said.out.split())
    onions = typed("compare", "small.toml", "--programs", "exposure", "--no-save")
    assert "proof" not in onions.out


def test_what_is_of_onions_alone_says_so(typed) -> None:
    Path("small.toml").write_text(FILE, "utf-8")
    assert typed("run", "small.toml").code == 0
    for command in (
        ("attack", "small.toml"),
        ("leak", "runs/small-0005", "--cheating"),
        ("leak", "runs/small-0005", "--search"),
    ):
        said = typed(*command)
        text = " ".join(said.err.split())
        assert said.code == 2
        assert 'needs an onion mix, and mix.kind = "verified" is set; instead, docs/ver' in text
        assert "eight shipped scenarios such as verified-exchange" in text
    said = typed("theatre", "small.toml", "--live")
    assert said.code == 2
    assert "the theatre needs an onion mix" in " ".join(said.err.split())


def test_a_check_of_a_single_submission_says_what_it_takes_and_costs(typed) -> None:
    said = typed("check", "submit-once")
    text = " ".join(said.out.split())
    assert said.code == 0, said.err
    assert "again under keys of shuffler-1, shuffler-2 and the analyst with a proof" in text
    assert "Nobody is asked again: the analyst checks all ballots of round 1" in text
    assert "could read each column of each user, also columns that are not released" in text
    assert "2 A x B x Rh analyst 0 0" in text
    assert "answer once more" not in text


@pytest.mark.slow
def test_a_run_with_audits_says_what_they_open(typed) -> None:
    audited = FILE.replace('kind = "verified"', "shufflers = 2") + "[defence]\naudit = true\n"
    Path("small.toml").write_text(audited, "utf-8")
    said = typed("run", "small.toml", "--no-save")
    assert AUDITED in " ".join(said.out.split())
