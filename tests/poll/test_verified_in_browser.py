"""Ballots of a verified mix: what a phone reads, makes and refuses is what Python does."""

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import protocol_kit as KIT
import pytest
import verified_session_kit as VERIFIED
from veilmix.crypto.entropy import Drawn, SeededEntropy
from veilmix.crypto.joint_key import joint
from veilmix.crypto.signing import Signer
from veilmix.crypto.verified.ballots import make_ballot
from veilmix.crypto.verified.group import RISTRETTO255
from veilmix.crypto.verified.keys import make_key
from veilmix.crypto.verified.submit_once import ReaderKeys, make_once
from veilmix.crypto.verified.transcript import ProofContext
from veilmix.crypto.verified.values import ValueElements
from veilmix.protocol.board.board import Board
from veilmix.protocol.rounds.registered_users import check_senders, registry_root
from veilmix.protocol.rounds.round_context import Round, open_round
from veilmix.protocol.rounds.verified_answers import AnswerElements
from veilmix.protocol.rounds.verified_round import (
    GROUP,
    check_handed,
    closed_digest,
    context_of,
    draw_keys,
    joint_keys,
    keys_due,
    posted_keys,
)
from veilmix.protocol.wire import parties
from veilmix.protocol.wire.announcement import Announcement, Program, Rules
from veilmix.protocol.wire.frames import Message, decode_message
from veilmix.protocol.wire.messages import Body, Call, Registry, Submission
from veilmix.protocol.wire.parties import Role
from veilmix.protocol.wire.schema import Feature, Schema
from veilmix.protocol.wire.verified_messages import (
    BallotKeys,
    CheckedBallots,
    HandedBallot,
    HandedBallots,
    ShuffledLists,
)
from veilmix.roles.session import play

pytestmark = pytest.mark.slow

VECTORS = sorted((Path(__file__).parents[1] / "crypto" / "verified" / "vectors").glob("*.json"))
LONG = "an answer of more than twenty-nine bytes"
SCHEMA = Schema(
    (
        Feature("colour", ("red", "green", LONG)),
        Feature("city", ("Oslo", "Zürich", "x")),
        Feature("late", tuple(map(str, range(300)))),
    )
)
ROW = (LONG, "Zürich", "299")
SINGLES = Call(1, Role.CURATOR, ((0,), (1,), (2,)))
RELEASE = Call(2, Role.ANALYST, ((0, 1, 2),))
SIGNERS = [Signer(SeededEntropy(9).fork(str(i))) for i in range(5)]
REGISTRY = Registry(tuple(signer.public for signer in SIGNERS))
PROGRAMS = (Program.TWO_ROUND, Program.TWO_ROUND_ONCE)


@cache
def plan_of(program: Program, call: Call, seed: int = 7) -> Round:
    """A round of a session of two shufflers."""
    rules = Rules(verified=True)
    held = KIT.session(
        2, schema=SCHEMA, rules=rules, seed=seed, program=program, registry=registry_root(REGISTRY)
    )
    return held.plan(call)


def told(plan: Round) -> tuple[str, str]:
    """What a phone has of a round: announcement and call."""
    called = Message(plan.session, plan.call.round, plan.call).encode()
    return plan.announcement.encode().hex(), called.hex()


def keys(plan: Round, seed: int = 3) -> dict[str, BallotKeys]:
    """The posts of all keyholders with their keys."""
    owners, root = plan.key_owners, SeededEntropy(seed)
    return {party: posted_keys(draw_keys(plan, party, root.fork(party))) for party in owners}


def shown(posted: dict[str, BallotKeys]) -> dict[str, list[str]]:
    """The same as a phone reads it."""
    return {party: [key.hex() for key in body.keys] for party, body in posted.items()}


@pytest.mark.parametrize("path", VECTORS, ids=lambda path: path.stem)
def test_every_record_of_keys_and_ballots_is_read_alike(phone: Any, path: Path) -> None:
    record = json.loads(path.read_text("utf-8"))
    result = phone.call("recorded", record)
    refused = record["refused"] in ("key", "ballot")
    assert ("refused" in result) == refused
    if not refused:
        publics = [bytes.fromhex(key["record"])[:32] for key in record["keys"]]
        assert result == {"result": joint(publics).hex()}


