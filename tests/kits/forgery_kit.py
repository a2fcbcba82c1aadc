"""Saved sessions that are forged: posts changed, and signed again by those whose keys are stolen.

Imported by its name: tests/kits is on the path of the tests (pyproject.toml).
"""

import hashlib
import random
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from saved_kit import Post, Saved
from veilmix.errors import Reason, VeilmixError
from veilmix.protocol.board.board import DIGEST_LABEL, STATE_LABEL
from veilmix.protocol.board.phases import BOARD
from veilmix.protocol.wire.announcement import Announcement
from veilmix.protocol.wire.frames import NO_SESSION, Message, decode_message
from veilmix.protocol.wire.messages import (
    Alarm,
    Body,
    Burned,
    Call,
    Closed,
    CommittedDecision,
    Consent,
    Decision,
    Head,
    Kind,
    Mixed,
    OpenedCertificate,
    Registry,
    Roster,
    Tally,
)
from veilmix.protocol.wire.signed_posts import sealed_post, sign_head, witness_of

EVERYONE = ("board", "curator", "analyst", "shuffler-1", "shuffler-2")


@dataclass
class Signing:
    """The posts of a forger so far: what heads are of, and what later posts cite."""

    saved: Saved
    stolen: Collection[str]
    posts: list[Post] = field(default_factory=list)
    session: bytes = NO_SESSION
    witness: bytes = b""
    place: int = 0
    number: int = 0

    def add(self, author: str, old: bytes, message: Message) -> None:
        """Add a post: signed anew if the key of its author is stolen, else as it was."""
        body = message.body
        if author in self.stolen:
            self.number = body.round if isinstance(body, Call) else self.number
            own, number = self._own(body), self.number
            message = replace(message, session=self.session, round=number, body=own, seal=None)
            data = self._signed(author, message)
        else:
            data = old
        made = decode_message(data)
        self.number = made.round
        if isinstance(made.body, Announcement):
            self.session = made.body.digest()
        if isinstance(made.body, Head):
            self.witness = witness_of(made.body)
        if isinstance(made.body, Call | Closed):
            self.place = made.body.round if isinstance(made.body, Call) else 0
        self.posts.append((author, data))

    def _own(self, body: Body) -> Body:
        if isinstance(body, Consent):
            return Consent(self.session)
        if isinstance(body, Head):
            signer = self.saved.identities[BOARD].signer
            return sign_head(self.roster, self.place, self._state(), signer)
        return body

    def _signed(self, author: str, message: Message) -> bytes:
        session = NO_SESSION if isinstance(message.body, Roster | Announcement) else message.session
        message = replace(message, session=session)
        if author == BOARD:
            return message.encode()
        signer = self.saved.identities[author].signer
        return sealed_post(message, self.roster, author, signer, self.witness)

    @property
    def roster(self) -> Roster:
        """The roster of the session file."""
        return self.saved.session.roster

    def _state(self) -> bytes:
        """The state of the posts so far."""
        posts = []
        for author, data in self.posts:
            made = decode_message(data)
            if not isinstance(made.body, Alarm):
                front = bytes((made.round, made.kind)) + author.encode() + b"\0"
                posts.append(front + data)
        digest = hashlib.sha256(DIGEST_LABEL)
        for post in sorted(posts):
            digest.update(hashlib.sha256(post).digest())
        return hashlib.sha256(STATE_LABEL + digest.digest()).digest()


def forge(
    saved: Saved,
    changes: Mapping[int, Body | None],
    stolen: Collection[str] = EVERYONE,
    added: Mapping[int, tuple[str, Body]] | None = None,
) -> list[Post]:
    """Return the posts with other bodies (None: left out), signed again by the stolen keys.

    added: posts to be put before a place, with their authors.
    """
    signing = Signing(saved, stolen)
    for at, (author, data) in enumerate(saved.posts):
        message = decode_message(data)
        if added and at in added:
            who, more = added[at]
            signing.add(who, b"", replace(message, body=more))
        body = changes.get(at, message.body)
        if body is None:
            continue
        if body is not message.body and author not in stolen:
            unsigned = Message(message.session, message.round, body, message.seal)
            signing.add(author, unsigned.encode(), message)
            continue
        signing.add(author, data, replace(message, body=body))
    return signing.posts


def find(saved: Saved, kind: type[Any], which: int = 0) -> tuple[int, Any]:
    """Return the place and the body of a post of a kind; the last one for -1."""
    bodies = [(at, decode_message(data).body) for at, (_, data) in enumerate(saved.posts)]
    return [(at, body) for at, body in bodies if isinstance(body, kind)][which]


