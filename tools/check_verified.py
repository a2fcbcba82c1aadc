"""Check the record of a verified mix: `python tools/check_verified.py RECORD.json`.

Needs Python, rbcl and docs/verified.md, from which it was written, and shares no code with veilmix.
Prints what the record proves and the counts of its values; exit code 1 with the reason if any part
of it does not hold. The record is a JSON object; bytes are in hexadecimal:

    group, announcement, round, question    the context
    domain                                  the announced values; empty for an open domain
    keys       place, record                of each keyholder of this opening
    curator_key                             null; or the curator's joint key, where ballots are for
                                            two readers, and this opening is the analyst's
    ballots    person, records              one record for each ciphertext of a row
    hops       place, rows, proof           in order
    shares     place, record                of each keyholder, in the order of `keys`
"""

import hashlib
import json
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import rbcl

ORDER = 2**252 + 27742317777372353535851937790883648493
ZERO = bytes(32)
Record = dict[str, Any]


class Invalid(Exception):
    """The record does not hold; the message says where."""


def require(fact: object, reason: str) -> None:
    """Raise Invalid unless a fact holds."""
    if not fact:
        raise Invalid(reason)


class Fields:
    """The fields of one record, from its first byte to its last."""

    def __init__(self, text: str, kind: str) -> None:
        self.data, self.kind, self.at = bytes.fromhex(text), kind, 0

    def take(self, size: int) -> bytes:
        """Return the next bytes."""
        piece = self.data[self.at : self.at + size]
        require(len(piece) == size, f"{self.kind}: too short")
        self.at += size
        return piece

    def count(self, size: int) -> int:
        """Return the next count, big-endian."""
        number = int.from_bytes(self.take(size), "big")
        require(number > 0, f"{self.kind}: a count of 0")
        return number

    def point(self) -> bytes:
        """Return the next element."""
        piece = self.take(32)
        valid = piece != ZERO and rbcl.crypto_core_ristretto255_is_valid_point(piece)
        require(valid, f"{self.kind}: not an element")
        return piece

    def points(self, count: int) -> list[bytes]:
        """Return the next elements."""
        return [self.point() for _ in range(count)]

    def scalars(self, count: int) -> list[int]:
        """Return the next scalars."""
        numbers = [int.from_bytes(self.take(32), "little") for _ in range(count)]
        require(all(number < ORDER for number in numbers), f"{self.kind}: a scalar out of range")
        return numbers

    def end(self) -> None:
        """Require that no byte follows."""
        require(self.at == len(self.data), f"{self.kind}: too long")


def multiple(k: int, P: bytes) -> bytes:
    """Return k P."""
    if k % ORDER == 0 or P == ZERO:
        return ZERO
    product: bytes = rbcl.crypto_scalarmult_ristretto255((k % ORDER).to_bytes(32, "little"), P)
    return product


def of_base(k: int) -> bytes:
    """Return k G."""
    if k % ORDER == 0:
        return ZERO
    product: bytes = rbcl.crypto_scalarmult_ristretto255_base((k % ORDER).to_bytes(32, "little"))
    return product


def plus(*Ps: bytes) -> bytes:
    """Return the sum of elements."""
    out = ZERO
    for P in Ps:
        out = rbcl.crypto_core_ristretto255_add(out, P)
    return out


def minus(P: bytes, Q: bytes) -> bytes:
    """Return P - Q."""
    out: bytes = rbcl.crypto_core_ristretto255_sub(P, Q)
    return out


def weighed(ks: Sequence[int], Ps: Sequence[bytes]) -> bytes:
    """Return the sum of k P."""
    return plus(*(multiple(k, P) for k, P in zip(ks, Ps, strict=True)))


def absorbed(*items: bytes) -> bytes:
    """Return items, each behind its length."""
    return b"".join(len(item).to_bytes(8, "big") + item for item in items)


class Session:
    """The context of a record, and the hashes that begin with it."""

    def __init__(self, record: Record) -> None:
        require(record["group"] == "ristretto255", "another group")
        announcement = bytes.fromhex(record["announcement"])
        require(len(announcement) == 32, "announcement: not 32 bytes")
        numbers = (record[name].to_bytes(4, "big") for name in ("round", "question"))
        self.parts = b"ristretto255", announcement, *numbers

    def statement(self, label: bytes, place: bytes, *items: bytes) -> bytes:
        """Return what a transcript has absorbed: labels, context, statement."""
        return absorbed(b"veilmix verified 1", label, *self.parts, place, *items)


def challenge(state: bytes) -> int:
    """Return the challenge of a transcript."""
    digest = hashlib.sha512(state + absorbed(b"challenge")).digest()
    return int.from_bytes(digest, "little") % ORDER


