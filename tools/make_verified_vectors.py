"""Write the vectors in tests/crypto/verified/vectors: records of a verified mix, and faults.

    python tools/make_verified_vectors.py            write them
    python tools/make_verified_vectors.py --check    exit 1 if a file is missing or not the same

A file is a record as tools/check_verified.py reads it, with `title`, `values` (of the last rows, in
order, column after column; null for a malformed element; nothing where the record is refused) and
`refused`, the first word of which says what is refused. Bytes are in hexadecimal. Everything
follows from a fixed seed.
"""

import sys
from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from typing import Any

from generated import ROOT, vector_files, write_or_check
from veilmix.crypto.entropy import SeededEntropy
from veilmix.crypto.joint_key import KeyShare, joint
from veilmix.crypto.verified.ballots import make_ballot
from veilmix.crypto.verified.group import RISTRETTO255
from veilmix.crypto.verified.keys import OwnedKey, make_key
from veilmix.crypto.verified.rows import CiphertextRows, Remix, ballot_rows, remix
from veilmix.crypto.verified.shares import make_shares, opened_elements
from veilmix.crypto.verified.shuffle_prover import prove_shuffle
from veilmix.crypto.verified.submit_once import ReaderKeys, make_once
from veilmix.crypto.verified.transcript import ProofContext
from veilmix.crypto.verified.values import ValueElements

FOLDER = ROOT / "tests" / "crypto" / "verified" / "vectors"
ENTROPY = SeededEntropy(38)
CONTEXT = ProofContext(RISTRETTO255, bytes(range(32)), 1, 0, b"")
HOPS = (b"shuffler 1", b"shuffler 2")
KEYHOLDERS = (*HOPS, b"reader")
LONG = b"a value of more than twenty-nine bytes"
DOMAIN = [b"yes", LONG]
VALUES = ValueElements(RISTRETTO255, DOMAIN)
# Of each person, the values of its ciphertexts; None for an element that carries no value.
PEOPLE: Sequence[Sequence[bytes | None]] = ([b"yes"], [LONG], [None])
ROWS: Sequence[Sequence[bytes | None]] = ([b"yes", b"1"], [b"no", b"2"])
Vector = dict[str, Any]
Change = Callable[[Vector], None]


def main(arguments: list[str]) -> int:
    """Write or check, as the docstring of this file says."""
    vectors = {f"{name}.json": vector for name, vector in records()}
    return write_or_check(arguments, vector_files(FOLDER, vectors), FOLDER)


def records() -> Iterator[tuple[str, Vector]]:
    """Make every vector: name, content."""
    good = record("a mix of two shufflers", PEOPLE)
    yield "mix", good
    yield "rows", record("rows of two ciphertexts", ROWS)
    yield (
        "submit-once",
        record("ballots for two readers, as the analyst reads them", ROWS, once=True),
    )
    for name, (title, change) in FAULTS.items():
        changed = deepcopy(good) | {"title": title, "values": []}
        change(changed)
        yield name, changed


def record(title: str, people: Sequence[Sequence[bytes | None]], *, once: bool = False) -> Vector:
    """Make an honest record."""
    keys = [make_key(CONTEXT.at(place), ENTROPY.fork(repr(place))) for place in KEYHOLDERS]
    key = joint([share.public for share in keys])
    curator = make_key(CONTEXT.at(b"curator"), ENTROPY.fork("curator")).public if once else b""
    records, rows = ballots(people, key, curator)
    hops = list[Remix]()
    entries = list[Vector]()
    for place in HOPS:
        context, old = CONTEXT.at(place), hops[-1].rows if hops else rows
        mixed = remix(context, key, old, ENTROPY)
        proof = prove_shuffle(context, key, old, mixed, ENTROPY)
        entries.append(entry(place, proof.encode(RISTRETTO255), rows=mixed.rows))
        hops.append(mixed)
    last = hops[-1].rows
    shares = [
        make_shares(CONTEXT.at(place), share, last.firsts, ENTROPY)
        for place, share in zip(KEYHOLDERS, keys, strict=True)
    ]
    opened = opened_elements(RISTRETTO255, last.seconds, [each.elements for each in shares])
    return {
        "title": title,
        "group": RISTRETTO255.name,
        "announcement": CONTEXT.announcement.hex(),
        "round": CONTEXT.round,
        "question": CONTEXT.question,
        "domain": [value.hex() for value in DOMAIN],
        "keys": [entry(place, owned(share)) for place, share in zip(KEYHOLDERS, keys, strict=True)],
        "curator_key": curator.hex() or None,
        "ballots": records,
        "hops": entries,
        "shares": [
            entry(place, each.encode(RISTRETTO255))
            for place, each in zip(KEYHOLDERS, shares, strict=True)
        ],
        "values": [None if value is None else value.hex() for value in VALUES.decode_all(opened)],
        "refused": None,
    }


