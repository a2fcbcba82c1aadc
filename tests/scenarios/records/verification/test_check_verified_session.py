"""tools/check_verified_session.py: sessions with a verified mix, read without code of veilmix."""

import ast
import hashlib
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import check_verified as proofs
import check_verified_session as reader
import pytest
import verified_forger as kit
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sample_kit import sampled
from veilmix.errors import StorageError
from veilmix.protocol.rounds.registered_users import signed_digest
from veilmix.protocol.rounds.round_context import open_round
from veilmix.protocol.rounds.verified_answers import AnswerElements
from veilmix.protocol.rounds.verified_round import closed_digest
from veilmix.protocol.wire.messages import Body, Call, CommittedDecision, Tally
from veilmix.protocol.wire.signed_posts import witness_of
from veilmix.protocol.wire.verified_messages import (
    BallotKeys,
    CheckedBallots,
    HandedBallots,
    OpeningShares,
    ShuffledLists,
)
from veilmix.scenarios.records.run_folder import read, save
from veilmix.scenarios.records.verification.checks import verify

Posts = Sequence[kit.Post]
Change = Callable[[kit.Stolen], Posts]
PUBLIC_CHECKS = ("signatures", "board", "batches", "release", "exposure")  # of posts alone


def refusal(posts: Posts) -> str:
    """Return the fault that the reader finds."""
    with pytest.raises(reader.Invalid) as fault:
        reader.check_posts(posts)
    return str(fault.value)


SECRET, COUNTED = "the word of the curator", "what the listed ballots hold"
COUNTS: Mapping[str, Sequence[str]] = {
    "secret": (SECRET, COUNTED),
    "public": (COUNTED, COUNTED),
    "fixed": (SECRET, COUNTED),
    "pairs": (SECRET, COUNTED),
    "one-shuffler": (SECRET, COUNTED),
    "once": (SECRET, COUNTED),
    "once-public": (COUNTED, COUNTED),
    "histogram": (COUNTED,),
    "hierarchical": (SECRET, SECRET, COUNTED),
    "hierarchical-public": (COUNTED, COUNTED, COUNTED),
    "suppressed": (SECRET, COUNTED),
    "suppressed-public": (COUNTED, COUNTED),
    "nothing-released": (SECRET,),
    "statistical": (SECRET, COUNTED),
    "left": (COUNTED, COUNTED),
}  # kind of session -> who says the counts of each round


@pytest.mark.parametrize("kind", sampled(COUNTS, 0, 5, 6, 9, 11))
def test_a_session_of_each_kind_holds(kind: str) -> None:
    posts = kit.posts_of(kind)
    first, *others = reader.check_posts(posts)
    heads = sum(data[3] == 20 for _, data in posts)
    assert first == f"{len(posts)} posts, each signed by its author; {heads} heads"
    said = [line.partition(" are ")[2] for line in others if "its counts are" in line]
    assert said == list(COUNTS[kind])


def test_the_release_and_its_certificate_are_named() -> None:
    last = {kind: reader.check_posts(kit.posts_of(kind))[-1] for kind in COUNTS}
    assert last["public"] == "12 people released, 1 of them exposed; its certificate is proved"
    assert last["histogram"] == "30 people reported with noise"
    assert last["suppressed"] == "values are hidden: release and certificate are not checked"
    assert last["hierarchical"].endswith("its certificate is by a rule that is not checked here")
    assert last["nothing-released"] == "nothing was released; nothing was promised"


# --- forged records: the keys of all parties are stolen, but not the secrets of the mix ---


def changed(kind: type[Any], change: Callable[[Any], Body | None], which: int = -1) -> Change:
    """Return the forgery of a post of a kind."""

    def forge(stolen: kit.Stolen) -> Posts:
        at, body = stolen.find(kind, which)
        return stolen.forge({at: change(body)})

    return forge


def flipped(data: bytes, at: int = -20) -> bytes:
    """Return bytes of which one is another."""
    spot = at % len(data)
    return data[:spot] + bytes([data[spot] ^ 1]) + data[spot + 1 :]


