"""Check a saved session: `python tools/check_session.py POSTS.jsonl [SESSION.toml]`.

Needs Python 3.11, PyNaCl and docs/wire.md, from which it was written, and shares no code with
veilmix. POSTS.jsonl holds a JSON object a line, `author` and `post` (hexadecimal), in the order of
the board. SESSION.toml is the agreement of the reader, beside the public files that it names;
without it nothing shows who took part. Exit code 1, and the first fault, if the posts do not hold.
"""

import hashlib
import json
import re
import struct
import sys
import tomllib
from collections import Counter, namedtuple
from collections.abc import Callable, Sequence
from itertools import combinations, pairwise, product
from math import prod
from pathlib import Path
from typing import Any

from nacl.exceptions import BadSignatureError
from nacl.signing import VerifyKey

Record, Cell = dict[str, Any], tuple[int, ...]
OVERHEAD, PROGRAMS = {1: 81, 2: 49, 3: 1137}, ("two-round", "randomized")  # bytes, by suite
EVIDENCE = {"balance": 0, "accounts": 0, "decision": 0, "split": 97}  # bytes of an alarm at most
CAUSES = {*EVIDENCE, "order", "announcement", "changed"}
# Phase: kind, roles that may post it, the phase that follows. C curator, S shuffler, A analyst,
# B board, U user. An alarm is legal in all but the first.
TABLE = """
opening: roster C opening, key SA opening, registry C opening, announcement C announced, BURN
announced: consent SA announced, call C collecting, BURN
collecting: head B collecting, mixed S mixing, BURN
mixing: mixed S mixing, tally CA tallied, BURN
tallied: call C collecting, decision C decided, committed C decided, certificate C tallied, BURN, \
closed C over
decided: call C collecting, closed C over, BURN
burnt: closed C over
over: head B over
""".replace("BURN", "burned CSA burnt")
MOVES = {
    phase: {kind: (roles, then) for kind, roles, then in map(str.split, moves.split(","))}
    for phase, moves in (line.split(":") for line in TABLE.strip().splitlines())
}
# A type: u and x with bytes: number, string of bytes. d double, t text, b blob, f flag.
# [T] many, <T> the same with a u32, ?T a flag and T if it is set, i `items` of 32 bytes.
FORMS = {
    "refusal": "code:u1 many:u4",
    "cell": "values:[t] people:u4",
    "label": "label:t values:[t]",
    "feature": "name:t width:u2 bits:u1",
    "proof": "rule:t k:u4 n:u4 people:u4 thresholds:[d] pivot:[u1] slack:[d] proof:b",
    "announcement": "title:t program:t nonce:x16 features:[feature] k:u4 max_exposure:d rule:t "
    "public:f setting:t delta:d deadline:u4 min_batch:u4 min_dropout:u4 padded:f salted:f "
    "ordered:f lesson:f guards:u1 flaws:[t] shufflers:[b] curator:b analyst:b registry:b",
    "1 key": "key:b",
    "2 announcement": "announcement:b",
    "3 consent": "session:x32",
    "4 call": "round:u1 analyst:f asks:[[u1]] rules:[u1]",
    "7 mixed": "hop:u1 people:u4 received:u4 forwarded:u4 refused:[refusal] digest:x32",
    "8 tally": "totals:[u4] refused:[refusal] counts:?[<cell>]",
    "9 decision": "kept:[u1] proof:proof rules:[u1]",
    "10 burned": "why:t",
    "11 closed": "",
    "12 registry": "keys:i",
    "14 alarm": "round:u1 cause:t evidence:b",
    "19 roster": "opening:x16 board:x32 curator:x32 analyst:x32 shufflers:[x32]",
    "20 head": "place:u1 state:x32 signature:x64",
    "23 committed": "kept:[u1] n:u4 delta:[d] rules:[u1] digest:x32 sealed:b",
    "24 certificate": "blind:x32 proof:proof",
}
KINDS = {int(name.split()[0]): name for name in FORMS if name[0].isdecimal()}
COARSER = ("[t]", "[label]", "t f", "u1 [t]", "f [d]")  # by the kind of the rule


class Invalid(Exception):
    """The posts do not hold; the message says where."""


def require(fact: object, reason: str) -> None:
    """Raise Invalid unless a fact holds."""
    if not fact:
        raise Invalid(reason)


def sha(*pieces: bytes) -> bytes:
    """Return the SHA-256 of joined pieces."""
    return hashlib.sha256(b"".join(pieces)).digest()