def exponents(state: bytes, count: int) -> list[int]:
    """Return exponents of 128 bits of a transcript that ends with their label."""
    stream = hashlib.shake_256(hashlib.sha512(state).digest()).digest(16 * count)
    return [int.from_bytes(stream[at : at + 16], "little") for at in range(0, 16 * count, 16)]


def generator(number: int) -> bytes:
    """Return H for 0, else H_number."""
    items = b"veilmix verified 1", b"generator", b"ristretto255", number.to_bytes(8, "big")
    digest = hashlib.sha512(absorbed(*items, b"element")).digest()
    point: bytes = rbcl.crypto_core_ristretto255_from_hash(digest)
    return point


def check_key(session: Session, entry: Record) -> bytes:
    """Return the public key of a keyholder who proves that it knows the secret."""
    place, fields = bytes.fromhex(entry["place"]), Fields(entry["record"], "key")
    X = fields.point()
    c, z = fields.scalars(2)
    fields.end()
    context = hashlib.sha512(session.statement(b"key", place) + absorbed(b"owner")).digest()
    R = plus(of_base(z), multiple(c, X))
    digest = hashlib.sha512(b"veilmix key share 1\0" + context + X + R).digest()
    require(c == int.from_bytes(digest, "little") % ORDER, f"key of {place!r}: not its owner's")
    return X


def check_ballot(session: Session, person: bytes, text: str, Y: bytes) -> tuple[bytes, bytes]:
    """Return (A, B) of a ballot whose sender proves that it knows the salt."""
    fields = Fields(text, "ballot")
    A, B = fields.points(2)
    c, z = fields.scalars(2)
    fields.end()
    R = minus(of_base(z), multiple(c, A))
    state = session.statement(b"ballot", person, Y, A, B) + absorbed(R)
    require(c == challenge(state), f"ballot of {person!r}: the proof does not hold")
    return A, B


def check_once(
    session: Session, person: bytes, text: str, curator: bytes, analyst: bytes
) -> tuple[bytes, bytes]:
    """Return (A, B') of a ballot that holds one value for both readers."""
    fields = Fields(text, "ballot for two readers")
    A, B, B2 = fields.points(3)
    c, z = fields.scalars(2)
    fields.end()
    D = minus(curator, analyst)
    R, S = minus(of_base(z), multiple(c, A)), minus(multiple(z, D), multiple(c, minus(B, B2)))
    state = session.statement(b"once", person, curator, analyst, A, B, B2) + absorbed(R + S)
    require(c == challenge(state), f"ballot of {person!r}: two values, or not its sender's")
    return A, B2


def read_rows(text: str) -> list[list[bytes]]:
    """Return columns A_1, B_1, .. of a list."""
    fields = Fields(text, "rows")
    count, width = fields.count(4), fields.count(1)
    flat = fields.points(2 * count * width)
    fields.end()
    return [flat[at :: 2 * width] for at in range(2 * width)]


