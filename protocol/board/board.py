r"""The board: a public append-only log, in the order of the phases table.

    head of entry i = SHA-256("veilmix board 1\0" || head of entry i - 1 || author || 0 || message)

so that one hash names everything posted so far. A post that is malformed, out of turn, of another
session or by the wrong author is refused, and the board stays as it was.

A board whose first post is a roster takes only posts that their authors have signed (but alarms of
users, which have no identity), and has itself a head for the call of every round and for the end:
signed_posts.py defines the signed data.

    digest of a run = SHA-256("veilmix run 1\0" || SHA-256(post) for every post in ascending order)
    post            = round || kind || author || 0 || message
"""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field

from ...crypto.keys import PublicKey
from ...errors import Reason, Refused
from ..rounds.opened_prefixes import opens_by_threshold
from ..rounds.registered_users import registry_root
from ..rounds.round_context import open_round
from ..wire import parties
from ..wire.announcement import Announcement
from ..wire.audit_messages import Coin, Opened, Toss, Traced
from ..wire.commitment import closes, is_sealed_size, may_open, open_commitment, public_decision
from ..wire.crowd_limits import unspent
from ..wire.fields import DIGEST
from ..wire.frames import NO_SESSION, Message, decode_message
from ..wire.messages import (
    Accepted,
    Alarm,
    BallotMarks,
    Body,
    Burned,
    Call,
    Cause,
    CommittedDecision,
    Consent,
    Decision,
    Head,
    Key,
    Kind,
    Mixed,
    OpenedCertificate,
    Registry,
    Roster,
    Tally,
)
from ..wire.peer_messages import Share, ShareSecret
from ..wire.signed_posts import check_head, check_post, witness_of
from ..wire.token_messages import Ask, Issued, Mint, PublicGrant
from ..wire.verified_messages import ShuffledLists
from .alarm_limits import fits, has_raised
from .audit_posts import Audited
from .challenge_posts import Challenged, Place
from .phases import BOARD, Phase, follow
from .strategies import decidable, legal
from .token_requests import PublicAsks
from .verified_posts import VerifiedPost, VerifiedPosts

LABEL = b"veilmix board 1\0"
DIGEST_LABEL = b"veilmix run 1\0"
STATE_LABEL = b"veilmix state 1\0"
END = 0  # the place of the last head of a session; heads of calls have the number of the round


@dataclass(frozen=True, slots=True)
class Entry:
    """A post: its author, bytes and message, and the board's head after it.

    Attributes:
        author: the party that posted it.
        data: the bytes of the post.
        message: the decoded bytes.
        head: the hash of all posts up to this post, 32 bytes.
    """

    author: str
    data: bytes
    message: Message
    head: bytes


