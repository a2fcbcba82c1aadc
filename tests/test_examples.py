"""tools/examples.py finds every Python example; examples of docstrings print what they show.

tests/test_site.py runs the examples of pages; `make types` checks the types of all of them.
"""

import ast
import doctest
import importlib
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import examples
import pytest

ROOT = Path(__file__).parent.parent
PYTHON = re.compile(r"(?i)\W*(py|pycon|python\d?|ipython|doctest|testcode|code-block)\b")
OTHER = {"", "console", "dockerfile", "ini", "mermaid", "nginx", "sh", "text", "toml"}  # not Python
DIRECTIVES = {"{eval-rst}", "{include} README.md", "{toctree}"}
SIGNATURE = re.compile(r"\w+\((\w+(, \w+)*)?\)|with \w+\(\): \.\.\.")
DOCSTRINGS = list(examples.docstring_examples())


def calls(code: str) -> set[str]:
    """Return the names in calls of Python code, and "import" if it imports; none for other text."""
    try:
        nodes = list(ast.walk(ast.parse(code)))
    except (SyntaxError, ValueError):
        return set()
    names = {"import" for node in nodes if isinstance(node, ast.Import | ast.ImportFrom)}
    for node in nodes:
        if isinstance(node, ast.Call):
            names |= {part.id for part in ast.walk(node.func) if isinstance(part, ast.Name)}
    return names


def test_every_fence_of_python_is_an_example() -> None:
    code = {example.page: example.code.splitlines() for example in examples.page_examples()}
    fences = 0
    for page in examples.pages():
        name, lines = page.relative_to(ROOT).as_posix(), page.read_text("utf-8").splitlines()
        for number, line in enumerate(lines):
            fence = re.match(r"[\s>]*(```+|~~~+|:::+)", line)
            if fence and PYTHON.match(line[fence.end() :]):
                fences += 1
                copied = code.get(name, [])[number + 1 : number + 2]
                assert copied == [lines[number + 1]], f"{name}:{number + 1}: found by nothing"
        for number, line in enumerate(code.get(name, [])):
            assert line in ("", lines[number]), f"{name}:{number + 1}"
    assert fences > 15


def test_no_other_block_is_python() -> None:
    for page in examples.pages():
        for block in examples.blocks(page.read_text("utf-8")):
            place = f"{page.name}:{block.line}"
            assert block.language in {"python"} | OTHER | DIRECTIVES, place
            if block.language not in {"python"} | DIRECTIVES:
                assert calls(block.text) == set(), f"{place}: say ```python"


def test_every_prompt_in_the_package_is_an_example() -> None:
    prompts = {
        path.relative_to(ROOT).as_posix(): count
        for path in examples.modules()
        if (count := len(re.findall(r"^\s*>>> ", path.read_text("utf-8"), re.MULTILINE)))
    }
    collected = dict.fromkeys(prompts, 0)
    for example in DOCSTRINGS:
        lines = (ROOT / example.page).read_text("utf-8").splitlines()
        for number, line in enumerate(example.code.splitlines()):
            assert line in lines[number], f"{example.page}:{number + 1}"
            if line:  # else a line before the example, or of another one of the file
                collected[example.page] += lines[number].lstrip().startswith(">>> ")
    assert collected == prompts


def unmarked(path: Path) -> Iterator[str]:
    """Yield docstring lines that call veilmix or a function of the same file, without a prompt.

    A signature with its meaning beside it, `read(path)   the table of a file`, is no example.
    """
    known = {"veilmix", "import", *re.findall(r"\bdef (\w+)", path.read_text("utf-8"))}
    for _, _, docstring in examples.docstrings(path):
        for line in filter(re.compile(r"\w\(|import ").search, docstring.splitlines()):
            code, meaning = (*re.split(r"\s{2,}|\s+->\s", line.strip(), maxsplit=1), "")[:2]
            signature = meaning and SIGNATURE.fullmatch(code)
            if not signature and not code.startswith((">>> ", "... ")) and calls(code) & known:
                yield f"{path.relative_to(ROOT)}: {line.strip()}"


@pytest.mark.slow
def test_no_example_of_a_docstring_is_without_a_prompt() -> None:
    assert [line for path in examples.modules() for line in unmarked(path)] == []


def test_examples_are_files_of_different_names() -> None:
    names = [example.module for example in examples.all_examples()]
    assert len(set(names)) == len(names)


@pytest.mark.slow
@pytest.mark.parametrize("example", DOCSTRINGS, ids=lambda example: example.module)
def test_the_example_of_a_docstring_prints_what_it_shows(
    example: examples.Example, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    stem = [part for part in Path(example.page).with_suffix("").parts if part != "__init__"]
    thing = importlib.import_module(".".join(["veilmix", *stem]))
    tests = doctest.DocTestFinder(recurse=bool(example.name)).find(thing, globs={})
    if example.name:
        tests = [test for test in tests if test.name.rpartition(".")[2] == example.name]
    (test,) = tests
    assert test.examples
    failures: list[str] = []
    assert doctest.DocTestRunner().run(test, out=failures.append).failed == 0, "".join(failures)


def test_make_types_checks_them_all() -> None:
    recipes = (ROOT / "Makefile").read_text("utf-8")
    assert "\nmypy: examples\n" in recipes
    assert "mypy --strict --explicit-package-bases build/examples\n" in recipes
    assert "tools/examples.py build/examples\n" in recipes
    assert re.search(r"\nmake .*\btypes\b", (ROOT / ".ci" / "run").read_text("utf-8"))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    assert "build" not in project["tool"]["pyright"]["exclude"]  # examples are in it


def test_a_file_of_an_example_has_the_lines_of_its_page(tmp_path: Path) -> None:
    (tmp_path / "old.py").touch()
    assert examples.main([str(tmp_path)]) == 0
    assert {path.stem for path in tmp_path.iterdir()} == {
        "user_types",
        *(example.module for example in examples.all_examples()),
    }
    page = (ROOT / "docs" / "howto.md").read_text("utf-8").splitlines()
    written = (tmp_path / "docs_howto.py").read_text("utf-8").splitlines()
    place = page.index("marginals = [[16, 14], [21, 9], [2, 28]]  # of A, B and Rh")
    assert written[place] == page[place]
