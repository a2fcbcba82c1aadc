"""The state of a session that follows from the posts on its bulletin board."""

from dataclasses import dataclass, field

from ...crypto.keys import PublicKey
from ..rounds.round_context import open_round
from ..wire.announcement import Announcement
from ..wire.commitment import may_open, open_commitment, public_decision
from ..wire.frames import NO_SESSION, Message
from ..wire.messages import (
    Alarm,
    Burned,
    Call,
    CommittedDecision,
    Consent,
    Decision,
    Head,
    Key,
    Mixed,
    OpenedCertificate,
    Registry,
    Roster,
    Tally,
)
from ..wire.token_messages import Issued, Mint
from ..wire.verified_messages import ShuffledLists
from .audit_posts import Audited
from .challenge_posts import Challenged
from .phases import Phase, Progress
from .token_requests import PublicAsks
from .verified_posts import VerifiedPost, VerifiedPosts


@dataclass(slots=True)
class BoardState(Progress):
    """The state of a session that follows from its posts; base class of `Board`.

    Attributes:
        keys: the public key of each party that has posted a key, by name.
        session: the digest that names the session; NO_SESSION before it is announced.
        consents: the parties that agreed to the announcement.
        calls: the calls (queries of the rounds), one for each round begun.
        mixed: the numbers of messages in and out that shufflers posted, in the order posted.
        tallies: the counts of ballots that curator and analyst posted, in the order posted.
        decision: the curator's decision; None before it is posted. If the curator posted only a
            commitment, its public part with the announced bound, until the certificate is opened.
        committed: the commitment to the decision; None: the certificate (the proof of the bound)
            was posted with the decision.
        opened: whether the committed certificate is on the board.
        burned: the reason of an abort; None: the session was not aborted.
        registry: the users that may submit; None: all users, or not posted yet.
        alarms: each alarm with its author.
        known_roster: the signing keys that a holder of the board knows beforehand; not part of
            comparisons of boards.
        roster: the posted signing keys of the parties; None: posts are not signed.
        heads: the board's signed tree heads (signatures over the whole log), by round, or 0 for the
            end.
        mints: by round, the public key of its tokens (blind credentials for a submission).
        issued: by round, the number of people with tokens.
        challenged: the posts of challenges (proofs that a ballot is missing), by round.
        audited: the posts of audits (random layers opened in public), by round.
        public_asks: requests for tokens that were posted, and their answers.
        verified: the keys, ballots, lists and shares of a verified mix (every step is proved).
    """

    keys: dict[str, PublicKey] = field(default_factory=dict)
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
    def registered(self) -> int:
        """The number of registered people; 0 if all users may submit."""
        return len(self.registry.keys) if self.registry else 0

    @property
    def may_open(self) -> bool:
        """Whether the curator may now reveal the certificate (the counts that prove its decision).

        True if the release implies these counts: all rounds counted the same people, and no value
        is suppressed. Never after an abort, or if other people answer in round 2 (the statistical
        setting).
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
        """Return the numbers of messages that a shuffler posted in a round.

        None if it has not posted them yet.
        """
        hops = len(self.announcement.shufflers) if self.announcement else 0
        chain = self.mixed[(number - 1) * hops : number * hops]
        return chain[hop - 1] if 1 <= hop <= len(chain) else None

    def learn(self, author: str, message: Message) -> None:
        """Update the state from an accepted post."""
        self.challenged.learn(author, message.round, message.body)
        self.audited.learn(author, message.round, message.body)
        self.public_asks.learn(author, message.round, message.body)
        if isinstance(message.body, VerifiedPost):
            self.verified.learn(message.round, author, message.body, self.round.openers)
        # No post is refused here, because each was checked before. Kinds that are not listed change
        # no state that a later check reads.
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
                self.plan = open_round(self.announced, self.session, call)
                if self.plan.reuses_ballots:
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
                self.committed = committed
                self.decision = public_decision(self.announced.policy, committed)
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
