"""The page of a scored table: to sign, then the evidence; names and counts, and nobody's values."""

import csv
import hashlib
import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from axe_kit import violations
from printed_kit import headings
from veilmix.cli import main
from veilmix.errors import StorageError
from veilmix.presentation.blocks import MarkedText, SignSheet
from veilmix.report.make import make
from veilmix.report.table import KNOWS

SECRET = ["Zanzibar", "Quito", "Xanadu"]  # values that few have
ROWS = [
    (f"P{i:03}", str(20 + i % 50), ("Oslo", *SECRET)[i % 4 if i < 8 else 0]) for i in range(100)
]


@pytest.fixture
def score(tmp_path: Path) -> Path:
    data = tmp_path / "people.csv"
    data.write_text("patient;age;city\n" + "".join(";".join(row) + "\n" for row in ROWS))
    saved = tmp_path / "score.json"
    arguments = ["score", str(data), "--save", str(saved), "--k", "3"]
    arguments += ["--coarsen", f'city.merge={{"elsewhere"={json.dumps(SECRET)}}}']
    arguments += ["--coarsen", "age.bins.width=25"]
    assert main(arguments) == 0
    return saved


def test_the_first_page_says_what_is_signed(score: Path) -> None:
    made = make(score)
    assert made.path == score.with_suffix(".html")
    data = score.with_name("people.csv").read_bytes()
    sheet = made.page.sheet
    assert sheet is not None
    assert [table.key for table in sheet.tables] == [
        *("files", "columns", "thresholds", "questions"),
    ]
    assert hashlib.sha256(data).hexdigest() in made.html
    columns = cells(sheet, "columns")
    assert columns[0] == ["patient", "direct identifier", "left out", "guessed"]
    assert columns[1][2] == "intervals of 25"
    assert columns[2][2] == "3 values as elsewhere"
    assert "no table was written" in made.html
    assert KNOWS in made.html


def cells(sheet: SignSheet, key: str) -> list[list[str]]:
    """The rows of a table of the sheet, as texts."""
    (table,) = [table for table in sheet.tables if table.key == key]
    return [[plain_text((cell,)) for cell in row] for row in table.rows]


def plain_text(parts: MarkedText) -> str:
    """A sentence without its marks."""
    return "".join(part if isinstance(part, str) else part.text for part in parts)


def saved(tmp_path: Path, *arguments: str) -> tuple[dict[str, Any], SignSheet]:
    """Run a command on a table with --save; return the score, and the sheet of its page."""
    file = tmp_path / "saved.json"
    assert main([arguments[0], str(tmp_path / "t.csv"), "--save", str(file), *arguments[1:]]) == 0
    sheet = make(file).page.sheet
    assert sheet is not None
    return json.loads(file.read_text()), sheet


@pytest.fixture
def clinic(tmp_path: Path) -> Path:
    """Twelve columns; two crowds of 20 by age and sex, one person alone, one diagnosis a crowd."""
    further = [f"extra{i}" for i in range(8)]
    lines = [",".join(["number", "age", "sex", "diagnosis", *further])]
    for i in range(41):
        age, sex = ("", "m") if i == 40 else (("30", "f") if i < 20 else ("40", "m"))
        diagnosis = "asthma" if i < 20 else ("gout", "flu")[i % 2]
        lines.append(f"A{i:05},{age},{sex},{diagnosis}," + ",".join("x" * 8))
    (tmp_path / "t.csv").write_text("\n".join(lines) + "\n")
    return tmp_path


ROLES = ("--quasi", "age,sex", "--sensitive", "diagnosis", "--columns", "number,age,sex,diagnosis")


def test_all_columns_of_the_file_and_both_hashes_are_on_it(clinic: Path) -> None:
    out = clinic / "release.csv"
    score, sheet = saved(
        clinic, "score", *ROLES, "--k", "5", "--max-exposure", "0.1", "--table", str(out)
    )
    digest = hashlib.sha256(out.read_bytes()).hexdigest()
    assert score["release"]["file"]["sha256"] == digest
    files = cells(sheet, "files")
    assert files[0][1] == "t.csv, 41 rows, 12 columns"
    assert files[1][1:] == ["release.csv, 41 rows, 3 columns", digest]
    columns = cells(sheet, "columns")
    named = [name for row in columns for name in row[0].split(" and ")[0].split(", ")]
    assert named[:4] == ["number", "age", "sex", "diagnosis"]
    assert columns[-1] == [
        "extra0, extra1, extra2, extra3, extra4, extra5 and 2 more (under Data)",
        *("not looked at", "left out", "--columns"),
    ]
    data = next(
        section for section in make(clinic / "saved.json").page.sections if section.key == "data"
    )
    assert len(data.blocks[0].rows) == 12  # type: ignore[union-attr]


