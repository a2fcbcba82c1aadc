"""The regulators' questions about a table, asked on another core while its sets are counted."""

from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from threading import Thread

import numpy as np
from numpy.typing import NDArray

from ..exposure.persons import Persons
from ..release_risks import TableColumns, TableRisks, table_risks

LARGE = 2_000_000  # cells of a table from which two cores win more than they lose by sharing Python


def asked_questions(
    codes: NDArray[np.integer], column_roles: TableColumns, persons: Persons | None
) -> Callable[[], TableRisks]:
    """The answers to the regulators' questions; of a large table they are sought at once."""
    answer: Callable[[], TableRisks] = partial(table_risks, codes, column_roles, persons)
    return _start_parallel(answer) if codes.size >= LARGE else answer


def _start_parallel(call: Callable[[], TableRisks]) -> Callable[[], TableRisks]:
    """Start a call in a thread; the returned function waits for its result, or raises its error.

    The thread is a daemon: a process that gives up ends without waiting for it.
    """
    risks = Future[TableRisks]()

    def run() -> None:
        try:
            risks.set_result(call())
        except BaseException as wrong:
            risks.set_exception(wrong)

    Thread(target=run, daemon=True).start()
    return risks.result
