"""Checks of the bulletin board: legal posts, their digest, sums of batches, the scenario's terms.

Each check returns its finding as text, or raises an error: VerificationError if the check fails,
NoGround if the run lacks the data for the check.
"""

from collections import defaultdict

from ....crypto.entropy import OSEntropy
from ....errors import VerificationError
from ....protocol.board.board import Board
from ....protocol.board.challenge_record import check_accepted
from ....protocol.board.phases import BOARD, Phase
from ....protocol.board.verified_record import check_record
from ....protocol.knowledge.transcript import split_names
from ....protocol.wire.messages import Kind, Mixed
from ....protocol.wire.parties import shuffler
from ...programs.evidence import NoGround
from ...programs.registry import wire
from .agreement import require_equal
from .evidence import RecordEvidence
from .views import columns


def board(evidence: RecordEvidence) -> str:
    """Check that posts are legal, match the recorded messages, and end with the session's close."""
    replayed = evidence.board
    if replayed.phase is not Phase.OVER:
        raise VerificationError(f"the session was not closed; it ends in phase {replayed.phase}")
    posted = [(e.sender, e.size) for e in evidence.transcript.events if e.receiver == BOARD]
    require_equal(
        "messages to the board", posted, [(e.author, len(e.data)) for e in replayed.entries]
    )
    labels = [(e.kind, e.round) for e in evidence.transcript.events if e.receiver == BOARD]
    due = [(e.message.kind, e.message.round) for e in replayed.entries]
    require_equal("kinds and rounds of these messages", labels, due)
    end = "burned: " + replayed.burned if replayed.burned else "closed by the curator"
    return f"{len(replayed.entries)} posts, {end}; head {replayed.head.hex()[:16]}"


def digest(evidence: RecordEvidence) -> str:
    """Check that the posts hash to the digest of result.json; return its first 16 digits."""
    computed = evidence.board.digest().hex()
    require_equal("digest", computed, evidence.result.digest)
    return computed[:16]


def batches(evidence: RecordEvidence) -> str:
    """Check that shufflers and readers account for all messages they received, by round.

    In an onion mix their posted numbers must add up. In a verified mix all proofs are checked.
    """
    replayed = evidence.board
    if not replayed.mixed:
        raise NoGround("no shuffler posted that it mixed a batch")
    hops = evidence.run.scenario.mix.shufflers
    unbundled = evidence.run.scenario.defence.unbundle
    for number, call in enumerate(replayed.calls, start=1):
        chain = replayed.mixed[(number - 1) * hops : number * hops]
        layers_in = None
        for account in chain:
            slots = evidence.rows * len(call.asks) if unbundled else 1
            layers_in = _forwarded_layers(account, layers_in, slots)
            _carried(evidence, number, account)
        if len(replayed.tallies) >= number and layers_in is not None and unbundled:
            tally = replayed.tallies[number - 1]
            ballots = sum(tally.totals) + sum(tally.refused.values())
            require_equal(f"round {number}: ballots read and refused", ballots, layers_in)
        if number in replayed.challenged.share_secrets:
            check_accepted(replayed, number)
    rounds = len(replayed.calls)
    if evidence.run.scenario.mix.kind == "verified":
        return checked_proofs(replayed)
    return f"{len(replayed.mixed)} batches in {rounds} rounds, no message lost or added"


def checked_proofs(replayed: Board) -> str:
    """Check every ballot, proof of shuffle and decryption share of a verified mix.

    Return a sentence with the numbers of ballots, shuffles and decryption shares. Raise
    VerificationError or Refused if a proof is not valid.
    """
    checked, announcement = check_record(replayed, OSEntropy()), replayed.announcement
    reuse_text = (
        ", and round 2 mixes the ballots of round 1" if announcement and announcement.once else ""
    )
    return (
        f"{checked.ballots:,} ballots, {checked.shuffles:,} shuffles and {checked.shares:,} "
        f"decryption shares in {len(replayed.tallies)} rounds: every signature and proof "
        f"holds{reuse_text}"
    )


def _forwarded_layers(account: Mixed, layers_in: int | None, slots: int) -> int:
    """Check the sums in a shuffler's posted account; return the number of layers it forwarded.

    layers_in: the number of layers that the shuffler before it forwarded; None for the first
    shuffler. slots: the number of layers in a user's envelope.
    """
    place = shuffler(account.hop)
    refused = sum(account.refused.values())
    # The first shuffler receives envelopes and forwards layers: each of the `people` envelopes that
    # opened became `slots` layers, and every other envelope is one refusal.
    if layers_in is None:
        due = account.people * slots + account.received - account.people
    else:
        require_equal(f"{place}: layers received", account.received, layers_in)
        due = layers_in
    require_equal(f"{place}: layers forwarded and refused", account.forwarded + refused, due)
    return account.forwarded


def _carried(evidence: RecordEvidence, number: int, account: Mixed) -> None:
    """Check that a shuffler's recorded batch has as many ciphertexts as its posted account says.

    number: the round. account: the shuffler's post about its batch. In the summary form of a
    transcript single ciphertexts are not recorded, so the check is left out.
    """
    if evidence.transcript.summary:
        return
    sender = shuffler(account.hop)
    # receiver -> names (hashes) of the layers sent to it
    handed = defaultdict[str, list[bytes]](list)
    for event in evidence.transcript.events:
        if event.kind is Kind.BATCH and event.round == number and event.sender == sender:
            handed[event.receiver] += split_names(event.names)
    for names in handed.values():
        require_equal(f"round {number}: batch of {sender}", len(names), account.forwarded)
        if len(set(names)) != len(names):
            raise VerificationError(f"round {number}: {sender} forwarded a layer twice")


def terms(evidence: RecordEvidence) -> str:
    """Check that the announcement has the terms of the scenario; return its policy in words."""
    from ...lab.play.announcement import announced_policy, announced_rules

    announced = evidence.board.announcement
    if announced is None:
        raise NoGround("no announcement was posted")
    scenario = evidence.run.scenario
    require_equal("program", announced.program, wire(scenario))
    require_equal("policy", announced.policy, announced_policy(scenario))
    require_equal("rules", announced.rules, announced_rules(scenario))
    require_equal("features", announced.schema.names, columns(evidence.run))
    require_equal("shufflers", len(announced.shufflers), scenario.mix.shufflers)
    require_equal("suite", announced.suite.label, scenario.mix.suite)
    policy = announced.policy
    if evidence.randomized:
        return f"people randomize: {policy.rule}"
    return f"k = {policy.k}, at most {policy.max_exposure:.4g} exposed, rule {policy.rule}"
