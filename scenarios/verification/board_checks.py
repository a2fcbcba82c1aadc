"""What the board shows: legal posts, their digest, sums of every batch, the scenario's terms."""

from collections import defaultdict
from dataclasses import replace

from ...errors import RoundBurned, VerificationError
from ...protocol.alarms import borne_out
from ...protocol.announcement import Setting
from ...protocol.challenge import check_envelopes, check_people
from ...protocol.messages import Cause, Kind, Mixed
from ...protocol.parties import shuffler
from ...protocol.phases import BOARD, Phase
from ...protocol.session import open_round
from ...protocol.signed_posts import witness_of
from ...protocol.transcript import split_names
from ..programs.evidence import NoGround
from ..programs.registry import wire
from .agreement import same
from .evidence import Evidence
from .views import columns


def board(evidence: Evidence) -> str:
    """The posts are legal, and the session was closed."""
    replayed = evidence.board
    if replayed.phase is not Phase.OVER:
        raise VerificationError(f"the session was not closed; it ends in phase {replayed.phase}")
    posted = [(e.sender, e.size) for e in evidence.transcript.events if e.receiver == BOARD]
    same("messages to the board", posted, [(e.author, len(e.data)) for e in replayed.entries])
    labels = [(e.kind, e.round) for e in evidence.transcript.events if e.receiver == BOARD]
    due = [(e.message.kind, e.message.round) for e in replayed.entries]
    same("their kinds and rounds", labels, due)
    end = "burned: " + replayed.burned if replayed.burned else "closed by the curator"
    return f"{len(replayed.entries)} posts, {end}; head {replayed.head.hex()[:16]}"


def digest(evidence: Evidence) -> str:
    """The posts hash to the digest of result.json."""
    computed = evidence.board.digest().hex()
    same("digest", computed, evidence.result.digest)
    return computed[:16]


def batches(evidence: Evidence) -> str:
    """What came to a party is what it passed on or refused, at every hop of every round."""
    replayed = evidence.board
    if not replayed.mixed:
        raise NoGround("nothing was mixed")
    hops = evidence.run.scenario.mix.shufflers
    unbundled = evidence.run.scenario.defence.unbundle
    for number, call in enumerate(replayed.calls, start=1):
        chain = replayed.mixed[(number - 1) * hops : number * hops]
        came = None
        for account in chain:
            came = _passed(account, came, len(call.asks) if unbundled else 1)
            _carried(evidence, number, account)
        if len(replayed.tallies) >= number and came is not None and unbundled:
            tally = replayed.tallies[number - 1]
            read = sum(tally.totals) + sum(tally.refused.values())
            same(f"round {number}: ballots read and refused", read, came)
        if number in replayed.challenged.shown:
            _challenged(evidence, number)
    rounds = len(replayed.calls)
    return f"{len(replayed.mixed)} batches in {rounds} rounds, nothing lost, nothing added"


def _challenged(evidence: Evidence, number: int) -> None:
    """Check that shares of a lock were shown of a round in which nobody could prove a change."""
    board = evidence.board
    told, registry, head = board.announcement, board.registry, board.heads.get(number)
    accepted = board.challenged.accepted[number]
    if told is None or registry is None:
        raise VerificationError(f"round {number}: envelopes of nobody registered were accepted")
    plan = open_round(told, board.session, board.calls[number - 1])
    seen = replace(plan, witness=b"" if head is None else witness_of(head))
    if any(check_envelopes(seen, registry, accepted.people)):
        raise VerificationError(f"round {number}: envelopes were accepted that nobody has signed")
    fixed = told.policy.setting is Setting.FIXED
    before = [board.challenged.accepted[earlier] for earlier in range(1, number)] if fixed else []
    try:
        check_people(accepted, before, told.rules.min_dropout, told.rules.min_batch)
    except RoundBurned as why:
        raise VerificationError(f"round {number}: {why}") from None
    for party, alarm in board.alarms:
        about = alarm.round, alarm.cause
        if about == (number, Cause.CHANGED) and borne_out(board, alarm):
            raise VerificationError(f"round {number}: {party} has proved that a ballot is missing")


def _passed(account: Mixed, came: int | None, slots: int) -> int:
    """Check one shuffler's sums; returns how many layers it passed on."""
    where = shuffler(account.hop)
    refused = sum(account.refused.values())
    if came is None:  # hop 1: envelopes come, the onions inside them go
        due = account.people * slots + account.received - account.people
    else:
        same(f"{where}: layers received", account.received, came)
        due = came
    same(f"{where}: layers passed on and refused", account.forwarded + refused, due)
    return account.forwarded


def _carried(evidence: Evidence, number: int, account: Mixed) -> None:
    """Check that the batch on the wire holds as many ciphertexts as the board says."""
    if evidence.transcript.summary:
        return
    sender = shuffler(account.hop)
    handed = defaultdict[str, list[bytes]](list)  # all pieces, by who got them
    for event in evidence.transcript.events:
        if event.kind is Kind.BATCH and event.round == number and event.sender == sender:
            handed[event.receiver] += split_names(event.names)
    for names in handed.values():
        same(f"round {number}: batch of {sender}", len(names), account.forwarded)
        if len(set(names)) != len(names):
            raise VerificationError(f"round {number}: {sender} passed on one layer twice")


def terms(evidence: Evidence) -> str:
    """The announcement says what the scenario says."""
    from ..play.announcement import announced_policy, announced_rules

    announced = evidence.board.announcement
    if announced is None:
        raise NoGround("nothing was announced")
    scenario = evidence.run.scenario
    same("program", announced.program, wire(scenario))
    same("policy", announced.policy, announced_policy(scenario))
    same("rules", announced.rules, announced_rules(scenario))
    same("features", announced.schema.names, columns(evidence.run))
    same("shufflers", len(announced.shufflers), scenario.mix.shufflers)
    same("suite", announced.suite.label, scenario.mix.suite)
    policy = announced.policy
    if evidence.randomized:
        return f"people randomize: {policy.rule}"
    return f"k = {policy.k}, at most {policy.max_exposure:.4g} exposed, rule {policy.rule}"
