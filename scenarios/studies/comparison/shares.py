"""The comparator `shares`: round 1 by two-party secret sharing, round 2 through the mix.

    round 1   every person sends a secret share of its row to each of two aggregators
              (protocol/rounds/shares.py); the curator adds the two aggregators'
              sums, and decides by the scenario's rule
    round 2   the released columns together, through the same shufflers to the analyst

Decision and release are the same as in the release program `exposure`. There are three differences.
The two aggregators together can link every person's whole row, and shufflers with the curator
cannot. Domains must be public. A person can shift the counts of round 1 by any amount that keeps
the counts possible.
"""

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations

from ....analysis.exposure import users_below
from ....analysis.trust import Received, received
from ....errors import Reason, RoundBurned
from ....protocol.board.promise import check_promise, promised_share, prove
from ....protocol.ideal import PeopleTable, two_round
from ....protocol.knowledge.run_record import CountsSeen
from ....protocol.knowledge.transcript import Row, Transcript
from ....protocol.knowledge.view import View
from ....protocol.rounds.ballots import submit
from ....protocol.rounds.mixing import arrange, open_envelopes, open_layers
from ....protocol.rounds.round_context import Round, open_round, sealing
from ....protocol.rounds.shares import (
    AGGREGATOR_1,
    AGGREGATOR_2,
    AGGREGATORS,
    ShareAccumulator,
    ShareSession,
    add,
    agreed,
    count,
    row_of,
    share,
)
from ....protocol.rounds.tallying import marginals, read_ballots
from ....protocol.wire.crowd_limits import check_batch_size, check_dropout
from ....protocol.wire.frames import Message
from ....protocol.wire.messages import Call, Counts, Decision, DecisionCertificate, Submission
from ....protocol.wire.parties import ANALYST, CURATOR, Role, shuffler
from ...lab.play.announcement import announced_policy, announced_rules
from ...programs.curated.rules import BySingles, decision_rule
from .case import Case, RivalExpenses, delivered, measured, sampled, timed
from .result import Compared, Privacy, Trust
from .shares_session import SharesResult, SharesSession, shufflers
from .utility import released, utility

PROGRAM = "shares"
MAX_PARTIES = (
    8  # parties; with more, only single parties, pairs and a few larger coalitions are scored
)


def shares(case: Case) -> Iterator[Compared]:
    """Yield the results of the comparator `shares`: two aggregators add up secret shares.

    Raises ParameterError for an open domain.
    """
    if case.messages:
        seconds, played_shares = timed(lambda: play(case))
        price = measured(case, seconds, played_shares.purse, played_shares.rounds)
    else:
        SharesSession.open(case)
        played_shares = ideal(case)
        kept_columns = played_shares.decision.kept if played_shares.decision else ()
        price = sampled(case, lambda part: play(part, kept_columns).purse, played_shares.rounds)
    columns = played_shares.decision.kept if played_shares.decision else ()
    release = released(case, played_shares.release, columns)
    yield Compared(
        PROGRAM,
        "shares",
        "round 1 by two aggregators, round 2 through the mix",
        played_shares.burned,
        dict(sorted(played_shares.purse.refused.items())),
        Trust.from_received(learnt(case, played_shares)),
        Privacy(
            users_below(release.people, case.k) / release.n if release.n else 0.0,
            promise(case, played_shares),
        ),
        utility(case, release),
        price,
    )


def deciding(case: Case) -> BySingles:
    """Return the scenario's rule, by which the curator decides and proves a bound on exposure."""
    policy = case.scenario.policy
    return BySingles(decision_rule(policy), policy)


def proved(case: Case, decision: Decision, joint: Counts) -> DecisionCertificate:
    """Return the certificate of the bound on exposed people in a release.

    decision: the curator's decision. joint: the released counts.
    """
    return prove(deciding(case), case.people.schema, (), decision, joint)


def promise(case: Case, played: SharesResult) -> float | None:
    """Return the certified share of exposed people; None without a decision.

    played: the results of the session. With a release the share is proved for the respondents of
    round 2.
    """
    if played.decision is None or played.release is None:
        return played.decision.certificate.value if played.decision else None
    return promised_share(played.decision, proved(case, played.decision, played.release))


