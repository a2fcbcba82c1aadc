"""The program `hierarchical` behind the interface of all (programs/interface.py)."""

from collections.abc import Iterator, Sequence
from itertools import chain, combinations, islice
from typing import TYPE_CHECKING, Any

from ...schema.model import Policy, Scenario
from ..curated.program import Decided
from ..curated.text import COUNTING, last_round_sentence
from . import text

if TYPE_CHECKING:
    from ....languages.language import Language
    from ....presentation.pieces import Section
    from ....presentation.wording import Block
    from ....protocol.board.strategies import RoundResult, Strategy
    from ....protocol.wire.messages import Call, Decision
    from ....protocol.wire.schema import Schema
    from ..dropped_columns import UnreleasedColumn
    from ..evidence import Claims
    from ..findings import Findings
    from ..interface import ConsideredColumns, Scored, Session


def _chooses(policy: Policy) -> bool:
    """Whether the curator asks for a single group at a time."""
    return policy.ask == "best"


def _widest(columns: Sequence[int]) -> "list[tuple[int, ...]]":
    """Return as many groups as the curator may choose, the widest, each after its parts."""
    from ....protocol.board.strategies import MOST_CHOSEN

    sizes = range(len(columns), 1, -1)
    wide = islice(chain.from_iterable(combinations(columns, n) for n in sizes), MOST_CHOSEN)
    return [*wide][::-1]


class HierarchicalProgram(Decided):
    """A program that counts singles, then safe pairs, triples ..., until no group is safe."""

    kind = wire = compared = "hierarchical"
    among_peers = False
    note = "columns chosen from the counts of groups asked before"
    asks_again = True
    deepens = True
    largest = "rounds 2 and later at their largest: as if every question were safe"

    def rounds(self, features: int, policy: Policy) -> int:
        """Return one round per group size or per chosen group, and the release."""
        from ....protocol.board.strategies import MOST_CHOSEN

        groups = 2**features - features - 1
        return 2 + min(MOST_CHOSEN, groups) if _chooses(policy) else features + 1

    def proof(self, policy: Policy) -> str:
        """Return the kind, the way of asking, and the limit of people certain to the curator."""
        from ....protocol.board.strategies import BEST

        limit = policy.curator_exposure
        words = [self.kind, *([BEST] if _chooses(policy) else [])]
        return " ".join(words if limit is None else [*words, f"curator_exposure={limit:g}"])

    def strategy(self, scenario: Scenario, others: int | None) -> "Strategy":  # noqa: ARG002
        """Return the strategy that asks as long as it is safe."""
        from .strategy import HierarchicalStrategy as Strategy

        return Strategy(scenario.policy)

    def deeper(self, policy: Policy, columns: Sequence[int]) -> "Iterator[Call]":
        """Yield the queries for groups, as if all of the largest allowed number were safe."""
        from ....protocol.wire.messages import Call
        from ....protocol.wire.parties import Role
        from .strategy import MOST_ASKED

        if _chooses(policy):
            for number, group in enumerate(_widest(columns), start=2):
                yield Call(number, Role.CURATOR, (group,))
            return
        for size in range(2, len(columns) + 1):
            groups = tuple(islice(combinations(columns, size), MOST_ASKED))
            yield Call(size, Role.CURATOR, groups)

    def considered(self, session: "Session") -> "tuple[ConsideredColumns, ...]":
        """Return every set of columns with its bound by all counts, if there are few columns."""
        from ..curated.options import MAX_LISTED_COLUMNS, curator_results
        from .strategy import considered

        decision, schema = session.played.decision, session.crowd.people.schema
        if decision is None or len(schema.names) > MAX_LISTED_COLUMNS:
            return super().considered(session)
        return considered(
            session.scenario.policy, schema, curator_results(session.played), decision.kept
        )

    def dropped(self, session: "Session") -> "tuple[UnreleasedColumn, ...]":
        """Return the exposure bound with each suppressed column."""
        from ..curated.options import curator_results
        from .strategy import dropped

        decision, schema = session.played.decision, session.crowd.people.schema
        if decision is None:
            return ()
        return dropped(
            session.scenario.policy, schema, curator_results(session.played), decision.kept
        )

    def score(self, session: "Session") -> "Scored":
        """Return the record of each round for the curator."""
        from ..curated.options import curator_results
        from ..interface import Scored
        from .round_counts import standings
        from .rounds import Rounds, round_records

        people, played, k = session.crowd.people, session.played, session.scenario.policy.k
        sure = standings(people.schema, curator_results(played), k)
        sizes = self.sizes(people)
        records = round_records(played.calls, played.tallies, people.schema.names, sizes, k, sure)
        return Scored(Rounds(records)) if records else Scored()

    def findings(self) -> "type[Findings]":
        """Return the record type of the curator's rounds."""
        from .rounds import Rounds

        return Rounds

    def proves(self, rule: str) -> bool:
        """Whether the rule is called after this kind."""
        return rule.startswith(self.kind)

    def verify_decision(
        self, decision: "Decision", schema: "Schema", round_results: "Sequence[RoundResult]"
    ) -> None:
        """Check the proof that the certificate carries."""
        from .strategy import verify

        verify(decision.certificate, schema, round_results, decision.kept)

    def steps(self, scenario: Scenario, answering: str, mixing: str) -> list[str]:
        """Return the steps of a session, a sentence each."""
        deeper = text.CHOSEN if _chooses(scenario.policy) else text.DEEPER
        decides = f"When nothing is left to ask that is safe, {self.decides(scenario.policy)}."
        return [answering, mixing, f"{COUNTING}. {deeper}", decides, last_round_sentence(scenario)]

    def decides(self, policy: Policy) -> str:  # noqa: ARG002
        """Return the released columns, as a clause."""
        return "it keeps the most features that it can promise for, by all it knows"

    def summary(self, outcome: Any) -> "Iterator[Block]":
        """Return the table of the queries of each round."""
        return text.summary(outcome)

    def section(self, scenario: Scenario, result: "Claims") -> "Iterator[Section]":
        """Yield the section: the curator's queries round by round, and the bounds after each."""
        from .rounds import Rounds
        from .section import section

        if isinstance(result.findings, Rounds):
            yield section(result.findings.rounds, chosen=_chooses(scenario.policy))

    def stage_rule(self, policy: Policy, language: "Language") -> str:
        """Return sentences on the queries and the release."""
        return language.say("says-rule-chosen" if _chooses(policy) else "says-rule-deeper")

    def stage_hiding(self, call: "Call", language: "Language") -> str:
        """Return a clause on masks if the call has some."""
        return language.say("says-hiding-rare") if call.hidden else ""
