"""What is a number stands where it is: bars of a feature, rows of a sweep."""

from veilmix.presentation.sections.crowds import in_order
from veilmix.report.sweep import _rank


def values(*names: str) -> list[str]:
    return [value for value, _ in in_order([(name, 1) for name in names])]


def test_bars_of_a_numeric_feature_are_in_numeric_order() -> None:
    assert values("10", "9", "2") == ["2", "9", "10"]
    assert values("60-69", "> 70", "5-9", "other") == ["5-9", "60-69", "> 70", "other"]
    assert values("2.5", "-3", "?") == ["-3", "2.5", "?"]
    assert values("male", "female") == ["male", "female"]
    assert values("1st", "3rd", "2nd") == ["1st", "3rd", "2nd"]  # words, as frequent as they are


def test_rows_of_a_sweep_are_in_the_order_of_its_keys() -> None:
    axes = {"policy.k": (2, 10), "mix.order": ("kept", "sorted")}
    points = [
        (("policy.k", 10), ("mix.order", "kept")),
        (("policy.k", 2), ("mix.order", "sorted")),
        (("policy.k", 2), ("mix.order", "kept")),
    ]
    assert sorted(points, key=lambda point: _rank(point, axes)) == points[::-1]
