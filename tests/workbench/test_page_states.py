"""The page where something goes wrong or takes time: each state in words, with a way on."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from workbench_server import Asker, workbench
from workbench_walk import Walk, write_patients

pytestmark = pytest.mark.slow

LONG = {"step": "choices", "stage": "searching: 812 counts", "seconds": 3.0, "cancellable": True}
WAITING = {"summary": "", "stale": False, "error": None}


@pytest.fixture(scope="module")
def asker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asker]:
    """A server with a table, for all tests of the file: none changes what another looks at."""
    folder = tmp_path_factory.mktemp("workbench")
    with workbench(folder, write_patients(folder / "patients.csv")) as served:
        served.settled()
        yield served


def showing(tab: Any, asker: Asker, step: str, **parts: Any) -> Walk:
    """Open a step of a page whose program says that parts of its state are others."""
    true = asker.state()
    state = {**true, "version": true["version"] + 1_000, **parts}  # newer than any that follows
    tab.page.route(
        "**/news/*",
        lambda route: (
            route.fulfill(json=state) if route.request.url.endswith("/0") else route.continue_()
        ),
    )
    tab.page.goto(f"{asker.bench.address}#{step}")
    walk = Walk(tab.page)
    tab.page.wait_for_selector(f"#go-{step}[aria-current=step]", state="attached")
    return walk


def test_long_work_has_progress_and_is_cancelled(tab: Any, asker: Asker) -> None:
    working = {"status": "working", **WAITING}
    walk = showing(tab, asker, "choices", work=LONG, choices=working, result=working)
    assert walk.page.inner_text("#work").startswith(walk.say("working"))
    assert LONG["stage"] in walk.page.inner_text("#work")
    assert walk.page.locator("progress").is_visible()
    walk.look()
    with tab.page.expect_request("**/cancel") as asked:
        walk.tab_to("cancel")
        walk.press("Enter")
    assert asked.value.method == "POST"


def test_cancelled_work_can_begin_again(tab: Any, asker: Asker) -> None:
    cancelled = {"status": "cancelled", **WAITING}
    walk = showing(tab, asker, "choices", choices=cancelled, result=cancelled)
    assert walk.say("cancelled") in walk.page.inner_text("main")
    walk.look()
    with tab.page.expect_request("**/again"):
        walk.page.click("#again")


@pytest.mark.parametrize("searched", [True, False])
def test_rows_without_a_score_have_no_files(tab: Any, asker: Asker, searched: bool) -> None:
    true = asker.state()
    early = {**true["result"], "status": "working", "final": False, "score": ""}
    choices = {**true["choices"], "final": searched}
    walk = showing(tab, asker, "result", work=LONG, choices=choices, result=early)
    text = walk.page.inner_text("main")
    assert walk.say("result-not-final" if searched else "result-of-first-look") in text
    assert walk.page.locator("#after, .measures").count() == 2
    assert walk.page.locator("#download, #sign, #save").count() == 0
    assert walk.page.is_disabled("#done")
    walk.look()


def test_no_choice_meets_the_goal(tab: Any, asker: Asker) -> None:
    error = {"text": "no choice reaches k = 900", "option": None, "step": "choices", "lang": "en"}
    failed = {**WAITING, "status": "error", "error": error}
    walk = showing(tab, asker, "choices", choices=failed, result={**WAITING, "status": "empty"})
    assert error["text"] in walk.page.inner_text(".wrong")
    assert walk.page.is_disabled("#next")
    walk.look()
    walk.page.click("#other-goal")
    walk.at("goal")


def test_a_table_that_cannot_be_read_leaves_the_way_to_another(tab: Any, asker: Asker) -> None:
    error = {"text": "x.csv, line 3: 4 cells", "option": None, "step": "file", "lang": "en"}
    empty = {**WAITING, "status": "empty"}
    rest = dict.fromkeys(("persons", "columns", "goal", "choices", "result"), empty)
    failed = {**empty, "status": "error", "error": error}
    walk = showing(tab, asker, "file", file=failed, **rest)
    assert error["text"] in walk.page.inner_text(".wrong")
    assert walk.page.is_disabled("#next")
    assert walk.page.locator("#option-separator, #option-encoding").count() == 2
    walk.look()
    walk.page.click("#folders")
    walk.page.wait_for_selector("#folder-title")
    assert walk.focus() == "folder-title"
    walk.look()


def test_a_refused_value_stays_where_it_was_typed(tab: Any, asker: Asker) -> None:
    walk = showing(tab, asker, "goal")
    tab.page.fill("#option-k", "many")
    walk.press("Tab")
    tab.page.wait_for_selector("#refused")
    assert "k" in tab.page.inner_text("#refused")
    assert tab.page.input_value("#option-k") == "many"
    assert tab.page.get_attribute("#option-k", "aria-invalid") == "true"
    assert tab.page.inner_text("#said") == tab.page.inner_text("#refused")
    assert walk.focus() == "option-max_exposure"
    walk.look()
    (complaint,) = tab.complaints
    assert "400" in complaint
    tab.complaints.clear()


def test_another_tab_was_faster(tab: Any, asker: Asker) -> None:
    """The change is not made; the page shows what the other tab has chosen."""
    walk = showing(tab, asker, "goal", revision=0)
    newer = {**asker.state(), "version": 10**6, "summary": "newer"}
    newer["goal"] = {**newer["goal"], "crowd": 7}
    tab.page.unroute("**/news/*")
    tab.page.route("**/news/*", lambda route: route.fulfill(json=newer))
    tab.page.fill("#option-k", "9")
    walk.press("Tab")
    tab.page.wait_for_selector(f"text={walk.say('elsewhere')}")
    assert walk.page.locator(".dots i").count() == 7
    assert "409" in tab.complaints.pop()


def test_a_program_that_is_gone_costs_nothing_that_was_typed(tab: Any, asker: Asker) -> None:
    walk = showing(tab, asker, "file")
    tab.page.click("#paths > summary")
    tab.page.type("#path", "/data/next.csv")
    tab.page.unroute("**/news/*")
    tab.page.route("**/news/*", lambda route: route.abort())
    tab.page.route("**/open", lambda route: route.abort())
    walk.press("Enter")
    tab.page.wait_for_selector(f".wrong:has-text('{walk.say('lost-title')}')")
    assert tab.page.input_value("#path") == "/data/next.csv"
    assert walk.focus() == "path"
    walk.look()
    tab.page.unroute("**/news/*")
    tab.page.unroute("**/open")
    tab.page.wait_for_selector(".wrong", state="detached")
    assert all("ERR_FAILED" in complaint for complaint in tab.complaints)
    tab.complaints.clear()


def test_paths_of_windows(tab: Any, asker: Asker) -> None:
    """The page joins folders and names as the computer does that runs the program."""
    own = {"folder": "C:\\Users\\Ann", "system": "nt"}
    walk = showing(tab, asker, "result", own=own)
    tab.page.click("#save > summary")
    assert tab.page.input_value("#save-table") == "C:\\Users\\Ann\\patients-released.csv"
    tab.page.click("#go-file")
    walk.at("file")
    listed = {"path": own["folder"], "above": "C:\\Users", "folders": ["a b"], "files": []}
    asked = []

    def answer(route: Any) -> None:
        asked.append(route.request.post_data_json["path"])
        route.fulfill(json=listed)

    tab.page.route("**/folder", answer)
    tab.page.click("#paths > summary")
    tab.page.click("#folders")
    tab.page.click("#folder-0")
    walk.until(lambda: len(asked) == 2)
    assert asked == ["", "C:\\Users\\Ann\\a b"]


def test_a_repeated_identifier_stops_the_page(tab: Any, tmp_path: Path) -> None:
    table = write_patients(tmp_path / "visits.csv", visits=2)
    with workbench(tmp_path, table) as served:
        state = served.settled()
        assert state["persons"]["status"] == "blocked"
        walk = Walk(tab.open(served.bench.address, "#goal"))
        walk.at("persons")  # further than that the page does not go
        assert walk.page.is_disabled("#next")
        assert json.dumps(state["persons"]["column"]).strip('"') in walk.page.inner_text(".note")
        assert walk.page.locator("input[name=way]:checked").count() == 0
        walk.look()
        walk.leave()


def test_a_title_keeps_the_focus_while_the_program_has_news(tab: Any, tmp_path: Path) -> None:
    with workbench(tmp_path, write_patients(tmp_path / "patients.csv")) as asker:
        walk = Walk(tab.open(asker.bench.address))
        walk.at("file")
        walk.go_on("persons")
        assert walk.focus() == "H1"
        asker.change(k=7)
        walk.until(lambda: "7" in walk.page.inner_text("#go-goal"))
        walk.at("persons")
        assert walk.focus() == "H1"
        walk.leave()
