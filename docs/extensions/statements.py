"""Numbered statements of the papers: one source for their pages and for pages of the API.

`docs/statements/NNN.txt` holds the mathematics of each item, `docs/numbered-items.txt` its state,
its functions and its test, `docs/statements/notation.txt` the meaning of signs;
tools/make_theorems.py writes docs/statements-NNN.md from them. On a page of the API each function
shows the statements that it computes. A name such as `analysis.composition.theorem2` becomes a link
to its page.
"""

import re
from collections import defaultdict
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from docutils import nodes

DOCS = Path(__file__).parent.parent
LABELS = ("Sharper", "Proof", "Reference", "Erratum")
DEEPEST = 3  # levels of headings in the contents of a page
BUILT_IN = ("analysis.", "veilmix.")


@dataclass(frozen=True, slots=True)
class Statement:
    """The mathematics of one item.

    Attributes:
        number: its number in the paper.
        lines: its text, as lines of Markdown.
        parts: label (of `LABELS`) and lines, in the order of the file.
        notation: the meaning of signs that the text does not define; empty without such signs.
    """

    number: str
    lines: tuple[str, ...]
    parts: tuple[tuple[str, tuple[str, ...]], ...]
    notation: str = ""

    def part(self, label: str) -> str:
        """Return the text under a label, or an empty text."""
        return " ".join(" ".join(lines) for name, lines in self.parts if name == label)

    @property
    def markdown(self) -> str:
        """The item as paragraphs, with formulas on lines of their own."""
        notation = [("Notation", (self.notation,))] if self.notation else []
        paragraphs = [*notation, ("", self.lines), *self.parts]
        return "\n".join(_paragraph(label, lines) for label, lines in paragraphs)


@dataclass(frozen=True, slots=True)
class Meaning:
    """The meaning of a sign, and the statements that use the sign without defining it.

    Attributes:
        text: a clause.
        pattern: a regular expression for statements with the sign; "" if they are listed.
        items: without a pattern the items with the sign, else the items that define it.
    """

    text: str
    pattern: str
    items: frozenset[str]

    @classmethod
    def from_line(cls, line: str) -> "Meaning":
        """Return the meaning on a line of the file."""
        where, _, text = line.partition(" | ")
        pattern, _, items = ("", "", where[1:]) if where[0] == "@" else where.partition(" ! ")
        return cls(text.strip(), pattern.strip(), frozenset(items.strip().split(", ")))

    def belongs_to(self, statement: Statement) -> bool:
        """Whether the statement uses the sign without defining it."""
        if not self.pattern:
            return statement.number in self.items
        text = " ".join([*statement.lines, statement.part("Sharper")])
        return statement.number not in self.items and bool(re.search(self.pattern, text))


def _meanings(paper: str, folder: Path) -> list[Meaning]:
    """Return the meanings of the signs of a paper, in the order of the file."""
    file = folder / "notation.txt"
    text = file.read_text(encoding="utf-8") if file.exists() else ""
    block = text.partition(f"[{paper}]\n")[2].partition("\n[")[0]
    return [Meaning.from_line(line) for line in block.splitlines() if line]


def _paragraph(label: str, lines: tuple[str, ...]) -> str:
    text = "\n".join(lines)
    text = re.sub(r"\n?(\$\$.+?\$\$)\n?", r"\n\n\1\n\n", text, flags=re.DOTALL).strip()
    return (f"*{label}.* " if label else "") + text + "\n"


def statements(paper: str, folder: Path = DOCS / "statements") -> dict[str, Statement]:
    """Read the statements of one paper, by number.

    Raises:
        ValueError: a number that comes twice, or a line before the first number.
    """
    by_number: dict[str, Statement] = {}
    meanings = _meanings(paper, folder)
    text = (folder / f"{paper}.txt").read_text(encoding="utf-8")
    preamble, *blocks = re.split(r"^\[(.+)\]$", text, flags=re.MULTILINE)
    if preamble.strip():
        raise ValueError(f"{paper}.txt: found {preamble.strip()!r} before the first item")
    for number, block in zip(blocks[::2], blocks[1::2], strict=True):
        if number in by_number:
            raise ValueError(f"{paper}.txt: [{number}] comes twice")
        plain = _parsed(number, block.strip().splitlines())
        signs = [meaning.text for meaning in meanings if meaning.belongs_to(plain)]
        by_number[number] = replace(plain, notation=f"{'; '.join(signs)}." if signs else "")
    return by_number