def ballots(
    people: Sequence[Sequence[bytes | None]], key: bytes, curator: bytes
) -> tuple[list[Vector], CiphertextRows]:
    """Make the ballots of all people, and the rows that they are."""
    entries, rows = list[Vector](), list[list[tuple[bytes, bytes]]]()
    for number, values in enumerate(people):
        context, texts, pairs = CONTEXT.at(b"person %d" % number), list[str](), []
        for column, value in enumerate(values):
            own = ENTROPY.fork(f"ballot {number} {column}")
            element = VALUES.encode(value) if value is not None else carrying_nothing()
            if curator:
                both = make_once(context, ReaderKeys(curator, key), element, own).ballot
                texts.append(both.encode(RISTRETTO255).hex())
                pairs.append((both.first, both.analyst_second))
            else:
                ballot = make_ballot(context, key, element, own).ballot
                texts.append(ballot.encode(RISTRETTO255).hex())
                pairs.append((ballot.first, ballot.second))
        entries.append({"person": context.place.hex(), "records": texts})
        rows.append(pairs)
    return entries, ballot_rows(rows)


def carrying_nothing() -> bytes:
    """Return an element that is no value's: the generator."""
    (generator,) = RISTRETTO255.base_multiples([1])
    return generator


def owned(share: KeyShare) -> bytes:
    """Return the record of a keyholder's key."""
    return OwnedKey(share.public, share.proof).encode()


def entry(place: bytes, data: bytes, rows: CiphertextRows | None = None) -> Vector:
    """Return what a place posts: a record, or rows with their proof."""
    if rows is None:
        return {"place": place.hex(), "record": data.hex()}
    return {"place": place.hex(), "rows": rows.encode().hex(), "proof": data.hex()}


def swapped(text: str, start: int, size: int) -> str:
    """Return hexadecimal text in which two neighbouring fields are exchanged; sizes in bytes."""
    data = bytes.fromhex(text)
    one, other = (data[at : at + size] for at in (start, start + size))
    return (data[:start] + other + one + data[start + 2 * size :]).hex()


def refusing(what: str, change: Change) -> Change:
    """Return a change that also says what is refused."""

    def changed(vector: Vector) -> None:
        change(vector)
        vector["refused"] = what

    return changed


def exchange_people(vector: Vector) -> None:
    """Put the ballot of another person under each of two names."""
    first, second = vector["ballots"][:2]
    first["records"], second["records"] = second["records"], first["records"]


def rogue_key(vector: Vector) -> None:
    """Subtract the keys of all others from the reader's."""
    data = [bytes.fromhex(each["record"]) for each in vector["keys"]]
    rogue = data[-1][:32]
    for other in data[:-1]:
        (rogue,) = RISTRETTO255.differences([rogue], [other[:32]])
    vector["keys"][-1]["record"] = (rogue + data[-1][32:]).hex()


def replaced_row(vector: Vector) -> None:
    """Put the first ballot, as it is, in place of a row of the last hop."""
    hop, ballot = vector["hops"][-1], vector["ballots"][0]["records"][0]
    hop["rows"] = hop["rows"][:10] + ballot[:128] + hop["rows"][10 + 128 :]


def set_bytes(vector: Vector, path: Sequence[Any], at: int, data: bytes) -> None:
    """Write other bytes into a text."""
    for step in path[:-1]:
        vector = vector[step]
    text = vector[path[-1]]
    at = at if at >= 0 else len(text) // 2 + at
    vector[path[-1]] = text[: 2 * at] + data.hex() + text[2 * (at + len(data)) :]


def exchange_rows(vector: Vector) -> None:
    """Exchange two rows of the last hop."""
    hop = vector["hops"][-1]
    hop["rows"] = swapped(hop["rows"], 5, 64)


def exchange_hops(vector: Vector) -> None:
    """Exchange the places of both hops."""
    first, second = vector["hops"]
    first["place"], second["place"] = second["place"], first["place"]


def exchange_shares(vector: Vector) -> None:
    """Exchange two shares of the reader."""
    share = vector["shares"][-1]
    share["record"] = swapped(share["record"], 4, 32)


def double_ballot(vector: Vector) -> None:
    """List a ballot a second time."""
    vector["ballots"].append(vector["ballots"][0])


def append_byte(vector: Vector) -> None:
    """Append a byte to the proof of the first hop."""
    vector["hops"][0]["proof"] += "00"


ORDER_BYTES = RISTRETTO255.order.to_bytes(32, "little")
FAULTS: dict[str, tuple[str, Change]] = {
    "other-session": (
        "the record of another session",
        refusing("key", lambda vector: vector.update(announcement=bytes(32).hex())),
    ),
    "other-question": (
        "the record of another question",
        refusing("key", lambda vector: vector.update(question=1)),
    ),
    "rogue-key": ("a key that is minus all others", refusing("key", rogue_key)),
    "exchanged-names": ("two ballots under other names", refusing("ballot", exchange_people)),
    "two-ballots": ("a person with two ballots", refusing("ballot", double_ballot)),
    "scalar-of-a-ballot": (
        "a response that is the order of the group",
        refusing(
            "ballot",
            lambda vector: set_bytes(vector, ["ballots", 0, "records", 0], -32, ORDER_BYTES),
        ),
    ),
    "identity": (
        "a row with the identity",
        refusing("rows", lambda vector: set_bytes(vector, ["hops", 0, "rows"], 5, bytes(32))),
    ),
    "replaced-row": ("a ballot in place of a row", refusing("shuffle", replaced_row)),
    "exchanged-rows": ("two rows exchanged after the proof", refusing("shuffle", exchange_rows)),
    "exchanged-hops": ("proofs of each other's hops", refusing("shuffle", exchange_hops)),
    "exchanged-shares": ("two shares exchanged", refusing("shares", exchange_shares)),
    "extended": (
        "a byte too many behind a proof of a shuffle",
        refusing("shuffle", append_byte),
    ),
}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
