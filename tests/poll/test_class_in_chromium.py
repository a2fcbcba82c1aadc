"""Many phones in a real browser at once, four of which do not do what the others do."""

from collections import Counter
from collections.abc import Callable
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest
from phone_kit import Class, Client, together, unhurried
from pupil_kit import alone, begin, join, narrow, pick, seal
from sample_kit import sampled
from veilmix.poll.questions import DEMO, read_questions
from veilmix.poll.record import outcome_of_phones
from veilmix.scenarios.records.run_folder import read, save
from veilmix.scenarios.records.verification.checks import verify

pytestmark = pytest.mark.slow

PHONES = (18, 30)  # of the sample, and of a class
CHOICES = ((0, 0, 0), (1, 1, 0), (0, 0, 1))  # three crowds, each large enough for the promise
RELOADS, LATE, VANDAL, OFFLINE = 3, 7, 11, 13  # those who do something else


def spoil(route: Any) -> None:
    """Change a byte in the middle of what a phone hands in."""
    data = bytearray(route.request.post_data_buffer)
    data[len(data) // 2] ^= 1
    route.continue_(post_data=bytes(data))


def rubbish(page: Any) -> list[int]:
    """Have a phone send things that are no answers; the statuses it is told."""
    said = page.evaluate(
        """async () => {
          const { code } = document.body.dataset;
          const { phone } = JSON.parse(sessionStorage.getItem(`veilmix ${code}`));
          const found = [];
          for (const body of ["", "rubbish", "x".repeat(200000)]) {
            const sent = { method: "POST", body, headers: { "x-phone": phone } };
            found.push((await fetch(`/${code}/answer`, sent)).status);
          }
          return found;
        }"""
    )
    return [int(status) for status in said]


def reload(page: Any) -> None:
    page.reload()
    page.wait_for_selector("#screen[data-id]")


def reloading(page: Any, places: tuple[int, ...]) -> None:
    """Answer, with a reload before, among and after the questions."""
    reload(page)
    begin(page)
    pick(page, 0, places)
    reload(page)
    for number in range(1, len(places)):
        pick(page, number, places)
    reload(page)
    seal(page)
    page.wait_for_selector("text=Your envelope was handed in")
    reload(page)
    page.wait_for_selector("text=Your envelope was handed in")


def offline(page: Any, places: tuple[int, ...]) -> None:
    """Answer, and lose the network half-way: what is sealed without it is sent when it is back."""
    begin(page)
    pick(page, 0, places)
    page.context.set_offline(True)
    for number in range(1, len(places)):
        pick(page, number, places)
    page.wait_for_selector("text=No connection to the computer")
    seal(page)
    page.wait_for_selector("text=Your envelope is sealed, and not yet handed in.")
    page.context.set_offline(False)


@pytest.mark.parametrize("phones", sampled(PHONES, 0))
def test_phones_at_once_and_four_that_do_something_else(
    new_phone: Callable[[str], Any], tmp_path: Path, phones: int
) -> None:
    scenario = unhurried(read_questions(DEMO))
    places = [choice for choice, _ in zip(cycle(CHOICES), range(phones), strict=False)]
    with Class(scenario, phones) as room:
        pages = [new_phone("about:blank") for _ in range(phones)]
        others = {RELOADS: reloading, OFFLINE: offline}
        pages[VANDAL].route("**/answer", spoil)  # before it loads (test_threshold_class.py)
        for page in pages:
            page.goto(room.address, wait_until="commit")
        for number, page in enumerate(pages):
            if number in {*others, LATE}:
                join(page, f"pupil {number}")
            else:
                alone(page, f"pupil {number}", places[number])
        for number, other in others.items():
            other(pages[number], places[number])
        begin(pages[LATE])
        pick(pages[LATE], 0, places[LATE])
        for number in sorted({*range(phones)} - {LATE}):
            pages[number].wait_for_selector("text=Your envelope was handed in")
        pages[VANDAL].unroute("**/answer")
        assert rubbish(pages[VANDAL]) == [204] * 3  # it has answered: whatever it says now
        assert rubbish(pages[LATE]) == [400, 400, 400]
        room.close_round()
        pages[LATE].wait_for_selector("h1:has-text('Too late')")
        ends = [page for number, page in enumerate(pages) if number != LATE]
        for page in ends:
            page.wait_for_selector("h1:has-text('This was published')")
        told = [str(page.inner_text("main")) for page in ends]
        assert all(narrow(page) for page in pages)
    outcome = outcome_of_phones(scenario, room.done())
    assert outcome is not None
    assert outcome.release is not None
    kept = outcome.curated.decision.kept
    values = [feature.values or () for feature in scenario.feature]
    counted = [places[number] for number in range(phones) if number not in (LATE, VANDAL)]
    expected = Counter(tuple(values[i][row[i]] for i in kept) for row in counted)
    assert outcome.release == dict(expected)
    assert outcome.refused == {"does-not-open": 1, "unexpected": 1}  # it had no part in round 1
    same = f"Answers of {phones - 2} of {phones - 2} people were counted."
    assert all(same in words for words in told)  # also on the page of VANDAL, who is not among them
    checks = verify(read(save(outcome, tmp_path)))
    assert [check.name for check in checks if check.ok is False] == []


def test_a_phone_says_beside_the_promise_that_all_answered_the_same(
    new_phone: Callable[[str], Any],
) -> None:
    with Class(unhurried(read_questions(DEMO)), 6) as room:
        page = new_phone(room.address)
        clients = [
            Client(room.address, f"pupil {i}", ("on foot", "yes", "never")) for i in range(5)
        ]
        alone(page, "phone", (0, 0, 0))
        together(clients)
        page.wait_for_selector("h1:has-text('This was published')")
        said = " ".join(str(page.inner_text("main")).split())
    kept, _, rest = said.partition("smaller than 2: the promise was kept.")
    assert kept != said
    assert rest.strip().startswith("All 6 people answered the same: their answer is public now.")
