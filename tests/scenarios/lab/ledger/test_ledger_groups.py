"""Groups that the releases of a ledger give by arithmetic: each keeps the strictest promise."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction
from itertools import combinations, product
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from ledger_kit import played
from veilmix.protocol.history.release_safety import Release
from veilmix.protocol.history.shuffler_history import HandedBatch
from veilmix.protocol.wire.hiding_rules import Redact
from veilmix.scenarios.lab.ledger import groups as module
from veilmix.scenarios.lab.ledger.book import read
from veilmix.scenarios.lab.ledger.cells import CountedCell, mark_of, marked, marked_column
from veilmix.scenarios.lab.ledger.entry import LedgerBatch, LedgerEntry
from veilmix.scenarios.lab.ledger.groups import (
    KnownRelease,
    ReleaseGroup,
    SessionPromise,
    TooManyGroupsError,
    new_groups,
)
from veilmix.scenarios.lab.ledger.people import ScenarioPeople
from veilmix.scenarios.lab.ledger.subtraction import TOO_MANY, GroupRule, group_rule
from veilmix.scenarios.lab.validation.load import check
from veilmix.scenarios.schema.model import About, Policy, PopulationSection, Scenario

KEY = bytes(32)
NAMES = [(a, b) for a in ("Ursula", "Quentin") for b in ("Ankh", "Bes")]
CELLS: list[tuple[str, ...]] = [row for row in NAMES for _ in range(15)]  # 60 people
GONE = (0, 1, 2, 15, 16, 30, 31, 32, 45, 46)  # 3, 2, 3, 2 of the rows
STAY = [i for i in range(60) if i not in GONE]
TOLD = "told apart by adding and subtracting releases"
Row = tuple[str, ...]


def write(path: Path, rows: Sequence[tuple[int, Row]]) -> Path:
    lines = [f"{number},{','.join(row)}" for number, row in rows]
    columns = ("number", *(f"c{i}" for i in range(len(rows[0][1]))))
    path.write_text("\n".join((",".join(columns), *lines)) + "\n")
    return path


def scenario(source: Path, columns: Sequence[str] = ("c0", "c1"), **policy: Any) -> Scenario:
    """Release what is safe at k = 5 and 20 %."""
    asked = {"k": 5, "max_exposure": 0.2, **policy}
    data = {
        "scenario": {"name": source.stem, "seed": 7},
        "population": {"source": str(source)},
        "feature": [{"name": name} for name in columns],
        "policy": asked,
    }
    made = msgspec.convert(data, Scenario)
    check(made)
    return made


@pytest.fixture
def everybody(tmp_path: Path) -> Path:
    return write(tmp_path / "sixty.csv", list(enumerate(CELLS)))


@pytest.fixture
def most(tmp_path: Path) -> Path:
    return write(tmp_path / "fifty.csv", [(i, CELLS[i]) for i in STAY])


# The case of ten who left


def test_ten_who_left_are_seen_said_and_refused(book: Path, everybody: Path, most: Path) -> None:
    """60 people, then 50 of them: every crowd of the difference is smaller than 5."""
    assert played(book, scenario(everybody)).release is not None
    before = read(book)
    again = played(book, scenario(most))
    assert again.release is None
    assert again.burned is not None
    assert again.burned.startswith(f"10 people are {TOLD}: it cannot be proved that at most 20 %")
    assert again.ledger is not None
    assert again.ledger.refused == again.burned
    (group,) = again.ledger.subtractions
    assert (group.people, group.at_most, group.exposed) == (10, 10, None)
    assert (group.k, group.max_exposure, group.columns) == (5, 0.2, ("c0", "c1"))
    assert group.releases == "session 1 - session 2"
    first, second = read(book)  # what was refused holds round 1, and no release
    assert (first,) == before
    assert [batch.public for batch in second.handed] == [False]
    assert second.released == ()
    assert second.burned == again.burned
    assert first.cells == (15, 15, 15, 15)
    assert not any(value in book.read_text() for value in ("Ursula", "Quentin", "Ankh"))


def test_a_policy_that_warns_prints_the_exposure(book: Path, everybody: Path, most: Path) -> None:
    """The strictest promise is the first session's. An open domain changes nothing."""
    settings = (everybody, {}), (most, {"k": 1, "max_exposure": 1.0, "ledger": "warn"})
    for source, more in settings:
        data = msgspec.to_builtins(scenario(source, kind="all", **more))
        data["feature"] = [{"name": name, "open": True, "width": 7} for name in ("c0", "c1")]
        outcome = played(book, msgspec.convert(data, Scenario))
        assert outcome.release is not None
    account = outcome.ledger
    assert account is not None
    (warned,) = account.warnings
    assert f"10 people are {TOLD}" in warned
    assert "at most 20 % of them are in a crowd smaller than 5" in warned
    assert account.groups == 2
    left, whole = account.subtractions
    assert (left.people, left.exposed, left.k) == (10, 10, 5)
    assert (whole.people, whole.exposed, whole.k) == (50, 0, 5)  # all of them, promised 5 before


