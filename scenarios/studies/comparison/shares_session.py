"""A session of the comparator `shares` (two-party secret sharing): keys and results."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from ....crypto.entropy import Entropy
from ....crypto.keys import KeyPair
from ....crypto.suites import suite
from ....protocol.knowledge.transcript import Row
from ....protocol.rounds.shares import AGGREGATOR_1, AGGREGATOR_2, ShareSession, open_sharing
from ....protocol.wire.announcement import NONCE, Announcement
from ....protocol.wire.messages import Counts, Decision
from ....protocol.wire.parties import ANALYST, CURATOR, shuffler
from ...lab.play.announcement import announced_policy, announced_rules
from .case import Case, RivalExpenses


@dataclass(slots=True)
class SharesResult:
    """The results of a session with secret shares.

    Attributes:
        present: the number of people counted in round 1.
        marginals: the counts of round 1 for each column; None if they were not counted.
        decision: the curator's decision; None without a decision.
        release: the released counts; None without a release.
        burned: the reason of an abort; None: no abort.
        linked: the rows that both aggregators reconstruct together, by person; None if no messages
            were sent.
        mixed: the rows of round 2, of people with an envelope that the first shuffler opened. All
            shufflers and the analyst together can link these rows to people.
        purse: bytes that people sent, and refused messages by reason.
    """

    present: int = 0
    marginals: tuple[Counts, ...] | None = None
    decision: Decision | None = None
    release: Counts | None = None
    burned: str | None = None
    linked: Mapping[int, Row] | None = None
    mixed: dict[int, Row] = field(default_factory=dict)
    purse: RivalExpenses = field(default_factory=RivalExpenses)

    @property
    def rounds(self) -> int:
        """The number of rounds in which people sent messages."""
        return 1 + (self.decision is not None and bool(self.decision.kept))


@dataclass(frozen=True, slots=True)
class SharesSession:
    """The keys of a session with secret shares, and its announcement.

    Attributes:
        announcement: the curator's announcement.
        sharing: the public parameters of the shares.
        pairs: the key pair of each party.
        entropy: the randomness of people's shares and of the encryption.
    """

    announcement: Announcement
    sharing: ShareSession
    pairs: Mapping[str, KeyPair]
    entropy: Entropy

    @classmethod
    def open(cls, case: Case) -> "SharesSession":
        """Return a new session with a key for each party. ParameterError for an open domain."""
        mix, entropy = case.scenario.mix, case.entropy("shares")
        scheme = suite(mix.suite, lesson=mix.lesson)
        chain = shufflers(case)
        names = (*chain, CURATOR, ANALYST, AGGREGATOR_1, AGGREGATOR_2)
        pairs = {name: scheme.keypair(entropy.fork(f"key of {name}")) for name in names}
        announcement = Announcement(
            case.scenario.scenario.name,
            entropy.random(NONCE),
            case.people.schema,
            announced_policy(case.scenario),
            announced_rules(case.scenario),
            tuple(pairs[name].public for name in chain),
            pairs[CURATOR].public,
            pairs[ANALYST].public,
        )
        keys = (pairs[AGGREGATOR_1].public, pairs[AGGREGATOR_2].public)
        return cls(announcement, open_sharing(announcement, keys), pairs, entropy)

    def person(self, user: int, number: int) -> Entropy:
        """Return the source of a user's randomness in a round. number: the number of the round."""
        return self.entropy.fork(f"user-{user + 1}").fork(f"round-{number}")


def shufflers(case: Case) -> list[str]:
    """Return the names of the scenario's shufflers, in the order of the mix."""
    return [shuffler(hop + 1) for hop in range(case.scenario.mix.shufflers)]
