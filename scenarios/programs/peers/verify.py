"""Verification of a run among peers: all its claims follow from the posts on its board.

board        its posts are legal, one per peer and step; the charges follow from them
digest       the posts hash to the digest of result.json
counts       marginals, decision and release, recomputed from the ballots on the board
exposure     true exposure and its bound, recomputed from the release; the bound holds
coalitions   messages that coalitions trace, by size, recomputed from the members' views
replay       a scenario with a seed, run again, has the same result
"""

from collections.abc import Callable, Mapping
from typing import Any

from ....analysis.exposure import users_below
from ....errors import VerificationError
from ....protocol.board.promise import promised_share, prove
from ....protocol.peers.accounting import Reckoning
from ....protocol.peers.view import PeerRecord
from ..evidence import NoGround, ProgramEvidence
from ..peer_findings import PeersFound
from .record import agreement_of, reckoned
from .score import by_size

MAX_LETTERS = 60  # most characters of a wrong value that a message shows; a longer value is cut off
Rule = tuple[str, str, Callable[[ProgramEvidence], str]]


def _reckoned(evidence: ProgramEvidence) -> Reckoning:
    """Return the results that follow from the posts of a run.

    Raises NoGround for an ideal run, which has no posts.
    """
    posts = evidence.transcript.posts
    return reckoned(evidence.run.scenario, agreement_of(evidence.result), posts)


def claimed(evidence: ProgramEvidence) -> PeersFound:
    """Return the claims of result.json about peers; VerificationError if it has no such claims."""
    if not evidence.result.peers:
        raise VerificationError("result.json: the table `peers` is missing")
    return evidence.result.peers


def board(evidence: ProgramEvidence) -> str:
    """Verify that the posts are legal and prove the claimed misbehaviour; return a summary."""
    reckoning = _reckoned(evidence)
    require_equal("named", tuple(reckoning.charges), claimed(evidence).charges)
    require_equal("burned", reckoning.burned, evidence.result.burned)
    end = f"burned: {reckoning.burned}" if reckoning.burned else "everybody agreed"
    return f"{len(reckoning.board.entries):,} posts, {end}; head {reckoning.board.head.hex()[:16]}"


def digest(evidence: ProgramEvidence) -> str:
    """Check that the posts hash to the digest in result.json; return the digest's first digits."""
    computed = _reckoned(evidence).board.digest().hex()
    require_equal("digest", computed, evidence.result.digest)
    return computed[:16]


def counts(evidence: ProgramEvidence) -> str:
    """Verify that marginals, decision and release follow from the ballots; return a summary."""
    reckoning, result = _reckoned(evidence), evidence.result
    names = result.features
    marginals: dict[str, Mapping[str, int]] = {}
    if reckoning.tallies:
        for name, count in zip(names, reckoning.tallies[0], strict=True):
            marginals[name] = {values[0]: people for values, people in sorted(count.items())}
    require_equal("marginals", marginals, result.marginals)
    released_names = (
        [names[column] for column in reckoning.decision.kept] if reckoning.decision else None
    )
    require_equal("kept", released_names, list(result.decision.kept) if result.decision else None)
    if reckoning.decision and result.decision:
        proof = reckoning.decision.certificate
        require_equal("bound", proof.value, result.decision.bound)
        require_equal("people exposed", proof.people, result.decision.certificate.people)
    release: list[tuple[Any, ...]] | None = None
    if len(reckoning.tallies) > 1:
        release = [(*values, people) for values, people in sorted(reckoning.tallies[1][0].items())]
    require_equal("release", release, list(result.release.counts) if result.release else None)
    return f"{len(reckoning.tallies)} rounds counted again"


def exposure(evidence: ProgramEvidence) -> str:
    """Verify that true exposure and certified bound follow from the ballots; return a summary.

    Raises VerificationError also if the true exposure exceeds the bound.
    """
    reckoning, claimed_exposure = _reckoned(evidence), evidence.result.exposure
    if reckoning.decision is None or len(reckoning.tallies) < 2:
        require_equal("true exposure", 0.0, claimed_exposure.true)
        return "nothing was released, so nobody is exposed by it"
    (joint,), schema = reckoning.tallies[1], reckoning.board.agreement.schema
    proved = prove(reckoning.strategy, schema, reckoning.calls[:-1], reckoning.decision, joint)
    require_equal("promised", promised_share(reckoning.decision, proved), claimed_exposure.promised)
    k, people = reckoning.decision.certificate.k, sum(joint.values())
    below = int(users_below(list(joint.values()), k))
    require_equal("true exposure", below / people, claimed_exposure.true)
    if below / people > claimed_exposure.promised:
        raise VerificationError(f"{below:,} people are exposed, more than was promised")
    return f"{below:,} of {people:,} people in a crowd smaller than {k}"


def coalitions(evidence: ProgramEvidence) -> str:
    """Recompute the messages that coalitions trace, and compare the claims; return a summary.

    Raises NoGround if the coalitions were a sample drawn with system randomness.
    """
    record = PeerRecord(evidence.transcript, _reckoned(evidence))
    claimed_sizes = claimed(evidence).sizes
    seed = evidence.result.seed
    if seed is None and any(size.tried < size.coalition_count for size in claimed_sizes):
        raise NoGround(
            "coalitions were drawn with system randomness, so they cannot be drawn again"
        )
    require_equal("coalitions", by_size(record, seed), claimed_sizes)
    return f"{len(claimed_sizes)} sizes measured again"


def require_equal(subject: str, actual: object, claimed: object) -> None:
    """Raise VerificationError unless the computed value equals the claim.

    subject: the name of the value, for the message.
    """
    if actual != claimed:
        raise VerificationError(
            f"{subject}: {_short(claimed)} is claimed, {_short(actual)} was found"
        )


def _short(value: object) -> str:
    """Return a value as text for a message, cut off at MAX_LETTERS."""
    text = repr(value)
    return text if len(text) <= MAX_LETTERS else f"{text[: MAX_LETTERS - 3]}..."


CHECKS: tuple[Rule, ...] = (
    ("board", "posts are legal, and prove the named misbehaviour", board),
    ("digest", "the posts hash to the digest of result.json", digest),
    ("counts", "marginals, decision and release follow from the ballots shown", counts),
    ("exposure", "true is within promised, recomputed", exposure),
    ("coalitions", "the messages that coalitions trace, measured again", coalitions),
)