class _Fields:
    """The fields of a message, from its first byte to its last."""

    def __init__(self, data: bytes) -> None:
        self.data, self.at, self.forms, self.kinds = data, 0, FORMS, KINDS

    def take(self, size: int) -> bytes:
        self.at += size
        require(self.at <= len(self.data), "too short")
        return self.data[self.at - size : self.at]

    def number(self, size: int) -> int:
        return int.from_bytes(self.take(size), "big")

    def read(self, form: str) -> Any:
        if form in self.forms:
            return self.record(form)
        plain: dict[str, Callable[[], Any]] = {
            "u": lambda: self.number(int(form[1:])),
            "x": lambda: self.take(int(form[1:])),
            "b": lambda: self.take(self.number(4)),
            "t": lambda: self.take(self.number(2)).decode(),
            "f": lambda: (0, 1).index(self.number(1)) == 1,
            "d": lambda: struct.unpack(">d", self.take(8))[0],
            "?": lambda: self.read(form[1:]) if self.read("f") else None,
            "[": lambda: [self.read(form[1:-1]) for _ in range(self.number(2))],
            "<": lambda: [self.read(form[1:-1]) for _ in range(self.number(4))],
        }
        if form == "i":  # so many, each of 32 bytes
            many = self.number(4)
            require(self.number(4) == (32 if many else 0), "a list of another width")
            return [self.take(32) for _ in range(many)]
        return plain[form[0]]()

    def record(self, form: str) -> Record:
        """Return the fields of a structure by name, and where each begins."""
        record: Record = {"at": {}}
        for name, kind in (field.split(":") for field in self.forms[form].split()):
            record["at"][name] = self.at
            record[name] = self.read(kind)
        if form == "feature":
            require(record["bits"] < 4 and record["name"], "feature")
            record["values"] = self.read("[t]") if record["bits"] & 1 else None
            for _ in range(self.number(2) if record["bits"] & 2 else 0):
                require(1 <= (kind := self.number(1)) <= len(COARSER), "coarser rule")
                for part in COARSER[kind - 1].split():
                    self.read(part)
        return record


Post = namedtuple("Post", "author data kind session number body seal")


def read_post(author: str, data: bytes, fields: type[_Fields] = _Fields) -> Post:
    """Return a post; Invalid if its bytes are no message of a board."""
    f = fields(data)
    start, code, session, number = f.take(3), f.number(1), f.take(32), f.number(1)
    require(start in (b"vm\x01", b"vm\x02") and code in f.kinds, "no message of a board")
    body = f.record(f.kinds[code])
    witness = f.read("b") if start[2] == 2 else None
    f.take(0 if witness is None else 64)
    require(f.at == len(data) and len(witness or b"") in (0, 97), "too long")
    check_order(body)
    return Post(author, data, f.kinds[code].split()[1], session, number, body, witness)


def check_order(body: Record) -> None:
    """Require that lists ascend which have one order, and that counts add up."""
    gone, counts = body.get("refused", ()), body.get("counts") or ()
    lists = [body.get("kept", ()), *body.get("asks", ()), [each["code"] for each in gone]]
    lists += [[cell["values"] for cell in cells] for cells in counts]
    require(all(a < b for values in lists for a, b in pairwise(values)), "a list out of order")
    require(all(each["many"] and each["code"] < 8 for each in gone), "refusals of nothing")
    sums = [sum(cell["people"] for cell in cells) for cells in counts]
    require(sums == body.get("totals", []) or body.get("counts") is None, "counts and totals")
    require(all(cell["people"] for cells in counts for cell in cells), "a cell of nobody")


def tree(entries: Sequence[bytes]) -> bytes:
    """Return the root of RFC 6962."""
    if len(entries) < 2:
        return sha(b"\0", entries[0]) if entries else sha()
    half = 1 << (len(entries) - 1).bit_length() - 1
    return sha(b"\1", tree(entries[:half]), tree(entries[half:]))


