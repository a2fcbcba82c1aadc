"""Files that a server sends to browsers, compressed once for all that accept gzip."""

import gzip
from dataclasses import dataclass
from pathlib import Path

from .http import Header, HttpResponse

TYPES = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".mjs": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}


@dataclass(frozen=True, slots=True)
class WebFile:
    """A file as the server sends it.

    Attributes:
        data: the bytes of the file.
        packed: the bytes, compressed with gzip.
        type: their content type, for the browser.
    """

    data: bytes
    packed: bytes
    type: str

    @classmethod
    def compressed(cls, data: bytes, kind: str) -> "WebFile":
        """Return a file with its compressed bytes. kind: its content type."""
        return cls(data, gzip.compress(data, mtime=0), kind)

    @classmethod
    def read(cls, path: Path) -> "WebFile":
        """Read a file from disk; the content type follows from the suffix, which is in `TYPES`."""
        return cls.compressed(path.read_bytes(), TYPES[path.suffix])

    def answer(self, accepted: str, *cache_headers: Header) -> HttpResponse:
        """Return the response with the file, compressed if the browser accepts that.

        Args:
            accepted: the browser's header `accept-encoding`; "" if it has sent no such header.
            cache_headers: headers about caches.
        """
        headers = [("content-type", self.type), *cache_headers, ("vary", "accept-encoding")]
        if not accepts_gzip(accepted):
            return HttpResponse(200, self.data, headers)
        return HttpResponse(200, self.packed, [*headers, ("content-encoding", "gzip")])


def accepts_gzip(accepted: str) -> bool:
    """Whether a header `accept-encoding` allows gzip (RFC 9110, 12.5.3)."""
    weights = {}
    for part in accepted.lower().split(","):
        name, _, weight = part.replace(" ", "").partition(";q=")
        weights[name] = weight
    weight = weights.get("gzip", weights.get("*", "0"))
    return weight.strip("0.") != "" or weight == ""
