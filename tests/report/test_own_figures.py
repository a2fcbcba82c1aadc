"""Figures that other installed packages bring to the page of a run."""

import base64
import csv
import re
from pathlib import Path

import pytest
import veilmix
from page_packages import install
from veilmix.errors import ParameterError
from veilmix.report.make import make
from veilmix.scenarios.lab.scoring.figure_plugins import OwnFigure
from veilmix.scenarios.schema import plugs

IMAGE = re.compile(r'<img src="data:image/svg\+xml;charset=utf-8;base64,([^"]+)" alt="([^"]*)">')
NUMBERS = re.compile(r'href="data:text/csv;charset=utf-8;base64,([^"]+)" download="([^"]*)"')


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    outcome = veilmix.run("blood-type", 7, mode="ideal", worst_case_nodes=0)
    return veilmix.save(outcome, tmp_path_factory.mktemp("runs"))


def list_figure(monkeypatch: pytest.MonkeyPatch, **places: str) -> None:
    """Have an installed package bring figures: the place of each by its name."""
    monkeypatch.setattr(plugs, "installed", lambda what: places if what == "figures" else {})


def bring(monkeypatch: pytest.MonkeyPatch, figure: object) -> None:
    """Bring a figure by an entry point: its module is this one."""
    globals()["BROUGHT"] = figure
    list_figure(monkeypatch, mine=f"{__name__}:BROUGHT")


def test_a_page_without_such_figures_allows_no_images(saved: Path) -> None:
    page = make(saved, 0).html
    assert "img-src" not in page
    assert "Figures of other packages" not in page


def test_the_figure_of_the_documents_is_an_image_with_its_numbers(
    saved: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path, "rival")
    monkeypatch.syspath_prepend(tmp_path)
    list_figure(monkeypatch, largest="rival.others:LARGEST")
    page = make(saved, 0).html
    assert "img-src data:" in page.partition("<title>")[0]
    (image,) = IMAGE.findall(page)
    assert image[1] == "largest: People in the five largest combinations of the release."
    assert "<svg" in base64.b64decode(image[0]).decode()
    table = dict(map(reversed, NUMBERS.findall(page)))["largest.csv"]
    headings, *rows = csv.reader(base64.b64decode(table).decode().splitlines())
    assert headings == ["values", "people"]
    people = veilmix.read(saved).frames.release["people"]
    assert [int(row[1]) for row in rows] == sorted(people, reverse=True)[:5]


def test_a_run_without_the_numbers_has_no_figure(
    saved: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bring(monkeypatch, OwnFigure("Nothing.", lambda _: None, lambda _: None))  # type: ignore[arg-type, return-value]
    assert "Figures of other packages" not in make(saved, 0).html


ONE = veilmix.Frame({"people": (1,)})


@pytest.mark.parametrize(
    ("figure", "message"),
    [
        (len, "veilmix.figures: found builtin_function_or_method; an OwnFigure"),
        (OwnFigure("A.", lambda _: 3, len), "figure 'mine' .* found int; a veilmix.Frame"),  # type: ignore[arg-type, return-value]
        (OwnFigure("A.", lambda _: veilmix.Frame({}), len), "found a Frame without rows"),  # type: ignore[arg-type]
        (OwnFigure("A.", lambda _: ONE, len), "found int; a matplotlib Figure"),  # type: ignore[arg-type]
    ],
)
def test_what_is_no_figure_is_one_error(
    saved: Path, figure: object, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    bring(monkeypatch, figure)
    with pytest.raises(ParameterError, match=message):
        make(saved, 0)