class Session:
    """What stands on a board, and which post may come next."""

    def __init__(self) -> None:
        self.moves, self.programs, self.guards = MOVES, PROGRAMS, 0
        self.phase, self.session = "opening", bytes(32)
        self.due: int | None = None
        self.posts, self.alarms = list[bytes](), set[tuple[str, int, str]]()
        self.heads, self.keys, self.consents = dict[int, bytes](), dict[str, bytes](), set[str]()
        self.roster, self.told, self.decision, self.opened = Record(), Record(), Record(), False
        self.calls, self.mixed, self.tallies = list[Record](), list[Record](), list[Record]()
        self.registry, self.hops, self.burned, self.reader = list[bytes](), list[str](), "", ""

    def take(self, post: Post) -> None:
        """Add a post; Invalid if it is not legal here."""
        if post.kind == "roster":
            self._roster(post)
        author = post.author
        role = author[0].upper() if author in self.roster.get("keys", ()) else ""
        role = "U" if re.fullmatch("user-[1-9][0-9]{0,9}", author) else role
        roles, then = self.moves[self.phase].get(post.kind, ("", ""))
        if post.kind == "alarm" and self.phase != "opening":  # whoever sees a fault may say so
            roles, then = "UCSA", self.phase
        require(role and role in roles, f"not legal in the phase {self.phase}")
        number = len(self.calls) + (post.kind == "call")
        require((post.number, post.session) == (number, self.session), "of another session")
        require(role in "CBU" or post.kind == "key" or author in self.keys, "before its key")
        self._check_seal(post, role)
        if post.kind != "roster":
            getattr(self, f"_{post.kind}", lambda _: None)(post)
        self.phase = then
        self.burned = f"burned: {post.body['why']}" if post.kind == "burned" else self.burned
        if post.kind != "alarm":
            front = bytes((post.number, post.data[3])) + author.encode() + b"\0"
            self.posts.append(front + post.data)
        if post.kind in ("call", "closed"):
            self.due = number if post.kind == "call" else 0

    def _check_seal(self, post: Post, role: str) -> None:
        if role in "UB":
            require(post.seal is None, "a seal where none is due")
            return
        require(post.seal is not None and self.due is None, "no seal, or before the head")
        require(post.seal in ([*self.heads.values()] or [b""]), "it cites no head of this board")
        place = self.roster["digest"] + post.author.encode() + b"\0" + sha(post.data[:-64])
        key = self.roster["keys"][post.author]
        VerifyKey(key).verify(b"veilmix post 1\0" + place, post.data[-64:])

    def _roster(self, post: Post) -> None:
        require(not self.posts, "a roster that is not the first post")
        keys = {name: post.body[name] for name in ("board", "curator", "analyst")}
        self.hops = [f"shuffler-{hop + 1}" for hop in range(len(post.body["shufflers"]))]
        keys |= dict(zip(self.hops, post.body["shufflers"], strict=True))
        digest = sha(post.body["opening"], *keys.values())
        self.roster = {"opening": post.body["opening"], "keys": keys, "digest": digest}

    def _key(self, post: Post) -> None:
        require(post.author not in self.keys, "a second key")
        self.keys[post.author] = post.body["key"]

    def _registry(self, post: Post) -> None:
        require(not self.registry, "a second registry")
        self.registry = post.body["keys"]

    def _announcement(self, post: Post) -> None:
        data = post.body["announcement"]
        told = (f := _Fields(data)).record("announcement")
        require(f.at == len(data), "too long")
        plain = told["padded"] and told["salted"] and told["ordered"] and not told["flaws"]
        require(plain and not told["lesson"], "a lesson")
        require(told["guards"] == self.guards, "guards that are not checked here")
        require(told["program"] in self.programs, "a program that is not checked here")
        keys = dict(zip(self.hops, told["shufflers"], strict=False))
        require(self.keys == keys | {"analyst": told["analyst"]}, "other keys than were posted")
        every, suite = [*told["shufflers"], told["analyst"], told["curator"]], told["curator"][0]
        right = suite in OVERHEAD and {key[0] for key in every} == {suite}
        require(right and len(set(every)) == len(every) == len(self.hops) + 2, "its keys")
        root = tree(self.registry) if self.registry else b""
        require(told["registry"] == root, "another registry than was posted")
        self.told, self.session = told, sha(b"veilmix announcement 1\0", data)

    def _consent(self, post: Post) -> None:
        require(post.body["session"] == self.session, "to another session")
        self.consents.add(post.author)

    def _call(self, post: Post) -> None:
        call, calls, told = post.body, self.calls, self.told
        require(self.consents == set(self.keys), "before all have agreed")
        require(call["round"] == len(calls) + 1, "of another round")
        due = [[column] for column in range(len(told["features"]))], told["program"] == "randomized"
        due = ([self.decision["kept"]], True) if self.decision else due
        right = (call["asks"], call["analyst"]) == due and not call["rules"]
        require(right and bool(calls) == bool(self.decision), "not what the program asks next")
        require(not (calls and calls[-1]["analyst"]), "after the release")
        calls.append(call)
        self.reader = "analyst" if call["analyst"] else "curator"

    def _mixed(self, post: Post) -> None:
        hop = len(self.mixed) - (len(self.calls) - 1) * len(self.hops) + 1
        require(post.body["hop"] == hop and post.author == f"shuffler-{hop}", "not its turn")
        self.mixed.append(post.body)

    def _head(self, post: Post) -> None:
        digest = sha(b"veilmix run 1\0", *map(sha, sorted(self.posts)))
        state = sha(b"veilmix state 1\0", digest)
        require((post.body["place"], post.body["state"]) == (self.due, state), "of other posts")
        about = b"veilmix head 1\0" + self.roster["opening"] + post.data[37:70]
        VerifyKey(self.roster["keys"]["board"]).verify(about, post.body["signature"])
        self.heads[post.body["place"]], self.due = post.data[37:], None

    def _tally(self, post: Post) -> None:
        call, body = self.calls[-1], post.body
        require(post.author == self.reader, "not by the reader of the round")
        require(len(self.mixed) == len(self.calls) * len(self.hops), "before all hops")
        require(len(body["totals"]) == len(call["asks"]), "of other questions")
        require((body["counts"] is not None) == (self.told["public"] or call["analyst"]), "counts")
        for ask, cells in zip(call["asks"], body["counts"] or (), strict=False):
            domains = [self.told["features"][column]["values"] for column in ask]
            for cell in cells:
                pairs = zip(cell["values"], domains, strict=True)
                require(all(d is None or v in d for v, d in pairs), "a value that nobody announced")
        self.tallies.append(body)

    def _decision(self, post: Post) -> None:
        require(self.reader == "curator" and not self.decision, "a second decision")
        require(("digest" in post.body) != self.told["public"], "open or closed, against the terms")
        require(max(post.body["kept"], default=0) < len(self.told["features"]), "unknown columns")
        require(not post.body["rules"], "rules, which two rounds do not have")
        sizes = [OVERHEAD[self.told["curator"][0]] + (4096 << more) for more in range(13)]
        sealed = post.body.get("sealed", bytes(sizes[0]))
        require(len(sealed) in sizes, "the size of what is sealed")
        self.decision = post.body | {"data": post.data}

    _committed = _decision

    def _certificate(self, post: Post) -> None:
        said, at = self.decision, self.decision.get("at", {})
        require(self.tallies[-1:] and self.reader == "analyst" and "digest" in said, "too early")
        require(self._may_open() and not self.opened, "not to be opened")
        front, rules = said["data"][at["kept"] : at["n"]], said["data"][at["rules"] : at["digest"]]
        whole = self.session + post.body["blind"] + front + post.data[69:-165] + rules
        require(sha(b"veilmix certificate 1\0", whole) == said["digest"], "another certificate")
        self.decision, self.opened = said | {"proof": post.body["proof"]}, True

    def _may_open(self) -> bool:
        totals = {total for tally in self.tallies for total in tally["totals"]}
        rules = self.decision["rules"]
        return self.told["setting"] == "fixed" and len(totals) == 1 and not rules

    def _alarm(self, post: Post) -> None:
        cause, evidence = post.body["cause"], post.body["evidence"]
        about = post.author, post.body["round"], cause
        require(cause in CAUSES and about not in self.alarms, "unknown, or raised before")
        require(post.body["round"] <= len(self.calls), "of a round that is to come")
        require(len(evidence) <= EVIDENCE.get(cause, len(evidence)), "too much evidence")
        self.alarms.add(about)


