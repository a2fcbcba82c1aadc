"""A ballot for rows that only k people open, made by members without its row's key material.

The party `randomness` computes the function from which a row's group and key follow; without its
output for a row no member can join its group. Seeds that members invent still make groups, which
open with k ballots: the reader cannot distinguish such a seed from an output.
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
    """Return the outputs of `randomness` for rows and all their announced prefixes, by input."""
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
    """Return a sealed ballot with a row, from the function's outputs if known, or other seeds.

    seeds: the source of these seeds, equal for equal prefixes. fresh: the randomness of this
    ballot.
    """
    assert plan.shape is not None  # noqa: S101 - asked in a round of `threshold`
    coarse_row, levels, start = tuple(plan.announcement.schema.coarsen(row)), list[TextLevel](), 0
    for level, (end, width) in enumerate(zip(level_ends(plan), plan.shape.widths, strict=True)):
        seed = function.output(threshold.level_input(plan, level, coarse_row[:end]))[:SEED]
        if not any(seed):  # zeros: no member has the output
            seed = seeds.fork(repr(coarse_row[:end])).random(SEED)
        levels.append(TextLevel(seed, pad(threshold.text_of(coarse_row[start:end]), width)))
        start = end
    entropy = sealing(fresh, plan.session)
    (salt,) = salts(plan, entropy)
    ballot = threshold.write(plan, Sealer(plan.shape), levels, salt, entropy)
    (sealed,) = submit_all(Phrasebook(plan), [coarse_row], [fresh], written=[ballot])
    return sealed