def ideal(case: Case) -> SharesResult:
    """Return the result of both rounds without messages, by the ideal functionality.

    The ideal functionality counts the same answers as a trusted party would.
    """
    first, second = (PeopleTable(case.people.values, case.codes(number)) for number in (1, 2))
    policy, rules = announced_policy(case.scenario), announced_rules(case.scenario)
    session = two_round(case.people.schema, (first, second), policy, rules, deciding(case))
    round_counts = session.tallies[0] if session.tallies else None
    return SharesResult(
        len(first.codes), round_counts, session.decision, session.release, session.burned
    )


def play(case: Case, released_columns: Sequence[int] | None = None) -> SharesResult:
    """Return the result of a session of `shares` in which all people of the case send messages.

    released_columns: the columns of round 2, if they are decided already.
    """
    session, played_shares = SharesSession.open(case), SharesResult()
    try:
        piles = collect(case, session, played_shares.purse)
        users = agreed(*piles)
        played_shares.present = len(users)
        total = add(piles[0].subtotal(users), piles[1].subtotal(users))
        played_shares.linked = _reconstruct(session.sharing, piles)
        played_shares.marginals = count(session.sharing, total, len(users))
        if released_columns is None:
            played_shares.decision = deciding(case).rule(
                case.people.schema, *marginals(played_shares.marginals)
            )
            released_columns = played_shares.decision.kept
        columns = tuple(released_columns)
        if columns:
            plan = open_round(
                session.announcement,
                session.announcement.digest(),
                Call(2, Role.ANALYST, (columns,)),
            )
            joint = release(case, session, plan, played_shares)
            if played_shares.decision is not None:
                terms = announced_policy(case.scenario)
                check_promise(
                    terms, played_shares.decision, proved(case, played_shares.decision, joint)
                )
            played_shares.release = joint
    except RoundBurned as burned:
        played_shares.burned = str(burned)
    return played_shares


def collect(
    case: Case, session: SharesSession, purse: RivalExpenses
) -> tuple[ShareAccumulator, ShareAccumulator]:
    """Run round 1, in which every person sends two shares; return each aggregator's shares.

    A user's fault affects both of its messages, a share for each aggregator. session: the keys of
    the session. purse: adds up the bytes that people send, and refused messages by reason.
    """
    plan = session.sharing
    first_pile, two = (
        ShareAccumulator(plan, number, session.pairs[name].secret)
        for number, name in zip(AGGREGATORS, (AGGREGATOR_1, AGGREGATOR_2), strict=True)
    )
    for user in range(case.n):
        fresh = sealing(session.person(user, 1), plan.session)
        ballots = share(plan, user, case.people.row(user), fresh)
        for pile, layer in zip((first_pile, two), ballots.layers, strict=True):
            purse.bytes += len(Message(plan.session, 1, Submission(layer)).encode())
            for data in delivered(case, 1, user, layer, purse):
                pile.add_share(user, data)
    for pile in (first_pile, two):
        purse.refuse(pile.refused)
    return first_pile, two


def _reconstruct(
    plan: ShareSession, piles: tuple[ShareAccumulator, ShareAccumulator]
) -> dict[int, Row]:
    """Return the rows that the two aggregators reconstruct from their shares, by person.

    plan: the public parameters of the shares. piles: the shares of each aggregator.
    """
    rows: dict[int, Row] = {}
    for user in agreed(*piles):
        row = row_of(plan, piles[0].shares[user], piles[1].shares[user])
        if row is not None:
            rows[user] = dict(enumerate(row))
    return rows


def release(case: Case, session: SharesSession, plan: Round, played: SharesResult) -> Counts:
    """Run round 2, the released columns together through the mix; return the analyst's counts.

    plan: the round. played: receives the bytes, refusals and rows of the session.
    """
    arrived: dict[bytes, int] = {}
    for user in range(case.n):
        if user in case.silent(1):
            continue
        envelope = submit(plan, case.people.row(user), session.person(user, 2)).envelope
        played.purse.bytes += len(Message(plan.session, 2, Submission(envelope)).encode())
        for data in delivered(case, 2, user, envelope, played.purse):
            if data in arrived:
                played.purse.refuse({Reason.DUPLICATE: 1})
            else:
                arrived[data] = user
    batch = _mix(case, plan, session, arrived, played)
    opened = open_layers(plan, len(plan.hops), session.pairs[ANALYST].secret, batch)
    reading = read_ballots(plan, opened.inside)
    played.purse.refuse(opened.refused)
    played.purse.refuse(reading.refused)
    return dict(reading.counts[0])


