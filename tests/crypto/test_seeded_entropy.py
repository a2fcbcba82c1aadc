"""Seeded entropy is one function of seed, labels and position; the system's is nobody's."""

import pickle
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from veilmix.crypto.entropy import Entropy, OSEntropy, SeededEntropy
from veilmix.errors import ParameterError

SEEDS = st.integers(0, 2**64 - 1)
LABELS = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)


@given(seed=SEEDS, cuts=st.lists(st.integers(0, 200), max_size=8))
def test_the_stream_is_the_same_however_it_is_read(seed: int, cuts: list[int]) -> None:
    source = SeededEntropy(seed)
    pieces = [source.random(n) for n in cuts]
    assert [len(p) for p in pieces] == cuts
    assert b"".join(pieces) == SeededEntropy(seed).random(sum(cuts))


@given(seed=SEEDS, first=LABELS, second=LABELS, read=st.integers(0, 300))
def test_a_fork_depends_on_key_and_label_alone(
    seed: int, first: str, second: str, read: int
) -> None:
    quiet = SeededEntropy(seed)
    expected = {label: quiet.fork(label).random(40) for label in (first, second)}
    busy = SeededEntropy(seed)
    busy.random(read)
    late = busy.fork(second)
    busy.random(1)
    early = busy.fork(first)
    assert early.random(40) == expected[first]
    assert late.random(40) == expected[second]
    assert quiet.random(read) == SeededEntropy(seed).random(read)


def test_streams_do_not_repeat() -> None:
    root = SeededEntropy(0)
    sources: list[Entropy] = [root, SeededEntropy(1), root.fork(""), root.fork("a")]
    sources += [root.fork("a").fork("b"), root.fork("b").fork("a"), root.fork("ab")]
    streams = [s.random(64) for s in sources]
    assert len(set(streams)) == len(streams)
    long = SeededEntropy(0).random(64 * 50)
    assert len({long[i : i + 64] for i in range(0, len(long), 64)}) == 50


def test_its_bytes_are_spread_evenly() -> None:
    data = SeededEntropy(12).random(256 * 400)
    counts = [data.count(bytes((b,))) for b in range(256)]
    assert sum((c - 400) ** 2 / 400 for c in counts) < 350  # chi-square, 255 degrees: p < 1e-4


def test_the_system_gives_new_bytes_and_forks_to_itself() -> None:
    source = OSEntropy()
    assert not source.seeded
    assert SeededEntropy(0).seeded
    assert len({source.random(32) for _ in range(10)} | {source.fork("a").random(32)}) == 11
    assert not source.fork("a").seeded
    assert SeededEntropy(0).fork("a").seeded
    assert source.random(0) == SeededEntropy(0).random(0) == b""


@pytest.mark.parametrize(
    ("seed", "description"),
    [(-1, "a negative one"), (2**64, "65 bits"), (1.5, "float"), (True, "bool"), ("1", "str")],
)
def test_a_bad_seed_is_a_parameter_error(seed: int, description: str) -> None:
    with pytest.raises(ParameterError, match=f"seed: got .*{description}"):
        SeededEntropy(seed)


def test_bad_arguments_are_parameter_errors() -> None:
    for source in (OSEntropy(), SeededEntropy(3)):
        with pytest.raises(ParameterError, match="n: got -1"):
            source.random(-1)
        with pytest.raises(ParameterError, match="label: got int"):
            source.fork(7)  # type: ignore[arg-type]
        with pytest.raises(ParameterError, match="lone surrogates"):
            source.fork("\ud800")


def test_it_shows_nothing_and_is_not_copied() -> None:
    source = SeededEntropy(987654321)
    assert repr(source) == str(source) == "SeededEntropy(seed hidden)"
    assert "987654321" not in f"{source.fork('x')}"
    with pytest.raises(TypeError, match="fork it"):
        pickle.dumps(source)
    assert all(a != b for a, b in pairwise([source.random(8) for _ in range(20)]))
