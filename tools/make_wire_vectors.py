"""Write the vectors in tests/protocol/vectors: one JSON file each, one fault in each negative one.

    python tools/make_wire_vectors.py            write them
    python tools/make_wire_vectors.py --check    exit 1 if a file is missing, different or left over
    python tools/make_wire_vectors.py --example  print a message field by field

A file holds `title`, `kind`, `input` and `expect`: either `result` or `refused` with a reason.
Bytes are in hexadecimal. Everything is made from a fixed seed. A faulty message is the positive one
of its kind with the bytes at one place replaced.
"""

import sys
from dataclasses import replace

from field_faults import pieces
from generated import ROOT, vector_files, write_or_check
from veilmix.crypto.entropy import SeededEntropy
from veilmix.crypto.joint_key import joint, make_share, open_jointly, total
from veilmix.crypto.keys import PublicKey
from veilmix.crypto.layer import seal_layer
from veilmix.crypto.padding import pad
from veilmix.crypto.suites import suite
from veilmix.protocol.peers.accounting import result_digest
from veilmix.protocol.peers.agreement import (
    Agreement,
    PeerRound,
    open_peer_round,
    share_context,
)
from veilmix.protocol.peers.onions import make_onion
from veilmix.protocol.rounds.ballots import Ballot, submit
from veilmix.protocol.rounds.mixing import batch_digest
from veilmix.protocol.rounds.round_context import Round, layer_context
from veilmix.protocol.wire.announcement import AnnouncedPolicy, Program, Rules
from veilmix.protocol.wire.frames import Message
from veilmix.protocol.wire.hiding_rules import BLANK, OTHER_VALUE
from veilmix.protocol.wire.messages import Call, Tally
from veilmix.protocol.wire.parties import Role
from veilmix.protocol.wire.records import row_of
from veilmix.protocol.wire.wire import Writer
from wire_boards import boards, guards, signed_boards
from wire_commitments import commitments
from wire_examples import (
    BLANKED,
    BODIES,
    COUNTS,
    JOINT,
    MASKED,
    ROW,
    SCHEMA,
    SEALS,
    SEED,
    SESSION,
    SINGLES,
    Named,
    Vector,
    announcement,
    encoded,
    negative,
    pair,
    playing,
    positive,
)
from wire_faults import faults, frames, text
from wire_in_json import shown
from wire_tables import notation

FOLDER = ROOT / "tests" / "protocol" / "vectors"


def main(arguments: list[str]) -> int:
    """Write, check or show, as the docstring of this file says."""
    if arguments == ["--example"]:
        print(example())
        return 0
    return write_or_check(arguments, vector_files(FOLDER, build()), FOLDER)


def build() -> dict[str, Vector]:
    """Make every vector: file name -> content."""
    parts = (
        messages(),
        frames(),
        faults(),
        sessions(),
        envelopes(),
        ballots(),
        guards(),
        boards(),
        commitments(),
        signed_boards(),
        peers(),
    )
    return {f"{name}.json": vector for part in parts for name, vector in part}


def messages() -> Named:
    """One message of each kind, and more where a kind has several forms."""
    for name in BODIES:
        data = encoded(name)
        result = shown(Message(data[4:36], data[36], BODIES[name][1], SEALS.get(name)))
        yield f"message-{name}", positive(f"a {name}", "message", {"data": data.hex()}, result)


def sessions() -> Named:
    """Digests, contexts and batch digests: they are computed and cannot be refused."""
    told = announcement()
    inputs: Vector = {"announcement": told.encode().hex()}
    yield "session", positive("a session's digest", "session", inputs, {"digest": SESSION.hex()})
    for name, call in {"singles": SINGLES, "joint": JOINT}.items():
        data = Message(SESSION, call.round, call).encode()
        for hop in (1, 2, 3):
            inputs = {"session": SESSION.hex(), "call": data.hex(), "hop": hop}
            result = {"context": layer_context(SESSION, call, hop).hex()}
            title = f"the context of hop {hop} in round {call.round}"
            yield f"context-{name}-{hop}", positive(title, "context", inputs, result)
    for name, layers in {"empty": [], "of-lengths": [b"", b"a", b"\0\0\0\1a"]}.items():
        inputs = {"layers": [layer.hex() for layer in layers]}
        result = {"digest": batch_digest(layers).hex()}
        yield f"batch-digest-{name}", positive(f"a batch: {name}", "batch", inputs, result)


