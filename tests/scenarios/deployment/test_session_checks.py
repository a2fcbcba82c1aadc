"""The checks of a saved session: what holds, and a forgery for each that only it can find.

A forgery here is signed by all parties, so that no signature and no head gives it away.
"""

import shutil
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import forgery_kit as forgery
import pytest
import saved_kit as kit
from session_kit import ROWS
from veilmix.errors import StorageError, VerificationError
from veilmix.machines.saved_posts import POSTS
from veilmix.protocol.board import challenge_record
from veilmix.protocol.wire.announcement import Announcement, Rules, Setting
from veilmix.protocol.wire.frames import decode_message
from veilmix.protocol.wire.messages import (
    Accepted,
    Alarm,
    BallotMarks,
    Body,
    Burned,
    Cause,
    Closed,
    Decision,
    Head,
    Key,
    Mixed,
    OpenedCertificate,
    Tally,
)
from veilmix.protocol.wire.peer_messages import ShareSecret
from veilmix.protocol.wire.verified_messages import OpeningShares, ShuffledLists
from veilmix.scenarios.deployment import checks
from veilmix.scenarios.deployment import limits as session_limits
from veilmix.scenarios.deployment.checks import CHECKS, verify_session
from veilmix.scenarios.deployment.limits import (
    ALWAYS,
    CLOSED,
    COUNTED,
    CURATORS_COUNT,
    KEPT_AWAY,
    NO_AGREEMENT,
    OPENED,
    REPLACED,
    UNSIGNED,
    limits,
)
from veilmix.scenarios.deployment.saved_session import SessionEvidence, read_posts
from veilmix.scenarios.deployment.session_file import read_session
from veilmix.scenarios.records.identity_files import create

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mapping[str, kit.Saved]]:
    """One session of each kind."""
    sessions: dict[str, kit.Saved] = {}

    class Lazy(dict[str, kit.Saved]):
        def __missing__(self, kind: str) -> kit.Saved:
            rows = kit.WIDE if kind == "wide" else ROWS
            self[kind] = kit.play(tmp_path_factory.mktemp(kind), kind, rows)
            return self[kind]

    return Lazy(sessions)


def checked(saved: kit.Saved, posts: Any = None, *, agreement: bool = True) -> dict[str, Any]:
    """Return each check of some posts by its name."""
    evidence = SessionEvidence(posts or saved.posts, saved.session if agreement else None)
    return {check.name: check for check in verify_session(evidence)}


def failed(saved: kit.Saved, posts: Any, *, agreement: bool = True) -> dict[str, str]:
    """Return what the checks that fail have found."""
    made = checked(saved, posts, agreement=agreement)
    return {name: check.detail for name, check in made.items() if check.ok is False}


@pytest.mark.slow
@pytest.mark.parametrize("kind", kit.KINDS)
def test_a_session_that_was_played_verifies(kind: str, played: Mapping[str, kit.Saved]) -> None:
    made = checked(played[kind])
    assert not [check for check in made.values() if check.ok is False]
    assert list(made) == [name for name, _, _ in CHECKS]
    vouched = [name for name, check in made.items() if check.shows == "authenticity"]
    assert vouched == ["agreement", "signatures"]
    if "noisy" not in kind:
        assert all(made[name].ok for name in ("decision", "release", "exposure"))


@pytest.mark.parametrize("kind", ["public", "once"])
def test_without_the_agreement_nothing_is_authentic(
    kind: str, played: Mapping[str, kit.Saved]
) -> None:
    made = checked(played[kind], agreement=False)
    assert not [name for name, check in made.items() if check.shows == "authenticity"]
    assert [name for name, check in made.items() if check.ok is None][:2] == [
        "agreement",
        "terms",
    ]
    assert all(made[name].ok for name in ("signatures", "board", "decision", "exposure"))


