"""What else a curator could have kept: every set of columns, and each column that it left out."""

from collections.abc import Sequence
from itertools import combinations

from ....protocol.messages import Counts
from ....protocol.parties import Role
from ....protocol.programs import RoundResult
from ....protocol.schema import Schema
from ....protocol.tallying import marginals as as_marginals
from ...schema.model import Policy
from ..dropped import Dropped
from ..interface import Considered, Played, Session
from .rules import bound, choose, listed, listing_rule, named_rule

SHOWN = 6  # columns; with more, not every set is listed


def heard(played: Played) -> list[RoundResult]:
    """What the curator read."""
    pairs = zip(played.calls, played.tallies, strict=True)
    return [RoundResult(call, counts) for call, counts in pairs if call.reader is Role.CURATOR]


def considered(session: Session) -> tuple[Considered, ...]:
    """Every set of columns, with what could be promised of it; () with more than 6 columns."""
    policy, crowd, played = session.scenario.policy, session.crowd, session.played
    schema, decision = crowd.people.schema, played.decision
    possible = options(policy, schema, next(iter(played.tallies), None), crowd.others)
    if decision is None or not decision.kept:
        return possible
    kept, proof = tuple(schema.names[column] for column in decision.kept), decision.certificate
    rule = "blanks" if decision.hidden else proof.rule
    safe = proof.value <= policy.max_exposure
    chosen = Considered(kept, proof.value, rule, safe=safe)
    return tuple(chosen if option.columns == kept else option for option in possible)


def options(
    policy: Policy, schema: Schema, tally: Sequence[Counts] | None, others: int | None = None
) -> tuple[Considered, ...]:
    """What a policy could promise of every set of columns, from the counts of each.

    others: how many people round 2 asks, where they are not those of round 1. () where nothing was
    counted, and with more than 6 columns.
    """
    if tally is None or len(schema.names) > SHOWN:
        return ()
    counts = listed(schema, as_marginals(tally)[0])
    rule = listing_rule(named_rule(policy, others, schema), counts, policy.k)
    possible = []
    for size in range(1, len(counts) + 1):
        for columns in combinations(range(len(counts)), size):
            proof = bound(rule, [counts[column] for column in columns], policy.k)
            names = tuple(schema.names[column] for column in columns)
            safe = proof.value <= policy.max_exposure
            possible.append(Considered(names, proof.value, str(proof.rule), safe))
    return tuple(possible)


def dropped(session: Session) -> tuple[Dropped, ...]:
    """What it would take to keep each column that is not kept, by the rule of the policy."""
    policy, crowd, played = session.scenario.policy, session.crowd, session.played
    schema = crowd.people.schema
    if not played.tallies:
        return ()
    rule = named_rule(policy, crowd.others, schema)
    choice = choose(policy, rule, schema, listed(schema, as_marginals(played.tallies[0])[0]))
    return tuple(
        Dropped(
            schema.names[column.column],
            column.smallest_target,
            column.largest_k,
            schema.names[column.column] in policy.forbidden,
        )
        for column in choice.dropped
    )
