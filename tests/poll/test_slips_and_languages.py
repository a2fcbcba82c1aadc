"""In a browser: a scanned slip, a second phone with it, German, a script from the right."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from class_kit import noisy
from msgspec.structs import replace
from phone_kit import Class, Client, unhurried
from pupil_kit import PHONE, narrow
from veilmix.languages.language import languages
from veilmix.machines.web_files import WebFile
from veilmix.poll import assets
from veilmix.poll.questions import DEMO, read_questions

pytestmark = pytest.mark.slow

CODES = ("K7M2PX4Q9RTA", "Z3Y5X7W9V2U4")


def test_a_scanned_slip_admits_one_phone_in_german(new_phone: Callable[[str], Any]) -> None:
    """Whose address leads to the page, and is rid of the code."""
    scenario = unhurried(read_questions(DEMO), min_batch=1)
    with Class(scenario, 2, slips=CODES, language="de") as room:
        base = room.address.rpartition("/")[0]
        first = new_phone(f"{base}/#{CODES[0]}")
        first.wait_for_selector("#slip")
        assert first.url == room.address
        assert first.input_value("#slip") == CODES[0]
        assert first.get_attribute("html", "lang") == "de"
        first.fill("#name", "Ann")
        first.get_by_role("button", name="Mitmachen").click()
        first.wait_for_selector("h1:has-text('Hallo, Ann')")
        first.reload()
        first.wait_for_selector("h1:has-text('Hallo, Ann')")
        second = new_phone(f"{base}/#{CODES[0]}")
        second.wait_for_selector("#slip")
        second.fill("#name", "Ben")
        second.get_by_role("button", name="Mitmachen").click()
        second.wait_for_selector("#problem")
        assert second.inner_text("#problem").startswith("Dieser Zettel ist schon benutzt")
        assert narrow(second)
        second.fill("#slip", "z3y5-x7w9-v2u4")
        second.fill("#name", "Ben")
        second.get_by_role("button", name="Mitmachen").click()
        second.wait_for_selector("h1:has-text('Seht ihr alle diese')")
        assert narrow(second)
        room.end()


def test_a_closed_tab_comes_back_with_its_slip(chromium: Any) -> None:
    """In the same browser, which keeps neither a name nor an answer; elsewhere the slip is used."""
    here, elsewhere = chromium.new_context(viewport=PHONE), chromium.new_context(viewport=PHONE)
    with Class(unhurried(read_questions(DEMO)), 5, slips=CODES) as room:  # none is asked

        def opened(context: Any, slip: str) -> Any:
            page = context.new_page()
            page.set_default_timeout(0)
            page.goto(f"{room.address.rpartition('/')[0]}/#{slip}")
            page.wait_for_selector("#slip")
            page.fill("#name", "Somebody")
            page.get_by_role("button", name="Join").click()
            return page

        first = opened(here, CODES[0])
        first.wait_for_selector("h1:has-text('Hello, Somebody')")
        kept = json.loads(first.evaluate("JSON.stringify(localStorage)"))
        assert list(kept) == ["veilmix slip"]
        assert json.loads(kept["veilmix slip"]).keys() == {"code", "slip", "phone"}
        first.close()
        other = opened(elsewhere, CODES[0])
        other.wait_for_selector("#problem:has-text('This slip was used already')")
        another = opened(here, CODES[1])  # a shared tablet: another slip, another person
        another.wait_for_selector("#problem:has-text('is called Somebody already')")
        again = opened(here, CODES[0])
        again.wait_for_selector("h1:has-text('Hello, Somebody')")
        ((secret, phone),) = room.session.room.phones.items()  # type: ignore[union-attr]
        phone.message_hashes[1] = b"a hash"
        again.close()
        last = opened(here, CODES[0])
        last.wait_for_selector("h1:has-text('You have answered already')")
        assert narrow(last)
        assert list(room.session.room.phones) == [secret]  # type: ignore[union-attr]
        room.end()
        here.close()
        elsewhere.close()


def test_a_wall_in_german_follows_the_class(
    new_phone: Callable[[str], Any], tmp_path: Path
) -> None:
    """Its script runs to its end: it draws the forecast and how many slips are used."""
    with Class(noisy(tmp_path), 5, slips=CODES, language="de") as room:
        wall = new_phone(f"{room.address}/theatre")
        assert wall.evaluate("typeof globalThis.veilmix") == "object"
        wall.wait_for_selector("#expected:not([hidden]) h2:has-text('Was so viele Personen')")
        assert wall.get_attribute("html", "lang") == "de"
        assert wall.inner_text("#step") == "weiter"
        assert wall.get_attribute("#expected svg", "aria-label").startswith("Bei einer Antwort")
        client = Client(room.address, "Ann")
        said = json.dumps({"phone": client.secret, "name": "Ann", "slip": CODES[0]})
        assert client.ask("/join", said.encode())[0] == 200
        wall.wait_for_selector("#outside:has-text('1 von 2 Zetteln')")
        room.end()


def test_a_script_from_the_right_turns_the_page_around(
    new_phone: Callable[[str], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a language that is made up here: its sentences are English, and its letters Hebrew."""
    english = languages()["en"]
    own = english.sentences | {"name-label": "\u05de\u05d4 \u05e9\u05de\u05da?"}
    made = replace(english, tag="he", direction="rtl", sentences=own)
    sent = WebFile.compressed(made.data, "application/json")
    monkeypatch.setitem(languages(), "he", made)  # type: ignore[arg-type]
    monkeypatch.setitem(assets.assets(), "/sentences/he.json", sent)  # type: ignore[arg-type]
    with Class(unhurried(read_questions(DEMO)), 5, language="he") as room:
        page = new_phone(room.address)
        page.wait_for_selector("#name")
        assert page.inner_text("label.field") == own["name-label"]
        assert page.get_attribute("html", "dir") == "rtl"
        assert narrow(page)
        sides = page.evaluate(
            "(({ left, right }) => [left, innerWidth - right])"
            "((() => { const range = document.createRange();"
            " range.selectNodeContents(document.querySelector('label.field'));"
            " return range.getBoundingClientRect(); })())"
        )
        assert sides[1] < sides[0]  # pixels: the text begins at the right
        bar = page.evaluate("getComputedStyle(document.querySelector('.note')).borderRightWidth")
        assert float(bar.removesuffix("px")) > 0
        room.end()
