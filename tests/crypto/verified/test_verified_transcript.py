"""Each item of a transcript, and where it ends, decides every challenge."""

import pytest
import verified_kit as kit
from veilmix.crypto.verified.transcript import ProofContext, ProofTranscript
from veilmix.errors import ParameterError

GROUP = kit.GROUP


def challenge(*items: bytes, label: bytes = b"proof", last: bytes = b"challenge") -> int:
    transcript = ProofTranscript(label)
    transcript.absorb(*items)
    return transcript.challenge(last, GROUP)


def test_no_two_lists_of_items_have_one_challenge() -> None:
    challenges = [
        challenge(b"ab", b"c"),
        challenge(b"a", b"bc"),
        challenge(b"abc"),
        challenge(b"ab", b"c", b""),
        challenge(b"", b"ab", b"c"),
        challenge(b"ab", b"c", label=b"proo", last=b"fchallenge"),
        challenge(b"ab", b"c", label=b"other"),
        challenge(b"ab", b"c", last=b"other"),
        challenge(b"ab", b"c", b"challenge"),
    ]
    assert len(set(challenges)) == len(challenges)
    assert all(0 <= one < GROUP.order for one in challenges)
    assert challenges[0] == challenge(b"ab", b"c")


def test_a_later_challenge_depends_on_those_before() -> None:
    transcript = ProofTranscript(b"proof")
    first = transcript.exponents(b"first", 3)
    assert all(0 <= exponent < 1 << 128 for exponent in first)
    assert max(first) >= 1 << 120
    assert len(set(first)) == 3
    assert transcript.exponents(b"first", 3) != first
    assert transcript.challenge(b"c", GROUP) != ProofTranscript(b"proof").challenge(b"c", GROUP)


@pytest.mark.parametrize("other", kit.ELSEWHERE.values(), ids=kit.ELSEWHERE)
def test_each_part_of_a_context_decides(other: ProofContext) -> None:
    transcripts = [context.transcript(b"proof") for context in (kit.HOP, other)]
    assert transcripts[0].challenge(b"c", GROUP) != transcripts[1].challenge(b"c", GROUP)


def test_entropy_is_forked_by_the_statement() -> None:
    drawn = set[bytes]()
    for item in (b"a", b"b"):
        transcript = ProofTranscript(b"proof")
        transcript.absorb(item)
        drawn.add(transcript.fork_entropy(kit.entropy("kept")).random(32))
    assert len(drawn) == 2


@pytest.mark.parametrize(
    ("announcement", "round_", "question", "match"),
    [
        (bytes(31), 0, 0, "announcement: found 31 bytes"),
        (bytes(32), -1, 0, "round: found -1"),
        (bytes(32), 0, 1 << 32, "question: found 4294967296"),
    ],
)
def test_a_context_out_of_range_is_refused(
    announcement: bytes, round_: int, question: int, match: str
) -> None:
    with pytest.raises(ParameterError, match=match):
        ProofContext(GROUP, announcement, round_, question, b"")