# Every group, against a listing of all sets of people

PEOPLE = 5


def known(
    number: int, people: Collection[int], table: Mapping[int, Row], columns: Sequence[str] = "ab"
) -> KnownRelease:
    """A release about some people of a table."""
    marks = frozenset(map(str, people))
    cells = Counter(table[person][: len(columns)] for person in people)
    return KnownRelease.with_cells(number, Release(marks, frozenset(columns)), cells)


def given(crowds: Sequence[Collection[int]]) -> set[frozenset[str]]:
    """Every set of people whose addition leaves the rank as it is."""
    rows = [[int(person in crowd) for person in range(PEOPLE)] for crowd in crowds]
    rank = np.linalg.matrix_rank(np.array(rows))
    return {
        frozenset(map(str, some))
        for size in range(1, PEOPLE + 1)
        for some in combinations(range(PEOPLE), size)
        if np.linalg.matrix_rank(np.array([*rows, [int(p in some) for p in range(PEOPLE)]])) == rank
    }


def linked(crowds: Sequence[Collection[int]]) -> list[Collection[int]]:
    """The crowds that the last one reaches through common people."""
    near = [crowds[-1]]
    while more := [c for c in crowds if c not in near and any(set(c) & set(n) for n in near)]:
        near += more
    return near


def test_new_groups_are_those_that_no_earlier_release_gives() -> None:
    """Random sequences of crowds of five people, with the counts and the exposure of each group."""
    rng, found = np.random.default_rng(3), 0
    for _ in range(8):
        table = dict(enumerate(product("xy", "pq"))) | {4: ("x", "p")}
        crowds: list[Collection[int]] = []
        past: list[KnownRelease] = []
        for number in range(1, 5):
            crowds.append(rng.choice(PEOPLE, rng.integers(1, PEOPLE + 1), replace=False).tolist())
            now = known(number, crowds[-1], table)
            promises = [SessionPromise(r.scope.people, 2, 0.5) for r in (*past, now)]
            groups = new_groups(past, now, promises)
            near = linked(crowds)
            before = [crowd for crowd in crowds[:-1] if crowd in near]
            wanted = given(near) - (given(before) if before else set())
            assert {group.people for group in groups} == wanted - {now.scope.people}, crowds
            for group in groups:
                rows = Counter(table[int(person)] for person in group.people)
                assert group.counts(("a", "b")) == rows
                assert group.exposed == sum(few for few in rows.values() if few < 2)
                assert group.at_most is not None
                assert group.exposed is not None
                assert group.exposed <= group.at_most
                found += 1
            past.append(now)
    assert found > 20


