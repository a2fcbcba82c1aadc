"""Tables for other libraries: the types of columns, and None as the missing value of each."""

import sys
from types import SimpleNamespace
from typing import Any

import duckdb
import numpy as np
import pytest
from veilmix import Frame
from veilmix.analysis.frames import column_cells, typed_frame
from veilmix.errors import LocalError

CELLS: dict[str, tuple[Any, ...]] = {
    "whole": (1, None, 3),
    "real": (1.5, 2, None),
    "text": ("x", None, "z"),
    'a "name"': (True, None, False),
    "A": (np.int64(1), 2, 3),
    "a": ("x", 1, None),
    "none": (None, None, None),
}
TABLE = Frame(CELLS)
EMPTY = Frame({"n": ()}, {"n": int})
TYPES = [int, float, str, bool, int, str, str]


@pytest.fixture
def without_pyarrow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)


def test_a_column_has_one_type() -> None:
    assert list(TABLE.types.values()) == TYPES
    assert Frame({"n": (None, 1)}, {"n": float}).types == {"n": float}
    assert Frame({"n": ()}).types == {"n": str}


def test_declared_types_stay_without_a_row() -> None:
    table = typed_frame({"n": int, "s": str}, [], ("n",))
    assert table.types == {"n": int, "s": str, "n (2)": str}
    assert column_cells(("n", "n"), [(1, 2)]) == {"n": (1,), "n (2)": (2,)}


@pytest.mark.usefixtures("without_pyarrow")
def test_any_consumer_of_arrow_reads_types_and_missing_cells() -> None:
    read = duckdb.sql('FROM "TABLE"')
    assert [str(kind) for kind in read.types] == [
        *("BIGINT", "DOUBLE", "VARCHAR", "BOOLEAN", "BIGINT", "VARCHAR", "VARCHAR")
    ]
    assert read.fetchall() == [
        (1, 1.5, "x", True, 1, "x", None),
        (None, 2.0, None, None, 2, "1", None),
        (3, None, "z", False, 3, None, None),
    ]
    assert read.columns[3] == 'a "name"'
    assert str(duckdb.sql("FROM EMPTY").types[0]) == "BIGINT"


def test_pyarrow_makes_the_stream_where_it_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Any] = []

    def table(columns: object, schema: object) -> object:
        made.append((columns, schema))
        return SimpleNamespace(__arrow_c_stream__=lambda asked: ("stream", asked))

    kinds = {name: (lambda name=name: name) for name in ("int64", "float64", "string", "bool_")}
    fake = SimpleNamespace(table=table, schema=list, __spec__=None, **kinds)
    monkeypatch.setitem(sys.modules, "pyarrow", fake)
    assert TABLE.__arrow_c_stream__("asked") == ("stream", "asked")
    assert made[0][0]["a"] == ["x", "1", None]
    assert [kind for _, kind in made[0][1]] == [
        *("int64", "float64", "string", "bool_", "int64", "string", "string")
    ]
    assert TABLE.to_arrow() is not None


def test_pandas_is_told_the_type_of_each_column(monkeypatch: pytest.MonkeyPatch) -> None:
    fake = SimpleNamespace(DataFrame=dict, Series=lambda cells, dtype: (cells, dtype))
    monkeypatch.setitem(sys.modules, "pandas", fake)
    table = TABLE.to_pandas()
    kinds = [kind for _, kind in table.values()]
    assert kinds == ["Int64", "Float64", "string", "boolean", "int64", "string", "string"]
    assert table["real"][0] == [1.5, 2.0, None]
    assert Frame({"t": (True,), "x": (0.5,)}).to_pandas() == {
        "t": ([True], "bool"),
        "x": ([0.5], "float64"),
    }


def test_polars_is_told_the_type_of_each_column(monkeypatch: pytest.MonkeyPatch) -> None:
    kinds = {name: name for name in ("Int64", "Float64", "String", "Boolean")}
    fake = SimpleNamespace(DataFrame=lambda data, schema: (data, schema), **kinds)
    monkeypatch.setitem(sys.modules, "polars", fake)
    data, schema = TABLE.to_polars()
    assert list(schema.values()) == [
        *("Int64", "Float64", "String", "Boolean", "Int64", "String", "String")
    ]
    assert data["A"] == [1, 2, 3]


@pytest.mark.parametrize("name", ["pandas", "polars", "arrow"])
def test_a_library_that_is_missing_is_named(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    library = "pyarrow" if name == "arrow" else name
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(LocalError, match=f"{library} is not installed here; to install it: "):
        getattr(TABLE, f"to_{name}")()


@pytest.mark.usefixtures("without_pyarrow")
def test_a_stream_says_what_it_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(LocalError, match="has no columns"):
        Frame({}).__arrow_c_stream__()
    monkeypatch.setitem(sys.modules, "duckdb", None)
    with pytest.raises(LocalError, match="needs pyarrow or duckdb; to install duckdb: "):
        TABLE.__arrow_c_stream__()
