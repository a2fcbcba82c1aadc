"""Round 1 by two-party secret sharing, round 2 through the mix: two-round with another mechanism.

    round 1   every person sends one share to each aggregator (protocol/shares.py); the curator adds
              the two sums, and decides by the scenario's rule
    round 2   the kept columns together, through the same shufflers to the analyst

Decision and release are those of two-round. What differs: the two aggregators together link
everybody's whole row, and shufflers with the curator no longer do; domains must be public; one
person can shift the counts of round 1 by anything that could still be true.
"""

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations

from ...analysis.exposure import users_below
from ...analysis.trust import Received, received
from ...errors import Reason, RoundBurned
from ...protocol.ballots import submit
from ...protocol.crowd_limits import check_batch_size, check_dropout
from ...protocol.frames import Message
from ...protocol.ideal import Table, two_round
from ...protocol.messages import Call, Certificate, Counts, Decision, Submission
from ...protocol.mixing import arrange, open_envelopes, open_layers
from ...protocol.parties import ANALYST, CURATOR, Role, shuffler
from ...protocol.promise import check_promise, promised_share, prove
from ...protocol.record import CountsSeen
from ...protocol.session import Round, open_round, sealing
from ...protocol.shares import (
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
from ...protocol.tallying import marginals, read_ballots
from ...protocol.transcript import Row, Transcript
from ...protocol.view import View
from ..play.announcement import announced_policy, announced_rules
from ..programs.two_round.rules import BySingles, decision_rule
from .case import Case, Purse, delivered, measured, sampled, timed
from .result import Compared, Privacy, Trust
from .shares_session import Played, Session, shufflers
from .utility import released, utility

PROGRAM = "shares"
MANY = 8  # parties; with more, only pairs and the coalitions that matter are looked at


def shares(case: Case) -> Iterator[Compared]:
    """Play and score. ParameterError where a domain is open."""
    if case.messages:
        seconds, played = timed(lambda: play(case))
        price = measured(case, seconds, played.purse, played.rounds)
    else:
        Session.open(case)
        played = ideal(case)
        kept = played.decision.kept if played.decision else ()
        price = sampled(case, lambda part: play(part, kept).purse, played.rounds)
    columns = played.decision.kept if played.decision else ()
    release = released(case, played.release, columns)
    yield Compared(
        PROGRAM,
        "shares",
        "round 1 by two aggregators, round 2 through the mix",
        played.burned,
        dict(sorted(played.purse.refused.items())),
        Trust.of(learnt(case, played)),
        Privacy(
            users_below(release.people, case.k) / release.n if release.n else 0.0,
            promise(case, played),
        ),
        utility(case, release),
        price,
    )


def deciding(case: Case) -> BySingles:
    """The rule of the scenario, which decides, and proves again of those who came."""
    policy = case.scenario.policy
    return BySingles(decision_rule(policy), policy)


def proved(case: Case, decision: Decision, joint: Counts) -> Certificate:
    """What can be proved of the people of a release."""
    return prove(deciding(case), case.people.schema, (), decision, joint)


def promise(case: Case, played: Played) -> float | None:
    """The share that is promised, of those who came where something was released."""
    if played.decision is None or played.release is None:
        return played.decision.certificate.value if played.decision else None
    return promised_share(played.decision, proved(case, played.decision, played.release))


def ideal(case: Case) -> Played:
    """The same without a message: the ideal functionality of two-round."""
    first, second = (Table(case.people.values, case.codes(number)) for number in (1, 2))
    policy, rules = announced_policy(case.scenario), announced_rules(case.scenario)
    session = two_round(case.people.schema, (first, second), policy, rules, deciding(case))
    counted = session.tallies[0] if session.tallies else None
    return Played(len(first.codes), counted, session.decision, session.release, session.burned)


def play(case: Case, kept: Sequence[int] | None = None) -> Played:
    """Send every message. kept: the columns of round 2 where that was decided elsewhere."""
    session, played = Session.open(case), Played()
    try:
        piles = collect(case, session, played.purse)
        users = agreed(*piles)
        played.present = len(users)
        total = add(piles[0].subtotal(users), piles[1].subtotal(users))
        played.linked = _together(session.sharing, piles)
        played.marginals = count(session.sharing, total, len(users))
        if kept is None:
            played.decision = deciding(case).rule(case.people.schema, *marginals(played.marginals))
            kept = played.decision.kept
        columns = tuple(kept)
        if columns:
            plan = open_round(
                session.announcement,
                session.announcement.digest(),
                Call(2, Role.ANALYST, (columns,)),
            )
            joint = release(case, session, plan, played)
            if played.decision is not None:
                terms = announced_policy(case.scenario)
                check_promise(terms, played.decision, proved(case, played.decision, joint))
            played.release = joint
    except RoundBurned as burned:
        played.burned = str(burned)
    return played


def collect(
    case: Case, session: Session, purse: Purse
) -> tuple[ShareAccumulator, ShareAccumulator]:
    """Round 1: everybody shares its row. A fault strikes what is sent to aggregator 1."""
    plan = session.sharing
    first_pile, two = (
        ShareAccumulator(plan, number, session.pairs[name].secret)
        for number, name in zip(AGGREGATORS, (AGGREGATOR_1, AGGREGATOR_2), strict=True)
    )
    for user in range(case.n):
        fresh = sealing(session.person(user, 1), plan.session)
        made = share(plan, user, case.people.row(user), fresh)
        for pile, layer in zip((first_pile, two), made.layers, strict=True):
            purse.bytes += len(Message(plan.session, 1, Submission(layer)).encode())
            for data in delivered(case, 1, user, layer, purse):
                pile.take(user, data)
    for pile in (first_pile, two):
        purse.refuse(pile.refused)
    return first_pile, two


def _together(
    plan: ShareSession, piles: tuple[ShareAccumulator, ShareAccumulator]
) -> dict[int, Row]:
    """What the two aggregators find when they lay their shares together."""
    rows: dict[int, Row] = {}
    for user in agreed(*piles):
        row = row_of(plan, piles[0].shares[user], piles[1].shares[user])
        if row is not None:
            rows[user] = dict(enumerate(row))
    return rows


def release(case: Case, session: Session, plan: Round, played: Played) -> Counts:
    """Round 2: the kept columns together through the mix, to the analyst."""
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
    case: Case, plan: Round, session: Session, envelopes: Mapping[bytes, int], played: Played
) -> tuple[bytes, ...]:
    """Shufflers: one after the other; the first checks who came. RoundBurned if too few did.

    envelopes: with the person each came from, whom the first shuffler sees.
    """
    rules = session.announcement.rules
    secret = session.pairs[shuffler(1)].secret
    opened = open_envelopes(plan, secret, list(envelopes))
    bundles = [bundle for bundle in opened if isinstance(bundle, list)]
    (kept,) = plan.call.asks
    for user, bundle in zip(envelopes.values(), opened, strict=True):
        if isinstance(bundle, list):
            row = case.people.row(user)
            played.mixed[user] = {column: row[column] for column in kept}
        else:
            played.purse.refuse({bundle: 1})
    check_batch_size(len(bundles), rules.min_batch)
    check_dropout(played.present, len(bundles), rules.min_dropout)
    batch, _ = arrange(plan, [onion for bundle in bundles for onion in bundle])
    for hop in range(2, len(plan.hops)):
        inside = open_layers(plan, hop, session.pairs[shuffler(hop)].secret, batch)
        played.purse.refuse(inside.refused)
        batch, _ = arrange(plan, inside.inside)
    return batch


