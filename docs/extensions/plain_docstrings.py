"""Docstrings are plain text with `names` in backticks; Sphinx reads reStructuredText.

Text in backticks becomes literal, the signs of reStructuredText elsewhere are escaped, and indented
text (a formula, a table) becomes a literal block. An example (`>>>` to the next
empty line) stays as it is. Sections such as `Args:` are left to napoleon, which runs after this.
"""

import re
from typing import Any

from docutils import nodes
from sphinx import addnodes

SIGNS = re.compile(r"([*_|\\])")
FROM = r"~?(?:[a-z_]+\.)*"  # Sphinx may write the module of a type before it
ANY_ARRAY = rf"{FROM}_SupportsArray\[{FROM}dtype\[{FROM}Any\]\]"
ARRAY_LIKE = re.compile(
    rf"{FROM}_Buffer \| {ANY_ARRAY} \| {FROM}_NestedSequence\[{ANY_ARRAY}\]"
    rf" \| complex \| bytes \| str \| {FROM}_NestedSequence\[complex \| bytes \| str\]"
)
ARRAY = re.compile(rf"{FROM}ndarray\[tuple\[{FROM}Any, \.\.\.\], {FROM}dtype\[{FROM}(\w+)\]\]")
COLON = "\ue000"  # replaces a colon while napoleon runs
SECTIONS = ("Args:", "Attributes:", "Returns:", "Raises:", "Yields:", "Note:", "Notes:")


def plain(line: str) -> str:
    """Return a line of text with code as literals and all other text escaped."""
    parts = line.split("`")
    if len(parts) % 2 == 0:  # a lone backtick
        return SIGNS.sub(r"\\\1", line).replace("`", r"\`")
    escaped_parts = [
        f"``{part.strip()}``" if index % 2 and part.strip() else SIGNS.sub(r"\\\1", part)
        for index, part in enumerate(parts)
    ]
    return "".join(escaped_parts)


def rewritten(lines: list[str]) -> list[str]:
    """Return a docstring as reStructuredText."""
    lines_out: list[str] = []
    section = formula = example = False
    for line in lines:
        example = bool(line.strip()) and (example or line.lstrip().startswith(">>> "))
        if example:
            lines_out.append(line)
            continue
        indented = line.startswith(" ")
        if line.strip() and not indented:
            section = line in SECTIONS
            if formula and lines_out[-1]:
                lines_out.append("")
            formula = False
        if indented and not section:
            if not formula:
                if lines_out and lines_out[-1]:
                    lines_out.append("")
                lines_out.extend(("::", ""))
            formula = True
            lines_out.append(line)
        else:
            lines_out.append(plain(line))
    return lines_out


def shortened(signature: str) -> str:
    """A signature with numpy's types under the names by which they were written."""
    return ARRAY.sub(r"NDArray[\1]", ARRAY_LIKE.sub("ArrayLike", signature))


def _rewrite(_app: Any, kind: str, _name: str, _thing: Any, _options: Any, lines: Any) -> None:
    lines[:] = rewritten(lines)
    if lines and kind in ("property", "attribute", "data"):  # napoleon takes "Whether: " for a type
        lines[0] = lines[0].replace(":", COLON)


def _restore(_app: Any, _kind: str, _name: str, _thing: Any, _options: Any, lines: Any) -> None:
    lines[:] = [line.replace(COLON, ":") for line in lines]


def _shorten(*event: Any) -> tuple[str | None, str | None]:
    *_, arguments, answer = event
    return arguments and shortened(arguments), answer and shortened(answer)


def _shorten_overloads(_app: Any, tree: Any, _page: str) -> None:
    """Shorten the signatures of overloads, of which Sphinx does not ask."""
    for parameter in tree.findall(addnodes.desc_parameter):
        text = parameter.astext()
        if (short := shortened(text)) != text:
            name, colon, kind = short.partition(":")
            parameter.children = []
            parameter += [addnodes.desc_sig_name("", name), nodes.inline("", colon + kind)]


def setup(app: Any) -> dict[str, bool]:
    """Sphinx: register the conversion before napoleon, which has priority 500."""
    app.connect("autodoc-process-docstring", _rewrite, priority=400)
    app.connect("autodoc-process-docstring", _restore, priority=600)
    app.connect("autodoc-process-signature", _shorten)
    app.connect("doctree-resolved", _shorten_overloads)
    return {"parallel_read_safe": True}
