// What a set of parties knows together after so many moves: the rule of protocol/view.py. A test
// compares it with Python, for every coalition of a run, move by move. Nothing here draws.

const MESSAGES = new Set(["post", "send", "batch"]);

// Whether these eyes saw a move. A post is everybody's; a message that of both ends and the wire.
function sees(eyes, move) {
  if (move.what === "post") return true;
  if (eyes.has(move.by)) return true;
  return MESSAGES.has(move.what) && (eyes.has(move.to) || eyes.has("network"));
}

// How many layers of a submission these eyes can open, from the outside.
function openedLayers(eyes, openers) {
  const closed = openers.findIndex((party) => !eyes.has(party));
  return closed < 0 ? openers.length : closed;
}

function knows(bill, moves, at, eyes) {
  const known = {
    rounds: new Map(), // round -> {openers, asks, opened, broken}
    byRound: new Map(), // round -> person -> {column: value}
    counted: [], // {round, columns, counts, people}
    seen: 0,
    unseen: 0,
  };
  const answers = new Map();
  const followed = new Set();
  const counts = new Map();
  for (const move of moves.slice(0, at)) {
    const seen = sees(eyes, move);
    if (MESSAGES.has(move.what)) known[seen ? "seen" : "unseen"] += 1;
    if (move.asks) {
      const opened = openedLayers(eyes, move.openers);
      const broken = opened === move.openers.length;
      known.rounds.set(move.round, { openers: move.openers, asks: move.asks, opened, broken });
    }
    if (move.counts && (move.what === "post" || (move.what === "count" && seen)))
      counts.set(move.round, move.counts);
    const place = `${move.round}/${move.person}`;
    if (move.answers) answers.set(place, move);
    if (move.what === "send" && seen && !move.unlinked) followed.add(place);
    if (move.copies !== undefined) followed.delete(`${move.round}/${move.copies}`);
  }
  for (const [place, { round, person, answers: said }] of answers) {
    const { asks, broken } = known.rounds.get(round);
    if (!eyes.has(`user-${person + 1}`) && !(broken && followed.has(place))) continue;
    const row = {};
    asks.forEach((columns, ask) =>
      columns.forEach((column, i) => {
        if (said[ask].length) row[column] = said[ask][i];
      }),
    );
    if (!known.byRound.has(round)) known.byRound.set(round, new Map());
    known.byRound.get(round).set(person, row);
  }
  for (const round of [...counts.keys()].sort((a, b) => a - b))
    known.rounds.get(round).asks.forEach((columns, ask) => {
      const cells = counts.get(round)[ask];
      const people = cells.reduce((sum, cell) => sum + cell[1], 0);
      known.counted.push({ round, columns, counts: cells, people });
    });
  known.pinned = merged([...known.byRound.values()]);
  known.crowds = crowds(bill, known);
  known.linked = known.crowds.reduce((sum, crowd) => sum + crowd.pinned.size, 0);
  known.certain = certain(bill, known, eyes);
  known.sure = bill.reports || known.crowds.every(exact);
  known.cells = bill.people * bill.sizes.length;
  return known;
}
