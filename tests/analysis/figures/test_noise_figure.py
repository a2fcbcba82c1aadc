"""Pictures of randomized runs show the numbers of result.json, whatever names there are."""

import copy
from typing import Any

import pytest
from veilmix.analysis.figures import randomized as noise_figure
from veilmix.scenarios.lab.play.run import run
from veilmix.scenarios.lab.validation.load import loads


def local(mechanism: str, more: str = "") -> Any:
    chosen = loads(
        '[scenario]\nname = "s"\n[population]\nsource = "builtin:blood-type"\nusers = 20\n'
        f'[policy]\nkind = "histogram"\n[local]\nmechanism = "{mechanism}"\nepsilon = 3\n{more}'
    )
    return run(chosen, 5, "ideal").result()["findings"]


@pytest.fixture(scope="module")
def composed() -> Any:
    return local("grr")


@pytest.mark.slow
def test_every_epsilon_is_in_the_table(composed: Any) -> None:
    known = list(noise_figure.epsilons(composed))
    kinds = [(whose, kind) for whose, kind, *_ in known]
    each, whole = "each of 3 features", "all features"
    assert kinds == [
        (whole, "hockey-stick"), (whole, "probabilistic"), (whole, "local"),
        (each, "hockey-stick"), (each, "probabilistic"), ("one feature", "local"),
    ]  # fmt: skip
    privacy = composed["privacy"]
    assert known[0][3] == privacy["together"]["hockey_stick"]
    assert known[4][3] == privacy["shuffled"][0]["probabilistic"]
    assert (known[2][3], known[5][3]) == (3, 1)


@pytest.mark.slow
def test_estimates_are_drawn_where_they_are(composed: Any) -> None:
    figure = noise_figure.draw_estimates(composed)
    assert len(figure.axes) == 3
    truth = next(line for line in figure.axes[2].lines if line.get_label() == "truth")
    assert list(truth.get_xdata()) == composed["features"][2]["truth"]  # type: ignore[arg-type]
    (table,) = noise_figure.figures(composed)[0].numbers
    assert [row[2] for row in table.rows[:2]] == composed["features"][0]["unbiased"]
    assert len(table.rows) == 6


@pytest.mark.slow
def test_awkward_names_many_values_and_many_features_are_drawn(composed: Any) -> None:
    wide = copy.deepcopy(composed)
    first = wide["features"][0]
    first["feature"] = "$x$ " * 20
    for name in ("values", "unbiased", "standard_error", "low_95", "high_95", "projected", "truth"):
        first[name] = first[name] * 20
    wide["features"] *= 5
    figure = noise_figure.draw_estimates(wide)
    assert len(figure.axes) == noise_figure.FEATURES
    assert "the 12 largest of 40" in figure.axes[0].get_title(loc="left")
    figure.canvas.draw()


@pytest.mark.slow
def test_bounds_far_apart_and_no_bounds_are_drawn() -> None:
    bits = local("bit-flip")
    whose, kind, low, high, *_ = list(noise_figure.epsilons(bits))[1]
    assert (whose, kind) == ("A+B+Rh", "hockey-stick")
    assert low < high
    bits["privacy"]["shuffled"] = []
    for figure in noise_figure.figures(bits):
        figure.draw().canvas.draw()


def test_nothing_is_drawn_where_nothing_was_read() -> None:
    assert noise_figure.figures({"features": []}) == []
