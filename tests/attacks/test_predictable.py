"""Who knows the seed derives every key; system randomness has none."""

import attack_kit as KIT
import role_kit as ROLES
from veilmix.crypto.entropy import OSEntropy
from veilmix.protocol.knowledge.exploits import open_envelopes, rederived
from veilmix.roles.adversary_record import AdversaryRecord


def test_who_only_listened_reads_everybody() -> None:
    outcome = KIT.attack({"attack": "predictable"})
    assert KIT.effect(outcome).value == 30


def test_another_seed_opens_nothing() -> None:
    record = AdversaryRecord()
    board = ROLES.run(ROLES.people(6), [record], adversary=record).board
    loot = record.loot(board, ["network"])
    assert loot.keys == {}
    assert len(open_envelopes(rederived(loot, 1), 1)) == 6  # the seed of the session
    assert [row for row in open_envelopes(rederived(loot, 2), 1).values() if row] == []


def test_system_randomness_cannot_be_derived() -> None:
    record = AdversaryRecord()
    board = ROLES.run(ROLES.people(6), [record], adversary=record, entropy=OSEntropy()).board
    loot = record.loot(board, ["network"])
    assert [row for row in open_envelopes(rederived(loot, 1), 1).values() if row] == []
