"""Wire vectors of boards: roots, alarms and whole sessions that anybody can replay."""

from dataclasses import replace

from veilmix.crypto.entropy import SeededEntropy
from veilmix.crypto.signing import Signer
from veilmix.errors import Reason
from veilmix.protocol.board.board import Board, replay
from veilmix.protocol.rounds.mixing import batch_digest
from veilmix.protocol.rounds.registered_users import registry_root, submission
from veilmix.protocol.wire.commitment import commit
from veilmix.protocol.wire.frames import Message
from veilmix.protocol.wire.messages import (
    Alarm,
    Body,
    Burned,
    Cause,
    Closed,
    Consent,
    Decision,
    DecisionCertificate,
    Key,
    Kind,
    Mixed,
    Registry,
    Roster,
    Tally,
)
from veilmix.protocol.wire.signed_posts import Fork, sealed_post, sign_head, witness_of
from wire_examples import (
    HEAD,
    ROSTER,
    SEED,
    SIGNER,
    SINGLES,
    WHO,
    Named,
    Vector,
    announcement,
    negative,
    playing,
    positive,
)
from wire_faults import patched, replaced, size

NOTHING = Decision((), DecisionCertificate("fixed", 5, 3, 3))


def guards() -> Named:
    """Roots of registries, and signatures."""
    plan, _ = playing(announcement(registry=bytes(32)), SINGLES)
    for many in (0, 1, 5):
        keys = tuple(bytes([i]) * 32 for i in range(many))
        inputs: Vector = {"entries": [key.hex() for key in keys]}
        expected = {"root": registry_root(Registry(keys)).hex()}
        yield f"root-{many}", positive(f"the root of {many} keys", "root", inputs, expected)
    sent = submission(plan, b"an envelope", SIGNER)
    data = Message(plan.session, 1, sent).encode()
    key = SIGNER.public.hex()
    right = {"data": data.hex(), "key": key}
    yield "signed", positive("a signed submission", "signed", right, {})
    wrong = {
        "in-another-round": patched(data, (36, b"\1", b"\2")),
        "in-another-session": data[:4] + bytes(32) + data[36:],
        "of-another-envelope": replaced(data, b"an envelope", b"An envelope"),
        "by-nobody": data[:-72] + size(b"") + size(b""),
        "with-another-head": data[:-4] + size(witness_of(HEAD)) + witness_of(HEAD),
    }
    for name, bad in wrong.items():
        vector: Vector = {"data": bad.hex(), "key": key}
        title = f"a signature: {name}"
        yield f"signed-{name}", negative(title, "signed", vector, "unregistered")


def boards() -> Named:
    """A whole board, its head, and the digest of its run."""
    told = announcement(1)
    session = told.digest()
    mixed = Mixed(1, 3, 4, 9, {Reason.LATE: 1}, batch_digest([b"one", b"two"]))
    said: list[tuple[str, int, Body]] = [
        ("analyst", 0, Key(told.analyst)),
        ("shuffler-1", 0, Key(told.shufflers[0])),
        ("curator", 0, told),
        ("shuffler-1", 0, Consent(session)),
        ("analyst", 0, Consent(session)),
        ("curator", 1, SINGLES),
        ("shuffler-1", 1, mixed),
        ("curator", 1, Tally((3, 3, 3), {})),
        ("curator", 1, commit(told, session, NOTHING, SeededEntropy(SEED))[0]),
        ("curator", 1, Closed()),
    ]
    posts = [
        (author, Message(session if at > 2 else bytes(32), number, body).encode())
        for at, (author, number, body) in enumerate(said)
    ]
    board = replay(posts)
    inputs = {"posts": [[author, data.hex()] for author, data in posts]}
    result = {"head": board.head.hex(), "digest": board.digest().hex()}
    yield "board", positive("a board from beginning to end", "board", inputs, result)


