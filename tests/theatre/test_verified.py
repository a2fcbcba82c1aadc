"""The page of a run with a verified mix: locked boxes in rows, and a seal on each row."""

from typing import Any

import pytest

pytestmark = pytest.mark.slow
ROWS = (
    "[...document.querySelectorAll('.boxrow')].map(row => row.querySelectorAll('.lockbox').length)"
)
SIZES = (
    """[...document.querySelectorAll('.lockbox > .core')].map(box => box.getAttribute('width'))"""
)


def posts(data: dict[str, Any], kind: str) -> list[dict[str, Any]]:
    return [move for move in data["moves"] if move.get("kind") == kind]


def after(data: dict[str, Any], kind: str) -> int:
    """The position after the first post of a kind."""
    return 1 + next(at for at, move in enumerate(data["moves"]) if move.get("kind") == kind)


def test_every_seal_of_an_honest_run_holds(shown) -> None:
    data = shown("verified").data
    assert [move["seal"] for move in posts(data, "shuffled")] == ["holds"] * 4
    assert {move["seal"] for move in posts(data, "shared")} == {"holds"}
    assert "the same boxes, none exchanged" in posts(data, "shuffled")[0]["says"]


def test_boxes_stand_in_rows_and_have_one_size(shown, page_of, tab) -> None:
    data = shown("verified").data
    page = tab.open(page_of("verified"), f"#eyes=curator&at={after(data, 'shuffled')}")
    assert page.evaluate(ROWS) == [36, 36, 0]
    assert len(set(page.evaluate(SIZES))) == 1
    assert page.locator(".boxrow .tick").count() == 1
    assert "same boxes" in page.text_content("#picture")
    assert "Anybody can check" in page.inner_text("#aside")
    assert not tab.complaints
    assert not [url for url in tab.requests if not url.startswith("file:")]


def test_boxes_that_were_submitted_once_stand_on_the_board_in_round_2(shown, page_of, tab) -> None:
    data = shown("verified-once").data
    call = posts(data, "call")[1]
    assert len(call["taken"]) == 12
    assert {move["seal"] for move in posts(data, "shuffled")} == {"holds"}
    assert {move["round"] for move in posts(data, "handed")} == {1}
    page = tab.open(page_of("verified-once"), f"#eyes=network&at={data['moves'].index(call) + 1}")
    assert page.evaluate(ROWS) == [12, 0, 0]
    page = tab.open(page_of("verified-once"), "#eyes=network&at=999")
    assert page.evaluate(ROWS) == [12, 12, 12]
    assert not tab.complaints


def test_a_chosen_person_is_followed_as_far_as_the_eyes_can(page_of, tab) -> None:
    page = tab.open(page_of("verified"), "#eyes=curator+shuffler-1&at=999&way=4")
    assert "takes shuffler-2 too" in page.inner_text("#way-ending")
    page = tab.open(page_of("verified"), "#eyes=shuffler-1+shuffler-2&at=999&way=4")
    assert page.inner_text("#way-ending") == "User-4 is linked by shuffler-1 + shuffler-2."


def test_an_exchanged_box_breaks_the_seal_and_ends_the_round(shown, page_of, tab) -> None:
    data = shown("verified-exchange").data
    (shuffled,) = posts(data, "shuffled")
    assert (shuffled["by"], shuffled["seal"]) == ("shuffler-1", "broken")
    (burned,) = posts(data, "burned")
    assert "the seal of shuffler-1 does not hold" in burned["says"]
    assert not posts(data, "shared")
    page = tab.open(page_of("verified-exchange"), "#eyes=everything&at=999")
    assert page.locator(".boxrow .cross").count() == 1
    words = page.locator(".boxrow text").all_text_contents()
    assert "broken" in words
    assert not [word for word in words if word.endswith("..")]
    assert page.inner_text("#read").startswith("Nothing")


def test_boxes_that_were_submitted_once_are_mixed_again(shown, page_of, tab) -> None:
    data = shown("verified-once").data
    moves = data["moves"]
    first, second = posts(data, "call")
    assert "taken" not in first
    assert second["taken"] == list(range(12))
    assert second["says"].startswith("Round 2: nobody is asked again.")
    assert {move["round"] for move in moves if move["what"] == "send"} == {1}
    assert {move["seal"] for move in posts(data, "shuffled") + posts(data, "shared")} == {"holds"}
    seen = moves.index(second) + 1
    page = tab.open(page_of("verified-once"), f"#eyes=curator&at={seen}")
    assert page.evaluate(ROWS) == [12, 0, 0]
    assert "of round 1" in page.text_content("#picture")
    page = tab.open(page_of("verified-once"), "#eyes=shuffler-1+shuffler-2&at=999&way=4")
    assert page.inner_text("#way-ending") == "User-4 is linked by shuffler-1 + shuffler-2."
    assert "is mixed again in round 2" in page.inner_text("body")
    assert "All shufflers with the analyst hold the keys" in page.text_content("#cheating")
    assert not tab.complaints


def test_a_wrong_share_has_a_broken_seal_too(shown) -> None:
    data = shown("verified-wrong-share").data
    broken = {move["by"] for move in posts(data, "shared") if move["seal"] == "broken"}
    assert broken == {"shuffler-1"}
    assert posts(data, "burned")[0]["says"].endswith(
        "On the board it says: the decryption shares of shuffler-1 do not check (question 1): "
        "shares of shuffler-1: the proof does not hold."
    )


def test_faults_of_users_are_told(shown) -> None:
    moves = shown("verified-faulty").data["moves"]
    faults = {(move["by"], move["fault"]) for move in moves if move.get("fault")}
    assert faults == {("user-5", "altered"), ("user-7", "repeated"), ("user-9", "late")}
    assert ("user-2", 1) in {
        (move["by"], move["round"]) for move in moves if move["what"] == "silent"
    }


@pytest.mark.parametrize("size", [(390, 844), (1024, 768), (1280, 720), (1920, 1080)])
def test_the_page_of_a_verified_mix_does_not_overflow(size, page_of, tab) -> None:
    tab.page.set_viewport_size({"width": size[0], "height": size[1]})
    page = tab.open(page_of("verified"), "#eyes=everything&at=999")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert page.evaluate(ROWS) == [12, 12, 12]


def test_many_people_stand_in_piles(page_of, tab) -> None:
    page = tab.open(page_of("verified-crowd"), "#eyes=network&at=9999")
    assert page.locator(".boxrow .pile").count() == 36
    assert not tab.complaints
