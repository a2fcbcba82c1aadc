"""Alerts about the release follow from the printed release alone, in every program."""

import csv
import io
import re
from collections import Counter
from collections.abc import Callable
from math import prod
from pathlib import Path

import pytest
from veilmix.presentation.blocks import Alert
from veilmix.presentation.sections import exposure_alerts
from veilmix.presentation.sections.alerts import alerts
from veilmix.presentation.sections.run_facts import gather
from veilmix.scenarios.programs.capabilities import LocalNoise, ThresholdOpening
from veilmix.scenarios.programs.registry import PROGRAMS
from veilmix.scenarios.records.result_file import Run

K = 4
LEVELS = {"serious", "warning", "note"}
NO = " blank"  # a value that is left blank, as release.csv has it
ROWS = [
    *[("yes", "red", "a"), ("yes", "blue", "a"), ("no", "blue", "b")] * 5,
    *[("yes", "red", "b")] * 2,
    *[("often", "red", "a"), ("never", "green", "b")],
]
ALIKE = [("yes", team, unit) for _, team, unit in ROWS]
POLICIES: dict[str, str] = {
    "exposure": "max_exposure = 0.9",
    "fixed": 'keep = ["smokes", "unit"]',
    "hierarchical": "max_exposure = 0.9",
    "local-suppression": "max_exposure = 0.9\ndelta = 0.3",
    "all": "max_exposure = 0.1",
    "pairs": "max_exposure = 0.9",
    "informative": "max_exposure = 0.9",
    "threshold": "",
    "threshold prefixes": "prefixes = true",
    "threshold, all published": 'close = "none"',
    "threshold, all published, prefixes": 'close = "none"\nprefixes = true',
}
PEOPLE: dict[str, list[tuple[str, str, str]]] = {
    "some rare": ROWS,
    "one column alike": ALIKE,
    "all equal": [("yes", "red", "a")] * 6,
    "few": ROWS[-6:],
}
LEFT = '[[fault]]\nattack = "absent"\nby = "user-1"\nround = {}\n[defence]\nmin_dropout = 1'
BATCH = "[mix]\nmin_batch = 2"
Played = Callable[..., Run]


def printed(run: Run) -> tuple[list[str], list[tuple[list[str], int]]]:
    """Columns and cells of release.csv."""
    assert run.release_text is not None
    header, *lines = csv.reader(io.StringIO(run.release_text))
    return header[:-1], [(line[:-1], int(line[-1])) for line in lines]


def counts(run: Run) -> dict[str, Counter[str]]:
    """People by value of each column of release.csv."""
    columns, cells = printed(run)
    found: dict[str, Counter[str]] = {name: Counter() for name in columns}
    for cell, people in cells:
        for name, value in zip(columns, cell, strict=True):
            found[name][value] += people
    return found


def spelt(value: str) -> str:
    return "blank" if value == NO else repr(value)


def of_rule(found: tuple[Alert, ...], rule: str) -> list[Alert]:
    return [alert for alert in found if alert.rule == rule]


def check_rare(run: Run, found: tuple[Alert, ...]) -> None:
    rare = {
        name: {spelt(value): people for value, people in count.items() if people < K}
        for name, count in counts(run).items()
    }
    said: dict[str, dict[str, int]] = {}
    for alert in of_rule(found, "rare"):
        match = re.match(r"The release shows (.*): \d", alert.text)
        assert bool(match) == (alert.level == "serious")
        if match:
            column = re.search(r" of (\w+) held by", alert.title)
            assert column
            pairs = re.findall(r"('[^']*'|blank) \((\d+)\)", match[1])
            said[column[1]] = {value: int(people) for value, people in pairs}
    assert said == {name: values for name, values in rare.items() if values}


def check_crowds(run: Run, found: tuple[Alert, ...]) -> None:
    _, cells = printed(run)
    small = sum(people for _, people in cells if people < K)
    if PROGRAMS[run.scenario.policy.kind].capability(ThresholdOpening):
        check_excluded(run, found)
        return
    said = [int(alert.title.split()[0]) for alert in of_rule(found, "exposed")]
    assert said == ([small] if small else [])


def check_excluded(run: Run, found: tuple[Alert, ...]) -> None:
    """Blanks too few to hide, or so many that each closed value holds somebody."""
    columns, cells = printed(run)
    policy, known = run.scenario.policy, 0
    sizes = run.sizes
    stops: Counter[tuple[str, ...]] = Counter()
    for cell, people in cells:
        if NO in cell:
            stops[tuple(cell[: cell.index(NO)]) if policy.prefixes else ()] += people
    for before, blank in stops.items():
        at = len(before)
        ends = {tuple(cell[: at + 1]) for cell, _ in cells if cell[at] != NO}
        behind = {end for end in ends if end[:-1] == before}
        whole = {tuple(cell) for cell, _ in cells if NO not in cell}
        open_ = len(behind) if policy.prefixes else len(whole)
        left = (sizes[at] if policy.prefixes else prod(sizes)) - open_
        small = blank < K and bool(open_ or before)
        if policy.close == "published":
            known += blank if small or (not open_ and left == 2 and blank == K) else 0
        else:
            full = blank > (K - 1) * (left - 1) and not (left == 1 and not open_ and not before)
            known += blank if small or full else 0
    said = [int(alert.title.split()[0]) for alert in of_rule(found, "excluded")]
    assert said == ([known] if known else [])
    assert len(columns) == len(sizes)


