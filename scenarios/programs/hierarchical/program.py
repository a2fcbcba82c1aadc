"""The program `hierarchical` behind the interface of all (programs/interface.py)."""

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
    """Whether the curator asks for a single group at a time."""
    return policy.ask == "best"


def _widest(columns: Sequence[int]) -> "list[tuple[int, ...]]":
    """Return as many groups as the curator may choose, the widest, each after its parts."""
    from ....protocol.board.strategies import MOST_CHOSEN

    sizes = range(len(columns), 1, -1)
    wide = islice(chain.from_iterable(combinations(columns, n) for n in sizes), MOST_CHOSEN)
    return [*wide][::-1]


class GroupDecision(BoundDecision):
    """The decision by the counts of all groups."""

    def considered(self, session: "Session") -> "tuple[ConsideredColumns, ...]":
        """Return every set of columns with its bound by all counts, if there are few columns."""
        from ..curated.options import MAX_LISTED_COLUMNS, curator_results
        from .strategy import considered

        decision, schema = session.played.decision, session.crowd.people.schema
        if decision is None or len(schema.names) > MAX_LISTED_COLUMNS:
            return super().considered(session)
        return considered(
            session.settings.policy, schema, curator_results(session.played), decision.kept
        )

    def dropped(self, session: "Session") -> "tuple[UnreleasedColumn, ...]":
        """Return the exposure bound with each suppressed column."""
        from ..curated.options import curator_results
        from .strategy import dropped

        decision, schema = session.played.decision, session.crowd.people.schema
        if decision is None:
            return ()
        return dropped(
            session.settings.policy, schema, curator_results(session.played), decision.kept
        )


class GroupQueries(DeeperQueries):
    """The queries for groups of columns, whose parts were requested before."""

    def calls(self, policy: Policy, columns: Sequence[int]) -> "Iterator[Call]":
        """Yield the queries for groups, as if all of the largest allowed number were safe."""
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
    """The proof by the counts of all groups."""

    def verify(
        self, decision: "Decision", schema: "Schema", round_results: "Sequence[RoundResult]"
    ) -> None:
        """Check the proof that the certificate carries."""
        from .strategy import verify

        verify(decision.certificate, schema, round_results, decision.kept)


class RoundFindings(OwnFindings):
    """The record of each round for the curator."""

    def record(self) -> "type[Findings]":
        """Return the record type of the curator's rounds."""
        from .rounds import Rounds

        return Rounds


class HierarchicalProgram(Decided):
    """A program that counts singles, then safe pairs, triples ..., until no group is safe."""

    kind = wire = compared = "hierarchical"
    note = "columns chosen from the counts of groups asked before"
    capabilities = (GroupDecision(), WeighedChoice(), GroupQueries(), GroupProof(), RoundFindings())

    def check(self, scenario: Scenario, facts: ScenarioFacts) -> Iterator[Problem]:  # noqa: ARG002
        """Report other people in later rounds, and a rule besides the own proof."""
        return same_people_problems(scenario)

    def proof(self, policy: Policy) -> str:
        """Return the kind, the way of asking, and the limit of people certain to the curator."""
        from ....protocol.board.strategies import BEST

        limit = policy.curator_exposure
        words = [self.kind, *([BEST] if chooses(policy) else [])]
        return " ".join(words if limit is None else [*words, f"curator_exposure={limit:g}"])

    def strategy(self, scenario: Scenario, others: int | None) -> "Strategy":  # noqa: ARG002
        """Return the strategy that asks as long as it is safe."""
        from .strategy import HierarchicalStrategy as Strategy

        return Strategy(scenario.policy)

    def score(self, session: "Session") -> "Scored":
        """Return the record of each round for the curator."""
        from ..curated.options import curator_results
        from .round_counts import standings
        from .rounds import Rounds, round_records

        people, played, k = session.crowd.people, session.played, session.settings.policy.k
        sure = standings(people.schema, curator_results(played), k)
        sizes = tuple(map(len, people.values))
        records = round_records(played.calls, played.tallies, people.schema.names, sizes, k, sure)
        return replace(super().score(session), findings=Rounds(records) if records else None)