def check_accounts(s: Session) -> None:
    """Require that no hop and no reader lost or invented a message, by its own account."""
    hops, told = len(s.hops), s.told
    for number, call in enumerate(s.calls):
        came, slots = None, len(call["asks"])
        for account in s.mixed[number * hops : (number + 1) * hops]:
            require(came in (None, account["received"]), f"round {number + 1}: layers were lost")
            due = account["received"] + account["people"] * (slots - 1) * (account["hop"] == 1)
            came = account["forwarded"]
            gone = sum(each["many"] for each in account["refused"])
            require(came + gone == due, f"round {number + 1}: an account does not add up")
        for tally in s.tallies[number : number + 1]:
            read = sum(tally["totals"]) + sum(each["many"] for each in tally["refused"])
            require(read == came, f"round {number + 1}: the reader counted others than came")
            enough = s.mixed[number * hops]["people"] >= told["min_batch"]
            require(enough, f"round {number + 1}: fewer people than the smallest batch")
    counted = [max(tally["totals"]) for tally in s.tallies]
    fixed = told["setting"] == "fixed" and not s.burned
    for one, other in combinations(counted if fixed else (), 2):
        near = 0 < abs(one - other) < told["min_dropout"]
        require(not near, "so few people left between two rounds that they can be told apart")


