"""Sessions between machines with a verified mix: killed places, users that are gone, the record."""

import sys
from pathlib import Path
from typing import Any

import pytest
import session_kit as KIT
from veilmix.errors import ScenarioError
from veilmix.scenarios.deployment.checks import verify_session
from veilmix.scenarios.deployment.saved_session import SessionEvidence, read_posts
from veilmix.scenarios.deployment.session_file import read_session

PROVED = '[mix]\nkind = "verified"\n[defence]\nregistered = true\n'
ONCE = PROVED.replace("[defence]", 'submit = "once"\n[defence]')
HALLS = {"hall": KIT.Hall(1, KIT.ROWS[:12]), "annex": KIT.Hall(13, KIT.ROWS[12:])}
DISK = ("--durable", "disk")
LINUX = pytest.mark.skipif(sys.platform != "linux", reason="types bash")


@LINUX
@pytest.mark.slow
def test_keyholders_that_are_killed_go_on_and_the_record_is_proved(
    tmp_path: Path, started: Any
) -> None:
    session = KIT.Session(tmp_path, started, PROVED, halls=HALLS)
    session.start_all(*DISK, own={"hall": ("--save", "posts")})
    for place, post in (("shuffler-1", "shuffler-1: keys"), ("curator", "shuffler-1: shuffled")):
        session.heard(place, "entry", post)
        session.kill(place)
        session.start(place, *DISK)
    for place in (*KIT.PARTIES, *HALLS):
        assert session.ended(place) == 0, session.said(place)
    assert session.out("annex") == KIT.RELEASED
    posts = read_posts(tmp_path / "posts")
    checks = verify_session(SessionEvidence(posts, read_session(session.path)))
    assert not [check for check in checks if check.ok is False]
    (proofs,) = [check for check in checks if check.name == "proofs"]
    assert proofs.ok
    assert proofs.detail.startswith("60 ballots, 6 shuffles and 140 decryption shares in 2 rounds")


@LINUX
@pytest.mark.slow
def test_users_that_are_gone_after_round_1_are_in_the_release_if_they_submit_once(
    tmp_path: Path, started: Any
) -> None:
    session = KIT.Session(tmp_path, started, ONCE, halls=HALLS)
    session.start_all()
    session.heard("annex", "entry", "curator: tally")
    session.kill("annex")
    for place in (*KIT.PARTIES, "hall"):
        assert session.ended(place) == 0, session.said(place)
    assert session.out("hall") == KIT.RELEASED


@pytest.mark.parametrize(
    ("more", "found"),
    [
        (PROVED.replace("true", "false"), 'defence.registered: with mix.kind = "verified"'),
        (PROVED + "tokens = true\n", "defence.tokens: "),
        ('[mix]\nsubmit = "once"\n', 'mix.submit: mix.submit = "once" needs mix.kind = "verified"'),
    ],
)
def test_what_the_mix_does_not_take_is_refused_by_name(
    more: str, found: str, tmp_path: Path
) -> None:
    session = KIT.Session(tmp_path, lambda *_, **__: None, more, halls=HALLS)
    with pytest.raises(ScenarioError) as refused:
        read_session(session.path)
    assert f"session.toml: {found}" in str(refused.value)


def test_an_answer_that_no_ballot_holds_is_refused(tmp_path: Path) -> None:
    """A ballot of round 2 may have to hold all columns."""
    asked = "".join(f'[[feature]]\nname = "{n}"\nvalues = ["no", "yes"]\n' for n in range(140))
    head = f'title = "long"\n{asked}[policy]\nk = 3\nmax_exposure = 0.05\n'
    halls = {"hall": KIT.Hall(1, [["no"] * 140] * 12)}
    session = KIT.Session(tmp_path, lambda *_, **__: None, PROVED, head, halls)
    with pytest.raises(ScenarioError, match="bytes, and at most 29 are accepted"):
        read_session(session.path)
    (tmp_path / "once").mkdir()
    read_session(KIT.Session(tmp_path / "once", lambda *_, **__: None, ONCE, head, halls).path)
