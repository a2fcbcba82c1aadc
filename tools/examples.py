"""The Python examples of documents and docstrings, written as files of a user.

    python tools/examples.py FOLDER      write them into a folder, for type checkers

The blocks ```python of a page make one file, because a block may use names of the blocks before it.
The lines `>>>` of a docstring make one file. A line of code keeps its number: an error in
`docs_howto.py:215` is in line 215 of docs/howto.md. tests/test_examples.py shows that no example is
missing, and runs the docstrings'; tests/test_site.py runs the pages'.
"""

import ast
import re
import sys
import textwrap
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from doctest import DocTestParser
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
USER = "tests/kits/user_types.py"  # types that a user's checker has to find
FENCE = re.compile(
    r"(?:^<!-- file: (?P<file>\S+) -->\n)?"
    r"^(?P<margin> *)(?P<fence>```+)(?P<language>[^\n`]*)\n(?P<text>.*?)^ *(?P=fence)$",
    re.DOTALL | re.MULTILINE,
)
Documented = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block of a page.

    Attributes:
        line: number of the first line of text.
        language: word after the fence.
        file: file with this text, named by a comment `<!-- file: NAME -->` before the fence.
        text: lines between the fences.
    """

    line: int
    language: str
    file: str | None
    text: str


@dataclass(frozen=True, slots=True)
class Example:
    """Python code of one page or one docstring.

    Attributes:
        page: path of the document or Python file, relative to the checkout.
        name: class or function with the docstring; empty for a document or a module.
        code: lines of code, each at its line of the page.
    """

    page: str
    name: str
    code: str

    @property
    def module(self) -> str:
        """Name of the user's file, without the ending."""
        stem = Path(self.page).with_suffix("").as_posix()
        return re.sub(r"\W+", "_", f"{stem} {self.name}").strip("_").lower()


def pages(root: Path = ROOT) -> list[Path]:
    """Return the documents of the root folder and of docs."""
    below = (page for page in (root / "docs").rglob("*.md") if "_build" not in page.parts)
    return sorted([*root.glob("*.md"), *below])


def modules(root: Path = ROOT) -> list[Path]:
    """Return the Python files of the package."""
    project = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))
    rooms = project["tool"]["setuptools"]["packages"]
    return sorted(
        path for room in rooms for path in root.joinpath(*room.split(".")[1:]).glob("*.py")
    )


def blocks(page: str) -> Iterator[Block]:
    """Yield the fenced blocks of a page."""
    for fence in FENCE.finditer(page):
        line = page.count("\n", 0, fence.start("text")) + 1
        text = textwrap.dedent(fence["text"]) if fence["margin"] else fence["text"]
        yield Block(line, fence["language"].strip(), fence["file"], text)


def docstrings(path: Path) -> Iterator[tuple[str, int, str]]:
    """Yield the docstrings of a Python file: the name of the object, the first line, the text."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, Documented):
            text = ast.get_docstring(node, clean=False)
            name = "" if isinstance(node, ast.Module) else node.name
            if text:
                yield name, node.body[0].lineno, text


def all_examples(root: Path = ROOT) -> list[Example]:
    """Return all examples of pages and docstrings."""
    return [*page_examples(root), *docstring_examples(root)]


def page_examples(root: Path = ROOT) -> Iterator[Example]:
    """Yield the examples of documents."""
    for page in pages(root):
        code = [
            (block.line, block.text)
            for block in blocks(page.read_text("utf-8"))
            if block.language == "python"
        ]
        if code:
            yield Example(page.relative_to(root).as_posix(), "", _placed(code))


def docstring_examples(root: Path = ROOT) -> Iterator[Example]:
    """Yield the examples of docstrings."""
    prompted = (path for path in modules(root) if ">>> " in path.read_text("utf-8"))
    for path in prompted:
        for name, line, text in docstrings(path):
            statements = DocTestParser().get_examples(text)
            if statements:
                code = _placed((line + each.lineno, each.source) for each in statements)
                yield Example(path.relative_to(root).as_posix(), name, code)


def _placed(pieces: Iterable[tuple[int, str]]) -> str:
    """Join pieces of code, each at its line."""
    lines: list[str] = []
    for line, text in pieces:
        lines += [""] * (line - 1 - len(lines)) + text.splitlines()
    return "\n".join([*lines, ""])


def main(arguments: list[str]) -> int:
    """Write all examples into a folder of their own."""
    if len(arguments) != 1:
        sys.exit("usage: python tools/examples.py FOLDER")
    folder = Path(arguments[0])
    folder.mkdir(parents=True, exist_ok=True)
    texts = {f"{example.module}.py": example.code for example in all_examples()}
    texts[Path(USER).name] = (ROOT / USER).read_text("utf-8")
    for stale in {path.name for path in folder.glob("*.py")} - texts.keys():
        (folder / stale).unlink()
    for name, text in texts.items():
        (folder / name).write_text(text, "utf-8")
    print(f"{len(texts)} files in {folder}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
