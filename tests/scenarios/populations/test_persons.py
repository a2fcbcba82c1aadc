"""What a person is: asked where an identifier comes again, and one row of each by a rule."""

from collections import defaultdict
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import veilmix
from hypothesis import given, settings
from hypothesis import strategies as st
from veilmix.errors import DataError, ScenarioError
from veilmix.own_data.read_table import Reading, read
from veilmix.scenarios.populations.dates import in_time

PATIENTS, VISITS = 40, 6
COLUMNS = ("patient_id", "visit_date", "sex", "age", "ward")


def rows() -> list[tuple[str, ...]]:
    """Forty patients with six visits each: 240 rows."""
    rng = np.random.default_rng(5)
    made = [
        (
            f"P{who:04}",
            f"{1 + int(rng.integers(28))}.{1 + visit}.2024",
            "fm"[who % 2],
            str(20 + 10 * (who % 5)),
            "abc"[int(rng.integers(3))],
        )
        for who in range(PATIENTS)
        for visit in range(VISITS)
    ]
    return [made[place] for place in rng.permutation(len(made))]


ROWS = rows()


@pytest.fixture(scope="module")
def visits(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("visits") / "visits.csv"
    path.write_text("\n".join(map(",".join, [COLUMNS, *ROWS])) + "\n")
    return path


def scenario(path: Path, *lines: str, features: str = "") -> str:
    head = f'[scenario]\nname = "s"\nseed = 1\n[population]\nsource = "{path.as_posix()}"\n'
    policy = "[policy]\nk = 2\nmax_exposure = 0.5\n"
    return head + "".join(f"{line}\n" for line in lines) + policy + features


def below(k: int, columns: tuple[int, ...]) -> int:
    """Patients with a row that fewer than k patients have, counted one by one."""
    there: dict[tuple[str, ...], set[str]] = defaultdict(set)
    for row in ROWS:
        there[tuple(row[j] for j in columns)].add(row[0])
    return len({row[0] for row in ROWS if len(there[tuple(row[j] for j in columns)]) < k})


@pytest.mark.parametrize("columns", [None, "sex,age,ward"])
def test_an_identifier_that_comes_again_is_asked_about(visits: Path, columns: str | None) -> None:
    """Also where nobody asks for its column."""
    with pytest.raises(DataError, match="240 rows, but 40 different values") as stopped:
        read(visits, Reading(columns=columns))
    for answer in ("--person patient_id", "--each-row", "each_row = true"):
        assert answer in str(stopped.value)
    assert len(read(visits, Reading(columns=columns, each_row=True)).codes) == 240


@pytest.mark.parametrize("columns", [None, "sex,age,ward"])
def test_a_person_is_what_is_named(visits: Path, columns: str | None) -> None:
    score = veilmix.score(visits, 3, 0.1, person="patient_id", columns=columns)
    assert (score.n, score.rows) == (40, 240)
    assert score.joint.crowds.users_below(3) == below(3, (2, 3, 4) if columns else (1, 2, 3, 4))
    table = read(visits, Reading(columns=columns, person="patient_id"))
    assert "patient_id" not in table.columns
    assert table.person == "each value of patient_id: 40 people in 240 rows"
    advised = veilmix.advise(visits, 5, 0.1, person="patient_id", columns="sex,age,ward")
    assert advised.n == 40
    assert advised.exposed_before == below(5, (2, 3, 4))
    assert advised.best.people <= advised.people_limit == 4


def test_one_row_of_each_by_a_rule(visits: Path) -> None:
    def kept(rule: str) -> dict[str, tuple[str, ...]]:
        table = read(visits, Reading(person="patient_id", one_row=rule))
        assert table.origin is not None
        assert (len(table.codes), table.persons) == (40, None)
        assert table.origin.tolist() == sorted(table.origin.tolist())
        return {ROWS[place][0]: ROWS[place] for place in table.origin}

    first = {row[0]: row for row in reversed(ROWS)}
    last = {row[0]: row for row in ROWS}
    assert kept("first") == first
    assert kept("last") == last
    assert kept("earliest:visit_date") == {who: row for who, (_, row) in _extreme(min).items()}
    assert kept("latest:visit_date") == {who: row for who, (_, row) in _extreme(max).items()}


def _extreme(best: Any) -> dict[str, Any]:
    """The row of each patient on its first or last day; on one day, the first in the file."""
    days: dict[str, list[tuple[tuple[int, ...], tuple[str, ...]]]] = defaultdict(list)
    for row in ROWS:
        days[row[0]].append((tuple(map(int, reversed(row[1].split(".")))), row))
    return {who: best(held, key=lambda pair: pair[0]) for who, held in days.items()}


def test_a_session_takes_one_row_a_person(visits: Path) -> None:
    for lines, features in (((), ""), ((), '[[feature]]\nname = "sex"\n')):
        with pytest.raises(ScenarioError, match='person = "patient_id", or each_row = true'):
            veilmix.loads(scenario(visits, *lines, features=features))
    person = 'person = "patient_id"'
    with pytest.raises(ScenarioError, match="240 rows of 40 persons, up to 6 different rows each"):
        veilmix.loads(scenario(visits, person))
    taken = veilmix.loads(scenario(visits, person, 'one_row = "latest:visit_date"'))
    outcome = veilmix.run(taken, mode="ideal")
    assert outcome.users == 40
    every = veilmix.loads(scenario(visits, "each_row = true"))
    assert veilmix.run(every, mode="ideal").users == 240


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (['one_row = "first"'], "say person = COLUMN too"),
        (['person = "patient_id"', "each_row = true"], "exclude each other"),
        (['person = "patient"'], "no column is called 'patient'"),
        (['person = "patient_id"', 'one_row = "latest:day"'], "no column is called 'day'"),
        (['person = "patient_id"', 'one_row = "any"'], "first, last, earliest:COLUMN"),
        (['person = "patient_id"', 'one_row = "latest:ward"'], "found 'a'; a date such as"),
    ],
)
def test_rules_that_cannot_be_are_mistakes(visits: Path, lines: list[str], message: str) -> None:
    with pytest.raises(ScenarioError, match=message):
        veilmix.loads(scenario(visits, *lines))


