"""Verification of a run among peers: all its claims follow from the posts on its board.

board        its posts are legal, one per peer and step; the charges follow from them
digest       the posts hash to the digest of result.json
counts       marginals, decision and release, worked out again from the ballots that were shown
exposure     true and promised, recomputed from the release; the bound holds
coalitions   the messages each size of coalition follows, recomputed from its members' views
replay       a seeded scenario, run again, gives the same
"""

from collections.abc import Callable, Mapping
from typing import Any

from ....analysis.exposure import users_below
from ....errors import VerificationError
from ....protocol.peers.accounting import Reckoning
from ....protocol.peers.view import PeerRecord
from ....protocol.promise import promised_share, prove
from ..evidence import NoGround, ProgramEvidence
from .found import PeersFound
from .record import agreement_of, reckoned
from .score import by_size

SHOWN = 60  # letters of a wrong value in a message
Rule = tuple[str, str, Callable[[ProgramEvidence], str]]


def _reckoned(evidence: ProgramEvidence) -> Reckoning:
    """Return the accounts that follow from the posts; NoGround for an ideal run."""
    posts = evidence.transcript.posts
    return reckoned(evidence.run.scenario, agreement_of(evidence.result), posts)


def claimed(evidence: ProgramEvidence) -> PeersFound:
    """Return the claims of result.json about peers."""
    if not evidence.result.peers:
        raise VerificationError("result.json says nothing of peers")
    return evidence.result.peers


def board(evidence: ProgramEvidence) -> str:
    """Verify that the posts are legal, and that the charges follow from them."""
    seen = _reckoned(evidence)
    require_equal("named", tuple(seen.charges), claimed(evidence).charges)
    require_equal("burned", seen.burned, evidence.result.burned)
    end = f"burned: {seen.burned}" if seen.burned else "everybody agreed"
    return f"{len(seen.board.entries):,} posts, {end}; head {seen.board.head.hex()[:16]}"


def digest(evidence: ProgramEvidence) -> str:
    """Verify that the posts hash to the digest."""
    computed = _reckoned(evidence).board.digest().hex()
    require_equal("digest", computed, evidence.result.digest)
    return computed[:16]


def counts(evidence: ProgramEvidence) -> str:
    """Verify that marginals, decision and release follow from the ballots."""
    seen, said = _reckoned(evidence), evidence.result
    names = said.features
    marginals: dict[str, Mapping[str, int]] = {}
    if seen.tallies:
        for name, count in zip(names, seen.tallies[0], strict=True):
            marginals[name] = {values[0]: people for values, people in sorted(count.items())}
    require_equal("marginals", marginals, said.marginals)
    kept = [names[column] for column in seen.decision.kept] if seen.decision else None
    require_equal("kept", kept, list(said.decision.kept) if said.decision else None)
    if seen.decision and said.decision:
        proof = seen.decision.certificate
        require_equal("bound", proof.value, said.decision.bound)
        require_equal("people exposed", proof.people, said.decision.certificate.people)
    release: list[tuple[Any, ...]] | None = None
    if len(seen.tallies) > 1:
        release = [(*values, people) for values, people in sorted(seen.tallies[1][0].items())]
    require_equal("release", release, list(said.release.counts) if said.release else None)
    return f"{len(seen.tallies)} rounds counted again"


def exposure(evidence: ProgramEvidence) -> str:
    """Verify that true exposure and bound follow from the ballots, and that the bound holds."""
    seen, said = _reckoned(evidence), evidence.result.exposure
    if seen.decision is None or len(seen.tallies) < 2:
        require_equal("true exposure", 0.0, said.true)
        return "nothing was released, so nobody is exposed by it"
    (joint,), schema = seen.tallies[1], seen.board.agreement.schema
    proved = prove(seen.strategy, schema, seen.calls[:-1], seen.decision, joint)
    require_equal("promised", promised_share(seen.decision, proved), said.promised)
    k, people = seen.decision.certificate.k, sum(joint.values())
    below = int(users_below(list(joint.values()), k))
    require_equal("true exposure", below / people, said.true)
    if below / people > said.promised:
        raise VerificationError(f"{below:,} people are exposed, more than was promised")
    return f"{below:,} of {people:,} people in a crowd smaller than {k}"


def coalitions(evidence: ProgramEvidence) -> str:
    """Verify the messages that coalitions follow."""
    record = PeerRecord(evidence.transcript, _reckoned(evidence))
    said = claimed(evidence).sizes
    seed = evidence.result.seed
    if seed is None and any(size.tried < size.all_ for size in said):
        raise NoGround("coalitions were drawn with system randomness")
    require_equal("coalitions", by_size(record, seed), said)
    return f"{len(said)} sizes measured again"


def require_equal(what: str, actual: object, claimed: object) -> None:
    """Raise VerificationError unless the computed value equals the claim."""
    if actual != claimed:
        raise VerificationError(f"{what}: {_short(claimed)} is claimed, {_short(actual)} was found")


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= SHOWN else f"{text[: SHOWN - 3]}..."


CHECKS: tuple[Rule, ...] = (
    ("board", "posts are legal, and bear out who is named", board),
    ("digest", "the posts hash to the digest of result.json", digest),
    ("counts", "marginals, decision and release follow from the ballots shown", counts),
    ("exposure", "true is within promised, recomputed", exposure),
    ("coalitions", "what coalitions follow, measured again", coalitions),
)
