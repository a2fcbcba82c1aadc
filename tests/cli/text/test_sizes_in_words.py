"""Words and figures that every page writes the same way."""

import pytest
from veilmix.number_text import size


@pytest.mark.parametrize(
    ("count", "written"),
    [
        (0, "0 bytes"),
        (999, "999 bytes"),
        (1_721, "1.72 kB"),
        (99_449, "99.4 kB"),
        (999_499, "999 kB"),
        (999_600, "1 MB"),  # not 1e+03 kB
        (80_000_000_045, "80 GB"),
        (1e30, "1,000,000,000 ZB"),
    ],
)
def test_bytes_are_written_with_three_digits_and_a_unit(count: float, written: str) -> None:
    assert size(count) == written
