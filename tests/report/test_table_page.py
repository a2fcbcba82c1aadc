"""The page of a scored table: to sign, then the evidence; names and counts, and nobody's values."""

import hashlib
import json
from pathlib import Path

import pytest
from printed_kit import headings
from veilmix.cli import main
from veilmix.errors import StorageError
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
    asked = [one.question for one in made.page.verdict]
    assert asked == [
        *("What was looked at?", "What are the columns?", "What was wanted?", "What was found?"),
        *("What was done?", "What remains?", "By which method?", "What is not said?", "Signed"),
    ]
    assert hashlib.sha256(data).hexdigest() in made.html
    assert "Direct identifier: patient." in made.html
    assert "intervals of 25" in made.html
    assert KNOWS in made.html


def test_the_evidence_is_in_the_order_of_the_standard(score: Path) -> None:
    titles = [one.title for one in make(score).page.sections]
    assert titles == ["Context", "Data", "Identifiability", "Mitigation", "Governance"]


def test_no_value_of_the_table_is_on_it(score: Path) -> None:
    """Not even those that the rules merge."""
    html = make(score).html
    assert not [value for value in (*SECRET, "Oslo", "P001") if value in html]
    assert not [value for value in (*SECRET, "Oslo", "P001") if value in score.read_text()]


def test_what_is_exposed_comes_first(score: Path) -> None:
    found = json.loads(score.read_text())
    found["joint"]["people_below_k"] = 50
    score.write_text(json.dumps(found))
    first = make(score).page.alerts[0]
    assert (first.level, first.title) == ("serious", "50 people are in a crowd smaller than k = 3")


@pytest.mark.parametrize("text", ['{"roles": [], "sha256": ""}', '{"roles" "sha256"'])
def test_what_is_no_score_says_so(score: Path, text: str) -> None:
    score.write_text(text)
    with pytest.raises(StorageError, match="not the JSON of a score"):
        make(score)


@pytest.mark.slow
def test_the_signature_is_on_the_first_sheet(tab, score: Path, tmp_path: Path) -> None:
    """Also where columns are many and much is to be warned of."""
    found = json.loads(score.read_text())
    found["joint"]["people_below_k"] = 50
    found["roles"] *= 14
    score.write_text(json.dumps(found))
    file = tmp_path / "signed.html"
    file.write_text(make(score).html, "utf-8")
    page = tab.open(file)
    printed = page.pdf(format="A4", prefer_css_page_size=True, outline=True, tagged=True)
    placed = headings(printed)
    questions = page.locator("#verdict h3").all_inner_texts()
    assert len(questions) == 9
    assert {placed[one][0] for one in questions} == {1}
    assert placed["Context"][0] == 2
    page.set_viewport_size({"width": 390, "height": 844})
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
