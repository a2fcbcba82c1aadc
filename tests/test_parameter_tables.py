"""Pages of the API: parameters and attributes stand in tables, and types of arrays are short."""

import parameter_tables
import plain_docstrings
from docutils import nodes
from sphinx import addnodes

ARRAY_LIKE = (
    "~numpy._typing._array_like._Buffer"
    " | ~numpy._typing._array_like._SupportsArray[~numpy.dtype[~typing.Any]]"
    " | ~numpy._typing._nested_sequence._NestedSequence["
    "~numpy._typing._array_like._SupportsArray[~numpy.dtype[~typing.Any]]]"
    " | complex | bytes | str"
    " | ~numpy._typing._nested_sequence._NestedSequence[complex | bytes | str]"
)


def described(*names: str) -> addnodes.desc:
    """A function of the API as Sphinx describes it: signature, and a list of parameters."""
    items = [
        nodes.list_item(
            "",
            nodes.paragraph(
                "", "", addnodes.literal_strong(name, name), nodes.Text(f" \u2013 of {name}")
            ),
            nodes.paragraph("", f"more of {name}"),
        )
        for name in names
    ]
    field = nodes.field(
        "", nodes.field_name("", "Parameters"), nodes.field_body("", nodes.bullet_list("", *items))
    )
    content = addnodes.desc_content("", nodes.field_list("", field))
    return addnodes.desc("", addnodes.desc_signature("f", ""), content)


def test_parameters_become_a_table() -> None:
    description = described("k", "n")
    parameter_tables.tabulate(description)
    rows = list(description.findall(nodes.row))
    assert [[cell.astext() for cell in row] for row in rows] == [
        ["name", "meaning"],
        ["k", "of k\n\nmore of k"],
        ["n", "of n\n\nmore of n"],
    ]


def test_a_list_of_another_form_is_left_alone() -> None:
    description = described("k")
    (paragraph, *_) = description.findall(nodes.paragraph)
    paragraph.children = [nodes.Text("no name")]
    parameter_tables.tabulate(description)
    assert not list(description.findall(nodes.table))


def test_types_of_arrays_have_the_names_by_which_they_were_written() -> None:
    answer = "~numpy.ndarray[tuple[~typing.Any, ...], ~numpy.dtype[~numpy.float64]]"
    assert plain_docstrings.shortened(f"(x: {ARRAY_LIKE}) -> {answer}") == (
        "(x: ArrayLike) -> NDArray[float64]"
    )
    plain = ARRAY_LIKE
    for module in ("~numpy._typing._array_like.", "~numpy._typing._nested_sequence.", "~numpy."):
        plain = plain.replace(module, "")
    assert plain_docstrings.shortened(plain.replace("~typing.", "")) == "ArrayLike"


def test_attributes_are_a_section() -> None:
    lines = ["A bound.", "", "Attributes:", "    k: an integer.", "    x_y: a share."]
    assert plain_docstrings.rewritten(lines) == [
        *lines[:3],
        "    k: an integer.",
        r"    x\_y: a share.",
    ]