@pytest.mark.parametrize("once", [False, True])
def test_a_ballot_is_made_as_python_makes_it(phone: Any, once: bool) -> None:
    drawn = [bytes(range(64)), bytes(range(100, 164))]
    context = ProofContext(RISTRETTO255, bytes(range(32)), 1, 2, b"user-4")
    curator, analyst = (make_key(context, SeededEntropy(i)).public for i in range(2))
    element = ValueElements(RISTRETTO255).encode("Zürich".encode())
    fresh = Drawn(b"".join(drawn))
    if once:
        both = ReaderKeys(curator, analyst)
        record = make_once(context, both, element, fresh).ballot.encode(RISTRETTO255)
    else:
        record = make_ballot(context, curator, element, fresh).ballot.encode(RISTRETTO255)
    given = {"announcement": context.announcement.hex(), "round": 1, "question": 2}
    made = phone.call(
        "balloted",
        {**given, "place": "user-4"},
        [curator.hex(), *([analyst.hex()] if once else [])],
        element.hex(),
        [one.hex() for one in drawn],
    )
    assert made == {"result": record.hex()}


@pytest.mark.parametrize("call", [SINGLES, RELEASE], ids=["singles", "release"])
def test_answers_are_carried_by_the_same_elements(phone: Any, call: Call) -> None:
    plan = plan_of(Program.TWO_ROUND, call)
    known = AnswerElements(plan)
    rows = [ROW, ("red", "x", "0"), ("green", "Oslo", "255"), ("red", "Oslo", "256")]
    for ask, columns in enumerate(call.asks):
        said = [tuple(row[column] for column in columns) for row in rows]
        result = phone.call("elements", told(plan)[0], columns, said)
        assert result == {"result": [known.encode(ask, values).hex() for values in said]}
    assert phone.call("elements", told(plan)[0], [1], [["Bergen"]])["refused"] == "outside-domain"


@pytest.mark.parametrize("text", ["", "a", "x" * 29, "ü" * 14])
def test_a_short_value_is_carried_itself(phone: Any, text: str) -> None:
    element = ValueElements(RISTRETTO255).encode(text.encode())
    assert phone.call("payload", text, 0) == {"result": element.hex()}


@pytest.mark.parametrize("program", PROGRAMS)
def test_the_locks_of_a_round_are_those_of_python(phone: Any, program: Program) -> None:
    plan = plan_of(program, SINGLES)
    posted = keys(plan)
    joint_ones = joint_keys(plan, posted)
    release = joint_ones.release.hex() or None
    due = {"joint": [key.hex() for key in joint_ones.joint], "release": release}
    assert phone.call("locked", *told(plan), shown(posted)) == {"result": due}
    for party in posted:
        some = {other: body for other, body in shown(posted).items() if other != party}
        assert phone.call("locked", *told(plan), some) == {"result": None}


def own_key(plan: Round, party: str, number: int, secret: int) -> str:
    """The record of a key with a chosen secret, and a right proof of its owner."""
    drawn = Drawn(secret.to_bytes(64, "little") + bytes([number + 1]) * 64)
    return posted_keys([make_key(context_of(plan, number, party), drawn)]).keys[0].hex()


Spoil = Callable[[Round, dict[str, list[str]]], None]


def of_another_session(plan: Round, posted: dict[str, list[str]]) -> None:
    other = plan_of(plan.announcement.program, SINGLES, seed=8)
    assert other.session != plan.session
    posted["shuffler-2"] = shown(keys(other))["shuffler-2"]


def of_another_question(_: Round, posted: dict[str, list[str]]) -> None:
    posted["shuffler-2"][:2] = reversed(posted["shuffler-2"][:2])


def of_another_party(_: Round, posted: dict[str, list[str]]) -> None:
    posted["shuffler-2"] = posted["shuffler-1"]