@pytest.mark.usefixtures("plain_marks")
def test_whatever_passes_keeps_every_promise() -> None:
    """Random crowds and promises: all sets of people that the published counts give are listed."""
    rng, ended = np.random.default_rng(5), Counter[str]()
    for _ in range(8):
        table = {i: ("xy"[rng.integers(2)], "pq"[rng.integers(2)]) for i in range(PEOPLE)}
        shown: list[KnownRelease] = []
        promises: list[SessionPromise] = []
        for number in range(1, 6):
            crowd = rng.choice(PEOPLE, rng.integers(1, PEOPLE + 1), replace=False).tolist()
            now = known(number, crowd, table)
            k, share = int(rng.integers(1, 3)), float(rng.choice([0.0, 0.5, 1.0]))
            promises.append(SessionPromise(now.scope.people, k, share))
            singles = {
                column: Counter(table[person][place] for person in crowd)
                for place, column in enumerate("ab")
            }
            ledger = GroupRule(list(shown), list(promises), number, KEY)
            if ledger.refusal(batch(now.scope.people), singles) is not None:
                ended["refused"] += 1
                continue
            ended["released"] += 1
            crowds = [sorted(map(int, release.scope.people)) for release in [*shown, now]]
            near = linked(crowds)
            before = [other for other in crowds[:-1] if other in near]
            for people in given(near) - (given(before) if before else set()):
                heard = [promise for promise in promises if promise.people & people]
                most, least = max(p.k for p in heard), min(p.max_exposure for p in heard)
                own = people == now.scope.people and (most, least) == (k, share)
                rows = Counter(table[int(person)] for person in people)
                exposed = sum(few for few in rows.values() if few < most)
                assert own or exposed <= least * len(people), (crowds, people)
            shown.append(now)
    assert min(ended["refused"], ended["released"]) > 8, ended


def test_three_pairs_give_each_person() -> None:
    table = {0: ("x", "p"), 1: ("y", "q"), 2: ("y", "p")}
    past = [known(1, (0, 1), table), known(2, (1, 2), table)]
    now = known(3, (0, 2), table)
    promises = [SessionPromise(release.scope.people, 2, 0.5) for release in (*past, now)]
    groups = {group.people: group for group in new_groups(past, now, promises)}
    assert set(groups) == {*(frozenset(str(i)) for i in range(3)), frozenset("012")}
    assert [factor for _, factor in groups[frozenset("0")].terms] == [
        *(Fraction(1, 2), Fraction(-1, 2), Fraction(1, 2))
    ]
    assert all(group.breaks(group.exposed) for people, group in groups.items() if len(people) == 1)


def test_columns_in_common_alone_are_given() -> None:
    """A release about a and b, then one about b and c: of the rest, b follows."""
    table = {i: ("xy"[i % 2], "pq"[i % 2]) for i in range(6)}
    past = known(1, range(6), table)
    now = KnownRelease.with_cells(
        2,
        Release(frozenset("0123"), frozenset("bc")),
        {("p", "r"): 2, ("q", "r"): 2},
    )
    promises = [SessionPromise(past.scope.people, 3, 0.1), SessionPromise(now.scope.people, 2, 0.5)]
    left, whole = sorted(new_groups([past], now, promises), key=lambda group: len(group.people))
    assert (left.columns, left.people, left.k) == (("b",), frozenset("45"), 3)
    assert left.counts(("b",)) == {("p",): 1, ("q",): 1}
    assert (whole.columns, whole.people) == (("b", "c"), now.scope.people)  # promised more before


def test_who_is_in_no_common_session_gives_no_group() -> None:
    table = dict.fromkeys(range(6), ("x", "p"))
    past = known(1, (0, 1, 2), table)
    now = known(2, (3, 4, 5), table)
    promises = [SessionPromise(past.scope.people, 2, 0.1), SessionPromise(now.scope.people, 2, 0.1)]
    assert new_groups([past], now, promises) == []


# What is not known, and what is too much


def batch(people: Collection[str], columns: str = "ab", hidden: Any = None) -> HandedBatch:
    release = Release(frozenset(people), frozenset(columns), hidden or {})
    return HandedBatch(2, frozenset(people), 1, (release,), public=True)


def rule(*past: KnownRelease, now: Collection[str], share: float = 0.2) -> GroupRule:
    promises = [SessionPromise(release.scope.people, 2, share) for release in past]
    return GroupRule(
        past, [*promises, SessionPromise(frozenset(now), 2, share)], len(past) + 1, KEY
    )


TABLE: Mapping[int, Row] = dict.fromkeys(range(6), ("x", "p"))


