"""From a view to evidence: what a coalition's sightings say of people, put as `evidence.py` has it.

* Whoever is pinned is a crowd of its values; the members' own people are crowds of their own.
* Counts that were read are counts over the crowds whose answers reached the reader. Who that is,
  the first shuffler and the network see; others know only how many, so that people who answered
  different rounds are pooled. (A member knows whether its own answer was counted.)
* What was hidden before it was said is counted by label: behind "other" is any value that may not
  be named. A value that may also be left blank as a cover has two states, said and left blank, as
  likely as the rule makes them.
* How likely a cover is says how many people have a value that is left blank (announced_rates.py).
* Where messages are not padded, a person's row is one of those that are as long as its messages.
* In the summary form and in an ideal run single people are not recorded: whoever answered a later
  round is then taken to have answered the earlier ones, as it is with the same people in every
  round; with other people in each round, the crowds of the rounds are apart.

Counts that cannot be those of known people (a message was forged, or changed on its way) say
nothing here; `whole` is then False, and what is inferred is the least that the coalition knows.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise, product
from math import prod
from typing import TYPE_CHECKING

from ...protocol.hiding import BLANK, HIDDEN, OTHER, Mask, Redact
from .announced_rates import announced
from .best_guesses import Truth
from .evidence import Allowed, Cell, Crowd, Evidence, Group, Labels, Law

if TYPE_CHECKING:
    from ...protocol.hiding import Hiding
    from ...protocol.record import CountsSeen, Lengths
    from ...protocol.transcript import Row
    from ...protocol.view import View

Shares = Sequence[Mapping[str, float]]  # per column, the prior share of each value
MOST_FITTING = 100_000  # rows whose length is looked at
UNKNOWN = -1  # the code of a value that nobody has said
_Lengths = tuple[tuple[int, tuple[int, ...]], ...]
_Fits = tuple[tuple[int, ...], Mapping[tuple[int, ...], frozenset[Cell]]]
LABELS = {OTHER: -1, BLANK: -2}  # of what is said instead of a value


@dataclass(frozen=True, slots=True)
class Known:
    """Evidence, with what it takes to read it.

    codes: per column the number of each value. members: per crowd the people in it, by index, where
    single people are recorded. truth: what they truly hold, which no coalition is told.
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


