"""The page in a real browser: played, stepped, looked at through many eyes."""

import pytest
from contrast_kit import lowest_contrast

pytestmark = pytest.mark.slow

END = "&at=9999"


def until(page, condition: str) -> None:
    """Wait for something to hold; not by `wait_for_function`, whose eval the page forbids."""
    while not page.evaluate(condition):
        page.wait_for_timeout(50)


def linked(page) -> str:
    return page.inner_text("#linked")


def place(page) -> int:
    return int(page.inner_text("#place").split("/")[0])


@pytest.mark.place
def test_step_back_and_start(page_of, tab, shown) -> None:
    page = tab.open(page_of("classroom"))
    total = len(shown("classroom").data["moves"])
    assert page.inner_text("#place") == f"0 / {total}"
    assert "Nothing has happened" in page.inner_text("#sentence")
    for number in (1, 2, 3):
        page.click("#step")
        until(page, f"window.veilmix.show.at === {number}")
    assert page.inner_text("#sentence").endswith("posts the public half.")
    page.keyboard.press("ArrowLeft")
    assert place(page) == 2
    page.keyboard.press("End")
    assert page.inner_text("#state") == "finished"
    assert page.is_disabled("#step")
    page.click("#start")
    assert place(page) == 0
    assert page.is_disabled("#back")


def test_a_new_address_is_read_although_the_page_draws_before_its_event(page_of, tab) -> None:
    """The event comes later; until then the page does not write its own place over the address."""
    page = tab.open(page_of("classroom"), "#eyes=everything&at=1&way=4")
    page.evaluate(
        "location.hash = '#eyes=everything&at=3'; document.getElementById('way-close').click()"
    )
    assert page.evaluate("location.hash").endswith("&at=3")
    until(page, "window.veilmix.show.at === 3")


def test_each_press_of_a_key_is_a_step_however_fast(page_of, tab) -> None:
    """A flight takes half a second; a press lands it, and other keys do not undo it."""
    page = tab.open(page_of("classroom"))
    press = "document.body.dispatchEvent(new KeyboardEvent('keydown', {key: '%s', bubbles: true}))"
    page.evaluate(";".join([press % "ArrowRight"] * 10))
    until(page, "!document.querySelector('#flight > *')")
    assert place(page) == 10
    page.evaluate(";".join(press % key for key in ("ArrowRight", "c")))
    assert place(page) == 11
    assert page.is_checked("#eye-curator")
    page.evaluate(";".join(press % key for key in ("ArrowRight", "ArrowLeft")))
    assert place(page) == 11
    page.evaluate(";".join(press % key for key in ("ArrowRight", " ", " ")))
    until(page, "!document.querySelector('#flight > *')")
    assert place(page) >= 12


def test_play_goes_on_by_itself_and_stops(page_of, tab) -> None:
    page = tab.open(page_of("classroom"))
    page.fill("#speed", "3")  # half a minute in all: it is not over while this looks on
    page.click("#play")
    assert page.inner_text("#play") == "pause"
    until(page, "window.veilmix.show.at > 2")
    page.keyboard.press("p")  # the focus is on the button: other keys still work
    page.keyboard.press("p")
    page.click("#play")
    assert page.inner_text("#play") == "play"
    until(page, "!document.querySelector('#flight > *')")  # a move that was under way is made
    stood = place(page)
    page.wait_for_timeout(400)
    assert place(page) == stood
    page.fill("#speed", "6")
    page.click("#play")
    until(page, "!window.veilmix.show.playing")
    assert page.inner_text("#state") == "finished"