def _mix(
    case: Case,
    plan: Round,
    session: SharesSession,
    envelopes: Mapping[bytes, int],
    state: SharesResult,
) -> tuple[bytes, ...]:
    """Return the batch that the shufflers hand to the analyst; RoundBurned if too few people came.

    The first shuffler counts the people. session: the parties' keys. envelopes: envelope -> its
    sender, known to the first shuffler. state: receives the rows of people with an opened envelope.
    """
    rules = session.announcement.rules
    secret = session.pairs[shuffler(1)].secret
    opened = open_envelopes(plan, secret, list(envelopes))
    bundles = [bundle for bundle in opened if isinstance(bundle, list)]
    (kept_columns,) = plan.call.asks
    for user, bundle in zip(envelopes.values(), opened, strict=True):
        if isinstance(bundle, list):
            row = case.people.row(user)
            state.mixed[user] = {column: row[column] for column in kept_columns}
        else:
            state.purse.refuse({bundle: 1})
    check_batch_size(len(bundles), rules.min_batch)
    check_dropout(state.present, len(bundles), rules.min_dropout)
    batch, _ = arrange(plan, [onion for bundle in bundles for onion in bundle])
    for hop in range(2, len(plan.hops)):
        inside = open_layers(plan, hop, session.pairs[shuffler(hop)].secret, batch)
        state.purse.refuse(inside.refused)
        batch, _ = arrange(plan, inside.inside)
    return batch


def coalitions(case: Case) -> list[tuple[str, ...]]:
    """Return the coalitions to score: all sets of parties, or with more than 8 parties only some.

    With more than 8 parties: at most two parties, all parties, and all shufflers with the analyst
    or the curator. The empty set stands for a coalition without any party.
    """
    chain = shufflers(case)
    readers = (ANALYST, CURATOR, AGGREGATOR_1, AGGREGATOR_2)
    names = (*readers, *chain)
    largest = len(names) if len(names) <= MAX_PARTIES else 2
    groups = [members for size in range(largest + 1) for members in combinations(names, size)]
    if largest < len(names):
        groups += [(ANALYST, *chain), (CURATOR, *chain), names]
    return [tuple(sorted(members)) for members in groups]


def learnt(case: Case, played: SharesResult) -> list[Received]:
    """Return the leakage to every coalition; coalitions with equal views are scored once.

    played: the results of the session.
    """
    look = viewer(case, played)
    scored: dict[Hashable, Received] = {}
    views = []
    for members in coalitions(case):
        view = look(members)
        view_key = (
            tuple(view.by_round),
            tuple(view.linked_columns),
            tuple(s.columns for s in view.counted),
        )
        if view_key not in scored:
            scored[view_key] = received(view, case.sizes)
        views.append(replace(scored[view_key], parties=members))
    return views


def viewer(case: Case, played: SharesResult) -> Callable[[tuple[str, ...]], View]:
    """Return the function that gives the view of any set of parties.

    A single aggregator's shares are uniform, so they contain no information. Both aggregators
    together hold every row of round 1. All shufflers and the analyst hold every row of round 2. The
    curator knows the counts of round 1, and every party the release. played: the results of the
    session.
    """
    whole = tuple(range(len(case.sizes)))
    kept_columns = played.decision.kept if played.decision and played.release is not None else ()
    singles = [
        CountsSeen(1, (column,), counts) for column, counts in enumerate(played.marginals or ())
    ]
    joint = [CountsSeen(2, kept_columns, played.release)] if played.release is not None else []
    aggregators, end = {AGGREGATOR_1, AGGREGATOR_2}, {ANALYST, *shufflers(case)}

    def look(members: tuple[str, ...]) -> View:
        """Return the pooled view of a coalition, given by the names of its members."""
        coalition = frozenset(members)
        sees_counts = (
            CURATOR in coalition
            or case.scenario.policy.publish_marginals
            or aggregators <= coalition
        )
        opened_rounds = {1: whole} if aggregators <= coalition else {}
        if kept_columns and end <= coalition:
            opened_rounds[2] = kept_columns
        by_name: dict[int, Mapping[int, Row]] = {1: played.linked or {}, 2: played.mixed}
        is_linked = played.linked is not None
        pinned = {number: by_name[number] for number in opened_rounds} if is_linked else {}
        rows_of_all = {} if is_linked else opened_rounds
        counts_seen = (*(singles if sees_counts else ()), *joint)
        transcript = Transcript(case.n, summary=True)
        coalition -= (
            aggregators  # aggregators take no part in the mix, so they see none of its messages
        )
        return View(coalition, case.n, True, pinned, counts_seen, {}, rows_of_all, transcript)

    return look
