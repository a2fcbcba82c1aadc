"""What tests of peers share: seven people, two questions, paths of two, two blanks each.

Imported by its name: tests/kits is on the path of the tests (pyproject.toml).
"""

from collections.abc import Sequence

from veilmix.crypto.entropy import SeededEntropy
from veilmix.crypto.keys import SuiteCode
from veilmix.protocol.peers.agreement import Agreement
from veilmix.protocol.wire.announcement import AnnouncedPolicy, Rules
from veilmix.protocol.wire.messages import Decision, DecisionCertificate
from veilmix.protocol.wire.schema import Feature, Schema
from veilmix.roles.peer import PeerCast

SCHEMA = Schema((Feature("grown", ("y", "n")), Feature("blood", ("0", "A", "B"))))
ROWS = tuple(("yn"[i % 2], "0AB"[i % 3 if i % 4 else 0]) for i in range(7))
TERMS = Agreement("a test", SCHEMA, AnnouncedPolicy(2, 0.5), Rules(), SuiteCode.SEALEDBOX, 2, 2)


def both(_schema: Schema, _counts: Sequence[Sequence[int]], people: int) -> Decision:
    """Keep both columns, whatever was counted."""
    return Decision((0, 1), DecisionCertificate("fixed", 2, people, 0))


def cast(terms: Agreement = TERMS, seed: int = 5) -> PeerCast:
    """A session of all seven."""
    return PeerCast(terms, len(ROWS), ROWS.__getitem__, both, SeededEntropy(seed))
