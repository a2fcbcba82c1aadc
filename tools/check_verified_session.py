"""Check a posted session with a verified mix: `python tools/check_verified_session.py RUN`.

Needs Python 3.11, PyNaCl, rbcl, and two files beside it: check_session.py reads signed posts, and
check_verified.py checks proofs. All three were written from docs/wire.md and docs/verified.md, and
share no code with veilmix. RUN is a folder of `veilmix run`, or a file of posts with a JSON object
a line, `author` and `post` (hexadecimal). Posts alone are read. Prints the sentences that hold;
exit code 1 with the first fault and the number of its post, from 1, if the session does not hold.
"""

import gzip
import json
import sys
import unicodedata
from base64 import b64decode
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, pairwise
from math import prod
from pathlib import Path
from typing import Any

import check_session as board
import check_verified as proofs
from check_session import Invalid, Post, Record, require, sha
from nacl.exceptions import BadSignatureError
from nacl.signing import VerifyKey

MALFORMED, OUTSIDE = REFUSED = 0, 6  # reasons for which an answer is refused
OTHER, BLANK = " other", " blank"  # of a hidden value
GUARDS, PROGRAMS = 8, ("two-round-once", "hierarchical", "local-suppression", *board.PROGRAMS)
FORMS = {name: form.replace("rules:[u1]", "rules:[rule]") for name, form in board.FORMS.items()}
FORMS |= {
    "rule": "column:u1 redacts:f values:[t]",
    "50 keys": "keys:[x96]",
    "51 handed": "many:u4 size:u4",
    "52 checked": "digest:x32",
    "53 shuffled": "hop:u1 lists:[b] proofs:[b]",
    "54 shared": "shares:[b]",
}
KINDS = {int(name.split()[0]): name for name in FORMS if name[0].isdecimal() and name != "7 mixed"}
ANY, MIXED = ("SCA", "collecting"), {"shuffled": ("S", "mixing"), "burned": ("CSA", "burnt")}
ANYTIME = dict.fromkeys(("keys", "handed", "checked"), ANY)
MOVES = board.MOVES | {
    "collecting": {"head": ("B", "collecting"), **ANYTIME, **MIXED},
    "mixing": {"shared": ("SCA", "mixing"), "tally": ("CA", "tallied"), **MIXED},
}
FAULTS = Invalid, proofs.Invalid, ValueError, LookupError, TypeError
Opened = list[tuple[int, list[list[bytes]]]]  # of each question its number and the opened rows
Place = tuple[int, Post]  # a post with its number


class _Fields(board._Fields):
    """The fields of a message on the board of a verified mix."""

    def __init__(self, data: bytes) -> None:
        super().__init__(data)
        self.forms, self.kinds = FORMS, KINDS

    def record(self, form: str) -> Record:
        record, ordered = super().record(form), list[Any]()
        if form == "rule":
            require(ordered := record["values"], "a rule about no value")
            record |= {"cover": self.number(4) if record["redacts"] else None, "at": None}
        if form == "51 handed":
            require(bool(record["many"]) == bool(record["size"]), "ballots of no size")
            each = "u4", f"x{record['size']}", "x64"
            record["people"] = [tuple(map(self.read, each)) for _ in range(record["many"])]
            ordered = [person for person, *_ in record["people"]]
        ordered = [rule["column"] for rule in record.get("rules", ())] or ordered
        require(all(a < b for a, b in pairwise(ordered)), "a list out of order")
        return record


def is_admitted(value: str, feature: Record, rule: Record | None) -> bool:
    """Whether an answer may hold a value. rule: of the call for this column; None: none."""
    bad = any(unicodedata.category(sign) in ("Cc", "Cs", "Zl", "Zp") for sign in value)
    line = value == value.strip() and 0 < len(value.encode()) <= feature["width"] and not bad
    plain = line if feature["values"] is None else value in feature["values"]
    if rule is None:
        return plain
    if rule["redacts"]:
        return value == BLANK or (plain and value not in rule["values"])
    return value in (OTHER, *rule["values"])