def check_unanimous(run: Run, found: tuple[Alert, ...]) -> None:
    alike = {name for name, count in counts(run).items() if len(count) == 1 and NO not in count}
    said = {
        alert.title.split()[-1]
        for alert in of_rule(found, "unanimous")
        if "whoever reads the release" in alert.text
    }
    assert said == alike


def check_follows(run: Run, found: tuple[Alert, ...]) -> None:
    """People of whom one printed value follows from another one that differs between people."""
    columns, cells = printed(run)
    varied = [name for name, count in counts(run).items() if len(count) > 1]
    places = {name: columns.index(name) for name in varied}
    followers = 0
    for cell, people in cells:
        followers += people * any(
            NO not in counts(run)[known]
            and cell[places[learnt]] != NO
            and {
                other[places[learnt]]
                for other, _ in cells
                if other[places[known]] == cell[places[known]]
            }
            == {cell[places[learnt]]}
            for known in varied
            for learnt in varied
            if known != learnt
        )
    said = [int(alert.title.split()[0]) for alert in of_rule(found, "follows")]
    assert said == ([followers] if followers else [])


def check_named(run: Run, found: tuple[Alert, ...]) -> None:
    """Attackers who know columns of the release that hide nothing: one row a cell of one person."""
    columns, cells = printed(run)
    plain = {name for name, count in counts(run).items() if NO not in count}
    for alert in of_rule(found, "named"):
        knows = alert.text.removeprefix("Who knows ").split(" of everybody")[0].split(", ")
        if set(knows) <= plain:
            crowds: Counter[tuple[str, ...]] = Counter()
            for cell, people in cells:
                crowds[tuple(cell[columns.index(name)] for name in knows)] += people
            alone = sum(people == 1 for people in crowds.values())
            assert alert.title.startswith(f"{alone} pe")
        learnt = r"learns their (.*?)(, where their rows do not leave it blank)?\."
        new = re.search(learnt, alert.text)
        assert new
        assert set(new[1].split(", ")) <= {
            name for name, count in counts(run).items() if set(count) != {NO}
        } - set(knows)
        assert bool(new[2]) == any(NO in counts(run)[name] for name in new[1].split(", "))


def check_promises(run: Run, found: tuple[Alert, ...]) -> None:
    """What is promised is a line of result.json: the alerts say no other number."""
    exposure, most = run.result.exposure, run.scenario.policy.max_exposure
    assert bool(of_rule(found, "broken")) == (exposure.true > exposure.promised)
    assert bool(of_rule(found, "above-target")) == (exposure.promised > most)
    assert bool(of_rule(found, "vacuous")) == (exposure.promised >= 1)


CHECKED = (
    *(check_rare, check_crowds, check_unanimous, check_follows, check_named, check_promises),
)
RULES = {  # of the alerts about people in the release, each in one of the checks above
    *("rare", "exposed", "excluded", "unanimous", "follows", "named"),
    *("broken", "above-target", "vacuous"),
}


def test_every_alert_about_people_in_the_release_is_recomputed() -> None:
    source = Path(exposure_alerts.__file__).read_text("utf-8")
    assert set(re.findall(r'^            "([a-z-]+)",$', source, re.MULTILINE)) - LEVELS == RULES


def judge(run: Run) -> None:
    found = alerts(gather(run, 0))
    if run.result.release is None:
        about = {"exposed", "named", "broken", "above-target", "vacuous"}
        assert not about & {alert.rule for alert in found}
        assert not [alert for alert in of_rule(found, "rare") if alert.level == "serious"]
        return
    for check in CHECKED:
        check(run, found)


def test_every_program_that_releases_values_is_judged() -> None:
    wanted = {kind for kind, program in PROGRAMS.items() if not program.capability(LocalNoise)}
    assert {name.split()[0].rstrip(",") for name in POLICIES} == wanted


@pytest.mark.parametrize("name", POLICIES)
@pytest.mark.parametrize("people", PEOPLE)
@pytest.mark.parametrize("left", [False, True], ids=["all stay", "one leaves"])
def test_alerts_follow_from_the_printed_release(
    name: str, people: str, left: bool, played: Played
) -> None:
    kind, rows = name.split(maxsplit=1)[0].rstrip(","), PEOPLE[people]
    policy = f'[policy]\nkind = "{kind}"\nk = {K}\n{POLICIES[name]}'
    number = 1 if PROGRAMS[kind].capability(ThresholdOpening) else 2
    fault = LEFT.format(number) if left else ""
    columns = ("smokes", "team", "unit")
    judge(played(policy, BATCH, fault, rows=rows, columns=columns, head="seed = 5"))


def test_a_value_that_is_left_blank_is_not_shown(played: Played) -> None:
    """Before, `The release shows 'never' (1)`: of the counts that the curator read."""
    policy = f'[policy]\nkind = "local-suppression"\nk = {K}\nmax_exposure = 0.9\ndelta = 0.3'
    run = played(policy, rows=ROWS, columns=("smokes", "team", "unit"), head="seed = 5")
    assert run.release_text is not None
    assert "never" not in run.release_text
    (note,) = [
        alert for alert in of_rule(alerts(gather(run, 0)), "rare") if "'never'" in alert.text
    ]
    assert (note.level, note.text.split(" 'never'")[0]) == (
        "note",
        "The curator read, and did not release,",
    )
