"""The release program `hierarchical` as a ReleaseProgram (programs/interface.py).

Its curator counts groups of more and more columns, as long as the queries are safe: the counts
prove that few people are in small cells.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain, combinations, islice
from typing import TYPE_CHECKING

from ...populations.facts import ScenarioFacts
from ...schema.model import Policy, Scenario
from ...schema.problems import Problem
from ..capabilities import DeeperQueries, OwnFindings, OwnProof, WeighedChoice
from ..curated.program import BoundDecision, Decided, same_people_problems

if TYPE_CHECKING:
    from ....protocol.board.strategies import RoundResult, Strategy
    from ....protocol.wire.messages import Call, Decision
    from ....protocol.wire.schema import Schema
    from ..dropped_columns import UnreleasedColumn
    from ..findings import Findings
    from ..interface import ConsideredColumns, Scored, Session


def chooses(policy: Policy) -> bool:
    """Whether the curator queries one group of columns of its choice in each round."""
    return policy.ask == "best"


def _widest(columns: Sequence[int]) -> "list[tuple[int, ...]]":
    """Return the groups of columns with the most columns, in the order of rising size.

    There are at most MOST_CHOSEN groups, the limit for rounds that each query a single group.
    columns: the columns that may be released.
    """
    from ....protocol.board.strategies import MOST_CHOSEN

    sizes = range(len(columns), 1, -1)
    wide = islice(chain.from_iterable(combinations(columns, n) for n in sizes), MOST_CHOSEN)
    return [*wide][::-1]


class GroupDecision(BoundDecision):
    """The decision of the release program `hierarchical`, by counts of column groups."""

    def considered(self, session: "Session") -> "tuple[ConsideredColumns, ...]":
        """Return every set of columns with the exposure bound that all counts of the curator prove.

        With more than 6 columns, (): too many sets.
        """
        from ..curated.options import MAX_LISTED_COLUMNS, curator_results
        from .strategy import considered

        decision, schema = session.played.decision, session.crowd.people.schema
        if decision is None or len(schema.names) > MAX_LISTED_COLUMNS:
            return super().considered(session)
        return considered(
            session.settings.policy, schema, curator_results(session.played), decision.kept
        )

    def dropped(self, session: "Session") -> "tuple[UnreleasedColumn, ...]":
        """Return each suppressed column with the exposure bound of a release that adds it."""
        from ..curated.options import curator_results
        from .strategy import dropped

        decision, schema = session.played.decision, session.crowd.people.schema
        if decision is None:
            return ()
        return dropped(
            session.settings.policy, schema, curator_results(session.played), decision.kept
        )


class GroupQueries(DeeperQueries):
    """The queries of the release program `hierarchical` for groups of columns."""

    def calls(self, policy: Policy, columns: Sequence[int]) -> "Iterator[Call]":
        """Yield the longest possible sequence of queries for groups of columns in a session.

        Every group counts as safe to query. With `ask = "best"` a query is for one group, else for
        all groups of one size.
        """
        from ....protocol.wire.messages import Call
        from ....protocol.wire.parties import Role
        from .strategy import MOST_ASKED

        if chooses(policy):
            for number, group in enumerate(_widest(columns), start=2):
                yield Call(number, Role.CURATOR, (group,))
            return
        for size in range(2, len(columns) + 1):
            groups = tuple(islice(combinations(columns, size), MOST_ASKED))
            yield Call(size, Role.CURATOR, groups)


class GroupProof(OwnProof):
    """The proof of a decision of the release program `hierarchical`, from group counts."""

    def verify(
        self, decision: "Decision", schema: "Schema", round_results: "Sequence[RoundResult]"
    ) -> None:
        """Raise VerificationError unless the counts prove the exposure bound of the certificate.

        round_results: the curator's queries for groups of columns, with their counts.
        """
        from .strategy import verify

        verify(decision.certificate, schema, round_results, decision.kept)


class RoundFindings(OwnFindings):
    """The findings of the release program `hierarchical`: the curator's knowledge by round."""

    def record(self) -> "type[Findings]":
        """Return the record type of the curator's rounds."""
        from .rounds import Rounds

        return Rounds


class HierarchicalProgram(Decided):
    """The release program `hierarchical`: it counts single columns, then groups of columns.

    A group is queried only if the earlier counts prove that few people are in small cells of it.
    """

    kind = wire = compared = "hierarchical"
    note = "columns chosen from the counts of groups asked before"
    capabilities = (GroupDecision(), WeighedChoice(), GroupQueries(), GroupProof(), RoundFindings())

    def check(self, scenario: Scenario, facts: ScenarioFacts) -> Iterator[Problem]:  # noqa: ARG002
        """Yield a problem if later rounds ask other people, or if the scenario sets a rule.

        The release program proves exposure bounds itself, so the rule (method of proof) is not a
        choice.
        """
        return same_people_problems(scenario)

    def proof(self, policy: Policy) -> str:
        """Return the announced rule: the kind, the choice of groups, and curator_exposure.

        curator_exposure limits the people that the curator knows for certain to be in a small cell.
        """
        from ....protocol.board.strategies import BEST

        limit = policy.curator_exposure
        words = [self.kind, *([BEST] if chooses(policy) else [])]
        return " ".join(words if limit is None else [*words, f"curator_exposure={limit:g}"])

    def strategy(self, scenario: Scenario, others: int | None) -> "Strategy":  # noqa: ARG002
        """Return the strategy that queries groups of columns as long as they are safe."""
        from .strategy import HierarchicalStrategy as Strategy

        return Strategy(scenario.policy)

    def score(self, session: "Session") -> "Scored":
        """Return the curator's knowledge after each round, and the considered sets of columns."""
        from ..curated.options import curator_results
        from .round_counts import standings
        from .rounds import Rounds, round_records

        people, played, k = session.crowd.people, session.played, session.settings.policy.k
        sure = standings(people.schema, curator_results(played), k)
        sizes = tuple(map(len, people.values))
        records = round_records(played.calls, played.tallies, people.schema.names, sizes, k, sure)
        return replace(super().score(session), findings=Rounds(records) if records else None)
