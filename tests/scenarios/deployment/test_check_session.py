"""tools/check_session.py: a reader of saved sessions that shares no code with veilmix."""

import ast
import json
import random
import re
import shutil
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import check_session
import forgery_kit as forgery
import pytest
import saved_kit as kit
from session_kit import ROWS
from veilmix.errors import Reason
from veilmix.protocol.wire.messages import Body, Call, Mixed, OpenedCertificate, Tally
from veilmix.scenarios.deployment.checks import verify_session
from veilmix.scenarios.deployment.saved_session import SessionEvidence
from veilmix.scenarios.programs.curated.rules import as_certificate, bound
from veilmix.scenarios.schema.model import Policy

KINDS = ("secret", "public", "noisy", "wide")
SEED, FEW, MANY = 41, 80, 1_000
Changes = dict[int, Body | None]
VECTORS = sorted((Path(__file__).parents[2] / "protocol" / "vectors").glob("*.json"))


@pytest.fixture(scope="module")
def sessions(tmp_path_factory: pytest.TempPathFactory) -> Sequence[kit.Saved]:
    """A session of each kind that this reader checks."""
    return [
        kit.play(tmp_path_factory.mktemp(kind), kind, kit.WIDE if kind == "wide" else ROWS)
        for kind in KINDS
    ]


def lines(posts: Sequence[kit.Post]) -> list[str]:
    """Return posts as they are saved."""
    return [json.dumps({"author": author, "post": data.hex()}) for author, data in posts]


def checked(saved: kit.Saved, posts: Sequence[kit.Post], *, agreement: bool = True) -> list[str]:
    return check_session.check_posts(lines(posts), saved.session_path if agreement else None)


def test_sessions_that_were_played_hold(sessions: Sequence[kit.Saved]) -> None:
    said = {kind: checked(saved, saved.posts) for kind, saved in zip(KINDS, sessions, strict=True)}
    proved = "20 people released, 0 of them exposed; its certificate is proved"
    assert said["secret"][1] == said["public"][1] == proved
    assert said["noisy"][1] == "20 people reported with noise"
    assert said["wide"][1].startswith("52 people released")
    assert {words[2] for words in said.values()} == {"whose keys they are: of the session file"}
    stranger = checked(sessions[0], sessions[0].posts, agreement=False)
    assert stranger[2].endswith("not shown: no session file was given")


def refused(saved: kit.Saved, posts: Sequence[kit.Post]) -> str:
    with pytest.raises(check_session.Invalid) as fault:
        checked(saved, posts)
    return str(fault.value)


def refuse(sessions: Sequence[kit.Saved], seed: int, many: int) -> Counter[str]:
    """Check that both readers refuse so many forged records; return how many of each kind."""
    seen: Counter[str] = Counter()
    for how, saved, posts in forgery.forgeries(sessions, seed, many):
        assert refused(saved, posts), (seed, how)
        checks = verify_session(SessionEvidence(posts, saved.session))
        assert any(check.ok is False for check in checks), (seed, how)
        seen[how] += 1
    return seen


@pytest.mark.slow
def test_forged_records_are_refused(sessions: Sequence[kit.Saved]) -> None:
    seen = refuse(sessions, SEED, FEW)
    assert set(seen) == {draw.__name__ for draw in (*forgery.DRAWS, forgery.change_release)}


@pytest.mark.long
@pytest.mark.slow
def test_a_thousand_forged_records_are_refused(sessions: Sequence[kit.Saved]) -> None:
    assert refuse(sessions, SEED + 1, MANY).total() == MANY


def test_certificates_prove_what_veilmix_proves() -> None:
    draw, seen = random.Random(SEED), set[str]()
    for number in range(36):
        n, k = draw.randint(20, 60), draw.randint(2, 5)
        counts = [drawn_counts(draw, n) for _ in range(1 + number % 3)]
        proof = as_certificate(
            bound(("margins", "coverage")[number % 2], counts, k), Policy(k=k), n
        )
        fields = {"rule": proof.rule, "n": proof.n, "thresholds": proof.thresholds}
        said = check_session.proved({**fields, "proof": proof.proof}, counts, k)
        assert said == proof.people, (number, proof)
        seen.add(proof.rule)
    assert seen == {"coverage", "margins", "exact"}


