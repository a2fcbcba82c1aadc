"""A session of the program `shares`: the keys that it is opened with, and what it leaves."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from ...crypto.entropy import Entropy
from ...crypto.keys import KeyPair
from ...crypto.suites import suite
from ...protocol.announcement import NONCE, Announcement
from ...protocol.messages import Counts, Decision
from ...protocol.parties import ANALYST, CURATOR, shuffler
from ...protocol.shares import AGGREGATOR_1, AGGREGATOR_2, ShareSession, open_sharing
from ...protocol.transcript import Row
from ..play.announcement import announced_policy, announced_rules
from .case import Case, Purse


@dataclass(slots=True)
class Played:
    """What a session leaves.

    Attributes:
        present: people counted in round 1.
        marginals: of each column; None where they were not counted.
        decision: None where none was made.
        release: None where nothing is released.
        burned: why not; None: it was not burned.
        linked: the rows that both aggregators together put together, by person; None where no
            messages were sent.
        mixed: those of round 2, of whom the first shuffler opened the envelope; all shufflers and
            the analyst can follow these.
        purse: what it took.
    """

    present: int = 0
    marginals: tuple[Counts, ...] | None = None
    decision: Decision | None = None
    release: Counts | None = None
    burned: str | None = None
    linked: Mapping[int, Row] | None = None
    mixed: dict[int, Row] = field(default_factory=dict)
    purse: Purse = field(default_factory=Purse)

    @property
    def rounds(self) -> int:
        """Rounds in which people sent something."""
        return 1 + (self.decision is not None and bool(self.decision.kept))


@dataclass(frozen=True, slots=True)
class Session:
    """The keys of one session, and what was announced.

    Attributes:
        announcement: as the curator made it.
        sharing: what everybody knows of the shares.
        pairs: keys, by party.
        entropy: of people's shares and seals.
    """

    announcement: Announcement
    sharing: ShareSession
    pairs: Mapping[str, KeyPair]
    entropy: Entropy

    @classmethod
    def open(cls, case: Case) -> "Session":
        """Everybody with a key makes it. ParameterError where a domain is open."""
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
        """A person's randomness in a round."""
        return self.entropy.fork(f"user-{user + 1}").fork(f"round-{number}")


def shufflers(case: Case) -> list[str]:
    """The names of the shufflers."""
    return [shuffler(hop + 1) for hop in range(case.scenario.mix.shufflers)]