def test_another_session_file_is_another_session(played: Mapping[str, kit.Saved]) -> None:
    one, other = played["public"], played["anyone"]
    wrong = failed(replace(one, session=other.session), one.posts)
    assert list(wrong) == ["agreement", "terms"]
    assert "session file" in wrong["agreement"]


def test_identities_are_those_of_the_file(played: Mapping[str, kit.Saved], tmp_path: Path) -> None:
    """The same session file, beside another identity of the curator."""
    saved = played["public"]
    for file in saved.folder.glob("*.toml"):
        if not file.name.startswith("curator."):
            shutil.copy(file, tmp_path)
    create(tmp_path, "curator")
    other = replace(saved, session=read_session(tmp_path / "session.toml"))
    wrong = failed(other, saved.posts)
    assert list(wrong) == ["agreement"]
    assert "identities" in wrong["agreement"]
    assert checked(other)["signatures"].shows == "consistency"


def test_a_post_that_is_not_legal_is_named_once(played: Mapping[str, kit.Saved]) -> None:
    saved = played["public"]
    posts = [*saved.posts]
    posts[3] = ("mallory", posts[3][1])
    made = checked(saved, posts)
    assert made["board"].detail == "post 4: mallory is no party"
    assert [name for name, check in made.items() if check.ok is False] == ["board"]
    posts[3] = ("shuffler-9", posts[3][1])
    assert failed(saved, posts)["board"].startswith("post 4, of shuffler-9: refused (")


def test_a_session_that_stops_early_is_not_verified(played: Mapping[str, kit.Saved]) -> None:
    saved = played["public"]
    at, _ = forgery.find(saved, Closed)
    wrong = failed(saved, saved.posts[:at])
    assert list(wrong) == ["board"]
    assert "was not closed" in wrong["board"]
    assert list(failed(saved, saved.posts[: at + 1])) == ["signatures"]  # no head of the end


def test_posts_that_nobody_signed_are_no_session(played: Mapping[str, kit.Saved]) -> None:
    saved = played["public"]
    at, _ = forgery.find(saved, Key)
    author, data = saved.posts[at]
    unsigned = replace(decode_message(data), seal=None).encode()
    wrong = failed(saved, [(author, unsigned)])
    assert "not signed" in wrong["agreement"]
    assert "not signed" in wrong["signatures"]


def announced(saved: kit.Saved, **fields: Any) -> dict[int, Body]:
    return forgery.changed(saved, Announcement, **fields)


def tally(saved: kit.Saved, which: int, **fields: Any) -> dict[int, Body]:
    return forgery.changed(saved, Tally, which, **fields)


def test_terms_are_those_of_the_file(played: Mapping[str, kit.Saved]) -> None:
    saved = played["public"]
    _, told = forgery.find(saved, Announcement)
    for fields, what in (
        ({"rules": replace(told.rules, min_batch=2)}, "rules"),
        ({"policy": replace(told.policy, k=2)}, "policy"),
    ):
        posts = forgery.forge(saved, announced(saved, **fields))
        assert failed(saved, posts)["terms"].startswith(what)
        assert not failed(saved, posts, agreement=False).keys() & {"signatures", "board"}


def test_an_account_that_does_not_add_up_is_found(played: Mapping[str, kit.Saved]) -> None:
    saved = played["public"]
    _, mixed = forgery.find(saved, Mixed)
    for fields in ({"people": mixed.people + 1}, {"forwarded": mixed.forwarded - 1}):
        posts = forgery.forge(saved, forgery.changed(saved, Mixed, **fields))
        assert list(failed(saved, posts)) == ["accounts"]
    _, mixed = forgery.find(saved, Mixed, -1)
    posts = forgery.forge(saved, forgery.changed(saved, Mixed, -1, forwarded=mixed.forwarded - 1))
    assert failed(saved, posts)["accounts"].startswith("round 2")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "field", "why"),
    [
        (ShuffledLists, "proofs", "round 1: the shuffle of {} does not check"),
        (OpeningShares, "shares", "round 1: the decryption shares of {} do not check"),
    ],
)
def test_a_proof_that_does_not_hold_is_found(
    kind: type[Any], field: str, why: str, played: Mapping[str, kit.Saved]
) -> None:
    """Every party has signed the record with a proof of zeros, and counted on."""
    saved = played["verified"]
    at, body = forgery.find(saved, kind)
    first, *others = getattr(body, field)
    forged = replace(body, **{field: (first[:-64] + bytes(64), *others)})
    wrong = failed(saved, forgery.forge(saved, {at: forged}))
    assert list(wrong) == ["proofs"]
    author, _ = saved.posts[at]
    assert why.format(author) in wrong["proofs"]