@pytest.fixture
def plain_marks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Values stand for themselves."""
    monkeypatch.setattr(
        "veilmix.scenarios.lab.ledger.cells.mark_of", lambda _column, value, _key: value
    )


@pytest.mark.usefixtures("plain_marks")
@pytest.mark.parametrize(
    ("singles", "passes"),
    [
        ({"a": {"x": 4}, "b": {"p": 4}}, True),
        (None, False),  # people have left between the rounds, or nobody here may know
        ({"a": {"x": 4}}, False),
        ({"a": {"x": 5}, "b": {"p": 5}}, False),  # not so many people
        ({"a": {"x": 3, "z": 1}, "b": {"p": 4}}, False),  # an answer that was changed
    ],
)
def test_unknown_or_contradictory_counts_prove_nothing(singles: Any, passes: bool) -> None:
    ledger = rule(known(1, range(6), TABLE), now="0123")
    why = ledger.refusal(batch("0123"), singles)
    assert (why is None) == passes
    assert passes or "since their counts are not known before the release" in (why or "")
    ((group, at_most),) = ledger.group_bounds
    assert (group.people, at_most) == (frozenset("45"), 0 if passes else None)


@pytest.mark.usefixtures("plain_marks")
def test_whatever_is_unknown_may_be_released_if_nothing_is_promised() -> None:
    assert rule(known(1, range(6), TABLE), now="0123", share=1.0).refusal(batch("0123"), None) is (
        None
    )


@pytest.mark.usefixtures("plain_marks")
def test_values_in_other_words_cannot_be_subtracted_here() -> None:
    """Whoever reads both can make the first coarser; the ledger keeps marks, and cannot."""
    past = known(1, range(6), TABLE)
    singles = {"a": {"x": 4}, "b": {"p": 4}}
    ledger = rule(past, now="0123")
    coarser = Release(frozenset("0123"), frozenset("ab"), coarser={"a": ("a rule",)})
    now = HandedBatch(2, frozenset("0123"), 1, (coarser,), public=True)
    assert "not known" in (ledger.refusal(now, singles) or "")
    covered = batch("0123", hidden={"a": Redact(0, ("x",), 5)})
    assert "not known" in (ledger.refusal(covered, singles) or "")
    assert marked_column("a", {"x": 4}, Redact(0, ("x",), 5), KEY) is None
    assert marked_column("a", {"x": 3, "y": 1}, Redact(0, ("x",), 0), KEY) == {(" blank",): 3, (
        "y",
    ): 1}  # fmt: skip


@pytest.mark.usefixtures("plain_marks")
def test_what_only_the_analyst_has_read_is_not_published_with_the_rest() -> None:
    """Its reader would hold the difference. The same people again are new to everybody else."""
    unread = KnownRelease(1, Release(frozenset("012345"), frozenset("ab")))
    singles = {"a": {"x": 4}, "b": {"p": 4}}
    ledger = rule(unread, now="0123")
    assert "2 people" in (ledger.refusal(batch("0123"), singles) or "")
    ((group, at_most),) = ledger.group_bounds
    assert (group.terms, at_most) == ((), None)
    again = rule(known(1, range(6), TABLE), KnownRelease(2, unread.scope), now="0123")
    assert again.refusal(batch("0123"), singles) is None
    burned = KnownRelease(2, Release(frozenset("0123"), frozenset("ab")))
    few = {i: ("xy"[i % 2], "p") for i in range(6)}
    twice = rule(known(1, range(6), few), burned, now="0123")
    assert "2 people" in (
        twice.refusal(batch("0123"), {"a": {"x": 2, "y": 2}, "b": {"p": 4}}) or ""
    )


@pytest.mark.usefixtures("plain_marks")
def test_too_many_combinations_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    table: Mapping[int, Row] = dict.fromkeys(range(6), ("x", "p"))
    past = [known(number, range(number), table) for number in range(1, 6)]
    now = "012345"
    singles = {"a": {"x": 6}, "b": {"p": 6}}
    assert rule(*past, now=now, share=0.99).refusal(batch(now), singles) != TOO_MANY
    monkeypatch.setattr(module, "MOST_RANK", 5)
    assert rule(*past, now=now, share=1.0).refusal(batch(now), singles) == TOO_MANY
    assert rule(*past, now="01234").refusal(batch("01234"), None) is None  # nothing new
    monkeypatch.setattr(module, "MOST_COLUMN_SETS", 1)
    other = known(1, range(6), dict.fromkeys(range(6), ("x",)), "a")
    with pytest.raises(TooManyGroupsError):
        new_groups([other], known(2, range(5), table), [SessionPromise(frozenset("0"), 2, 0.1)])


def test_an_account_shows_the_most_exposed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 15 nested crowds' groups five are shown, the most exposed first, and all are counted."""
    table: dict[int, Row] = {i: ("xy"[i % 2], "p") for i in range(6)}
    past = [known(number, range(number), table) for number in range(1, 5)]
    now = known(5, range(5), table)
    monkeypatch.setattr(
        "veilmix.scenarios.lab.ledger.cells.mark_of", lambda _column, value, _key: value
    )
    ledger = rule(*past, now="01234", share=1.0)
    ledger.refusal(batch("01234"), {"a": {"x": 3, "y": 2}, "b": {"p": 5}})
    assert now.cells is not None
    number, shown = ledger.accounts(marked("ab", now.cells, KEY))
    assert number == 15
    shares = [group.share for group in shown]
    assert shares == sorted(shares, reverse=True)
    assert len(shares) == 5
    assert shares[0] == 1


