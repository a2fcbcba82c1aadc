"""Who may ask the class's computer for anything: by its name, from its own page, not too often.

A page of somebody else's that is open on a phone can neither read nor say anything here: requests
must call this computer by an address that it gave out (DNS rebinding), and what changes something
must come from the page itself (Origin).
"""

from dataclasses import dataclass, field
from ipaddress import IPv6Address, ip_address, ip_network

import trio

from ..machines.http import Answer, Request

SAFE = ("GET", "HEAD")
RATE = (
    300.0  # requests a second from one address: a page of 20 files for 15 phones behind one router
)
BURST = 3_000.0  # requests at once: a class of 150 that opens the page at the same moment
MOST_ADDRESSES = 10_000


@dataclass(slots=True)
class Rate:
    """A bucket for each address, which fills with time. What it holds may be asked at once.

    Attributes:
        left: requests that each address may still make, and since when that is so.
    """

    left: dict[str, tuple[float, float]] = field(default_factory=dict)

    def allows(self, address: str) -> bool:
        """Whether one more request may come from there now."""
        now = trio.current_time()
        held, since = self.left.get(address, (BURST, now))
        held = min(BURST, held + RATE * (now - since))
        if len(self.left) >= MOST_ADDRESSES and address not in self.left:
            self.left.clear()
        self.left[address] = (held - 1 if held >= 1 else held), now
        return held >= 1


def device_of(address: str) -> str:
    """Name the device behind an address, as far as it can be told: one device has one IPv4 address.

    A device takes as many addresses of its IPv6 network as it likes: the network (64 bits) counts.
    """
    try:
        known = ip_address(address)
    except ValueError:
        return address
    if not isinstance(known, IPv6Address):
        return str(known)
    if known.ipv4_mapped is not None:
        return str(known.ipv4_mapped)
    return str(ip_network((int(known), 64), strict=False))


@dataclass(slots=True)
class Gate:
    """Refuses what may not be asked here.

    Attributes:
        names: what this computer is called, each `HOST:PORT`; the first is given out.
        rate: how often each address may ask.
    """

    names: tuple[str, ...]
    rate: Rate = field(default_factory=Rate)

    def refusal(self, request: Request) -> Answer | None:
        """Why a request is not answered; None if it is."""
        if not self.rate.allows(request.peer):
            return Answer(429, b"Too many requests from your address; wait some seconds.\n")
        if request.headers.get("host") not in self.names:
            return Answer(421, f"This is http://{self.names[0]}/ and nothing else.\n".encode())
        origin = request.headers.get("origin")
        if origin is None and request.method in SAFE:
            return None
        if origin not in [f"http://{name}" for name in self.names]:
            return Answer(403, b"Only the page itself may ask for this.\n")
        return None