def test_limits_of_a_proved_mix_are_fewer(played: Mapping[str, kit.Saved]) -> None:
    for kind, secret in (
        ("verified", {CURATORS_COUNT}),
        ("once", set()),
        ("verified-noisy", set()),  # the analyst reads its only round
    ):
        saved = played[kind]
        said = {
            f"{limit.subject}: {limit.text}" for limit in limits(SessionEvidence(saved.posts, None))
        }
        assert {*ALWAYS, KEPT_AWAY, *secret} <= said
        assert said.isdisjoint({COUNTED, REPLACED, UNSIGNED, *({CURATORS_COUNT} - secret)})


def test_too_few_people_burn_a_round(played: Mapping[str, kit.Saved]) -> None:
    saved = played["public"]
    posts = forgery.forge(saved, forgery.smaller(saved, 2, 9))
    assert "the smallest batch that hides is 10" in failed(saved, posts)["people"]
    posts = forgery.forge(saved, forgery.smaller(saved, 2, 19))
    assert "1 of 20 people are missing" in failed(saved, posts)["people"]
    posts = forgery.forge(saved, forgery.smaller(saved, 1, 9))
    assert failed(saved, posts)["people"].startswith("round 1 was not burned: ")


@pytest.mark.parametrize("counted", [(30, 20, 19), (19, 30, 20), (20, 19, 30)])
def test_a_round_is_compared_with_every_earlier_one(counted: tuple[int, ...]) -> None:
    policy, rules = SimpleNamespace(setting=Setting.FIXED), Rules(min_batch=10, min_dropout=10)
    board = SimpleNamespace(
        tallies=[SimpleNamespace(totals=(people,)) for people in counted],
        account=lambda number, _: SimpleNamespace(people=counted[number - 1]),
        burned=None,
    )
    evidence = SimpleNamespace(board=board, announced=SimpleNamespace(policy=policy, rules=rules))
    with pytest.raises(VerificationError, match="1 of"):
        checks.people(evidence)  # type: ignore[arg-type]


def test_accepted_people_must_have_signed(played: Mapping[str, kit.Saved]) -> None:
    saved = played["challenge"]
    at, accepted = forgery.find(saved, Accepted)
    first, *rest = accepted.people
    lie = Accepted((replace(first, digest=bytes(32)), *rest))
    wrong = failed(saved, forgery.forge(saved, {at: lie}))
    assert wrong["guards"] == "round 1: an accepted envelope is not signed by its user"


def test_few_accepted_people_burn_a_round(played: Mapping[str, kit.Saved]) -> None:
    saved = played["challenge"]
    at, accepted = forgery.find(saved, Accepted, 1)
    heard, marks = forgery.find(saved, BallotMarks, 1)
    changes = forgery.smaller(saved, 2, 19)
    changes |= {at: Accepted(accepted.people[:-1]), heard: BallotMarks(marks.hashes[:-1])}
    hidden, _ = forgery.find(saved, OpenedCertificate)
    wrong = failed(saved, forgery.forge(saved, {**changes, hidden: None}))
    assert "1 people were accepted in one of two rounds only" in wrong["guards"]