def joint_values(M: bytes, domains: Sequence[Sequence[bytes] | None]) -> list[bytes | None]:
    """Return the values of several columns that an element carries; None if it is malformed."""
    cells = prod(len(domain) for domain in domains if domain is not None)
    if (data := proofs.value_of(M, ())) is None:
        return [None]
    at = ((cells - 1).bit_length() + 7) // 8
    place, values = int.from_bytes(data[:at], "big"), list[bytes | None]()
    for domain in domains:
        start = at + (domain is None)
        at = start + sum(data[at:start])  # of an open column its length, then its value
        values.append(data[start:at])
    for column, domain in reversed([*enumerate(domains)]):
        if domain is not None:
            place, digit = divmod(place, len(domain))
            values[column] = domain[digit]
    return values if at == len(data) and not place else [None]


class Round:
    """A round: its call, and the posts about it so far."""

    def __init__(self, told: Record, hops: Sequence[str], call: Record) -> None:
        self.number, self.asks, self.rules = call["round"], call["asks"], call["rules"]
        self.reader = "analyst" if call["analyst"] else "curator"
        self.openers, self.public = [*hops, self.reader], told["public"] or call["analyst"]
        once = told["program"] == "two-round-once"
        self.once, self.again = once and not call["analyst"], once and call["analyst"]
        self.size, self.width = 160 if once else 128, len(self.asks[0]) if self.again else 1
        # The parties whose posts are due: of keys, ballots, verdicts, lists, shares.
        self.owners = set() if self.again else {*self.openers, *["analyst"] * self.once}
        self.doors = [] if self.again else [self.reader, *hops]
        self.checkers, self.hops = set(self.openers), [*hops]
        self.sharers, self.is_counted = set(self.openers if self.public else hops), False
        self.keys, self.joint = dict[str, dict[int, bytes]](), dict[int, bytes]()
        self.posted, self.closed = set[tuple[int, bytes]](), dict[int, bytes]()
        self.handed, self.shuffled, self.shared = list[Place](), list[Place](), list[Place]()

    def keys_due(self, party: str) -> range:
        """Return the numbers of the keys of a party: of questions, then that of the release."""
        first, last = (party == "analyst", party != self.reader) if self.once else (0, 0)
        return range(len(self.asks) * first, len(self.asks) + last)

    def first_lists(self) -> list[list[list[bytes]]]:
        """Return the columns A_1, B_1, .. of the closed list, for each question."""
        if self.again:  # of each released column A and B'
            halves = [[self.size * at + half for at in self.asks[0] for half in (0, 64)]]
        else:
            halves = [[self.size * at, self.size * at + 32] for at in range(len(self.asks))]
        rows = self.closed.values()
        return [[[row[at : at + 32] for row in rows] for at in columns] for columns in halves]

    def answer(self, question: int, cells: Sequence[bytes], features: Sequence[Record]) -> Any:
        """Return the values of an answer, or the reason (an int) for which it is refused."""
        ask, rules = self.asks[question], {rule["column"]: rule for rule in self.rules}
        domains = list[list[bytes] | None]()
        for at in ask:
            values, hidden = features[at]["values"], [OTHER, BLANK] if at in rules else []
            domains.append(None if values is None else [v.encode() for v in values + hidden])
        joint = len(cells) < len(ask) and joint_values(cells[0], domains)
        data = joint or [*map(proofs.value_of, cells, (domain or () for domain in domains))]
        try:
            answer = tuple(value.decode() for value in data if value is not None)
        except UnicodeDecodeError:
            return MALFORMED
        if len(answer) < len(ask):
            return MALFORMED
        pairs = zip(answer, ask, strict=True)
        right = all(is_admitted(value, features[at], rules.get(at)) for value, at in pairs)
        return answer if right else OUTSIDE


