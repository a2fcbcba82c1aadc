"""What a curator may do wrong: lie about its rule or its counts, equivocate, claim a crash."""

from collections import Counter
from collections.abc import Collection
from dataclasses import replace

from ...errors import RoundBurned
from ...protocol.announcement import Announcement
from ...protocol.messages import Body, Decision, Receipts, Tally
from ...protocol.schema import Schema
from ...protocol.session import Round
from ...protocol.tallying import Reading
from ..board_stream import Retold
from ..network import Endpoint, Fault, Network

CRASH = "the curator says that its machine has crashed"


class Liar(Endpoint):
    """A curator that does what its attacks say.

    attacks: `lie`: keep every column, and certify it with the proof for fewer. `equivocate`: tell
    `target` of a session in which ballots have no salt. `crash`: count, then say that it failed.
    `lie-marginals`: count small crowds to the largest one, and decide from that.
    """

    def __init__(
        self, network: Network, party: str, attacks: Collection[str], target: str | None
    ) -> None:
        super().__init__(network, party)
        self.attacks = attacks
        self.target = target

    def decided(self, schema: Schema, decision: Decision) -> Decision:
        """Keep every column, and promise what was promised of fewer."""
        if "lie" not in self.attacks:
            return decision
        return replace(decision, kept=tuple(range(len(schema.features))))

    def counted(self, plan: Round, reading: Reading) -> Reading:  # noqa: ARG002
        """Count nobody in a small crowd, so that every column looks safe."""
        if "lie-marginals" not in self.attacks:
            return reading
        return replace(reading, counts=[merged(count) for count in reading.counts])

    async def post(self, body: Body) -> None:
        """Post honestly, but tell the target another announcement, or crash before the count."""
        if "crash" in self.attacks and isinstance(body, Tally | Receipts):
            raise RoundBurned(CRASH)
        await super().post(body)
        if "equivocate" in self.attacks and isinstance(body, Announcement) and self.target:
            unguarded = replace(body.rules, receipts=False, tokens=False, challenge=False)
            unsalted = replace(unguarded, audit=False, salted=False)
            told = replace(body, rules=unsalted)
            self.network.show(self.target, Retold(self.network.stream, told))


def merged(count: Counter[tuple[str, ...]]) -> Counter[tuple[str, ...]]:
    """Add every crowd of less than a quarter of the people to the largest one."""
    total = count.total()
    large = Counter({cell: many for cell, many in count.items() if 4 * many >= total})
    if count:
        large[max(sorted(count), key=lambda cell: count[cell])] += total - large.total()
    return large


def liar(*attacks: str, target: str | None = None) -> Fault:
    """Give the fault of a curator that commits these attacks."""
    return lambda network, party: Liar(network, party, attacks, target)