def test_a_proved_loss_opens_nothing(
    played: Mapping[str, kit.Saved], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What proves a loss is tested in tests/roles/test_challenge.py."""
    saved = played["challenge"]
    at, _ = forgery.find(saved, ShareSecret)
    posts = forgery.forge(saved, {}, added={at: ("shuffler-1", Alarm(1, Cause.CHANGED))})
    assert not failed(saved, posts)
    monkeypatch.setattr(challenge_record, "borne_out", lambda *_: True)
    assert failed(saved, posts) == {
        "guards": "round 1: shuffler-1 has proved that a ballot is missing"
    }
    posts = forgery.forge(saved, {}, added={at: ("shuffler-1", Alarm(1, Cause.BALANCE))})
    assert not failed(saved, posts)
    at, _ = forgery.find(saved, ShareSecret, -1)
    posts = forgery.forge(saved, {}, added={at: ("shuffler-1", Alarm(2, Cause.CHANGED))})
    assert failed(saved, posts)["guards"].startswith("round 2: shuffler-1 has proved")


def test_alarms_are_told_and_judged(played: Mapping[str, kit.Saved]) -> None:
    saved = played["public"]
    at, _ = forgery.find(saved, Decision)
    posts = forgery.forge(saved, {}, added={at: ("shuffler-1", Alarm(1, Cause.BALANCE))})
    alarms = checked(saved, posts)["alarms"]
    assert alarms.ok
    assert alarms.detail == "shuffler-1: balance, round 1, not borne out by the board"


def test_a_decision_follows_from_the_counts(played: Mapping[str, kit.Saved]) -> None:
    saved = played["public"]
    at, told = forgery.find(saved, Decision)
    other = replace(told, certificate=replace(told.certificate, rule="coverage", thresholds=(9.0,)))
    assert "makes another decision" in failed(saved, forgery.forge(saved, {at: other}))["decision"]
    wrong = failed(saved, forgery.forge(saved, {at: other}), agreement=False)
    assert "found threshold 9; a count that occurs in column 0" in wrong["decision"]


def test_an_opened_certificate_is_proved_from_the_release(
    played: Mapping[str, kit.Saved],
) -> None:
    saved = played["secret"]
    at, told = forgery.find(saved, Tally, -1)
    (cells,) = told.counts
    first, second = cells
    lie = ({first: cells[first] + 9, second: cells[second] - 9},)
    wrong = failed(saved, forgery.forge(saved, {at: replace(told, counts=lie)}))
    assert list(wrong) == ["decision"]
    assert "claims 0 people" in wrong["decision"]


def test_a_release_fits_what_was_counted_before(played: Mapping[str, kit.Saved]) -> None:
    saved = played["public"]
    at, told = forgery.find(saved, Tally, -1)
    (cells,) = told.counts
    first, second = cells
    lie = ({first: cells[first] + 1, second: cells[second] - 1},)
    wrong = failed(saved, forgery.forge(saved, {at: replace(told, counts=lie)}))
    assert list(wrong) == ["release"]


@pytest.mark.parametrize("wrong", [0, 1])
def test_a_release_fits_every_round_before(
    played: Mapping[str, kit.Saved], monkeypatch: pytest.MonkeyPatch, wrong: int
) -> None:
    saved = played["public"]
    heard = SessionEvidence(saved.posts, saved.session).counted_rounds[0]
    rounds = [heard, replace(heard)]
    monkeypatch.setattr(checks, "_comparable", lambda _: rounds)
    monkeypatch.setattr(checks, "disagreement", lambda result, *_: result is rounds[wrong])
    assert list(failed(saved, saved.posts)) == ["release"]


@pytest.mark.parametrize("agreement", [True, False])
def test_more_exposed_people_than_promised_are_found(
    played: Mapping[str, kit.Saved],
    agreement: bool,
) -> None:
    """Where people have left, the certificate stays closed, and the release alone tells."""
    saved = played["secret"]
    at, told = forgery.find(saved, Tally, -1)
    (first, second), (hidden, _) = told.counts[0], forgery.find(saved, OpenedCertificate)
    changes = {**forgery.smaller(saved, 2, 10), hidden: None}
    changes[at] = replace(changes[at], counts=({first: 8, second: 2},))
    wrong = failed(saved, forgery.forge(saved, changes), agreement=agreement)
    assert list(wrong) == ["exposure"]
    assert "the promised bound does not hold" in wrong["exposure"]


def test_a_certificate_that_may_be_opened_must_be(played: Mapping[str, kit.Saved]) -> None:
    saved = played["secret"]
    at, _ = forgery.find(saved, OpenedCertificate)
    wrong = failed(saved, forgery.forge(saved, {at: None}))
    assert list(wrong) == ["opening"]


def test_heads_are_due_at_every_call_and_at_the_end(played: Mapping[str, kit.Saved]) -> None:
    saved = played["public"]
    at, _ = forgery.find(saved, Head, -1)
    assert list(failed(saved, forgery.forge(saved, {at: None}))) == ["signatures"]


def test_a_burned_session_verifies_without_a_release(played: Mapping[str, kit.Saved]) -> None:
    saved = played["public"]
    at, _ = forgery.find(saved, Mixed)
    end, _ = forgery.find(saved, Closed)
    changes: dict[int, Body | None] = dict.fromkeys(range(at + 1, end))
    posts = forgery.forge(saved, {**changes, at: None}, added={at: ("curator", Burned("few"))})
    made = checked(saved, posts)
    assert not [check for check in made.values() if check.ok is False]
    assert made["board"].detail.startswith(f"{len(posts)} posts, burned: few; digest ")
    assert made["release"].ok is None


def test_limits_are_those_of_the_session(played: Mapping[str, kit.Saved]) -> None:
    for kind, more in (("secret", {OPENED}), ("public", set()), ("challenge", {OPENED})):
        saved = played[kind]
        said = {
            f"{limit.subject}: {limit.text}"
            for limit in limits(SessionEvidence(saved.posts, saved.session))
        }
        assert {*ALWAYS, *more} <= said
        assert not said & {NO_AGREEMENT, CLOSED}
        assert any(sentence.startswith("ballots: ") for sentence in said)
        assert any("registered" in sentence for sentence in said) == (kind != "challenge")
    stranger = limits(SessionEvidence(played["anyone"].posts, None))
    assert {"agreement", "people"} <= {limit.subject for limit in stranger}


def test_the_page_lists_every_limit_and_every_check() -> None:
    page = " ".join((ROOT / "docs" / "evidence.md").read_text("utf-8").split())
    constants = [text for name, text in vars(session_limits).items() if name.isupper()]
    texts = [*session_limits.ALWAYS, *(text for text in constants if isinstance(text, str))]
    assert len(texts) > 10
    for limit in texts:
        subject, text = limit.split(": ", 1)
        assert f"* **{subject}**: {text}." in page
    assert all(f"| {name} | " in page for name, _, _ in CHECKS)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('{"author": "curator"', "line 1: is cut off"),
        ("[]\n", "line 1: .*a JSON object of texts"),
        ('{"author": "curator"}\n', "line 1: found the fields author; author and post"),
        ('{"author": "curator", "post": "0g"}\n', "line 1: post: hexadecimal"),
        ("", "is empty"),
    ],
)
def test_a_line_that_is_no_post_is_named(tmp_path: Path, text: str, why: str) -> None:
    (tmp_path / POSTS).write_text(text, "utf-8")
    with pytest.raises(StorageError, match=why):
        read_posts(tmp_path)


def test_saved_posts_hold_no_secret(played: Mapping[str, kit.Saved]) -> None:
    """Neither a key of a party, a seed, nor what a person has sealed."""
    for kind in ("secret", "challenge", "tokens"):
        saved = played[kind]
        whole = b"".join(data for _, data in saved.posts)
        assert len(secrets := set(saved.secrets())) > 60
        assert not [secret for secret in secrets if secret in whole]
        assert not [secret for secret in secrets if secret.hex().encode() in whole]