class Session(board.Session):
    """The posts of a board so far, and the post that may come next."""

    def __init__(self) -> None:
        super().__init__()
        self.moves, self.guards, self.programs = MOVES, GUARDS, PROGRAMS
        self.rounds, self.now, self.at = list[Round](), 0, 0  # number of the post, of a fault

    def _call(self, post: Post) -> None:
        call, width = post.body, len(self.told["features"])
        columns = {column for ask in call["asks"] for column in ask}
        require(self.consents == set(self.keys), "before all have agreed")
        require(all(call["asks"]) and columns and max(columns) < width, "unknown columns")
        ruled = {rule["column"] for rule in call["rules"]} <= columns
        right = call["round"] == len(self.calls) + 1 and self._asks_next(call)
        require(ruled and right, "not what the program asks next")
        self.calls.append(call)
        self.rounds.append(r := Round(self.told, self.hops, call))
        self.reader = r.reader
        if r.again:
            first, last = self.rounds[0], len(self.rounds[0].asks)
            r.joint, r.closed = {0: first.joint[last]}, first.closed
            r.keys = {party: {0: first.keys[party][last]} for party in r.openers}

    def _asks_next(self, call: Record) -> bool:
        """Whether the announced program has this call next."""
        told, asks, rules = self.told, call["asks"], call["rules"]
        if not self.calls:
            singles = [[column] for column in range(len(told["features"]))]
            return (asks, call["analyst"], rules) == (singles, told["program"] == "randomized", [])
        if self.decision or self.calls[-1]["analyst"]:
            due = [self.decision.get("kept")], True, self.decision.get("rules")
            return not self.calls[-1]["analyst"] and (asks, call["analyst"], rules) == due
        before = {tuple(ask) for each in self.calls for ask in each["asks"]}
        if "ask=best" in told["rule"].split():
            fits = len(asks) == 1 < len(asks[0]) and len(self.calls) <= 16
            fits = fits and not any({*asks[0]} <= {*ask} for ask in before)
        else:
            fits = all({*combinations(ask, len(ask) - 1)} <= before for ask in asks)
            fits = fits and {len(ask) for ask in asks} == {call["round"]}
        masks = {rule["column"]: {*rule["values"]} for r in self.rounds for rule in r.rules}
        ruled = {rule["column"]: {*rule["values"]} for rule in rules}
        fits = fits and all(at in ruled for ask in asks for at in ask if at in masks)
        fits = fits and all(values <= masks.get(at, values) for at, values in ruled.items())
        fits = fits and not any(rule["redacts"] for rule in rules)
        return told["program"] == "hierarchical" and not call["analyst"] and fits

    def _context(self, r: Round, question: int) -> proofs.Session:
        """Return the context of a proof."""
        names = {"group": "ristretto255", "announcement": self.session.hex()}
        return proofs.Session({**names, "round": r.number, "question": question})

    def _keys(self, post: Post) -> None:
        r, author, records = self.rounds[-1], post.author, post.body["keys"]
        require(author in r.owners, "not its turn")
        require(len(records) == len(due := r.keys_due(author)), "another number of keys")
        owned = [(at, entry(author, record=own)) for at, own in zip(due, records, strict=True)]
        r.keys[author] = {at: proofs.check_key(self._context(r, at), own) for at, own in owned}
        r.owners.remove(author)
        if not r.owners:
            for at in range(len(r.asks) + r.once):
                r.joint[at] = proofs.plus(*(own[at] for own in r.keys.values() if at in own))
            require(proofs.ZERO not in r.joint.values(), "the keys of all keyholders cancel out")

    def _handed(self, post: Post) -> None:
        r, fixed = self.rounds[-1], self.told["setting"] == "fixed"
        require(r.doors[:1] == [post.author] and r.joint, "not its turn")
        before = [each.closed for each in self.rounds[:-1]]
        for person, ballots, _ in post.body["people"]:
            name, known = f"the ballots of user-{person + 1}", [person in own for own in before]
            invited = all(known[-1:]) if fixed else not any(known)
            require(person < len(self.registry) and invited, f"{name}: the user is not invited")
            require(len(ballots) == r.size * len(r.asks), f"{name}: another size")
            require((person, ballots) not in r.posted, f"{name}: they stand there already")
            r.posted.add((person, ballots))
        r.handed.append((self.at, post))
        r.doors.pop(0)
        r.closed = {}  # of each user, ascending, the ballots with the smallest hash
        for person, ballots in sorted(r.posted, key=lambda own: (own[0], sha(own[1]))):
            r.closed.setdefault(person, ballots)

    def _checked(self, post: Post) -> None:
        r = self.rounds[-1]
        require(post.author in r.checkers and not (r.owners or r.doors), "not its turn")
        listed = (person.to_bytes(4, "big") + sha(own) for person, own in r.closed.items())
        digest = sha(b"veilmix closed list 1\0", self.session, bytes([r.number]), *listed)
        require(post.body["digest"] == digest, "the digest of another list of ballots")
        r.checkers.remove(post.author)

    def _shuffled(self, post: Post) -> None:
        r, body = self.rounds[-1], post.body
        turn = not r.checkers and r.hops[:1] == [post.author] == [f"shuffler-{body['hop']}"]
        require(turn and len(body["lists"]) == len(body["proofs"]) == len(r.asks), "not its turn")
        rows, people = {len(own) for own in body["lists"]}, len(r.closed)
        require(rows == {5 + 64 * r.width * people}, "lists of another size")
        sizes = {len(own) for own in body["proofs"]}
        require(sizes == {197 + 96 * r.width + 160 * people}, "proofs of another size")
        r.shuffled.append((self.at, post))
        r.hops.pop(0)

    def _shared(self, post: Post) -> None:
        r, sizes = self.rounds[-1], {len(own) for own in post.body["shares"]}
        turn = post.author in r.sharers and not r.hops
        require(turn and len(post.body["shares"]) == len(r.asks), "not its turn")
        require(sizes == {68 + 32 * r.width * len(r.closed)}, "shares of another size")
        r.shared.append((self.at, post))
        r.sharers.remove(post.author)

    def _tally(self, post: Post) -> None:
        r, body, features = self.rounds[-1], post.body, self.told["features"]
        require(post.author == r.reader and not r.sharers, "not its turn")
        require(len(body["totals"]) == len(r.asks), "of other questions")
        require((body["counts"] is not None) == r.public, "counts against the terms")
        self._check_people(r)
        opened = self._check_proofs(r)
        self.at = self.now
        refused = {each["code"]: each["many"] for each in body["refused"]}
        answers = sum(body["totals"]) + sum(refused.values())
        require(answers == len(r.closed) * len(r.asks), "not as many answers as ballots")
        if r.public:
            cells = [Counter(r.answer(at, row, features) for row in own) for at, own in opened]
            gone = Counter({code: sum(own.pop(code, 0) for own in cells) for code in REFUSED})
            shown = [{tuple(c["values"]): c["people"] for c in own} for own in body["counts"]]
            require((shown, refused) == (cells, +gone), "other counts than the shares open")
        r.is_counted = True
        self.tallies.append(body)

    def _check_people(self, r: Round) -> None:
        """Require the smallest batch, and no few people who left since an earlier round."""
        told, people = self.told, len(r.closed)
        require(people >= told["min_batch"], "fewer people than the smallest batch")
        for earlier in self.rounds[:-1] if told["setting"] == "fixed" else ():
            near = 0 < abs(len(earlier.closed) - people) < told["min_dropout"]
            require(not near, "so few people left between two rounds that they can be told apart")

    def _check_proofs(self, r: Round) -> Opened:
        """Check ballots, shuffles and shares of a round; return the rows that the shares open."""
        for self.at, post in r.handed:
            for person, ballots, signature in post.body["people"]:
                self._check_ballots(r, person, ballots, signature)
        lists = r.first_lists()
        for self.at, post in r.shuffled:
            for at, old in enumerate(lists):
                rows, proof = post.body["lists"][at], post.body["proofs"][at]
                hop = entry(post.author, rows=rows, proof=proof)
                lists[at] = proofs.check_hop(self._context(r, at), hop, r.joint[at], old)
        opened = [[B for column in columns[1::2] for B in column] for columns in lists]
        for self.at, post in r.shared:
            for at, columns in enumerate(lists):
                firsts = [A for column in columns[::2] for A in column]
                own, X = entry(post.author, record=post.body["shares"][at]), r.keys[post.author][at]
                D = proofs.check_shares(self._context(r, at), own, X, firsts)
                opened[at] = [*map(proofs.minus, opened[at], D)]
        count = len(r.closed)
        return [(q, [own[at::count] for at in range(count)]) for q, own in enumerate(opened)]

    def _check_ballots(self, r: Round, person: int, ballots: bytes, signature: bytes) -> None:
        """Check the signature of a user, and the proofs of its ballots."""
        about = self.session + bytes([r.number]) + sha(ballots) + self.heads[r.number]
        try:
            VerifyKey(self.registry[person]).verify(b"veilmix submission 1\0" + about, signature)
        except BadSignatureError:
            require(False, f"the ballots of user-{person + 1}: not signed by the user")
        name = f"user-{person + 1}".encode()
        for at in range(len(r.asks)):
            text, place = ballots[r.size * at : r.size * (at + 1)].hex(), self._context(r, at)
            if r.once:
                require(r.joint[at] != r.joint[len(r.asks)], "one joint key for two readers")
                proofs.check_once(place, name, text, r.joint[at], r.joint[len(r.asks)])
            else:
                proofs.check_ballot(place, name, text, r.joint[at])

    def _decision(self, post: Post) -> None:
        rules, proof = post.body["rules"], post.body.get("proof")
        hides = self.told["program"] == "local-suppression" and all(e["redacts"] for e in rules)
        hides = hides and {rule["column"] for rule in rules} <= set(post.body["kept"])
        require(hides or not rules, "rules that the program does not have")
        require(proof is None or proof["people"] <= proof["n"], "more people than all are exposed")
        super()._decision(post._replace(body=post.body | {"rules": []}))
        self.decision["rules"] = rules

    _committed = _decision

    def sentences(self) -> Iterator[str]:
        """Yield the sentences that hold; Invalid if the end or the release does not."""
        self.at = 0
        require(self.phase == "over" and self.due is None, "the session is not over")
        yield f"{len(self.posts)} posts, each signed by its author; {len(self.heads)} heads"
        for r in self.rounds:
            if not r.is_counted:
                yield f"round {r.number}: not counted; its proofs are not checked"
                continue
            source = "of round 1 again" if r.again else "signed and proved by their senders"
            yield f"round {r.number}: ballots of {len(r.closed)} users, {source}; shuffles proved"
            whose = "what the listed ballots hold" if r.public else f"the word of the {r.reader}"
            yield f"round {r.number}: its counts are {whose}"
        hidden = "values are hidden: release and certificate are not checked"
        yield hidden if self.decision.get("rules") else board.check_release(self)


