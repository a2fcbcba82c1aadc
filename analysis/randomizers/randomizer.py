"""The interface of a local randomizer: a matrix, an epsilon, a sampler and an unbiased estimator.

A randomizer on a inputs with b outputs is a b x a matrix Q: column x is the distribution of the
report of a person with value x (paper 002, Section 2.2). Its local epsilon is

    epsilon = max over y, x, x' of log(Q[y, x] / Q[y, x'])          nats; infinite if one is 0

The matrix is only made on request, and refused if it is large; `operator` then applies it without
making it. A family of randomizers, a subclass, implements its special properties itself: the text
of its reports, their capacity, their likelihood. No other code asks for the family.

Randomness comes from the last argument `rng`, a `numpy.random.Generator` or a seed. Every mechanism
and every component spawns its own generator from it. NumPy's global state is never touched.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from math import inf, log
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt

from ...deprecated import keeps_old
from ...errors import ParameterError
from ..validation import NO_NUMBERS, Counts, Floats, as_array, number
from .estimate import Estimate
from .expected_limits import ExpectedLimits
from .matrix_neighbours import (
    MOST_ENTRIES,
    MOST_INPUTS,
    matrix_divergences,
    matrix_neighbours,
)
from .measure import Measure
from .neighbour_laws import Neighbours, clone_neighbours
from .numerical_capacity import numerical_capacity, pairwise_contraction
from .row_numbers import check_rows
from .two_level import TwoLevel

Symbols = npt.NDArray[np.int64]
Bits = npt.NDArray[np.uint8]
Unit = Literal["nats", "bits"]
Seed = np.random.Generator | int | None

# most entries of a dense matrix, 128 MiB of float64; larger ones are refused
DENSE_ENTRIES = 1 << 24
LEAST_LIE = 1e-15  # least probability q of a wrong bit: below it, 1 - q is 1 in floating point


@keeps_old(least_error="smallest_error")
class Randomizer(ABC):
    """The base class of local randomizers: users apply them to a value before they send it.

    Inputs are the symbols 0 .. inputs - 1, which number the possible values. Row y of the matrix is
    the report that `symbols` maps to the number y.

    Attributes:
        takes_bits: whether an input and a report are rows of bits, not one symbol.
        takes_rows: whether an input is a row of values, and a report is about a single value.
        any_size: whether `contraction` is known without a matrix.
        gives_shares: whether its reports estimate the share of people with each input.
        remembers: whether people keep noise from report to report (methods `permanent` and
            `fresh`).
        finds: whether its reports reveal values that are not on a list (method `find`).
        closed_form: whether average privacy and utility are known without a matrix.
    """

    __slots__ = ()

    takes_bits: ClassVar[bool] = False
    takes_rows: ClassVar[bool] = False
    any_size: ClassVar[bool] = False
    closed_form: ClassVar[bool] = False
    gives_shares: ClassVar[bool] = True
    finds: ClassVar[bool] = False
    remembers: ClassVar[bool] = False

    @property
    @abstractmethod
    def inputs(self) -> int:
        """The number a of input symbols: the values that a person may have."""

    @property
    @abstractmethod
    def outputs(self) -> int:
        """The number b of possible reports, an exact integer however large."""

    if TYPE_CHECKING:
        # Declared for type checkers only, because `epsilon` is a field in some classes and a
        # property in the rest.
        @property
        def epsilon(self) -> float:
            """The local epsilon in nats: the largest log-ratio in a row of the matrix."""
            raise NotImplementedError

    @abstractmethod
    def _columns(self) -> Floats:
        """Return the dense matrix Q, shape (outputs, inputs); its size has been checked."""

    @abstractmethod
    def sample(self, x: npt.ArrayLike, rng: Seed = None) -> Any:
        """Return one randomized report for each person, from people's values x, shape (people,)."""

    @abstractmethod
    def estimate(self, reports: Any, *, population: bool = False) -> Estimate:
        """Return unbiased shares of people with each input symbol, with standard errors.

        population: whether the errors also count sampling these people from a large population.
        """

    def symbols(self, reports: Any) -> Symbols:
        """Return the row number of each report in the matrix, shape (people,).

        Raises a ParameterError if the matrix has more than 2^62 rows.
        """
        check_rows(self)
        return as_symbols(reports, self.outputs, "reports")

    @property
    def matrix(self) -> Floats:
        """The matrix Q: column x is the distribution of the report given the value x.

        Raises:
            ParameterError: more than 2^24 entries; use `operator`, which never forms the matrix.
        """
        if self.outputs * self.inputs > DENSE_ENTRIES:
            raise ParameterError(
                f"matrix: {_large(self.outputs)} x {self.inputs} entries; a dense matrix has at "
                f"most {DENSE_ENTRIES}; use `operator`, `sample` and `estimate` instead"
            )
        return self._columns()

    @property
    def operator(self) -> Any:
        """The matrix Q as a `scipy.sparse.linalg.LinearOperator`.

        `operator @ p` is the distribution of a report if people's values have the distribution p.
        """
        from scipy.sparse.linalg import aslinearoperator

        return aslinearoperator(self.matrix)

    def divergences(self) -> Floats:
        """Return the local epsilon of each pair of inputs, in nats, shape (inputs, inputs).

        d[x, x'] = max over y of log(Q[y, x] / Q[y, x']), with Q[y, x] the probability of report y
        for input x.
        """
        return matrix_divergences(self.matrix)

    def noise(self) -> float:
        """Return the variance of one report's estimate of a share of people.

        It is averaged over all shares, for inputs that are equally frequent.
        """
        Q = self.matrix
        inverse = np.linalg.pinv(Q)
        return float((inverse**2 @ Q.mean(axis=1)).mean() - 1 / self.inputs)

    def noise_of(self, task: str) -> float:  # noqa: ARG002 - for subclasses
        """Return the variance of one report's estimate of a kind of number.

        task: the kind of number, such as "shares", "mean" or "ranges".
        """
        return self.noise()

    # Information in a report about its sender, and the errors of an attacker.

    def capacity(self, people: int) -> tuple[float, bool]:
        """Return (nats, attained): a report's most information about which of n people sent it.

        It is the mutual information of a report and its sender, maximized over the people's values
        by iteration (`numerical_capacity.py`), for n >= 2. attained: whether some values of the
        people reach it, because n is at least the number of inputs.
        """
        matrix = self.matrix
        nats = numerical_capacity(np.asarray(matrix[matrix.max(axis=1) > 0]))
        return min(nats, log(people)), people >= self.inputs

    def contraction(self) -> float:
        """Return the contraction coefficient in [0, 1]: the strong data-processing constant.

        It is the least eta with I(U; Y) <= eta I(U; X) for every U and X, with Y the report of the
        value X and I the mutual information.

        Raises:
            ParameterError: a matrix of more than 128 inputs.
        """
        return pairwise_contraction(self.matrix)

    def smallest_error(self, people: int) -> tuple[float, bool]:  # noqa: ARG002 - for subclasses
        """Return (error, attained): the least error of naming a report's sender among n people.

        error is a probability; attained: whether an attacker reaches it exactly. Only GRR and local
        hashing have this number; other randomizers raise a ParameterError.
        """
        raise ParameterError(f"randomizer: found a {type(self).__name__}; needs GRR or LocalHash")

    @property
    def loss_parameter(self) -> float | None:
        """The parameter theta in (0, 1) of the squared error in paper 003's Theorems 4.2 and 4.4.

        It is the probability of the true reported symbol minus that of a given other symbol, for
        GRR and local hashing. None for other randomizers.
        """
        return None

    @property
    def identity_form(self) -> tuple[float, float] | None:
        """(theta, nu) if the matrix is theta times the identity plus nu; else None."""
        return None

    @property
    def two_level(self) -> TwoLevel | None:
        """The randomizer as a random set of inputs, with two likelihood ratios.

        The ratio of a report depends only on whether its set contains the input. None if the
        randomizer has no such form.
        """
        return None

    @property
    def hash_family(self) -> Any:
        """The family of hash functions that is applied to inputs; None without hashing."""
        return None

    @property
    def one_bit(self) -> float | None:
        """The probability that a report of one bit has the wrong bit.

        None if there are more than two different reports.
        """
        return None

    def neighbours(self) -> list[Neighbours]:
        """Return report distributions of pairs of values of one person, for bounds after shuffling.

        This implementation takes them from the matrix if it is small enough. Otherwise it returns
        two distributions that serve for any randomizer of the same epsilon.
        """
        neighbour_laws = matrix_neighbours(self.matrix) if self.is_readable else None
        return neighbour_laws or [clone_neighbours(self.epsilon)]

    @property
    def knows_neighbours(self) -> bool:
        """Whether the class overrides `neighbours`, because it knows its report distributions."""
        return type(self).neighbours is not Randomizer.neighbours

    @property
    def is_readable(self) -> bool:
        """Whether `neighbours` can use the matrix.

        The matrix must be small, and describe all that a person sends: a single message about a
        listed value.
        """
        whole = self.messages_per_person == 1 and not self.finds
        return whole and self.inputs <= MOST_INPUTS and self.outputs * self.inputs <= MOST_ENTRIES

    # Counts of reports, reports as text, and their likelihood.

    @property
    def positions(self) -> int:
        """The length of `support_counts`: a count for each symbol, or for each bit of a report."""
        return self.inputs

    @property
    def messages_per_person(self) -> int:
        """The number of messages that a person sends, each mixed separately."""
        return 1

    @property
    def text_width(self) -> int | None:
        """The number of characters of a report as text.

        None if a report is a value of the domain.
        """
        raise ParameterError(f"{self}: its reports cannot be written as text")

    @property
    def text_pattern(self) -> str:
        """The regular expression that every report as text matches."""
        return f"[0-9a-f]{{{self.text_width}}}"

    def encode(self, reports: Any, domain: Sequence[str]) -> list[str]:  # noqa: ARG002 - for subclasses
        """Return reports as texts of `text_width` characters.

        domain: the text of each input value; randomizers that report values of the domain use it.
        """
        raise ParameterError(f"{self}: its reports cannot be written as text")

    def decode(self, texts: Sequence[str]) -> Any:  # noqa: ARG002 - for subclasses
        """Return reports from their texts; texts with impossible numbers are left out.

        Every text must match `text_pattern`.
        """
        raise ParameterError(f"{self}: its reports cannot be written as text")

    def expected_limits(self, people: int) -> tuple[ExpectedLimits, ...]:  # noqa: ARG002
        """Return the confidence limits that each estimate has if reports come in expected numbers.

        people: the number of reports. The result is () if the limits are unknown.
        """
        return ()

    def support_counts(self, reports: Any) -> Counts:  # noqa: ARG002 - for subclasses
        """Return the number of reports that support each symbol, or have a 1 at each position.

        A report supports the symbols that are consistent with it. Estimates are made from these
        counts alone.
        """
        raise ParameterError(
            f"{self}: its reports are not counted by symbol; needs a randomizer such as GRR"
        )

    def measures(self, counts: Any, people: int) -> tuple[Measure, ...]:  # noqa: ARG002 - for subclasses
        """Return estimates other than shares, such as a mean.

        counts: the result of `support_counts`, shape (positions,). people: the number of reports.
        """
        return ()

    def find(self, reports: Any) -> Any:  # noqa: ARG002 - for subclasses
        """Return the frequent values, from reports about a domain without a list of values."""
        raise ParameterError(
            f"{self}: its reports reveal no unlisted values; needs PrefixTree, the randomizer of "
            "texts without a list"
        )

    def inputs_of(self, codes: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return people's inputs from the codes of their values in the requested columns.

        Here the input is the code in the first column; randomizers of several columns differ.

        codes: whole numbers, shape (people, columns).
        """
        return np.asarray(codes[:, 0])

    def log_likelihood(
        self,
        values: npt.NDArray[Any],  # noqa: ARG002 - for subclasses
        own: Any,  # noqa: ARG002
        rng: Seed,  # noqa: ARG002
    ) -> Floats:
        """Return log P(report | value) of simulated reports, shape (len(own), len(values)).

        Terms that depend on the report alone, and not on the value, may be left out.

        Args:
            values: the different inputs, as rows of codes.
            own: for each person that makes a report, the index in `values` of its input.
            rng: generator or seed of the reports.
        """
        raise ParameterError(
            f"{self}: the likelihood of its reports is unknown; needs a randomizer such as GRR"
        )

    def single(self) -> Randomizer:
        """Return the randomizer of one symbol or bit.

        It is this randomizer itself, unless this randomizer applies another to several bits.
        """
        return self

    def ldp(self, unit: Unit = "nats") -> float:
        """Return the local epsilon in nats or in bits."""
        if unit not in ("nats", "bits"):
            raise ParameterError(f"unit: found {unit!r}; needs 'nats' or 'bits'")
        return self.epsilon if unit == "nats" else self.epsilon / log(2)


def as_generator(rng: Seed) -> np.random.Generator:
    """Return a new random generator, spawned from a generator or a seed.

    Because it is spawned, values drawn from default_rng(7) and noise drawn with rng=7 are
    independent. Two calls with the same generator give different random numbers; two calls with the
    same seed give equal numbers. None is seeded by the operating system.
    """
    if rng is None or (
        isinstance(rng, int | np.integer) and not isinstance(rng, NO_NUMBERS) and rng >= 0
    ):
        rng = np.random.default_rng(rng)
    if not isinstance(rng, np.random.Generator):
        raise ParameterError(
            f"rng: found a {type(rng).__name__}; needs a numpy.random.Generator or a seed >= 0"
        )
    try:
        return rng.spawn(1)[0]
    except TypeError as error:
        raise ParameterError(
            "rng: found a generator without a seed sequence; needs one that can spawn, such as "
            "numpy.random.default_rng()"
        ) from error


def as_symbols(x: npt.ArrayLike, a: int, name: str = "x") -> Symbols:
    """Return `x` as int64 symbols, after a check of shape and range.

    x: a symbol in 0 .. a - 1 for each person, at least one. name: the parameter's name, with
    which the message of a ParameterError begins.
    """
    array = as_array(x, name, "one symbol for each person")
    if array.ndim != 1 or array.size == 0:
        raise ParameterError(f"{name}: shape {array.shape}; needs one symbol for each person")
    if array.dtype.kind not in "iu":
        raise ParameterError(
            f"{name}: holds {array.dtype} values; needs symbols 0 .. {_large(a)} - 1"
        )
    if array.min() < 0 or array.max() >= a:
        raise ParameterError(
            f"{name}: symbols {array.min()} .. {array.max()}; needs 0 .. {_large(a)} - 1"
        )
    return array.astype(np.int64, copy=False)


# Largest epsilon in nats in computations: above it results do not change, and the square of
# e^epsilon would overflow.
MOST_NATS = 300.0


def as_epsilon(epsilon: float) -> float:
    """Return a local epsilon in nats after a check that it is positive and finite."""
    nats = number(epsilon, "epsilon", "a finite number of nats > 0")
    if not 0 < nats < inf:
        raise ParameterError(f"epsilon: found {epsilon!r}; needs a finite number of nats > 0")
    return nats


def as_lie(q: float) -> float:
    """Return the probability q that a bit is wrong, after a check: 0 < q <= 1/2.

    At 1/2 the bit is uninformative.
    """
    lie = number(q, "q", "the probability of a wrong bit, in (0, 1/2]")
    if not 0 < lie <= 0.5:
        raise ParameterError(f"q: found {q!r}; needs the probability of a wrong bit, in (0, 1/2]")
    if lie < LEAST_LIE:
        raise ParameterError(
            f"q: found {q!r}; needs at least {LEAST_LIE:g}, because a smaller q is lost in 1 - q"
        )
    return lie


def _large(number: int) -> str:
    """Return a number for messages: its digits, or a power of two from 10^9 on."""
    return str(number) if number < 10**9 else f"2^{log(number) / log(2):.4g}"