def _parsed(number: str, lines: list[str]) -> Statement:
    parts: list[tuple[str, list[str]]] = [("", [])]
    for line in lines:
        label, colon, rest = line.partition(": ")
        if colon and label in LABELS:
            parts.append((label, [rest]))
        else:
            parts[-1][1].append(line)
    (_, text_lines), *labelled = parts
    return Statement(
        number, tuple(text_lines), tuple((name, tuple(more)) for name, more in labelled)
    )


def listed_items(path: Path = DOCS / "numbered-items.txt") -> dict[str, list[list[str]]]:
    """Read the list of numbered items, by paper.

    The fields of an item: number, statement in words, status, names of the package, test.
    """
    listed: dict[str, list[list[str]]] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        if heading := re.fullmatch(r"\[(\d{3})\]", line):
            listed[heading[1]] = []
        elif line and not line.startswith("#"):
            listed[list(listed)[-1]].append([field.strip() for field in line.split(" | ")])
    return listed


def computed_by(name: str) -> list[tuple[str, Statement]]:
    """Return paper and statement of each item that a function computes."""
    return _by_name().get(name, [])


@cache
def _by_name() -> dict[str, list[tuple[str, Statement]]]:
    statements_of = defaultdict(list)
    for paper, rows in listed_items().items():
        by_number = statements(paper)
        for number, _, _, where, _ in rows:
            for name in where.split(", "):
                statements_of[f"veilmix.{name}"].append((paper, by_number[number]))
    return statements_of


def restructured(markdown: str) -> list[str]:
    """Return the Markdown of a statement as lines of reStructuredText."""
    text = re.sub(r"\$\$(.+?)\$\$", r".. math:: \1", markdown, flags=re.DOTALL)
    text = re.sub(r"\$([^$]+)\$", _role, text)
    return text.splitlines()


def _role(match: re.Match[str]) -> str:
    # A role must not touch a letter: the escaped blank disappears in the page.
    return rf"\ :math:`{match[1]}`\ "


def _show(_app: Any, kind: str, name: str, _thing: Any, _options: Any, lines: Any) -> None:
    if kind not in ("function", "class"):
        return
    for paper, statement in computed_by(name):
        title = f"**{statement.number} of paper {paper}.**"
        lines += ["", ".. container:: statement", ""]
        body = [title, "", *restructured(statement.markdown)]
        lines += [f"   {line}" if line else "" for line in body]
    lines.append("")


def _link(app: Any, tree: Any, page: str) -> None:
    """Give literal names of public objects the address of their page."""
    objects = app.env.get_domain("py").objects
    for literal in list(tree.findall(nodes.literal)):
        name = literal.astext()
        full = name if name.startswith("veilmix.") else f"veilmix.{name}"
        if not name.startswith(BUILT_IN) or full not in objects:
            continue
        if isinstance(literal.parent, nodes.reference | nodes.title):
            continue
        place = objects[full]
        address = f"{app.builder.get_relative_uri(page, place.docname)}#{place.node_id}"
        literal.replace_self(nodes.reference("", "", literal.deepcopy(), refuri=address))


def _shorten_contents(app: Any, _tree: Any) -> None:
    app.env.metadata[app.env.docname].setdefault("tocdepth", DEEPEST)


def setup(app: Any) -> dict[str, bool]:
    """Sphinx: register all steps, after napoleon (500) and the docstrings (600)."""
    app.connect("autodoc-process-docstring", _show, priority=700)
    app.connect("doctree-resolved", _link)
    app.connect("doctree-read", _shorten_contents)
    return {"parallel_read_safe": True}
