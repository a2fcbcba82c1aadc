"""Evidence from a view: the observations of a coalition in the form of `evidence.py`.

A crowd is the people with equal evidence.

* Linked people with the same values are a crowd. Members of the coalition are in crowds of their
  own.
* Counts that members read become counts over the crowds of people with answers that reached the
  reader. The first shuffler and the network see which people these are. Other parties know only
  their number, so respondents and absent people are not distinguished. (A member knows whether its
  own answer was counted.)
* The announced rate of covers (random suppressions) reveals the number of people with suppressed
  values (announced_rates.py).
* crowd_marks.py groups people with equal observations; value_states.py gives the values that a
  hidden value may be.

Counts can contradict known people if a message was forged or changed in transit. Such counts are
left out; `whole` is then False, and the inferred leakage is a lower bound.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ...protocol.knowledge.run_record import distinct
from ...protocol.wire.hiding_rules import BLANK, HIDDEN, OTHER_VALUE, Mask, Redact
from .announced_rates import announced
from .best_guesses import Truth
from .crowd_marks import Mark, counted_crowds, crowd_with, recorded_crowds, rows_by_length
from .evidence import Cell, CrowdCount, Evidence, Law
from .value_states import LABELS, States

if TYPE_CHECKING:
    from ...protocol.knowledge.run_record import CountsSeen
    from ...protocol.knowledge.transcript import Row
    from ...protocol.knowledge.view import View

Shares = Sequence[Mapping[str, float]]  # per column, the prior share of each value
UNKNOWN = -1  # code of an unreported value


@dataclass(frozen=True, slots=True)
class ReadEvidence:
    """The evidence of a coalition's view, with the codes and people needed to interpret it.

    A crowd is the people with equal evidence.

    Attributes:
        evidence: the evidence of the view.
        codes: per column, the code number of each value.
        members: per crowd the indices of its people, if single people are recorded; else empty.
        truth: per crowd the number of its people with each true row, which no coalition knows.
        whole: whether the evidence includes all observations of the view.
    """

    evidence: Evidence
    codes: tuple[Mapping[str, int], ...]
    members: tuple[tuple[int, ...], ...]
    truth: Truth
    whole: bool

    def row(self, values: "Row") -> Cell:
        """Return the code numbers of a row's values; -1 for a column without a value."""
        return tuple(
            codes[values[column]] if column in values else UNKNOWN
            for column, codes in enumerate(self.codes)
        )


def evidence_from_view(
    view: "View",
    sizes: Sequence[int],
    truth: "Mapping[int, Row] | None" = None,
    prior: Shares | None = None,
) -> ReadEvidence:
    """Return the statements about the table that a coalition's view implies.

    Args:
        view: observations of the coalition.
        sizes: number of values of each column.
        truth: true rows by index of the person, for the worst case; or None.
        prior: common knowledge about the population; None: all labelled tables equally likely.
    """
    truth = dict(truth or {})  # not a deep copy, because rows are compared by identity
    # Counts that any party can compute from the announced cover rates of the decision.
    announced_counts = tuple(announced(view, len(sizes)))
    codes = _codes(
        len(sizes), (*view.counted, *announced_counts), _rows_to_code(view, truth), prior
    )
    usable = [counts_seen for counts_seen in view.counted if _usable(view, counts_seen)]
    listed = [counts_seen for counts_seen in announced_counts if _usable(view, counts_seen)]
    states = States.from_rounds(_laws(sizes, codes, prior), codes, view.counted)
    lengths = {
        number: rows_by_length(round_lengths, states)
        for number, round_lengths in view.lengths.items()
    }
    # People with equal observations form a crowd; these observations are the mark of the crowd.
    marks: Mapping[Mark, Sequence[int]]
    if view.respondents or any(view.by_round.values()):
        marks = recorded_crowds(view, (*usable, *listed), states)
    else:
        marks = counted_crowds(view, usable, listed, states)
    crowds = tuple(crowd_with(mark, len(people), lengths) for mark, people in marks.items())
    evidence = Evidence(
        states.laws,
        crowds,
        (*_groups(usable, list(marks), states), *_listed(listed, marks, len(usable), states)),
        _pools(view, list(marks)),
        states.values,
    )
    are_recorded = not isinstance(next(iter(marks.values()), ()), range)
    members = tuple(tuple(people) for people in marks.values()) if are_recorded else ()
    # The evidence is whole if no count is left out, and no message length is left out because too
    # many rows could have it.
    whole = len(usable) + len(listed) == len(view.counted) + len(announced_counts)
    whole = whole and not view.more and all(cells for _, cells in lengths.values())
    whole = whole and not (lengths and view.transcript.summary)
    reading = ReadEvidence(evidence, codes, members, {}, whole)
    return replace(reading, truth=_truly_held(reading, truth)) if truth else reading


