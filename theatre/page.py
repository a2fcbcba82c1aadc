"""The page of a run: an HTML file that holds the run, and requests no data from other computers.

    policy     no external resource may be loaded; the page's own style and script are allowed by
               the SHA-256 of their text (and the live page may read its own server's events)
    data       the run as JSON in a script element of type data, each `<` escaped, and the sentences
               of the page's language (languages/NAME.toml, table [theatre])

The file holds all users' answers. Parties are only chosen in the browser, so a reader of the file's
source sees all answers. The file is for people that may see the run folder.
"""

import base64
import hashlib
import html
import json
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from ..languages.language import Language
from ..presentation.wording import visible
from ..scenarios.programs.topology import CENTRAL, PEERS
from .language import theatre_sentences

STATIC = Path(__file__).with_name("static")
SENTENCE = re.compile(r"\{\{sentence ([a-z-]+)\}\}")
# keys of sentences in [theatre] with this prefix are left out of the page: only Python code uses
# such a sentence, for captions (captions.py), and no script of the page needs it
POSTED = "says-"
SHARED = ("sentences", "plain", "draw", "known", "figures")
LAST = ("panel", "main")
PROVED = "verified"
BOXES = ("proved_fold", "proved_stage", "proved_words")
# Kind of page (a topology, or the verified mix) -> its scripts. A script follows all that it needs.
SCRIPTS = {
    CENTRAL.name: (
        *SHARED,
        "opened",
        "eyes",
        "fold",
        "way",
        "people",
        "stage",
        "scene",
        "words",
        *LAST,
    ),
    PEERS.name: (*SHARED, "peer_eyes", "peer_fold", "peer_way", "peer_stage", "peer_words", *LAST),
    PROVED: (*SHARED, "opened", "eyes", "people", *BOXES, *LAST),
}
LIVE = ("expected", "live")  # scripts that a live page has after all others
LIVE_STYLE = "expected.css"


def render(data: Mapping[str, Any], language: Language | None = None, *, live: bool = False) -> str:
    """Return the page as HTML.

    data: `bill` (the run's facts), `moves` (its events) and `choices` (the column sets that the
    curator considered), as show.py returns them. language: language of the page; None: English. The
    language of the events' sentences was chosen when they were recorded. live: whether the page
    receives further events from its server.
    """
    words = theatre_sentences(language)
    style, code = style_of(live=live), script(stage_of(data["bill"]), live=live)
    parts = {
        "policy": policy(style, code, live=live),
        "style": style,
        "script": code,
        "data": embedded({**data, "language": _page_language(words)}),
        "lang": words.tag,
        "dir": words.direction,
    }
    page = SENTENCE.sub(lambda match: html.escape(words.say(match[1])), static("page.html"))
    for name, text in parts.items():
        head, _, tail = page.partition("{{" + name + "}}")
        page = head + text + tail
    return page


def _page_language(words: Language) -> dict[str, Any]:
    """Return the tag of a language, with the sentences that the page's scripts need."""
    page_sentences = {
        key: form for key, form in words.sentences.items() if not key.startswith(POSTED)
    }
    return {"tag": words.tag, "sentences": page_sentences}


def stage_of(bill: Mapping[str, Any]) -> str:
    """Return the key of a run's scripts: its topology, or `verified` for a verified mix.

    bill: the facts of the run (page_data.py).
    """
    return PROVED if bill.get("mix") == PROVED else str(bill["topology"])


def style_of(*, live: bool) -> str:
    """Return the style sheet of a page. live: whether the page shows a running session."""
    return static("theatre.css") + (static(LIVE_STYLE) if live else "")


def policy(style: str, code: str, *, live: bool) -> str:
    """Return the content security policy of a page with this style and script.

    style: the style sheet. code: the script. live: whether the page may read its own server.
    """
    directives = {
        "default-src": "'none'",
        "style-src": _hash(style),
        "script-src": _hash(code) if code else "'none'",
        "img-src": "data:",
        "connect-src": "'self'" if live else "'none'",
        "base-uri": "'none'",
        "form-action": "'none'",
    }
    return "; ".join(f"{name} {value}" for name, value in directives.items())


def script(topology: str, *, live: bool = False) -> str:
    """Return all scripts of a page as one text.

    topology: a key of `SCRIPTS`. live: whether the page shows a running session.
    """
    names = (*SCRIPTS[topology], *(LIVE if live else ()))
    parts = "\n".join(static(f"{name}.js") for name in names)
    return f'"use strict";\n{parts}'


def embedded(data: Any) -> str:
    """Return data as JSON for a script element of HTML.

    Each `<` is escaped, so no text in the data can end the element.
    """
    return compact(data).replace("<", "\\u003c")


def compact(data: Any) -> str:
    """Return data as JSON in a line; characters that reverse the direction of text are escaped."""
    line = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return visible(line, slash="\\\\")


@cache
def static(name: str) -> str:
    """Return the text of a file of the page."""
    return (STATIC / name).read_text("utf-8")


def _hash(text: str) -> str:
    """Return the SHA-256 of a text, in the form of a content security policy."""
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"
