"""What is chosen on the page arrives at the program, and what is refused can be mended."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from workbench_server import Asker, workbench
from workbench_walk import Walk, write_patients

pytestmark = pytest.mark.slow


@pytest.fixture
def asker(tmp_path: Path) -> Iterator[Asker]:
    """A server with a table."""
    with workbench(tmp_path, write_patients(tmp_path / "patients.csv")) as served:
        served.settled()
        yield served


class Chooser(Walk):
    """A person who changes options, and sees that the program has them."""

    def __init__(self, tab: Any, asker: Asker, step: str) -> None:
        super().__init__(tab.open(asker.bench.address, f"#{step}"))
        self.asker = asker
        self.at(step)

    def has(self, name: str, wanted: Any) -> None:
        """Wait until an option has a value, and the page shows the state with it."""
        self.until(lambda: self.values().get(name) == wanted)
        self.asker.settled()
        self.page.wait_for_selector("[aria-busy], #work", state="detached")

    def values(self) -> dict[str, Any]:
        """The options of the program."""
        return {option["name"]: option["value"] for option in self.asker.state()["options"]}

    def type(self, field: str, text: str) -> None:
        """Type into a field, and leave it."""
        self.page.fill(field, text)
        self.press("Tab")


def test_columns_have_roles_or_are_left_out(tab: Any, asker: Asker) -> None:
    person = Chooser(tab, asker, "columns")
    person.page.select_option("#role-5", "-")
    person.has("columns", ["patient", "name", "sex", "age", "zip"])
    person.page.select_option("#role-5", "sensitive")
    person.has("columns", None)
    assert person.values()["roles"] == {"diagnosis": "sensitive"}
    person.page.click("#agree")
    person.page.wait_for_selector("#agree", state="detached")
    assert set(person.values()["roles"]) == {"patient", "name", "sex", "age", "zip", "diagnosis"}
    person.page.click("#more-columns > summary")
    person.page.check("#option-keep-3")
    person.has("keep", ["age"])
    person.leave()


def test_a_change_that_leaves_no_table_is_undone(tab: Any, asker: Asker) -> None:
    person = Chooser(tab, asker, "file")
    person.page.select_option("#option-separator", '"|"')
    person.page.wait_for_selector(".wrong #undo")
    assert person.page.is_disabled("#next")
    person.look()
    person.page.click("#undo")
    person.has("separator", None)
    person.page.wait_for_selector("#preview")
    person.leave()


def test_what_is_being_typed_outlives_a_drawing(tab: Any, asker: Asker) -> None:
    person = Chooser(tab, asker, "goal")
    person.tab_to("option-k")
    person.press("Control+a", "7")
    asker.change(max_exposure=0.03)  # from another tab: the page is drawn again
    person.until(lambda: person.page.input_value("#option-max_exposure") == "3 %")
    assert person.page.input_value("#option-k") == "7"
    assert person.focus() == "option-k"
    person.press("Tab")
    person.has("k", 7)
    person.leave()


def test_a_wrong_rule_is_mended_where_it_was_written(tab: Any, asker: Asker) -> None:
    person = Chooser(tab, asker, "columns")
    person.page.click("#more-columns > summary")
    person.type("#option-coarsen", 'sex.fold=["case","space"], age.bins.width=10')
    person.page.wait_for_selector("#step .wrong")
    assert "spaces" in person.page.inner_text(".wrong")
    person.look()
    person.type("#option-coarsen", 'sex.fold=["case","spaces"], age.bins.width=10')
    person.page.wait_for_selector("#columns")
    person.has("coarsen", ['sex.fold=["case","spaces"]', "age.bins.width=10"])
    person.leave()


def test_the_goal_has_a_number_for_each_column(tab: Any, asker: Asker) -> None:
    asker.change(roles={"zip": "sensitive", "diagnosis": "sensitive"})
    person = Chooser(tab, asker, "goal")
    person.type("#option-l-0", "2")
    person.has("l", {"zip": 2})
    person.type("#option-l-1", "3")
    person.has("l", {"zip": 2, "diagnosis": 3})
    person.type("#option-l-0", "")
    person.has("l", {"diagnosis": 3})
    person.type("#option-max_exposure", "2,5")
    person.has("max_exposure", 0.025)
    person.page.click("#more-goal > summary")
    person.page.select_option("#option-importance-column", "age")
    person.type("#option-importance-value", "2.5")
    person.has("importance", {"age": 2.5})
    person.page.click("#option-importance-away-0")
    person.has("importance", {})
    person.page.check("#preset-1")
    person.page.wait_for_selector("#preset-1:checked")
    person.has("k", asker.state()["goal"]["presets"][1]["set"]["k"])
    person.leave()


def test_a_file_is_replaced_only_if_that_is_said(tab: Any, asker: Asker, tmp_path: Path) -> None:
    person = Chooser(tab, asker, "result")
    person.page.click("#save > summary")
    first = tmp_path / "first.csv"
    person.page.fill("#save-table", str(first))
    person.page.click("#save-go-table")
    person.page.wait_for_selector("#saved")
    assert person.page.input_value("#save-table") == str(first)
    place = tmp_path / "mine.csv"
    place.write_text("mine", "utf-8")
    person.page.fill("#save-table", str(place))
    person.page.click("#save-go-table")
    person.page.wait_for_selector("#refused")
    assert place.read_text("utf-8") == "mine"
    assert "409" in tab.complaints.pop()
    person.page.check("#replace-table")
    person.page.click("#save-go-table")
    person.page.wait_for_selector("#saved")
    assert place.read_bytes() == first.read_bytes()
    person.leave()


def test_counts_are_made_by_keys_alone(tab: Any, asker: Asker) -> None:
    person = Chooser(tab, asker, "result")
    person.tab_to("place-counts", inside="summary")
    person.press("Enter")
    person.tab_to("counts-column-0")
    person.press("Space")
    person.tab_to("counts-column-3")
    person.press("Space")
    person.tab_to("counts-add")
    person.press("Enter")
    person.has("counts_tables", ["sex,diagnosis"])
    assert person.focus() == "counts-add"
    person.page.wait_for_selector("#place-counts table")
    person.look()
    person.tab_to("option-counts_k")
    person.press("9", "Tab")
    person.has("counts_k", 9)
    person.tab_to("further-counts_table")
    with person.page.expect_download() as download:
        person.press("Enter")
    assert download.value.suggested_filename == "patients-counts.csv"
    data = Path(download.value.path()).read_bytes()
    assert data == asker.ask("GET", "further/counts/counts_table")[1]
    person.page.click("#counts-away-0")
    person.has("counts_tables", [])
    assert person.page.locator("#place-counts table").count() == 0
    person.leave()


def test_the_file_is_scored_with_the_options_of_the_command(tab: Any, asker: Asker) -> None:
    person = Chooser(tab, asker, "result")
    person.page.click("#place-scored > summary")
    person.page.click("#more-scored > summary")
    person.page.select_option("#option-missing", '"wildcard"')
    person.has("missing", "wildcard")
    person.page.select_option("#option-score_figure", '"svg"')
    person.has("score_figure", "svg")
    person.type("#option-population_factor", "2.5")
    person.has("population_factor", 2.5)
    person.type("#option-population_factor", "")
    person.has("population_factor", 1)
    person.page.click("#scored")
    person.page.wait_for_selector("#place-scored img")
    drawn = "document.querySelector('#place-scored img').naturalWidth > 0"
    person.until(lambda: person.page.evaluate(drawn))
    assert "--missing wildcard" in asker.state()["command"][0]
    person.look()
    asker.settled()
    assert "scored = true" in asker.state()["session"]
    person.page.click("#scored")
    person.page.wait_for_selector("#place-scored img", state="detached")
    assert "scored = true" not in asker.state()["session"]
    person.leave()


def test_another_file_and_earlier_advice_are_handed_in(
    tab: Any, asker: Asker, tmp_path: Path
) -> None:
    asker.change(roles={"diagnosis": "quasi"}, max_exposure=0.05)
    (tmp_path / "advice.json").write_bytes(asker.ask("GET", "advice")[1])
    person = Chooser(tab, asker, "result")
    person.page.click("#place-judged > summary")
    person.page.set_input_files("#option-release-file", tmp_path / "patients.csv")
    person.has("release", "patients.csv")
    person.page.wait_for_selector("#place-judged table")
    person.look()
    person.page.click("#option-release-away")
    person.has("release", None)
    person.type("#option-release-path", str(tmp_path / "patients.csv"))
    person.has("release", str(tmp_path / "patients.csv"))
    person.page.click("#go-goal")
    person.at("goal")
    person.page.set_input_files("#option-like-file", tmp_path / "advice.json")
    person.has("like", "advice.json")
    assert person.page.input_value("#option-max_exposure") == "5 %"
    person.look()
    person.page.click("#next")
    person.at("choices")
    assert person.page.locator("[role=radio]").count() == 1
    person.leave()


def test_a_file_is_released_with_figure_and_scenario(tab: Any, asker: Asker) -> None:
    asker.change(roles={"diagnosis": "quasi"}, max_exposure=0.05)
    person = Chooser(tab, asker, "result")
    person.page.click("#more-result > summary")
    person.page.select_option("#option-advise_figure", '"svg"')
    person.has("advise_figure", "svg")
    person.page.select_option("#option-advise_write", '"toml"')
    person.has("advise_write", "toml")
    for what, name in (
        ("advice", "patients-advice.json"),
        ("figure", "patients-choices.svg"),
        ("scenario", "patients.toml"),
    ):
        with person.page.expect_download() as download:
            person.page.click(f"#{what}")
        assert download.value.suggested_filename == name
        assert Path(download.value.path()).read_bytes() == asker.ask("GET", what)[1]
    asker.change(suppress=0.3, k=9)
    assert "rows are suppressed" in " ".join(
        warning["text"] for warning in asker.state()["result"]["warnings"]
    )
    person.leave()
