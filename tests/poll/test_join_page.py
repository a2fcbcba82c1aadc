"""The page on phones of 360 px: a class in Chromium, with all that happens in one."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from phone_kit import LONG, Class, unhurried
from pupil_kit import begin, choose, join, pick, seal
from veilmix.poll import web
from veilmix.poll.questions import DEMO, read_questions

pytestmark = pytest.mark.slow


def demo(**mix: int) -> Any:
    return unhurried(read_questions(DEMO), **mix)


def test_what_leaves_a_phone_is_a_name_and_sealed_bytes(new_phone: Callable[[str], Any]) -> None:
    scenario = demo(min_batch=1)
    sent: list[tuple[str, bytes]] = []
    with Class(scenario, 1) as room:
        page = new_phone(room.address)
        page.on(
            "request", lambda request: request.method == "POST" and sent.append(read_post(request))
        )
        join(page, "Ann")
        choose(page, (0, 0, 2))
        seal(page)
        page.wait_for_selector("h1:has-text('It is over'), h1:has-text('This was published')")
        storage = page.evaluate("JSON.stringify(sessionStorage)")
        assert "more than once" in storage  # the phone itself knows
        assert page.evaluate("localStorage.length") == 0
        again = page.context.new_page()  # another tab knows nothing of it
        again.goto(room.address)
        again.wait_for_selector("h1")
        assert again.evaluate("sessionStorage.length") <= 1
        assert "more than once" not in again.evaluate("JSON.stringify(sessionStorage)")
    names = [path.rpartition("/")[2] for path, _ in sent]
    assert names[0] == "join"
    assert set(names[1:]) == {"answer"}
    values = [v.encode() for feature in scenario.feature for v in feature.values or ()]
    assert not [body for _, body in sent if any(v in body for v in values if len(v) > 5)]
    sizes = {len(body) for path, body in sent if path.endswith("answer")}
    assert len(sizes) <= 2  # one a round


def read_post(request: Any) -> tuple[str, bytes]:
    return request.url, request.post_data_buffer or b""


def test_everything_is_done_with_a_keyboard_alone(new_phone: Callable[[str], Any]) -> None:
    scenario = demo(min_batch=1)
    with Class(scenario, 1) as room:
        page = new_phone(room.address)
        page.wait_for_selector("#name")

        def tab_to(condition: str) -> None:
            for _ in range(12):
                if page.evaluate(f"document.activeElement?.matches({condition!r}) ?? false"):
                    return
                page.keyboard.press("Tab")
            raise AssertionError(f"{condition} is not reached")

        tab_to("#name")
        page.keyboard.type("Bea")
        page.keyboard.press("Enter")
        page.wait_for_selector("h1:has-text('Do all of you')")
        assert page.evaluate("document.activeElement.tagName") == "H1"  # read aloud
        tab_to("#screen > button")
        page.keyboard.press("Enter")
        for number in range(3):
            page.wait_for_selector(f"h1:has-text('Question {number + 1}')")
            tab_to("input[type=radio]")
            page.keyboard.press("Space")
            tab_to("#next")
            page.keyboard.press("Enter")
        page.wait_for_selector("h1:has-text('Seal your answers?')")
        tab_to("#screen > button")
        page.keyboard.press("Enter")
        page.wait_for_selector("text=1 of 1 person were counted")
        tab_to("summary")
        page.keyboard.press("Enter")
        assert page.locator("details[open]").count() >= 1
        tree = page.locator("main").aria_snapshot()
        assert re.search(r"heading .*level=1", tree)


def test_the_page_has_the_policy_and_nothing_inline(new_phone: Callable[[str], Any]) -> None:
    scenario = demo()
    with Class(scenario, 5) as room:
        page = new_phone(room.address)
        answer = page.request.get(room.address)
        policy = answer.headers["content-security-policy"]
        assert policy.startswith("default-src 'none'; script-src 'self' 'wasm-unsafe-eval'")
        assert "set-cookie" not in answer.headers
        assert answer.headers["referrer-policy"] == "no-referrer"
        inline = page.evaluate(
            "document.querySelectorAll('[style], [onclick], script:not([src]):not([type])').length"
        )
        assert inline == 0
        assert (
            not (Path(__file__).parents[2] / "poll" / "static" / "join.html")
            .read_text()
            .count("http")
        )


def test_a_phone_that_loses_the_network_says_so_and_goes_on_when_it_is_back(
    new_phone: Callable[[str], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """However long it would have waited for news."""
    monkeypatch.setattr(web, "BEAT", LONG)
    with Class(demo(min_batch=1), 1) as room:
        page = new_phone(room.address)
        join(page, "Ann")
        begin(page)
        page.wait_for_selector("h1:has-text('Question 1')")
        page.context.set_offline(True)
        page.wait_for_selector("#status:has-text('No connection to the computer')")
        for number in range(3):
            pick(page, number, (0, 0, 2))
        seal(page)
        page.wait_for_selector("text=Your envelope is sealed, and not yet handed in.")
        page.context.set_offline(False)
        page.wait_for_selector("h1:has-text('It is over'), h1:has-text('This was published')")
    assert (1, 0) in room.done().room.letters
