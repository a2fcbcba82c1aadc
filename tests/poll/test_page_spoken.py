"""What a screen reader is told, and what the browser's own log says of cookies and of others."""

from collections.abc import Callable
from typing import Any

import pytest
from phone_kit import Class, Client, unhurried
from pupil_kit import begin, join, narrow, pick, seal
from veilmix.poll.questions import DEMO, read_questions

pytestmark = pytest.mark.slow

ACTED_ON = {"button", "radio", "textbox", "DisclosureTriangle", "link", "checkbox", "combobox"}
GROUPS = {"heading", "radiogroup", "table", "columnheader", "rowheader"}
Told = list[tuple[str, str]]


def tree(page: Any) -> Told:
    """Role and name of all that a screen reader is told of a page."""
    client = page.context.new_cdp_session(page)
    nodes = client.send("Accessibility.getFullAXTree")["nodes"]
    client.detach()
    return [
        (node["role"]["value"], node.get("name", {}).get("value", ""))
        for node in nodes
        if not node["ignored"]
    ]


def heard(page: Any) -> Told:
    """The tree of a screen: all that is acted on has a name, and the title has the focus."""
    told = tree(page)
    assert [node for node in told if node[0] in ACTED_ON | GROUPS and not node[1]] == []
    assert [role for role, _ in told].count("heading") >= 1
    assert [role for role, _ in told].count("status") == 1  # where changes are said
    assert page.evaluate("document.activeElement.tagName") in ("H1", "BODY")
    assert narrow(page)
    return told


def test_every_screen_has_a_name_for_all_that_is_asked_and_for_each_change(
    new_phone: Callable[[str], Any],
) -> None:
    scenario = unhurried(read_questions(DEMO), min_batch=1)
    with Class(scenario, 1) as room:
        page = new_phone(room.address)
        page.wait_for_selector("#name")
        assert ("textbox", "What are you called here?") in heard(page)
        page.get_by_role("button", name="Join").click()
        page.wait_for_selector("#problem")
        assert [role for role, _ in tree(page)].count("alert") == 1
        box = page.locator("#problem").bounding_box()
        assert 0 < box["y"] < 200  # pixels: it is seen without scrolling
        join(page, "Ann")
        heard(page)
        page.wait_for_selector("h1:has-text('Do all of you')")
        assert ("button", "They are the same: begin") in heard(page)
        begin(page)
        for number, feature in enumerate(scenario.feature):
            page.wait_for_selector(f"h1:has-text('Question {number + 1} of 3')")
            told = heard(page)
            assert ("group", feature.name) in told
            assert [name for role, name in told if role == "radio"] == list(feature.values or ())
            pick(page, number, (0, 0, 0))
        page.wait_for_selector("h1:has-text('Seal your answers?')")
        assert ("button", "Seal and hand in") in heard(page)
        seal(page)
        said = page.locator("#said")
        page.wait_for_selector("h1:has-text('Your sealed envelope')")
        assert "Round 1: Your envelope" in said.inner_text()
        assert ("DisclosureTriangle", "For shuffler 1") in heard(page)
        page.wait_for_selector("h1:has-text('It is over'), h1:has-text('This was published')")
        assert "1 of 1 person were counted." in said.inner_text()
        heard(page)
        live = said.evaluate("one => [one.role, one.ariaLive, one.ariaAtomic]")
        assert live[0] == "status"  # which is polite and whole, by what it is


def test_no_cookie_no_other_computer_and_nothing_left_in_a_new_tab(
    new_phone: Callable[[str], Any],
) -> None:
    with Class(unhurried(read_questions(DEMO), min_batch=1), 2) as room:
        Client(room.address, "somebody who never answers").join()
        page = new_phone("about:blank")
        client = page.context.new_cdp_session(page)
        asked: list[str] = []
        answered: list[dict[str, str]] = []
        client.on("Network.requestWillBeSent", lambda event: asked.append(event["request"]["url"]))
        client.on(
            "Network.responseReceivedExtraInfo", lambda event: answered.append(event["headers"])
        )
        client.send("Network.enable")
        page.goto(room.address)
        join(page, "Ann")
        begin(page)
        for number in range(3):
            pick(page, number, (1, 1, 1))
        seal(page)
        page.wait_for_selector("text=Your envelope was handed in")
        kept = page.evaluate("JSON.stringify(sessionStorage)")
        assert '"row":["by bicycle","no","once"]' in kept.replace("\\", "")
        page.reload()
        page.wait_for_selector("text=Your envelope was handed in")
        context = page.context
        assert client.send("Network.getCookies")["cookies"] == []
        page.close()  # the tab, not the browser
        again = context.new_page()
        again.goto(room.address)
        again.wait_for_selector("h1")
        left = again.evaluate(
            """async () => [
              sessionStorage.length && JSON.parse(Object.values(sessionStorage)[0]).row,
              localStorage.length, document.cookie,
              (await indexedDB.databases()).length, await navigator.serviceWorker?.controller,
            ]"""
        )
        assert left[0] in (0, [])
        assert left[1:4] == [0, "", 0]
        room.end()
    base = room.address.rpartition("/")[0]
    assert len(asked) > 20
    assert [url for url in asked if not url.startswith((f"{base}/", "data:"))] == []
    assert len(answered) > 20
    names = {name.lower() for headers in answered for name in headers}
    assert "set-cookie" not in names
    assert "content-security-policy" in names
