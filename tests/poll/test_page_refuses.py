"""A board that was changed on its way: the page says so, in words, and sends nothing."""

from collections.abc import Callable
from typing import Any

import pytest
from phone_kit import Class, Client, unhurried
from pupil_kit import begin, join
from veilmix.poll.questions import DEMO, read_questions
from veilmix.protocol.wire.messages import Kind

pytestmark = pytest.mark.slow

Posts = list[list[str]]
STOPS = "This phone does not go on"
UNSIGNED = "was not signed by whom it names. Nothing more is sent."


def demo() -> Any:
    return unhurried(read_questions(DEMO), min_batch=1)


def flipped(kind: Kind, place: int | bytes) -> Callable[[Posts], Posts]:
    """Turn over a bit of the posts of a kind, in the byte at that place, or where a text begins."""

    def act(posts: Posts) -> Posts:
        made = []
        for author, text in posts:
            data = bytearray.fromhex(text)
            if data[3] == kind.value:
                data[data.index(place) if isinstance(place, bytes) else place] ^= 1
            made.append([author, data.hex()])
        return made

    return act


def without_roster(posts: Posts) -> Posts:
    return [[author, text] for author, text in posts if bytes.fromhex(text)[3] != Kind.ROSTER.value]


def by_another(posts: Posts) -> Posts:
    """Say that the first shuffler has made the analyst's posts."""
    return [["shuffler-1" if author == "analyst" else author, text] for author, text in posts]


FIRST_ANSWER = b"on foot"  # "on foot" becomes "nn foot"
INSIDE, LAST = 60, -1  # a byte of a public key, and of a signature
CHANGED: dict[str, tuple[Callable[[Posts], Posts], str]] = {
    "another announcement": (flipped(Kind.ANNOUNCEMENT, FIRST_ANSWER), UNSIGNED),
    "another key": (flipped(Kind.KEY, INSIDE), UNSIGNED),
    "another signature": (flipped(Kind.CALL, LAST), UNSIGNED),
    "another author": (by_another, UNSIGNED),
    "no list of signers": (without_roster, "this board is not signed. Nothing more is sent."),
    "another head": (flipped(Kind.HEAD, LAST), UNSIGNED),
}


def sent_by(page: Any) -> list[str]:
    """What a page hands in from now on, by its place."""
    addresses: list[str] = []
    page.on("request", lambda request: request.method == "POST" and addresses.append(request.url))
    return addresses


def changing(page: Any, change: Callable[[Posts], Posts]) -> None:
    """Change what a page is told of the board, in what it asks for from now on."""
    from playwright.sync_api import Error

    def between(route: Any) -> None:
        try:
            answer = route.fetch()
        except Error:  # the class is over
            route.abort()
            return
        news = answer.json()
        news["posts"] = change(news["posts"])
        route.fulfill(response=answer, json=news)

    page.route("**/news/**", between)


def test_a_changed_board_is_refused_in_words_and_nothing_is_sent(
    new_phone: Callable[[str], Any],
) -> None:
    scenario = demo()
    with Class(scenario, len(CHANGED) + 1) as room:
        pages = {what: new_phone("about:blank") for what in CHANGED}
        for name, page in pages.items():
            changing(page, CHANGED[name][0])  # before it asks for anything
            page.goto(room.address, wait_until="commit")
            join(page, name)
        sent = {what: sent_by(page) for what, page in pages.items()}
        honest = Client(room.address, "honest", ("on foot", "yes", "never"))
        honest.join()
        for name, page in pages.items():
            page.wait_for_selector(f"h1:has-text('{STOPS}')")
            assert CHANGED[name][1] in page.inner_text("main"), name
        honest.asked(1)
        assert honest.hand_in(honest.sealed())[0] == 204
        assert set(map(tuple, sent.values())) == {()}
        room.close_round()
        for page in pages.values():
            assert STOPS in page.inner_text("h1")
    assert {index for _, index in room.done().room.letters} == {0}  # the honest phone's alone


def test_who_agreed_to_one_session_is_not_told_another(new_phone: Callable[[str], Any]) -> None:
    """Another session, rightly signed by all who take part in it, in the place of the first."""
    scenario = demo()
    with Class(scenario, 1) as first, Class(scenario, 1) as second:
        other = Client(second.address, "other", ("on foot", "yes", "never"))
        other.join()
        other.asked(1)
        posts = [[entry.author, entry.data.hex()] for entry in other.board.entries]
        page = new_phone(first.address)
        join(page, "Ann")
        begin(page)
        page.wait_for_selector("h1:has-text('Question 1')")
        sent = sent_by(page)
        changing(page, lambda _: posts)
        page.reload()
        page.wait_for_selector(f"h1:has-text('{STOPS}')")
        assert "this is another announcement than the one that this phone agreed to" in (
            page.inner_text("main")
        )
        assert sent == []
        first.close_round()
        assert other.hand_in(other.sealed())[0] == 204