def other_handed(change: Callable[[Any], Any], which: int = 3) -> Change:
    """Return a forgery of ballots of a keyholder; its digest and signatures are made anew.

    which: the post of ballots: 3 is the reader's in round 2.
    """

    def forge(stolen: kit.Stolen) -> Posts:
        board = stolen.board
        call = board.calls[-1]
        plan = replace(
            open_round(board.announcement, board.session, call),
            witness=witness_of(board.heads[call.round]),
        )
        at, body = stolen.find(HandedBallots, which)
        people = []
        for old, new in change(list(body.people)):
            digest = hashlib.sha256(new.ballots).digest()
            signature = stolen.signer(new.person).sign(signed_digest(plan, digest))
            people.append(new if old is None else replace(new, signature=signature))
        digest = closed_digest(plan, {one.person: one.ballots for one in people})
        changes: dict[int, Body | None] = {at: HandedBallots(tuple(people))}
        for number in range(-3, 0):
            changes[stolen.find(CheckedBallots, number)[0]] = CheckedBallots(digest)
        return stolen.forge(changes)

    return forge


def unsigned(people: list[Any]) -> list[Any]:
    """The last ballots are signed by another user."""
    *others, last = [(None, one) for one in people]
    return [*others, (None, replace(last[1], signature=people[0].signature))]


def unproved(people: list[Any]) -> list[Any]:
    """The proof of the last ballots is another; the user signs it."""
    *others, last = [(None, one) for one in people]
    return [*others, (last[1], replace(last[1], ballots=flipped(last[1].ballots)))]


def copied(people: list[Any]) -> list[Any]:
    """The last user has copied the ballots of the first."""
    *others, last = [(None, one) for one in people]
    return [*others, (last[1], replace(last[1], ballots=people[0].ballots))]


def dropped(people: list[Any]) -> list[Any]:
    """The last ballots are left out."""
    return [(None, one) for one in people[:-1]]


def stranger(people: list[Any]) -> list[Any]:
    """The last ballots are of a user that is not registered."""
    *others, last = [(None, one) for one in people]
    return [*others, (None, replace(last[1], person=99))]


def short(people: list[Any]) -> list[Any]:
    """The ballots are shorter."""
    return [(None, replace(one, ballots=one.ballots[:-1])) for one in people]


def another_proof(body: ShuffledLists) -> ShuffledLists:
    """The proof of a shuffle is another."""
    return replace(body, proofs=(flipped(body.proofs[0]), *body.proofs[1:]))


def another_list(body: ShuffledLists) -> ShuffledLists:
    """A ballot stands twice in a list, and another does not."""
    rows = body.lists[0]
    return replace(body, lists=(rows[:5] + rows[69:133] + rows[69:], *body.lists[1:]))


def another_share(body: OpeningShares) -> OpeningShares:
    """The share of the first ciphertext is that of the second."""
    own = body.shares[0]
    return OpeningShares((own[:4] + own[36:68] + own[36:], *body.shares[1:]))


def other_counts(body: Tally) -> Tally:
    """A user is moved to another cell."""
    assert body.counts
    (one, first), (two, second), *others = sorted(body.counts[0].items())
    cells = {one: first + 1, two: second - 1, **dict(others)}
    return replace(body, counts=({cell: many for cell, many in cells.items() if many},))


def other_total(body: Tally) -> Tally:
    """A reader has counted an answer less."""
    return replace(body, totals=(body.totals[0] - 1, *body.totals[1:]))


def twice(stolen: kit.Stolen) -> Posts:
    """A shuffler posts ballots that stand there already."""
    at, _ = stolen.find(HandedBallots, 4)
    _, body = stolen.find(HandedBallots, 3)
    return stolen.forge({at: body})


def out_of_turn(stolen: kit.Stolen) -> Posts:
    """A shuffler posts ballots before the reader."""
    at, _ = stolen.find(HandedBallots, 3)
    return stolen.forge({}, {at: ("shuffler-1", HandedBallots(()))})


def again(stolen: kit.Stolen) -> Posts:
    """A keyholder posts its verdict twice."""
    at, body = stolen.find(CheckedBallots, -1)
    author = stolen.posts[at][0]
    return stolen.forge({}, {at + 1: (author, body)})


def cancelling(stolen: kit.Stolen) -> Posts:
    """The last keyholder makes the keys of all add up to the identity. It knows all secrets."""
    places = [at for at, (_, data) in enumerate(stolen.posts) if data[3] == 50][-3:]
    changes, secrets = {}, (5, 7, -12)
    for at, secret in zip(places, secrets, strict=True):
        author, count = stolen.posts[at][0], len(stolen.find(Call, -1)[1].asks)
        keys = [own_key(stolen, author, secret, question) for question in range(count)]
        changes[at] = BallotKeys(tuple(keys))
    return stolen.forge(changes)


