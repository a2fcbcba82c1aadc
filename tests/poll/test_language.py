"""Each sentence of phones and of the wall stands in a file per language, and nowhere else."""

import re
from pathlib import Path
from typing import Any

import msgspec
import pytest
from veilmix.errors import RoundBurned, ScenarioError
from veilmix.languages.language import (
    BLANK,
    ENGLISH,
    FOLDER,
    PARTS,
    PLURALS,
    Language,
    language_of,
    languages,
)
from veilmix.machines.gate import Gate
from veilmix.machines.http import Request
from veilmix.poll.assets import POLL_FOLDER, assets, page
from veilmix.poll.cheats import CHEATS
from veilmix.poll.classroom import Classroom
from veilmix.poll.precision_forecast import VERDICT_KEYS
from veilmix.poll.questions import NEW, read_lang, read_questions
from veilmix.poll.wall import Wall
from veilmix.poll.web import PhoneServer
from veilmix.protocol.wire.crowd_limits import check_batch_size
from veilmix.strict_text import from_toml

STATIC = sorted((POLL_FOLDER / "static").glob("*.js"))
PYTHON = sorted(POLL_FOLDER.glob("*.py"))
KEY = re.compile(
    r"""(?:\bt\(|say\(\s*|_sentence\(\d+, language, |Unwelcome\(\d+, )["']([a-z-]+)["']"""
)
IN_PAGE = re.compile(r"\{\{sentence ([a-z-]+)\}\}")
# what is left of a file without comments; a string; words that a person would read
COMMENT = re.compile(r"""^\s*//.*$|(?<=[;,{)] )//.*$""", re.MULTILINE)
STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`', re.DOTALL)
WORDS = re.compile(r"[A-Za-z]{2,}[,:;.]? +[A-Za-z]{2,}|^[A-Z][a-z]+[.!?]?$")
BLANKS = re.compile(r"\$\{[^{}]*\}")
# strings with two words that no person reads: a protocol's, a style's, a selector's, a log's
NO_SENTENCES = {
    "two words of the protocol": (
        *("threshold prefixes", "threshold closed", "threshold prefixes closed", " closed"),
        *("Composite", "Challenge", "Finalize", "HashToGroup-", "DeriveKeyPair"),
        "veilmix verified 1",
    ),
    "an error of our own": (
        "seeds, where rows are opened, and only there",
        "libsodium: a hash of a size that there is not",
        "no element",
    ),
}


def texts(source: str) -> list[str]:
    """Give the strings of a module that look like words for people."""
    bare = re.sub(r"^import .*$", "", COMMENT.sub("", source), flags=re.MULTILINE)
    strings = (BLANKS.sub(" ", found[0][1:-1]) for found in STRING.finditer(bare))
    return [text for text in strings if WORDS.search(text)]


def written(tag: str) -> Language:
    """Give a language as its file has it, without what is filled in."""
    return from_toml((FOLDER / f"{tag}.toml").read_bytes(), Language)


def forms(language: Language, part: str) -> dict[str, list[set[str]]]:
    """Give the placeholders of each form of each sentence; those of `one` may lack the count."""
    return {
        key: [
            set(BLANK.findall(text)) | ({"n"} if isinstance(form, dict) else set())
            for text in ([form] if isinstance(form, str) else form.values())
        ]
        for key, form in getattr(language, part).items()
    }


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("tag", sorted(languages()))
def test_a_language_has_each_key_with_the_same_placeholders(tag: str, part: str) -> None:
    own, english = forms(written(tag), part), forms(written(ENGLISH), part)
    assert own.keys() == english.keys()
    for key, sets in own.items():
        assert [found for found in sets if found != english[key][0]] == [], key
    kinds = {PLURALS[written(tag).plural](n) for n in range(200)}
    for key, form in getattr(written(tag), part).items():
        assert isinstance(form, dict) == isinstance(getattr(written(ENGLISH), part)[key], dict), key
        assert isinstance(form, str) or set(form) == kinds, key


def test_a_part_says_its_own_sentences() -> None:
    whole = languages()[ENGLISH]
    own = msgspec.structs.replace(whole, lessons={"join": "Begin"})
    assert (own.say("join"), own.part("lessons").say("join")) == ("Join", "Begin")


def test_each_key_that_is_used_is_there_and_each_that_is_there_is_used() -> None:
    used = {cheat.key for cheat in CHEATS.values()} | set(VERDICT_KEYS)
    for path in (*STATIC, *PYTHON):
        used |= set(KEY.findall(path.read_text("utf-8")))
    for path in (POLL_FOLDER / "static").glob("*.html"):
        used |= set(IN_PAGE.findall(path.read_text("utf-8")))
    strings = {  # keys that are chosen in one place and said in another
        found
        for path in PYTHON
        for found in re.findall(r'"([a-z]+(?:-[a-z]+)+)"', path.read_text("utf-8"))
    }
    there = set(written(ENGLISH).sentences)
    assert used - there == set()
    assert there - used - strings == set()


@pytest.mark.parametrize("path", STATIC, ids=lambda path: path.name)
def test_no_sentence_stands_in_a_module(path: Path) -> None:
    if path.name == "words.js":
        return  # the words to compare are the same in every language
    known = {text for listed in NO_SENTENCES.values() for text in listed}
    found = [text for text in texts(path.read_text("utf-8")) if text not in known]
    assert [text for text in found if not is_code(text)] == []


def is_code(text: str) -> bool:
    """Whether a text is a label of the protocol, a selector, or names of classes."""
    label = re.fullmatch(r"veilmix [a-z ]+ 1\\0", text)  # what a hash or a seal begins with
    small = re.fullmatch(r"(?:[.#]?[a-z][a-z0-9-]*(?:\[[a-z=]+\])?(?::[a-z]+)? ?)+", text)
    return bool(label or (small and (text in CLASSES or any(sign in text for sign in ".[-"))))


CLASSES = {
    "question ",
    "veilmix slip",
    "compare ",
    "end alone",
    "stop ",
    "name ",
    "veilmix  end",
    "use strict",
}


@pytest.mark.parametrize(
    "added", ['p("Your turn now")', "title(`Round ${n} of ${all} is on`)", 'button("Next", f)']
)
def test_a_sentence_that_is_added_to_a_module_is_found(added: str) -> None:
    source = (POLL_FOLDER / "static" / "screens.js").read_text("utf-8")
    found = [text for text in texts(f"{source}\n{added};\n") if not is_code(text)]
    assert len(found) == 1


def test_no_sentence_stands_in_the_page_or_in_what_the_wall_says() -> None:
    bare = (POLL_FOLDER / "static" / "join.html").read_text("utf-8")
    assert re.findall(r">\s*[A-Za-z][^<{]*<", bare.replace("<title>veilmix</title>", "")) == []
    wall = (POLL_FOLDER / "wall.py").read_text("utf-8")
    code = re.sub(r'""".*?"""', "", wall, flags=re.DOTALL)
    assert [text for text in re.findall(r'"([^"\n]*)"', code) if re.search(r"\w \w", text)] == []


@pytest.mark.parametrize(
    ("asked", "accepted", "tag"),
    [
        (None, "", "en"),
        (None, "de", "de"),
        (None, "de-AT,de;q=0.9,en;q=0.8", "de"),
        (None, "en;q=0.5, DE;q=0.7", "de"),
        (None, "fr-FR,fr;q=0.9,de;q=0.3", "de"),
        (None, "de;q=0", "en"),
        (None, "de;q=x,;;=,\x00", "en"),
        (None, "*", "en"),
        ("de", "en", "de"),
        ("en", "de", "en"),
    ],
)
def test_the_questions_choose_the_language_else_the_browser(
    asked: str | None, accepted: str, tag: str
) -> None:
    assert language_of(asked, accepted).tag == tag


async def test_the_page_and_what_is_refused_are_in_the_language_of_the_browser() -> None:
    def desk(asked: str | None) -> PhoneServer:
        return PhoneServer(
            Classroom(60.0), "K7M2PX", Gate(("here",)), lambda _: {}, Wall("", 2), None, asked
        )

    async def said(asked: str | None, accepted: str, path: str) -> str:
        headers = {"host": "here", "accept-language": accepted}
        answer = await desk(asked).answer(Request("GET", path, headers, b"", "192.168.1.33"))
        return answer.body.decode()  # type: ignore[union-attr]

    german, english = await said(None, "de", "/K7M2PX"), await said(None, "fr", "/K7M2PX")
    assert '<html lang="de" dir="ltr">' in german
    assert "Einen Moment" in german
    assert '<html lang="en" dir="ltr">' in english
    assert '<html lang="de"' in await said("de", "en", "/K7M2PX")
    assert "keine solche Umfrage" in await said(None, "de", "/wrong")


def test_the_wall_speaks_the_language_of_the_questions() -> None:
    wall = Wall("a class", 2, languages()["de"])
    wall.awaits(3, 7)
    assert "Noch kein Handy ist da." in wall.log.entries[0]
    assert "live: 3 von 7 haben geantwortet" in wall.log.entries[-1]


def test_the_file_of_questions_names_a_language_that_is_there(tmp_path: Path) -> None:
    path = tmp_path / "q.toml"
    for lang, known in (("de", True), ("en", True), ("tlh", False), ("../de", False)):
        path.write_text(f'lang = "{lang}"\n{NEW.read_text("utf-8")}', "utf-8")
        if known:
            read_questions(path)
            assert read_lang(path) == lang
        else:
            with pytest.raises(ScenarioError, match=f':1: lang: found "{lang}"; de, en are'):
                read_questions(path)
    path.write_text(NEW.read_text("utf-8"), "utf-8")
    assert read_lang(path) is None


def test_the_reason_of_a_class_that_is_too_small_is_in_its_language() -> None:
    """As the board gives it; other reasons stay in its words."""
    room = Classroom(60.0)
    with pytest.raises(RoundBurned) as few:
        check_batch_size(3, 5)
    room.ended = str(few.value)
    german, english = languages()["de"], languages()["en"]
    assert room.ended_in(english) == room.ended
    assert room.ended_in(german) == "3 Personen haben mitgemacht; gezählt wird erst ab 5"
    room.ended = "a shuffler is gone"
    assert room.ended_in(german) == room.ended


def test_a_form_is_chosen_by_the_count_and_numbers_have_their_sign() -> None:
    german = languages()["de"]
    assert [german.say("people", n=n) for n in (0, 1, 2)] == [
        *("0 Personen", "1 Person", "2 Personen")
    ]
    assert german.percent(0.3333) == "33,3 %"
    assert german.number(1.5) == "1,5"
    assert [PLURALS["zero-one"](n) for n in (0, 1, 2)] == ["one", "one", "other"]
    assert PLURALS["none"](1) == "other"


def test_what_a_language_lacks_is_english_and_a_script_may_run_from_the_right(
    tmp_path: Path,
) -> None:
    whole = (FOLDER / "en.toml").read_text("utf-8")
    (tmp_path / "en.toml").write_text(whole, "utf-8")
    made = 'language = "Made up"\ndirection = "rtl"\nplural = "one"\n'
    made += 'decimal = "\u066b"\nthousands = "\u066c"\n'
    (tmp_path / "xx.toml").write_text(f'{made}[sentences]\none-moment = "\u05e8\u05d2\u05e2"\n')
    own = languages(tmp_path)["xx"]
    assert own.say("next") == "Next"
    text = page("join", "K7M2PX", own).decode()
    assert '<html lang="xx" dir="rtl">' in text
    assert "\u05e8\u05d2\u05e2" in text


def test_phones_receive_the_same_sentences() -> None:
    for tag in languages():
        asset: Any = assets()[f"/sentences/{tag}.json"]
        assert (asset.type, asset.data) == ("application/json", languages()[tag].data)