def proved(proof: Record, columns: Sequence[Sequence[int]], k: int) -> int | None:
    """Return how many exposed people a certificate proves; None: by a rule unknown here."""
    columns = [sorted((many for many in column if many), reverse=True) for column in columns]
    n, m = sum(columns[0]) if columns else proof["n"], len(columns)
    if proof["rule"] == "exact":
        require(m < 2 or k < 2 or k > n, "certificate: exact, of more than one column")
        return sum(many for many in columns[0] if many < k) if m else 0
    if proof["rule"] == "coverage":
        pairs = list(zip(columns, proof["thresholds"], strict=True))
        require(all(t in column for column, t in pairs), "certificate: a threshold is no count")
        rare = [sum(many for many in column if many < t) for column, t in pairs]
        common = [sum(many >= t for many in column) for column, t in pairs]
        cells = prod(common)
        least = int(n - sum(rare) > (k - 1) * cells)
        for column, own, size in zip(columns, rare, common, strict=True):
            large = sum(rare) - own + (k - 1) * (cells // size)
            least = max(least, min(size, sum(many > large for many in column)))
        return min(n, sum(rare) + (k - 1) * (cells - least))
    return priced(proof, columns, k, n) if proof["rule"] == "margins" else None


def priced(proof: Record, columns: Sequence[Sequence[int]], k: int, n: int) -> int:
    """Return what prices of values and blocks prove (docs/wire.md, Certificates)."""
    tables = [[c for c in column if c >= k] for column in columns]
    rare = [sum(c for c in column if c < k) for column in columns]
    tables = [table + [r] * bool(r) for table, r in zip(tables, rare, strict=True)]
    said, scale, inside = json.loads(proof["proof"]), 1 << 32, Counter[Cell]()
    prices = [[0 + price for price in column] for column in said["prices"]]
    require([*map(len, prices)] == [*map(len, tables)], "certificate: not a price for each value")
    caps, low = dict[Cell, int](), dict[Cell, int]()
    for cell in product(*map(range, map(len, tables))):
        caps[cell] = min(table[at] for table, at in zip(tables, cell, strict=True))
        last = any(r and at == len(t) - 1 for t, at, r in zip(tables, cell, rare, strict=True))
        low[cell] = caps[cell] if last else min(caps[cell], k - 1)
    pairs = (zip(*column, strict=True) for column in zip(prices, tables, strict=True))
    total = sum(price * many for column in pairs for price, many in column)
    for price, sets in said["blocks"]:
        right = len({j for j, _ in sets}) == len(sets) and min(at for _, v in sets for at in v) >= 0
        require(price >= 0 and right, "certificate: a block")
        held = n + sum(sum(tables[j][at] for at in set(values)) - n for j, values in sets)
        cells = [cell for cell in caps if all(cell[j] in values for j, values in sets)]
        missing = held - sum(low[cell] for cell in cells)
        for gain in sorted((caps[cell] - low[cell] for cell in cells), reverse=True):
            total -= price * (missing > 0 and gain > 0)
            missing -= gain
        inside.update({cell: price for cell in cells if caps[cell] > low[cell]})
    for cell, cap in caps.items():
        price = sum(column[at] for column, at in zip(prices, cell, strict=True))
        ends = [inside[cell] - k * price, inside[cell] - cap * price] * (low[cell] < cap)
        total += max(low[cell] * max(0, scale - price), *ends, 0 * price)
    return min(total // scale, n)


def check_release(s: Session) -> str:
    """Return what was released; Invalid if it does not follow from what was counted."""
    last, told, said = s.tallies[-1:], s.told, s.decision
    if s.burned or len(s.tallies) < len(s.calls) or not s.calls[-1]["analyst"]:
        return f"nothing was released; {s.burned or 'nothing was promised'}"
    if not said:
        return f"{last[0]['totals'][0]} people reported with noise"
    joint = {tuple(cell["values"]): cell["people"] for cell in last[0]["counts"][0]}
    sums = [Counter[str]() for _ in said["kept"]]
    for (cell, many), at in product(joint.items(), range(len(sums))):
        sums[at][cell[at]] += many
    people, below = sum(joint.values()), sum(many for many in joint.values() if many < told["k"])
    counts = list[Sequence[int]](list(column.values()) for column in sums)
    if told["public"]:
        n = max(s.tallies[0]["totals"])
        known = [{c["values"][0]: c["people"] for c in cells} for cells in s.tallies[0]["counts"]]
        for column, table in zip(said["kept"], sums, strict=True):
            more = sum(max(0, many - known[column].get(v, 0)) for v, many in table.items())
            fits = more <= n - sum(known[column].values()) or told["setting"] != "fixed"
            require(fits, "release: more people with a value than were counted with it")
        counts = [[*known[c].values(), *[1] * (n - sum(known[c].values()))] for c in said["kept"]]
    unproved = "its certificate is closed"
    if "proof" in said:
        proof, unproved = said["proof"], "its certificate is by a rule that is not checked here"
        right = proof["k"] == told["k"] and proof["people"] <= proof["n"]
        require(right, "certificate: of another smallest crowd, or of more than all people")
        if (least := proved(proof, counts, told["k"])) is not None:
            require(least <= proof["people"], f"certificate: {least} people may be exposed")
            unproved = "its certificate is proved"
        require(below <= proof["people"] or people != proof["n"], "release: exposes more people")
    elif "digest" in said:
        require(not s._may_open(), "certificate: not opened, though it should be")
    free = told["rule"] in ("fixed", "all") or told["setting"] != "fixed"
    require(free or below <= told["max_exposure"] * people, "release: exposes more than promised")
    return f"{people} people released, {below} of them exposed; {unproved}"


def agreed(path: Path) -> tuple[bytes, dict[str, bytes], list[bytes]]:
    """Return opening, identities and people's keys of a session file."""
    table = tomllib.loads((data := path.read_bytes()).decode())
    places, registered = table["place"], table.get("defence", {}).get("registered", True)
    keys, halls = dict[str, bytes](), list[tuple[int, Path]]()
    for name, place in places.items():
        identity = tomllib.loads((path.parent / place["identity"]).read_text("utf-8"))
        keys[name] = bytes.fromhex(identity["identity"][0]["key"])
        if registered and "people" in place:
            halls.append((place["users"][0], path.parent / place["people"]))
    files = [tomllib.loads(file.read_text("utf-8")) for _, file in sorted(halls)]
    people = [bytes.fromhex(key) for file in files for key in file["keys"]]
    opening = hashlib.blake2b(data, digest_size=16, person=b"veilmix.session").digest()
    return opening, keys, people


def check_posts(lines: Sequence[str], session: Path | None = None) -> list[str]:
    """Return what saved posts show, in sentences; Invalid at the first that does not hold."""
    s, where = Session(), ""
    try:
        for number, line in enumerate(lines, 1):
            where, said = f"post {number}: ", json.loads(line)
            s.take(read_post(said["author"], bytes.fromhex(said["post"])))
        where = ""
        require(s.phase == "over" and s.due is None, "the session is not over, or has no last head")
        if session:
            opening, keys, people = agreed(session)
            require(s.roster["opening"] == opening, "another session file")
            mine = {name: keys[name] for name in s.roster["keys"]}
            require(s.roster["keys"] == mine, "other parties than the session file names")
            require(not s.told or s.registry == people, "other people than the session file names")
        check_accounts(s)
        heads = f"{len(lines)} posts, each signed by its author; {len(s.heads)} heads by the board"
        whose = "of the session file" if session else "not shown: no session file was given"
        return [heads, check_release(s), f"whose keys they are: {whose}"]
    except (Invalid, BadSignatureError, ValueError, LookupError, TypeError, struct.error) as fault:
        raise Invalid(f"{where}{fault}") from None


def main(name: str, session: str = "") -> int:
    """Print what saved posts show, or the reason why they do not hold."""
    try:
        lines = Path(name).read_text("utf-8").splitlines()
        print("\n".join(check_posts(lines, Path(session) if session else None)))
    except Invalid as fault:
        print(f"{name}: {fault}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
