"""The release program `hierarchical`: the curator's next query, and its decision at the end.

Round r asks for groups of r columns. A group of columns may be asked for if

* all its groups of r - 1 columns were asked for in the round before (of a pair: each column is safe
  alone),
* each of its columns has at least two possible answers: values reported by name, and `other`,
* for every possible answer, the curator then knows at most the share `curator_exposure` of the
  people to be in cells of fewer than k people, if there is such a limit
  (analysis/trust/certain_cells.py): queries that are safe one by one need not be safe together,
* the counts so far prove that at most `max_exposure` of the people are in a class smaller than k
  in the very table that is asked for, in which `other` is a value.

Values are masked before the bound is proved: rare values are reported as `other`
(analysis/composition/known_groups.py chooses them). The curator stops once all columns can be
released together, because further counts would not change the decision. At the end it releases the
set of columns of largest total weight with an exposure bound within `max_exposure`. In the release
each user reports its values by name.

If the policy says `ask = "best"`, the curator asks for one group a round, of any number of columns,
that fulfils the last three points. It is the group expected to lower the exposure bound of all
columns most per received bit (analysis/composition/next_group.py). The curator stops if no group is
expected to lower the bound.

With many columns there are too many groups to try them all. The first 200 candidates are tested,
those of largest total weight first. The first 60 safe groups are asked for, each of at most a
million cells.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb, prod
from typing import TYPE_CHECKING, Any

from ....errors import VerificationError
from ....protocol.board.strategies import MOST_CHOSEN, RoundResult
from ....protocol.rounds.tallying import marginals
from ....protocol.wire.hiding_rules import Mask
from ....protocol.wire.messages import Call, Counts, Decision, DecisionCertificate
from ....protocol.wire.parties import Role
from ....protocol.wire.schema import Schema
from ....strict_text import from_json
from ...schema.model import Policy
from ..dropped_columns import UnreleasedColumn
from ..interface import ConsideredColumns
from ..weights import column_weights
from .round_counts import answered_again, knowledge, masked

if TYPE_CHECKING:
    from ....analysis.composition.group_counts import Group, NamedValues
    from ....analysis.composition.known_groups import GroupKnowledge, Promised

KIND = "hierarchical"  # the kind of policy
MOST_JUDGED = 200  # most groups of columns tested for safety in a round, those of largest weight
MOST_ASKED = 60  # most groups of columns that a round may query, those of largest weight
MOST_CELLS = 1 << 20  # most cells in the table of a group of columns; larger groups are not queried
# most columns with which every set of columns gets the smaller exposure bound, which takes longer;
# with more, only the released set gets it
SHARP = 4


@dataclass(frozen=True, slots=True)
class HierarchicalStrategy:
    """The curator's strategy in the release program `hierarchical`: queries and decision.

    Each query counts groups of columns that are safe to query. At the end it releases columns.

    Attributes:
        policy: the policy of the scenario.
    """

    policy: Policy

    def ask(self, schema: Schema, heard: Sequence[RoundResult]) -> Call | None:
        """Return the next query, for safe groups of columns; None without a safe group.

        A group has one column more than the groups of the last query, or with `ask = "best"` any
        number. Safe means that the counts so far limit the people in small cells. The module's
        docstring has the conditions. heard: the earlier queries with their counts.
        """
        curator_knowledge, names = knowledge(schema, heard, self.policy.k)
        if curator_knowledge.meets(self._allowed(schema), self._people_limit(curator_knowledge)):
            return None
        named_values = curator_knowledge.masks(masked(heard, names))
        choose = self._best if self.policy.ask == "best" else self._level
        groups = choose(schema, heard, curator_knowledge, named_values)
        if not groups:
            return None
        queried_columns = sorted({column for group in groups for column in group})
        hidden = tuple(
            Mask(column, tuple(sorted(names[column][value] for value in named_values[column])))
            for column in queried_columns
            if len(named_values[column]) < len(names[column])
        )
        return Call(len(heard) + 1, Role.CURATOR, tuple(sorted(groups)), hidden)

    def _best(
        self,
        schema: Schema,
        round_results: Sequence[RoundResult],
        curator_knowledge: "GroupKnowledge",
        named_values: Mapping[int, "Group"],
    ) -> "list[Group]":
        """Return the safe group of columns with the largest expected fall of the bound per bit.

        The bound is the exposure bound. Bits measure the information about people that the counts
        of a group leak to the curator. The group is in a list; [] if no safe group is expected to
        lower the bound. named_values: for each column, the values that people report by name.
        round_results: the earlier queries with their counts.
        """
        from ....analysis.composition.next_group import choose_group

        if len(round_results) > MOST_CHOSEN:
            return []
        max_exposed, may_know = (
            self._people_limit(curator_knowledge),
            self._limit(curator_knowledge, named_values),
        )
        speaking = set(self._speaking(schema, curator_knowledge, named_values))

        def may_ask(group: "Group") -> bool:
            """Whether the curator may query the table of a group of columns in the next round.

            The table needs at most MOST_CELLS cells, and each column two possible answers. The
            people in cells of fewer than k people must stay within two limits: of all such people,
            and of those whom the curator knows for certain.
            """
            small = prod(len(named_values[column]) + 1 for column in group) <= MOST_CELLS
            is_askable = small and speaking.issuperset(group)
            return (
                is_askable
                and curator_knowledge.meets(group, max_exposed, named_values)
                and may_know((group,))
            )

        group = choose_group(curator_knowledge, self._allowed(schema), max_exposed, may_ask)
        return [] if group is None else [group]

    def _level(
        self,
        schema: Schema,
        round_results: Sequence[RoundResult],
        curator_knowledge: "GroupKnowledge",
        named_values: Mapping[int, "Group"],
    ) -> "list[Group]":
        """Return the safe groups with one column more than the groups of the last round.

        At most MOST_ASKED groups, in the order of falling total weight. named_values: for each
        column, the values that people report by name. round_results: the earlier queries with their
        counts.
        """
        max_exposed, may_know = (
            self._people_limit(curator_knowledge),
            self._limit(curator_knowledge, named_values),
        )
        groups: list[Group] = []
        for group in list(self._candidates(schema, round_results, curator_knowledge, named_values))[
            :MOST_JUDGED
        ]:
            small = prod(len(named_values[column]) + 1 for column in group) <= MOST_CELLS
            room = small and len(groups) < MOST_ASKED
            if (
                room
                and curator_knowledge.meets(group, max_exposed, named_values)
                and may_know((*groups, group))
            ):
                groups.append(group)
        return groups

    def decide(self, schema: Schema, heard: Sequence[RoundResult]) -> Decision:
        """Return the set of columns of largest total weight with a bound within max_exposure.

        heard: the queries with their counts, which prove the bound on exposed people.
        """
        from ....analysis.composition.heaviest_columns import heaviest
        from ....analysis.suppression import choose_columns

        curator_knowledge, _ = knowledge(schema, heard, self.policy.k)
        allowed, required = self._allowed(schema), self._required(schema)
        gains, max_exposed = (
            column_weights(self.policy, schema.names),
            self._people_limit(curator_knowledge),
        )
        forbidden = [j for j in range(len(gains)) if j not in allowed]
        counts = marginals(heard[0].counts)[0]
        start: tuple[int, ...] = ()
        if not required:
            k, target = self.policy.k, self.policy.max_exposure
            start = choose_columns(counts, k, target, gains, "coverage", (), forbidden).kept
            start = start if start and curator_knowledge.meets(start, max_exposed) else ()
        released_columns = heaviest(curator_knowledge, gains, max_exposed, allowed, required, start)
        if not released_columns:
            return Decision((), _nothing_kept(self.policy.k, curator_knowledge.n))
        return Decision(
            released_columns,
            certificate(curator_knowledge.promise(released_columns), self.policy.k),
        )

    def prove(
        self, schema: Schema, calls: Sequence[Call], decision: Decision, joint: Counts
    ) -> DecisionCertificate:
        """Return the certificate of a release: a bound on the exposed people in the release.

        The released counts `joint` give the answers of the released people to the earlier queries.
        These answers prove the bound. calls: the earlier queries.
        """
        inside, round_results = answered_again(schema, calls, decision.kept, joint)
        curator_knowledge, _ = knowledge(inside, round_results, self.policy.k)
        return certificate(curator_knowledge.promise(range(len(decision.kept))), self.policy.k)

    def _limit(
        self, curator_knowledge: "GroupKnowledge", named_values: "NamedValues"
    ) -> "Callable[[Sequence[Group]], bool]":
        """Return a test of whether the curator may receive the tables of some groups of columns.

        The limit is curator_exposure: the share of people that the curator may know for certain to
        be in a cell of fewer than k people. named_values: for each column, the values that people
        report by name.
        """
        from ....analysis.suppression.column_suppression import people_allowed
        from ....analysis.trust.certain_cells import Certainty

        if self.policy.curator_exposure is None:
            return lambda _: True
        sure, max_certain = (
            Certainty.from_knowledge(curator_knowledge),
            people_allowed(self.policy.curator_exposure, curator_knowledge.n),
        )
        return lambda groups: sure.certain_people_after(groups, named_values) <= max_certain

    def _people_limit(self, curator_knowledge: "GroupKnowledge") -> int:
        """Return the largest number of exposed people that max_exposure allows."""
        from ....analysis.suppression.column_suppression import people_allowed

        return people_allowed(self.policy.max_exposure, curator_knowledge.n)

    def _allowed(self, schema: Schema) -> tuple[int, ...]:
        """Return the indices of the columns that the policy does not forbid."""
        names = enumerate(schema.names)
        return tuple(j for j, name in names if name not in self.policy.forbidden)

    def _required(self, schema: Schema) -> tuple[int, ...]:
        """Return the indices of the columns that the policy requires in a release."""
        return tuple(schema.column(name) for name in self.policy.required)

    def _speaking(
        self,
        schema: Schema,
        curator_knowledge: "GroupKnowledge",
        named_values: Mapping[int, "Group"],
    ) -> list[int]:
        """Return the columns allowed in a release that still have at least two possible answers.

        An answer is a value reported by name, or `other`. A column with a single possible answer
        carries no information. named_values: for each column, the values reported by name.
        """
        return [
            column
            for column in self._allowed(schema)
            if len(named_values[column])
            + (len(named_values[column]) < _values(curator_knowledge, column))
            >= 2
        ]

    def _candidates(
        self,
        schema: Schema,
        round_results: Sequence[RoundResult],
        curator_knowledge: "GroupKnowledge",
        named_values: Mapping[int, "Group"],
    ) -> "Iterator[Group]":
        """Yield the groups of columns that may be queried next, by falling total weight.

        A group has one column more than the groups of the last round. Whether it is safe to query
        is tested later. The weight of a column is its value for the release. named_values: for each
        column, the values that people report by name. round_results: the earlier queries with their
        counts.
        """
        size, gains = len(round_results) + 1, column_weights(self.policy, schema.names)
        speaking = self._speaking(schema, curator_knowledge, named_values)
        earlier_groups = set(round_results[-1].call.asks)
        if size == 2:
            max_exposed = self._people_limit(curator_knowledge)
            earlier_groups = {
                (j,)
                for j in speaking
                if curator_knowledge.by_parts((j,), named_values).people <= max_exposed
            }
        grouped_columns = [j for j in speaking if any(j in part for part in earlier_groups)]
        groups = [
            group
            for group in _groups(grouped_columns, size)
            if earlier_groups.issuperset(combinations(group, size - 1))
        ]
        groups.sort(key=lambda group: (-sum(gains[j] for j in group), group))
        yield from groups


def _groups(columns: Sequence[int], size: int) -> "Iterator[Group]":
    """Yield all groups of `size` columns.

    If there are more than 100,000 groups, the last columns are left out until there are fewer.
    """
    limit = len(columns)
    while limit > size and comb(limit, size) > 100_000:
        limit -= 1
    yield from combinations(columns[:limit], size)


def _values(curator_knowledge: "GroupKnowledge", column: int) -> int:
    """Return the number of values of a column that occurred in round 1."""
    return len(curator_knowledge.singles[column])


def considered(
    policy: Policy,
    schema: Schema,
    round_results: Sequence[RoundResult],
    released_columns: Sequence[int],
) -> tuple[ConsideredColumns, ...]:
    """Return every set of columns with the exposure bound that all counts of the curator prove.

    Meant for few columns, because the number of sets doubles with each column. released_columns:
    the indices of the columns of the release. round_results: the curator's queries with their
    counts.
    """
    curator_knowledge, _ = knowledge(schema, round_results, policy.k)
    choices = []
    for size in range(1, len(schema.names) + 1):
        for columns in combinations(range(len(schema.names)), size):
            sharp = len(schema.names) <= SHARP or columns == tuple(released_columns)
            proof = (
                curator_knowledge.promise(columns) if sharp else curator_knowledge.by_parts(columns)
            )
            names = tuple(schema.names[column] for column in columns)
            safe = proof.value <= policy.max_exposure
            choices.append(ConsideredColumns(names, proof.value, proof.rule, safe))
    return tuple(choices)


def dropped(
    policy: Policy,
    schema: Schema,
    round_results: Sequence[RoundResult],
    released_columns: Sequence[int],
) -> tuple[UnreleasedColumn, ...]:
    """Return each suppressed column with the exposure bound of a release that has this column too.

    round_results: the curator's queries with their counts. released_columns: the indices of the
    columns of the release.
    """
    curator_knowledge, _ = knowledge(schema, round_results, policy.k)
    return tuple(
        UnreleasedColumn(
            name,
            curator_knowledge.promise((*released_columns, column)).value,
            None,
            name in policy.forbidden,
        )
        for column, name in enumerate(schema.names)
        if column not in released_columns
    )


def _nothing_kept(k: int, n: int) -> DecisionCertificate:
    """Return the certificate of a release without columns: 0 of n people are exposed."""
    return DecisionCertificate(KIND, k, n, 0)


def certificate(promised: "Promised", k: int) -> DecisionCertificate:
    """Convert an exposure bound of `analysis` with its proof to a certificate of the protocol."""
    proof: dict[str, Any]
    thresholds: tuple[float, ...] = ()
    if promised.weights is not None:
        blocks = [
            {"within": block.within, "parts": block.parts, "weight": weight}
            for block, weight in promised.weights.blocks
        ]
        proof = {"weights": promised.weights.margins, "blocks": blocks}
    else:
        assert promised.certificate is not None  # noqa: S101 - without weights it has one
        thresholds = tuple(float(t) for t in promised.certificate.thresholds)
        proof = {"parts": promised.parts, "rule": promised.certificate.rule}
    data = json.dumps(proof, separators=(",", ":")).encode()
    people, n = promised.people, promised.n
    return DecisionCertificate(f"{KIND}-{promised.rule}", k, n, people, thresholds, proof=data)


def verify(
    claimed: DecisionCertificate,
    schema: Schema,
    round_results: Sequence[RoundResult],
    released_columns: Sequence[int],
) -> None:
    """Raise VerificationError unless the curator's counts prove a certificate's exposure bound.

    claimed: the certificate. round_results: the curator's queries with their counts.
    released_columns: their indices.
    """
    curator_knowledge, _ = knowledge(schema, round_results, claimed.k)
    if not released_columns:
        if claimed != _nothing_kept(claimed.k, curator_knowledge.n):
            raise VerificationError(
                f"certificate: nothing is released, so 0 of {curator_knowledge.n:,} people are "
                "exposed by it; "
                f"{claimed.people:,} of {claimed.n:,} by {claimed.rule} are claimed"
            )
        return
    proof = promised(claimed)
    try:
        curator_knowledge.verify(released_columns, proof)
    except (LookupError, ValueError, StopIteration) as wrong:
        why = f"certificate: its proof names a column or value that does not exist ({wrong!r})"
        raise VerificationError(why) from None


def promised(claimed: DecisionCertificate) -> "Promised":
    """Return the exposure bound and the proof in a certificate, as a record of `analysis`.

    Raises VerificationError if the certificate has no readable proof of `hierarchical`.
    """
    from ....analysis.composition import Certificate, Rule
    from ....analysis.composition.known_groups import Promised, block_of
    from ....analysis.contingency.dual_bound import Weights

    try:
        proof = from_json(claimed.proof)
        if "weights" in proof:
            blocks = [
                (block_of(block["within"], block["parts"]), int(block["weight"]))
                for block in proof["blocks"]
            ]
            margins = tuple(int(weight) for weight in proof["weights"])
            weights = Weights(margins, tuple(blocks))
            return Promised(claimed.people, claimed.n, weights=weights)
        parts = tuple(tuple(int(j) for j in part) for part in proof["parts"])
        thresholds = tuple(int(t) for t in claimed.thresholds)
        rule = Rule(proof["rule"])
        inside = Certificate(rule, claimed.k, claimed.n, claimed.people, thresholds)
        return Promised(claimed.people, claimed.n, parts, inside)
    except (ValueError, KeyError, TypeError, IndexError) as wrong:
        raise VerificationError(f"certificate: not a proof of {claimed.rule} ({wrong})") from None