def own_key(stolen: kit.Stolen, author: str, secret: int, question: int) -> bytes:
    """Return a key with a valid proof of its owner."""
    board, nonce = stolen.board, 9
    names = {"group": "ristretto255", "announcement": board.session.hex()}
    session = proofs.Session({**names, "round": len(board.calls), "question": question})
    statement = session.statement(b"key", author.encode()) + proofs.absorbed(b"owner")
    context = hashlib.sha512(statement).digest()
    X, R = proofs.of_base(secret), proofs.of_base(nonce)
    digest = hashlib.sha512(b"veilmix key share 1\0" + context + X + R).digest()
    c = int.from_bytes(digest, "little") % proofs.ORDER
    z = (nonce - c * secret) % proofs.ORDER
    return X + c.to_bytes(32, "little") + z.to_bytes(32, "little")


def swapped(one: int, other: int) -> Change:
    """Return the exchange of two posts, by place."""

    def forge(stolen: kit.Stolen) -> Posts:
        posts = [*stolen.posts]
        posts[one], posts[other] = posts[other], posts[one]
        return posts

    return forge


def renamed(stolen: kit.Stolen) -> Posts:
    """Another shuffler stands as the author of shares."""
    posts = [*stolen.posts]
    at = max(
        at for at, (author, data) in enumerate(posts) if (author, data[3]) == ("shuffler-1", 54)
    )
    posts[at] = "shuffler-2", posts[at][1]
    return posts


def resigned(stolen: kit.Stolen) -> Posts:
    """The signature of the last post of a keyholder is another."""
    posts = [*stolen.posts]
    posts[-2] = posts[-2][0], flipped(posts[-2][1])
    return posts


def foreign(stolen: kit.Stolen) -> Posts:
    """The shares of another session stand in the place of shares."""
    posts, at = [*stolen.posts], stolen.find(OpeningShares)[0]
    posts[at] = kit.Stolen("fixed").posts[at]
    return posts


def cut(stolen: kit.Stolen) -> Posts:
    """The last head is missing."""
    return stolen.posts[:-1]


def ruled(body: CommittedDecision) -> CommittedDecision:
    """A decision hides values, in a program that hides none."""
    suppressed = kit.Stolen("suppressed").find(CommittedDecision)[1]
    return replace(body, kept=suppressed.kept, hidden=suppressed.hidden)


FORGERIES: Mapping[str, tuple[str, Change]] = {
    "not signed by its author": ("public", resigned),
    "not signed by its author, renamed": ("public", renamed),
    "of another session": ("public", foreign),
    "not legal in the phase": ("public", swapped(-2, -3)),
    "after the last post: the session is not over": ("public", cut),
    "not signed by the user": ("public", other_handed(unsigned)),
    "ballot of b'user-12': the proof does not hold": ("public", other_handed(unproved)),
    "ballot of b'user-12': the proof": ("fixed", other_handed(copied)),
    "lists of another size": ("public", other_handed(dropped)),
    "the ballots of user-100: the user is not invited": ("public", other_handed(stranger)),
    "another size": ("public", other_handed(short)),
    "they stand there already": ("public", twice),
    "not its turn": ("public", out_of_turn),
    "not its turn, again": ("public", again),
    "not its owner's": (
        "public",
        changed(BallotKeys, lambda body: BallotKeys((flipped(body.keys[0]), *body.keys[1:]))),
    ),
    "the keys of all keyholders cancel out": ("public", cancelling),
    "another number of keys": (
        "public",
        changed(BallotKeys, lambda body: BallotKeys((*body.keys, body.keys[0]))),
    ),
    "the digest of another list of ballots": (
        "public",
        changed(CheckedBallots, lambda body: CheckedBallots(flipped(body.digest))),
    ),
    "shuffle at b'shuffler-2': equation": ("public", changed(ShuffledLists, another_proof)),
    "shuffle at b'shuffler-2'": ("public", changed(ShuffledLists, another_list)),
    "proofs of another size": (
        "public",
        changed(ShuffledLists, lambda body: replace(body, proofs=(body.proofs[0] + b"\0",))),
    ),
    "shares of another size": (
        "public",
        changed(OpeningShares, lambda body: OpeningShares((body.shares[0] + b"\0",))),
    ),
    "': the proof does not hold": (
        "public",
        changed(OpeningShares, another_share),
    ),
    "other counts than the shares open": ("public", changed(Tally, other_counts)),
    "not as many answers as ballots": ("nothing-released", changed(Tally, other_total)),
    "not what the program asks next": (
        "public",
        changed(Call, lambda body: replace(body, asks=((0, 1),))),
    ),
    "not what the program asks next, once": (
        "once",
        changed(Call, lambda body: replace(body, asks=((0, 1),))),
    ),
    "not what the program asks next, masked": (
        "suppressed",
        changed(Call, lambda body: replace(body, hidden=())),
    ),
    "not what the program asks next, deeper": (
        "hierarchical",
        changed(Call, lambda body: replace(body, asks=((0, 1, 2),)), which=1),
    ),
    "rules that the program does not have": ("secret", changed(CommittedDecision, ruled)),
    "shuffle at b'shuffler-1', once": ("once", changed(ShuffledLists, another_list, which=2)),
    "other counts than the shares open, once": ("once", changed(Tally, other_counts)),
}  # the fault, and a word that tells rows apart -> the kind of session, the forgery


