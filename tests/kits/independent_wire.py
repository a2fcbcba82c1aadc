"""A second reader of the messages, written from docs/wire.md. Imports nothing from veilmix.

It reads the fields of each kind, and their types, in the table of that page.

`read(kind, inputs)` gives the result of a vector or raises `Rejected`; `accepts(data)` says whether
the bytes are a message.
"""

import hashlib
import math
import re
import struct
import unicodedata
from collections.abc import Callable, Iterable
from itertools import chain
from pathlib import Path
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from nacl.bindings import (
    crypto_box,
    crypto_box_seal_open,
    crypto_scalarmult_base,
    crypto_secretbox_open,
)
from nacl.exceptions import CryptoError
from rbcl import (
    crypto_core_ristretto255_add,
    crypto_scalarmult_ristretto255,
    crypto_scalarmult_ristretto255_base,
)

P = 2**255 - 19
LOW = {
    0,
    1,
    P - 1,
    325606250916557431795983626356110631294008115727848805560023387167927233504,
    39382357235489614581723060781553021112529911719440698176882885853963445705823,
}
REASONS = [
    "malformed",
    "wrong-size",
    "does-not-open",
    "duplicate",
    "late",
    "unexpected",
    "outside-domain",
    "unregistered",
]
KEY_SIZES = {0x01: 32, 0x02: 32, 0x03: 1184 + 32, 0xFF: 32}
OVERHEAD = {0x01: 81, 0x02: 49, 0x03: 1137, 0xFF: 81}


class Rejected(Exception):
    """The bytes are refused; the argument is the reason's name."""


def require(condition: bool, reason: str = "malformed") -> None:
    if not condition:
        raise Rejected(reason)


class Bytes:
    """A byte string that is read from the front."""

    def __init__(self, data: bytes) -> None:
        self.rest = data
        self.more = 0  # whether bytes follow the last list whose number could say so

    def take(self, size: int) -> bytes:
        require(size <= len(self.rest))
        piece, self.rest = self.rest[:size], self.rest[size:]
        return piece

    def number(self, size: int) -> int:
        return int.from_bytes(self.take(size), "big")

    def double(self) -> float:
        (value,) = struct.unpack(">d", self.take(8))
        require(math.isfinite(value) and not (value == 0 and math.copysign(1, value) < 0))
        return float(value)

    def flag(self) -> bool:
        value = self.number(1)
        require(value in (0, 1))
        return value == 1

    def text(self) -> str:
        data = self.take(self.number(2))
        try:
            return data.decode("utf-8", "strict")
        except UnicodeDecodeError:
            raise Rejected("malformed") from None

    def blob(self) -> bytes:
        return self.take(self.number(4))

    def many(self, read: Callable[[], Any]) -> list[Any]:
        return [read() for _ in range(self.number(2))]

    def items(self) -> list[bytes]:
        count, width = self.number(4), self.number(4)
        require(count <= 2**27)
        if width:
            require(count > 0)
            data = self.take(count * width)
            return [data[i * width : (i + 1) * width] for i in range(count)]
        blobs = [self.blob() for _ in range(count)]
        require(len(set(map(len, blobs))) != 1 or not blobs[0])
        return blobs

    def end(self) -> None:
        require(not self.rest)


ONCE = "two-round-once"


# Announcement