def drawn_counts(draw: random.Random, n: int) -> list[int]:
    """Draw the counts of a column of so many people."""
    return list(Counter(draw.choice("aaaabbbccd") for _ in range(n)).values())


def test_another_agreement_is_refused(sessions: Sequence[kit.Saved]) -> None:
    one, other = sessions[:2]
    assert refused(other, one.posts) == "another session file"


def mixed(saved: kit.Saved, which: int, **more: int) -> Changes:
    """Return an account with other numbers."""
    at, account = forgery.find(saved, Mixed, which)
    numbers = {name: getattr(account, name) + many for name, many in more.items()}
    return {at: replace(account, **numbers)}


def moved(saved: kit.Saved, *counts: int) -> Changes:
    """Return a release with other counts of its cells, in their order."""
    at, told = forgery.find(saved, Tally, -1)
    cells = dict(zip(sorted(told.counts[0]), counts, strict=True))
    return {at: replace(told, counts=(cells,))}


def refusing(saved: kit.Saved) -> Changes:
    at, told = forgery.find(saved, Tally)
    return {at: replace(told, refused={Reason.MALFORMED: 1})}


def renamed(saved: kit.Saved, name: str = "rabbit") -> Changes:
    at, told = forgery.find(saved, Tally, -1)
    (one, *_), (many, *rest) = zip(*sorted(told.counts[0].items()), strict=True)
    cells = {(name,): many} | {cell: told.counts[0][cell] for cell in [*told.counts[0]][1:]}
    return {at: replace(told, counts=({**cells},))} if one and rest else {}


def closed(saved: kit.Saved) -> Changes:
    """Return a session of which two of ten people are exposed, with a closed certificate."""
    at, told = forgery.find(saved, Tally, -1)
    changes: Changes = forgery.smaller(saved, 2, 10)
    counts = (dict(zip(sorted(told.counts[0]), (8, 2), strict=True)),)
    changes[at] = replace(changes[at], counts=counts)
    return changes | without(saved)


def without(saved: kit.Saved) -> Changes:
    return {forgery.find(saved, OpenedCertificate)[0]: None}


def blinded(saved: kit.Saved) -> Changes:
    at, opened = forgery.find(saved, OpenedCertificate)
    return {at: replace(opened, blind=bytes(32))}


def asked(saved: kit.Saved) -> Changes:
    at, call = forgery.find(saved, Call, -1)
    return {at: replace(call, asks=((1,),))}


SIGNED: Mapping[str, tuple[str, Callable[[kit.Saved], Changes]]] = {
    "an account does not add up": ("public", lambda saved: mixed(saved, 0, people=1)),
    "layers were lost": ("public", lambda saved: mixed(saved, 1, received=-1, forwarded=-1)),
    "the reader counted others than came": ("public", refusing),
    "fewer people than the smallest batch": ("public", lambda s: forgery.smaller(s, 2, 9)),
    "that they can be told apart": ("public", lambda s: forgery.smaller(s, 2, 19)),
    "more people with a value than were counted": ("public", lambda saved: moved(saved, 11, 9)),
    "1 people may be exposed": ("secret", lambda saved: moved(saved, 19, 1)),
    "6 people may be exposed": ("wide", lambda saved: moved(saved, 1, 1, 1, 49)),
    "exposes more than promised": ("secret", closed),
    "not opened, though it should be": ("secret", without),
    "another certificate": ("secret", blinded),
    "a value that nobody announced": ("public", renamed),
    "not what the program asks next": ("public", asked),
}  # fault -> the kind of session, and the change


@pytest.mark.parametrize("fault", SIGNED)
def test_a_fault_is_found_that_all_parties_have_signed(
    sessions: Sequence[kit.Saved], fault: str
) -> None:
    kind, change = SIGNED[fault]
    saved = sessions[KINDS.index(kind)]
    assert fault in refused(saved, forgery.forge(saved, change(saved)))


@pytest.mark.parametrize("name", ["ant", "rabbit"])
def test_the_first_and_the_last_value_must_be_announced(
    sessions: Sequence[kit.Saved], name: str
) -> None:
    """Values stand in their order: the announced ones are between these."""
    saved = sessions[KINDS.index("public")]
    said = refused(saved, forgery.forge(saved, renamed(saved, name)))
    assert "a value that nobody announced" in said


