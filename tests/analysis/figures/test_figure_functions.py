"""Figures of papers with other parameters: numbers by other ways, frames, drawings and errors."""

import inspect
import subprocess
import sys
from collections import Counter
from importlib import import_module
from itertools import product
from math import exp, log, log2, prod
from typing import Any

import numpy as np
import pytest
from veilmix.analysis import figures
from veilmix.analysis.figures import GeneratedPeople, Redrawn, TracePeople
from veilmix.analysis.randomizers import GRR
from veilmix.analysis.reidentification import Sequences
from veilmix.cli.commands.reproduce import PAPERS
from veilmix.errors import ParameterError

# paper and figure -> the public function of the figure
FUNCTIONS = {
    ("000", "2"): "exposure_bounds_figure",
    ("000", "3"): "exposure_estimates_figure",
    ("001", "ratio"): "outcome_ratio_figure",
    ("001", "crowd"): "crowd_epsilon_figure",
    ("001", "coverage"): "noise_coverage_figure",
    ("002", "2"): "average_privacy_figure",
    ("002", "3"): "utility_privacy_figure",
    ("003", "4"): "pie_bounds_figure",
    ("003", "5"): "full_knowledge_figure",
    ("003", "6"): "training_events_figure",
    ("003", "7"): "detection_error_figure",
    ("003", "8"): "report_information_figure",
    ("003", "9"): "identification_error_figure",
    ("003", "10"): "estimation_loss_figure",
    ("003", "11"): "popular_places_figure",
    ("003", "12"): "hash_loss_figure",
    ("003", "release"): "known_columns_figure",
    ("004", "2"): "incidence_error_figure",
    ("004", "2-wifi"): "session_error_figure",
}
TABLE = np.array([[0, 0, 1], [0, 0, 1], [0, 1, 0], [1, 1, 0], [1, 0, 1], [1, 0, 1], [1, 0, 1]])
TRACES = Sequences.from_people([[0, 1, 0, 1], [2, 3, 2, 3], [4, 0, 4, 0], [1, 1, 4, 1]])
HISTORIES = Sequences.from_people([[0, 1], [1, 2], [2, 0], [3, 1]])
COUNTS = [50, 20, 10, 5, 0, 0]


def rows(figure: Redrawn, name: str = "") -> list[dict[str, Any]]:
    """The rows of a frame; of the first without a name."""
    return list(figure.frames[name or figure.numbers[0].name])


def test_every_figure_has_a_public_function() -> None:
    offered = {
        (paper, figure)
        for paper, module in PAPERS.items()
        for figure in import_module(f"veilmix.analysis.figures.{module}").PAPER.figures
    }
    assert offered == set(FUNCTIONS)
    functions = {name for name in figures.__all__ if name.endswith("_figure")}
    assert functions == set(FUNCTIONS.values())
    for name in functions:
        text = inspect.getdoc(getattr(figures, name)) or ""
        for part in ("Args:", "Returns:", "Raises:", "Source:"):
            assert f"\n{part}\n" in text, f"{name}: {part}"