@dataclass(slots=True)
class Board:
    """All posts of a session, and the state that follows from them.

    Attributes:
        entries: every post, in order.
        phase: the phase of the session.
        keys: the public key of each party that has posted a key, by name.
        announcement: the session's announcement; None before it is posted.
        session: the digest that names the session; NO_SESSION before it is announced.
        consents: the parties that agreed to the announcement.
        calls: the calls for answers, one for each round begun.
        mixed: accounts of shufflers about input and output, in the order posted.
        tallies: accounts of readers, in the order posted.
        decision: the curator's decision; None before it is posted. Of a committed decision, its
            public part with the announced promise, until its certificate is opened.
        committed: the commitment to the decision; None: its certificate was posted with it.
        opened: whether the committed certificate is on the board.
        burned: the reason of an end without a release; None: not burned.
        registry: the users that may send; None: all users, or not posted yet.
        alarms: each alarm with its author.
        known_roster: the roster that a reader of the board knows beforehand; it does not count in
            comparisons of boards.
        roster: the posted roster of signing keys; None: posts are not signed.
        heads: by number of posts, the signed head of the board.
        mints: by round, the public key of its tokens.
        issued: by round, the number of people with tokens.
        challenged: the challenges of the session and their results.
        audited: the audits of the session and their results.
        public_asks: requests for tokens that were posted, and their answers.
        verified: the keys, ballots, lists and shares of a verified mix.
    """

    entries: list[Entry] = field(default_factory=list)
    phase: Phase = Phase.OPENING
    keys: dict[str, PublicKey] = field(default_factory=dict)
    announcement: Announcement | None = None
    session: bytes = NO_SESSION
    consents: set[str] = field(default_factory=set)
    calls: list[Call] = field(default_factory=list)
    mixed: list[Mixed] = field(default_factory=list)
    tallies: list[Tally] = field(default_factory=list)
    decision: Decision | None = None
    committed: CommittedDecision | None = None
    opened: bool = False
    burned: str | None = None
    registry: Registry | None = None
    alarms: list[tuple[str, Alarm]] = field(default_factory=list)
    known_roster: Roster | None = field(default=None, compare=False)
    roster: Roster | None = None
    heads: dict[int, Head] = field(default_factory=dict)
    mints: dict[int, bytes] = field(default_factory=dict)
    issued: dict[int, int] = field(default_factory=dict)
    challenged: Challenged = field(default_factory=Challenged)
    audited: Audited = field(default_factory=Audited)
    public_asks: PublicAsks = field(default_factory=PublicAsks)
    verified: VerifiedPosts = field(default_factory=VerifiedPosts)

    @property
    def due(self) -> int | None:
        """The place of the head that must be signed now; None if no head is due."""
        if self.roster is None:
            return None
        if self.phase is Phase.OVER:
            return None if END in self.heads else END
        called = self.calls[-1].round if self.calls else 0
        return None if called in self.heads or not called else called

    @property
    def witness(self) -> bytes:
        """The last signed head of the board in the form that parties cite; empty before it."""
        return witness_of(next(reversed(self.heads.values()))) if self.heads else b""

    @property
    def state(self) -> bytes:
        """The hash of all posts so far but alarms: the same for every schedule."""
        counted = (entry for entry in self.entries if entry.message.kind is not Kind.ALARM)
        return hashlib.sha256(STATE_LABEL + digest_of(counted)).digest()

    @property
    def head(self) -> bytes:
        """The hash that names all posts so far."""
        return self.entries[-1].head if self.entries else bytes(DIGEST)

    @property
    def may_open(self) -> bool:
        """Whether the certificate may be opened now: a release of the same people reveals as much.

        After a decision the release alone is tallied. Never after a burn, with dropouts, in the
        statistical setting, or with suppressed values.
        """
        announcement, committed = self.announcement, self.committed
        if (
            announcement is None
            or committed is None
            or self.opened
            or self.phase is not Phase.TALLIED
        ):
            return False
        totals = (total for tally in self.tallies for total in tally.totals)
        return may_open(announcement.policy, committed.hidden, totals)

    def account(self, number: int, hop: int) -> Mixed | None:
        """Return the account of the shuffler at a hop in a round; None before it is posted."""
        hops = len(self.announcement.shufflers) if self.announcement else 0
        chain = self.mixed[(number - 1) * hops : number * hops]
        return chain[hop - 1] if 1 <= hop <= len(chain) else None

    def post(self, author: str, data: bytes) -> Entry:
        """Append a post; Refused, and nothing changes, if it is wrong in any way."""
        message = decode_message(data)
        then = follow(self.phase, message.kind, parties.role(author), BOARD)
        self._check(author, message)
        self._check_seal(author, message, data)
        head = hashlib.sha256(LABEL + self.head + author.encode() + b"\0" + data).digest()
        entry = Entry(author, data, message, head)
        self.phase = then
        self.entries.append(entry)
        self._learn(author, message)
        return entry

    def _check(self, author: str, message: Message) -> None:
        """Refuse a post that the table allows but this session does not.

        Three questions: may this author post at all, is it about the current round, and is it
        right.
        """
        body = message.body
        number = self.calls[-1].round if self.calls else 0
        expected = number + isinstance(body, Call)  # a call opens the round after
        is_allowed = self._may_post(author, body)
        if (
            not (is_allowed and self._right(author, body, number))
            or message.session != self.session
        ):
            raise Refused(Reason.UNEXPECTED)
        if message.round != expected or not self._challenges(author, body, number):
            raise Refused(Reason.UNEXPECTED)
        if not self._verifies(author, body):
            raise Refused(Reason.UNEXPECTED)

    def _check_seal(self, author: str, message: Message, data: bytes) -> None:
        """Refuse a post without the signature that is due, or signed for another board.

        Only the due head may follow a call; alarms of users have no seal.
        """
        body, seal = message.body, message.seal
        roster = body if isinstance(body, Roster) else self.roster
        if roster is None and self.known_roster is not None:
            raise Refused(Reason.UNREGISTERED)
        if roster is None or isinstance(body, Head) or parties.role(author) is parties.Role.USER:
            if seal is not None:
                raise Refused(Reason.UNEXPECTED)
            return
        if seal is None:
            raise Refused(Reason.UNREGISTERED)
        cited = (witness_of(head) for head in self.heads.values())
        if self.due is not None or seal.witness not in (cited if self.heads else (b"",)):
            raise Refused(Reason.UNEXPECTED)
        check_post(roster, author, data)

    def _attested(self, head: Head) -> bool:
        """Whether a head is due, and the board has signed it for its present state."""
        if self.roster is None or head.place != self.due or head.state != self.state:
            return False
        check_head(self.roster.board, self.roster.opening, head)
        return True

    def _may_post(self, author: str, body: Body) -> bool:
        """Whether a party may post: the curator, keyholders, users with alarms or requests.

        A party posts its key once.
        """
        is_keyholder = author == parties.CURATOR or author in self.keys
        is_keyholder = is_keyholder or (
            author == parties.RANDOMNESS and opens_by_threshold(self.announcement)
        )
        match body:
            case Head():
                return True  # the table names its author
            case Key():
                return not is_keyholder
            case Alarm() | Ask():
                return is_keyholder or parties.role(author) is parties.Role.USER
            case _:
                return is_keyholder

    def _right(self, author: str, body: Body, number: int) -> bool:
        """Whether the content of a post is legal for its author now. number: the current round."""
        match body:
            case Call(round=called):
                agreed = set(self.consents) == set(self.keys)
                return called == number + 1 and agreed and self._announced(body)
            case Announcement():
                return self._cites(body)
            case Roster():
                return not self.entries and self.known_roster in (None, body)
            case Head():
                return self._attested(body)
            case Registry():
                return self.registry is None
            case Mint() if opens_by_threshold(self.announcement):
                return author == parties.RANDOMNESS and number not in self.mints
            case Mint():
                return self._mints(author) and number not in self.mints
            case Issued():
                return self._issues(author, body, number)
            case Ask():
                return self._asks(author, body, number)
            case PublicGrant():
                minted = self._mints(author) and number in self.mints
                return minted and self.public_asks.may_grant(body, number, self.mints[number])
            case Alarm(round=concerned):
                return concerned <= number and self._hears(author, body)
            case Consent(session=session):
                return session == self.session
            case Mixed() if self.announcement and self.announcement.rules.verified:
                return False  # the account of a shuffler follows from its lists
            case Mixed(hop=hop):
                return author == parties.shuffler(hop) and hop == self._next_hop()
            case Tally():
                return author == self.calls[-1].reader and self._answers(body)
            case Decision():
                return not self._closes and self._decidable(body)
            case CommittedDecision():
                return self._closes and self._committable(body)
            case OpenedCertificate():
                return self.may_open and self._opens(body)
            case _:
                return True

    def _challenges(self, author: str, body: Body, number: int) -> bool:
        """Whether a post about challenges or audits is right; sessions without them refuse it."""
        announcement = self.announcement
        locks, audits = (
            (announcement.rules.challenge, announcement.rules.audit)
            if announcement
            else (False, False)
        )
        if isinstance(body, Share | BallotMarks | ShareSecret) and not locks:
            return False
        if isinstance(body, Coin | Traced | Toss | Opened) and not audits:
            return False
        if announcement is None or not (locks or audits):
            return not isinstance(body, Accepted)
        if not self.calls or isinstance(body, Call):
            return True
        call, registered = self.calls[-1], len(self.registry.keys) if self.registry else 0
        hops = len(announcement.shufflers)
        plan, accepted_post = (
            open_round(announcement, self.session, call),
            self.challenged.accepted.get(number),
        )
        slots = announcement.rules.rows * len(call.asks)
        forwarded_counts = [
            mix.forwarded for mix in self.mixed[(number - 1) * hops : number * hops]
        ]
        at = Place(
            session=self.session,
            number=number,
            openers=self._openers,
            slots=slots,
            registered=registered,
            mixed=len(forwarded_counts) == hops,
            accepted=len(accepted_post.people) if accepted_post else 0,
            forwarded_counts=tuple(forwarded_counts),
            sizes=(plan.envelope, *plan.inner[2:]),
        )
        right = self.challenged.right(author, body, at)
        return right and (not audits or self.audited.right(author, body, at))

    def _verifies(self, author: str, body: Body) -> bool:
        """Whether a post about a verified mix is right; other sessions refuse it."""
        announcement = self.announcement
        if announcement is None or not announcement.rules.verified:
            return not isinstance(body, VerifiedPost)
        if not isinstance(body, VerifiedPost | Tally):
            return True
        plan = open_round(announcement, self.session, self.calls[-1])
        if isinstance(body, Tally):
            return self.verified.answers(body, plan)
        registered = len(self.registry.keys) if self.registry else 0
        return self.verified.right(author, body, plan, registered)

    @property
    def _openers(self) -> tuple[str, ...]:
        """The parties that open a layer of the current round."""
        hops = len(self.announcement.shufflers) if self.announcement else 0
        return *(parties.shuffler(hop + 1) for hop in range(hops)), self.calls[-1].reader.value

    def _hears(self, author: str, alarm: Alarm) -> bool:
        """Whether an alarm is the first of its kind by its author, and not too long."""
        if has_raised(self.alarms, author, alarm):
            return False
        if alarm.cause is Cause.CHANGED and self.phase is not Phase.CHALLENGED:
            return False  # too early to know the loss, or too late to be safe
        layers = max((mix.received + mix.forwarded for mix in self.mixed), default=0)
        announced, widest = 0, 0
        if self.announcement is not None and self.calls and alarm.evidence:
            announced = len(self.announcement.encode())
            plan = open_round(self.announcement, self.session, self.calls[-1])
            widest = plan.envelope if plan.ballot else 0
        return fits(alarm, author, layers, widest, announced)

    def _cites(self, announced: Announcement) -> bool:
        """Whether an announcement has the keys that were posted, and the registry."""
        cited = {parties.shuffler(hop + 1): key for hop, key in enumerate(announced.shufflers)}
        posted = self.keys == cited | {parties.ANALYST: announced.analyst}
        return posted and announced.registry == registry_root(self.registry)

    def _decidable(self, decision: Decision) -> bool:
        """Whether this program allows the decision now: the curator has read the last round."""
        assert self.announcement is not None  # noqa: S101 - the table comes first
        program, schema = self.announcement.program, self.announcement.schema
        if not self.calls:  # nothing is counted yet
            early = opens_by_threshold(self.announcement) and self.decision is None
            return early and decidable(program, schema, decision)
        reads = self.calls[-1].reader is parties.Role.CURATOR
        return reads and decidable(program, schema, decision)

    @property
    def _closes(self) -> bool:
        """Whether this session commits to its certificates."""
        return self.announcement is not None and closes(self.announcement)

    def _committable(self, committed: CommittedDecision) -> bool:
        """Whether a decision may be committed to: the sealed size must be a padded size."""
        assert self.announcement is not None  # noqa: S101 - the table comes first
        announcement = self.announcement
        decision = public_decision(announcement.policy, committed)
        return is_sealed_size(announcement, len(committed.sealed)) and self._decidable(decision)

    def _opens(self, opened: OpenedCertificate) -> bool:
        """Whether this is the committed certificate; raises Refused if it is another."""
        assert self.committed is not None  # noqa: S101 - it may be opened
        open_commitment(self.session, self.committed, opened)
        return True

    def _announced(self, call: Call) -> bool:
        """Whether a call may come next: else a curator could request all columns of all users."""
        assert self.announcement is not None  # noqa: S101 - the table comes first
        program, schema = self.announcement.program, self.announcement.schema
        rule = self.announcement.policy.rule
        return legal(program, schema, self.calls, self.decision, call, rule)

    def _answers(self, tally: Tally) -> bool:
        """Whether a tally answers the call, after every shuffler's account, as announced.

        The counts of a release are always public; the marginals only if the announcement says so.
        """
        assert self.announcement is not None  # noqa: S101 - the table comes first
        call = self.calls[-1]
        public = self.announcement.policy.publish_marginals or call.reader is parties.Role.ANALYST
        return (
            self._next_hop() > len(self.announcement.shufflers)
            and self._counted(tally)
            and self._unlocked(call.round)
            and len(tally.totals) == len(call.asks)
            and public == (tally.counts is not None)
            and all(
                len(cell) == len(ask)
                for ask, count in zip(call.asks, tally.counts or (), strict=False)
                for cell in count
            )
        )

    def _mints(self, author: str) -> bool:
        """Whether this author issues tokens in this round."""
        assert self.announcement is not None  # noqa: S101 - the table comes first
        return self.announcement.rules.tokens and author == self.calls[-1].reader

    def _issues(self, author: str, issued: Issued, number: int) -> bool:
        """Whether a reader may post its number of tokens: once, equal to accepted envelopes."""
        due = self._mints(author) and number in self.mints and number not in self.issued
        account = self.account(number, 1)
        return due and account is not None and account.people == issued.people

    def _asks(self, author: str, request: Ask, number: int) -> bool:
        """Whether a person may ask for tokens on the board; Refused for an invalid request."""
        if number not in self.mints or self.announcement is None:
            return False
        plan = open_round(self.announcement, self.session, self.calls[-1])
        return plan.token > 0 and self.public_asks.may_ask(author, request, plan, self.registry)

    def _unlocked(self, number: int) -> bool:
        """Whether ballots may have been opened: after all shares, or without a challenge."""
        assert self.announcement is not None  # noqa: S101 - the table comes first
        challenge = self.announcement.rules.challenge
        return not challenge or self.challenged.unlocked(number, self._openers)

    def _counted(self, tally: Tally) -> bool:
        """Whether no token is unspent: as many ballots were counted as there were tokens."""
        assert self.announcement is not None  # noqa: S101 - the table comes first
        rules, number = self.announcement.rules, self.calls[-1].round
        if not rules.tokens:
            return True
        people = self.issued.get(number)
        return people is not None and not unspent(people, tally.totals, rules.rows)

    def _next_hop(self) -> int:
        """Return the hop with the account that is due: it counts the accounts of this round."""
        assert self.announcement is not None  # noqa: S101 - the table comes first
        return len(self.mixed) - (len(self.calls) - 1) * len(self.announcement.shufflers) + 1

    def _learn(self, author: str, message: Message) -> None:
        self.challenged.learn(author, message.round, message.body)
        self.audited.learn(author, message.round, message.body)
        self.public_asks.learn(author, message.round, message.body)
        if isinstance(message.body, VerifiedPost):
            self.verified.learn(message.round, author, message.body, self._openers)
        # Each post was checked against MOVES and by its guards: none is refused any more here, and
        # the posts of other kinds change no state that a later check reads.
        match message.body:
            case Key(key=key):
                self.keys[author] = key
            case Roster() as roster:
                self.roster = roster
            case Head() as head:
                self.heads[head.place] = head
            case Announcement() as announcement:
                self.announcement = announcement
                self.session = announcement.digest()
            case Consent():
                self.consents.add(author)
            case Call() as call:
                self.calls.append(call)
                if self.announcement and self.announcement.reuses_ballots(call.reader):
                    self.verified.reuse(call.round)
            case Mixed() as mixed:
                self.mixed.append(mixed)
            case ShuffledLists() as lists:
                self.mixed.append(self.verified.account(lists, message.round))
            case Tally() as tally:
                self.tallies.append(tally)
            case Decision() as decision:
                self.decision = decision
            case CommittedDecision() as committed:
                assert self.announcement is not None  # noqa: S101 - the table comes first
                self.committed = committed
                self.decision = public_decision(self.announcement.policy, committed)
            case OpenedCertificate() as certificate if self.committed:
                self.decision = open_commitment(self.session, self.committed, certificate)
                self.opened = True
            case Burned(why=why):
                self.burned = why
            case Registry() as registry:
                self.registry = registry
            case Mint(key=key):
                self.mints[message.round] = key
            case Issued(people=people):
                self.issued[message.round] = people
            case Alarm() as alarm:
                self.alarms.append((author, alarm))
            case _:
                pass

    def digest(self) -> bytes:
        """Hash all posts in a canonical order: the same for every schedule of the parties."""
        return digest_of(self.entries)


def digest_of(entries: Iterable[Entry]) -> bytes:
    """Any party: hash posts in a canonical order: the same for every schedule of the parties."""
    digest = hashlib.sha256(DIGEST_LABEL)
    for post in sorted(
        bytes((entry.message.round, entry.message.kind))
        + entry.author.encode()
        + b"\0"
        + entry.data
        for entry in entries
    ):
        digest.update(hashlib.sha256(post).digest())
    return digest.digest()


def replay(posts: list[tuple[str, bytes]], known_roster: Roster | None = None) -> Board:
    """Any party: rebuild a board from its posts; Refused at the first illegal post.

    known_roster: the roster of signing keys; None: the roster on the board.
    """
    board = Board(known_roster=known_roster)
    for author, data in posts:
        board.post(author, data)
    return board