def changed(saved: Saved, kind: type[Any], which: int = 0, **fields: Any) -> dict[int, Body]:
    """Return the change of some fields of a post, for `forge`."""
    at, body = find(saved, kind, which)
    return {at: replace(body, **fields)}


def smaller(saved: Saved, number: int, people: int) -> dict[int, Body]:
    """Return accounts and the counts of a round with so many people, all of one kind."""
    changes: dict[int, Body] = {}
    _at, call = find(saved, Call, number - 1)
    for hop in range(2):
        place, account = find(saved, Mixed, 2 * (number - 1) + hop)
        layers = people * len(call.asks)
        first = {"people": people, "received": people} if hop == 0 else {"received": layers}
        changes[place] = replace(account, forwarded=layers, **first)
    place, told = find(saved, Tally, number - 1)
    counts = told.counts and tuple({next(iter(cells)): people} for cells in told.counts)
    changes[place] = replace(told, totals=(people,) * len(call.asks), counts=counts)
    return changes


# Forgeries at random: each function draws one, which at least one rule of the board refuses.

Draw = Callable[[random.Random, Saved, Saved], "list[Post]"]
FREE = ({Kind.KEY, Kind.REGISTRY}, {Kind.CONSENT})  # posts whose order no rule and no head fixes


def kinds_of(posts: Sequence[Post]) -> list[Kind]:
    """Return the kind of each post."""
    return [Kind(data[3]) for _, data in posts]


def flip_a_byte(draw: random.Random, saved: Saved, _: Saved) -> list[Post]:
    """Change one byte of one post."""
    posts, at = [*saved.posts], draw.randrange(len(saved.posts))
    author, data = posts[at]
    place = draw.randrange(len(data))
    changed = bytes([data[place] ^ draw.randrange(1, 256)])
    posts[at] = author, data[:place] + changed + data[place + 1 :]
    return posts


def rename_an_author(draw: random.Random, saved: Saved, _: Saved) -> list[Post]:
    """Put another name on a post."""
    posts, at = [*saved.posts], draw.randrange(len(saved.posts))
    author, data = posts[at]
    others = [name for name in (*EVERYONE, "user-1", "shuffler-3", "") if name != author]
    posts[at] = draw.choice(others), data
    return posts


def swap_two_posts(draw: random.Random, saved: Saved, _: Saved) -> list[Post]:
    """Swap two posts whose order is fixed."""
    posts, kinds = [*saved.posts], kinds_of(saved.posts)
    while True:
        one, two = sorted(draw.sample(range(len(posts)), 2))
        if not any(set(kinds[one : two + 1]) <= free for free in FREE):
            posts[one], posts[two] = posts[two], posts[one]
            return posts


def leave_posts_out(draw: random.Random, saved: Saved, _: Saved) -> list[Post]:
    """Leave out one post, or all from one on."""
    at = draw.randrange(1, len(saved.posts))
    rest = [] if draw.random() < 0.3 else saved.posts[at + 1 :]
    return [*saved.posts[:at], *rest]


def add_a_post(draw: random.Random, saved: Saved, other: Saved) -> list[Post]:
    """Add a post of this session again, or one of another session."""
    added = draw.choice(draw.choice((saved, other)).posts)
    at = draw.randrange(len(saved.posts) + 1)
    return [*saved.posts[:at], added, *saved.posts[at:]]


def take_another_head(draw: random.Random, saved: Saved, other: Saved) -> list[Post]:
    """Put the head of another session, or of another place, in the place of a head."""
    places = [at for at, kind in enumerate(kinds_of(saved.posts)) if kind is Kind.HEAD]
    heads = [data for _, data in (*saved.posts, *other.posts) if data[3] == Kind.HEAD]
    posts, at = [*saved.posts], draw.choice(places)
    _, data = posts[at]
    posts[at] = "board", data[:37] + draw.choice([h for h in heads if h != data])[37:]
    return posts


def sign_another_head(draw: random.Random, saved: Saved, _: Saved) -> list[Post]:
    """With the key of the board: sign a state that the posts do not have."""
    places = [at for at, kind in enumerate(kinds_of(saved.posts)) if kind is Kind.HEAD]
    posts, at = [*saved.posts], draw.choice(places)
    made = decode_message(posts[at][1])
    signer = saved.identities[BOARD].signer
    head = sign_head(saved.session.roster, made.body.place, draw.randbytes(32), signer)
    posts[at] = "board", replace(made, body=head).encode()
    return posts


