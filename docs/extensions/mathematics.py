"""Formulas as MathML, made while the site is built: no script, no font, no other computer.

Pages are written with `$...$` and `$$...$$`, which GitHub sets too. The converter is that of
docutils, which Sphinx brings along (docs/adr/0117-formulas-are-set-at-build-time.md). A formula
that it cannot read is an error of the build.
"""

import re
from html import escape
from typing import Any

from docutils.nodes import SkipNode
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.util import logging

LOG = logging.getLogger(__name__)
# A fraction of two signs without braces would lose them: "\frac12" becomes 12 over the next sign.
SHORT_FRACTION = re.compile(r"\\[td]?frac(?!\{)")
LONG = 45  # signs of TeX: a longer formula may be wider than the page of a phone, and scrolls
FORMULA = re.compile(r"\$\$(.+?)\$\$|\$([^$\n]+)\$", re.DOTALL)
TEX = re.compile(r"\\[A-Za-z]{2,}\S*|\$[^\s$](?:[^$\n]*[^\s$])?\$|:math:\S*")
# Between a function and its argument: no space before a bracket, a thin space elsewhere.
APPLIED = {
    '<mo>&ApplyFunction;</mo><mo stretchy="false">(': '<mo stretchy="false">(',
    "<mo>&ApplyFunction;</mo>": '<mspace width="0.1667em"></mspace>',
}


def mathml(tex: str, *, block: bool = False) -> str:
    """Return a formula as a MathML element.

    Args:
        tex: the formula in TeX, without dollar signs.
        block: whether it stands on a line of its own.

    Raises:
        ValueError: the formula cannot be read.
    """
    for left, right in (("{", "}"), ("\\left", "\\right"), ("\\begin", "\\end")):
        opened = _count(left, tex)
        if opened != _count(right, tex):
            raise ValueError(f"{tex!r}: {left} and {right} do not come in pairs")
    if SHORT_FRACTION.search(tex):
        raise ValueError(f"{tex!r}: both parts of a fraction stand in braces")
    try:
        drawn = tex2mathml(tex, as_block=block)
    except (MathError, LookupError, AttributeError, TypeError) as wrong:
        raise ValueError(f"{tex!r}: {wrong}") from None
    drawn = re.sub(r">\s+<", "><", drawn).replace("<mo>'</mo>", "<mo>\u2032</mo>")
    for applied, replacement in APPLIED.items():
        drawn = drawn.replace(applied, replacement)
    if "\\left" not in tex:  # signs of a set are as high as the line, not as what stands between
        drawn = re.sub(r"<mo>([{}|‖])</mo>", r'<mo stretchy="false">\1</mo>', drawn)
    if "\\" in drawn:
        raise ValueError(f"{tex!r}: a command of TeX is left")
    return drawn


def formulas(markdown: str) -> list[tuple[str, bool]]:
    """Return the formulas of a page outside of code, and whether each has lines of its own."""
    text = re.sub(r"^```.*?^```", "", markdown, flags=re.DOTALL | re.MULTILINE)
    text = re.sub(r"`[^`]*`", "", text)
    return [(formula[1] or formula[2], bool(formula[1])) for formula in FORMULA.finditer(text)]


def _count(sign: str, tex: str) -> int:
    if sign in "{}":
        return len(re.findall(r"(?<!\\)" + re.escape(sign), tex))
    return len(re.findall(re.escape(sign) + r"(?![A-Za-z])", tex))


def _drawn(node: Any, *, block: bool) -> str:
    tex = node.astext().strip()
    try:
        return mathml(tex, block=block)
    except ValueError as wrong:
        LOG.warning("formula: %s", wrong, location=node)
        return f"<code>{escape(tex)}</code>"


def _visit_inline(translator: Any, node: Any) -> None:
    drawn = _drawn(node, block=False)
    long = len(node.astext()) > LONG
    translator.body.append(f'<span class="math-long">{drawn}</span>' if long else drawn)
    raise SkipNode


def _visit_block(translator: Any, node: Any) -> None:
    translator.body.append(f'<div class="math-block">{_drawn(node, block=True)}</div>\n')
    raise SkipNode


def raw_tex(html: str) -> list[str]:
    """Return the TeX commands left in the text of a page, outside of code."""
    text = re.sub(r"<(pre|code|script|style|math)\b.*?</\1>", " ", html, flags=re.DOTALL)
    return TEX.findall(re.sub(r"<[^>]+>", " ", text))


def _check(_app: Any, page: str, _template: str, context: dict[str, Any], _tree: Any) -> None:
    for command in raw_tex(context.get("body") or ""):
        LOG.warning("%s: TeX that is not set as a formula: %s", page, command)


def setup(app: Any) -> dict[str, bool]:
    """Sphinx: name the renderer, which conf.py chooses."""
    app.add_html_math_renderer(
        "mathml", inline_renderers=(_visit_inline, None), block_renderers=(_visit_block, None)
    )
    app.connect("html-page-context", _check)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
