"""`veilmix reproduce`: what there is, the files it writes, and what it says about the paper."""

import csv
import json
import sys
from pathlib import Path

import pytest
from veilmix.cli.commands.reproduce import PAPERS
from veilmix.installation import missing


def test_without_a_paper_it_lists_what_there_is(typed) -> None:
    said = typed("reproduce", "--format", "json")
    figures = json.loads(said.out)
    listed = [(figure["paper"], figure["figure"]) for figure in figures]
    assert listed[:2] == [("000", "2"), ("000", "3")]
    assert {paper for paper, _ in listed} == set(PAPERS)
    assert "census" in typed("reproduce").out


@pytest.mark.slow
def test_figure_3_is_written_and_judged(typed) -> None:
    said = typed("reproduce", "000", "3", "--out", "here", "--format", "csv")
    assert said.code == 0
    written = sorted(path.name for path in Path("here").iterdir())
    assert written == ["figure3.csv", "figure3.png", "figure3.svg"]
    assert all(f"written   here/{name}" in said.err for name in written)
    judged = list(csv.DictReader(said.out.splitlines()))
    assert [row["agrees"] for row in judged] == ["open", "yes", "NO", "NO"]
    with Path("here/figure3.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 128
    assert float(rows[-1]["plug_in_mean"]) == 1


@pytest.mark.slow
def test_the_same_seed_writes_the_same_files_and_another_does_not(typed) -> None:
    for folder, seed in (("a", "1"), ("b", "1"), ("c", "2")):
        assert typed("reproduce", "000", "3", "--out", folder, "--seed", seed).code == 0
    for name in ("figure3.csv", "figure3.svg", "figure3.png"):
        first, again, other = (Path(folder, name).read_bytes() for folder in "abc")
        assert first == again
        assert first != other


@pytest.mark.slow
def test_all_figures_go_to_a_folder_named_after_the_paper(typed) -> None:
    said = typed("reproduce", "000", "--worst-case", "0")
    assert said.code == 0
    assert {path.name for path in Path("reproduced-000").iterdir()} == {
        "figure2.png", "figure2.svg", "figure2-truth.csv", "figure2-bounds.csv",
        "figure3.png", "figure3.svg", "figure3.csv",
    }  # fmt: skip
    worst = next(line for line in said.out.splitlines() if "k = 200: worst" in line)
    assert worst.split()[-1] == "open"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("00",), "no paper '00' can be redrawn; there are 000"),
        (("000", "9"), "no figure '9' of paper 000; there are 2, 3"),
        (("000", "--seed", "-1"), "-1 is not in the range x>=0"),
    ],
)
def test_wrong_arguments_of_reproduce_end_with_code_2(
    typed, arguments: tuple[str, ...], said: str
) -> None:
    reply = typed("reproduce", *arguments)
    assert (reply.code, reply.out) == (2, "")
    assert said in reply.err


def test_a_folder_that_cannot_be_made(typed) -> None:
    Path("file").write_text("", "utf-8")
    reply = typed("reproduce", "000", "3", "--out", "file/here")
    assert reply.code == 2
    assert "file/here: cannot be made" in reply.err


def test_it_names_what_to_install(typed, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    reply = typed("reproduce", "000", "3")
    assert (reply.code, missing("report", "drawing") in reply.err) == (2, True)
    assert not Path("reproduced-000").exists()


@pytest.mark.slow
def test_a_figure_without_numbers_to_compare_has_no_empty_table(typed) -> None:
    said = typed("reproduce", "001", "ratio", "--out", "here")
    assert said.out == "the paper gives no number to compare with: look at the picture\n"
    assert "written   here/privacy-ratio.png" in said.err