def coalitions(case: Case) -> list[tuple[str, ...]]:
    """All sets of parties; with more than 8, single ones, pairs, and all shufflers with either."""
    chain = shufflers(case)
    readers = (ANALYST, CURATOR, AGGREGATOR_1, AGGREGATOR_2)
    names = (*readers, *chain)
    largest = len(names) if len(names) <= MANY else 2
    groups = [some for size in range(largest + 1) for some in combinations(names, size)]
    if largest < len(names):
        groups += [(ANALYST, *chain), (CURATOR, *chain), names]
    return [tuple(sorted(some)) for some in groups]


def learnt(case: Case, played: Played) -> list[Received]:
    """What every coalition received; those that know the same are scored once."""
    look = viewer(case, played)
    scored: dict[Hashable, Received] = {}
    views = []
    for members in coalitions(case):
        view = look(members)
        same = (tuple(view.by_round), tuple(view.everybody), tuple(s.columns for s in view.counted))
        if same not in scored:
            scored[same] = received(view, case.sizes)
        views.append(replace(scored[same], parties=members))
    return views


def viewer(case: Case, played: Played) -> Callable[[tuple[str, ...]], View]:
    """Give the view of any set of parties.

    Shares of one aggregator are uniform and say nothing. Both aggregators hold everybody's row of
    round 1; all shufflers and the analyst everybody's of round 2; the curator the counts of round
    1; everybody the release.
    """
    whole = tuple(range(len(case.sizes)))
    kept = played.decision.kept if played.decision and played.release is not None else ()
    singles = [
        CountsSeen(1, (column,), counts) for column, counts in enumerate(played.marginals or ())
    ]
    joint = [CountsSeen(2, kept, played.release)] if played.release is not None else []
    both, end = {AGGREGATOR_1, AGGREGATOR_2}, {ANALYST, *shufflers(case)}

    def look(members: tuple[str, ...]) -> View:
        coalition = frozenset(members)
        told = CURATOR in coalition or case.scenario.policy.publish_marginals or both <= coalition
        broken = {1: whole} if both <= coalition else {}
        if kept and end <= coalition:
            broken[2] = kept
        by_name: dict[int, Mapping[int, Row]] = {1: played.linked or {}, 2: played.mixed}
        known = played.linked is not None
        pinned = {number: by_name[number] for number in broken} if known else {}
        everybody = {} if known else broken
        counted = (*(singles if told else ()), *joint)
        transcript = Transcript(case.n, summary=True)
        coalition -= both  # these are no parties of the mix, and see nobody's envelopes there
        return View(coalition, case.n, True, pinned, counted, {}, everybody, transcript)

    return look