@pytest.mark.parametrize("cell", ["", "NA"])
def test_each_row_needs_its_person(visits: Path, tmp_path: Path, cell: str) -> None:
    lines = visits.read_text().splitlines()
    lines[5] = cell + lines[5].partition(",")[1] + lines[5].partition(",")[2]
    broken = tmp_path / "visits.csv"
    broken.write_text("\n".join(lines) + "\n")
    with pytest.raises(DataError, match=r"visits.csv:6: column 'patient_id' is empty in 1 rows"):
        read(broken, Reading(person="patient_id"))


def test_empty_cells_drop_no_row_because_of_a_person(visits: Path, tmp_path: Path) -> None:
    """With drop-row, rows go by the columns that are asked about alone."""
    lines = visits.read_text().splitlines()
    lines[5] = ",".join(
        cell if place != 4 else "" for place, cell in enumerate(lines[5].split(","))
    )
    (tmp_path / "visits.csv").write_text("\n".join(lines) + "\n")
    feature = '[[feature]]\nname = "ward"\n'
    rule = ('person = "patient_id"', 'missing = "drop-row"', 'one_row = "first"')
    made = veilmix.loads(scenario(tmp_path / "visits.csv", *rule, features=feature))
    assert veilmix.run(made, mode="ideal").users == 40


def test_names_come_again_by_chance(tmp_path: Path) -> None:
    """A file with a number for each row may have a name twice; one without asks if most do."""
    path = tmp_path / "people.csv"
    path.write_text("id,name\n" + "".join(f"{i},n{i % 90}\n" for i in range(100)))
    assert read(path, Reading(quasi="name")).n == 100
    path.write_text("name,age\n" + "".join(f"n{i % 90},{i % 7}\n" for i in range(100)))
    assert read(path, Reading()).n == 100
    path.write_text("name,age\n" + "".join(f"n{i % 30},{i % 7}\n" for i in range(100)))
    with pytest.raises(DataError, match="30 different values of the identifier 'name'"):
        read(path, Reading())


@given(st.lists(st.dates(), min_size=1, max_size=20))
@settings(max_examples=30, deadline=None)
def test_dates_sort_as_time_does(days: list[date]) -> None:
    days = [day for day in days if day.year >= 1800]
    for write in (lambda d: d.isoformat(), lambda d: f"{d.day}.{d.month}.{d.year:04}"):
        keys = in_time([write(day) for day in days], "t")
        assert sorted(days) == sorted(days, key=lambda day: keys[write(day)])


def test_a_month_that_may_be_a_day_is_asked_about() -> None:
    with pytest.raises(DataError, match="either number may be the month"):
        in_time(["3/4/2020", "5/6/2020"], "t")
    assert in_time(["3/14/2020"], "t") == {"3/14/2020": "2020-03-14"}
    assert in_time(["20200314", "2020-03-14 10:00"], "t")["2020-03-14 10:00"] == "2020-03-14 10:00"