@pytest.mark.process
@pytest.mark.slow
def test_the_room_imports_no_matplotlib() -> None:
    code = (
        "import sys, veilmix; room = veilmix.analysis.figures; room.exposure_bounds_figure;"
        "room.pie_bounds_figure(users=9, symbols=3, epsilons=[1.0]);"
        "print('matplotlib' in sys.modules)"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert said.stdout.strip() == "False"


def exposed(columns: list[int], k: int) -> int:
    """The people in cells of fewer than k people, by counting."""
    cells = Counter(tuple(row[columns].tolist()) for row in TABLE)
    return sum(people for people in cells.values() if people < k)


def test_exposure_of_an_own_table_is_counted() -> None:
    stages: list[str] = []
    figure = figures.exposure_bounds_figure(
        TABLE, columns=("a", "b", "c"), worst_at=(2,), points=6, nodes=2, progress=stages.append
    )
    assert stages == ["figure 2: a x b", "figure 2: a x b x c"]
    assert figure.checks == ()
    seen = set()
    for row in rows(figure, "figure2-bounds"):
        width = len(row["columns"].split(" x "))
        assert row["truth"] == exposed([*range(width)], row["k"])
        assert row["truth"] <= row["coverage"] <= row["refined"] <= row["printed"]
        if row["worst_at_least"] is not None:
            seen.add(row["k"])
            assert row["truth"] <= row["worst_at_least"] <= row["worst_at_most"] <= row["coverage"]
    assert seen == {2}
    steps = [row for row in rows(figure, "figure2-truth") if row["columns"] == "a"]
    assert [(row["k_from"], row["people"]) for row in steps] == [(1, 0), (4, 3), (5, 7)]
    assert [ax.get_title(loc="left") for ax in figure.draw().axes][:3] == [
        "single columns", "a × b", "a × b × c"
    ]  # fmt: skip


def test_columns_of_the_census_are_chosen_by_name() -> None:
    figure = figures.exposure_bounds_figure(columns=("race", "sex"), worst_at=(), points=2)
    names = {row["columns"] for row in rows(figure)}
    assert names == {"race", "sex", "race x sex"}
    assert figure.checks == ()


def test_estimates_of_two_people_are_those_of_all_databases() -> None:
    """Of 2 people: k = 2 exposes both unless they are equal, so the target is 2 p (1 - p)."""
    figure = figures.exposure_estimates_figure(p=(0.3, 0.7), n=2, simulations=4000, seed=1)
    one, two = rows(figure)
    assert (one["expected"], one["plug_in_mean"]) == (0, 0)
    assert two["expected"] == pytest.approx(2 * 0.3 * 0.7)
    assert two["plug_in_mean"] == pytest.approx(0.42, abs=0.05)
    assert figure.checks == ()
    assert "with other parameters" in figure.draw().get_suptitle()


def test_outcome_ratios_of_three_people_are_those_of_all_reports() -> None:
    q = 0.25

    def law(bits: tuple[int, ...], s: int) -> float:
        """The probability that people with these bits report s ones."""
        chances = [{bit: 1 - q, 1 - bit: q} for bit in bits]
        reports = [said for said in product((0, 1), repeat=len(bits)) if sum(said) == s]
        return sum(prod(c[x] for c, x in zip(chances, said, strict=True)) for said in reports)

    figure = figures.outcome_ratio_figure(n=3, q=q)
    for m, others in enumerate(((0, 0), (0, 1), (1, 1))):
        label = f"log ratio, {m} of 2 others have a 1"
        found = [row["log privacy ratio (nats)"] for row in rows(figure) if row["curve"] == label]
        ratios = [law((0, *others), s) / law((1, *others), s) for s in range(4)]
        assert found == pytest.approx([log(ratio) for ratio in ratios])


def test_one_person_has_no_crowd() -> None:
    figure = figures.crowd_epsilon_figure(q=0.2, delta=1e-9, sizes=(1, 50))
    curves = figure.numbers[0].rows
    alone = {str(row[0]): row[2] for row in curves if row[1] == 1}
    many = {str(row[0]): row[2] for row in curves if row[1] == 50}
    local, _, hockey = alone
    assert alone[local] == pytest.approx(log(0.8 / 0.2))
    assert many[hockey] < alone[hockey] <= alone[local] + 1e-6
    covered = figures.noise_coverage_figure(n=30, epsilons=(0.5, 2.0))
    assert {row["curve"] for row in rows(covered)} <= {"epsilon = 0.5", "epsilon = 2"}


def test_own_protocols_stand_in_the_frames() -> None:
    def mute(a: int, _epsilon: float) -> np.ndarray:
        return np.ones((1, a))  # a report that says nothing

    protocols = {"GRR": GRR, "mute": mute}
    figure = figures.average_privacy_figure(inputs=(2, 3), epsilon=1.0, protocols=protocols)
    for row in rows(figure):
        assert row["mute"] == pytest.approx(1)
        assert exp(-1) - 1e-12 <= row["GRR"] < 1
        assert row["worst_case"] == pytest.approx(exp(-1))
    assert figure.checks == ()
    figure = figures.utility_privacy_figure(a=2, epsilons=(2.0, 0.5), protocols={"GRR": GRR})
    low, high = rows(figure)
    assert (low["epsilon"], high["epsilon"]) == (0.5, 2)
    assert low["factor"] < high["factor"]
    assert low["worst_case_privacy"] == pytest.approx(exp(-0.5))
    figure.draw()


def test_bounds_of_few_people_are_in_their_order() -> None:
    figure = figures.pie_bounds_figure(users=4, symbols=3, epsilons=(2.0, 3.0))
    assert figure.checks == ()
    for row in rows(figure):
        assert row["general"] >= row["printed"] >= row["contraction"] >= row["exact"] > 0
        theta = (exp(row["epsilon"]) - 1) / (exp(row["epsilon"]) + 2)
        assert row["printed"] == pytest.approx(theta * log2(3))
    assert len(figure.draw().axes) == 1  # no small epsilon


def test_attacks_on_own_sequences() -> None:
    data = {"traces": TRACES, "histories": HISTORIES}
    figure = figures.full_knowledge_figure(**data, first=(1,))
    assert [(row["data"], row["events"]) for row in figure.numbers[0].frame] == [
        ("traces", "all"), ("traces", 1), ("ratings", "all"), ("ratings", 1)
    ]  # fmt: skip
    assert all(row["people"] == 4 and row["finite_bits"] <= 2 + 1e-9 for row in rows(figure))
    # No two people have the same moves, so that all events name each person.
    assert rows(figure)[0]["found"] == pytest.approx(1)
    figure.draw()
    figure = figures.training_events_figure(**data, trained=(2,), first=(1, 2))
    assert [row["events"] for row in rows(figure)] == [2, 1, 2]
    figure.draw()
    figure = figures.detection_error_figure(**data, trained=(1,))
    assert len(rows(figure)) == 4 * 5
    assert rows(figure, "figure7_equal_error")[-1]["attack"] == "ratings, 1 event, Markov"
    assert figure.draw().axes[0].get_title(loc="left") == "4 people, partial knowledge"


def test_information_in_reports_of_own_traces() -> None:
    """At a huge epsilon GRR reports the place itself: PIE by hand."""
    given = {"hash_values": 4, "keys": 2, "epsilons": (30.0,)}
    figure = figures.report_information_figure(TRACES, **given)
    row = rows(figure)[0]
    newer = [(0, 1), (2, 3), (4, 0), (4, 1)]
    places = Counter(place for pair in newer for place in pair)
    bits = 2 - sum(n / 8 * log2(n) for n in places.values())  # n owners of a place, alike likely
    assert row["pie"] == pytest.approx(bits)
    assert figure.checks == ()
    figure = figures.identification_error_figure(TRACES, **given)
    assert rows(figure)[0]["bayes_error"] == pytest.approx(1 - len(places) / 8)
    assert figure.draw().axes[0].get_title(loc="left") == "GRR, 4 people"


def test_estimates_of_own_counts() -> None:
    """At a huge epsilon reports are true, so no estimate is wrong."""
    figure = figures.estimation_loss_figure(COUNTS, hash_values=64, epsilons=(40.0,), top=2)
    top, whole = rows(figure)[:2]
    assert (top["top"], whole["top"]) == (2, 6)
    assert top["emp"] == pytest.approx(0, abs=1e-12)
    assert whole["invented_exact"] == 0
    figure.draw()
    popular = figures.popular_places_figure(COUNTS, epsilon=40.0, error=0.3, frequent_places=3)
    assert [row["true share"] for row in rows(popular)] == pytest.approx(
        [50 / 85, 20 / 85, 10 / 85]
    )
    assert [row["ε = 40"] for row in rows(popular)] == pytest.approx([50 / 85, 20 / 85, 10 / 85])
    popular.draw()
    hashed = figures.hash_loss_figure(COUNTS, theta=0.9, sizes=(4,), top=2)
    assert [row["g"] for row in rows(hashed)] == [16, 16, 0, 0]
    assert len(rows(hashed, "figure12_expected")) == 24
    hashed.draw()
    assert [f.checks for f in (figure, popular, hashed)] == [(), (), ()]


def test_people_found_in_an_own_table_are_the_cells_of_known_columns() -> None:
    """If all columns are released, each cell of the known columns yields one person."""
    figure = figures.known_columns_figure(TABLE, columns=("a", "b", "c"))
    found = {row["known"]: row["found"] for row in rows(figure)}
    assert len(found) == 7
    for known, people in found.items():
        places = ["abc".index(name) for name in known.split()]
        assert people == pytest.approx(len({tuple(row[places].tolist()) for row in TABLE}))
    assert figure.checks == ()
    figure.draw()


def test_errors_of_one_vector_without_noise_are_zero() -> None:
    figure = figures.incidence_error_figure(
        owners=(1, 2), positions=40, methods=("minmax",), epsilons=(30.0,), runs=2
    )
    assert [(row["n"], row["m"]) for row in rows(figure)] == [(1, 40), (2, 40)]
    assert [row["minmax"] for row in rows(figure)] == pytest.approx([0, 0], abs=1e-3)
    shown = figures.session_error_figure(
        {"three": [30, 6, 3, 1], "one": [35, 5]}, shown_title="one", shown_epsilon=30.0,
        methods=("minmax",), epsilons=(30.0,), runs=1,
    )  # fmt: skip
    estimates = [row for row in rows(shown, "figure2-wifi-estimates") if row["method"] == "em"]
    assert [row["true"] for row in estimates] == [35, 5]
    assert [row["estimate"] for row in estimates] == pytest.approx([35, 5], abs=0.1)
    assert len(shown.draw().axes) == 3


def test_frames_are_of_plain_cells() -> None:
    figure = figures.known_columns_figure(TABLE)
    frame = figure.frames["release"]
    assert frame.types["known"] is str
    assert frame.types["people"] is int
    assert frame.types["found"] is float
    assert {type(cell) for cell in frame["found"]} == {float}
    assert frame["known"][0] == "column 1"


BAD: list[tuple[str, dict[str, Any], str]] = [
    ("exposure_bounds_figure", {"table": [[0.5]]}, "table: found 2 dimensions of float64"),
    ("exposure_bounds_figure", {"table": [[0, 1]]}, "table: found 1 rows of 2 columns; needs"),
    ("exposure_bounds_figure", {"columns": ["ages"]}, "columns: found 'ages'; needs different"),
    (
        "exposure_bounds_figure",
        {"table": TABLE, "columns": ["a"]},
        r"columns: found \['a'\]; needs 3",
    ),
    ("exposure_bounds_figure", {"table": TABLE, "worst_at": [0]}, "worst_at: found 0; needs"),
    ("exposure_bounds_figure", {"table": TABLE, "nodes": -1}, "nodes: found -1"),
    ("exposure_bounds_figure", {"table": TABLE, "points": 1}, "points: found 1"),
    ("exposure_estimates_figure", {"p": [0.5, 0.4]}, "p: minimum 0.4, sum 0.9"),
    ("exposure_estimates_figure", {"simulations": 1}, "simulations: found 1"),
    ("exposure_estimates_figure", {"n": 10**6}, "n, simulations: found 1,000,000 people"),
    ("exposure_estimates_figure", {"seed": -1}, "seed: found -1; needs a whole number >= 0"),
    ("outcome_ratio_figure", {"n": 0}, "n: found 0"),
    ("crowd_epsilon_figure", {"sizes": []}, r"sizes: found \[\]; needs different"),
    ("crowd_epsilon_figure", {"delta": 2}, "delta: found 2"),
    ("noise_coverage_figure", {"epsilons": [-1]}, "epsilons: found -1; needs finite numbers > 0"),
    ("average_privacy_figure", {"inputs": [3, 2]}, r"inputs: found \[3, 2\]; needs ascending"),
    ("average_privacy_figure", {"inputs": [3]}, r"inputs: found \[3\]; needs different"),
    ("average_privacy_figure", {"protocols": {"a": 1}}, "protocols: found 'a': 1; needs"),
    ("average_privacy_figure", {"protocols": {}}, "protocols: found {}; needs"),
    ("utility_privacy_figure", {"a": 1}, "a: found 1; needs"),
    ("utility_privacy_figure", {"epsilons": [1.0]}, r"epsilons: found \[1.0\]; needs two"),
    ("pie_bounds_figure", {"users": 1}, "users: found 1"),
    ("pie_bounds_figure", {"epsilons": 2.0}, "epsilons: found 2.0; needs finite"),
    ("full_knowledge_figure", {"first": [0]}, "first: found 0"),
    ("full_knowledge_figure", {"traces": [[1]]}, r"traces: found \[\[1\]\]; needs Sequences"),
    ("full_knowledge_figure", {"generated": 3}, "generated: found 3; needs a GeneratedPeople"),
    ("training_events_figure", {"trained": [1.5]}, "trained: found 1.5"),
    (
        "detection_error_figure",
        {"histories": Sequences.from_people([[1]])},
        "histories: found one person",
    ),
    ("report_information_figure", {"hash_values": 12}, "hash_values: found 12; needs a power"),
    ("report_information_figure", {"epsilons": [31]}, "epsilons: found 31; needs .* <= 30"),
    ("report_information_figure", {"generated": 3}, "generated: found 3; needs a TracePeople"),
    ("identification_error_figure", {"keys": 1}, "keys: found 1"),
    ("identification_error_figure", {"traces": 1}, "traces: found 1; needs Sequences"),
    ("estimation_loss_figure", {"counts": [1, 2], "top": 2}, "counts: found 2 places; needs more"),
    ("estimation_loss_figure", {"users": 10**8}, "users: found 100,000,000; needs at most"),
    ("popular_places_figure", {"error": 1.0}, "error: found 1.0"),
    (
        "popular_places_figure",
        {"symbols": 20},
        "symbols: found 20 places; needs more than frequent_places",
    ),
    ("hash_loss_figure", {"theta": 0}, "theta: found 0"),
    ("hash_loss_figure", {"sizes": [31]}, "sizes: found 31; needs"),
    ("known_columns_figure", {"table": np.zeros((2, 13), int)}, "2 rows of 13 columns; needs"),
    ("incidence_error_figure", {"methods": ["x"]}, "methods: found 'x'; needs different names"),
    ("incidence_error_figure", {"positions": 21}, "positions: found 21"),
    ("incidence_error_figure", {"exponent": -1}, "exponent: found -1; needs"),
    ("incidence_error_figure", {"beta": 1.5}, "beta: found 1.5"),
    ("session_error_figure", {"sessions": {}}, "sessions: found {}; needs a dictionary"),
    ("session_error_figure", {"sessions": {"a": [3]}}, r"sessions\['a'\]: found 1 count"),
    ("session_error_figure", {"shown_title": "x"}, "shown_title: found 'x'; needs one of"),
]


@pytest.mark.parametrize(("name", "given", "said"), BAD)
def test_bad_parameters_are_named(name: str, given: dict[str, Any], said: str) -> None:
    with pytest.raises(ParameterError, match=said):
        getattr(figures, name)(**given)


def test_sizes_of_generated_people_are_checked() -> None:
    with pytest.raises(ParameterError, match="people: found 1"):
        GeneratedPeople(people=1)
    with pytest.raises(ParameterError, match="items: found 3; needs a whole number >= 4"):
        GeneratedPeople(items=3, ratings=4)
    with pytest.raises(ParameterError, match="events: found 1"):
        TracePeople(events=1)