@pytest.mark.parametrize("fault", FORGERIES)
def test_a_forged_record_is_refused_for_its_reason(fault: str) -> None:
    kind, forge = FORGERIES[fault]
    assert fault.partition(",")[0] in refusal(forge(kit.Stolen(kind)))


@pytest.mark.parametrize("change", [another_proof, another_list])
def test_a_fault_has_the_number_of_its_post(
    change: Callable[[ShuffledLists], ShuffledLists],
) -> None:
    """The first post is number 1; the fault is found later, when the round is counted."""
    stolen = kit.Stolen("public")
    place = f"post {stolen.find(ShuffledLists, -1)[0] + 1}"
    assert refusal(changed(ShuffledLists, change)(stolen)).startswith(f"{place}: ")


@pytest.mark.parametrize(
    ("earlier", "people", "fault"),
    [([], 4, "smallest batch"), ([12], 11, "told apart"), ([11, 11], 12, "told apart")],
)
def test_rounds_have_enough_people(earlier: Sequence[int], people: int, fault: str) -> None:
    session: Any = reader.Session()
    session.told = {"min_batch": 5, "min_dropout": 2, "setting": "fixed"}
    rounds = [SimpleNamespace(closed=range(count)) for count in (*earlier, people)]
    session.rounds = rounds
    with pytest.raises(reader.Invalid, match=fault):
        session._check_people(rounds[-1])
    session.told["setting"], session.told["min_batch"] = "statistical", 1
    session._check_people(rounds[-1])


def test_answers_to_several_columns_are_read_as_veilmix_reads_them() -> None:
    """Also elements that hold no answer: another length, a place that is too large."""
    stolen = kit.Stolen("hierarchical")
    board = stolen.board
    read_any, known = 0, {value for each in told_features(board) for value in each["values"]}
    payloads = [bytes([n]) for n in range(40)] + [bytes([0, n]) for n in range(9)]
    payloads += [b" other", b"", b"\xff", b"another", *(value.encode() for value in sorted(known))]
    for call in board.calls:
        plan = open_round(board.announcement, board.session, call)
        told: Any = {"public": True, "program": "hierarchical"}
        fields = reader.board.read_post(
            *stolen.posts[stolen.find(Call, call.round - 1)[0]], reader._Fields
        )
        mine, features = reader.Round(told, ["shuffler-1"], fields.body), told_features(board)
        for question in range(len(call.asks)):
            for data in payloads:
                element = proofs.element_of(bytes([len(data)]) + data)
                theirs = AnswerElements(plan).count([[] for _ in range(question)] + [[element]])
                answer = mine.answer(question, [element], features)
                if isinstance(answer, int):
                    assert sum(theirs.refused.values()) == 1, (call, data, answer)
                else:
                    assert theirs.counts[question] == {answer: 1}
                    read_any += 1
    assert read_any > 5


def told_features(board: Any) -> list[dict[str, Any]]:
    """Return the announced features as the reader has them."""
    return [
        {"values": values and [*values], "width": width}
        for values, width in ((f.values, f.width) for f in board.announcement.schema.features)
    ]