def test_the_curator_alone_names_nobody_and_with_both_shufflers_everybody(page_of, tab) -> None:
    page = tab.open(page_of("classroom"), "#" + END)
    page.check("text=curator")
    assert linked(page) == "0 of 12"
    assert page.inner_text("#certain") == "0 of 36 values known for certain"
    assert page.inner_text("#who") == "Everybody hides in a crowd of 12."
    assert "27 of 51 messages" in page.inner_text("#unseen")
    assert page.locator(".box.shut").count() == 4  # both shufflers, the analyst, the network
    assert page.locator(".person.pinned").count() == 0
    page.check("#eye-shuffler-1")
    assert linked(page) == "0 of 12"
    page.check("#eye-shuffler-2")
    assert linked(page) == "12 of 12"
    assert page.inner_text("#certain") == "36 of 36 values known for certain"
    assert page.locator(".person.pinned").count() == 12
    page.uncheck("#eye-curator")
    assert linked(page) == "0 of 12"


def test_what_the_eyes_do_not_see_is_not_in_the_picture(page_of, tab, shown) -> None:
    moves = shown("classroom").data["moves"]
    first = next(i for i, move in enumerate(moves) if move["what"] == "send") + 1
    page = tab.open(page_of("classroom"), f"#eyes=curator&at={first}")
    assert page.inner_text("#sentence") == "A message passes that these eyes do not see."
    assert page.locator("#picture .envelope").count() == 0
    assert page.locator("#picture .tick").count() == 0
    page.check("#eye-network")
    assert "hands shuffler-1 one sealed envelope" in page.inner_text("#sentence")
    assert "can open none of its 3 layers" in page.inner_text("#aside")
    assert page.locator("#picture .envelope").count() == 0  # it is with the shuffler by now
    page.check("#eye-shuffler-1")
    assert "can open 1 of its 3 layers" in page.inner_text("#aside")
    assert page.locator("#picture .envelope").count() == 1
    assert page.locator("#picture .envelope .onion").count() == 3
    assert page.locator("#picture .envelope .core.clear").count() == 0
    page.check("#eye-shuffler-2")
    page.check("#eye-curator")
    assert "It says A\xa0=\xa0" in page.inner_text("#aside")
    assert page.locator("#picture .envelope .core.clear").count() == 3


def test_the_decision_shows_its_theorem_to_those_who_know_it(page_of, tab, shown) -> None:
    page = tab.open(page_of("classroom"), "#eyes=analyst" + END)
    assert "Released: A, Rh." in page.inner_text("#decision")
    assert "hidden from these eyes" in page.inner_text("#decision")
    page.check("#eye-curator")
    rows = page.locator("#decision tbody tr")
    assert rows.count() == 7
    assert rows.nth(4).inner_text().split() == [
        *("A", "x", "Rh", "8.3", "%", "the", "coverage", "bound", "released")
    ]
    assert rows.nth(6).inner_text().split()[-2:] == ["too", "risky"]


def test_the_address_keeps_eyes_and_position(page_of, tab) -> None:
    page = tab.open(page_of("classroom"), "#eyes=curator+shuffler-1+user-3&at=17")
    assert place(page) == 17
    assert page.is_checked("#eye-curator")
    assert page.is_checked("#eye-shuffler-1")
    assert not page.is_checked("#eye-analyst")
    assert page.inner_text("#people-eyes") == "user-3"
    page.check("#eye-analyst")
    page.keyboard.press("ArrowLeft")
    until(page, "location.hash.endsWith('at=16')")
    page.reload()
    assert place(page) == 16
    assert page.is_checked("#eye-analyst")
    assert page.evaluate("location.hash") == "#eyes=curator+shuffler-1+user-3+analyst&at=16"
    page.evaluate("location.hash = '#eyes=everything&at=2'")
    until(page, "window.veilmix.show.at === 2")
    assert page.is_checked("#eye-everything")
    tab.open(page_of("classroom"), "#eyes=nobody+curator&at=junk")
    assert place(page) == 0
    assert page.is_checked("#eye-curator")


