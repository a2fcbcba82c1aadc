"""Who is late is refused and counted, and never flushed alone."""

import attack_kit as KIT
from veilmix.protocol.wire.messages import Kind

LATE = {"attack": "late", "users": 3, "round": 1}


def test_late_ones_are_not_sent_on() -> None:
    outcome = KIT.attack(LATE)
    assert KIT.totals(outcome) == [27, 27, 27]
    assert outcome.refused["late"] == 3
    assert outcome.transcript is not None
    batches = [event for event in outcome.transcript.events if event.kind is Kind.BATCH]
    assert len(batches) == 2 * 2  # one a hop and round, whoever is late


def test_a_late_batch_of_one_would_be_a_batch_of_one() -> None:
    everybody = [{"attack": "late", "by": f"user-{i}", "round": 1} for i in range(2, 31)]
    assert KIT.attack(*everybody).burned is not None
    flushed = KIT.attack(*everybody, mix__min_batch=1)
    assert KIT.totals(flushed) == [1, 1, 1]  # without the guard: user-1's own row, on its own