def name_ok(text: str, most: int) -> bool:
    """A name or a value: not empty, no spaces around it, nothing that would break a line."""
    bad = any(unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp") for c in text)
    return bool(text) and text == text.strip() and not bad and len(text.encode()) <= most


def key(data: bytes) -> str:
    require(bool(data) and data[0] in KEY_SIZES and len(data) == 1 + KEY_SIZES[data[0]])
    u = int.from_bytes(data[-32:], "little")
    require(u < P and u not in LOW)
    for i in range(1, len(data) - 64, 3):  # two coefficients of 12 bits; then rho and the point
        both = int.from_bytes(data[i : i + 3], "little")
        require(both & 0xFFF < 3329 and both >> 12 < 3329)
    return data.hex()


def announcement(encoded: bytes) -> dict[str, Any]:
    """Read an announcement without the length before it."""
    fields = parsed(encoded, KINDS[2][1].removeprefix("# "))
    check_announcement(fields)
    return fields


def check_announcement(fields: dict[str, Any]) -> None:
    for feature in fields["features"]:
        values = feature["values"] or ()
        require(all(len(value.encode()) <= feature["width"] for value in values))
        for kind, *said in feature.get("rules", ()):
            if kind == "merge":
                members = [value for _, group in said[0] for value in group]
                require(len(set(members)) == len(members))
            if kind == "bins":
                require(not said[0] or all(edge % 1 == 0 for edge in said[1]))
    require(0 < fields["delta"] < 1 if fields["setting"] == "statistical" else fields["delta"] == 0)
    check_guards(fields)
    keys = [*fields["shufflers"], fields["curator"], fields["analyst"]]
    require(len(set(keys)) == len(keys) and len({public[:2] for public in keys}) == 1)
    watched = fields["challenge"] or fields["audit"]
    named = fields["tokens"] or watched or fields["verified"]
    require(bool(fields["registry"]) or not named)
    require(fields["curator"][:2] == "01" or not watched)
    require(len(fields["shufflers"]) > 1 or not fields["audit"])


def check_guards(fields: dict[str, Any]) -> None:
    watched = fields["challenge"] or fields["audit"]
    require(fields["lesson"] or not fields["flaws"])
    require(fields["salted"] or not fields["tokens"])
    require(not (fields["tokens"] and fields["flaws"]))
    careful = fields["salted"] and fields["padded"] and fields["ordered"] and not fields["flaws"]
    require(careful or not watched)
    if "rows" in fields:
        require(careful and not fields["audit"] and not fields["verified"])
        require(fields["setting"] == "fixed" and fields["program"] == "two-round")
    if fields["verified"]:
        require(careful and not watched and not fields["tokens"])
        require(fields["program"] != "threshold")
    proved = fields["verified"] and fields["setting"] == "fixed"
    require(fields["program"] != ONCE or proved)
    sealed = fields["padded"] and fields["salted"] and not fields["flaws"]
    opens = fields["program"] == "threshold"
    require(not opens or (sealed and not (watched or fields["tokens"])))


def session_digest(encoded: bytes) -> bytes:
    return hashlib.sha256(b"veilmix announcement 1\0" + encoded).digest()


# Messages


def hiding(data: Bytes) -> dict[str, Any]:
    """Read what people do to the values of one column."""
    column, redacts, values = data.number(1), data.flag(), data.many(data.text)
    require(bool(values) and values == sorted(set(values)) and column < 255)
    require(all(value and value == value.strip() for value in values))
    if redacts:
        return {"column": column, "redact": values, "cover": data.number(4)}
    return {"column": column, "mask": values}


def check_rules(rules: list[dict[str, Any]], asked: Iterable[int]) -> None:
    ruled = [rule["column"] for rule in rules]
    require(ruled == sorted(set(ruled)) and set(asked).issuperset(ruled))
    require(len({"mask" in rule for rule in rules}) < 2)


def refused(data: Bytes) -> dict[str, int]:
    pairs = data.many(lambda: (data.number(1), data.number(4)))
    codes = [code for code, _ in pairs]
    require(codes == sorted(set(codes)) and all(code < len(REASONS) for code in codes))
    require(all(count for _, count in pairs))
    return {REASONS[code]: count for code, count in pairs}


def counts(data: Bytes) -> list[list[Any]]:
    cells: list[list[Any]] = []
    for _ in range(data.number(4)):
        cell, people = data.many(data.text), data.number(4)
        require(people >= 1 and (not cells or cells[-1][0] < cell))
        cells.append([cell, people])
    return cells


def distinct_identities(fields: dict[str, Any]) -> None:
    parties = [
        fields[name] for name in ("board", "curator", "analyst", "randomness") if name in fields
    ]
    keys = [*parties, *fields["shufflers"]]
    require(len(set(keys)) == len(keys))


FIELDS = 40  # the column of the table of docs/wire.md at which fields begin
NAMED: dict[str, Callable[[Bytes], Any]] = {
    "text": Bytes.text,
    "f64": Bytes.double,
    "flag": Bytes.flag,
    "refusals": refused,
    "counts": counts,
    "rule": hiding,
    "key": lambda data: key(data.blob()),
}


def table() -> tuple[dict[int, tuple[str, str]], dict[str, str]]:
    """The table of docs/wire.md: kind -> name and fields; name of what is inside -> fields."""
    page = (Path(__file__).parents[2] / "docs" / "wire.md").read_text("utf-8")
    _, _, rest = page.partition("<!-- tools/wire_tables.py -->\n```\n")
    rows: list[list[str]] = []
    for line in rest[: rest.index("```")].splitlines()[1:]:
        if line[:FIELDS].strip() and line[FIELDS:]:
            rows.append([line[:2].strip(), line[3:FIELDS].split()[0], line[FIELDS:]])
        elif line[FIELDS:]:
            rows[-1][2] += f" {line[FIELDS:]}"
    kinds = {int(kind): (name, fields) for kind, name, fields in rows if kind}
    inside = {name: fields for _, name, fields in rows}  # what is inside comes last
    return kinds, {name: fields for name, fields in inside.items() if name not in NAMED}


KINDS, INSIDE = table()


def ordered(values: list[Any], limits: str, order: str, names: str = "") -> list[Any]:
    """Check the length of a list and its order. names: of an enumeration, in their order."""
    least, most = 0, 2**32
    if limits:
        least, most = (1, most) if limits == "+" else map(int, limits[1:-1].split(".."))
    require(least <= len(values) <= most)
    if order == "<":
        require(values == sorted(values) and len(set(map(str, values))) == len(values))
    if order == "!":
        require(len(set(map(str, values))) == len(values))
    if order == "|":
        listed = re.findall(r"[\w-]+", names.removeprefix("text"))
        require(values == [name for name in listed if name in values])
    return values


def typed(data: Bytes, kind: str, before: dict[str, Any], more: bool = False) -> Any:
    """Read a value of a type in the notation of docs/wire.md.

    before: the fields before it. more: whether the number of this list has a bit for what follows.
    """
    if kind.isdecimal():
        return data.take(int(kind)).hex()
    if kind[0] in "[{":
        return many(data, kind, before, more)
    if kind[0] == "?":
        return (
            typed(data, kind[1:], before) if data.flag() else ("" if kind[1:].isdecimal() else None)
        )
    if kind[0] == "(":
        names, place = kind[1:-1].split("|"), data.number(1)
        require(1 <= place <= len(names))
        return [names[place - 1], *record(data, INSIDE[names[place - 1]]).values()]
    if match := re.fullmatch(r"(\d+)\*\((\w+)\+(\d+)\)", kind):
        number = len(before[match[2]]) + int(match[3])
        return [data.take(int(match[1])).hex() for _ in range(number)]
    if match := re.fullmatch(r"(?:u(\d+)|f64)(?:(\+)|\((\d+)\.\.(\d+)\))?", kind):
        number = data.number(int(match[1]) // 8) if match[1] else data.double()
        require(number or not match[2])
        require(not match[3] or int(match[3]) <= number <= int(match[4]))
        return number
    if match := re.fullmatch(r"items(?:\((\d+)\))?(\+?)([<!]?)", kind):
        items = data.items()
        require(all(not match[1] or len(item) == int(match[1]) for item in items))
        return ordered([item.hex() for item in items], match[2], match[3])
    name, _, choices = kind.rstrip(")").partition("(")
    if name == "line":
        line = data.text()
        require(name_ok(line, int(choices)))
        return line
    if name == "blob":
        blob = data.blob()
        require(not choices or str(len(blob)) in choices.split("|"))
        return blob.hex()
    if name == "alike":
        return data.take(before["alike"]).hex()
    if name in NAMED:
        value = NAMED[name](data)
        if choices and name == "flag":
            return choices.split("|")[value]
        require(not choices or value in choices.split("|"))
        return value
    return record(data, INSIDE[name], before)


def many(data: Bytes, kind: str, before: dict[str, Any], more: bool) -> Any:
    """Read a list, whose entries stand in brackets."""
    end = max(kind.rfind("]"), kind.rfind("}"))
    inner, match = kind[1:end], re.fullmatch(r"(\+|\(.*\))?([<!?|]?)", kind[end + 1 :])
    require(match is not None)
    size = 2 if kind[0] == "[" else 4
    number = data.number(size)
    if more:
        data.more, number = divmod(number, 2 ** (8 * size - 1))
    if "alike" in INSIDE.get(inner, ""):
        before = {**before, "alike": data.number(4)}
        require(bool(number) == bool(before["alike"]))
    values = [typed(data, inner, before) for _ in range(number)]
    if match and match[2] == "?":
        require(number <= 1)
        return values[0] if values else None
    keys = [next(iter(value.values())) if inner in INSIDE else value for value in values]
    if match:
        ordered(keys, match[1] or "", match[2], inner)
    if inner in INSIDE and "bit?" not in INSIDE[inner]:
        return [list(value.values()) for value in values]
    return values


def record(data: Bytes, row: str, before: dict[str, Any] | None = None) -> dict[str, Any]:
    """Read the fields of a record; of one inside it the values, if its name has no dots before."""
    fields = {"alike": before["alike"]} if before and "alike" in before else dict[str, Any]()
    tokens = [token.partition(":") for token in row.replace("(empty)", "").split()]
    kinds = [kind for _, _, kind in tokens] + [""]
    bits = [False]
    for place, (field, _, kind) in enumerate(tokens):
        if kind.startswith("bit"):
            if place == 0 or not kinds[place - 1].startswith("bit"):
                bits = flags(data, kinds[place:])
            present, (inner, _, absent) = bits.pop(0), kind.removeprefix("bit?").partition("=")
            if kind == "bit":
                fields[field] = present
            elif present or not absent:
                fields[field] = typed(data, inner, fields) if present else None
        elif kind.startswith("^"):
            if data.more:
                fields[field] = data.take(int(kind[1:])).hex()
        elif field.startswith(".."):
            fields |= record(data, INSIDE[field[2:]])
        else:
            value = typed(data, kind, fields, more=kinds[place + 1].startswith("^"))
            fields[field] = list(value.values()) if kind in INSIDE else value
    fields.pop("alike", None)
    return fields


def flags(data: Bytes, kinds: list[str]) -> list[bool]:
    """Read the byte that neighbours share, the lowest bit first."""
    number = next(place for place, kind in enumerate(kinds) if not kind.startswith("bit"))
    byte = data.number(1)
    require(byte < 1 << number)
    return [bool(byte >> bit & 1) for bit in range(number)]


def parsed(encoded: bytes, row: str) -> dict[str, Any]:
    """Read a record that takes all of some bytes."""
    data = Bytes(encoded)
    fields = record(data, row)
    data.end()
    return fields


def certificate(data: Bytes) -> dict[str, Any]:
    return record(data, INSIDE["decision-certificate"])


def sums(fields: dict[str, Any]) -> None:
    cells = fields["counts"]
    totals = [[people for _, people in cell] for cell in cells or ()]
    require(cells is None or list(map(sum, totals)) == fields["totals"])


def certified(fields: dict[str, Any]) -> None:
    require(fields["people"] <= fields["n"])


CHECKS: dict[str, Callable[[dict[str, Any]], None]] = {
    "announcement": check_announcement,
    "roster": distinct_identities,
    "call": lambda fields: check_rules(fields["hidden"], chain(*fields["asks"])),
    "tally": sums,
    "decision": lambda fields: check_rules(fields["hidden"], fields["kept"]),
    "committed": lambda fields: check_rules(fields["hidden"], fields["kept"]),
    "shuffled": lambda fields: require(len(fields["lists"]) == len(fields["proofs"])),
}


def body(data: Bytes, name: str, row: str) -> dict[str, Any]:
    """Read the content of a message: what its row says, and what its fields have to do together."""
    inside = row.removeprefix("# ")
    fields = record(data, row) if inside == row else parsed(data.blob(), inside)
    CHECKS.get(name, lambda _: None)(fields)
    if "thresholds" in fields:
        certified(fields)
    return fields


def witness(data: Bytes) -> str:
    return str(typed(data, "blob(0|97)", {}))


def tree(entries: list[bytes]) -> bytes:
    """The root of RFC 6962, written as its definition."""
    if not entries:
        return hashlib.sha256(b"").digest()
    if len(entries) == 1:
        return hashlib.sha256(b"\0" + entries[0]).digest()
    k = 1
    while 2 * k < len(entries):
        k *= 2
    return hashlib.sha256(b"\1" + tree(entries[:k]) + tree(entries[k:])).digest()


def message(encoded: bytes) -> dict[str, Any]:
    data = Bytes(encoded)
    start = data.take(3)
    require(start in (b"vm\x01", b"vm\x02"))
    kind, session, number = data.number(1), data.take(32), data.number(1)
    require(kind in KINDS)
    name, row = KINDS[kind]
    fields = {
        "kind": name,
        "session": session.hex(),
        "round": number,
        "body": body(data, name, row),
    }
    fields["seal"] = None
    if start[-1] == 2:
        fields["seal"] = {"witness": witness(data), "signature": data.take(64).hex()}
    data.end()
    return fields


def accepts(data: bytes) -> bool:
    try:
        message(data)
    except Rejected:
        return False
    return True


# Rounds


def context(session: bytes, question: bytes, number: int, hop: int) -> bytes:
    """Derive a layer's context; `question` is the call's whole message."""
    place = session + bytes([number]) + hashlib.sha256(question).digest() + bytes([hop])
    return hashlib.sha256(b"veilmix layer 1\0" + place).digest()


def sizes(told: dict[str, Any], asked: dict[str, Any]) -> tuple[int, list[int], int]:
    """Give the bytes of a ballot, of an inner onion by its layers, and of an envelope."""
    if not told["padded"]:
        return 0, [0] * 66, 0
    widths, asks = [entry["width"] for entry in told["features"]], asked["asks"]
    for rule in asked["hidden"]:
        widths[rule["column"]] = max(widths[rule["column"]], 6)
    ballot = 18 + max(sum(2 + widths[column] for column in ask) for ask in asks)
    extra = OVERHEAD[int(told["curator"][:2], 16)]
    inner = [ballot + left * extra for left in range(66)]
    slots = told.get("rows", 1) * len(asks)
    return ballot, inner, extra + 8 + slots * inner[len(told["shufflers"])]


def open_box(secret: bytes, layer: bytes, expected: bytes) -> bytes:
    require(len(layer) >= 81 and layer[0] == 0x01, "does-not-open")
    try:
        content = crypto_box_seal_open(layer[1:], crypto_scalarmult_base(secret), secret)
    except CryptoError:
        raise Rejected("does-not-open") from None
    require(content[:32] == expected, "does-not-open")
    return content[32:]


def question_of(
    inputs: dict[str, Any],
) -> tuple[dict[str, Any], dict[str, Any], Callable[[int], bytes]]:
    encoded, asked = bytes.fromhex(inputs["announcement"]), bytes.fromhex(inputs["call"])
    session = session_digest(encoded)
    said = message(asked)
    number = said["body"]["round"]
    return announcement(encoded), said["body"], lambda hop: context(session, asked, number, hop)


def envelope(inputs: dict[str, Any]) -> dict[str, Any]:
    told, asked, place = question_of(inputs)
    _, inner, whole = sizes(told, asked)
    sealed = bytes.fromhex(inputs["envelope"])
    require(not whole or len(sealed) == whole, "wrong-size")
    data = Bytes(open_box(bytes.fromhex(inputs["secret"]), sealed, place(1)))
    onions = data.items()
    data.end()
    require(len(onions) == len(asked["asks"]) and onions == sorted(set(onions)))
    width = inner[len(told["shufflers"])]
    require(not width or {len(onion) for onion in onions} == {width}, "wrong-size")
    return {"onions": [onion.hex() for onion in onions]}


def ballot(inputs: dict[str, Any]) -> dict[str, Any]:
    told, asked, place = question_of(inputs)
    size, inner, _ = sizes(told, asked)
    layer = bytes.fromhex(inputs["layer"])
    require(not size or len(layer) == inner[1], "wrong-size")
    plain = open_box(bytes.fromhex(inputs["secret"]), layer, place(len(told["shufflers"]) + 1))
    if size:
        plain = plain.rstrip(b"\0")
        require(plain.endswith(b"\x80"))
        plain = plain[:-1]
    data = Bytes(plain)
    ask, salt = data.number(1), data.take(16)
    require(ask < len(asked["asks"]))
    values = [data.text() for _ in asked["asks"][ask]]
    rules = {rule["column"]: rule for rule in asked["hidden"]}
    for column, value in zip(asked["asks"][ask], values, strict=True):
        domain, rule = told["features"][column], rules.get(column, {})
        good = domain["values"] is None and name_ok(value, domain["width"])
        good = good or value in (domain["values"] or ())
        if "mask" in rule:
            good = value in (" other", *rule["mask"])
        elif "redact" in rule:
            good = value == " blank" or (good and value not in rule["redact"])
        require(good, "outside-domain")
    data.end()
    return {"ask": ask, "salt": salt.hex(), "values": values}


def signed(inputs: dict[str, Any]) -> dict[str, Any]:
    """Check a submission's signature by the key of the registry."""
    sent = message(bytes.fromhex(inputs["data"]))
    envelope = bytes.fromhex(sent["body"]["envelope"])
    about = bytes.fromhex(sent["session"]) + bytes([sent["round"]])
    about += hashlib.sha256(envelope).digest() + bytes.fromhex(sent["body"]["witness"])
    try:
        key = Ed25519PublicKey.from_public_bytes(bytes.fromhex(inputs["key"]))
        key.verify(bytes.fromhex(sent["body"]["signature"]), b"veilmix submission 1\0" + about)
    except InvalidSignature:
        raise Rejected("unregistered") from None
    return {}


def commitment(inputs: dict[str, Any]) -> dict[str, Any]:
    """Open what is sealed for the analyst, and compare it and what is posted with a commitment."""
    whole, posted = bytes.fromhex(inputs["decision"]), bytes.fromhex(inputs["opening"])[37:]
    said, session = message(whole)["body"], whole[4:36]
    digest = bytes.fromhex(said["digest"])
    place = hashlib.sha256(b"veilmix certificate for the analyst 1\0" + session + digest).digest()
    padded = open_box(bytes.fromhex(inputs["secret"]), bytes.fromhex(said["sealed"]), place)
    plain = padded.rstrip(b"\0")
    require(plain.endswith(b"\x80"))
    front = 2 + len(said["kept"])
    rules = whole[37 + front + 4 + 2 + 8 * (said["delta"] is not None) : whole.index(digest, 37)]
    for opened in (plain[:-1], posted):
        data = Bytes(opened[32:])
        certificate(data)
        data.end()
        about = session + opened[:32] + whole[37 : 37 + front] + opened[32:] + rules
        fixed = hashlib.sha256(b"veilmix certificate 1\0" + about).digest()
        require(fixed == digest, "unexpected")
    return {"blind": posted[:32].hex(), **certificate(Bytes(posted[32:]))}


def roots(inputs: dict[str, Any]) -> dict[str, Any]:
    return {"root": tree([bytes.fromhex(entry) for entry in inputs["entries"]]).hex()}


def batch(inputs: dict[str, Any]) -> dict[str, Any]:
    digest = hashlib.sha256(b"veilmix batch 1\0")
    for layer in map(bytes.fromhex, inputs["layers"]):
        digest.update(len(layer).to_bytes(4, "big") + layer)
    return {"digest": digest.hexdigest()}


def ed25519(key: str, message: bytes, signature: bytes) -> None:
    try:
        Ed25519PublicKey.from_public_bytes(bytes.fromhex(key)).verify(signature, message)
    except InvalidSignature:
        raise Rejected("unregistered") from None


def run_digest(posts: list[bytes]) -> bytes:
    whole = b"".join(hashlib.sha256(post).digest() for post in sorted(posts))
    return hashlib.sha256(b"veilmix run 1\0" + whole).digest()


class Signed:
    """What a board on which posts are signed asks of each: a seal, or the head that is due."""

    def __init__(self, told: dict[str, Any]) -> None:
        keys = [told["board"], told["curator"], told["analyst"], *told["shufflers"]]
        self.opening = bytes.fromhex(told["opening"])
        self.digest = hashlib.sha256(self.opening + bytes.fromhex("".join(keys))).digest()
        shufflers = {f"shuffler-{i + 1}": key for i, key in enumerate(told["shufflers"])}
        self.keys = shufflers | {name: told[name] for name in ("board", "curator", "analyst")}
        self.due: int | None = None
        self.cited = [""]
        self.posts: list[bytes] = []

    def take(self, author: str, data: bytes, said: dict[str, Any], post: bytes) -> None:
        if said["kind"] == "head":
            self.attest(said["body"])
        elif not author.startswith("user-"):
            self.seal(author, data, said["seal"])
        if said["kind"] != "alarm":
            self.posts.append(post)
        if said["kind"] in ("call", "closed"):
            self.due = said["round"] if said["kind"] == "call" else 0

    def attest(self, told: dict[str, Any]) -> None:
        state = hashlib.sha256(b"veilmix state 1\0" + run_digest(self.posts)).hexdigest()
        require((told["place"], told["state"]) == (self.due, state), "unexpected")
        place = bytes([told["place"]]) + bytes.fromhex(state)
        signature = bytes.fromhex(told["signature"])
        ed25519(self.keys["board"], b"veilmix head 1\0" + self.opening + place, signature)
        self.cited = [*filter(None, self.cited), (place + signature).hex()]
        self.due = None

    def seal(self, author: str, data: bytes, seal: dict[str, str] | None) -> None:
        if seal is None:
            raise Rejected("unregistered")
        require(self.due is None and seal["witness"] in self.cited, "unexpected")
        about = self.digest + author.encode() + b"\0" + hashlib.sha256(data[:-64]).digest()
        ed25519(self.keys[author], b"veilmix post 1\0" + about, data[-64:])


def fork(inputs: dict[str, Any]) -> dict[str, Any]:
    """Check that a board has signed two states of one place."""
    proof = Bytes(bytes.fromhex(inputs["fork"]))
    opening, seen = proof.take(16), []
    for _ in range(2):
        about, signature = proof.take(33), proof.take(64)
        seen.append(about)
        ed25519(inputs["board"], b"veilmix head 1\0" + opening + about, signature)
    proof.end()
    same = seen[0][0] == seen[1][0] and seen[0] != seen[1]
    require(same, "unregistered")
    return {}


def board(inputs: dict[str, Any]) -> dict[str, Any]:
    head, posts, who = bytes(32), [], None
    for author, hexed in inputs["posts"]:
        data, name = bytes.fromhex(hexed), author.encode() + b"\0"
        head = hashlib.sha256(b"veilmix board 1\0" + head + name + data).digest()
        posts.append(data[36:37] + data[3:4] + name + data)
        said = message(data)
        who = Signed(said["body"]) if said["kind"] == "roster" else who
        if who is not None:
            who.take(author, data, said, posts[-1])
    return {"head": head.hex(), "digest": run_digest(posts).hex()}


# Peers


def peers_session(inputs: dict[str, Any]) -> bytes:
    encoded = bytes.fromhex(inputs["agreement"])
    told = len(encoded).to_bytes(4, "big") + encoded
    for number, public in inputs["keys"]:
        told += number.to_bytes(2, "big")
        told += (len(public) // 2).to_bytes(4, "big") + bytes.fromhex(public)
    return hashlib.sha256(b"veilmix peers 1\0" + told).digest()


def peer_layer(inputs: dict[str, Any]) -> dict[str, Any]:
    """Open a layer, and seal it again with what was drawn: the two must be the same bytes."""
    session, asked = peers_session(inputs), bytes.fromhex(inputs["call"])
    place = context(session, asked, message(asked)["body"]["round"], inputs["step"])
    layer = bytes.fromhex(inputs["layer"])
    held = open_box(bytes.fromhex(inputs["secret"]), layer, place)
    public = bytes.fromhex(dict(inputs["keys"])[inputs["peer"]])[1:]
    draw = bytes.fromhex(inputs["draw"])
    point = crypto_scalarmult_base(draw)
    nonce = hashlib.blake2b(point + public, digest_size=24).digest()
    require(layer == b"\x01" + point + crypto_box(place + held, nonce, public, draw))
    return {"next": int.from_bytes(held[:2], "big"), "inside": held[2:].hex()}


ORDER = 2**252 + 27742317777372353535851937790883648493


def peer_share(inputs: dict[str, Any]) -> dict[str, Any]:
    """Check the proof of a share (c, z): R = z G + c X must give c again."""
    place = bytes.fromhex(inputs["session"]) + bytes([inputs["round"]])
    place += inputs["peer"].to_bytes(2, "big")
    public, proof = bytes.fromhex(inputs["public"]), bytes.fromhex(inputs["proof"])
    response = crypto_scalarmult_ristretto255_base(proof[32:])
    other = crypto_scalarmult_ristretto255(proof[:32], public)
    blind = crypto_core_ristretto255_add(response, other)
    digest = hashlib.sha512(b"veilmix key share 1\0" + place + public + blind).digest()
    require(int.from_bytes(digest, "little") % ORDER == int.from_bytes(proof[:32], "little"))
    require(crypto_scalarmult_ristretto255_base(bytes.fromhex(inputs["secret"])) == public)
    return {}


def peer_ballot(inputs: dict[str, Any]) -> dict[str, Any]:
    """Open a sealed ballot with the sum of all secrets."""
    session, asked = peers_session(inputs), bytes.fromhex(inputs["call"])
    path = bytes.fromhex(inputs["agreement"])[-2]
    place = context(session, asked, message(asked)["body"]["round"], path + 1)
    whole = (
        sum(int.from_bytes(bytes.fromhex(secret), "little") for secret in inputs["secrets"]) % ORDER
    )
    secret = whole.to_bytes(32, "little")
    sealed, joint = bytes.fromhex(inputs["sealed"]), crypto_scalarmult_ristretto255_base(secret)
    shared = crypto_scalarmult_ristretto255(secret, sealed[:32])
    told = b"veilmix joint key 1\0" + place + sealed[:32] + joint + shared
    try:
        key = hashlib.sha512(told).digest()[:32]
        plain = crypto_secretbox_open(sealed[32:], bytes(24), key)
    except CryptoError:
        raise Rejected("does-not-open") from None
    said = plain.rstrip(b"\0")
    blank = said[:1] == b"\xff" and len(said) == 18 and said[-1:] == b"\x80"
    return {"plain": plain.hex(), "blank": blank}


def agree(inputs: dict[str, Any]) -> dict[str, Any]:
    data = bytes.fromhex(inputs["data"])
    return {"digest": hashlib.sha256(b"veilmix peers agree 1\0" + data).hexdigest()}


READERS: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "message": lambda inputs: message(bytes.fromhex(inputs["data"])),
    "session": lambda inputs: {
        "digest": session_digest(bytes.fromhex(inputs["announcement"])).hex()
    },
    "context": lambda inputs: {
        "context": context(
            bytes.fromhex(inputs["session"]),
            bytes.fromhex(inputs["call"]),
            message(bytes.fromhex(inputs["call"]))["body"]["round"],
            inputs["hop"],
        ).hex()
    },
    "envelope": envelope,
    "ballot": ballot,
    "batch": batch,
    "signed": signed,
    "committed": commitment,
    "root": roots,
    "board": board,
    "peers": lambda inputs: {"session": peers_session(inputs).hex()},
    "peer-layer": peer_layer,
    "peer-share": peer_share,
    "peer-ballot": peer_ballot,
    "agree": agree,
    "fork": fork,
}


def read(kind: str, inputs: dict[str, Any]) -> dict[str, Any]:
    return READERS[kind](inputs)
