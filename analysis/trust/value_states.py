"""The states of values (reported or suppressed), and the label that people in each state report.

People may hide a value before they report it. They then report a label: "other" for a value that
may not be named, or "suppressed". A hiding rule states which values are hidden. A value that may be
suppressed at random (a cover) has two states, reported and suppressed, with the probabilities of
the rule. Any other value has one state.
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

# codes of the labels that people report in place of a value: "other" and "suppressed"
LABELS = {OTHER_VALUE: -1, BLANK: -2}


@dataclass(frozen=True, slots=True)
class States:
    """The states of values in each column, and the hiding rules that give their labels.

    A state is a value, reported or suppressed. A value that may be suppressed at random has both
    states. A label is the code of the text that people report: a value, "other" or "suppressed".

    Attributes:
        laws: per column, the prior share of each state.
        values: per column, the value of each state; () if each state is a value.
        codes: per column, value -> its number.
        rules: per round and column, the rule by which people hide values before they report them.
        blank: column -> the states in which a value is suppressed.
        memory: cache of the states in which people report a label.
    """

    laws: tuple[Law, ...]
    values: tuple[Labels, ...]
    codes: Sequence[Mapping[str, int]]
    rules: "Mapping[int, Mapping[int, Hiding]]"
    # column -> the states (of values reported or suppressed) that are suppressed
    blank: Mapping[int, frozenset[int]]
    memory: "dict[tuple[int, Hiding | None, str], frozenset[int]]" = field(default_factory=dict)

    @classmethod
    def from_rounds(
        cls,
        laws: tuple[Law, ...],
        codes: Sequence[Mapping[str, int]],
        counted: "Iterable[CountsSeen]",
    ) -> "States":
        """Return the states of values that the hiding rules of the counted rounds imply.

        laws: per column, the prior share of each value. codes: per column, value -> its number.
        counted: the counts that the coalition read, with their hiding rules.
        """
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
        """Return, for each state of a column, the label that people report under a hiding rule.

        A state is a value, reported or suppressed. A label is the code of the reported text: a
        value, "other" or "suppressed".
        """
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
        """Return the code of a reported text: of a value, "other" or "suppressed"."""
        return LABELS[text] if text in HIDDEN else self.codes[column][text]

    def behind(self, column: int, rule: "Hiding | None", text: str) -> frozenset[int]:
        """Return the states of a column in which people report this text.

        A state is a value, reported or suppressed. rule: the rule by which these people hide
        values.
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
        """Return, per column, the states that are consistent with all reports of one person.

        A state is a value, reported or suppressed. reports: for each round, the hiding rule of each
        column, and the reported texts by column.
        """
        columns: dict[int, frozenset[int]] = {}
        for rules, row in reports:
            for column, text in row.items():
                rule = rules.get(column)
                if text in HIDDEN and rule is None:
                    # the hiding rule is unknown to the coalition, so any value may be hidden
                    continue
                states = self.behind(column, rule, text)
                # Two reports can contradict each other if the person lied; the later report is then
                # taken.
                columns[column] = columns.get(column, states) & states or states
        return tuple(sorted(columns.items()))