def test_a_crowd_of_one_and_one_diagnosis_a_crowd_are_alerts(clinic: Path) -> None:
    score, sheet = saved(clinic, "score", *ROLES, "--k", "5", "--max-exposure", "0.1")
    page = make(clinic / "saved.json").page
    assert [(alert.level, alert.rule) for alert in page.alerts][:2] == [
        *(("serious", "alone"), ("serious", "certain")),
    ]
    assert score["sensitive"][0]["certain"] == 21
    remains = plain_text(sheet.remains)
    assert "1 person alone in a crowd of one: whoever knows age and sex" in remains
    assert "l = 1: of 21 people all in their crowd have the same diagnosis" in remains
    assert "no limit was asked" in plain_text(sheet.verdict)
    thresholds = cells(sheet, "thresholds")
    assert [row[3] for row in thresholds] == ["met", "open", "open", "open"]
    assert thresholds[1][0].startswith("the same, if others know everything")


def test_suppressed_cells_are_judged_as_what_they_leave(clinic: Path) -> None:
    """The score is of the table as it is written, and nobody in it is below k."""
    out = clinic / "release.csv"
    wanted = ("--k", "12", "--suppress-cells", "0.3", "--max-exposure", "0.5")
    score, sheet = saved(clinic, "advise", *ROLES, *wanted, "--table", str(out))
    stars = out.read_text().count("*")
    assert score["release"]["cells"]["cells"] == stars > 0
    assert (score["max_exposure"], score["quasi"]["people_below_k"]) == (0, 0)
    assert score["quasi"]["smallest_crowd"] >= 12
    crowd = cells(sheet, "thresholds")[0]
    assert (crowd[0], crowd[3]) == ("smallest crowd k (largest chance 1/k)", "met")
    note = plain_text(next(part for part in sheet.tables if part.key == "columns").note)
    assert note.startswith(f"{stars:,} single cells suppressed (*), of ")


def test_an_advised_release_leads_to_its_page(clinic: Path) -> None:
    out = clinic / "release.csv"
    wanted = ("--k", "12", "--suppress", "0.1", "--l", "diagnosis=1", "--table", str(out))
    score, sheet = saved(clinic, "advise", *ROLES, "--threshold", "ema-0070", *wanted)
    digest = hashlib.sha256(out.read_bytes()).hexdigest()
    assert len(out.read_text().splitlines()) == 1 + 40
    assert score["users"] == 40
    assert score["release"]["input_people"] == 41
    assert score["release"]["file"]["sha256"] == digest
    assert score["release"]["left_out"] == {"rows": 1, "people": 1, "missing": 1}
    verdict = plain_text(sheet.verdict)
    assert verdict.startswith("40 of 41 people are in the released table, in crowds of at least 20")
    crowd, _, diverse, close = cells(sheet, "thresholds")
    assert crowd[1:4] == ["12 (0.083)", "20 (0.05)", "met"]
    assert "Policy 0070" in crowd[4]
    assert (diverse[1], diverse[3], close[3]) == ("1", "met", "open")
    assert "PhUSE" in plain_text(next(t for t in sheet.tables if t.key == "thresholds").note)
    assert "--suppress 0.1" in sheet.command
    assert str(clinic) not in sheet.command