def test_keys_do_what_the_buttons_do(page_of, tab) -> None:
    page = tab.open(page_of("classroom"))
    page.keyboard.press("c")
    page.keyboard.press("2")
    page.keyboard.press("n")
    assert set(page.evaluate("[...window.veilmix.show.eyes]")) == {
        *("curator", "shuffler-2", "network")
    }
    page.keyboard.press("c")
    assert not page.is_checked("#eye-curator")
    page.keyboard.press("e")
    assert page.is_checked("#eye-everything")
    assert page.inner_text("#linked") == "0 of 12"  # nothing has been said yet
    page.keyboard.press("e")
    assert page.evaluate("window.veilmix.show.eyes.size") == 0
    page.keyboard.press("?")
    assert page.is_visible("#keys")
    page.keyboard.press("Escape")
    until(page, "!document.getElementById('keys').open")
    page.keyboard.press(" ")
    assert page.evaluate("window.veilmix.show.playing")


def test_a_person_can_be_looked_through(page_of, tab) -> None:
    page = tab.open(page_of("classroom"), "#" + END)
    page.locator("[data-party=user-4]").click()
    page.click("#way-eyes")
    assert page.inner_text("#people-eyes") == "user-4"
    assert linked(page) == "1 of 12"
    page.fill("#who-eyes", "9")
    page.click("#add-person")
    assert linked(page) == "2 of 12"
    page.click("#no-people")
    assert linked(page) == "0 of 12"


def test_a_click_on_a_person_lights_its_way_as_far_as_the_eyes_can_follow(page_of, tab) -> None:
    page = tab.open(page_of("classroom"), "#eyes=curator" + END)
    page.locator("[data-party=user-4]").click()
    assert page.locator(".person.chosen").count() == 1
    assert page.locator(".way .lit").count() == 0
    assert page.locator(".cell.chosen").count() == 0
    assert page.inner_text("#way-ending").endswith("nothing that it could know to be from user-4.")
    page.check("#eye-shuffler-1")
    assert page.locator(".way .lit").count() == 2  # its envelope, and the onions that came out
    assert page.locator(".way .lit .core.clear").count() == 0
    assert page.locator(".way .unlit").all_text_contents() == ["one of 12"]
    assert page.locator(".cell.chosen").count() == 0
    assert "the key of shuffler-2" in page.inner_text("#way-ending")
    page.check("#eye-shuffler-2")
    assert page.locator(".way .unlit").count() == 0
    assert page.locator(".way .lit .core.clear").count() == 6  # three answers, at two shufflers
    assert page.locator(".cell.chosen").count() == 3  # one in each count
    assert "so user-4 said A=Y, B=N, Rh=Y in round 1" in page.inner_text("#way-steps")
    page.reload()
    assert page.inner_text("#way-title") == "The way of user-4"
    page.click("#way-close")
    assert page.locator(".way > *").count() == 0
    assert page.is_visible("#decision")


SMALL = """() => [...document.querySelectorAll("body *")].filter((node) => node.checkVisibility() &&
    [...node.childNodes].some((c) => c.nodeType === 3 && c.data.trim()) && !node.closest("title"))
    .map((node) => {
        const matrix = node.getScreenCTM?.();
        const scale = matrix ? Math.hypot(matrix.a, matrix.b) : 1;
        return [parseFloat(getComputedStyle(node).fontSize) * scale, node.textContent.slice(0, 30)];
    }).sort((a, b) => a[0] - b[0])[0]"""


# Labels of the picture that something is drawn over which is itself no label, by their words.
COVERED = """() => {
    const tokens = ".onion, .envelope, .pile, .card, .seal, .person";
    const order = [...document.querySelectorAll("#picture *")];
    const found = [];
    order.forEach((label, at) => {
        if (label.tagName !== "text" || label.closest(tokens)) return;
        const one = label.getBoundingClientRect();
        for (const other of order.slice(at + 1)) {
            if (!other.matches(tokens) || other.parentElement.closest(tokens)) continue;
            const two = other.getBoundingClientRect();
            const wide = Math.min(one.right, two.right) - Math.max(one.left, two.left);
            const high = Math.min(one.bottom, two.bottom) - Math.max(one.top, two.top);
            if (wide > 2 && high > 0.3 * one.height) found.push(label.textContent);
        }
    });
    return found;
}"""


