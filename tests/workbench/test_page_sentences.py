"""The page of `veilmix open`: its sentences stand in languages/, and it asks its server alone."""

import re
from pathlib import Path

import pytest
import veilmix.workbench
from veilmix.languages.language import languages

STATIC = Path(veilmix.workbench.__file__).parent / "static"
SCRIPTS = sorted(STATIC.glob("*.js"))
STYLES = sorted(STATIC.glob("*.css"))
PAGE = (STATIC / "workbench.html").read_text("utf-8")
ROOM = sorted(STATIC.parent.glob("*.py"))
ENGLISH = languages()["en"].workbench
SERVERS = re.compile(r"said-")  # sentences that the server composes
KEY = re.compile(r'\b(?:t|knows)\(\s*(?:\w+ \? )?"([a-z-]+)"(?: : "([a-z-]+)")?')
FAMILY = re.compile(r"\bt\(`([a-z-]+)\$\{")  # t(`step-${name}`)
IN_PAGE = re.compile(r"\{\{sentence ([a-z-]+)\}\}")
COMMENT = re.compile(r"^\s*//.*$|(?<=[;,{)] )//.*$", re.MULTILINE)
STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`')
WORDS = re.compile(r"[A-Za-z]{2,}[,:;.]? +[A-Za-z]{2,}|^[A-Z][a-z]+[.!?]?$")
CLASSES = {name for path in STYLES for name in re.findall(r"\.([a-z]+)", path.read_text("utf-8"))}
NO_SENTENCES = {"Enter", "no answer", "veilmix open"}  # a key, an own error, the command
PHYSICAL = re.compile(
    r"(?:margin|padding|border|inset)-(?:left|right)|text-align: (?:left|right)|float:"
)


def code(path: Path) -> str:
    """The text of a script without comments and imports."""
    bare = COMMENT.sub("", path.read_text("utf-8"))
    return re.sub(r"^import .*$", "", bare, flags=re.MULTILINE)


def used() -> tuple[set[str], set[str]]:
    """The keys that the page says, and the beginnings of keys that it completes."""
    whole = "\n".join(map(code, SCRIPTS))
    keys = {key for found in KEY.findall(whole) for key in found if key}
    families = {*FAMILY.findall(whole), "option-", "role-", "choice-"}
    return keys | set(IN_PAGE.findall(PAGE)), families


def test_each_key_that_is_used_is_there_and_each_that_is_there_is_used() -> None:
    keys, families = used()
    server = "\n".join(path.read_text("utf-8") for path in ROOM)
    assert keys - set(ENGLISH) == set()
    left = {
        key
        for key in set(ENGLISH) - keys
        if not key.startswith(tuple(families)) and f'"{key}"' not in server
    }
    assert {key for key in left if not SERVERS.match(key)} == set()
    assert {
        family for family in families if not any(key.startswith(family) for key in ENGLISH)
    } == set()


def sentences_in(source: str) -> list[str]:
    """The strings of a script that look like words for people."""
    strings = (re.sub(r"\$\{[^{}]*\}", " ", found[0][1:-1]) for found in STRING.finditer(source))
    found = [text for text in strings if WORDS.search(text)]
    return [
        text for text in found if text not in NO_SENTENCES and not CLASSES.issuperset(text.split())
    ]


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.name)
def test_no_sentence_stands_in_a_script(path: Path) -> None:
    assert sentences_in(code(path)) == []


@pytest.mark.parametrize(
    "added", ['p("Your turn now")', 'button("x", "Next", act)', "p(`Row ${n} is on`)"]
)
def test_a_sentence_that_is_added_is_found(added: str) -> None:
    assert len(sentences_in(f"{code(SCRIPTS[0])}\n{added};\n")) == 1


def test_no_sentence_stands_in_the_page() -> None:
    bare = re.sub(r"<title>.*?</title>|<b>veilmix open</b>", "", PAGE)
    assert re.findall(r">\s*[A-Za-z][^<{]*<", bare) == []


def test_the_page_holds_no_script_or_style_and_asks_its_own_server_alone() -> None:
    assert re.search(r"<style|style=| on\w+=", PAGE) is None
    assert all("src=" in tag for tag in re.findall(r"<script[^>]*>", PAGE))
    for path in (*SCRIPTS, *STYLES):
        bare = path.read_text("utf-8").replace("http://www.w3.org/2000/svg", "")
        assert (
            re.search(r"https?:|//[a-z]+\.|@import|innerHTML|url\(|\.style\b|eval\(", bare) is None
        ), path.name
    assert all(
        not address.startswith("/") for address in re.findall(r'(?:src|href)="([^"]*)"', PAGE)
    )


@pytest.mark.parametrize("path", STYLES, ids=lambda path: path.name)
def test_styles_name_no_left_or_right(path: Path) -> None:
    assert PHYSICAL.search(path.read_text("utf-8")) is None


@pytest.mark.parametrize("tag", sorted(languages()))
def test_no_sentence_holds_a_figure(tag: str) -> None:
    for key, form in languages()[tag].workbench.items():
        for text in [form] if isinstance(form, str) else form.values():
            if not SERVERS.match(key):
                assert (
                    re.search(r"\d", re.sub(r"\{\w+\}", "", text).replace("SHA-256", "")) is None
                ), key