def with_a_wrong_proof(_: Round, posted: dict[str, list[str]]) -> None:
    first = posted["curator"][0]
    posted["curator"][0] = first[:-2] + ("00" if first[-2:] != "00" else "01")


def of_the_identity(_: Round, posted: dict[str, list[str]]) -> None:
    posted["curator"][0] = "00" * 32 + posted["curator"][0][64:]


def of_a_scalar_too_large(_: Round, posted: dict[str, list[str]]) -> None:
    posted["curator"][0] = posted["curator"][0][:128] + "ff" * 32


def one_fewer(_: Round, posted: dict[str, list[str]]) -> None:
    posted["shuffler-1"].pop()


def that_cancel_out(plan: Round, posted: dict[str, list[str]]) -> None:
    secrets = {"shuffler-1": 5, "shuffler-2": 7, plan.reader: GROUP.order - 12}
    for party, secret in secrets.items():
        posted[party][0] = own_key(plan, party, 0, secret)


SPOILS = (
    *(of_another_session, of_another_question, of_another_party, with_a_wrong_proof),
    *(of_the_identity, of_a_scalar_too_large, one_fewer, that_cancel_out),
)


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("spoil", SPOILS, ids=lambda spoil: spoil.__name__)
def test_no_answer_is_locked_for_keys(phone: Any, program: Program, spoil: Spoil) -> None:
    plan = plan_of(program, SINGLES)
    posted = shown(keys(plan))
    spoil(plan, posted)
    result = phone.call("locked", *told(plan), posted)
    assert result["refused"] in ("malformed", "unregistered")


def test_one_key_for_both_readers_is_refused(phone: Any) -> None:
    """Then a ballot for two readers would prove nothing of its second half."""
    plan = plan_of(Program.TWO_ROUND_ONCE, SINGLES)
    posted = shown(keys(plan))
    of_one_reader(plan, posted)
    assert phone.call("locked", *told(plan), posted)["refused"] == "unregistered"
    posted["analyst"][0] = own_key(plan, "analyst", 3, 13)
    assert "result" in phone.call("locked", *told(plan), posted)


@pytest.mark.parametrize("program", PROGRAMS)
def test_what_a_phone_hands_in_counts(phone: Any, program: Program) -> None:
    plan = replace(plan_of(program, SINGLES), witness=bytes(range(97)))
    posted, seed = keys(plan), SIGNERS[3]._secret[:32].hex()
    given = (*told(plan), shown(posted), 3, ROW, plan.witness.hex(), seed)
    message = decode_message(bytes.fromhex(phone.call("framed", *given)["result"]))
    body = message.body
    assert isinstance(body, Submission)
    assert (message.session, message.round, body.witness) == (plan.session, 1, plan.witness)
    assert len(body.envelope) == plan.envelope
    assert check_senders(plan, REGISTRY, [(parties.user(3), body)]) == [None]
    handed = HandedBallot(3, body.envelope, body.signature)
    joint_ones = joint_keys(plan, posted)
    assert check_handed(plan, joint_ones, REGISTRY, [handed]) == [None]
    other = HandedBallot(2, body.envelope, body.signature)
    assert check_handed(plan, joint_ones, REGISTRY, [other]) != [None]
    assert opened(plan, posted, body.envelope) == ROW
    again = decode_message(bytes.fromhex(phone.call("framed", *given)["result"])).body
    assert isinstance(again, Submission)
    assert again.envelope != body.envelope


def opened(plan: Round, posted: dict[str, BallotKeys], records: bytes) -> tuple[str, ...]:
    """What ballots hold, by the secrets of all keyholders of this round."""
    root, size = SeededEntropy(3), plan.envelope // len(plan.call.asks)
    found = []
    for question in range(len(plan.call.asks)):
        record = records[question * size : (question + 1) * size]
        shares = [
            draw_keys(plan, party, root.fork(party))[list(keys_due(plan, party)).index(question)]
            for party in plan.openers
        ]
        secret = sum(int.from_bytes(share.secret, "little") for share in shares) % GROUP.order
        (mask,) = GROUP.multiples([secret], [record[:32]])
        found.append(GROUP.differences([record[32:64]], [mask]))
    reading = AnswerElements(plan).count(found)
    assert not reading.refused
    return tuple(value for counts in reading.counts for (value,) in counts)


