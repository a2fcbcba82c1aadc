"""From a view to evidence: what a coalition's sightings say of people, put as `evidence.py` has it.

* Whoever is pinned is a crowd of its values; the members' own people are crowds of their own.
* Counts that were read are counts over the crowds whose answers reached the reader. Who that is,
  the first shuffler and the network see; others know only how many, so that people who answered
  different rounds are pooled. (A member knows whether its own answer was counted.)
* How likely a cover is says how many people have a value that is left blank (announced_rates.py).
* Who of them are alike is the matter of crowd_marks.py, what hidden values may be that of
  value_states.py.

Counts that cannot be those of known people (a message was forged, or changed on its way) say
nothing here; `whole` is then False, and what is inferred is the least that the coalition knows.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ...protocol.hiding import BLANK, HIDDEN, OTHER, Mask, Redact
from ...protocol.record import distinct
from .announced_rates import announced
from .best_guesses import Truth
from .crowd_marks import Mark, counted_crowds, crowd_with, recorded_crowds, rows_by_length
from .evidence import Cell, Evidence, Group, Law
from .value_states import LABELS, States

if TYPE_CHECKING:
    from ...protocol.record import CountsSeen
    from ...protocol.transcript import Row
    from ...protocol.view import View

Shares = Sequence[Mapping[str, float]]  # per column, the prior share of each value
UNKNOWN = -1  # the code of a value that nobody has said


@dataclass(frozen=True, slots=True)
class ReadEvidence:
    """Evidence, with what it takes to read it.

    Attributes:
        evidence: what follows from the view.
        codes: per column the number of each value.
        members: per crowd the people in it, by index, where single people are recorded.
        truth: what they truly hold, which no coalition is told.
        whole: whether all that was seen is in it.
    """

    evidence: Evidence
    codes: tuple[Mapping[str, int], ...]
    members: tuple[tuple[int, ...], ...]
    truth: Truth
    whole: bool

    def row(self, values: "Row") -> Cell:
        """A row in codes; -1 where it says nothing."""
        return tuple(
            codes[values[column]] if column in values else UNKNOWN
            for column, codes in enumerate(self.codes)
        )

    def crowd_of(self, person: int) -> int:
        """The crowd that a person is in."""
        return next(crowd for crowd, people in enumerate(self.members) if person in people)


def evidence_from_view(
    view: "View",
    sizes: Sequence[int],
    truth: "Mapping[int, Row] | None" = None,
    prior: Shares | None = None,
) -> ReadEvidence:
    """Put a view as evidence.

    Args:
        view: what the coalition saw.
        sizes: number of values of each column.
        truth: what people truly hold, by index, for the worst case; or None.
        prior: what everybody knows of the population; None: all labelled tables equally likely.
    """
    truth = dict(truth or {})  # whose rows are told apart by which they are
    told = tuple(announced(view, len(sizes)))  # what the decision's covers tell, as counts
    codes = _codes(len(sizes), (*view.counted, *told), _spoken(view, truth), prior)
    usable = [seen for seen in view.counted if _usable(view, seen)]
    listed = [seen for seen in told if _usable(view, seen)]
    states = States.of(_laws(sizes, codes, prior), codes, view.counted)
    lengths = {
        number: rows_by_length(round_lengths, states)
        for number, round_lengths in view.lengths.items()
    }
    # People of whom the same was seen are one crowd, by what was seen (its mark).
    marks: Mapping[Mark, Sequence[int]]
    if view.came or any(view.by_round.values()):
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
    named = not isinstance(next(iter(marks.values()), ()), range)
    members = tuple(tuple(people) for people in marks.values()) if named else ()
    # Whether all that was seen is in the evidence: no count that says nothing, no length too long.
    whole = len(usable) + len(listed) == len(view.counted) + len(told)
    whole = whole and not view.more and all(cells for _, cells in lengths.values())
    whole = whole and not (lengths and view.transcript.summary)
    known = ReadEvidence(evidence, codes, members, {}, whole)
    return replace(known, truth=_truly_held(known, truth)) if truth else known


def _spoken(view: "View", truth: "Mapping[int, Row]") -> "list[Row]":
    """All rows whose values must have a code: pinned, true, and those a length may stand for."""
    people = (*view.by_round.values(), truth)
    rows = [row for some in people for row in distinct(some.values())]
    for seen_lengths in view.lengths.values():
        rows += [{j: value} for j, values in enumerate(seen_lengths.domains) for value in values]
    return rows


def _truly_held(known: ReadEvidence, truth: "Mapping[int, Row]") -> Truth:
    """Per crowd, how many of its people truly hold each row."""
    coded = {id(row): known.row(row) for row in distinct(truth.values())}  # many hold the same
    held: dict[int, Counter[Cell]] = {}
    for crowd, people in enumerate(known.members):
        rows = Counter(map(id, map(truth.get, people)))
        held[crowd] = Counter()
        for row, number in rows.items():
            if row in coded:  # there is none of people of whom nobody knows the truth
                held[crowd][coded[row]] += number
    return held


def _codes(
    columns: int, counted: "Iterable[CountsSeen]", rows: "Iterable[Row]", prior: Shares | None
) -> tuple[Mapping[str, int], ...]:
    """Number the values of every column, as far as anybody named them."""
    codes: list[dict[str, int]] = [{} for _ in range(columns)]
    for column, shares in enumerate(prior or ()):
        codes[column] = {value: code for code, value in enumerate(sorted(shares))}
    texts: list[set[str]] = [set() for _ in range(columns)]
    for seen in counted:
        for cell in seen.counts:
            for column, value in zip(seen.columns, cell, strict=True):
                texts[column].add(value)
        for rule in seen.hidden:
            texts[rule.column].update(rule.said if isinstance(rule, Mask) else rule.values)
    for column, value in {said for row in rows for said in row.items()}:
        texts[column].add(value)
    for known, some in zip(codes, texts, strict=True):
        for value in sorted(some - HIDDEN):
            known.setdefault(value, len(known))
    return tuple(codes)


def _laws(
    sizes: Sequence[int], codes: Sequence[Mapping[str, int]], prior: Shares | None
) -> tuple[Law, ...]:
    """The prior law of each column; values beyond those named are all alike."""
    if prior is None:
        most = [max(size, len(known)) for size, known in zip(sizes, codes, strict=True)]
        return tuple((1 / size,) * size for size in most)
    laws = []
    for shares, known in zip(prior, codes, strict=True):
        law = [shares.get(value, 0.0) for value in known]
        least = min(share for share in law if share)  # nothing that was said is impossible
        law = [share or least for share in law]
        laws.append(tuple(share / sum(law) for share in law))
    return tuple(laws)


def _usable(view: "View", seen: "CountsSeen") -> bool:
    """Whether counts are those of people who are known to have answered."""
    if seen.among is not None:
        return len(seen.among) == seen.people
    if view.came:
        return len(view.came.get((seen.round, seen.columns), ())) == seen.people
    return seen.people <= view.users and (not view.pinned or seen.people == view.users)


def _groups(
    usable: "Sequence[CountsSeen]", marks: Sequence[Mark], states: States
) -> Iterable[Group]:
    for place, seen in enumerate(usable):
        counts = {
            tuple(map(states.code, seen.columns, cell)): people
            for cell, people in seen.counts.items()
            if people
        }
        rules = {rule.column: rule for rule in seen.hidden}
        labels = tuple(states.labels(column, rules.get(column)) for column in seen.columns)
        crowds = frozenset(i for i, mark in enumerate(marks) if mark.counted[place])
        same = not states.values and not rules.keys() & set(seen.columns)
        yield Group(seen.columns, counts, crowds, () if same else labels)


def _listed(
    listed: "Sequence[CountsSeen]", marks: Mapping[Mark, Sequence[int]], at: int, states: States
) -> Iterable[Group]:
    """How many have a value that is left blank. at: the place of the first of these in the marks.

    Whose value is revealed said it, and so has another.
    """
    for place, seen in enumerate(listed, start=at):
        (column,), (rule,) = seen.columns, seen.hidden
        named = (
            {states.codes[column][text] for text in rule.values} if isinstance(rule, Redact) else ()
        )
        values = states.values[column] if states.values else range(len(states.laws[column]))
        labels = tuple(LABELS[BLANK if value in named else OTHER] for value in values)
        counted = {i: mark for i, mark in enumerate(marks) if mark.counted[place]}
        shown = sum(len(marks[number]) for number in counted.values() if column in number.revealed)
        counts: dict[Cell, int] = {(LABELS[said],): n for (said,), n in seen.counts.items()}
        counts[LABELS[OTHER],] -= shown
        crowds = frozenset(i for i, mark in counted.items() if column not in mark.revealed)
        if crowds:
            yield Group((column,), counts, crowds, (labels,))


def _pools(view: "View", marks: Sequence[Mark]) -> tuple[frozenset[int], ...]:
    """Those who are not linked, where nobody in the coalition saw who handed something in."""
    if view.sees_who or not view.fixed:
        return ()
    some = frozenset(place for place, mark in enumerate(marks) if not mark.linked)
    return (some,) if len(some) > 1 else ()
