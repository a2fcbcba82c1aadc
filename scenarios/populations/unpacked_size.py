"""The size of a zip file's parts, checked before they are unpacked."""

from zipfile import BadZipFile, ZipFile

from ...errors import DataError
from ..serialization.content import MAX_BYTES, Content

START = b"PK\x03\x04"


def check_parts(content: Content) -> None:
    """Raise DataError if the parts of a zip file are encrypted, or too large when unpacked.

    MAX_BYTES limits all parts together. A damaged zip file is accepted here: its reader refuses it.
    """
    with content.open() as file:
        if file.read(len(START)) != START:
            return
        try:
            with ZipFile(file) as packed:
                size = sum(part.file_size for part in packed.infolist())
                encrypted = any(part.flag_bits & 1 for part in packed.infolist())
        except (BadZipFile, OSError, ValueError):
            return
    if size > MAX_BYTES:
        raise DataError(
            f"{content.path}: {size:,} bytes when unpacked; at most {MAX_BYTES:,} are accepted"
        )
    if encrypted:
        raise DataError(f"{content.path}: is encrypted with a password; save it without")