def test_a_release_without_columns_has_no_page(
    clinic: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["advise", str(clinic / "t.csv"), "--columns", "age,sex", "--known", "all"]
    file = clinic / "saved.json"
    assert main([*arguments, "--k", "41", "--save", str(file)]) == 2
    assert "every column is dropped" in capsys.readouterr().err
    assert not file.exists()


def test_json_has_the_hash_of_the_table(clinic: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = clinic / "release.csv"
    arguments = ["score", str(clinic / "t.csv"), *ROLES, "--format", "json", "--table", str(out)]
    assert main([*arguments, "--k", "5", "--max-exposure", "0.1"]) == 0
    file = json.loads(capsys.readouterr().out)["release"]["file"]
    assert file["sha256"] == hashlib.sha256(out.read_bytes()).hexdigest()
    out.unlink()
    assert main([*arguments, "--k", "25"]) == 2  # refused: the score is there, the table is not
    assert json.loads(capsys.readouterr().out)["release"]["file"] is None
    assert not out.exists()


@pytest.mark.parametrize("command", ["score", "advise"])
def test_a_missing_folder_is_named_before_a_table_is_written(
    clinic: Path, command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    saved, out = clinic / "nowhere" / "s.json", clinic / "release.csv"
    arguments = [command, str(clinic / "t.csv"), *ROLES, "--k", "1", "--save", str(saved)]
    assert main([*arguments, "--table", str(out)]) == 2
    assert "the folder of this file does not exist" in capsys.readouterr().err
    assert not out.exists()


def test_a_release_without_known_columns_is_one_crowd(clinic: Path) -> None:
    score, sheet = saved(clinic, "advise", *ROLES, "--k", "41", "--max-exposure", "0")
    assert [column["name"] for column in score["columns"]] == ["diagnosis"]
    verdict = plain_text(sheet.verdict)
    assert "in crowds of at least 41 who are all, as no known column is released" in verdict
    assert [row[3] for row in cells(sheet, "thresholds")] == ["met", "open", "open", "open"]


def test_an_older_score_has_a_page(score: Path) -> None:
    document = json.loads(score.read_text())
    del document["release"]
    score.write_text(json.dumps(document))
    assert "no table was written" in make(score).html


def test_the_evidence_is_in_the_order_of_the_standard(score: Path) -> None:
    titles = [section.title for section in make(score).page.sections]
    assert titles == ["Context", "Data", "Identifiability", "Mitigation", "Governance"]


def test_no_value_of_the_table_is_on_it(score: Path) -> None:
    """Not even those that the rules merge."""
    html = make(score).html
    assert not [value for value in (*SECRET, "Oslo", "P001") if value in html]
    assert not [value for value in (*SECRET, "Oslo", "P001") if value in score.read_text()]


def drawn(rng: np.random.Generator, n: int) -> dict[str, list[str]]:
    """A table whose values cannot be on a page by chance."""

    def words(some: int) -> list[str]:
        known = [f"w{rng.integers(10**9):09}x" for _ in range(some)]
        return [known[int(some * rng.random() ** 3)] for _ in range(n)]

    return {
        "name": [f"N{rng.integers(10**9):09}" for _ in range(n)],
        "job": words(12),
        "town": words(9),
        "code": [f"{rng.integers(3)}{rng.integers(10**7):07}" for _ in range(n)],
        "pay": [f"{rng.integers(10**8, 10**9)}" for _ in range(n)],
        "born": [f"{1930 + rng.integers(80)}-{rng.integers(1, 13):02}-17" for _ in range(n)],
        "kind": words(6),
    }


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(12))
def test_no_rare_value_of_a_random_table_is_on_it(seed: int, tmp_path: Path) -> None:
    """Whatever is read, coarsened or left out: no text that fewer than k people have.

    Labels of merged values are rare, or values themselves; intervals begin at people's numbers by
    quantiles, and dates, codes and hierarchies are cut.
    """
    rng = np.random.default_rng(seed)
    k, table = int(rng.integers(2, 8)), drawn(rng, int(rng.integers(30, 90)))
    levels = tmp_path / "levels.csv"
    kinds = sorted(set(table["kind"]))
    levels.write_text("".join(f"{word};kind {i // 3};*\n" for i, word in enumerate(kinds)))
    job, town = sorted(set(table["job"])), sorted(set(table["town"]))
    rules = [
        f'job.merge={{"{job[0]}"={json.dumps(job[1:3])}}}',
        f'town.merge={{"few"={json.dumps(town[:2])},"{table["name"][0]}"={json.dumps(town[2:3])}}}',
        f"town.merge_below={k}",
        "code.prefix=4",
        f"pay.bins.quantiles={rng.integers(2, 9)}",
        "born.date=month",
        f'kind.hierarchy="{levels}"',
        "kind.level=1",
    ]
    chosen = [rule for rule in rules if rng.random() < 0.7 or rule.startswith("kind.")]
    data, out, saved = (tmp_path / name for name in ("t.csv", "out.csv", "score.json"))
    rows = zip(*table.values(), strict=True)
    data.write_text("\n".join(map(";".join, [tuple(table), *rows])) + "\n")
    arguments = ["score", str(data), "--k", str(k), "--save", str(saved), "--table", str(out)]
    arguments.append("--anyway")
    arguments += ["--quasi", "code,pay,born,job,town,kind"]
    assert main([*arguments, *(part for rule in chosen for part in ("--coarsen", rule))]) == 0
    before = Counter(value for column in table.values() for value in column)
    said = Counter(cell for row in csv.reader(out.read_text().splitlines()) for cell in row)
    rare = [value for value, many in before.items() if many < k and said[value] < k]
    assert len(rare) > len(table["name"])
    for page in (make(saved).html, saved.read_text()):
        assert not [value for value in rare if value in page], chosen


def test_a_score_with_many_sets_is_one_too(score: Path) -> None:
    """What says what the file is stands behind a mebibyte of sets of columns."""
    document = json.loads(score.read_text())
    document["sets"]["sets"] *= 4000
    score.write_text(json.dumps(document, indent=1))
    assert score.read_text().index('"sha256"') > 1 << 19
    assert make(score).page.title == "A table about people: people.csv"


def test_what_is_exposed_comes_first(score: Path) -> None:
    document = json.loads(score.read_text())
    document["joint"]["people_below_k"] = 50
    score.write_text(json.dumps(document))
    first = make(score).page.alerts[0]
    assert (first.level, first.title) == ("serious", "50 people are in a crowd smaller than k = 3")


@pytest.mark.parametrize("text", ['{"roles": [], "sha256": ""}', '{"roles" "sha256"'])
def test_what_is_no_score_says_so(score: Path, text: str) -> None:
    score.write_text(text)
    with pytest.raises(StorageError, match="not the JSON of a score"):
        make(score)


LONG = "a question of a survey with a long name, number "


def lengthened(document: dict[str, Any]) -> None:
    """Give all columns, files, and rules the longest texts."""
    roles = document["roles"] = [
        {**document["roles"][i % 3], "column": f"{LONG}{i}"} for i in range(42)
    ]
    document["coarser"] = [
        f"{role['column']}: {'intervals ' * 20}{i}" for i, role in enumerate(roles)
    ]
    for column, role in zip(
        document["columns"], [r for r in roles if not r["left_out"]], strict=False
    ):
        column["name"] = role["column"]
    document["sensitive"] = [
        {"column": f"{LONG}{i}", "k": 1, "l": 1, "entropy_l": 1.0, "t": 0.9} for i in range(9)
    ]
    for column in document["sensitive"]:
        column |= {"diversity": 1, "entropy_diversity": 1.0, "closeness": 0.9}
        column |= {"largest_share": 1.0, "certain": 33}
        del column["l"], column["entropy_l"], column["t"]
    for question in document["questions"]:
        question["known"] = question["sought"] = [LONG] * 3
    document["release"]["command"] *= 40
    document["release"]["left_out"] = {"rows": 9, "people": 9, "missing": 9}
    document["joint"]["people_below_k"] = 50
    document["data"] = document["person"] = LONG * 4


@pytest.mark.slow
@pytest.mark.parametrize("longest", [False, True])
def test_the_page_to_sign_is_one_sheet(tab, score: Path, tmp_path: Path, *, longest: bool) -> None:
    """Also where columns are many, names long, and much is to be warned of."""
    document = json.loads(score.read_text())
    if longest:
        lengthened(document)
    score.write_text(json.dumps(document))
    file = tmp_path / "signed.html"
    file.write_text(make(score).html, "utf-8")
    page = tab.open(file)
    printed = page.pdf(format="A4", prefer_css_page_size=True, outline=True, tagged=True)
    placed = headings(printed)
    titles = page.locator("#sheet h2").all_inner_texts()
    assert len(titles) == 6
    assert {placed[title][0] for title in titles} == {1}
    number, height = placed["Alerts"]  # what follows begins the next sheet
    assert (number, height > 700) == (2, True)
    page.set_viewport_size({"width": 390, "height": 844})
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert not violations(page)
