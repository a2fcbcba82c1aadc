"""Formulas of the pages: each can be read, and none stays as it was typed."""

from pathlib import Path

import mathematics
import pytest

DOCS = Path(__file__).parent.parent / "docs"
SOURCES = sorted(
    path
    for path in [*DOCS.rglob("*.md"), *DOCS.glob("statements/*.txt")]
    if "_build" not in path.parts
)


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.name)
def test_every_formula_can_be_read(source: Path) -> None:
    for tex, block in mathematics.formulas(source.read_text("utf-8")):
        assert mathematics.mathml(tex, block=block).startswith("<math")


def test_the_pages_of_statements_are_full_of_formulas() -> None:
    pages = [path.read_text("utf-8") for path in sorted(DOCS.glob("statements-*.md"))]
    found = [formula for page in pages for formula in mathematics.formulas(page)]
    assert len(found) > 500
    assert sum(block for _, block in found) > 100


@pytest.mark.parametrize(
    "tex",
    [r"\unknown", r"\frac{1}{2", r"\left(x", r"\frac12", r"\begin{cases}x", r"x}", r"\tfrac 1{2}"],
)
def test_a_formula_with_a_mistake_is_refused(tex: str) -> None:
    with pytest.raises(ValueError, match=r"pairs|braces|Unknown"):
        mathematics.mathml(tex)


def test_formulas_in_code_are_left_alone() -> None:
    page = "`$x$` and $y$\n\n```\n$z$\n```\n\n$$\na\n$$\n"
    assert mathematics.formulas(page) == [("y", False), ("\na\n", True)]


def test_signs_of_a_set_are_as_high_as_the_line() -> None:
    assert '<mo stretchy="false">{</mo>' in mathematics.mathml(r"\{x\}")
    assert "<mo>{</mo>" in mathematics.mathml(r"\left\{x\right\}")
    assert "\u2032" in mathematics.mathml("x'")


def test_raw_tex_on_a_page_is_found() -> None:
    html = r"<p>a \frac{1}{2} <code>\alpha</code> costs 5 $ <math>x</math> $y$ :math:`z`</p>"
    assert mathematics.raw_tex(html) == [r"\frac{1}{2}", "$y$", ":math:`z`"]


def test_a_function_stands_beside_its_argument() -> None:
    assert '<mi>log</mi><mo stretchy="false">(' in mathematics.mathml(r"\log(x)")
    assert '<mi>log</mi><mspace width="0.1667em"></mspace><mi>x</mi>' in mathematics.mathml(
        r"\log x"
    )