@cache
def board_of(program: Program) -> Board:
    """The board of a whole session with signed posts."""
    closed = Schema(tuple(Feature(name, ("yes", "no")) for name in ("young", "old", "tall")))
    rows = [("yes", "no", "yes"), ("no", "no", "yes")] * 3
    given = {"schema": closed, "row": rows.__getitem__, "decide": VERIFIED.KIT.keep(0, 1)}
    return play(replace(VERIFIED.cast(6, **given), program=program))


def posts_of(board: Board) -> list[list[str]]:
    return [[entry.author, entry.data.hex()] for entry in board.entries]


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_phone_follows_the_board_to_the_end(phone: Any, program: Program) -> None:
    board = board_of(program)
    result = phone.call("followed", posts_of(board), {})["result"]
    assert board.announcement is not None
    plans = [open_round(board.announcement, board.session, call) for call in board.calls]
    for plan in plans:
        number = str(plan.call.round)
        closed = board.verified.closed[plan.call.round]
        assert result["closed"][number] == closed_digest(plan, closed).hex()
        assert result["signed"][number] == sorted(plan.openers)
        accounts = result["accounts"][number]
        due = [board.account(plan.call.round, hop) for hop in (1, 2)]
        assert [(one["people"], one["received"], one["forwarded"]) for one in accounts] == [
            (mixed.people, mixed.received, mixed.forwarded) for mixed in due if mixed
        ]
    assert set(result["locks"]) == ({"1"} if program is Program.TWO_ROUND_ONCE else {"1", "2"})
    assert result["counted"] == [{"people": 6, "least": 6}] * 2


def test_a_phone_that_is_not_on_the_list_does_not_go_on(phone: Any) -> None:
    kept = {"name": "Ann", "seed": "07" * 32}
    result = phone.call("followed", posts_of(board_of(PROGRAMS[0])), kept)
    assert "is not on the list" in result["words"]


def test_another_list_than_the_announced_one_is_refused(phone: Any) -> None:
    posts = posts_of(board_of(PROGRAMS[0]))
    kinds = [decode_message(bytes.fromhex(data)).body for _, data in posts]
    without = [
        post for post, body in zip(posts, kinds, strict=True) if not isinstance(body, Registry)
    ]
    result = phone.call("followed", without, {})
    assert "the list of those who may answer" in result["words"]


DOORS = ("curator", "shuffler-1", "shuffler-2")
OWN, OTHERS = b"o" * 384, b"x" * 384


def handed(*people: tuple[int, bytes]) -> HandedBallots:
    return HandedBallots(
        tuple(HandedBallot(place, ballots, bytes(64)) for place, ballots in people)
    )


def listed(
    phone: Any, posts: list[tuple[str, Body]], program: Program = PROGRAMS[0], made: bytes = OWN
) -> Any:
    """What a phone at place 3 of the registry makes of posts about round 1."""
    plan = plan_of(program, SINGLES)
    sent = [(who, Message(plan.session, 1, body).encode().hex()) for who, body in posts]
    return phone.call("listed", *told(plan), sent, 3, made.hex())


def closed_posts(first: HandedBallots, second: HandedBallots) -> list[tuple[str, Body]]:
    """The posts of all doors, of which the second and the third were handed something."""
    return [("curator", handed()), ("shuffler-1", first), ("shuffler-2", second)]


def smaller(one: bytes, other: bytes) -> bytes:
    return min((one, other), key=lambda records: sha256(records).digest())