def peers() -> Named:
    """Sessions of peers: their name, the layers of an onion, and what peers agree on."""
    terms = Agreement("Blood donors", SCHEMA, AnnouncedPolicy(5, 0.1), Rules(), suite().code, 2, 1)
    numbers = (1, 2, 5, 258)
    keys = {number: pair(f"peer-{number}").public for number in numbers}
    shown_keys = [[number, key.encode().hex()] for number, key in keys.items()]
    session: Vector = {"agreement": terms.encode().hex(), "keys": shown_keys}
    name = terms.session(keys)
    yield "peers", positive("peers", "peers", session, {"session": name.hex()})
    call = Message(name, 1, SINGLES).encode()
    shares = {
        number: make_share(
            SeededEntropy(SEED).fork(f"share {number}"), share_context(name, 1, number)
        )
        for number in numbers
    }
    for number, share in shares.items():
        inputs = {"session": name.hex(), "round": 1, "peer": number}
        inputs |= {"public": share.public.hex(), "proof": share.proof.hex()}
        shown = {"secret": share.secret.hex()}
        yield (
            f"peer-share-{number}",
            positive(f"a share of peer {number}", "peer-share", inputs | shown, {}),
        )
    stranger = inputs | {"peer": 1} | shown
    yield "peer-share-of-another", negative("another's share", "peer-share", stranger, "malformed")
    plan = open_peer_round(terms, name, keys, SINGLES)
    plan = replace(plan, joint=joint([key.public for key in shares.values()]))
    asked = session | {"call": call.hex()}
    yield from peer_ballots(asked, plan, [key.secret for key in shares.values()])
    counted = Message(name, 2, Tally((11,), {}, COUNTS))
    digest = result_digest(open_peer_round(terms, name, keys, JOINT), COUNTS, None)
    inputs = {"data": counted.encode().hex()}
    yield "peers-agree", positive("a release agreed on", "agree", inputs, {"digest": digest.hex()})


def peer_ballots(asked: Vector, plan: PeerRound, secrets: list[bytes]) -> Named:
    """What peers open of an answer and of a blank, layer by layer, and at the end together."""
    for what, answer in {"answer": Ballot(2, ("-",)), "blank": None}.items():
        onion = make_onion(plan, 1, answer, SeededEntropy(SEED).fork(what))
        for step, peer in enumerate(onion.path, start=1):
            inputs = asked | {"step": step, "secret": secret(f"peer-{peer}")}
            inputs |= {"layer": onion.layers[step - 1].hex(), "draw": onion.draws[step - 1].hex()}
            inputs |= {"peer": peer}
            held = onion.inside[step - 1]
            then, inside = int.from_bytes(held[:2], "big"), held[2:].hex()
            result = {"next": then, "inside": inside}
            title = f"what a peer opens in step {step}: {what}"
            yield f"peer-layer-{what}-{step}", positive(title, "peer-layer", inputs, result)
        inputs = asked | {"sealed": onion.sealed.hex()}
        inputs |= {"secrets": [each.hex() for each in secrets]}
        plain = open_jointly(total(secrets), plan.joint, onion.sealed, plan.ballots)
        result = {"plain": plain.hex(), "blank": what == "blank"}
        yield f"peer-ballot-{what}", positive(f"a ballot: {what}", "peer-ballot", inputs, result)
        few = inputs | {"secrets": inputs["secrets"][1:]}
        title = f"a ballot without one secret: {what}"
        yield f"peer-ballot-{what}-less", negative(title, "peer-ballot", few, "does-not-open")


