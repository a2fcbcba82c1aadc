"""Warnings and logs of libraries: they reach no user in the library's own words.

A warning of openpyxl or matplotlib names a file of the installation and gives the user no remedy.
Where veilmix calls such a library, `collected` keeps its warnings. The caller reads them, reports
the important part in its own words, and drops the rest. `mute` suppresses a library's log, which
Python prints even if no user has requested it. A command mutes its whole process, so that Python's
environment variables, such as PYTHONWARNINGS=error, do not change how it ends. This module imports
no other part of veilmix: any package may use it.
"""

import logging
import warnings
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collected() -> Iterator[list[str]]:
    """Collect the warnings given in a `with` block; the yielded list has their texts afterwards."""
    texts: list[str] = []
    with warnings.catch_warnings(record=True) as caught_warnings:
        warnings.simplefilter("always")
        try:
            yield texts
        finally:
            texts.extend(str(warning.message) for warning in caught_warnings)


def mute(log: str) -> None:
    """Suppress a library's log, unless the user has configured it."""
    logger = logging.getLogger(log)
    if not logger.handlers:
        logger.addHandler(logging.NullHandler())


def mute_process() -> None:
    """Suppress warnings and logs of libraries in this process.

    Settings of the user, such as the environment variable PYTHONWARNINGS=error, then do not turn a
    library's warning into an error.
    """
    warnings.simplefilter("ignore")
    logging.getLogger().addHandler(logging.NullHandler())
