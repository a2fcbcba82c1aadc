"""What a pupil does with the page, one thing after the other.

Imported by its name: tests/kits is on the path of the tests (pyproject.toml).
"""

from collections.abc import Sequence
from typing import Any

PHONE = {"width": 360, "height": 640}  # CSS pixels: the narrowest that is still common


# What a phone keeps of its session, as JSON, in the browser's language: not the end beside it.
KEPT = "sessionStorage.getItem(Object.keys(sessionStorage).find((one) => !one.endsWith(' end')))"


def join(page: Any, name: str) -> None:
    """Join, and see that one has: where the last has come, the class begins at once."""
    page.fill("#name", name)
    page.get_by_role("button", name="Join").click()
    page.wait_for_selector(f"h1:has-text('Hello, {name}'), h1:has-text('Do all of you see')")


ALONE = """([name, places]) => {
  const all = (selector) => [...document.querySelectorAll(selector)];
  const press = (words) => all("button").find((one) => one.textContent === words);
  const seen = async (find) => {
    for (;;) {
      const found = find();
      if (found) return found;
      await new Promise((done) => setTimeout(done, 50));
    }
  };
  const title = (words) => all("h1").some((one) => one.textContent === words);
  const act = async () => {
    (await seen(() => document.querySelector("#name"))).value = name;
    press("Join").click();
    (await seen(() => press("They are the same: begin"))).click();
    for (let number = 0; number < places.length; number += 1) {
      await seen(() => title(`Question ${number + 1} of ${places.length}`));
      all("input[type=radio]")[places[number]].click();
      press("Next").click();
    }
    (await seen(() => press("Seal and hand in"))).click();
  };
  void act();
}"""


def alone(page: Any, name: str, places: Sequence[int]) -> None:
    """Let a page join, answer and hand in by itself, while others do."""
    page.evaluate(ALONE, [name, list(places)])


def begin(page: Any) -> None:
    """Agree to the words."""
    page.get_by_role("button", name="They are the same: begin").click()


def pick(page: Any, number: int, places: Sequence[int]) -> None:
    """Answer a question with the choice of its place."""
    page.wait_for_selector(f"h1:has-text('Question {number + 1} of {len(places)}')")
    page.locator(".choice").nth(places[number]).click()
    page.get_by_role("button", name="Next").click()


def choose(page: Any, places: Sequence[int]) -> None:
    """Agree to the words, and answer each question with the choice of that place."""
    begin(page)
    for number in range(len(places)):
        pick(page, number, places)


def seal(page: Any) -> None:
    page.get_by_role("button", name="Seal and hand in").click()


def until_end(page: Any) -> str:
    page.wait_for_selector("h1:has-text('This was published')")
    page.wait_for_selector("text=Round 2")
    return str(page.inner_text("main"))


def narrow(page: Any) -> bool:
    """Whether nothing on a page is wider than the phone."""
    return bool(page.evaluate("document.documentElement.scrollWidth <= innerWidth"))
