"""Each sentence of the theatre stands in a file per language, and nowhere else."""

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from veilmix.cli import main
from veilmix.crypto.identity import make_identity
from veilmix.languages.language import ENGLISH, FOLDER, Language, languages
from veilmix.machines.http import Request
from veilmix.presentation.presenters.registry import presenter_for
from veilmix.protocol.wire.announcement import AnnouncedPolicy
from veilmix.protocol.wire.messages import Kind
from veilmix.scenarios.lab.validation.load import change, load
from veilmix.scenarios.programs.registry import PROGRAMS
from veilmix.scenarios.schema.model import Policy
from veilmix.strict_text import from_toml
from veilmix.theatre.language import theatre_sentences
from veilmix.theatre.live import Theatre, prepared
from veilmix.theatre.page import POSTED, STATIC
from veilmix.theatre.remote_board import WAITS, Outside

ROOT = STATIC.parent.parent
SCRIPTS = sorted(STATIC.glob("*.js"))
OWN = sorted(STATIC.parent.glob("*.py"))
ROOMS = (
    "presentation",
    "scenarios/programs",
    "scenarios/lab/scoring",
    "scenarios/records/verification",
)
PYTHON = [*OWN, *(path for room in ROOMS for path in (ROOT / room).rglob("*.py"))]
IN_PYTHON = re.compile(r"""["'](says-[a-z-]*[a-z])["']""")
BUILT_IN_PYTHON = re.compile(r"""f["'](says-[a-z-]*)\{""")
# strings with two words that no page shows, by file: of the terminal, of HTTP, of scripts
NOT_ON_PAGES = {
    "audience.py": ("cannot be listened on", "name another with", "event: present", "charset="),
    "http.py": ("this is ", ", for this computer alone"),
    "live.py": ("a new run", "; some of ", "; whole numbers", "a run that the page", "the theatre"),
    "remote_board.py": ("the board",),
    "page.py": ("use strict",),
    "show.py": ("the theatre shows at most", "lower population.users", "an ideal run"),
}
SAID = re.compile(r"""\b(?:t|shorter)\(\s*["']([a-z-]+)["']""")
CHOSEN = re.compile(r"""["']([a-z-]+)["']""")  # in one place, and said in another
BUILT = re.compile(r"\b(?:t|shorter)\(`([a-z-]*)\$\{")  # a key that ends in what is only known then
IN_PAGE = re.compile(r"\{\{sentence ([a-z-]+)\}\}")
COMMENT = re.compile(r"^\s*//.*$|(?<=[;,{)] )//.*$", re.MULTILINE)
STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`', re.DOTALL)
HOLES = re.compile(r"\$\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}")
WORDS = re.compile(r"[A-Za-z]{2,}[,:;.]? +[A-Za-z]{2,}|^[A-Z][a-z]+[.!?]?$")
# names of elements, of keys of a keyboard and of classes, and selectors
CODE = re.compile(
    r"(?:[.#]?[a-z][a-z0-9-]*(?:\[[a-z=]+\])?(?::[a-z]+(?:\(.*\))?)?[ ,]*)+$"
    r"|Arrow(?:Left|Right)$|Home$|End$|M-?[\d.]"
)
STYLE = {"(prefers-reduced-motion: reduce)", "translate( px,  px)"}
PATHS = re.compile(r"^[MLAQahvlzV\d. ,-]+$")  # of a drawing


def there() -> dict[str, object]:
    """Give the sentences of the theatre, as the English file has them."""
    return dict(from_toml((FOLDER / f"{ENGLISH}.toml").read_bytes(), Language).theatre)


def texts(source: str) -> Iterator[str]:
    """Yield the strings of a script that look like words for people."""
    bare = COMMENT.sub("", source)
    for found in STRING.finditer(bare):
        text = HOLES.sub(" ", found[0][1:-1])
        if WORDS.search(text) and not PATHS.match(text) and not is_code(text):
            yield text


def is_code(text: str) -> bool:
    """Whether a text is a selector, a style, or names of classes and of keys."""
    return text in STYLE or bool(CODE.match(text.strip()))


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.name)
def test_no_sentence_stands_in_a_script(path: Path) -> None:
    assert list(texts(path.read_text("utf-8"))) == []


@pytest.mark.parametrize(
    "added", ['put("who", "Nobody is left.")', "el(`Round ${n} of ${all} is on`)", 'title("Next")']
)
def test_a_sentence_that_is_added_to_a_script_is_found(added: str) -> None:
    source = (STATIC / "panel.js").read_text("utf-8")
    assert len(list(texts(f"{source}\n{added};\n"))) == 1


def test_no_sentence_stands_in_the_page() -> None:
    page = (STATIC / "page.html").read_text("utf-8")
    shown = re.findall(r">([^<{]*[A-Za-z][^<{]*)<", page)
    assert set(shown) == {"C, A, N, E", "E", "P, R"}  # keys of a keyboard
    said = re.findall(r'(?:title|aria-label|placeholder|alt)="([^"]*)"', page)
    assert [text for text in said if not text.startswith("{{sentence ")] == []


def test_each_key_that_is_used_is_there_and_each_that_is_there_is_used() -> None:
    keys = set(there())
    pages = [path.read_text("utf-8") for path in STATIC.glob("*.html")]
    sources = [path.read_text("utf-8") for path in SCRIPTS]
    said = {key for text in sources for key in SAID.findall(text)}
    said |= {key for text in pages for key in IN_PAGE.findall(text)}
    chosen = {key for text in sources for key in CHOSEN.findall(text)}
    built = tuple({start for text in sources for start in BUILT.findall(text) if start})
    built += ("party-", "the-", "to-", "peer-", "peers-", "row-", "decision-")
    assert said - keys == set()
    own = {key for key in keys if not key.startswith(POSTED)}
    assert {key for key in own - said - chosen if not key.startswith(built)} == set()


def test_each_key_of_what_is_said_before_a_page_is_made_is_there_and_used() -> None:
    keys = {key for key in there() if key.startswith(POSTED)}
    sources = [path.read_text("utf-8") for path in PYTHON]
    said = {key for text in sources for key in IN_PYTHON.findall(text) if key.startswith(POSTED)}
    built = tuple({start for text in sources for start in BUILT_IN_PYTHON.findall(text)})
    assert said - keys == set()
    assert {key for key in keys - said if not key.startswith(built)} == set()


@pytest.mark.parametrize("path", OWN, ids=lambda path: path.name)
def test_no_sentence_stands_in_a_module(path: Path) -> None:
    """But for lines to a terminal, refusals of scenarios among them, and what programs read."""
    tree = ast.parse(path.read_text("utf-8"))
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    docs = {
        ast.get_docstring(node, clean=False)
        for node in ast.walk(tree)
        if isinstance(node, documented)
    }
    texts = {
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    found = {text for text in texts - docs if re.search(r"[a-z]{2,}[,:;]? [a-z]{2,}", text)}
    known = NOT_ON_PAGES.get(path.name, ())
    assert {text for text in found if not any(part in text for part in known)} == set()


def test_every_kind_of_post_has_a_name() -> None:
    """Of what is no post, nothing is shown on the board."""
    letters = {"submission", "batch", "relay", "found", "agreed", "accusation"}
    named = {key.removeprefix("kind-") for key in there() if key.startswith("kind-")}
    assert {kind.name.lower() for kind in Kind} - letters == named


@pytest.mark.parametrize("kind", PROGRAMS)
def test_a_program_speaks_the_language_of_the_page(kind: str) -> None:
    presenter, policy = presenter_for(PROGRAMS[kind]), AnnouncedPolicy(3, 0.05)
    section = Policy(kind=kind, keep=("a",))
    english, german = (theatre_sentences(languages()[tag]) for tag in ("en", "de"))
    assert presenter.stage_rule(section, english) != presenter.stage_rule(section, german)
    said = [presenter.stage_announcement(policy, words) for words in (english, german)]
    assert said[0] != said[1]


async def test_a_live_page_is_in_the_language_of_the_browser_or_the_one_that_is_named() -> None:
    playing = prepared(change(load("classroom"), {"mix.deadline": 1}), 3)

    async def page(asked: Language | None, accepted: str) -> str:
        request = Request("GET", "/", {"accept-language": accepted})
        return (await Theatre(playing, print, asked).answer(request)).body.decode()

    german = languages()["de"]
    for asked, accepted, tag in (
        *((None, "de-AT,de;q=0.9", "de"), (None, "fr", "en"), (None, "", "en")),
        *((german, "en", "de"), (languages()["en"], "de", "en")),
    ):
        said = await page(asked, accepted)
        assert f'<html lang="{tag}" dir="ltr">' in said
        assert ("Die Entscheidung des Kurators" in said) is (tag == "de")
    assert set(Theatre(playing, print, german).audiences.logs) == {"de"}
    assert set(Theatre(playing, print).audiences.logs) == set(languages())


async def test_who_watches_a_board_is_told_in_each_language() -> None:
    outside = Outside(("there", 443), make_identity("board").public)
    outside._word(WAITS)
    said = {tag: json.loads(log.entries[-1])["word"] for tag, log in outside.audiences.logs.items()}
    assert said == {"en": "waiting for the board", "de": "wartet auf die Tafel"}


@pytest.mark.slow
def test_the_command_writes_a_page_in_a_language(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for words, tag in ((["--lang", "de"], "de"), ([], "en")):
        assert main(["theatre", "classroom", "--out", "page.html", *words]) == 0
        page = Path("page.html").read_text("utf-8")
        assert f'<html lang="{tag}" dir="ltr">' in page
        assert ("Der Kurator kündigt die Umfrage an: 3 Fragen; höchstens" in page) is (tag == "de")
    assert main(["theatre", "classroom", "--lang", "tlh"]) == 2
    assert "--lang: found 'tlh'; de, en are accepted" in capsys.readouterr().err