def signed_boards() -> Named:
    """A whole board whose posts and heads are signed, one fault in each other; and a fork."""
    posts = signed_posts()
    board = replay(posts)
    inputs = shown_posts(posts)
    result = {"head": board.head.hex(), "digest": board.digest().hex()}
    yield "board-signed", positive("a board that is signed", "board", inputs, result)
    for name, (bad, reason) in signed_faults(posts).items():
        title = f"a signed board: {name}"
        yield f"board-signed-{name}", negative(title, "board", shown_posts(bad), reason)
    first, other = (sign_head(ROSTER, 2, bytes([i]) * 32, WHO["board"]) for i in (1, 2))
    key = WHO["board"].public.hex()
    right = {"board": key, "fork": Fork(ROSTER.opening, first, other).encode().hex()}
    yield "fork", positive("a board that has shown two things", "fork", right, {})
    elsewhere = sign_head(ROSTER, 1, bytes([2]) * 32, WHO["board"])
    stranger = sign_head(ROSTER, 2, bytes([2]) * 32, SIGNER)
    for name, head in {
        "of-one-thing": first,
        "of-two-places": elsewhere,
        "by-another": stranger,
    }.items():
        proof = Fork(ROSTER.opening, first, head).encode().hex()
        yield (
            f"fork-{name}",
            negative(f"no fork: {name}", "fork", {"board": key, "fork": proof}, "unregistered"),
        )


def shown_posts(posts: list[tuple[str, bytes]]) -> Vector:
    """Say in JSON what is on a board."""
    return {"posts": [[author, data.hex()] for author, data in posts]}


def signed_posts() -> list[tuple[str, bytes]]:
    """A short session in which nothing is called but once, and burned."""
    told = announcement(1)
    session, board = told.digest(), Board()
    said: list[tuple[str, int, Body]] = [
        ("curator", 0, ROSTER),
        ("analyst", 0, Key(told.analyst)),
        ("shuffler-1", 0, Key(told.shufflers[0])),
        ("curator", 0, told),
        ("shuffler-1", 0, Consent(session)),
        ("analyst", 0, Consent(session)),
        ("curator", 1, SINGLES),
        ("user-1", 1, Alarm(1, Cause.BALANCE)),
        ("shuffler-1", 1, Burned("nobody came")),
        ("curator", 1, Closed()),
    ]
    for author, number, body in said:
        message = Message(board.session, number, body)
        sealed = sealed_post(message, ROSTER, author, WHO.get(author, SIGNER), board.witness)
        board.post(author, message.encode() if author == "user-1" else sealed)
        if board.due is not None:
            head = sign_head(ROSTER, board.due, board.state, WHO["board"])
            board.post("board", Message(board.session, number, head).encode())
    return [(entry.author, entry.data) for entry in board.entries]


def signed_faults(
    posts: list[tuple[str, bytes]],
) -> dict[str, tuple[list[tuple[str, bytes]], str]]:
    """What is wrong with a signed board: its posts up to the wrong one, and the reason."""
    board = replay(posts)
    burned = next(at for at, (_, data) in enumerate(posts) if data[3] == Kind.BURNED)
    called = next(at for at, (_, data) in enumerate(posts) if data[3] == Kind.HEAD)
    message, witness = board.entries[burned].message, witness_of(board.heads[1])
    signer, other = WHO["shuffler-1"], replace(ROSTER, opening=bytes(16))
    elsewhere = witness_of(sign_head(ROSTER, 1, bytes(32), WHO["board"]))

    def burning(data: bytes) -> list[tuple[str, bytes]]:
        return [*posts[:burned], ("shuffler-1", data)]

    def signed(roster: Roster, author: str, who: Signer, cited: bytes) -> list[tuple[str, bytes]]:
        return burning(sealed_post(plain, roster, author, who, cited))

    def heading(place: int, state: bytes, who: Signer) -> list[tuple[str, bytes]]:
        head = sign_head(ROSTER, place, state, who)
        return [*posts[:called], ("board", Message(board.session, 1, head).encode())]

    plain, own, state = replace(message, seal=None), "shuffler-1", board.heads[1].state
    early = (own, sealed_post(plain, ROSTER, own, signer, b""))
    return {
        "post-without-seal": (burning(plain.encode()), "unregistered"),
        "post-by-another": (signed(ROSTER, own, SIGNER, witness), "unregistered"),
        "post-of-another-author": (signed(ROSTER, "analyst", signer, witness), "unregistered"),
        "post-of-another-opening": (signed(other, own, signer, witness), "unregistered"),
        "post-that-cites-another-board": (signed(ROSTER, own, signer, elsewhere), "unexpected"),
        "post-that-cites-nothing": (signed(ROSTER, own, signer, b""), "unexpected"),
        "post-before-the-head": ([*posts[:called], early], "unexpected"),
        "head-of-something-else": (heading(1, bytes(32), WHO["board"]), "unexpected"),
        "head-of-another-place": (heading(2, state, WHO["board"]), "unexpected"),
        "head-by-another": (heading(1, state, SIGNER), "unregistered"),
    }
