"""`veilmix counts`: tables that are safe to print, at the terminal, in files and from runs."""

import csv
import json
from pathlib import Path

import pytest

WARDS = {
    ("north", "f"): 9,
    ("north", "m"): 8,
    ("south", "f"): 2,
    ("south", "m"): 7,
    ("east", "f"): 9,
}


@pytest.fixture
def wards(tmp_path: Path) -> str:
    lines = [f"{ward},{sex},a{n % 4}" for (ward, sex), rows in WARDS.items() for n in range(rows)]
    (tmp_path / "wards.csv").write_text("\n".join(["ward,sex,arm", *lines, ""]), "utf-8")
    return "wards.csv"


def cells(record) -> dict[tuple[str | None, ...], int | None]:
    return {tuple(cell["values"]): cell["people"] for cell in record["cells"]}


def test_a_small_cell_and_its_complements_are_closed(typed, wards: str) -> None:
    said = typed("counts", wards, "ward,sex", "--format", "json")
    assert said.code == 0
    record = json.loads(said.out)
    closed = {values for values, people in cells(record).items() if people is None}
    assert closed == {("north", "f"), ("north", "m"), ("south", "f"), ("south", "m")}
    assert (record["closed"], record["is_best"]) == (4, True)
    hidden = {"small", "complements", "cost", "bound", "programs"}  # each may open a small cell
    assert not hidden & record.keys()
    south = next(cell for cell in record["cells"] if cell["values"] == ["south", "f"])
    assert (south["low"], south["high"]) == (0, 9)
    assert record["narrowest"] == 9


def test_the_terminal_has_the_table_and_the_promise(typed, wards: str) -> None:
    said = typed("counts", wards, "ward,sex")
    lines = [line.split() for line in said.out.splitlines()]
    assert ["ward", "sex:", "f", "sex:", "m", "(all)"] in lines
    assert ["south", "closed", "closed", "9"] in lines
    assert ["east", "9", "0", "9"] in lines
    text = " ".join(said.out.split())
    assert "closed 4 cells of 1 to 4 persons, and others besides" in text
    assert "proved, no choice loses fewer persons" in text
    assert "24" not in text  # persons in the complements: 26 less 24 would be the small cell
    assert "a person of them included, can exclude by additions and subtractions that a" in text
    assert "Name all tables that you print in one command" in text
    empty = typed("counts", wards, "ward,sex", "--close-empty")
    assert ["east", "closed", "closed", "9"] in [line.split() for line in empty.out.splitlines()]


@pytest.mark.parametrize("ending", ["csv", "xlsx", "parquet"])
def test_a_file_holds_what_may_be_printed_and_nothing_else(typed, wards: str, ending: str) -> None:
    file = f"counts.{ending}"
    said = typed("counts", wards, "ward,sex", "--table", file)
    assert said.code == 0
    assert f"written   {file}: 11 cells and totals" in said.err
    if ending == "csv":
        rows = list(csv.reader(Path(file).read_text("utf-8").splitlines()))
        assert rows[0] == ["ward", "sex", "people"]
        assert ["south", "f", "closed"] in rows
        assert ["south", "(all)", "9"] in rows
        assert ["(all)", "(all)", "35"] in rows
    else:
        back = typed("counts", file, "people", "--format", "json", "--quasi", "people")
        assert cells(json.loads(back.out))[("closed",)] is None  # 4 rows of 11


def test_tables_are_closed_together(typed, wards: str) -> None:
    """The total of a ward stands in both tables: it is closed in both, or in none."""
    shown = typed("counts", wards, "ward,sex", "arm,ward", "--k", "3").out.splitlines()
    heading = next(at for at, line in enumerate(shown) if line.split()[:1] == ["arm"])
    assert shown[heading].split()[1:] == [
        "ward:",
        "east",
        "ward:",
        "north",
        "ward:",
        "south",
        "(all)",
    ]
    assert shown[heading + 5].split()[0] == "(all)"
    said = typed("counts", wards, "ward,sex", "ward,arm", "--format", "json", "--k", "3")
    record = json.loads(said.out)
    assert record["tables"] == [["ward", "sex"], ["ward", "arm"]]
    assert record["columns"] == ["ward", "sex", "arm"]
    printed = [tuple(cell["values"]) for cell in record["cells"]]
    assert len(printed) == len(set(printed))
    assert cells(record)["south", "f", None] is None
    assert sum(values[1:] == (None, None) for values in printed) == 4


