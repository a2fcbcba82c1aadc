"""The page in Firefox, driven over WebDriver BiDi: a table goes through all six steps."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from bidi_kit import Firefox, own_firefox
from workbench_server import workbench
from workbench_walk import STEPS, write_patients

pytestmark = pytest.mark.slow


@pytest.fixture
def browser(tmp_path: Path) -> Iterator[Firefox]:
    """A Firefox of its own."""
    with own_firefox(tmp_path) as started:
        yield started


def press(browser: Firefox, *keys: str) -> None:
    """Press keys, one after the other, as a keyboard does."""
    actions = [{"type": kind, "value": key} for key in keys for kind in ("keyDown", "keyUp")]
    keyboard = {"type": "key", "id": "keyboard", "actions": actions}
    browser.call("input.performActions", context=browser.tab, actions=[keyboard])


ENTER, TAB, LEFT = "\ue006", "\ue004", "\ue012"


def test_firefox_goes_through_all_steps(browser: Firefox, tmp_path: Path) -> None:
    with workbench(tmp_path, write_patients(tmp_path / "patients.csv")) as asker:
        browser.tab = browser.call("browsingContext.create", type="tab")["context"]  # has the focus
        browser.open(asker.bench.address)
        for step, after in zip(STEPS, (*STEPS[1:], None), strict=True):
            browser.until(f"document.querySelector('#go-{step}[aria-current=step]') !== null")
            browser.until("document.querySelector('#step > [aria-busy]') === null")
            assert browser.evaluate("document.documentElement.scrollWidth <= innerWidth")
            if step == "goal":
                browser.evaluate("document.querySelector('#option-k').select()")
                press(browser, "6", TAB)  # and all of the next field is selected
                browser.until("document.querySelectorAll('.dots i').length === 6")
                press(browser, "5", TAB)
                browser.until("document.querySelector('#option-max_exposure').value === '5 %'")
            if step == "choices":
                chosen = "document.querySelector('[role=radio][aria-checked=true]')"
                before = browser.evaluate(f"({chosen}.focus(), {chosen}.id)")
                press(browser, LEFT, ENTER)
                browser.until(f"{chosen} !== null && {chosen}.id !== {before!r}")
            if step == "result":
                browser.evaluate("document.querySelector('#place-counts > summary').click()")
                browser.evaluate("document.querySelector('#counts-column-0').click()")
                browser.evaluate("document.querySelector('#counts-add').focus()")
                press(browser, ENTER)
                browser.until("document.querySelector('#place-counts table') !== null")
                browser.until("document.querySelector('#step > [aria-busy]') === null")
                browser.evaluate("document.querySelector('h1').focus()")
            if after:
                browser.until("document.querySelector('#next:enabled') !== null")
                browser.evaluate("document.querySelector('#next').focus()")
                press(browser, ENTER)
        assert browser.evaluate("document.activeElement.tagName") == "H1"
        browser.evaluate("document.querySelector('#done').focus()")
        press(browser, ENTER)
        browser.until("document.querySelector('#go-result') === null")
        own = asker.bench.address
        urls = [request["url"] for request in browser.requests]
        assert [url for url in urls if not url.startswith((own, "data:", "about:"))] == []
        assert browser.evaluate("[localStorage.length, document.cookie]") == [0, ""]
        assert browser.cookies() == []
        browser.until("document.readyState === 'complete'")
    assert asker.bench.ended.is_set()
