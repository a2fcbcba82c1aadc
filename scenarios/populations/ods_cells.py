"""Merged and repeated cells of an OpenDocument sheet, read from its XML as a stream.

A few bytes of XML may repeat a cell millions of times, and the library python-calamine expands all
repeats in memory. So the cells are counted before it opens the file. XML entities are refused.
"""

from xml.parsers import expat
from zipfile import ZipFile

from ...errors import DataError
from ..serialization.content import PIECE, Content
from .sheet_rows import Merged

PART = "content.xml"
MOST_CELLS = 50_000_000
MANIFEST = "META-INF/manifest.xml"


def cells_of(content: Content) -> dict[str, tuple[Merged, ...]]:
    """Return the merged cells of each sheet, by the sheet's name.

    Raises DataError for an encrypted file, for a file with entities, and for more than 50
    million cells.
    """
    with content.open() as whole, ZipFile(whole) as packed:
        if MANIFEST in packed.namelist() and b"encryption-data" in packed.read(MANIFEST):
            raise DataError(f"{content.path}: is encrypted with a password; save it without")
        reader = _Cells(content)
        with packed.open(PART) as file:
            while piece := file.read(PIECE):
                reader.parser.Parse(piece, False)
            reader.parser.Parse(b"", True)
    return {name: tuple(merged) for name, merged in reader.merged.items()}


class _Cells:
    """A handler of XML events that counts the cells of all sheets, and collects merged ranges."""

    def __init__(self, content: Content) -> None:
        """Prepare a parser of the sheets' XML, with its handlers and counters."""
        self.path, self.title = content.path, ""
        self.merged = dict[str, list[Merged]]()
        self.row = self.column = self.cells = 0
        self.repeated = 1
        self.parser = expat.ParserCreate()
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.EntityDeclHandler = self._entity

    def _entity(self, *_declared: object) -> None:
        """Raise DataError for an XML entity, which could expand to a huge text."""
        raise DataError(f"{self.path}: defines entities, which no spreadsheet program writes")

    def _start(self, name: str, keys: dict[str, str]) -> None:
        """Record the start of a sheet, a row or a cell.

        name: the XML element. keys: the attributes of the element.
        """
        match name:
            case "table:table":
                self.row, self.title = 0, keys.get("table:name", "")
            case "table:table-row":
                self.repeated = int(keys.get("table:number-rows-repeated", "1"))
                self.column = 0
            case "table:table-cell" | "table:covered-table-cell":
                self._cell(keys)

    def _end(self, name: str) -> None:
        """Count a finished row with its repeats. name: the XML element that ends."""
        if name == "table:table-row":
            self.row += self.repeated

    def _cell(self, keys: dict[str, str]) -> None:
        """Count a cell with its repeats, and record its merged range.

        keys: the attributes of the XML element. Raises DataError for more than 50 million cells.
        """
        repeated = int(keys.get("table:number-columns-repeated", "1"))
        if "office:value-type" in keys:
            self.cells += repeated * self.repeated
        if self.cells > MOST_CELLS:
            raise DataError(f"{self.path}: at most {MOST_CELLS:,} cells are accepted")
        rows = int(keys.get("table:number-rows-spanned", "1"))
        columns = int(keys.get("table:number-columns-spanned", "1"))
        if rows > 1 or columns > 1:
            last = self.row + rows, self.column + columns - 1
            ranges = self.merged.setdefault(self.title, [])
            ranges.append(Merged(self.row + 1, self.column, *last))
        self.column += repeated
