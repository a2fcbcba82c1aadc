"""`--ledger` of `score`, `advise` and `serve`: a table, or a session, as the next release."""

from pathlib import Path

import pytest
from veilmix.scenarios.lab.ledger.book import read

ROWS = [(a, b) for a in ("red", "blue") for b in ("cat", "dog") for _ in range(15)]
GONE = (0, 1, 2, 15, 16, 30, 31, 32, 45, 46)
PROMISE = ("--k", "5", "--max-exposure", "0.2", "--identifier", "name")


def write(path: Path, people: range | list[int]) -> str:
    """People with names, by which they are known and which nobody scores."""
    rows = [f"person {person},{','.join(ROWS[person])}" for person in people]
    path.write_text("\n".join(["name,a,b", *rows]) + "\n")
    return str(path)


@pytest.fixture
def tables(tmp_path: Path) -> tuple[str, str]:
    stay = [person for person in range(60) if person not in GONE]
    return write(tmp_path / "sixty.csv", range(60)), write(tmp_path / "fifty.csv", stay)


def test_a_table_that_shows_ten_who_left_is_refused(typed, tables: tuple[str, str]) -> None:
    whole, fewer = tables
    book = Path("book.json")
    said = typed("score", whole, *PROMISE, "--ledger", "book.json")
    assert said.code == 0, said.err
    assert "ledger: sessions" in said.out
    before = book.read_bytes()
    written = ("--anyway", "--table", "out.csv", "--counts", "counts.csv", "--save", "score.json")
    said = typed("score", fewer, *PROMISE, "--ledger", "book.json", *written)
    assert said.code == 3
    assert "10 people are told apart by adding and subtracting releases: 10 of them" in said.err
    assert said.out == ""
    assert book.read_bytes() == before
    assert not any(Path(name).exists() for name in written[1::2])
    said = typed("advise", fewer, *PROMISE, "--ledger", "book.json", "--write", "advice.toml")
    assert said.code == 3
    assert not Path("advice.toml").exists()
    assert book.read_bytes() == before


def test_a_table_that_may_follow_is_noted_and_its_groups_are_printed(
    typed, tables: tuple[str, str], tmp_path: Path
) -> None:
    whole, _ = tables
    half = write(tmp_path / "half.csv", [*range(0, 60, 2)])
    assert typed("score", whole, *PROMISE, "--ledger", "book.json").code == 0
    said = typed("score", half, *PROMISE, "--ledger", "book.json", "--format", "csv")
    assert said.code == 0, said.err
    lines = [" ".join(line.split()) for line in said.err.splitlines()]
    assert any(line.startswith("exposed of a group 0 of 30 people: session 1 - ") for line in lines)
    assert any(line.startswith("not examined") for line in lines)
    assert [entry.cells for entry in read(Path("book.json"))] == [(15,) * 4, (7, 7, 8, 8)]
    assert "red" not in Path("book.json").read_text()
    finer = typed("score", half, *PROMISE, "--ledger", "book.json", "--coarsen", "a.prefix=1")
    assert finer.code == 0, finer.err  # the same people, in coarser words


def test_advice_is_judged_and_not_noted(typed, tables: tuple[str, str], tmp_path: Path) -> None:
    """30 of 60 leave, 7 or 8 of each row: none is exposed, and the ledger stays as it is."""
    whole, _ = tables
    half = write(tmp_path / "half.csv", [*range(0, 60, 2)])
    kept = ("--k", "5", "--max-exposure", "0.2", "--identifier", "name", "--ledger", "book.json")
    assert typed("score", whole, *kept).code == 0
    before = Path("book.json").read_bytes()
    said = typed("advise", half, *kept)
    assert said.code == 0, said.err
    assert "exposed of a group" in said.out
    said = typed("advise", half, *kept, "--by", "promise", "--max-exposure", "0.27")
    assert said.code == 3  # 8 of 30 at most, by the counts of columns: more than was promised
    assert "it cannot be proved that at most 20 % of them are in a crowd smaller" in said.err
    assert Path("book.json").read_bytes() == before  # nothing is released yet


def test_a_class_and_a_folder_have_no_ledger(typed, tables: tuple[str, str]) -> None:
    said = typed("serve", "shuffler-1", "http://127.0.0.1:8766/K7M2PX", "--ledger", "book.json")
    assert said.code == 2
    assert "its people have no registered keys" in said.err
    Path("folder").mkdir()
    said = typed("score", tables[0], *PROMISE, "--ledger", "folder")
    assert said.code == 2