@pytest.mark.parametrize("joint", [{"ac": 10, "ad": 1, "bd": 9}, {"ac": 10, "bc": 1, "bd": 9}])
def test_each_column_of_a_release_fits_its_counts(joint: Mapping[str, int]) -> None:
    """Ten people of twenty say a, ten c; the release has one more of the first or of the second."""

    def cells(counts: Mapping[str, int]) -> list[dict[str, Any]]:
        return [{"values": [*values], "people": many} for values, many in counts.items()]

    singles = [cells({"a": 10, "b": 10}), cells({"c": 10, "d": 10})]
    session: Any = SimpleNamespace(
        burned="",
        told={"k": 3, "public": True, "setting": "fixed"},
        calls=[{"analyst": False}, {"analyst": True}],
        decision={"kept": [0, 1]},
        tallies=[
            {"totals": [20, 20], "counts": singles},
            {"totals": [20], "counts": [cells(joint)]},
        ],
    )
    with pytest.raises(check_session.Invalid, match="more people with a value"):
        check_session.check_release(session)


def test_identities_and_people_are_those_of_the_agreement(
    sessions: Sequence[kit.Saved], tmp_path: Path
) -> None:
    """Whose names stand in other files is another party."""
    saved = sessions[1]
    for file in saved.folder.glob("*.toml"):
        shutil.copy(file, tmp_path)
    other = replace(saved, folder=tmp_path)
    for name, fault in (("hall.people", "other people"), ("curator.pub", "other parties")):
        path = tmp_path / f"{name}.toml"
        kept = path.read_text("utf-8")
        path.write_text(
            re.sub('"([0-9a-f]{62})([0-9a-f]{2})"', '"\\g<1>00"', kept, count=1), "utf-8"
        )
        assert fault in refused(other, saved.posts)
        path.write_text(kept, "utf-8")
    assert checked(other, saved.posts)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["tokens", "challenge"])
def test_what_it_does_not_check_it_refuses(kind: str, tmp_path: Path) -> None:
    saved = kit.play(tmp_path, kind)
    assert refused(saved, saved.posts).endswith("guards that are not checked here")


@pytest.mark.parametrize(
    "path", [path for path in VECTORS if path.name.startswith("board-signed")], ids=lambda p: p.stem
)
def test_the_vectors_of_signed_boards_are_read_alike(path: Path) -> None:
    vector = json.loads(path.read_text("utf-8"))
    session = check_session.Session()
    posts = [(author, bytes.fromhex(data)) for author, data in vector["input"]["posts"]]
    for post in posts[:-1]:
        session.take(check_session.read_post(*post))
    if "refused" not in vector["expect"]:
        session.take(check_session.read_post(*posts[-1]))
        return
    with pytest.raises((check_session.Invalid, check_session.BadSignatureError)):
        session.take(check_session.read_post(*posts[-1]))


def test_every_message_of_the_vectors_is_read() -> None:
    """Of the kinds that a session with the default guards has, but for rules that hide values."""
    read = 0
    for path in VECTORS:
        vector = json.loads(path.read_text("utf-8"))
        if vector["kind"] != "message" or "refused" in vector["expect"]:
            continue
        data, said = bytes.fromhex(vector["input"]["data"]), vector["expect"]["result"]
        if data[3] in check_session.KINDS and not said["body"].get("hidden"):
            if said["body"].get("randomness"):
                continue  # in `threshold` alone
            post = check_session.read_post("anybody", data)
            assert (post.kind, post.session.hex()) == (said["kind"], said["session"])
            read += 1
    assert read > 20


def test_it_has_pynacl_and_python_alone() -> None:
    path = Path(check_session.__file__)
    assert path.read_text("utf-8").count("\n") <= 500
    roots = {
        (name.name if isinstance(node, ast.Import) else node.module or "").split(".")[0]
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in node.names
    }
    assert roots - {"nacl"} <= sys.stdlib_module_names


def test_its_command_prints_what_holds_or_the_first_fault(
    sessions: Sequence[kit.Saved], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    saved = sessions[1]
    file = saved.save(tmp_path) / "posts.jsonl"
    assert check_session.main(str(file), str(saved.session_path)) == 0
    assert capsys.readouterr().out.splitlines() == checked(saved, saved.posts)
    saved.save(tmp_path, saved.posts[:-1])
    assert check_session.main(str(file)) == 1
    assert capsys.readouterr().err == f"{file}: the session is not over, or has no last head\n"
