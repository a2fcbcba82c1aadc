"""The page: one file, that asks for nothing, whatever people have said."""

import base64
import csv
import hashlib
import io
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from claims_kit import claiming
from veilmix.errors import StorageError
from veilmix.installation import missing
from veilmix.presentation.blocks import Page
from veilmix.report.make import make
from veilmix.report.run import page
from veilmix.report.write import html
from veilmix.scenarios.lab.play.run import run
from veilmix.scenarios.lab.validation.gallery import shipped
from veilmix.scenarios.lab.validation.load import load
from veilmix.scenarios.records.run_folder import Run, read, save

EVIL = '<script>alert("1")</script>'
ALL = '[policy]\nkind = "all"\nk = 3\nmax_exposure = 1.0'
NOISE = '[policy]\nkind = "histogram"\n[local]\nmechanism = "grr"\nepsilon = 2'


class Tags(HTMLParser):
    """Every tag of a page with its attributes, and its text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data


def files(text: str) -> dict[str, str]:
    """What may be taken away from a page, by name."""
    return {
        str(a["download"]): base64.b64decode(str(a["href"]).split(",", 1)[1]).decode()
        for tag, a in Tags(text).tags
        if tag == "a" and "download" in a
    }


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_nothing_is_asked_of_anybody(played) -> None:
    text = html(page(played(ALL, mode="real"), 0))
    tags = Tags(text).tags
    assert not [tag for tag, _ in tags if tag in ("script", "link", "img", "iframe", "object")]
    asked = [a[key] for _, a in tags for key in ("src", "href", "action", "srcset") if key in a]
    assert asked
    assert all(str(address).startswith(("#", "data:text/")) for address in asked)
    assert not [key for _, a in tags for key in a if key.startswith("on") or key == "style"]
    assert "url(" not in text
    assert "@import" not in text


def test_the_policy_allows_the_one_style_sheet_only(played) -> None:
    text = html(page(played(ALL), 0))
    policy = next(a["content"] for _, a in Tags(text).tags if a.get("http-equiv"))
    style = re.search(r"<style>(.*?)</style>", text, re.DOTALL)
    assert style is not None
    digest = base64.b64encode(hashlib.sha256(style[1].encode()).digest()).decode()
    assert policy == (
        f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    )
    assert text.count("<style>") == 1


@pytest.mark.parametrize("lines", [ALL, NOISE])
def test_what_people_say_is_never_markup(played, lines: str) -> None:
    said = [(EVIL.replace('"', "'"), "&amp;"), ("</text></svg>", "x' onload='y")] * 6
    run = played(
        lines,
        f'[[coalition]]\nname = "{EVIL.replace(chr(34), chr(39))}"\nparties = ["curator"]',
        rows=said,
        columns=("<b>one</b>", "two & more"),
        head=f"title = '{EVIL}'",
    )
    text = html(page(run, 0))
    tags = Tags(text)
    assert "script" not in {tag for tag, _ in tags.tags}
    assert "b" not in {tag for tag, _ in tags.tags}
    assert not [key for _, a in tags.tags for key in a if key == "onload"]
    assert EVIL in tags.text  # the title, as it was written
    assert text.count("<svg") == text.count("</svg>")


def test_every_picture_says_what_it_shows(played) -> None:
    text = html(page(played(ALL, mode="real"), 20))
    tags = Tags(text).tags
    names = [str(a["id"]) for _, a in tags if "id" in a]
    assert len(set(names)) == len(names)
    pictures = [a for tag, a in tags if tag == "svg"]
    assert len(pictures) >= 5
    for picture in pictures:
        assert picture["role"] == "img"
        assert set(str(picture["aria-labelledby"]).split()) <= set(names)


def test_the_numbers_can_be_taken_away(played) -> None:
    run = played(ALL, mode="real")
    downloads = files(html(page(run, 20)))
    assert [int(row["people"]) for row in rows(downloads["release.csv"])] == [12, 12]
    sets = {row["columns"]: row for row in rows(downloads["column-sets.csv"])}
    assert set(sets) == {"smokes", "team", "smokes x team"}
    assert sets["smokes x team"]["true_people"] == "0"
    assert float(sets["smokes x team"]["entropy_bits_per_person"]) == 1.0
    at = {int(row["k"]): row for row in rows(downloads["exposure.csv"])}
    assert at[3]["truth_people"] == "0"
    assert at[13]["truth_people"] == "24"
    linked = {row["coalition"]: row["linked"] for row in rows(downloads["coalitions.csv"])}
    assert linked["curator+shuffler-1+shuffler-2"] == "24"
    assert linked["curator"] == "0"
    assert {row["submissions"] for row in rows(downloads["sizes.csv"])} == {"24"}
    assert downloads["mine.toml"].startswith("[scenario]")


def test_the_same_run_gives_the_same_page(played) -> None:
    run = played(ALL, head="seed = 4")
    assert html(page(run, 0)) == html(page(run, 0))


def test_what_one_would_read_first(played) -> None:
    made = page(played(ALL, mode="real"), 0)
    answers = {answer.question: answer.short for answer in made.verdict}
    assert answers == {
        "What was released?": "smokes x team",
        "How exposed are people?": "0.0 % of people",
        "Who must be trusted?": "3 must collude, if all keep to the rules",
        "And if parties cheat?": "not measured",
        "What was decided, and why?": "release 2 columns",
    }
    assert made.verdict[4].text.endswith("Held back: nothing.")
    keys = [section.key for section in made.sections]
    assert keys == ["crowds", "decision", "found", "trust", "traffic", "repeat"]


def test_nothing_released_has_a_page_too(played) -> None:
    made = page(played("[policy]\nk = 20\nmax_exposure = 0.0"), 0)
    assert made.verdict[0].short == "nothing"
    assert made.verdict[1].short == "not at all"
    burned = page(played(ALL, "[mix]\nmin_batch = 20", "[[fault]]\nusers = 9\nattack = 'absent'"))
    assert [alert.rule for alert in burned.alerts][:1] == ["burned"]
    assert html(burned)


def test_a_run_with_faults_says_so(played) -> None:
    run = played(ALL, "[[fault]]\nusers = 2\nattack = 'malformed'", mode="real")
    part = next(section for section in page(run, 0).sections if section.key == "attacks")
    text = Tags(html(page(run, 0))).text
    assert part.title == "Attacks and defences"
    assert "malformed" in text


def test_reports_that_people_randomized(played) -> None:
    made = page(played(NOISE), 0)
    keys = [section.key for section in made.sections]
    assert keys == ["noise", "found", "trust", "repeat"]
    downloads = files(html(made))
    curve = rows(downloads["noise-benefit.csv"])
    errors = [float(row["standard_error_share"]) for row in curve]
    assert errors == sorted(errors, reverse=True)
    hidden = [float(row["average_privacy_S_mu"]) for row in curve]
    assert hidden == sorted(hidden, reverse=True)


@pytest.mark.slow
@pytest.mark.parametrize("name", shipped())
def test_a_shipped_scenario_keeps_what_it_expects_and_has_a_page(name: str, tmp_path: Path) -> None:
    """Whatever a program writes into result.json, its page can be made."""
    seed = 7 if load(name).scenario.seed is None else None
    outcome = run(name, seed, "ideal", worst_case_nodes=0)
    assert outcome.released
    assert outcome.failed == ()
    exposure = outcome.exposure
    assert exposure.true <= exposure.promised <= outcome.scenario.policy.max_exposure
    made = make(save(outcome, tmp_path), 0)
    decided = any("decided" in answer.question for answer in made.page.verdict)
    assert len(made.page.verdict) == 4 + decided
    text = made.html
    assert "None" not in re.sub(r"<pre.*?</pre>", "", text, flags=re.DOTALL)
    assert files(text)
    assert len(text.encode()) < 1_000_000


def test_a_page_without_alerts_says_that_nothing_is_to_warn_of() -> None:
    text = html(Page("calm", (), (), (), (), ""))
    assert "Nothing to warn of." in text


def test_what_is_no_run_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "notes.txt"
    file.write_text("hello", "utf-8")
    with pytest.raises(StorageError, match="no run folder"):
        make(file)


def test_without_jinja_one_is_told_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    from veilmix.errors import LocalError
    from veilmix.report import write

    write._environment.cache_clear()
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(LocalError, match=re.escape(missing("report", "a page"))):
        html(Page("", (), (), (), (), ""))
    write._environment.cache_clear()


@pytest.fixture(scope="module")
def census(tmp_path_factory: pytest.TempPathFactory) -> Path:
    outcome = run("census", 7, "ideal", worst_case_nodes=0)  # real messages take a minute
    return save(outcome, tmp_path_factory.mktemp("census"))


@pytest.mark.slow
def test_the_census_is_small(census: Path) -> None:
    """Under 1 MB."""
    made = make(census)
    assert len(made.html.encode()) < 1_000_000
    assert made.path == census / "report.html"


def test_a_changed_run_is_not_told_a_wrong_truth(played) -> None:
    """Counts that are not those of the people who were recorded: the truth is left out."""
    run: Run = played(ALL, mode="real")
    other = {name: dict(counts) for name, counts in run.result.marginals.items()}
    other["smokes"] = {"yes": 13, "no": 11}
    made = page(claiming(run, lambda data: data.update(marginals=other, release=None)), 0)
    sets = rows(files(html(made))["column-sets.csv"])
    assert {chosen["true_people"] for chosen in sets} == {""}


def test_counts_of_sets_are_drawn_with_their_limits(played) -> None:
    text = html(
        page(
            played(
                '[policy]\nkind = "incidence"\n[local]\nmechanism = "bit-flip"\nepsilon = 3',
                rows=[("a", "1"), ("a", "2"), ("b", "2"), ("c", "3"), ("c", "2")],
                columns=("owner", "element"),
            ),
            0,
        )
    )
    counts = rows(files(text)["incidence.csv"])
    assert [row["truth"] for row in counts] == ["0", "2", "0", "1"]
    assert all(float(row["low"]) <= float(row["high"]) for row in counts)
    said = Tags(text).text
    assert "In how many sets" in said
    assert "epsilon 3 nats a bit" in said
    assert "3 owners" in said
    assert "every set" in files(text)["found.csv"]


def test_who_is_found_is_a_part_of_the_page(played) -> None:
    text = html(page(played(ALL), 0))
    attacks = rows(files(text)["found.csv"])
    assert [row["knows"] for row in attacks] == ["smokes", "team", "smokes x team"]
    assert [float(row["found"]) for row in attacks] == pytest.approx([2, 2, 2])
    assert "prosecutor" in Tags(text).text
    noisy = html(page(played(NOISE), 0))
    assert "personal information entropy" in Tags(noisy).text


@pytest.mark.slow
@pytest.mark.parametrize("name", ["attack-drop", "attack-stuff"])
def test_columns_may_count_different_people(name: str, tmp_path: Path) -> None:
    """Answers were lost, or added: sets of columns are judged by what the curator decided on."""
    outcome = run(name, seed=7, worst_case_nodes=0)
    assert len({sum(counts.values()) for counts in outcome.marginals}) > 1
    text = html(page(read(save(outcome, tmp_path)), 0))
    assert rows(files(text)["column-sets.csv"])
