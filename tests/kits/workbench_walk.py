"""A page of `veilmix open` to walk through: tables for it, and what each step looks like.

Imported by its name: tests/kits is on the path of the tests (pyproject.toml).
"""

from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

from axe_kit import violations
from pupil_kit import narrow
from veilmix.languages.language import languages

STEPS = ("file", "persons", "columns", "goal", "choices", "result")
PEOPLE = 480


def write_patients(path: Path, visits: int = 1) -> Path:
    """Write a table of made-up patients: some ages are -1; each has as many rows as visits."""
    draw = Random(39)
    lines = ["patient;name;sex;age;zip;diagnosis"]
    for i in range(PEOPLE):
        age = -1 if i % 60 == 7 else 18 + int(70 * draw.random() ** 2)
        person = f"P{1000 + i};Name {i};{draw.choice('ffm')};{age};{10115 + draw.randrange(40)}"
        lines += [f"{person};{draw.choice(('flu', 'asthma', 'gout'))}" for _ in range(visits)]
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return path


class Walk:
    """A person who goes through the steps of a page.

    page: of the browser. tag: the language. looks: whether each step is judged by axe.
    """

    def __init__(self, page: Any, tag: str = "en") -> None:
        self.page = page
        self.say = languages()[tag].part("workbench").say

    def at(self, step: str) -> None:
        """Wait until a step is on the page, its work done, and its title has the focus."""
        number = STEPS.index(step) + 1
        self.page.wait_for_selector(f"#go-{step}[aria-current=step]", state="attached")
        self.page.wait_for_selector("#step > [aria-busy]", state="detached")
        name = self.say(f"step-{step}")
        start = self.say("step-of", number=number, steps=len(STEPS), name=name)
        assert self.page.title().startswith(start)

    def look(self) -> None:
        """Judge the present step: by axe, and for text beside the window."""

        assert violations(self.page) == []
        assert narrow(self.page)

    def focus(self) -> str:
        """The id of what has the focus, or its element."""
        found: str = self.page.evaluate(
            "document.activeElement.id || document.activeElement.tagName"
        )
        return found

    def tab_to(self, wanted: str, most: int = 120, inside: str = "") -> None:
        """Press the tab key until an element has the focus, and its outline can be seen.

        inside: the name of an element without an id; wanted is then the id of its parent.
        """
        asked = f"document.activeElement.matches('#{wanted} > {inside}')"
        for _ in range(most):
            self.page.keyboard.press("Tab")
            if self.page.evaluate(asked) if inside else self.focus() == wanted:
                return
        raise AssertionError(f"the tab key does not reach {wanted}")

    def press(self, *keys: str) -> None:
        """Press keys, one after the other."""
        for key in keys:
            self.page.keyboard.press(key)

    def until(self, holds: Callable[[], bool]) -> None:
        """Wait until it holds; the policy of the page forbids scripts of the test that wait."""
        while not holds():
            self.page.wait_for_timeout(20)

    def go_on(self, step: str) -> None:
        """Press the button to the next step, which is `step`, by a key; and wait for the step."""
        self.page.wait_for_selector("#next:enabled")
        self.tab_to("next")
        self.press("Enter")
        self.at(step)

    def leave(self) -> None:
        """Go elsewhere, before the server ends: a page complains of a server that is gone."""
        self.page.goto("about:blank")