def _rows_to_code(view: "View", truth: "Mapping[int, Row]") -> "list[Row]":
    """Return all rows with values that need a code number.

    These rows are linked rows, true rows, and rows of one value for each value that a message of
    known length may contain.
    """
    people = (*view.by_round.values(), truth)
    rows = [row for person_rows in people for row in distinct(person_rows.values())]
    for seen_lengths in view.lengths.values():
        rows += [{j: value} for j, values in enumerate(seen_lengths.domains) for value in values]
    return rows


def _truly_held(reading: ReadEvidence, truth: "Mapping[int, Row]") -> Truth:
    """Return, per crowd, the number of its people with each true row.

    A crowd is the people with equal evidence. truth: true rows by index of the person.
    """
    # each different row is coded once, because many people share a row
    coded = {id(row): reading.row(row) for row in distinct(truth.values())}
    cells_by_crowd: dict[int, Counter[Cell]] = {}
    for crowd, people in enumerate(reading.members):
        rows = Counter(map(id, map(truth.get, people)))
        cells_by_crowd[crowd] = Counter()
        for row, number in rows.items():
            if row in coded:  # people without a recorded truth have no row
                cells_by_crowd[crowd][coded[row]] += number
    return cells_by_crowd


def _codes(
    columns: int, all_counts: "Iterable[CountsSeen]", rows: "Iterable[Row]", prior: Shares | None
) -> tuple[Mapping[str, int], ...]:
    """Number the values of every column; the values come from the prior, counts, rules and rows."""
    codes: list[dict[str, int]] = [{} for _ in range(columns)]
    for column, shares in enumerate(prior or ()):
        codes[column] = {value: code for code, value in enumerate(sorted(shares))}
    texts: list[set[str]] = [set() for _ in range(columns)]
    for counts_seen in all_counts:
        for cell in counts_seen.counts:
            for column, value in zip(counts_seen.columns, cell, strict=True):
                texts[column].add(value)
        for rule in counts_seen.hidden:
            texts[rule.column].update(rule.named_values if isinstance(rule, Mask) else rule.values)
    for column, value in {item for row in rows for item in row.items()}:
        texts[column].add(value)
    for codes_of_column, column_texts in zip(codes, texts, strict=True):
        for value in sorted(column_texts - HIDDEN):
            codes_of_column.setdefault(value, len(codes_of_column))
    return tuple(codes)


def _laws(
    sizes: Sequence[int], codes: Sequence[Mapping[str, int]], prior: Shares | None
) -> tuple[Law, ...]:
    """Return the prior share of each value of each column.

    Without a prior all values are equally likely. codes: per column, value -> its code number.
    """
    if prior is None:
        column_sizes = [
            max(size, len(codes_of_column))
            for size, codes_of_column in zip(sizes, codes, strict=True)
        ]
        return tuple((1 / size,) * size for size in column_sizes)
    laws = []
    for shares, codes_of_column in zip(prior, codes, strict=True):
        law = [shares.get(value, 0.0) for value in codes_of_column]
        # a value without a prior share that was reported gets the least share, because it is
        # possible
        least_share = min(share for share in law if share)
        law = [share or least_share for share in law]
        laws.append(tuple(share / sum(law) for share in law))
    return tuple(laws)


