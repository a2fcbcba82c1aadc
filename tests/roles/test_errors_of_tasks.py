"""What several tasks of a session raise at once is one error where it is one thing."""

import pytest
from veilmix.errors import ParameterError, StorageError
from veilmix.roles.session import only


def group(*errors: BaseException) -> BaseExceptionGroup[BaseException]:
    return BaseExceptionGroup("of a nursery", list(errors))


def test_a_full_disk_that_two_tasks_meet_is_one_error() -> None:
    first, second = StorageError("journal: make room"), StorageError("journal: make room")
    found = only(group(first, group(second)))
    assert type(found) is StorageError
    assert str(found) == "journal: make room"


@pytest.mark.parametrize("other", [StorageError("log: make room"), ParameterError("make room")])
def test_two_different_errors_stay_two(other: Exception) -> None:
    both = group(StorageError("make room"), other)
    assert only(both) is both


def test_an_interrupt_comes_first() -> None:
    stop = KeyboardInterrupt()
    assert only(group(StorageError("make room"), group(stop))) is stop


def test_two_faults_of_our_own_stay_two_though_they_say_the_same() -> None:
    both = group(KeyError("row"), KeyError("row"))
    assert only(both) is both
