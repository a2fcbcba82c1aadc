"""The states that values may be in, and the label of each state under the rules of a round.

Values hidden before they are reported are counted by label: "other" stands for any value that may
not be named. A value that may also be suppressed as a cover has two states, reported and
suppressed, with the probabilities of the rule. Without such a rule a state is a value.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ...protocol.wire.hiding_rules import BLANK, HIDDEN, OTHER_VALUE, Mask, Redact
from .evidence import Labels, Law

if TYPE_CHECKING:
    from ...protocol.knowledge.run_record import CountsSeen
    from ...protocol.knowledge.transcript import Row
    from ...protocol.wire.hiding_rules import Hiding

LABELS = {OTHER_VALUE: -1, BLANK: -2}  # codes of the labels reported instead of a value


@dataclass(frozen=True, slots=True)
class States:
    """The states that values may be in, with the suppression rules that give their labels.

    A label is the text that people report in place of a value; a value that may be suppressed as a
    cover has two states.

    Attributes:
        laws: per column, the prior share of each state.
        values: per column, the value of each state; () if a state is a value.
        codes: per column, value -> its number.
        rules: per round and column, the rule by which people hide values before they report them.
        blank: column -> states that are suppressed.
        memory: cache of the states behind a label.
    """

    laws: tuple[Law, ...]
    values: tuple[Labels, ...]
    codes: Sequence[Mapping[str, int]]
    rules: "Mapping[int, Mapping[int, Hiding]]"
    blank: Mapping[int, frozenset[int]]  # column -> suppressed states
    memory: "dict[tuple[int, Hiding | None, str], frozenset[int]]" = field(default_factory=dict)

    @classmethod
    def from_rounds(
        cls,
        laws: tuple[Law, ...],
        codes: Sequence[Mapping[str, int]],
        counted: "Iterable[CountsSeen]",
    ) -> "States":
        """Return the states that the hiding rules of the counted rounds imply."""
        rules: dict[int, dict[int, Hiding]] = {}
        for counts_seen in counted:
            rules.setdefault(counts_seen.round, {}).update(
                {rule.column: rule for rule in counts_seen.hidden}
            )
        redacted = {
            rule.column: rule
            for round_rules in rules.values()
            for rule in round_rules.values()
            if isinstance(rule, Redact)
        }
        if not redacted:
            return cls(laws, (), codes, rules, {})
        split, values, blank = [], [], {}
        for column, law in enumerate(laws):
            rule = redacted.get(column)
            rule_values = {codes[column].get(text) for text in rule.values} if rule else set()
            round_rules: list[tuple[int, float, bool]] = []
            for value, share in enumerate(law):
                cover = 1.0 if value in rule_values else rule.rate if rule else 0.0
                round_rules += [(value, share * (1 - cover), False)] if cover < 1 else []
                round_rules += [(value, share * cover, True)] if cover else []
            split.append(tuple(share for _, share, _ in round_rules))
            values.append(tuple(value for value, _, _ in round_rules))
            blank[column] = frozenset(place for place, state in enumerate(round_rules) if state[2])
        return cls(tuple(split), tuple(values), codes, rules, blank)

    def labels(self, column: int, rule: "Hiding | None") -> Labels:
        """Return the label that people in each state of a column report under a hiding rule."""
        values = self.values[column] if self.values else range(len(self.laws[column]))
        match rule:
            case Mask(named_values=mask_values):
                named_codes = {self.codes[column].get(text) for text in mask_values}
                return tuple(
                    value if value in named_codes else LABELS[OTHER_VALUE] for value in values
                )
            case Redact():
                blank = self.blank[column]
                return tuple(
                    LABELS[BLANK] if state in blank else value for state, value in enumerate(values)
                )
            case None:
                return tuple(values)

    def code(self, column: int, text: str) -> int:
        """Return the label of a reported text."""
        return LABELS[text] if text in HIDDEN else self.codes[column][text]

    def behind(self, column: int, rule: "Hiding | None", text: str) -> frozenset[int]:
        """Return the states (values, reported or suppressed) in which people report this text.

        rule: the rule by which these people hide values.
        """
        key = column, rule, text
        if key not in self.memory:
            label = self.code(column, text)
            labels = self.labels(column, rule)
            self.memory[key] = frozenset(
                s for s, state_label in enumerate(labels) if state_label == label
            )
        return self.memory[key]

    def consistent_states(
        self, reports: "Iterable[tuple[Mapping[int, Hiding], Row]]"
    ) -> tuple[tuple[int, frozenset[int]], ...]:
        """Return, per column, the states consistent with a person's reports under these rules."""
        columns: dict[int, frozenset[int]] = {}
        for rules, row in reports:
            for column, text in row.items():
                rule = rules.get(column)
                if text in HIDDEN and rule is None:
                    continue  # the coalition does not know the rule, so the label implies no state
                states = self.behind(column, rule, text)
                # If reports contradict each other, a person lied once: the latest report is taken.
                columns[column] = columns.get(column, states) & states or states
        return tuple(sorted(columns.items()))
