"""The alternatives of a curator's decision, as result.json lists them.

These are every set of columns with its exposure bound, and each suppressed column with the limits
that would admit it to the release.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any

from ....protocol.board.strategies import RoundResult
from ....protocol.rounds.tallying import marginals as as_marginals
from ....protocol.wire.messages import Counts
from ....protocol.wire.parties import Role
from ....protocol.wire.schema import Schema
from ...schema.model import Policy
from ..dropped_columns import UnreleasedColumn
from ..interface import ConsideredColumns, Played, Session
from .rules import bound, choose, listed, listing_rule, named_rule

# most columns of a scenario to list every set of columns; with more, no set is listed
MAX_LISTED_COLUMNS = 6


def curator_results(played: Played) -> list[RoundResult]:
    """Return the queries of a session that the curator read, with their counts."""
    pairs = zip(played.calls, played.tallies, strict=True)
    return [RoundResult(call, counts) for call, counts in pairs if call.reader is Role.CURATOR]


def considered(session: Session) -> tuple[ConsideredColumns, ...]:
    """Return every set of columns with its exposure bound; () with more than 6 columns.

    The set that the curator chose has the bound and the rule of the curator's certificate.
    """
    policy, crowd, played = session.settings.policy, session.crowd, session.played
    schema, decision = crowd.people.schema, played.decision
    possible = options(policy, schema, next(iter(played.tallies), None), crowd.round2_people)
    if decision is None or not decision.kept:
        return possible
    released_columns, proof = (
        tuple(schema.names[column] for column in decision.kept),
        decision.certificate,
    )
    rule = "blanks" if decision.hidden else proof.rule
    safe = proof.value <= policy.max_exposure
    chosen = ConsideredColumns(released_columns, proof.value, rule, safe=safe)
    return tuple(chosen if option.columns == released_columns else option for option in possible)


def options(
    policy: Policy, schema: Schema, tally: Sequence[Counts] | None, new_people: int | None = None
) -> tuple[ConsideredColumns, ...]:
    """Return the exposure bound of every set of columns under a policy, from the counts of round 1.

    tally: the counts of each column by itself; None: round 1 was not counted. new_people: the
    number of people in round 2, if they are not the people of round 1. () without counts, and with
    more than 6 columns.
    """
    if tally is None or len(schema.names) > MAX_LISTED_COLUMNS:
        return ()
    counts = listed(schema, as_marginals(tally)[0])
    rule = listing_rule(named_rule(policy, new_people, schema), counts, policy.k)
    possible = []
    for size in range(1, len(counts) + 1):
        for columns in combinations(range(len(counts)), size):
            proof = bound(rule, [counts[column] for column in columns], policy.k)
            names = tuple(schema.names[column] for column in columns)
            safe = proof.value <= policy.max_exposure
            possible.append(ConsideredColumns(names, proof.value, str(proof.rule), safe))
    return tuple(possible)


def dropped(session: Session) -> tuple[UnreleasedColumn, ...]:
    """Return each suppressed column with the limits that would admit it, by the rule of the policy.

    The rule is the method that bounds exposure. () if round 1 was aborted.
    """
    policy, crowd, played = session.settings.policy, session.crowd, session.played
    schema = crowd.people.schema
    if not played.tallies:
        return ()
    rule = named_rule(policy, crowd.round2_people, schema)
    counts = listed(schema, as_marginals(played.tallies[0])[0])
    return tuple(unreleased(policy, rule, schema, counts))


def unreleased(
    policy: Policy, rule: Any, schema: Schema, counts: Sequence[Sequence[int]]
) -> Iterator[UnreleasedColumn]:
    """Yield each suppressed column with the max_exposure, and the k, that would admit it.

    rule: the method that bounds exposure: a name, or a function of counts and k. counts: for each
    column, the people with each value.
    """
    for column in choose(policy, rule, schema, counts).dropped:
        name = schema.names[column.column]
        yield UnreleasedColumn(
            name, column.smallest_target, column.largest_k, name in policy.forbidden
        )
