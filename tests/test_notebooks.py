"""Notebooks for research run from the first cell to the last, and are pages of the site."""

import ast
import json
import os
import subprocess
import sys
from pathlib import Path

import notebook_pages
import pytest
import run_notebooks as TOOL
import veilmix
from sample_kit import sampled

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "notebooks.md").read_text("utf-8")
NOTEBOOKS = TOOL.notebooks()
each = pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)


@pytest.mark.slow
@pytest.mark.parametrize(
    "chosen", sampled([NOTEBOOKS[:2], NOTEBOOKS[2:]], 0), ids=["two", "others"]
)
def test_every_cell_runs(chosen: list[Path], tmp_path: Path) -> None:
    """If a cell fails: python tools/run_notebooks.py docs/notebooks/NAME.ipynb."""
    done = subprocess.run(
        [sys.executable, "-W", "error", TOOL.__file__, *map(str, chosen)],
        cwd=tmp_path,
        env={**os.environ, "MPLBACKEND": "Agg"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    for notebook in chosen:
        assert f"== {notebook.name}: done" in done.stdout
    assert done.stdout.count("Figure(") == 1  # in either part
    assert list(tmp_path.iterdir()) == []


def test_a_cell_that_fails_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bad = tmp_path / "bad.ipynb"
    cells = [{"cell_type": "code", "source": ["x = 1\n", text]} for text in ("x", "assert x == 2")]
    bad.write_text(json.dumps({"cells": cells}), "utf-8")
    assert TOOL.main([str(bad)]) == 1
    found = capsys.readouterr()
    assert "== bad.ipynb\n1\n" in found.out
    assert "bad.ipynb, cell 2" in found.err
    assert "AssertionError" in found.err


@each
def test_no_output_is_stored(notebook: Path) -> None:
    whole = json.loads(notebook.read_text("utf-8"))
    assert (whole["nbformat"], whole["nbformat_minor"]) == (4, 5)
    assert len({cell["id"] for cell in whole["cells"]}) == len(whole["cells"])
    for cell in whole["cells"]:
        if cell["cell_type"] == "code":
            assert (cell["outputs"], cell["execution_count"]) == ([], None)


def is_public(module: str, name: str) -> bool:
    """Whether a name is stable: one of `veilmix` or of a room of `veilmix.analysis`."""
    parts = module.split(".")
    if parts == ["veilmix"]:
        return name in veilmix.__all__
    room = parts[2] if parts[:2] == ["veilmix", "analysis"] and len(parts) == 3 else ""
    return room in dir(veilmix.analysis) and name in dir(getattr(veilmix.analysis, room))


@each
def test_only_stable_names_are_used(notebook: Path) -> None:
    """A package that a notebook writes is text: docs/extending.md names what it imports."""
    seen = 0
    for text in TOOL.code(notebook):
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("veilmix"):
                for alias in node.names:
                    seen += 1
                    assert is_public(node.module or "", alias.name), alias.name
            if isinstance(node, ast.Attribute) and ast.unparse(node.value) == "veilmix":
                seen += 1
                assert is_public("veilmix", node.attr), node.attr
    assert seen


def test_an_internal_name_is_noticed() -> None:
    assert is_public("veilmix.analysis.composition", "best_bound")
    assert not is_public("veilmix.analysis.composition.bounds", "best_bound")
    assert not is_public("veilmix.scenarios.lab.play.run", "run")
    assert not is_public("veilmix", "scenarios")


@each
def test_a_notebook_is_a_page_with_a_link_to_its_file(notebook: Path) -> None:
    text = notebook_pages.markdown(notebook.read_text("utf-8"), notebook.name)
    title, link, *_ = text.split("\n\n")
    assert title.startswith("# ")
    assert f"{{download}}`{notebook.name} <{notebook.name}>`" in link
    assert text.count("\n```python\n") == len(TOOL.code(notebook))
    assert f"(notebooks/{notebook.name})" in PAGE
    assert f"\nnotebooks/{notebook.stem}\n" in PAGE


def test_a_file_without_a_title_is_refused() -> None:
    for cells in ([], [{"cell_type": "code", "source": ["# x"]}]):
        with pytest.raises(ValueError, match=r"x\.ipynb: found no title in the first cell"):
            notebook_pages.markdown(json.dumps({"cells": cells}), "x.ipynb")


def test_there_are_five_notebooks_and_the_tool_names_the_first() -> None:
    assert len(NOTEBOOKS) == 5
    assert NOTEBOOKS[0].stem == TOOL.FIRST
