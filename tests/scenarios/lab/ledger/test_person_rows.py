"""Differences of tables in which persons have several rows, against a count person by person."""

from collections import Counter, defaultdict

from hypothesis import given, settings
from hypothesis import strategies as st
from veilmix.analysis.exposure.persons import Persons
from veilmix.protocol.history.release_safety import Release
from veilmix.scenarios.lab.ledger.groups import KnownRelease, SessionPromise, new_groups
from veilmix.scenarios.lab.ledger.net_change import net_changes
from veilmix.scenarios.lab.ledger.person_rows import person_counts

Table = dict[str, list[str]]  # the cells of the rows of each person
rows = st.lists(st.sampled_from("xyz"), min_size=1, max_size=4)
tables = st.dictionaries(st.sampled_from("abcdefghij"), rows, min_size=1)


def release(number: int, table: Table) -> KnownRelease:
    told = Release(frozenset(table), frozenset(["column"]))
    by_person = {person: [(value,) for value in values] for person, values in table.items()}
    return KnownRelease.with_cells(number, told, person_counts(by_person), by_person)


def difference(before: Table, after: Table, k: int) -> tuple[int, int]:
    """People with other rows in both tables, and those in cells that show fewer than k."""
    more, fewer = defaultdict(set), defaultdict(set)
    for person in before.keys() | after.keys():
        old, new = Counter(before.get(person, ())), Counter(after.get(person, ()))
        for value in "xyz":
            if new[value] > old[value]:
                more[value].add(person)
            elif new[value] < old[value]:
                fewer[value].add(person)
    shown, at_most = set(), 0
    for value in "xyz":
        size = abs(len(more[value]) - len(fewer[value]))
        lists = (
            sum(t.count(value) for t in after.values()),
            sum(t.count(value) for t in before.values()),
        )
        if size == 0 and lists[0] != lists[1]:
            size = 1
        persons = [sum(value in cells for cells in t.values()) for t in (before, after)]
        below = [each for each in (size, abs(persons[1] - persons[0])) if 0 < each < k]
        if below:
            shown |= more[value] | fewer[value]
            at_most += max(below)
    people = set().union(*more.values(), *fewer.values())
    return len(people), min(len(shown), at_most)


@settings(max_examples=200, deadline=None, derandomize=True)
@given(tables, tables, st.integers(1, 4))
def test_the_difference_is_counted_in_persons(before: Table, after: Table, k: int) -> None:
    promises = [SessionPromise(frozenset(t), k, 0.1) for t in (before, after)]
    found = list(net_changes([release(1, before)], release(2, after), promises))
    people, shown = difference(before, after, k)
    came, left = set(after) - set(before), set(before) - set(after)
    if set(before).isdisjoint(after) or bool(came) != bool(left) or not people:
        assert not found
        return
    (change,) = found
    assert (change.people, change.exposed) == (people, shown)
    assert change.breaks == (shown > 0.1 * people)


@settings(max_examples=200, deadline=None, derandomize=True)
@given(tables, st.sets(st.sampled_from("abcdefghij")), st.integers(1, 4))
def test_leavers_are_exposed_as_persons_are(table: Table, left: set[str], k: int) -> None:
    """By subtraction leavers are a table of their own: as exposed as `score` counts them."""
    gone = {person: table[person] for person in sorted(left & table.keys())}
    stay = {person: values for person, values in table.items() if person not in gone}
    if not gone or not stay:
        return
    promises = [SessionPromise(frozenset(t), k, 0.1) for t in (table, stay)]
    found = new_groups([release(1, table)], release(2, stay), promises)
    (group,) = (group for group in found if group.people == frozenset(gone))
    pairs = [
        (number, "xyz".index(value)) for number, own in enumerate(gone.values()) for value in own
    ]
    persons = Persons.from_table([[code] for _, code in pairs], [number for number, _ in pairs])
    assert group.exposed == persons.below([0], k)
    assert group.at_most is not None
    assert group.exposed <= group.at_most


def test_a_person_of_two_small_cells_counts_once() -> None:
    before = {f"p{n}": ["x", "y"] for n in range(9)}
    after = {**{f"p{n}": ["x", "y"] for n in range(8)}, "new": ["z"]}
    promises = [SessionPromise(frozenset(t), 5, 0.1) for t in (before, after)]
    (change,) = net_changes([release(1, before)], release(2, after), promises)
    assert (change.newcomers, change.leavers, change.people, change.exposed) == (1, 1, 2, 2)


def test_another_visit_to_the_same_ward_is_a_change() -> None:
    before = {"a": ["x"], "b": ["x"], "c": ["y"]}
    after = {"a": ["x", "x"], "b": ["x"], "c": ["y"]}
    promises = [SessionPromise(frozenset(t), 2, 0.1) for t in (before, after)]
    (change,) = net_changes([release(1, before)], release(2, after), promises)
    assert (change.people, change.exposed) == (1, 1)


def test_a_person_that_equal_rows_hide_is_in_the_counts_of_persons() -> None:
    """Rows stay 10 in x and 10 in y, and different persons fall from 10 to 9 in both."""
    before = {person: ["x", "y"] for person in "abcdefghij"}
    after = before | {"a": ["x", "x"], "b": ["y", "y"]}
    promises = [SessionPromise(frozenset(before), 5, 0.0)] * 2
    (change,) = net_changes([release(1, before)], release(2, after), promises)
    assert (change.people, change.exposed, change.breaks) == (2, 2, True)