def test_rounded_counts_add_up(typed, wards: str) -> None:
    said = typed("counts", wards, "ward,sex", "--round", "5", "--format", "json")
    assert said.code == 0
    table = cells(record := json.loads(said.out))
    assert all(people % 5 == 0 for people in table.values())
    for ward in ("north", "south", "east"):
        assert table[ward, None] == table[ward, "f"] + table[ward, "m"]
    assert record["known_small"] == 0
    assert record["persons"] == table[None, None]
    assert not {"change", "bound"} & record.keys()
    refused = typed("counts", wards, "ward,sex", "--round", "2", "--table", "r.csv")
    assert refused.code == 2
    assert "cells are still known to have 1 to 4 persons; a larger base" in refused.err
    assert "--anyway prints these counts" in refused.err
    assert not refused.out
    assert not Path("r.csv").exists()
    assert typed("counts", wards, "ward,sex", "--round", "2", "--anyway").code == 0


def test_rounded_counts_do_not_tell_the_number_of_persons(typed, tmp_path: Path) -> None:
    rows = ["north,f"] * 9 + ["north,m"] * 8 + ["south,f"] * 7 + ["south,m"] * 7
    (tmp_path / "odd.csv").write_text("\n".join(["ward,sex", *rows, ""]), "utf-8")
    said = typed("counts", "odd.csv", "ward,sex", "--round", "5")
    assert "odd.csv  30 persons after rounding" in said.out
    assert "31" not in said.out
    assert "sum of changes" not in said.out
    text = " ".join(said.out.split())
    assert "Not covered: persons of the table who pool their rows" in text
    assert "Not covered: a reader who concludes that a closed cell is not empty" in text


@pytest.mark.parametrize("options", [("--k", "2"), ("--round", "5")])
def test_unprinted_cells_of_a_cycle_are_not_covered(typed, tmp_path: Path, options) -> None:
    rows = [f"{n % 2},{n // 2 % 2},{n // 4 % 2}" for n in range(80)]
    (tmp_path / "cycle.csv").write_text("\n".join(["a,b,c", *rows, ""]), "utf-8")
    tables = ("a,b", "b,c", "a,c")
    text = " ".join(typed("counts", "cycle.csv", *tables, *options).out.split())
    missing = "Not covered: cells of a, b and c together; name a,b,c as a table too."
    assert missing in text
    assert "every count is printed" not in text
    whole = typed("counts", "cycle.csv", *tables, "a,b,c", *options)
    assert (whole.code, missing in " ".join(whole.out.split())) == (0, False)


def test_intervals_of_many_closed_cells_are_bounds(typed, wards: str, monkeypatch) -> None:
    """Then they are of the search's tables, which the true counts may show in."""
    monkeypatch.setattr("veilmix.analysis.printed_counts.intervals.MOST_AUDITED", 1)
    assert "narrowest interval at least " in " ".join(
        typed("counts", wards, "ward,sex").out.split()
    )
    record = json.loads(typed("counts", wards, "ward,sex", "--format", "json").out)
    assert not record["narrowest_is_exact"]
    assert {cell["low"] for cell in record["cells"] if cell["people"] is None} == {None}


def test_counts_of_a_release(typed) -> None:
    typed("run", "blood-type", "--seed", "7", "--mode", "ideal")
    record = json.loads(typed("counts", "blood-type-0007", "A,B", "--format", "json").out)
    text = Path("runs/blood-type-0007/release.csv").read_text("utf-8")
    released = list(csv.DictReader(text.splitlines()))
    assert cells(record)[None, None] == sum(int(row["count"]) for row in released)
    wrong = typed("counts", "blood-type-0007", "A,C")
    assert (wrong.code, "no released column is called 'C'" in wrong.err) == (2, True)
    described = typed("counts", "blood-type-0007", "A", "--quasi", "A")
    assert "options about columns and cells are accepted for files only" in described.err