@dataclass(frozen=True, slots=True)
class States:
    """The states that values may be in, and what each rule says of them.

    laws: prior share of each state; values: the value of each, () if they are the same. rules: per
    round and column, what people did to their values before they said them.
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
            blank[column] = frozenset(place for place, one in enumerate(some) if one[2])
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
            self.memory[key] = frozenset(s for s, one in enumerate(labels) if one == label)
        return self.memory[key]

    def held(
        self, said: "Iterable[tuple[Mapping[int, Hiding], Row]]"
    ) -> tuple[tuple[int, frozenset[int]], ...]:
        """Per column the states of somebody who said this, under these rules."""
        found: dict[int, frozenset[int]] = {}
        for rules, row in said:
            for column, text in row.items():
                rule = rules.get(column)
                if text in HIDDEN and rule is None:
                    continue  # a rule that the coalition was not shown
                states = self.behind(column, rule, text)
                # Who said two things in two rounds lied once; the latest is taken.
                found[column] = found.get(column, states) & states or states
        return tuple(sorted(found.items()))


@dataclass(frozen=True, slots=True)
class _Mark:
    """What tells people of one crowd from those of another.

    held: column, states possible. lengths: round, lengths of the person's messages.
    """

    held: tuple[tuple[int, frozenset[int]], ...] = ()
    counted: tuple[bool, ...] = ()
    revealed: frozenset[int] = frozenset()
    linked: bool = False
    own: bool = False
    lengths: _Lengths = ()


def evidence_from_view(
    view: "View",
    sizes: Sequence[int],
    truth: "Mapping[int, Row] | None" = None,
    prior: Shares | None = None,
) -> Known:
    """Put a view as evidence.

    Args:
        view: what the coalition saw.
        sizes: number of values of each column.
        truth: what people truly hold, by index, for the worst case; or None.
        prior: what everybody knows of the population; None: all labelled tables equally likely.
    """
    told = tuple(announced(view, len(sizes)))  # what the decision's covers tell, as counts
    codes = _codes(len(sizes), (*view.counted, *told), _spoken(view, truth), prior)
    usable = [seen for seen in view.counted if _usable(view, seen)]
    listed = [seen for seen in told if _usable(view, seen)]
    states = States.of(_laws(sizes, codes, prior), codes, view.counted)
    lengths = {number: _fits(one, states) for number, one in view.lengths.items()}
    # People of whom the same was seen are one crowd, by what was seen (its mark).
    marks: Mapping[_Mark, Sequence[int]]
    if view.came or view.pinned:
        marks = _recorded(view, (*usable, *listed), states)
    else:
        marks = _abstract(view, usable, listed, states)
    crowds = tuple(_crowd(mark, len(people), lengths) for mark, people in marks.items())
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
    whole = whole and all(cells for _, cells in lengths.values())
    whole = whole and not (lengths and view.transcript.summary)
    known = Known(evidence, codes, members, {}, whole)
    return replace(known, truth=_truly_held(known, truth)) if truth else known


def _spoken(view: "View", truth: "Mapping[int, Row] | None") -> "list[Row]":
    """All rows whose values must have a code: pinned, true, and those a length may stand for."""
    rows = [*view.pinned.values(), *(truth or {}).values()]
    for one in view.lengths.values():
        rows += [{j: value} for j, values in enumerate(one.domains) for value in values]
    return rows


def _truly_held(known: Known, truth: "Mapping[int, Row]") -> Truth:
    """Per crowd, how many of its people truly hold each row."""
    return {
        crowd: Counter(known.row(truth[person]) for person in people if person in truth)
        for crowd, people in enumerate(known.members)
    }


def _codes(
    columns: int, counted: "Iterable[CountsSeen]", rows: "Iterable[Row]", prior: Shares | None
) -> tuple[Mapping[str, int], ...]:
    """Number the values of every column, as far as anybody named them."""
    found: list[dict[str, int]] = [{} for _ in range(columns)]
    for column, shares in enumerate(prior or ()):
        found[column] = {value: code for code, value in enumerate(sorted(shares))}
    texts: list[set[str]] = [set() for _ in range(columns)]
    for seen in counted:
        for cell in seen.counts:
            for column, value in zip(seen.columns, cell, strict=True):
                texts[column].add(value)
        for rule in seen.hidden:
            texts[rule.column].update(rule.said if isinstance(rule, Mask) else rule.values)
    for row in rows:
        for column, value in row.items():
            texts[column].add(value)
    for known, some in zip(found, texts, strict=True):
        for value in sorted(some - HIDDEN):
            known.setdefault(value, len(known))
    return tuple(found)


def _laws(
    sizes: Sequence[int], codes: Sequence[Mapping[str, int]], prior: Shares | None
) -> tuple[Law, ...]:
    """The prior law of each column; values beyond those named are all alike."""
    if prior is None:
        most = [max(size, len(known)) for size, known in zip(sizes, codes, strict=True)]
        return tuple((1 / size,) * size for size in most)
    found = []
    for shares, known in zip(prior, codes, strict=True):
        law = [shares.get(value, 0.0) for value in known]
        least = min(share for share in law if share)  # nothing that was said is impossible
        law = [share or least for share in law]
        found.append(tuple(share / sum(law) for share in law))
    return tuple(found)


def _usable(view: "View", seen: "CountsSeen") -> bool:
    """Whether counts are those of people who are known to have answered."""
    if view.came:
        return len(view.came.get((seen.round, seen.columns), ())) == seen.people
    return seen.people <= view.users and (not view.pinned or seen.people == view.users)


def _recorded(
    view: "View", usable: "Sequence[CountsSeen]", states: States
) -> Mapping[_Mark, list[int]]:
    """Crowds of people who are recorded one by one."""
    everybody = frozenset(range(view.users))
    came = [view.came.get((seen.round, seen.columns), everybody) for seen in usable]
    own = view.own
    whole = frozenset(column for columns in view.everybody.values() for column in columns)
    rounds = [(states.rules.get(number, {}), rows) for number, rows in view.by_round.items()]
    marks: dict[_Mark, list[int]] = {}
    plain: dict[tuple[tuple[bool, ...], _Lengths], list[int]] = {}
    for person in range(view.users):
        counted = tuple([person in some for some in came])
        lengths = tuple(
            [(n, one.people[person]) for n, one in view.lengths.items() if person in one.people]
        )
        said = [(rules, rows[person]) for rules, rows in rounds if person in rows]
        if not said and not whole:
            plain.setdefault((counted, lengths), []).append(person)
            continue
        mark = _Mark(states.held(said), counted, whole, linked=True, own=person in own)
        marks.setdefault(mark, []).append(person)
    others = {_Mark(counted=key[0], lengths=key[1]): people for key, people in plain.items()}
    return marks | others


def _crowd(mark: _Mark, people: int, lengths: "Mapping[int, _Fits]") -> Crowd:
    """What is known of each person with a mark."""
    known, allowed = _statements(mark.held)
    fits = tuple(
        Allowed(columns, cells[seen])
        for number, seen in mark.lengths
        for columns, cells in [lengths[number]]
        if seen in cells
    )
    return Crowd(people, known, allowed + fits, mark.revealed, mark.linked, mark.own)


def _fits(seen: "Lengths", states: States) -> "_Fits":
    """The columns of a round, and per lengths seen the cells of which they may be.

    Nothing where there are too many cells to look at; that is then left out.
    """
    columns = tuple(sorted({column for ask in seen.asks for column in ask}))
    known = [
        {code: 2 + len(text.encode()) for text, code in states.codes[column].items()}
        for column in columns
    ]
    sizes: list[list[tuple[int, int]]] = []  # per column: state, bytes
    for column, bytes_of in zip(columns, known, strict=True):
        values = states.labels(column, None)
        held = [(s, bytes_of[v]) for s, v in enumerate(values) if v in bytes_of]
        sizes.append(held)
    found: dict[tuple[int, ...], set[Cell]] = {}
    if prod(map(len, sizes)) > MOST_FITTING:
        return columns, {}
    places = [[columns.index(column) for column in ask] for ask in seen.asks]
    for cell in product(*sizes):
        each = [sum(cell[place][1] for place in ask) for ask in places]
        key = tuple(sorted(each)) if seen.apart else (sum(each),)
        found.setdefault(key, set()).add(tuple(state for state, _ in cell))
    return columns, {key: frozenset(cells) for key, cells in found.items()}


def _statements(
    held: tuple[tuple[int, frozenset[int]], ...],
) -> tuple[tuple[tuple[int, int], ...], tuple[Allowed, ...]]:
    """What is known and what is allowed, of the states that are possible."""
    known = tuple((column, min(some)) for column, some in held if len(some) == 1)
    allowed = tuple(
        Allowed((column,), frozenset((state,) for state in some))
        for column, some in held
        if len(some) > 1
    )
    return known, allowed


def _abstract(
    view: "View",
    usable: "Sequence[CountsSeen]",
    listed: "Sequence[CountsSeen]",
    states: States,
) -> Mapping[_Mark, range]:
    """Crowds of people of whom only numbers are recorded: the first so many of each round."""
    both = [*usable, *listed]
    rounds = sorted({seen.round for seen in both} | set(view.everybody))
    sizes = {
        number: max((seen.people for seen in both if seen.round == number), default=view.users)
        for number in rounds
    }
    starts = dict.fromkeys(rounds, 0)
    if not view.fixed:
        for number, before in zip(rounds[1:], rounds, strict=False):
            starts[number] = starts[before] + sizes[before]
    spans = [range(starts[one.round], starts[one.round] + one.people) for one in both]
    shown = {n: range(starts[n], min(starts[n] + sizes[n], view.users)) for n in view.everybody}
    edges = {0, view.users}
    for span in (*spans, *shown.values()):
        edges |= {min(span.start, view.users), min(span.stop, view.users)}
    cuts = sorted(edges)
    marks: dict[_Mark, range] = {}
    for start, stop in pairwise(cuts):
        here = [number for number, span in shown.items() if start in span]
        counted = tuple(start in span for span in spans)
        for revealed, held, people in _shown(view, usable, states, here, range(start, stop)):
            marks[_Mark(held, counted, revealed, linked=bool(here))] = people
    return marks


def _shown(
    view: "View", usable: "Sequence[CountsSeen]", states: States, rounds: list[int], people: range
) -> "Iterable[tuple[frozenset[int], tuple[tuple[int, frozenset[int]], ...], range]]":
    """People whose answers of some rounds are pinned, by what they left out of them.

    A value is revealed that was said in any of these rounds. Of one that was left out in the only
    round that asked for it, as many people as were counted know what may stand behind it.
    """
    plain = frozenset(
        column
        for number in rounds
        for column in view.everybody[number]
        if column not in states.rules.get(number, {})
    )
    ruled = [seen for seen in usable if seen.round in rounds and not plain.issuperset(seen.columns)]
    if len(ruled) != 1 or ruled[0].people != len(people):
        yield plain, (), people
        return
    (seen,) = ruled
    patterns: Counter[tuple[tuple[int, str], ...]] = Counter()
    for cell, number in seen.counts.items():
        left = zip(seen.columns, cell, strict=True)
        patterns[tuple((c, said) for c, said in left if said in HIDDEN and c not in plain)] += (
            number
        )
    start = people.start
    for pattern, number in sorted(patterns.items()):
        out = dict(pattern)
        revealed = plain | {column for column in seen.columns if column not in out}
        held = states.held([(states.rules.get(seen.round, {}), out)])
        yield revealed, held, range(start, start + number)
        start += number


def _groups(
    usable: "Sequence[CountsSeen]", marks: Sequence[_Mark], states: States
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
    listed: "Sequence[CountsSeen]", marks: Mapping[_Mark, Sequence[int]], at: int, states: States
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
        shown = sum(len(marks[one]) for one in counted.values() if column in one.revealed)
        counts: dict[Cell, int] = {(LABELS[said],): n for (said,), n in seen.counts.items()}
        counts[LABELS[OTHER],] -= shown
        crowds = frozenset(i for i, mark in counted.items() if column not in mark.revealed)
        if crowds:
            yield Group((column,), counts, crowds, (labels,))


def _pools(view: "View", marks: Sequence[_Mark]) -> tuple[frozenset[int], ...]:
    """Those who are not linked, where nobody in the coalition saw who handed something in."""
    if view.sees_who or not view.fixed:
        return ()
    some = frozenset(place for place, mark in enumerate(marks) if not mark.linked)
    return (some,) if len(some) > 1 else ()
