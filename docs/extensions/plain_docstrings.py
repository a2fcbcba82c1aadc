"""Docstrings are plain text with `names` in backticks; Sphinx reads reStructuredText.

What stands in backticks becomes literal, the signs of reStructuredText elsewhere become themselves,
and what is indented (a formula, a table) becomes a literal block. An example (`>>>` to the next
empty line) stays as it is. Sections such as `Args:` are left to napoleon, which runs after this.
"""

import re
from typing import Any

SIGNS = re.compile(r"([*_|\\])")
ARRAY_LIKE = (
    "_Buffer | _SupportsArray[dtype[Any]] | _NestedSequence[_SupportsArray[dtype[Any]]]"
    " | complex | bytes | str | _NestedSequence[complex | bytes | str]"
)
ARRAY = re.compile(r"ndarray\[tuple\[Any, \.\.\.\], dtype\[(\w+)\]\]")
COLON = "\ue000"  # stands for one while napoleon looks
SECTIONS = ("Args:", "Arguments:", "Returns:", "Raises:", "Yields:", "Note:", "Notes:")


def plain(line: str) -> str:
    """One line of text: code literal, everything else as it stands."""
    parts = line.split("`")
    if len(parts) % 2 == 0:  # a lone backtick
        return SIGNS.sub(r"\\\1", line).replace("`", r"\`")
    kept = [
        f"``{part.strip()}``" if index % 2 and part.strip() else SIGNS.sub(r"\\\1", part)
        for index, part in enumerate(parts)
    ]
    return "".join(kept)


def rewritten(lines: list[str]) -> list[str]:
    """A docstring as reStructuredText."""
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
    return ARRAY.sub(r"NDArray[\1]", signature.replace(ARRAY_LIKE, "ArrayLike"))


def _rewrite(_app: Any, what: str, _name: str, _thing: Any, _options: Any, lines: Any) -> None:
    lines[:] = rewritten(lines)
    if lines and what in ("property", "attribute", "data"):  # napoleon takes "Whether: " for a type
        lines[0] = lines[0].replace(":", COLON)


def _restore(_app: Any, _what: str, _name: str, _thing: Any, _options: Any, lines: Any) -> None:
    lines[:] = [line.replace(COLON, ":") for line in lines]


def _shorten(*event: Any) -> tuple[str | None, str | None]:
    *_, arguments, answer = event
    return arguments and shortened(arguments), answer and shortened(answer)


def setup(app: Any) -> dict[str, bool]:
    """Sphinx: before napoleon, which listens at 500."""
    app.connect("autodoc-process-docstring", _rewrite, priority=400)
    app.connect("autodoc-process-docstring", _restore, priority=600)
    app.connect("autodoc-process-signature", _shorten)
    return {"parallel_read_safe": True}
