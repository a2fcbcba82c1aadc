"""Ballots of members without key material for their row, in the release program `threshold`.

In this program, ballots with equal rows form a group, and a group opens with k ballots. The party
`randomness` computes the secret function from which a row's key follows. Without the function's
output, a member's ballot cannot join the group of its row. Members can invent seeds in place of
outputs. Ballots with equal invented seeds form a group of their own, because the reader cannot
distinguish an invented seed from an output.
"""

from collections.abc import Iterable, Mapping, Sequence

from ....crypto.entropy import Entropy
from ....crypto.padding import pad
from ....crypto.threshold import SEED, Sealer, TextLevel
from ....protocol.knowledge.opened_exploits import Function
from ....protocol.rounds import threshold
from ....protocol.rounds.ballots import Phrasebook, Sealed, salts, submit_all
from ....protocol.rounds.round_context import Round, level_ends, sealing

Row = tuple[str, ...]


def row_outputs(plan: Round, function: Function, rows: Iterable[Row]) -> Mapping[bytes, bytes]:
    """Return the key material for some rows, by input of the function that computes it.

    A row has an output for each announced level, a prefix of its columns that opens by itself.
    function: the secret function of the party `randomness`.
    """
    outputs = dict[bytes, bytes]()
    for row in rows:
        coarse_row = plan.announcement.schema.coarsen(row)
        for level, end in enumerate(level_ends(plan)):
            query_input = threshold.level_input(plan, level, coarse_row[:end])
            outputs[query_input] = function.output(query_input)
    return outputs


def seal_own(
    plan: Round, row: Sequence[str], function: Function, seeds: Entropy, fresh: Entropy
) -> Sealed:
    """Return a sealed ballot with a row, made by a coalition member without asking `randomness`.

    Each level of the ballot (a prefix of the row) needs a seed. function: the secret function of
    `randomness`, as far as the coalition knows its outputs, which are used as seeds. seeds: the
    source of invented seeds for unknown outputs, equal for equal prefixes. fresh: the randomness of
    this ballot.
    """
    assert plan.shape is not None  # noqa: S101 - rounds of `threshold` have a shape
    coarse_row, levels, start = tuple(plan.announcement.schema.coarsen(row)), list[TextLevel](), 0
    for level, (end, width) in enumerate(zip(level_ends(plan), plan.shape.widths, strict=True)):
        seed = function.output(threshold.level_input(plan, level, coarse_row[:end]))[:SEED]
        if not any(seed):  # zeros: no coalition member knows `randomness`'s output for this prefix
            seed = seeds.fork(repr(coarse_row[:end])).random(SEED)
        levels.append(TextLevel(seed, pad(threshold.text_of(coarse_row[start:end]), width)))
        start = end
    entropy = sealing(fresh, plan.session)
    (salt,) = salts(plan, entropy)
    ballot = threshold.write(plan, Sealer(plan.shape), levels, salt, entropy)
    (sealed,) = submit_all(Phrasebook(plan), [coarse_row], [fresh], written=[ballot])
    return sealed
