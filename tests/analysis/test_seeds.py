"""Seeds that NumPy would take, and analysis does not."""

import numpy as np
import pytest
from veilmix.analysis.validation import as_rng
from veilmix.errors import ParameterError


@pytest.mark.parametrize("seed", [np.timedelta64(3, "ns"), np.array([3], "timedelta64[ns]")])
def test_a_duration_is_no_seed(seed: object) -> None:
    with pytest.raises(ParameterError, match=r"rng: found .*; needs a numpy\.random"):
        as_rng(seed)
