"""The states that values may be in, and what the rules of a round say of them.

What was hidden before it was said is counted by label: behind "other" is any value that may not be
named. A value that may also be left blank as a cover has two states, said and left blank, as likely
as the rule makes them. Without such a rule a state is a value.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ...protocol.hiding import BLANK, HIDDEN, OTHER, Mask, Redact
from .evidence import Labels, Law

if TYPE_CHECKING:
    from ...protocol.hiding import Hiding
    from ...protocol.record import CountsSeen
    from ...protocol.transcript import Row

LABELS = {OTHER: -1, BLANK: -2}  # of what is said instead of a value


@dataclass(frozen=True, slots=True)
class States:
    """The states that values may be in, and what each rule says of them.

    Attributes:
        laws: prior share of each state.
        values: the value of each, () if they are the same.
        codes: per column, value -> its number.
        rules: per round and column, what people did to their values before they said them.
        blank: column -> states that are left blank.
        memory: states behind a label, once they were worked out.
    """

    laws: tuple[Law, ...]
    values: tuple[Labels, ...]
    codes: Sequence[Mapping[str, int]]
    rules: "Mapping[int, Mapping[int, Hiding]]"
    blank: Mapping[int, frozenset[int]]  # column -> states that are left blank
    memory: "dict[tuple[int, Hiding | None, str], frozenset[int]]" = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        laws: tuple[Law, ...],
        codes: Sequence[Mapping[str, int]],
        counted: "Iterable[CountsSeen]",
    ) -> "States":
        """The states for the rules of the rounds that were read."""
        rules: dict[int, dict[int, Hiding]] = {}
        for seen in counted:
            rules.setdefault(seen.round, {}).update({rule.column: rule for rule in seen.hidden})
        redacted = {
            rule.column: rule
            for some in rules.values()
            for rule in some.values()
            if isinstance(rule, Redact)
        }
        if not redacted:
            return cls(laws, (), codes, rules, {})
        split, values, blank = [], [], {}
        for column, law in enumerate(laws):
            rule = redacted.get(column)
            named = {codes[column].get(text) for text in rule.values} if rule else set()
            some: list[tuple[int, float, bool]] = []
            for value, share in enumerate(law):
                cover = 1.0 if value in named else rule.rate if rule else 0.0
                some += [(value, share * (1 - cover), False)] if cover < 1 else []
                some += [(value, share * cover, True)] if cover else []
            split.append(tuple(share for _, share, _ in some))
            values.append(tuple(value for value, _, _ in some))
            blank[column] = frozenset(place for place, state in enumerate(some) if state[2])
        return cls(tuple(split), tuple(values), codes, rules, blank)

    def labels(self, column: int, rule: "Hiding | None") -> Labels:
        """What people in each state of a column say under a rule."""
        values = self.values[column] if self.values else range(len(self.laws[column]))
        match rule:
            case Mask(said=said):
                named = {self.codes[column].get(text) for text in said}
                return tuple(value if value in named else LABELS[OTHER] for value in values)
            case Redact():
                blank = self.blank[column]
                return tuple(
                    LABELS[BLANK] if state in blank else value for state, value in enumerate(values)
                )
            case None:
                return tuple(values)

    def code(self, column: int, said: str) -> int:
        """The label of what was said."""
        return LABELS[said] if said in HIDDEN else self.codes[column][said]

    def behind(self, column: int, rule: "Hiding | None", said: str) -> frozenset[int]:
        """The states in which people say this under a rule."""
        key = column, rule, said
        if key not in self.memory:
            label = self.code(column, said)
            labels = self.labels(column, rule)
            self.memory[key] = frozenset(s for s, other in enumerate(labels) if other == label)
        return self.memory[key]

    def held(
        self, said: "Iterable[tuple[Mapping[int, Hiding], Row]]"
    ) -> tuple[tuple[int, frozenset[int]], ...]:
        """Per column the states of somebody who said this, under these rules."""
        columns: dict[int, frozenset[int]] = {}
        for rules, row in said:
            for column, text in row.items():
                rule = rules.get(column)
                if text in HIDDEN and rule is None:
                    continue  # a rule that the coalition was not shown
                states = self.behind(column, rule, text)
                # Who said two things in two rounds lied once; the latest is taken.
                columns[column] = columns.get(column, states) & states or states
        return tuple(sorted(columns.items()))