def test_a_phone_finds_its_own_on_the_board_or_says_what_stands_there(phone: Any) -> None:
    own, none = handed((3, OWN)), handed()
    assert listed(phone, closed_posts(own, none)[:2]) == {"result": "waits"}
    assert listed(phone, closed_posts(own, none)) == {"result": "found"}
    assert listed(phone, closed_posts(none, own)) == {"result": "found"}
    assert listed(phone, closed_posts(handed((2, OWN)), none)) == {"result": "missing"}
    assert listed(phone, closed_posts(handed((3, OTHERS)), none)) == {"result": "other"}
    counts = smaller(OWN, OTHERS)
    both = closed_posts(own, handed((3, OTHERS)))
    assert listed(phone, both, made=counts) == {"result": "found"}
    assert listed(phone, both, made=OTHERS if counts == OWN else OWN) == {"result": "other"}


def signing(plan: Round, *people: tuple[int, bytes]) -> CheckedBallots:
    return CheckedBallots(closed_digest(plan, dict(sorted(people))))


def test_keyholders_sign_the_list_that_stands_there(phone: Any) -> None:
    plan = plan_of(PROGRAMS[0], SINGLES)
    posts = closed_posts(handed((3, OWN), (7, OTHERS)), handed((0, OTHERS)))
    right = signing(plan, (0, OTHERS), (3, OWN), (7, OTHERS))
    assert listed(phone, [*posts, ("shuffler-2", right)]) == {"result": "found"}
    for wrong in (signing(plan, (3, OWN), (7, OTHERS)), signing(plan, (0, OTHERS), (3, OTHERS))):
        assert listed(phone, [*posts, ("shuffler-2", wrong)])["refused"] == "unexpected"
    assert listed(phone, [*posts[:2], ("shuffler-2", right)])["refused"] == "unexpected"
    assert listed(phone, [*posts, ("analyst", right)])["refused"] == "unexpected"


def test_doors_and_hops_post_in_turn(phone: Any) -> None:
    plan = plan_of(PROGRAMS[0], SINGLES)
    posts = closed_posts(handed((3, OWN)), handed())
    signed = [(party, signing(plan, (3, OWN))) for party in DOORS]
    lists = (b"rows",) * 3
    one, two = (ShuffledLists(hop, lists, lists) for hop in (1, 2))
    whole = [*posts, *signed, ("shuffler-1", one), ("shuffler-2", two)]
    assert listed(phone, whole) == {"result": "found"}
    assert listed(phone, [posts[1], posts[0]])["refused"] == "unexpected"
    assert listed(phone, [*posts, posts[0]])["refused"] == "unexpected"
    assert listed(phone, [*posts, *signed[:2], whole[-2]])["refused"] == "unexpected"
    assert listed(phone, [*posts, *signed, whole[-1]])["refused"] == "unexpected"
    assert listed(phone, [*posts, *signed, ("shuffler-2", one)])["refused"] == "unexpected"
    short = ShuffledLists(1, lists[:2], lists[:2])
    assert listed(phone, [*posts, *signed, ("shuffler-1", short)])["refused"] == "unexpected"


# Each refusal of the page by itself: without it, what it refuses is taken.


@dataclass(frozen=True)
class Lacking:
    """A refusal: its module and text, what stands there without it, and what it then lets pass."""

    module: str
    text: str
    becomes: str
    act: Callable[[Any], Any]


def locks_of(spoil: Spoil, program: Program = PROGRAMS[0]) -> Callable[[Any], Any]:
    def act(phone: Any) -> Any:
        plan = plan_of(program, SINGLES)
        posted = shown(keys(plan))
        spoil(plan, posted)
        return phone.call("locked", *told(plan), posted)

    return act


def one_more(_: Round, posted: dict[str, list[str]]) -> None:
    posted["shuffler-1"].append(posted["shuffler-1"][0])


def of_one_reader(plan: Round, posted: dict[str, list[str]]) -> None:
    for party, secret in {"shuffler-1": 5, "shuffler-2": 7}.items():
        posted[party][0] = own_key(plan, party, 0, secret)
        posted[party][-1] = own_key(plan, party, 3, secret)
    posted["curator"][0] = own_key(plan, "curator", 0, 11)
    posted["analyst"][0] = own_key(plan, "analyst", 3, 11)


