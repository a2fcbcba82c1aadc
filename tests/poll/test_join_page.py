"""The page on phones of 360 px: a class in Chromium, with all that happens in one."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from phone_kit import LONG, Class, Client, unhurried
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


@pytest.mark.parametrize(
    ("lacks", "title"),
    [("replaceChildren", "This browser is too old"), (None, "One moment more")],
)
def test_a_browser_that_cannot_run_the_modules_is_told_so(
    new_phone: Callable[[str], Any], lacks: str | None, title: str
) -> None:
    """Neither has run them: one is too old for that, the other has not got all of them."""
    with Class(demo(), 5) as room:
        page = new_phone(f"{room.address}/none")
        page.route("**/static/seal.js", lambda route: route.abort())
        if lacks:
            page.add_init_script(f"delete Element.prototype.{lacks}")
        page.goto(room.address, wait_until="load")
        page.wait_for_selector(f"h1:has-text('{title}')")
        assert page.locator("#screen .note").count() == 1


def test_a_stop_is_said_before_the_computer_goes_and_stays_on_the_phone(
    new_phone: Callable[[str], Any],
) -> None:
    """Of this phone's envelope it says what became of it; a reload needs no computer for that."""
    with Class(demo(min_batch=2), 2) as room:
        page, other = new_phone(room.address), Client(room.address, "Bea")
        other.join()
        join(page, "Ann")
        choose(page, (0, 0, 2))
        seal(page)
        page.wait_for_selector("text=Your envelope was handed in.")
        assert "your screen on until the end" in page.inner_text("main")
        assert room.session is not None
        room.session.farewell.is_stopping = True
        page.wait_for_selector("h1:has-text('This session was stopped')")
        assert "One sealed envelope had left this phone" in page.inner_text("main")
        assert "not lost" not in page.inner_text("body")
    assert room.stopped
    page.route(f"{room.address}/news/**", lambda route: route.abort())
    assert "posts" in page.evaluate(
        "sessionStorage.getItem(Object.keys(sessionStorage).find((name) => name.endsWith(' end')))"
    )
    page.get_by_role("button", name="Forget everything on this phone").click()
    page.wait_for_selector("h1:has-text('Forgotten')")
    assert page.evaluate("sessionStorage.length") == 0


def test_the_end_is_shown_again_without_the_computer(new_phone: Callable[[str], Any]) -> None:
    """From what the phone has kept: after the end it asks for its modules, and for nothing else."""
    with Class(demo(min_batch=1), 1) as room:
        page = new_phone(room.address)
        join(page, "Ann")
        choose(page, (0, 0, 2))
        seal(page)
        ended = "h1:has-text('It is over'), h1:has-text('This was published')"
        page.wait_for_selector(ended)
        kept = "Object.keys(sessionStorage).some((name) => name.endsWith(' end'))"
        while not page.evaluate(kept):  # the policy forbids wait_for_function
            page.wait_for_timeout(50)
        before = page.inner_text("main")
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        page.reload(wait_until="load")
        page.wait_for_selector(ended)
        assert page.inner_text("main") == before
        assert [url for url in asked if "/news/" in url] == []


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
        before = page.inner_text("#status")
        assert "seconds left" in before
        while page.inner_text("#status") == before:  # no news comes: it ticks by itself
            page.wait_for_timeout(50)
        assert "seconds left" in page.inner_text("#status")
        page.context.set_offline(True)
        page.wait_for_selector("#status:has-text('No connection to the computer')")
        for number in range(3):
            pick(page, number, (0, 0, 2))
        seal(page)
        page.wait_for_selector("text=Your envelope is sealed, and not yet handed in.")
        page.context.set_offline(False)
        page.wait_for_selector("h1:has-text('It is over'), h1:has-text('This was published')")
    assert (1, 0) in room.done().room.letters