def change_unsigned(draw: random.Random, saved: Saved, _: Saved) -> list[Post]:
    """Change what a post says, and leave its signature as it is."""
    at, body = _mutated(draw, saved)
    return forge(saved, {at: body}, stolen=())


def change_signed(draw: random.Random, saved: Saved, _: Saved) -> list[Post]:
    """With the key of its author: change what a post says, and sign it again."""
    at, body = _mutated(draw, saved)
    return forge(saved, {at: body}, stolen=(saved.posts[at][0],))


def change_release(draw: random.Random, saved: Saved, _: Saved) -> list[Post]:
    """With the keys of analyst and board: move people between the cells of a release."""
    at, told = find(saved, Tally, -1)
    cells = dict(told.counts[0])
    one, two = draw.sample(sorted(cells), 2)
    moved = draw.randint(1, cells[one])
    cells[one], cells[two] = cells[one] - moved, cells[two] + moved
    lie = {cell: many for cell, many in cells.items() if many}
    return forge(saved, {at: replace(told, counts=(lie,))}, stolen=("analyst", "board"))


def change_account(draw: random.Random, saved: Saved, _: Saved) -> list[Post]:
    """With all keys: let a shuffler or a reader account for other messages than came."""
    at, body = find(saved, draw.choice((Mixed, Mixed, Tally)), draw.choice((0, -1)))
    if isinstance(body, Tally):
        lost = {**body.refused, Reason.MALFORMED: draw.randint(1, 9)}
        return forge(saved, {at: replace(body, refused=lost)})
    name = draw.choice(("forwarded", "received"))
    more = draw.randint(1, 9)
    return forge(saved, {at: replace(body, **{name: getattr(body, name) + more})})


def _mutated(draw: random.Random, saved: Saved) -> tuple[int, Body]:
    """Draw a post and another body for it."""
    while True:
        at = draw.randrange(len(saved.posts))
        body = decode_message(saved.posts[at][1]).body
        if (other := _other(draw, body)) is not None and other != body:
            return at, other


def _other(draw: random.Random, body: Body) -> Body | None:
    """Return another body of its kind; None where there is nothing to change."""
    # Each case stays a well-formed post: a check of its content has to find it, not the decoder.
    match body:
        case Mixed():
            name = draw.choice(("people", "received", "forwarded", "digest"))
            value: Any = draw.randbytes(32) if name == "digest" else draw.randrange(99)
            return replace(body, **{name: value})
        case Tally(totals=totals, counts=None):
            return replace(body, totals=(draw.randrange(99), *totals[1:]))
        case Tally(totals=totals, counts=(first, *rest)):
            cell, more = draw.choice(sorted(first)), draw.randint(1, 9)
            counts = {**first, cell: first[cell] + more}
            return replace(body, totals=(totals[0] + more, *totals[1:]), counts=(counts, *rest))
        case Decision(certificate=proof):
            return replace(body, certificate=replace(proof, n=proof.n + draw.randint(1, 9)))
        case CommittedDecision():
            return draw.choice((replace(body, n=draw.randrange(99)), replace(body, kept=(1,))))
        case OpenedCertificate():
            return replace(body, blind=draw.randbytes(32))
        case Call(asks=asks) if len(asks) > 1:
            return replace(body, asks=(asks[0], tuple(range(len(asks)))))
        case Announcement(policy=policy):
            return replace(body, policy=replace(policy, k=draw.randint(1, 9)))
        case Registry(keys=keys):
            return Registry((draw.randbytes(32), *keys[1:]))
        case Roster():
            return replace(body, opening=draw.randbytes(16))
        case Closed():
            return Burned("it was never played")
        case _:
            return None


DRAWS: Sequence[Draw] = (
    *(flip_a_byte, rename_an_author, swap_two_posts, leave_posts_out, add_a_post),
    *(take_another_head, sign_another_head, change_unsigned, change_signed, change_account),
)


def forgeries(
    sessions: Sequence[Saved], seed: int, many: int
) -> Iterator[tuple[str, Saved, list[Post]]]:
    """Yield so many forged records from a seed: how, of which session, and the posts."""
    draw = random.Random(seed)
    public = [saved for saved in sessions if saved.session.scenario.policy.publish_marginals]
    for number in range(many):
        made: Draw = DRAWS[number % len(DRAWS)]
        saved, other = draw.sample(sessions, 2)
        if number % 20 == 19:  # by two parties together, where counts are public
            made, saved = change_release, public[0]
        try:
            posts = made(draw, saved, other)
        except VeilmixError:  # a body that cannot be written: the next one
            posts = flip_a_byte(draw, saved, other)
        assert posts != list(saved.posts), made.__name__
        yield made.__name__, saved, posts