# Bad input

SOME: Mapping[str, tuple[Sequence[Row], int, int]] = {
    "all equal": ([("x", "p")] * 60, 5, 0),
    "one value in a column": ([("x", "p")] * 30 + [("y", "p")] * 30, 5, 0),
    "everybody missing": ([("", "")] * 60, 5, 0),
    "one column": ([("x",)] * 30 + [("y",)] * 30, 5, 0),
    "one column, and few": ([("x",)] * 57 + [("y",)] * 3, 5, 3),
    "k as large as the group": ([("x", "p")] * 60, 10, 0),
    "k larger than the group": ([("x", "p")] * 60, 11, 10),
    "k larger than the people": ([("x", "p")] * 60, 100, 10),
}


@pytest.mark.usefixtures("plain_marks")
@pytest.mark.parametrize("name", SOME)
def test_odd_tables_are_judged_like_others(name: str) -> None:
    """The last ten leave: exposed if their crowd is small, whatever their values are."""
    rows, k, exposed = SOME[name]
    columns = "ab"[: len(rows[0])]
    table = dict(enumerate(rows))
    past, now = known(1, range(60), table, columns), known(2, range(50), table, columns)
    singles = {
        column: Counter(row[place] for row in rows[:50]) for place, column in enumerate(columns)
    }
    promises = [SessionPromise(release.scope.people, k, 0.2) for release in (past, now)]
    ledger = GroupRule([past], promises, 2, KEY)
    why = ledger.refusal(batch(now.scope.people, columns), singles)
    assert (why is None) == (exposed <= 2)
    assert now.cells is not None
    number, (group,) = ledger.accounts(marked(columns, now.cells, KEY))
    assert (number, group.people, group.at_most, group.exposed) == (1, 10, exposed, exposed)


def test_noise_is_no_release_of_counts() -> None:
    entry = LedgerEntry(
        scenario="s", source=("a",), people=("1", "2", "3"), seed=None, least=1, k=2,
        max_exposure=0.1, handed=(LedgerBatch(round=2, asks=(("a",),), public=True),),
        released=(CountedCell(marks=(mark_of("a", "x", KEY),), people=3),),
    )  # fmt: skip
    setting = Scenario(
        scenario=About(name="s"),
        population=PopulationSection(source="builtin:titanic"),
        policy=Policy(k=2, max_exposure=0.3),
    )
    made = group_rule([entry], setting, ScenarioPeople(("a",), ("1", "2")), KEY)
    assert [release.number for release in made.past] == [1]
    assert "1 people" in (made.refusal(batch(("1", "2"), "a"), {"a": {"x": 2}}) or "")
    local = msgspec.structs.replace(setting.local, mechanism="grr", epsilon=1.0)
    noisy = msgspec.structs.replace(setting, local=local)
    assert group_rule([entry], noisy, ScenarioPeople(("a",), ("1", "2")), KEY).past == []


def test_a_group_without_people_is_none() -> None:
    group = ReleaseGroup(frozenset("1"), ("a",), (), 2, 0.5)
    assert group.counts(("a",)) is None
    assert group.at_most is None
    assert group.breaks(None)
