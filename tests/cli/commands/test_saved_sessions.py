"""`veilmix verify` of a saved session, and `veilmix observe`, as typed."""

import json
from pathlib import Path
from typing import Any

import pytest
import saved_kit as kit


@pytest.fixture
def typed(typed: Any) -> Any:
    """Run a command whose arguments may be paths."""
    return lambda *words: typed(*map(str, words))


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> kit.Saved:
    """A session that was played, with its posts in the folder `posts`."""
    session = kit.play(tmp_path_factory.mktemp("session"), "public")
    session.save(session.folder / "posts")
    return session


def test_a_saved_session_is_recognised(saved: kit.Saved, typed: Any) -> None:
    said = typed("verify", saved.folder / "posts", "--session", saved.session_path)
    assert said.code == 0
    assert "authenticity is shown by: agreement, signatures" in said.out
    assert "No post of a session shows:" in said.out
    made = json.loads(typed("verify", saved.folder / "posts", "--format", "json").out)
    assert {check["shows"] for check in made} == {"consistency", "nothing"}


def test_a_forged_session_is_exit_code_3(saved: kit.Saved, typed: Any, tmp_path: Path) -> None:
    saved.save(tmp_path, saved.posts[:-1])
    said = typed("verify", tmp_path, "--session", saved.session_path)
    assert said.code == 3
    assert "this session does not verify: 1 check failed (signatures)" in said.err


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (("--replay",), "--identities and --replay are accepted for runs only"),
        (("--identities", "SESSION"), "--identities and --replay are accepted for runs only"),
    ],
)
def test_options_of_runs_are_refused(
    saved: kit.Saved, typed: Any, options: tuple[str, ...], why: str
) -> None:
    words = [str(saved.session_path) if word == "SESSION" else word for word in options]
    said = typed("verify", saved.folder / "posts", *words)
    assert said.code == 2
    assert why in " ".join(said.err.split())


def test_a_run_has_no_session_file(saved: kit.Saved, typed: Any, tmp_path: Path) -> None:
    said = typed("verify", tmp_path, "--session", saved.session_path)
    assert said.code == 2
    assert "is no saved session, as it has no file posts.jsonl" in " ".join(said.err.split())


@pytest.mark.slow
def test_an_observer_names_the_board_once(saved: kit.Saved, typed: Any, tmp_path: Path) -> None:
    save, known = ("--save", tmp_path / "new"), saved.folder / "board.pub.toml"
    said = typed("observe", "https://127.0.0.1:1", *save)
    assert (said.code, "missing for the board https://127.0.0.1:1;" in said.err) == (2, True)
    said = typed("observe", saved.session_path, "--known", known, *save)
    assert (said.code, "has the identity of its board" in said.err) == (2, True)
    said = typed("observe", saved.session_path, *save, "--patience", "1")
    assert said.code == 2
    assert "the board was not reached for 1 seconds" in said.err
    assert (tmp_path / "new" / "posts.jsonl").read_bytes() == b""


def test_a_class_is_kept_by_its_poll(typed: Any, tmp_path: Path) -> None:
    said = typed("serve", "shuffler-1", "http://127.0.0.1:1/ABC", "--save", tmp_path / "new")
    assert (said.code, "`veilmix poll` keeps its record" in said.err) == (2, True)
