"""A run folder that claims something else: the same run with another result.json."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import msgspec
from veilmix.scenarios.lab.scoring.result import Result, result_type
from veilmix.scenarios.records.result_file import Run
from veilmix.scenarios.serialization.record import plain


def as_result(data: Any) -> Result:
    """What a reader makes of the plain data of result.json."""
    return msgspec.convert(data, result_type())


def claiming(run: Run, edit: Callable[[Any], object]) -> Run:
    """The run with its result.json edited, in place, as plain data."""
    data = plain(run.result)
    edit(data)
    return replace(run, result=as_result(data))


def put(path: Sequence[Any], value: Any, data: Any) -> None:
    """Write a value into plain data, at a path of keys and places."""
    for key in path[:-1]:
        data = data[key]
    data[path[-1]] = value
