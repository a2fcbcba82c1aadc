"""Parameters and attributes as tables on the pages of the API: name and meaning.

Sphinx makes a list of a section `Args:` or `Attributes:`. Types and defaults stand in the signature
above.
"""

from collections.abc import Iterator
from typing import Any

from docutils import nodes
from sphinx import addnodes

TITLES = {"Parameters": "Parameters", "Variables": "Attributes"}  # Sphinx's heading: new heading
HEADINGS = ("name", "meaning")
DASH = " \N{EN DASH} "  # separator of a name and its meaning


def tabulate(description: Any) -> None:
    """Replace the lists of parameters and attributes of one function or class by tables.

    Args:
        description: the `desc` node of Sphinx: signature and content.
    """
    for field in list(description.findall(nodes.field)):
        title = field[0].astext()
        if title not in TITLES or _owner(field) is not description:
            continue
        rows = [_row(item) for item in _items(field[1])]
        if all(rows):
            field[0].replace_self(nodes.field_name("", TITLES[title]))
            field[1].children = []
            field[1] += _table([row for row in rows if row])


def _owner(node: Any) -> Any:
    while not isinstance(node, addnodes.desc):
        node = node.parent
    return node


def _items(body: Any) -> Iterator[list[Any]]:
    """Yield the nodes of each parameter: a paragraph, and perhaps more."""
    lists = [child for child in body if isinstance(child, nodes.bullet_list)]
    if not lists:
        yield list(body.children)
        return
    for item in lists[0]:
        yield list(item.children)


def _row(item: list[Any]) -> tuple[str, list[Any]] | None:
    """Return name and meaning; None where the entry has another form."""
    if not item or not isinstance(item[0], nodes.paragraph):
        return None
    text = item[0].astext()
    name, dash, _ = text.partition(DASH)
    if not dash:
        return None
    name = name.partition(" (")[0]
    meaning = nodes.paragraph()
    after_dash = False
    for child in item[0].children:
        if after_dash:
            meaning += child.deepcopy()
        elif isinstance(child, nodes.Text) and DASH in child.astext():
            after_dash = True
            meaning += nodes.Text(child.astext().partition(DASH)[2])
    return name, [meaning, *(node.deepcopy() for node in item[1:])]


def _table(rows: list[tuple[str, list[Any]]]) -> Any:
    group = nodes.tgroup(cols=len(HEADINGS))
    for _ in HEADINGS:
        group += nodes.colspec(colwidth=1)
    group += nodes.thead("", _line([nodes.paragraph("", heading)] for heading in HEADINGS))
    body = nodes.tbody()
    for name, meaning in rows:
        body += _line([[nodes.paragraph("", "", nodes.literal(name, name))], meaning])
    group += body
    return nodes.table("", group, classes=["parameters"])


def _line(cells: Any) -> Any:
    return nodes.row("", *(nodes.entry("", *cell) for cell in cells))


def _read(_app: Any, tree: Any) -> None:
    for description in list(tree.findall(addnodes.desc)):
        tabulate(description)


def setup(app: Any) -> dict[str, bool]:
    """Sphinx: register the replacement of lists, after a page has been read."""
    app.connect("doctree-read", _read)
    return {"parallel_read_safe": True}
