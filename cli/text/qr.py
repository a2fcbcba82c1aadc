"""An address as a picture of a terminal's characters, for cameras of phones."""

import io


def qr_code(address: str) -> str | None:
    """The QR code of an address, two rows a line; None where the library is not here."""
    try:
        import segno
    except ImportError:
        return None
    out = io.StringIO()
    segno.make(address, micro=False).terminal(out, border=2, compact=True)
    return out.getvalue().rstrip("\n")