def secret(party: str) -> str:
    """Give a party's secret key, which is shown because it is nobody's."""
    return SeededEntropy(SEED).fork(party).random(32).hex()


def envelopes() -> Named:
    """Submissions as the first shuffler opens them."""
    for shufflers in (1, 2):
        plan, inputs = playing(announcement(shufflers), SINGLES)
        sealed = submit(plan, ROW, SeededEntropy(SEED).fork("row"))
        inputs |= {"secret": secret("shuffler-1"), "envelope": sealed.envelope.hex()}
        onions = sorted(layers[0] for layers in sealed.onions)
        result = {"onions": [onion.hex() for onion in onions]}
        title = f"an envelope for {shufflers} shufflers"
        yield f"envelope-{shufflers}", positive(title, "envelope", inputs, result)
    loose = announcement(rules=Rules(padded=False, lesson=True))
    unpadded, told = playing(loose, SINGLES)
    short = [layers[0] for layers in submit(unpadded, ROW, SeededEntropy(SEED)).onions]
    bundle, onion = Writer().items(onions).finish(), onions[0]
    wrong: dict[str, tuple[Round, Vector, bytes, str]] = {
        "slot-missing": (plan, inputs, Writer().items(onions[1:]).finish(), "wrong-size"),
        "slot-extra": (plan, inputs, Writer().items([*onions, onion]).finish(), "wrong-size"),
        "slot-doubled": (plan, inputs, Writer().items([onion, *onions[:2]]).finish(), "malformed"),
        "slots-descending": (plan, inputs, Writer().items(onions[::-1]).finish(), "malformed"),
        "other-split": (plan, inputs, other_split(bundle), "malformed"),
        "unpadded-slot-missing": (unpadded, told, Writer().items(short[1:]).finish(), "malformed"),
    }
    for name, (where, what, inside, reason) in wrong.items():
        bad = seal(where, 1, inside)
        vector = what | {"secret": secret("shuffler-1"), "envelope": bad.hex()}
        yield f"envelope-{name}", negative(f"an envelope: {name}", "envelope", vector, reason)
    yield from unopened("envelope", inputs, sealed.envelope)


def other_split(bundle: bytes) -> bytes:
    """Say another number and width of items over the same bytes."""
    count, width = int.from_bytes(bundle[:4], "big"), int.from_bytes(bundle[4:8], "big")
    return width.to_bytes(4, "big") + count.to_bytes(4, "big") + bundle[8:]


def unopened(name: str, inputs: Vector, layer: bytes) -> Named:
    """A layer with one bit turned over, and a layer for another round, session and hop."""
    field = "envelope" if name == "envelope" else "layer"
    changed = inputs | {field: (layer[:-1] + bytes([layer[-1] ^ 1])).hex()}
    yield f"{name}-changed", negative(f"{name}: changed", name, changed, "does-not-open")
    for what, elsewhere in {
        "another-round": playing(announcement(), Call(3, SINGLES.reader, SINGLES.asks)),
        "another-question": playing(announcement(), Call(1, Role.ANALYST, SINGLES.asks)),
        "another-session": playing(announcement(nonce=bytes(16)), SINGLES),
    }.items():
        title = f"{name}: sealed for {what.replace('-', ' ')}"
        yield f"{name}-{what}", negative(title, name, inputs | elsewhere[1], "does-not-open")


def seal(plan: Round, hop: int, inside: bytes) -> bytes:
    """Seal bytes for one hop of a round."""
    public: PublicKey = plan.hops[hop - 1].public
    return seal_layer(suite(), public, inside, plan.hops[hop - 1].context, SeededEntropy(SEED))