def without_registry(phone: Any) -> Any:
    posts = posts_of(board_of(PROGRAMS[0]))
    kinds = [decode_message(bytes.fromhex(data)).body for _, data in posts]
    pairs = zip(posts, kinds, strict=True)
    until = [post for post, body in pairs if not isinstance(body, Registry)]
    announced = next(at for at, (who, data) in enumerate(until) if is_announcement(data))
    return phone.call("followed", until[: announced + 1], {})


def is_announcement(data: str) -> bool:
    return isinstance(decode_message(bytes.fromhex(data)).body, Announcement)


def of_a_stranger(phone: Any) -> Any:
    kept = {"name": "Ann", "seed": "07" * 32}
    return phone.call("followed", posts_of(board_of(PROGRAMS[0])), kept)


def lists_of(*turns: int, digest: bytes = b"", last: str = "") -> Callable[[Any], Any]:
    """Posts by their places; with a digest that is signed, and the party that signs last."""

    def act(phone: Any) -> Any:
        plan = plan_of(PROGRAMS[0], SINGLES)
        posts = closed_posts(handed((3, OWN)), handed())
        right = digest or signing(plan, (3, OWN)).digest
        more = [(last, CheckedBallots(right))] if last else []
        return listed(phone, [*(posts[at] for at in turns), *more])

    return act


def hop_too_early(phone: Any) -> Any:
    posts = closed_posts(handed((3, OWN)), handed())
    return listed(phone, [*posts, ("shuffler-2", ShuffledLists(2, (b"rows",) * 3, (b"p",) * 3))])


LACKING = {
    "the owner of a key": Lacking(
        "locks.js",
        'required(sodium.memcmp(challenge, due), "unregistered");',
        "",
        locks_of(of_another_session),
    ),
    "keys that cancel out": Lacking(
        "locks.js", 'required(!isNothing(sum), "unregistered");', "", locks_of(that_cancel_out)
    ),
    "keys of both readers": Lacking(
        "locks.js",
        "required(release === null || joint.every((key) => hex(key) !== hex(release)), "
        '"unregistered");',
        "",
        locks_of(of_one_reader, PROGRAMS[1]),
    ),
    "the number of keys": Lacking(
        "locks.js", "required(posted[party].length === numbers.length);", "", locks_of(one_more)
    ),
    "the announced list": Lacking(
        "follow.js",
        'if (told.registry !== (keys.length ? hex(root(keys)) : "")) '
        'refuse(t("refused-registry"));',
        "",
        without_registry,
    ),
    "its place on the list": Lacking(
        "follow.js", 'if (this.place < 0) refuse(t("refused-unlisted"));', "", of_a_stranger
    ),
    "the turn of a door": Lacking(
        "listed.js",
        'required(party === doors[Object.keys(handed).length], "unexpected");',
        "",
        lists_of(1, 0),
    ),
    "the signed list": Lacking(
        "listed.js",
        'required(digest === hex(closedDigest(session, call.round, closed)), "unexpected");',
        "",
        lists_of(0, 1, 2, digest=bytes(32), last="curator"),
    ),
    "who signs a list": Lacking(
        "listed.js",
        "closed !== undefined && keyholdersOf(told, call).includes(party)",
        "closed !== undefined",
        lists_of(0, 1, 2, last="analyst"),
    ),
    "the turn of a hop": Lacking(
        "listed.js",
        "required(signed && hop === due && party === `shuffler-${hop}` && lists.length === "
        'call.asks.length, "unexpected");',
        "",
        hop_too_early,
    ),
}


@pytest.mark.parametrize("name", LACKING)
def test_without_a_refusal_what_it_refuses_passes(
    phone: Any, phone_without: Callable[[str, str, str], Any], name: str
) -> None:
    lacking = LACKING[name]
    assert "refused" in lacking.act(phone)
    assert "result" in lacking.act(phone_without(lacking.module, lacking.text, lacking.becomes))
