"""A transcript names the ciphertexts of a message, of a long batch as soon as somebody asks."""

from collections.abc import Callable

import pytest
from veilmix.errors import Refused
from veilmix.protocol.knowledge.transcript import LONG, Transcript, names_of
from veilmix.protocol.wire.frames import Message, decode_message
from veilmix.protocol.wire.messages import Batch

SESSION = bytes(32)
WIDTH = 1000  # bytes of a layer


def batch(layers: int) -> tuple[tuple[bytes, ...], bytes]:
    """Layers, and the message that carries them."""
    inside = tuple(at.to_bytes(4, "big") * (WIDTH // 4) for at in range(layers))
    return inside, Message(SESSION, 1, Batch(inside)).encode()


@pytest.mark.parametrize("layers", [3, LONG // WIDTH + 1])
@pytest.mark.parametrize("asks", [lambda kept: None, Transcript.name_waiting])
def test_every_layer_of_a_batch_is_named(layers: int, asks: Callable[[Transcript], None]) -> None:
    inside, data = batch(layers)
    kept = Transcript(5)
    for receiver in ("shuffler-2", "curator"):
        kept.carried(1.0, "shuffler-1", receiver, data)
        asks(kept)
    assert [event.number for event in kept.events] == [0, 1]
    assert [event.receiver for event in kept.events] == ["shuffler-2", "curator"]
    assert {event.names for event in kept.events} == {names_of(inside)}


def test_a_long_batch_waits_for_its_names() -> None:
    _, data = batch(LONG // WIDTH + 1)
    kept = Transcript(5)
    kept.carried(1.0, "shuffler-1", "curator", data)
    assert kept._events[0].names == b""
    assert [event.seen_by("curator") for event in kept.events] == [True]
    assert kept._events[0].names


def test_a_long_batch_that_is_cut_off_is_named_as_a_whole() -> None:
    _, data = batch(LONG // WIDTH + 10)
    with pytest.raises(Refused):
        decode_message(data[:-1])
    kept = Transcript(5)
    kept.carried(1.0, "shuffler-1", "curator", data[:-1])
    assert kept.events[0].names == names_of([data[:-1]])