def ballots() -> Named:
    """The innermost layers, as the reader opens them."""
    plan, inputs = playing(announcement(), SINGLES)
    inputs |= {"secret": secret("curator")}
    salt = bytes(range(16))
    good = b"\1" + salt + text("Zürich".encode())
    layer = seal(plan, 3, pad(good, plan.ballot))
    result = {"ask": 1, "salt": salt.hex(), "values": ["Zürich"]}
    yield "ballot", positive("a ballot", "ballot", inputs | {"layer": layer.hex()}, result)
    wrong = {
        "question-unknown": (b"\3" + good[1:], "malformed"),
        "value-missing": (good[:17], "malformed"),
        "value-cut": (good[:-1], "malformed"),
        "left-over-byte": (good + b"\0" + b"!", "malformed"),
        "not-utf8": (good[:-1] + b"\xff", "malformed"),
        "empty-value": (b"\1" + salt + b"\0\0", "outside-domain"),
        "too-long-for-the-domain": (b"\1" + salt + b"\0\x0b" + b"x" * 11, "outside-domain"),
        "control-character": (b"\1" + salt + text(b"a\x1b[2J"), "outside-domain"),
        "surrounding-space": (b"\1" + salt + text(b" Ulm"), "outside-domain"),
        "not-in-the-domain": (b"\0" + salt + b"\0\1C", "outside-domain"),
    }
    for name, (inside, reason) in wrong.items():
        vector = inputs | {"layer": seal(plan, 3, pad(inside, plan.ballot)).hex()}
        yield f"ballot-{name}", negative(f"a ballot: {name}", "ballot", vector, reason)
    longer = inputs | {"layer": seal(plan, 3, pad(good, plan.ballot + 1)).hex()}
    yield "ballot-too-long", negative("a ballot: one byte too long", "ballot", longer, "wrong-size")
    unpadded = good.ljust(plan.ballot, b"\0")
    vector = inputs | {"layer": seal(plan, 3, unpadded).hex()}
    yield "ballot-no-padding", negative("a ballot: no padding", "ballot", vector, "malformed")
    yield from hidden_ballots(salt)
    yield from unopened("ballot", inputs | {"layer": layer.hex()}, layer)


def hidden_ballots(salt: bytes) -> Named:
    """Ballots in which values are hidden, or ought to be."""
    for name, call, values, reason in (
        ("masked", MASKED, ("A", OTHER_VALUE), ""),
        ("masked-value-named", MASKED, ("B", OTHER_VALUE), "outside-domain"),
        ("masked-value-blank", MASKED, ("A", BLANK), "outside-domain"),
        ("blanked", BLANKED, (BLANK, "+"), ""),
        ("blanked-value-named", BLANKED, ("AB", "+"), "outside-domain"),
        ("blanked-value-other", BLANKED, (OTHER_VALUE, "+"), "outside-domain"),
    ):
        masks = call is MASKED
        program = Program.HIERARCHICAL if masks else Program.LOCAL_SUPPRESSION
        plan, inputs = playing(announcement(program=program), call)
        inside = b"\0" + salt + b"".join(text(value.encode()) for value in values)
        layer = seal(plan, 3, pad(inside, plan.ballot))
        inputs |= {"secret": secret("curator" if masks else "analyst"), "layer": layer.hex()}
        result = {"ask": 0, "salt": salt.hex(), "values": list(values)}
        title = f"a ballot: {name}"
        vector = negative(title, "ballot", inputs, reason)
        yield f"ballot-{name}", vector if reason else positive(title, "ballot", inputs, result)


def example() -> str:
    """Print the fields of one message, each with its offset."""
    data, (_, call) = encoded("call"), BODIES["call"]
    fields = {"magic, version": 3, "kind": 1, "session digest": 32, "round": 1}
    encodings = pieces(Call, call)
    for name, type_ in row_of(Call).items():
        fields[f"{name}:{notation(type_)}"] = len(encodings[name])
    lines, at = [f"tests/protocol/vectors/message-call.json; {len(data)} bytes"], 0
    for name, width in fields.items():
        lines.append(f"{at:02} {name:<32} {data[at : at + width].hex()}")
        at += width
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