def _usable(view: "View", counts_seen: "CountsSeen") -> bool:
    """Whether the view shows which people were counted, so that the counts can be used as evidence.

    The number of respondents that the view shows must equal the number of counted people.
    """
    if counts_seen.among is not None:
        return len(counts_seen.among) == counts_seen.people
    if view.respondents:
        return (
            len(view.respondents.get((counts_seen.round, counts_seen.columns), ()))
            == counts_seen.people
        )
    return counts_seen.people <= view.users and (
        not view.pinned or counts_seen.people == view.users
    )


def _groups(
    usable: "Sequence[CountsSeen]", marks: Sequence[Mark], states: States
) -> Iterable[CrowdCount]:
    """Yield the counts of a view as counts over crowds of people with equal evidence.

    usable: the counts. marks: the observations of each crowd. states: the states of values
    (reported or suppressed), which give the text that people report in each state.
    """
    for place, counts_seen in enumerate(usable):
        counts = {
            tuple(map(states.code, counts_seen.columns, cell)): people
            for cell, people in counts_seen.counts.items()
            if people
        }
        rules = {rule.column: rule for rule in counts_seen.hidden}
        labels = tuple(states.labels(column, rules.get(column)) for column in counts_seen.columns)
        crowds = frozenset(i for i, mark in enumerate(marks) if mark.counted[place])
        is_plain = not states.values and not rules.keys() & set(counts_seen.columns)
        yield CrowdCount(counts_seen.columns, counts, crowds, () if is_plain else labels)


def _listed(
    listed: "Sequence[CountsSeen]", marks: Mapping[Mark, Sequence[int]], at: int, states: States
) -> Iterable[CrowdCount]:
    """Yield counts of people with a suppressed value, which follow from announced cover rates.

    A cover rate is the probability of random suppression. People whose value is revealed have
    reported their value, so they are subtracted from the people that did not have to suppress.

    listed: the counts that follow from cover rates. marks: people by the observations that they
    have in common. at: index in `Mark.counted` of the first count in `listed`. states: the states
    of values (reported or suppressed).
    """
    for place, counts_seen in enumerate(listed, start=at):
        (column,), (rule,) = counts_seen.columns, counts_seen.hidden
        named_codes = (
            {states.codes[column][text] for text in rule.values} if isinstance(rule, Redact) else ()
        )
        values = states.values[column] if states.values else range(len(states.laws[column]))
        labels = tuple(LABELS[BLANK if value in named_codes else OTHER_VALUE] for value in values)
        counted_marks = {i: mark for i, mark in enumerate(marks) if mark.counted[place]}
        shown_people = sum(
            len(marks[number]) for number in counted_marks.values() if column in number.revealed
        )
        counts: dict[Cell, int] = {
            (LABELS[label],): n for (label,), n in counts_seen.counts.items()
        }
        counts[LABELS[OTHER_VALUE],] -= shown_people
        crowds = frozenset(i for i, mark in counted_marks.items() if column not in mark.revealed)
        if crowds:
            yield CrowdCount((column,), counts, crowds, (labels,))


def _pools(view: "View", marks: Sequence[Mark]) -> tuple[frozenset[int], ...]:
    """Return the pool of people not linked, if no coalition member saw the senders of answers.

    A pool is a set of crowds (people with equal evidence). The coalition knows the number of absent
    people, but not in which crowd of the pool a person is. marks: the observations of each crowd.
    """
    if view.sees_who or not view.fixed:
        return ()
    unlinked = frozenset(place for place, mark in enumerate(marks) if not mark.linked)
    return (unlinked,) if len(unlinked) > 1 else ()
