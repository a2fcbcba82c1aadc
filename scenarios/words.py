"""How numbers are written for people, wherever they are written: shares, and numbers of things."""


def percent(share: float) -> str:
    """Write a share; never 0 for what is not nothing, nor 100 for what is not all."""
    digits = 1
    while share not in (0, 1) and digits < 6 and round(100 * share, digits) in (0, 100):
        digits += 1
    return f"{100 * share:.{digits}f} %"


def many(number: int, noun: str, plural: str | None = None) -> str:
    """Write a number with its noun."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def plus_minus(mean: float, half: float, unit: str) -> str:
    """Write a mean and half the width of its interval; a share as percent."""
    if unit.startswith("share"):
        return f"{100 * mean:.3g} +- {100 * half:.2g} %" if half else percent(mean)
    return f"{mean:,.4g}" + (f" +- {half:.2g}" if half else "")
