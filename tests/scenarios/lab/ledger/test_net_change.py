"""The difference of two tables, beside the people who came, left and moved."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from veilmix.protocol.history.release_safety import Release
from veilmix.scenarios.lab.ledger.groups import KnownRelease, SessionPromise
from veilmix.scenarios.lab.ledger.net_change import net_changes

Table = dict[str, str]
tables = st.dictionaries(st.sampled_from("abcdefghijklmnop"), st.sampled_from("xyz"), min_size=1)


def release(number: int, table: Table) -> KnownRelease:
    told = Release(frozenset(table), frozenset(["column"]))
    cells = {(value,): people for value, people in Counter(table.values()).items()}
    return KnownRelease.with_cells(number, told, cells)


@settings(max_examples=200, deadline=None, derandomize=True)
@given(tables, tables, st.integers(1, 4))
def test_no_more_is_shown_than_came_left_or_moved(before: Table, after: Table, k: int) -> None:
    promises = [SessionPromise(frozenset(t), k, 0.1) for t in (before, after)]
    found = list(net_changes([release(1, before)], release(2, after), promises))
    came, left = set(after) - set(before), set(before) - set(after)
    moved = [who for who in set(before) & set(after) if before[who] != after[who]]
    if set(before).isdisjoint(after) or bool(came) != bool(left):
        assert not found
        return
    difference = {
        v: sum(x == v for x in after.values()) - sum(x == v for x in before.values()) for v in "xyz"
    }
    if not (came or left or any(difference.values())):
        assert not found
        return
    (change,) = found
    assert (change.newcomers, change.leavers) == (len(came), len(left))
    assert change.exposed <= change.people <= len(came) + len(left) + len(moved)
    small = sum(abs(d) for d in difference.values() if abs(d) < k)
    assert change.exposed == min(change.people, small)
    assert change.breaks == (change.exposed / change.people > 0.1)


def test_the_strictest_promise_counts() -> None:
    before, after = dict.fromkeys("abcd", "x"), dict.fromkeys("bcdefg", "x")
    promises = [SessionPromise(frozenset(before), 5, 0.5), SessionPromise(frozenset(after), 2, 0.9)]
    (change,) = net_changes([release(1, before)], release(2, after), promises)
    assert (change.k, change.max_exposure, change.exposed) == (5, 0.5, 2)
    assert change.subtraction.releases == "session 2 - session 1"


@pytest.mark.parametrize("rules", [("coarser",), ()])
def test_other_words_are_not_compared(rules: tuple[str, ...]) -> None:
    before, after = dict.fromkeys("abcd", "x"), dict.fromkeys("bcde", "x")
    told = Release(
        frozenset(after), frozenset(["column"]), coarser={"column": rules} if rules else {}
    )
    now = KnownRelease.with_cells(2, told, {("x",): 4})
    promises = [SessionPromise(frozenset(before), 2, 0), SessionPromise(frozenset(after), 2, 0)]
    assert len(list(net_changes([release(1, before)], now, promises))) == (0 if rules else 1)
