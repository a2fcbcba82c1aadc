"""What so many people can say is shown before a class begins, and changes as they join."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from class_kit import alike, noisy
from phone_kit import Class
from protocol_kit import session
from pupil_kit import join
from veilmix.analysis.randomizers import GRR
from veilmix.poll.assets import POLL_FOLDER
from veilmix.poll.class_settings import ClassTerms
from veilmix.poll.classroom import Classroom
from veilmix.poll.noise import TOO_WIDE, AnswerShare
from veilmix.poll.page_facts import facts_of
from veilmix.poll.precision_forecast import expected_of, forecast_data, forecast_of
from veilmix.poll.wall import Wall
from veilmix.protocol.board.board import Entry
from veilmix.protocol.wire.frames import Message


def test_the_widest_limits_of_the_questions_count(tmp_path: Path) -> None:
    scenario = noisy(tmp_path)
    told = forecast_of(scenario, 0, 12)
    assert told is not None
    expected = [GRR(values, 1.5).expected_limits(12)[0] for values in (3, 2)]
    assert told.reach == max(each.reach for each in expected)
    sentence, drawn, least = told.lines
    assert sentence.startswith("12 people, epsilon 1.5: shares within ")
    assert sentence.endswith("too few to say anything")
    assert "=o=" in drawn
    assert "told from none" in least
    assert forecast_data(told)["sentence"] == sentence


def test_it_is_of_those_who_are_here_or_are_waited_for(tmp_path: Path) -> None:
    scenario = noisy(tmp_path)  # fewer than 3 are not asked
    cases = (((0, None), 3), ((2, 30), 30), ((31, 30), 31), ((7, None), 7))
    for (here, awaited), people in cases:
        told = forecast_of(scenario, here, awaited)
        assert told is not None
        assert told.people == people
    assert forecast_of(alike(tmp_path), 5, None) is None


def test_phones_are_told_anew_when_somebody_joins(tmp_path: Path) -> None:
    scenario, room = noisy(tmp_path), Classroom(60.0)
    terms = ClassTerms("127.0.0.1", 0, None, 60.0, has_run_folder=True)
    seen = []
    for number in range(5):
        room.join(f"{number:032x}", f"pupil {number}")
        seen.append(facts_of(scenario, terms, room, None)["expected"])
    assert [told["people"] for told in seen] == [3, 3, 3, 4, 5]
    assert seen[2]["high"] - seen[2]["low"] >= seen[4]["high"] - seen[4]["low"]
    room.started = True
    assert facts_of(scenario, terms, room, None)["expected"] is None


def test_the_wall_has_the_forecast_until_something_is_asked(tmp_path: Path) -> None:
    """It changes with the people, survives that somebody mixes, and goes with the announcement."""
    wall, scenario = Wall("a class", 2), noisy(tmp_path)

    def known() -> list[Any]:
        every = [json.loads(entry) for entry in wall.log.entries]
        return [entry["people"] for entry in every if entry["what"] == "expected"]

    wall.expect(None)
    for here in (0, 1, 3, 4, 4):
        wall.expect(expected_of(scenario, here, None))
    assert known() == [3, 4]
    wall.mixed_by(("shuffler-1 is Ann at 10.0.0.1",))
    assert known() == [4]
    announced = session(2).announcement
    wall.posted(0.0, Entry("board", b"", Message(bytes(32), 0, announced), bytes(32)))
    wall.own_up("somebody has cheated")
    assert known() == []


@pytest.mark.slow
def test_a_phone_draws_it_and_says_it(new_phone: Callable[[str], Any], tmp_path: Path) -> None:
    with Class(noisy(tmp_path), 300) as room:
        page = new_phone(room.address)
        join(page, "Ann")
        page.wait_for_selector("svg.expected")
        wall = new_phone(f"{room.address}/theatre")
        wall.wait_for_selector("#expected:not([hidden]) svg")
        told = forecast_of(noisy(tmp_path), 1, 300)
        assert told is not None
        assert page.get_by_text(told.sentence).count() == 1
        assert wall.get_by_text(told.sentence).count() == 1
        name = page.get_attribute("svg.expected", "aria-label")
        assert wall.get_attribute("#expected svg", "aria-label") == name
        assert f"from {round(100 * told.low)} % to {round(100 * told.high)} %" in name
        size = page.evaluate(
            "[document.documentElement.scrollWidth, innerWidth, "
            "getComputedStyle(document.querySelector('.expected text')).fontSize, "
            "document.querySelector('svg.expected').getBoundingClientRect().width]"
        )
        assert size[0] <= size[1]  # nothing sticks out
        assert float(size[2].removesuffix("px")) * size[3] / 320 >= 12  # px of a number
        for width, height in ((390, 844), (1280, 720), (1920, 1080)):
            wall.set_viewport_size({"width": width, "height": height})
            assert wall.evaluate("document.documentElement.scrollWidth <= innerWidth")
            drawn = wall.evaluate("""(() => {
                const box = document.querySelector('#expected svg').getBoundingClientRect();
                const number = document.querySelector('#expected text');
                const size = parseFloat(getComputedStyle(number).fontSize);
                return [size * box.width / 320, box.right - innerWidth];
            })()""")
            assert drawn[0] >= 12  # px of a number
            assert drawn[1] <= 0


def test_too_few_to_say_anything_is_said_in_place_of_an_estimate() -> None:
    """By phones at the same width as in the terminal and on the wall."""
    wide = AnswerShare("yes", -1.039, 0.0, 0.984)
    near = AnswerShare("yes", 0.4, 0.2, 0.6999)
    assert (wide.says, near.says) == ("too few to say anything", "40.0 %")
    draw = (POLL_FOLDER / "static" / "draw.js").read_text("utf-8")
    assert f"const TOO_WIDE = {TOO_WIDE};" in draw
    assert 't("verdict-little")' in draw