# --- both readers ---


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save(kit.play("public"), tmp_path_factory.mktemp("kept"))


def both(folder: Path, posts: Posts, copy: Path) -> tuple[bool, bool]:
    """Whether this reader and `veilmix verify` accept a run folder with these posts."""
    changed_folder = kit.with_posts(folder, posts, copy)
    try:
        reader.check_posts(reader.read_posts(changed_folder))
        mine = True
    except reader.Invalid:
        mine = False
    try:
        checks = verify(read(changed_folder), wants_replay=False)
    except StorageError:
        return mine, False
    return mine, not any(check.ok is False for check in checks if check.name in PUBLIC_CHECKS)


@pytest.mark.slow
@pytest.mark.parametrize("fault", [key for key, (kind, _) in FORGERIES.items() if kind == "public"])
def test_both_readers_refuse_a_forged_record(fault: str, folder: Path, tmp_path: Path) -> None:
    posts = FORGERIES[fault][1](kit.Stolen("public"))
    assert both(folder, posts, tmp_path / "copy") == (False, False)


@pytest.mark.slow
def test_both_readers_accept_another_order_of_equal_steps(folder: Path, tmp_path: Path) -> None:
    """Consents, verdicts and shares come in any order; heads do not depend on it."""
    stolen = kit.Stolen("public")
    assert both(folder, stolen.posts, tmp_path / "copy") == (True, True)
    for kind in (CheckedBallots, OpeningShares):
        at, _ = stolen.find(kind)
        posts = swapped(at, at + 1)(stolen)
        assert posts != stolen.posts
        assert both(folder, posts, tmp_path / "copy") == (True, True)


PLACES = st.integers(0, 10**6)
EDITS = st.one_of(
    st.tuples(st.just("byte"), PLACES, PLACES, st.integers(1, 255)),
    st.tuples(st.just("swap"), PLACES, PLACES, st.just(0)),
    st.tuples(st.just("drop"), PLACES, st.just(0), st.just(0)),
    st.tuples(st.just("twice"), PLACES, PLACES, st.just(0)),
)


def edited(posts: Posts, edit: tuple[str, int, int, int]) -> list[kit.Post]:
    """Return posts with one change of bytes or of their order."""
    how, one, other, bits = edit
    changed_posts, at = [*posts], one % len(posts)
    author, data = posts[at]
    match how:
        case "byte":
            spot = other % len(data)
            data = data[:spot] + bytes([data[spot] ^ bits]) + data[spot + 1 :]
            changed_posts[at] = author, data
        case "swap":
            to = (at + 1 + other % 2) % len(posts)
            changed_posts[at], changed_posts[to] = changed_posts[to], changed_posts[at]
        case "drop":
            del changed_posts[at]
        case _:
            changed_posts.insert(other % len(posts), posts[at])
    return changed_posts


@pytest.mark.slow
@settings(
    max_examples=60,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(edit=EDITS)
def test_both_readers_agree_on_changed_bytes(
    edit: tuple[str, int, int, int], folder: Path, tmp_path: Path
) -> None:
    mine, theirs = both(folder, edited(kit.posts_of("public"), edit), tmp_path / "copy")
    assert mine == theirs


# --- the command ---


def test_it_has_pynacl_rbcl_and_python_alone() -> None:
    for module in (reader, proofs, reader.board):
        path = Path(module.__file__ or "")
        roots = {
            (name.name if isinstance(node, ast.Import) else node.module or "").split(".")[0]
            for node in ast.walk(ast.parse(path.read_text("utf-8")))
            if isinstance(node, ast.Import | ast.ImportFrom)
            for name in node.names
        }
        own = {"nacl", "rbcl", "check_session", "check_verified"}
        assert roots - own <= sys.stdlib_module_names
    assert Path(reader.__file__).read_text("utf-8").count("\n") <= 400


def test_its_command_prints_what_holds_or_the_first_fault(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert reader.main(str(folder)) == 0
    assert capsys.readouterr().out.splitlines() == reader.check_posts(kit.posts_of("public"))
    copy = kit.with_posts(folder, cut(kit.Stolen("public")), tmp_path / "copy")
    assert reader.main(str(copy)) == 1
    fault = f"{copy}: after the last post: the session is not over\n"
    assert capsys.readouterr().err == fault