def test_persons_are_counted_once(typed, tmp_path: Path) -> None:
    rows = [f"P{n // 2},{'fm'[n // 2 % 2]},w{n % 2}" for n in range(80)]
    (tmp_path / "visits.csv").write_text("\n".join(["patient,sex,ward", *rows, ""]))
    options = ("visits.csv", "--person", "patient", "--format", "json")
    record = json.loads(typed("counts", "visits.csv", "sex", *options[1:]).out)
    assert cells(record) == {("f",): 20, ("m",): 20, (None,): 40}
    several = json.loads(typed("counts", "visits.csv", "sex,ward", *options[1:]).out)
    assert (record["adds_up"], several["adds_up"]) == (True, False)
    assert cells(several)["f", "w0"] == cells(several)["f", "w1"] == cells(several)["f", None] == 20
    assert cells(several)[None, "w0"] == cells(several)[None, None] == 40
    first = typed("counts", "visits.csv", "sex,ward", *options[1:], "--one-row", "first")
    assert cells(json.loads(first.out))["f", "w0"] == 20


STAYS = {  # wards of a patient's stays: patients
    ("surgery",): 14,
    ("cardiology",): 12,
    ("surgery", "cardiology"): 9,
    ("surgery", "cardiology", "surgery"): 3,
    ("burns",): 2,
    ("burns", "surgery"): 1,
}


@pytest.fixture
def stays(tmp_path: Path) -> str:
    wards = [list(wards) for wards, patients in STAYS.items() for _ in range(patients)]
    rows = [f"P{n},{ward},{at}" for n, stay in enumerate(wards) for at, ward in enumerate(stay)]
    (tmp_path / "stays.csv").write_text("\n".join(["patient,ward,day", *rows, ""]))
    return "stays.csv"


def test_a_patient_of_two_wards_is_counted_in_both_and_once_in_their_total(typed, stays) -> None:
    said = typed("counts", stays, "ward", "--person", "patient", "--format", "json")
    record = json.loads(said.out)
    of_ward = {ward: sum(p for w, p in STAYS.items() if ward in w) for ward in ("surgery", "burns")}
    assert of_ward == {"surgery": 27, "burns": 3}
    table = cells(record)
    assert (table["burns",], table[None,]) == (None, 41)
    assert table["surgery",] in {None, 27}
    assert record["persons"] == 41
    closed = [cell for cell in record["cells"] if cell["people"] is None]
    assert closed
    assert {(cell["low"], cell["high"]) for cell in closed} == {(None, None)}
    assert (record["narrowest"], record["narrowest_is_exact"]) == (None, False)
    text = " ".join(typed("counts", stays, "ward", "--person", "patient").out.split())
    assert "totals are not the sums of their cells" in text
    assert "Not covered: the persons that two given cells share." in text


def test_counts_of_stays_are_rounded_one_by_one(typed, stays) -> None:
    options = ("ward", "--person", "patient", "--round", "5", "--k", "4")
    said = typed("counts", stays, *options, "--format", "json")
    assert cells(json.loads(said.out)) == {
        ("burns",): 5,
        ("cardiology",): 25,
        ("surgery",): 25,
        (None,): 40,
    }
    assert all(cell["low"] is None for cell in json.loads(said.out)["cells"])
    text = typed("counts", stays, *options).out
    assert ("no totals add up" in text, "narrowest interval" in text) == (True, False)
    small = typed("counts", stays, *options[:-1], "9")
    assert (small.code, "cells and groups are still known to have 1" in small.err) == (2, True)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("ward,",), "table 'ward,': different columns with commas between"),
        (("ward,sexx",), "wards.csv: no column is called 'sexx'; it has ward, sex, arm"),
        (("a,b,c,d,e",), "found 5 columns; at most 4"),
        (("ward", "--k", "1"), "'--k': 1 is not in the range x>=2"),
        (("ward", "--round", "2000000000"), "not in the range 2<=x<=1000000000"),
        (("ward", "--anyway"), "--anyway: accepted only with --round"),
        (("ward", "--bom"), "--bom has a use only with --table"),
        (("ward", "--table", "none/x.csv"), "x.csv: the folder of this file does not exist"),
        (("ward", "--k", "40"), "n: found 35 persons; at least 41"),
        (("ward", "--round", "5", "--outsiders"), "--outsiders: accepted only without --round"),
        (("ward", "--table", "x.txt"), "x.txt: .csv, .xlsx, .parquet files are written"),
    ],
)
def test_wrong_arguments_of_counts_end_with_code_2(
    typed, wards: str, arguments: tuple[str, ...], message: str
) -> None:
    said = typed("counts", wards, *arguments)
    assert (said.code, said.out) == (2, "")
    assert message in " ".join(said.err.split())