@pytest.mark.parametrize(
    ("size", "name"),
    [((1920, 1080), name) for name in ("classroom", "faulty", "crowd", "village", "peers")]
    + [((1024, 768), name) for name in ("classroom", "threshold", "village")],
)
def test_no_text_is_too_small_for_the_last_row(
    page_of, tab, shown, size: tuple[int, int], name: str
) -> None:
    """14 px on projectors of 1920 x 1080 and 1024 x 768, and no label lies under a token."""
    tab.page.set_viewport_size({"width": size[0], "height": size[1]})
    page = tab.open(page_of(name), "#eyes=everything&at=1")
    page.evaluate("document.getElementById('sliders').hidden = false")
    total = len(shown(name).data["moves"])
    some = "peer-1+peer-2+peer-9" if name in ("village", "peers") else "shuffler-1"
    for eyes in ("everything", some, "curator+shuffler-1+shuffler-2+analyst"):
        for position in sorted({total // 6, total // 3, total // 2, 2 * total // 3, total}):
            page.evaluate(f"location.hash = '#eyes={eyes}&at={position}&way=4'")
            until(
                page,
                f"location.hash.includes('at={position}') && "
                f"window.veilmix.show.at === {position} && window.veilmix.show.chosen === 3",
            )
            high, words = page.evaluate(SMALL)
            assert high >= 14, (eyes, position, high, words)
            page.evaluate("document.getElementById('way-close').click()")
            assert page.evaluate(COVERED) == [], (eyes, position)


def test_a_printed_page_has_no_controls_over_its_text(page_of, tab) -> None:
    page = tab.open(page_of("classroom"), "#eyes=curator" + END)
    page.emulate_media(media="print")
    assert not page.is_visible("footer")
    assert not page.is_visible("#eyes")
    bottom = "document.getElementById('read').getBoundingClientRect().bottom"
    assert page.evaluate(f"{bottom} <= document.documentElement.scrollHeight")
    assert page.evaluate("getComputedStyle(document.getElementById('panel')).overflow") == "visible"


@pytest.mark.parametrize("name", ["classroom", "faulty"])
def test_the_table_of_a_live_page_is_not_cut(page_of, tab, name: str) -> None:
    tab.page.set_viewport_size({"width": 1280, "height": 800})
    page = tab.open(page_of(name), "#eyes=curator" + END)
    page.evaluate("document.getElementById('sliders').hidden = false")
    room = page.locator("#panel").bounding_box()
    table = page.locator("#decision table").first.bounding_box()
    assert table["x"] >= room["x"]
    assert table["x"] + table["width"] <= room["x"] + room["width"]
    assert table["y"] + table["height"] <= room["y"] + room["height"]
    assert page.locator("#eyes").bounding_box()["height"] < 60  # the eyes stand in one line


def test_presenter_mode_covers_everything_until_revealed(page_of, tab) -> None:
    page = tab.open(page_of("classroom"), "#eyes=curator" + END)
    page.click("#presenter")
    assert page.is_visible("#curtain")
    assert not page.is_visible("#linked")
    assert not page.is_visible("#stage")
    assert "You are curator." in page.inner_text("#whose")
    page.keyboard.press("r")
    assert page.is_visible("#linked")
    assert not page.is_visible("#curtain")
    page.check("#eye-shuffler-1")  # other eyes: guess again
    assert not page.is_visible("#linked")
    page.click("#curtain-reveal")
    assert page.is_visible("#stage")
    page.click("#presenter")
    page.check("#eye-shuffler-2")
    assert page.is_visible("#linked")


def test_faults_can_be_seen(page_of, tab, shown) -> None:
    moves = shown("faulty").data["moves"]
    page = tab.open(page_of("faulty"))
    altered = next(i for i, move in enumerate(moves) if move.get("fault") == "altered") + 1
    refused = next(i for i, move in enumerate(moves) if move["what"] == "refuse") + 1
    page.evaluate(f"location.hash = '#eyes=shuffler-1&at={altered}'")
    until(page, f"window.veilmix.show.at === {altered}")
    wrong = sum(bool(move.get("fault")) for move in moves[:altered])
    assert page.locator("#picture .envelope .warning").count() == wrong
    assert "not the envelope that was sealed" in page.inner_text("#aside")
    page.uncheck("#eye-shuffler-1")
    page.check("#eye-network")
    assert "not the envelope" not in page.inner_text("#aside")
    page.evaluate(f"location.hash = '#eyes=shuffler-1&at={refused}'")
    until(page, f"window.veilmix.show.at === {refused}")
    assert "refuses" in page.inner_text("#sentence")
    assert page.locator("#picture .envelope .cross").count() == moves[refused - 1]["number"]


def test_a_crowd_is_drawn_in_piles(page_of, tab) -> None:
    page = tab.open(page_of("crowd"), "#eyes=shuffler-1&at=308")
    assert page.locator("#picture > g > g > .someone").count() == 12
    assert page.locator("#picture .pile").count() == 24  # of people, and of envelopes
    most = page.evaluate(
        """() => {
            const drawn = [];
            for (let at = 0; at <= 620; at += 20) {
                document.getElementById("scrub").value = at;
                document.getElementById("scrub").dispatchEvent(new Event("input"));
                drawn.push(document.querySelectorAll("#picture *").length);
            }
            return Math.max(...drawn);
        }"""
    )
    assert most < 1_500  # elements, wherever the run is looked at: drawing them takes the time


FLOWN = """() => {
    window.flown = 0;
    new MutationObserver((changes) => changes.forEach((one) => (flown += one.addedNodes.length)))
        .observe(document.getElementById("flight"), {childList: true});
}"""


@pytest.mark.parametrize(("motion", "things"), [("reduce", 0), ("no-preference", 1)])
def test_who_wants_no_motion_gets_none(page_of, new_tab, motion: str, things: int) -> None:
    page = new_tab(reduced_motion=motion).open(page_of("classroom"), "#eyes=everything&at=8")
    page.evaluate(FLOWN)  # counts: what flies may have landed before one looks
    page.keyboard.press("ArrowRight")
    until(page, "window.veilmix.show.at === 9")
    assert page.evaluate("window.flown") == things


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_text_has_contrast(page_of, new_tab, scheme) -> None:
    """At least 4.5 to 1 against what it stands on, as WCAG 2 asks (panel, bars and buttons)."""
    tab = new_tab(color_scheme=scheme)
    page = tab.open(page_of("classroom"), "#eyes=curator+shuffler-1+shuffler-2" + END)
    many, ratio, text = lowest_contrast(page)
    assert many > 30
    assert ratio >= 4.5, text


def test_what_happens_is_said_aloud_and_the_page_is_labelled(page_of, tab) -> None:
    page = tab.open(page_of("classroom"))
    assert page.get_attribute("#sentence", "aria-live") == "polite"
    unnamed = page.evaluate(
        """[...document.querySelectorAll("button, input")].filter((n) => n.checkVisibility() &&
            !n.textContent.trim() && !n.ariaLabel && !n.labels?.length).map((n) => n.id)"""
    )
    assert unnamed == []


@pytest.mark.parametrize("name", ["classroom", "village"])
def test_a_narrow_window_has_no_sideways_scroll(page_of, new_tab, name: str) -> None:
    tab = new_tab()
    tab.page.set_viewport_size({"width": 390, "height": 800})
    page = tab.open(page_of(name), "#eyes=everything" + END)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