def written_rows(columns: list[list[bytes]]) -> bytes:
    """Return the bytes of a list."""
    head = len(columns[0]).to_bytes(4, "big") + (len(columns) // 2).to_bytes(1, "big")
    return head + b"".join(point for row in zip(*columns, strict=True) for point in row)


def check_hop(session: Session, hop: Record, Y: bytes, old: list[list[bytes]]) -> list[list[bytes]]:
    """Return the rows of a hop, which are the old ones, re-encrypted, in another order."""
    place, new = bytes.fromhex(hop["place"]), read_rows(hop["rows"])
    name = f"shuffle at {place!r}"
    fields = Fields(hop["proof"], name)
    count, width = fields.count(4), fields.count(1)
    for columns in (old, new):
        shape = len(columns[0]), len(columns) // 2
        require(shape == (count, width), f"{name}: another number of rows")
    C, K, T, t = (fields.points(many) for many in (count, count, count, 3 + 2 * width))
    s = fields.scalars(3)
    s4, sk, su = (fields.scalars(many) for many in (width, count, count))
    fields.end()
    state = session.statement(b"shuffle", place, Y, written_rows(old), written_rows(new))
    state += absorbed(b"".join(C), b"exponents")
    u = exponents(state, count)
    c = challenge(state + absorbed(b"".join(K), b"".join(t), b"".join(T)))
    H, rows = generator(0), [generator(number + 1) for number in range(count)]
    product = 1
    for exponent in u:
        product = product * exponent % ORDER

    def equal(equation: str, left: bytes, right: bytes) -> None:
        require(left == right, f"{name}: equation {equation}")

    sums = minus(plus(*C), plus(*rows))
    equal("t1", plus(t[0], multiple(c, sums)), of_base(s[0]))
    end = minus(K[-1], multiple(product, H))
    equal("t2", plus(t[1], multiple(c, end)), of_base(s[1]))
    equal("t3", plus(t[2], multiple(c, weighed(u, C))), plus(of_base(s[2]), weighed(su, rows)))
    for at in range(2 * width):
        base = of_base(s4[at // 2]) if at % 2 == 0 else multiple(s4[at // 2], Y)
        left = plus(t[3 + at], multiple(c, weighed(u, old[at])))
        equal("t4", left, minus(weighed(su, new[at]), base))
    for at, before in enumerate([H, *K[:-1]]):
        right = plus(of_base(sk[at]), multiple(su[at], before))
        equal("T", plus(T[at], multiple(c, K[at])), right)
    return new


def check_shares(session: Session, entry: Record, X: bytes, firsts: list[bytes]) -> list[bytes]:
    """Return the shares of a keyholder, all made with its secret."""
    place, fields = bytes.fromhex(entry["place"]), Fields(entry["record"], "shares")
    D = fields.points(fields.count(4))
    c, z = fields.scalars(2)
    fields.end()
    require(len(D) == len(firsts), f"shares of {place!r}: another number")
    state = session.statement(b"shares", place, X, b"".join(firsts), b"".join(D))
    state += absorbed(b"weights")
    e = exponents(state, len(D))
    E, F = weighed(e, firsts), weighed(e, D)
    R, S = minus(of_base(z), multiple(c, X)), minus(multiple(z, E), multiple(c, F))
    right = challenge(state + absorbed(E + F) + absorbed(R + S))
    require(c == right, f"shares of {place!r}: the proof does not hold")
    return D


def element_of(payload: bytes) -> bytes:
    """Return the element that carries a payload."""
    for prefix in range(2, 256, 2):
        candidate = bytes((prefix,)) + payload.ljust(30, b"\0") + b"\0"
        if rbcl.crypto_core_ristretto255_is_valid_point(candidate):
            return candidate
    raise Invalid("a payload without an element")


def value_of(M: bytes, domain: Sequence[bytes]) -> bytes | None:
    """Return the value that an element carries; None if it is malformed."""
    length, index = M[1], int.from_bytes(M[2:6], "big")
    if length < 30:
        value = M[2 : 2 + length]
        right = element_of(bytes((length,)) + value)
    elif length == 255 and index < len(domain) and len(domain[index]) > 29:
        value = domain[index]
        right = element_of(b"\xff" + M[2:6])
    else:
        return None
    return value if right == M else None


def check_record(record: Record) -> list[bytes | None]:
    """Return the values of a record, column after column; Invalid if a part does not hold."""
    session = Session(record)
    keys = [check_key(session, entry) for entry in record["keys"]]
    places = [entry["place"] for entry in record["keys"]]
    Y = plus(*keys)
    require(Y != ZERO, "the keys add up to nothing")
    curator = (
        Fields(record["curator_key"], "curator's key").point() if record["curator_key"] else b""
    )
    require(curator != Y, "one joint key for two readers")
    rows, people = list[list[bytes]](), set[bytes]()
    for entry in record["ballots"]:
        person = bytes.fromhex(entry["person"])
        require(person not in people, f"ballot of {person!r}: the person has another")
        people.add(person)
        pairs = [
            check_once(session, person, text, curator, Y)
            if curator
            else check_ballot(session, person, text, Y)
            for text in entry["records"]
        ]
        rows.append([point for pair in pairs for point in pair])
    columns = [list(column) for column in zip(*rows, strict=True)]
    for hop in record["hops"]:
        columns = check_hop(session, hop, Y, columns)
    require([entry["place"] for entry in record["shares"]] == places, "shares of others")
    firsts = [point for column in columns[::2] for point in column]
    opened = [point for column in columns[1::2] for point in column]
    for entry, X in zip(record["shares"], keys, strict=True):
        D = check_shares(session, entry, X, firsts)
        opened = [minus(B, share) for B, share in zip(opened, D, strict=True)]
    domain = [bytes.fromhex(text) for text in record["domain"]]
    return [value_of(M, domain) for M in opened]


def main(name: str) -> int:
    """Print what a record proves, or the reason why it does not."""
    record = json.loads(Path(name).read_text("utf-8"))
    try:
        values = check_record(record)
    except Invalid as fault:
        print(f"{name}: {fault}", file=sys.stderr)
        return 1
    ballots, hops = len(record["ballots"]), len(record["hops"])
    print(f"{ballots} ballots, each with its sender's proof; shuffles proved: {hops}")
    for value, many in sorted(Counter(values).items(), key=lambda item: item[0] or b""):
        print(f"{many:6} {'malformed' if value is None else value}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
