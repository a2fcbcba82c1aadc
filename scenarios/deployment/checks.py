"""Checks of a saved session: each recomputes a fact from the posts on the bulletin board alone.

    agreement    the parties that sign are the session file's
    signatures   posts are signed by their authors, heads by the board, at each call and at the end
    board        posts are legal, in their order, under the phases table, to the end
    terms        the announcement agrees with the session file
    accounts     no hop and no reader has lost or invented a message, by the numbers it posted
    proofs       of a verified mix: every ballot, shuffle and decryption share is proved
    people       enough people answered, and the dropouts between two rounds are zero or many
    guards       users signed their accepted envelopes; no ballot was opened in a round in which a
                 user proved that its ballot was lost
    alarms       the list of alarms, and whether the board confirms each
    decision     it follows from the counts on the board, or from the release
    release      its columns are the decision's, its sums fit the earlier counts
    exposure     no more people are exposed than the certificate promised
    opening      the curator opened a sealed certificate if the rules allow the opening

A call is the query of a round. A head is the board's signature over all posts so far. Without the
session file, a reader makes only the checks that do not need the file. These show only that the
posts are consistent, because a stranger could invent all parties and sign with its own keys.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

from ...errors import RoundBurned, VerificationError
from ...protocol.board.alarms import borne_out, misdecided, unaccounted
from ...protocol.board.board import END
from ...protocol.board.challenge_record import check_accepted
from ...protocol.board.phases import Phase
from ...protocol.board.promise import check_promise, promised_share, prove
from ...protocol.board.strategies import RoundResult, first_call, release_call
from ...protocol.board.sum_check import disagreement
from ...protocol.rounds.registered_users import registry_root
from ...protocol.wire.announcement import UNPROMISED, Program, Setting
from ...protocol.wire.commitment import may_open
from ...protocol.wire.crowd_limits import check_batch_size, check_rounds
from ...protocol.wire.messages import Decision
from ...protocol.wire.schema import Schema
from ..lab.play.announcement import announced_policy, announced_rules
from ..programs.decision_proof import verify_decision
from ..programs.evidence import NoGround
from ..programs.registry import PROGRAMS, announced_schema, strategy, wire
from ..programs.small_classes import exposed_people
from ..records.verification.agreement import require_equal
from ..records.verification.board_checks import checked_proofs
from ..records.verification.checks import CheckResult, judge
from ..records.verification.release_checks import keeps
from ..records.verification.signers import Authentic
from .saved_session import SessionEvidence, require_whole

Rule = tuple[str, str, Callable[[SessionEvidence], str]]  # name, requirement, check function


def verify_session(evidence: SessionEvidence) -> tuple[CheckResult, ...]:
    """Return the results of all checks of a saved session, in order.

    A failed check has `ok` False; a check that does not apply has `ok` None.
    """
    return tuple(judge(name, requirement, check, evidence) for name, requirement, check in CHECKS)


def agreement(evidence: SessionEvidence) -> str:
    """Return a finding that the board's identities, and its file hash, are the session file's.

    Raises VerificationError if they differ. All checks in this module have the same form. They
    return a finding for the report, raise VerificationError if the check fails, and raise NoGround
    if the check does not apply.
    """
    session, roster = evidence.agreement, evidence.board.roster
    if roster is None:
        raise VerificationError("the posts are not signed, and name no session file")
    require_equal("session file", roster.opening.hex(), session.roster.opening.hex())
    require_equal("identities", roster, session.roster)
    return Authentic(f"session file {roster.opening.hex()[:16]}, its identities")


def signatures(evidence: SessionEvidence) -> str:
    """Return a finding that posts are signed by their authors, and each due head by the board.

    A head, the board's signature over its posts, is due at every query of a round, and at the end.
    Raises VerificationError if a head is missing, or the posts are not signed.
    """
    board = evidence.board
    if board.roster is None:
        raise VerificationError("the posts are not signed; a session between machines signs them")
    due = [call.round for call in board.calls]
    due += [END] if board.phase is Phase.OVER else []
    if list(board.heads) != due:
        raise VerificationError("the board has not signed a tree head at every call and at the end")
    finding = f"{len(board.entries)} posts and heads, each signed"
    if evidence.session is not None and board.roster == evidence.session.roster:
        return Authentic(f"{finding} by the parties of the session file")
    return f"{finding} by one key a party; whose they are is not shown"


def board(evidence: SessionEvidence) -> str:
    """Return a finding that all posts are legal, and that the session was closed.

    Raises VerificationError at an illegal post, or if the session is not over.
    """
    require_whole(evidence)
    replayed = evidence.board
    if replayed.phase is not Phase.OVER:
        raise VerificationError(f"the session was not closed; it ends in phase {replayed.phase}")
    end = f"burned: {replayed.burned}" if replayed.burned else "closed by the curator"
    return f"{len(replayed.entries)} posts, {end}; digest {replayed.digest().hex()[:16]}"


def terms(evidence: SessionEvidence) -> str:
    """Return a finding that the announcement equals the terms of the session file.

    Raises VerificationError with the first term that differs.
    """
    session, announced = evidence.agreement, evidence.announced
    scenario = session.scenario
    require_equal("program", announced.program, wire(scenario))
    require_equal("policy", announced.policy, announced_policy(scenario))
    require_equal("rules", announced.rules, announced_rules(scenario))
    require_equal("features", announced.schema, announced_schema(scenario, session.schema))
    require_equal("shufflers", len(announced.shufflers), scenario.mix.shufflers)
    require_equal("suite", announced.suite.label, scenario.mix.suite)
    require_equal("registered people", announced.registry, registry_root(session.registry))
    policy = announced.policy
    return f"k = {policy.k}, at most {policy.max_exposure:.4g} exposed, rule {policy.rule}"


def accounts(evidence: SessionEvidence) -> str:
    """Return a finding that each party forwarded or refused all received messages, in every round.

    Raises VerificationError if the posted numbers of a shuffler or reader do not add up.
    """
    board = evidence.board
    if not board.mixed:
        raise NoGround("no shuffler posted that it mixed a batch")
    for number in range(1, len(board.calls) + 1):
        if unaccounted(board, number):
            raise VerificationError(
                f"round {number}: the message numbers posted by a shuffler or reader do not add up"
            )
    return f"{len(board.mixed)} batches in {len(board.calls)} rounds, no message lost or added"


def proofs(evidence: SessionEvidence) -> str:
    """Return a finding that a verified mix proves all ballots, shuffles and decryption shares.

    In a verified mix, each step has a public proof. Raises VerificationError at a false proof, and
    NoGround if the mix is not verified.
    """
    if not evidence.announced.rules.verified:
        raise NoGround("this is an onion mix, which proves none of its steps")
    if not evidence.board.tallies:
        raise NoGround("nothing was counted")
    return checked_proofs(evidence.board)


def people(evidence: SessionEvidence) -> str:
    """Return a finding with the number of counted people in each round, within all limits.

    Each round needs the minimum batch. Between two rounds, no person or at least `min_dropout`
    people may leave. Raises VerificationError for a round that should have been aborted.
    """
    board, rules = evidence.board, evidence.announced.rules
    counted = [max(tally.totals, default=0) for tally in board.tallies]
    if not counted:
        raise NoGround("nothing was counted")
    fixed = evidence.announced.policy.setting is Setting.FIXED
    for number, now in enumerate(counted, start=1):
        account = board.account(number, 1)
        respondent_count = account.people if account else 0
        try:
            check_batch_size(respondent_count, rules.min_batch)
            if fixed and board.burned is None:
                check_rounds(counted[: number - 1], now, rules.min_dropout)
        except RoundBurned as why:
            raise VerificationError(f"round {number} was not burned: {why}") from None
    return ", ".join(f"round {number}: {now:,}" for number, now in enumerate(counted, start=1))


def guards(evidence: SessionEvidence) -> str:
    """Return a finding that users signed accepted envelopes, and that no proved loss was ignored.

    The shuffler accepts a user's envelope (encrypted message). With the guard `challenge`, users
    look for their ballots before any ballot is opened, and can prove that a ballot is missing.
    Raises VerificationError if ballots were opened although a user proved such a loss, or a
    signature is wrong. Raises NoGround without `challenge`.
    """
    board, rules = evidence.board, evidence.announced.rules
    if not rules.challenge:
        raise NoGround(
            "the guard `challenge` is off; only with it does the board hold users' signed envelopes"
        )
    rounds = range(1, len(board.tallies) + 1)
    for number in rounds:
        check_accepted(board, number)
    return f"{len(rounds)} rounds: accepted people have signed, no loss was proved"


def alarms(evidence: SessionEvidence) -> str:
    """Return a finding that lists the alarms, each with whether the board confirms it.

    An alarm does not abort a round, and a board may have omitted an alarm. Raises NoGround without
    alarms.
    """
    board = evidence.board
    if not board.alarms:
        raise NoGround(
            "the posts hold no alarm; one may be missing, because the board does not sign alarms"
        )
    rule = strategy(evidence.session.scenario) if evidence.session else None
    alarm_lines = []
    for party, alarm in board.alarms:
        verdict = "borne out" if borne_out(board, alarm, rule) else "not borne out"
        alarm_lines.append(f"{party}: {alarm.cause}, round {alarm.round}, {verdict} by the board")
    return "; ".join(alarm_lines)


def decision(evidence: SessionEvidence) -> str:
    """Return a finding that the decision and its certificate follow from the counts on the board.

    If the counts are secret, the certificate is proved from the release. Raises VerificationError
    if the decision or the certificate is wrong, and NoGround if the posts do not suffice.
    """
    board, claimed, schema = evidence.board, evidence.decision, evidence.announced.schema
    if board.committed is not None and not board.opened:
        raise NoGround("the decision's certificate is sealed: only curator and analyst saw it")
    if board.committed is None:
        round_results = evidence.counted_rounds
        if evidence.session is not None and misdecided(board, strategy(evidence.session.scenario)):
            raise VerificationError(
                "the announced rule makes another decision from the counts on the board"
            )
        verify_decision(claimed, schema, round_results)
        return f"proved from the counts on the board: {_claim(claimed)}"
    if PROGRAMS["exposure"].wire != evidence.announced.program:
        raise NoGround(
            "the certificate rests on joint counts of columns, which are not on the board"
        )
    released_schema = Schema(tuple(schema.features[column] for column in claimed.kept))
    release_decision = replace(claimed, kept=tuple(range(len(claimed.kept))))
    single = RoundResult(first_call(Program.TWO_ROUND, released_schema), tuple(evidence.singles))
    verify_decision(release_decision, released_schema, [single])
    return f"its certificate is proved from the columns of the release: {_claim(claimed)}"


def _claim(decision: Decision) -> str:
    """Return a clause with the certificate's bound on exposed people, and the proof's rule."""
    proof = decision.certificate
    return f"at most {proof.people:,} of {proof.n:,} people exposed, rule {proof.rule}"


def release(evidence: SessionEvidence) -> str:
    """Return a finding that the release has the decision's columns, and fits earlier counts.

    Raises VerificationError if the release counts more people with a value than an earlier round
    did.
    """
    board, joint = evidence.board, evidence.release
    claimed = evidence.decision
    require_equal("called at the end", board.calls[-1], release_call(len(board.calls), claimed))
    for result in _comparable(evidence):
        if disagreement(result, board.calls[-1], joint):
            raise VerificationError(
                f"the release counts more people with a value than round {result.call.round}"
            )
    names = [evidence.announced.schema.names[column] for column in claimed.kept]
    return f"{sum(joint.values()):,} people in {len(joint):,} combinations of {', '.join(names)}"


def _comparable(evidence: SessionEvidence) -> Sequence[RoundResult]:
    """Return the earlier rounds of the same people with counts on the board.

    A release must fit these counts.
    """
    if evidence.announced.policy.setting is not Setting.FIXED:
        return ()
    try:
        return evidence.counted_rounds
    except NoGround:
        return ()


def exposure(evidence: SessionEvidence) -> str:
    """Return a finding that the release exposes at most the promised share of people.

    With a session file, the bound is proved again for the people in the release. Raises
    VerificationError if more people are exposed.
    """
    board, joint, claimed = evidence.board, evidence.release, evidence.decision
    policy, k = evidence.announced.policy, claimed.certificate.k
    require_equal("k", k, policy.k)
    people, below = sum(joint.values()), exposed_people(evidence.program, joint, k)
    promised = claimed.certificate.value
    if evidence.session is not None:
        scenario = evidence.session.scenario
        if scenario.defence.promise:
            calls = board.calls[:-1]
            proved = prove(strategy(scenario), evidence.announced.schema, calls, claimed, joint)
            try:
                check_promise(policy, claimed, proved)
            except RoundBurned as why:
                raise VerificationError(f"the promised bound does not hold: {why}") from None
            promised = promised_share(claimed, proved)
    elif board.tallies[0].totals[:1] != board.tallies[-1].totals[:1]:
        promised = max(promised, policy.max_exposure)
    if claimed.kept and policy.rule not in UNPROMISED and people:
        keeps(below, people, promised)
    return f"{below:,} of {people:,} people exposed, {promised:.4g} promised"


def opening(evidence: SessionEvidence) -> str:
    """Return a finding that the curator opened its sealed certificate, if the rules allow this.

    A certificate is sealed if it could reveal secret counts. Raises VerificationError if it may be
    opened and is still sealed, and NoGround if there is no sealed certificate.
    """
    board = evidence.board
    if board.committed is None:
        raise NoGround(
            "the curator sealed no certificate; a certificate, if any, is readable in the decision"
        )
    joint = evidence.release
    totals = [total for tally in board.tallies for total in tally.totals]
    if not may_open(evidence.announced.policy, board.committed.hidden, totals):
        raise NoGround("the certificate may not be opened: it would reveal more than the release")
    if not board.opened:
        raise VerificationError("the curator has not opened its certificate after the release")
    return f"opened after the release of {sum(joint.values()):,} people"


CHECKS: tuple[Rule, ...] = (
    ("agreement", "the parties are those of the session file", agreement),
    ("signatures", "posts and heads are signed, by whom", signatures),
    ("board", "posts are legal under the phases table", board),
    ("terms", "the announcement is the session file's", terms),
    ("accounts", "every batch's counts add up", accounts),
    ("proofs", "each ballot, shuffle and share is proved", proofs),
    ("people", "enough answered, few enough left", people),
    ("guards", "accepted people signed, no proved loss was opened", guards),
    ("alarms", "whether the board bears them out", alarms),
    ("decision", "it and its certificate follow from the counts", decision),
    ("release", "columns and sums are right", release),
    ("exposure", "true is within promised, recomputed", exposure),
    ("opening", "the certificate is opened where it may be", opening),
)
