"""A shuffler sends answers twice: a batch with repeats does not ascend, and repeats are dropped."""

import attack_kit as KIT

COPY = {"attack": "copy", "by": "shuffler-2", "users": 3, "round": 1}


def test_a_batch_with_repeats_is_shown_to_everybody_and_not_taken() -> None:
    outcome = KIT.attack(COPY)
    assert KIT.alarms(outcome) == ["order"]
    assert outcome.alarms[0].party == "curator"
    assert (
        outcome.burned
        == "no batch that could be taken came from shuffler-2 to curator within 240 seconds"
    )
    assert outcome.marginals is None


def test_without_the_guard_counts_move() -> None:
    outcome = KIT.attack(COPY, **KIT.lesson(defence__dedupe=False))
    assert KIT.effect(outcome).value >= 1
    assert sum(KIT.totals(outcome)) == 3 * 30 + 3
    assert KIT.alarms(outcome) == []


def test_a_shuffler_after_the_copy_drops_the_repeats() -> None:
    """Where batches are not ordered they may hold repeats, and the next shuffler drops them."""
    first = {**COPY, "by": "shuffler-1"}
    outcome = KIT.attack(first, **KIT.lesson(mix__order="kept"))
    assert outcome.refused == {"duplicate": 3}
    assert KIT.effect(outcome).value == 0


def test_what_is_sent_twice_can_be_shown_once_only() -> None:
    """Audited, a hop shows as many layers as it has accounted for, or the board refuses it."""
    outcome = KIT.attack(COPY, defence__audit=True, defence__registered=True)
    assert outcome.burned == "the board refused the traced of shuffler-2: unexpected"
    assert outcome.marginals is None
