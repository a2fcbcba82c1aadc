"""Thresholds of authorities for the smallest equivalence class, each with its source.

The thresholds are data: thresholds.toml, beside this file in the installed package.

>>> from veilmix.own_data.thresholds import thresholds
>>> ema = thresholds()["ema-0070"]
>>> ema.k, ema.rounded_k
(12, 11)
>>> print(ema.derivation)
1/12 = 0.0833 is at most 0.09, so k = 12; 1/11 = 0.0909 is 0.09 if it is rounded, so k = 11
"""

from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from math import ceil

from ..errors import DataError
from ..strict_text import from_toml

SIGNER_TEXT = "the signer's own"


@dataclass(frozen=True, slots=True)
class AuthorityThreshold:
    """The threshold of an authority, such as a regulator, for the smallest equivalence class.

    Attributes:
        name: its name in the option `--threshold`.
        authority: name of the authority.
        states: the statement of the source, in our words.
        about: the subject of the source.
        source: the document that states the threshold.
        risk: the largest accepted probability of naming a person; None: the source states
            no probability.
        size: the smallest accepted number of people; None: no number is stated.
    """

    name: str
    authority: str
    states: str
    about: str
    source: str
    risk: float | None = None
    size: int | None = None

    @property
    def k(self) -> int | None:
        """The people in the smallest safe class; None if the source gives no number.

        It is the stated number of people, or the smallest k for which 1/k is at most the stated
        risk.
        """
        if self.size is not None or self.risk is None:
            return self.size
        return ceil(1 / self.risk - 1e-9)

    @property
    def rounded_k(self) -> int | None:
        """The smallest k for which 1/k, rounded like the stated risk, is at most that risk.

        An example: 1/11 = 0.0909 is 0.09 if it is rounded, so a risk of 0.09 gives 11. None if
        no k smaller than `k` meets the condition.
        """
        if self.risk is None or self.k is None:
            return None
        digits = len(f"{self.risk}".partition(".")[2])
        smaller = [k for k in range(1, self.k) if round(1 / k, digits) <= self.risk]
        return min(smaller, default=None)

    @property
    def derivation(self) -> str:
        """The computation of k from the stated risk, in words; "" if the source states k."""
        if self.risk is None or self.k is None:
            return ""
        text = f"1/{self.k} = {1 / self.k:.4f} is at most {self.risk:g}, so k = {self.k}"
        if (rounded := self.rounded_k) is not None:
            text += (
                f"; 1/{rounded} = {1 / rounded:.4f} is {self.risk:g} if it is rounded, so "
                f"k = {rounded}"
            )
        return text

    def in_words(self, k: int) -> str:
        """Return the authority and its accepted risk in words.

        k: the smallest class size in use, `k` or `rounded_k`; for the second the text says
        "rounded".
        """
        if self.risk is None:
            return self.authority
        rounded = ", 1/k rounded" if k == self.rounded_k else ""
        return f"{self.authority}: largest chance {self.risk:g}{rounded}"


@cache
def thresholds() -> dict[str, AuthorityThreshold]:
    """Return all thresholds by name, in the order of the file."""
    text = (files("veilmix.own_data") / "thresholds.toml").read_text("utf-8")
    return {
        name: AuthorityThreshold(
            name=name,
            authority=keys["authority"],
            states=keys["states"],
            about=keys["about"],
            source=keys["source"],
            risk=keys.get("risk"),
            size=keys.get("k"),
        )
        for name, keys in from_toml(text).items()
    }


def check_k(threshold: AuthorityThreshold, k: int | None) -> int:
    """Return the smallest class size k by an authority's threshold.

    A risk of 0.09 gives k = 12 (1/12 is at most 0.09), or 11 if 1/k is rounded to 0.09. k:
    the user's choice; None: the unrounded number. DataError for any other k, and for a
    threshold that gives no number.
    """
    if threshold.k is None:
        raise DataError(
            f"--threshold {threshold.name}: {threshold.authority} gives no number "
            f"for k ({threshold.states}); leave --threshold out; --k NUMBER is accepted, "
            "by your own choice"
        )
    accepted = [threshold.k, *([threshold.rounded_k] if threshold.rounded_k else [])]
    if k is not None and k not in accepted:
        raise DataError(
            f"--threshold {threshold.name}: found --k {k}; {' or '.join(map(str, accepted))} is "
            f"accepted ({threshold.derivation or threshold.states}), or no --threshold"
        )
    return k or threshold.k