REGIONS = ("north", "south", "east", "west")
MONTHLY = ("--k", "5", "--max-exposure", "0.05", "--columns", "patient,sex,region")


def month(path: Path, people: range, *, visit: str, moved: int = 0) -> str:
    """A file of patients: 8 kinds of them, in turn; some moved from north to south."""
    rows = []
    for who in people:
        region = REGIONS[who // 2 % 4]
        region = "south" if region == "north" and who < moved else region
        rows.append(f"P{who:05},{'mf'[who % 2]},{region},{visit}")
    path.write_text("\n".join(["patient,sex,region,last_visit", *rows]) + "\n")
    return path.name


def test_two_months_of_the_same_patients(typed, tmp_path: Path) -> None:
    """In a steward's order: advice, score, and next month the same with other rows."""
    jan = month(tmp_path / "jan.csv", range(800), visit="2024-01-09")
    feb = month(tmp_path / "feb.csv", range(400, 1200), visit="2024-02-11")
    kept = (*MONTHLY, "--person", "patient", "--ledger", "book.json")
    assert typed("advise", jan, *kept, "--table", "jan-out.csv").code == 0
    assert typed("score", jan, *kept).code == 0
    said = typed("advise", feb, *kept, "--table", "feb-out.csv")
    assert said.code == 0, said.err
    said = typed("score", feb, *kept)
    lines = [" ".join(line.split()) for line in said.out.splitlines()]
    assert "ledger: sessions 2 of these people, this one included" in lines
    assert len(read(Path("book.json"))) == 2
    assert "P00400" not in Path("book.json").read_text()


def test_newcomers_and_leavers_in_small_cells_are_refused(typed, tmp_path: Path) -> None:
    jan = month(tmp_path / "jan.csv", range(800), visit="2024-01-09")
    feb = month(tmp_path / "feb.csv", range(12, 817), visit="2024-02-11")
    kept = (*MONTHLY, "--person", "patient", "--ledger", "book.json")
    assert typed("score", jan, *kept).code == 0
    before = Path("book.json").read_bytes()
    said = typed("score", feb, *kept, "--table", "out.csv")
    assert said.code == 3
    # 8 kinds of people, in turn: one or two of each left, two or three of each came
    assert "the difference to session 1 shows" in said.err
    assert "people who came (17), left (12)" in said.err
    assert not said.out
    assert not Path("out.csv").exists()
    assert Path("book.json").read_bytes() == before


def test_the_same_people_of_whom_one_moved_are_refused(typed, tmp_path: Path) -> None:
    jan = month(tmp_path / "jan.csv", range(800), visit="2024-01-09")
    feb = month(tmp_path / "feb.csv", range(800), visit="2024-02-11")
    moved = month(tmp_path / "mar.csv", range(800), visit="2024-03-12", moved=1)
    kept = (*MONTHLY, "--person", "patient", "--ledger", "book.json")
    assert typed("score", jan, *kept).code == 0
    assert typed("score", feb, *kept).code == 0  # the same table again
    said = typed("score", moved, *kept)
    assert said.code == 3
    assert "shows 1 of the 1 people who came (0), left (0) or moved" in said.err


def test_rows_that_changed_are_other_people_and_that_is_said(typed, tmp_path: Path) -> None:
    jan = month(tmp_path / "jan.csv", range(800), visit="2024-01-09")
    feb = month(tmp_path / "feb.csv", range(800), visit="2024-02-11")
    kept = (*MONTHLY, "--ledger", "book.json")
    first = typed("score", jan, *kept)
    assert "no person of this table is in the ledger" not in first.out
    said = typed("score", feb, *kept)
    assert (said.code, "no person of this table is in the ledger" in said.out) == (0, True)
    assert "--person COLUMN" in said.out
    both = typed("score", feb, *kept, "--person", "patient")
    assert both.code == 3  # people known by rows, and by a column, cannot be compared
    assert "person: patient" in both.err


WARDS = ("surgery", "cardiology", "ear")
STAYS = ("--k", "5", "--max-exposure", "0.05", "--columns", "patient,sex,ward")


def stays(path: Path, people: range, *, day: str, again: tuple[int, ...] = ()) -> str:
    """A file of stays: patients of one, two or three wards; some were in surgery once more."""
    rows = []
    for who in people:
        wards = [WARDS[(who // 2 + at) % 3] for at in range(1 + who // 6 % 3)]
        wards += ["surgery"] if who in again else []
        rows += [f"P{who:05},{'mf'[who % 2]},{ward},{day}{at}" for at, ward in enumerate(wards)]
    path.write_text("\n".join(["patient,sex,ward,day", *rows]) + "\n")
    return path.name


def test_months_of_hospital_stays(typed, tmp_path: Path) -> None:
    """Patients with several stays: known by their column, counted as different persons."""
    jan = stays(tmp_path / "jan.csv", range(720), day="2024-01-1")
    feb = stays(tmp_path / "feb.csv", range(360, 1080), day="2024-02-1")
    kept = (*STAYS, "--person", "patient", "--ledger", "book.json")
    assert typed("score", jan, *kept, "--table", "jan-out.csv").code == 0
    said = typed("advise", feb, *kept)
    assert said.code == 0, said.err
    said = typed("score", feb, *kept)
    assert said.code == 0, said.err
    lines = [" ".join(line.split()) for line in said.out.splitlines()]
    assert "ledger: sessions 2 of these people, this one included" in lines
    entries = read(Path("book.json"))
    assert [len(entry.rows) for entry in entries] == [720, 720]
    assert sum(entries[0].cells) > 720  # a person stands in several cells
    assert "P00400" not in Path("book.json").read_text()
    assert "surgery" not in Path("book.json").read_text()


def test_one_more_stay_of_a_patient_is_refused(typed, tmp_path: Path) -> None:
    jan = stays(tmp_path / "jan.csv", range(720), day="2024-01-1")
    same = stays(tmp_path / "feb.csv", range(720), day="2024-02-1")
    more = stays(tmp_path / "mar.csv", range(720), day="2024-03-1", again=(2, 4))
    kept = (*STAYS, "--person", "patient", "--ledger", "book.json")
    assert typed("score", jan, *kept).code == 0
    assert typed("score", same, *kept).code == 0
    said = typed("score", more, *kept)
    assert said.code == 3
    assert "shows 2 of the 2 people who came (0), left (0) or moved" in said.err


def test_leavers_with_several_stays_count_once(typed, tmp_path: Path) -> None:
    """12 patients left: 6 of each sex, in up to three wards each."""
    jan = stays(tmp_path / "jan.csv", range(720), day="2024-01-1")
    feb = stays(tmp_path / "feb.csv", range(12, 720), day="2024-02-1")
    kept = (*STAYS, "--person", "patient", "--ledger", "book.json")
    assert typed("score", jan, *kept).code == 0
    said = typed("score", feb, *kept, "--format", "json")
    assert said.code == 3
    assert "12 people are told apart by adding and subtracting releases" in said.err
    assert "12 of them are in a crowd smaller than 5" in said.err


def test_stays_after_a_release_with_one_row_each(typed, tmp_path: Path) -> None:
    """The ledger has no rows of each person then: the refusal says what to do."""
    jan = stays(tmp_path / "jan.csv", range(720), day="2024-01-1")
    feb = stays(tmp_path / "feb.csv", range(720), day="2024-02-1")
    kept = (*STAYS, "--person", "patient", "--ledger", "book.json")
    assert typed("score", jan, *kept, "--one-row", "first").code == 0
    said = typed("score", feb, *kept)
    assert said.code == 2
    assert "feb.csv: persons have several rows, and session 1 of the ledger" in said.err
    assert "(--one-row first, last, earliest:COLUMN or latest:COLUMN)" in said.err
    assert typed("score", feb, *kept, "--one-row", "first").code == 0


def test_empty_cells_are_the_same_in_a_score_and_in_advice(typed, tmp_path: Path) -> None:
    rows = [
        f"P{who:03},{'mf'[who % 2] if who % 10 else ''},{'nsew'[who // 2 % 4]}"
        for who in range(400)
    ]
    (tmp_path / "t.csv").write_text("\n".join(["patient,sex,region", *rows]) + "\n")
    kept = ("--person", "patient", "--ledger", "book.json")
    assert typed("score", "t.csv", *kept).code == 0
    said = typed("advise", "t.csv", *kept)
    assert said.code == 0, said.err
    assert "ledger: groups" in said.out
    assert "exposed of a group" not in said.out  # the same table: nobody moved