def entry(party: str, **records: bytes) -> Record:
    """Return records of a party as check_verified.py reads them."""
    return {name: data.hex() for name, data in {"place": party.encode(), **records}.items()}


def read_posts(path: Path) -> Iterator[tuple[str, bytes]]:
    """Yield author and bytes of each post of a run folder, a transcript, or a file of posts."""
    path = path / "transcript.jsonl.gz" if path.is_dir() else path
    data = path.read_bytes()
    for line in (gzip.decompress(data) if path.suffix == ".gz" else data).splitlines():
        said = json.loads(line)
        if "post" in said:
            yield said["author"], bytes.fromhex(said["post"])
        elif said.get("to") == "board":
            yield said["from"], b64decode(said["data"])


def check_posts(posts: Iterable[tuple[str, bytes]]) -> list[str]:
    """Return the sentences that posts prove; Invalid at the first post that does not hold."""
    session = Session()
    try:
        for number, (author, data) in enumerate(posts, 1):
            session.now = session.at = number
            session.take(board.read_post(author, data, _Fields))
        return [*session.sentences()]
    except BadSignatureError:
        raise Invalid(f"post {session.at}: not signed by its author") from None
    except FAULTS as fault:
        where = f"post {session.at}" if session.at else "after the last post"
        raise Invalid(f"{where}: {fault}") from None


def main(name: str) -> int:
    """Print the sentences that a session proves, or the first fault."""
    try:
        print("\n".join(check_posts(read_posts(Path(name)))))
    except Invalid as fault:
        print(f"{name}: {fault}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
