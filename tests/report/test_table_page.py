"""The page of a scored table: to sign, then the evidence; names and counts, and nobody's values."""

import csv
import hashlib
import json
from collections import Counter
from pathlib import Path

import numpy as np
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
    asked = [answer.question for answer in made.page.verdict]
    assert asked == [
        *("What was looked at?", "Who is a person?", "What are the columns?", "What was wanted?"),
        *("What was found?", "What was done?", "What remains?", "By which method?"),
        *("What is not said?", "Signed"),
    ]
    assert hashlib.sha256(data).hexdigest() in made.html
    assert "Direct identifier: patient." in made.html
    assert "intervals of 25" in made.html
    assert "3 values as elsewhere" in made.html
    assert KNOWS in made.html


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
    assert make(score).page.title == "How anonymous are the people of people.csv?"


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


@pytest.mark.slow
def test_the_signature_is_on_the_first_sheet(tab, score: Path, tmp_path: Path) -> None:
    """Also where columns are many and much is to be warned of."""
    document = json.loads(score.read_text())
    document["joint"]["people_below_k"] = 50
    document["roles"] *= 14
    score.write_text(json.dumps(document))
    file = tmp_path / "signed.html"
    file.write_text(make(score).html, "utf-8")
    page = tab.open(file)
    printed = page.pdf(format="A4", prefer_css_page_size=True, outline=True, tagged=True)
    placed = headings(printed)
    questions = page.locator("#verdict h3").all_inner_texts()
    assert len(questions) == 10
    assert {placed[question][0] for question in questions} == {1}
    assert placed["Context"][0] == 2
    page.set_viewport_size({"width": 390, "height": 844})
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
