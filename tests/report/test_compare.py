"""The page of a comparison, from its folder."""

import base64
import csv
import io
import re
from dataclasses import replace
from pathlib import Path

import pytest
from veilmix.analysis.figures.frontier import frontier
from veilmix.errors import StorageError
from veilmix.report import compare as report
from veilmix.report.make import make
from veilmix.report.write import html
from veilmix.scenarios.lab.validation.load import load
from veilmix.scenarios.studies.comparison.compare import compare
from veilmix.scenarios.studies.comparison.result import COMPARISON, Comparison
from veilmix.scenarios.studies.comparison.result_folder import points, save

pytestmark = pytest.mark.slow
NAMES = ("exposure", "trusted", "local")


@pytest.fixture(scope="module")
def comparison() -> Comparison:
    return compare("classroom", only=NAMES)


def rules(result: Comparison) -> set[str]:
    return {alert.rule for alert in report.page(result).alerts}


def test_every_program_is_on_the_page_with_its_numbers(
    comparison: Comparison, tmp_path: Path
) -> None:
    folder = save(comparison, load("classroom"), tmp_path)
    made = make(folder)
    assert made.path == folder / "report.html"
    link = re.search(r'href="data:[^,]+,([^"]*)" download="programs.csv"', made.html)
    assert link is not None
    rows = list(csv.DictReader(io.StringIO(base64.b64decode(link[1]).decode())))
    assert [row["program"] for row in rows] == [program.program for program in comparison.programs]
    for row, program in zip(rows, comparison.programs, strict=True):
        assert float(row["bits_per_person"]) == program.trust.largest_party_leakage.bits_per_person
        assert float(row["pair_error_mean"]) == program.utility.mean
        assert row["promised_exposure"] == (
            "" if program.privacy.promised is None else str(program.privacy.promised)
        )
    names = re.findall(r'<title id="([^"]*)"', made.html)
    assert len(names) == len(set(names)) >= 2
    assert "<script" not in made.html


def test_what_is_odd_about_a_comparison_is_told(comparison: Comparison) -> None:
    assert {"alone", "seeded"} <= rules(comparison)
    mixed = replace(comparison, programs=tuple(p for p in comparison.programs if p.family == "mix"))
    assert "alone" not in rules(mixed)
    assert "seeded" not in rules(replace(comparison, seed=None))
    assert "skipped" in rules(replace(comparison, skipped={"shares": "an open domain"}))
    assert "skipped" not in rules(replace(comparison, skipped={}))
    first = comparison.programs[0]
    burned = replace(first, burned="too few people")
    assert "burned" in rules(replace(comparison, programs=(burned,)))
    assert "burned" not in rules(replace(comparison, programs=(first,)))
    lied = replace(first, privacy=replace(first.privacy, true=0.5, promised=0.1))
    assert "broken" in rules(replace(comparison, programs=(lied,)))
    assert "broken" not in rules(replace(comparison, programs=(first,)))


def test_nothing_that_a_comparison_says_is_markup(comparison: Comparison) -> None:
    evil = "<script>alert(1)</script>"
    first = replace(comparison.programs[0], program=evil, note=evil)
    text = html(
        report.page(replace(comparison, title=evil, programs=(first,), skipped={evil: evil}))
    )
    assert "<script" not in text
    assert text.count("&lt;script&gt;") >= 4


def test_a_damaged_comparison_is_told(tmp_path: Path) -> None:
    (tmp_path / COMPARISON).write_text("{}", "utf-8")
    with pytest.raises(StorageError, match="not a comparison"):
        make(tmp_path)


def test_a_lower_bound_is_neither_ranked_nor_drawn_as_the_value(comparison: Comparison) -> None:
    """`local` is known from below alone: the least of such numbers asks for no least trust."""
    bounded = [program for program in comparison.programs if not report.known_from_above(program)]
    assert bounded
    assert min(comparison.programs, key=report.bits) in bounded  # what would have been ranked first
    trust = report.page(comparison).verdict[0]
    assert trust.short not in {program.program for program in bounded}
    assert "Not ranked" in trust.text
    only = replace(comparison, programs=tuple(bounded))
    assert report.page(only).verdict[0].short == "not known"
    drawn = report.measures_figure(comparison).svg
    assert drawn.count(">&gt;= ") == len(bounded)
    best = frontier(points(comparison))
    assert {point.name for point in best}.isdisjoint(program.program for program in bounded)
