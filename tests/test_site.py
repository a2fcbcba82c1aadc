"""The documentation as a site: its pages hang together, its examples run, its names exist.

A block ```python is executed, on every page.
On the pages of TYPED a block ```console is typed line by line and its output compared; a line `...`
stands for any lines, `...` in a line for any letters.
Blocks of one page follow each other in one empty folder; before a block of text, a comment
`<!-- file: NAME -->` writes it to a file there. Types: tools/examples.py.
"""

import re
import shlex
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import examples
import make_pictures
import plain_docstrings
import pytest
import state_diagram
from sample_kit import sampled
from veilmix.cli import main
from veilmix.protocol.board.phases import MOVES, Phase, diagram

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
PAGES = sorted(page for page in DOCS.rglob("*.md") if "_build" not in page.parts)
# Pages whose commands are typed; tests/test_first_hour.py tries those of the others.
TYPED = {"docs/tutorial.md", "docs/steward.md", "docs/howto.md", "docs/scale.md", "docs/api/run.md"}
PROGRAMMED = {example.page for example in examples.page_examples()}  # pages with Python
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")
TOCTREE = re.compile(r"```\{toctree\}\n(.*?)```", re.DOTALL)


def text_of(page: Path) -> str:
    """A page without its blocks of code."""
    return re.sub(r"^```.*?^```", "", page.read_text("utf-8"), flags=re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("page", [*PAGES, ROOT / "README.md"], ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for link in LINK.findall(text_of(page)):
        if not link.startswith(("http://", "https://", "data:")):
            assert (page.parent / link).exists(), f"{page}: nothing is at {link}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_page_has_one_title(page: Path) -> None:
    titles = [line for line in text_of(page).splitlines() if line.startswith("# ")]
    assert len(titles) == 1, f"{page}: found titles {titles}; one is expected"


def test_every_page_is_in_the_table_of_contents() -> None:
    """A decision is in the index of decisions: 119 lines would hide all others in a sidebar."""
    listed = {DOCS / "index.md", DOCS / "README.md"}  # the second is included in the first
    decisions = DOCS / "adr" / "README.md"
    listed |= {decisions.parent / link for link in LINK.findall(text_of(decisions))}
    for page in PAGES:
        for tree in TOCTREE.findall(page.read_text("utf-8")):
            for name in filter(None, (line.strip() for line in tree.splitlines())):
                if not name.startswith(":"):
                    listed |= set(page.parent.glob(f"{name}.md"))
    missing = sorted(str(page.relative_to(DOCS)) for page in set(PAGES) - listed)
    assert not missing, f"add {missing} to a toctree of docs/index.md"


def test_no_page_takes_the_place_of_a_page_that_sphinx_makes() -> None:
    """A page search.md was not to be seen: the page for searching the site was written over it."""
    assert not {"search", "genindex", "py-modindex"} & {page.stem for page in DOCS.glob("*.md")}


def test_the_readme_of_the_docs_names_every_page() -> None:
    named = {(DOCS / link).resolve() for link in LINK.findall(text_of(DOCS / "README.md"))}
    own = {page for page in DOCS.glob("*.md") if page.stem not in ("index", "README")}
    assert not own - named, f"name {sorted(own - named)} in docs/README.md"


def test_the_site_is_built_in_ci_with_warnings_as_errors() -> None:
    assert re.search(r"\nmake .*\bdocs\b", (ROOT / ".ci" / "run").read_text("utf-8"))
    recipe = (ROOT / "Makefile").read_text("utf-8").partition("\ndocs:\n")[2]
    assert "sphinx-build -q -W" in recipe.partition("\n\n")[0]


def tidy(text: str) -> list[str]:
    """Lines without blank ones, with one space where there are several."""
    return [" ".join(line.split()) for line in text.splitlines() if line.strip()]


def test_pictures_are_small_and_shown() -> None:
    """The script names each, a page shows it; a README is read over slow lines too."""
    shown = "".join(page.read_text("utf-8") for page in [*PAGES, ROOT / "README.md"])
    for name in make_pictures.PICTURES:
        made = (make_pictures.IMAGES / f"{name}.png").read_bytes()
        assert made.startswith(b"\x89PNG")
        assert len(made) < make_pictures.LARGEST
        assert f"images/{name}.png" in shown


def compare(command: str, expected: str, output: str) -> None:
    """Fail, and show both, unless the output is what the page says."""
    lines = [
        "(?:.*\n)*" if line == "..." else ".*".join(map(re.escape, line.split("..."))) + "\n"
        for line in tidy(expected)
    ]
    printed = "".join(f"{line}\n" for line in tidy(output))
    assert re.fullmatch("".join(lines), printed), f"$ {command}\n{output}\nexpected:\n{expected}"


def type_all(block: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Type every command of a block, and compare what it prints."""
    for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        command, _, expected = part.partition("\n")
        program, *arguments = shlex.split(command, comments=True)
        assert program == "veilmix", command
        wanted = re.match(r"exit code (\d)\n", expected)
        code = main(arguments)
        assert code == (int(wanted[1]) if wanted else 0), f"{command}: exit code {code}"
        streams = capsys.readouterr()
        compare(
            command, expected[wanted.end() :] if wanted else expected, streams.out + streams.err
        )


@pytest.mark.slow
@pytest.mark.parametrize("name", sampled(sorted(TYPED | PROGRAMMED), 0, 4, 12, 14))
def test_the_examples_of_a_page_are_true(
    name: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    tried = 0
    names: dict[str, Any] = {}
    for block in examples.blocks((ROOT / name).read_text("utf-8")):
        typed = block.language == "console" and name in TYPED
        if block.file:
            Path(block.file).write_text(block.text, "utf-8")
        elif typed:
            type_all(block.text, capsys)
        elif block.language == "python":
            exec(compile(block.text, name, "exec"), names)  # the page is ours
        tried += typed or block.language == "python"
    assert tried


def test_a_wrong_example_is_found() -> None:
    compare("veilmix", "one\n...\nfive 5.0 %\n", "one\ntwo\nthree\nfive   5.0 %\n")
    for wrong in ("one\ntwo\nfive 5.1 %\n", "one\nfive 5.0 %\nsix\n", "five 5.0 %\n"):
        with pytest.raises(AssertionError, match="expected"):
            compare("veilmix", "one\n...\nfive 5.0 %\n", wrong)


def test_names_in_the_theorems_exist() -> None:
    """Where a page says that a theorem is built in, a module or an object has the name."""
    pages = [DOCS / "theorems.md", *DOCS.glob("statements-*.md")]
    text = "".join(page.read_text("utf-8") for page in pages)
    names = set(re.findall(r"`analysis\.([\w.]+)\.(\w+)`", text))
    assert len(names) > 40
    for module, name in names:
        room = f"veilmix.analysis.{module}"
        assert hasattr(import_module(room), name) or find_spec(f"{room}.{name}"), f"{room}.{name}"


def test_the_picture_has_every_phase_and_move() -> None:
    drawn = state_diagram.svg(diagram())
    for phase in Phase:
        assert f'font-weight="bold">{phase}<' in drawn
    for phase, moves in MOVES.items():
        for kind, move in moves.items():
            named = kind.name.lower() in drawn
            assert named, (phase, kind)
            arrow = f"{phase} to {move.then}"
            assert arrow in drawn


def test_what_cannot_be_drawn_is_refused() -> None:
    with pytest.raises(ValueError, match="sequenceDiagram"):
        state_diagram.svg("sequenceDiagram\n  a ->> b: x")
    with pytest.raises(ValueError, match="nonsense"):
        state_diagram.svg("stateDiagram-v2\n  nonsense")


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (["Q*(t) of `x`, a|b, t_"], ["Q\\*(t) of ``x``, a\\|b, t\\_"]),
        (["A law:", "    p * q", "then"], ["A law:", "", "::", "", "    p * q", "", "then"]),
        (["Args:", "    x: what *it* is"], ["Args:", "    x: what \\*it\\* is"]),
        (
            ["a_b:", "", ">>> x_y * 2", "a_b", "", "a_b"],
            ["a\\_b:", "", ">>> x_y * 2", "a_b", "", "a\\_b"],
        ),
        (["a ` alone"], ["a \\` alone"]),
    ],
)
def test_docstrings_become_restructured_text(given: list[str], expected: list[str]) -> None:
    assert plain_docstrings.rewritten(given) == expected
