// What a set of parties knows together after so many moves: the rule of protocol/view.py, and the
// two counts of analysis/trust/received_view.py that the page shows. A test compares both with Python, for every
// coalition of a run, move by move. Nothing here draws.

// How a value is spelt that its owner has hidden (protocol/hiding.py); as plain text, in brackets.
const HIDDEN = new Set([" other", " blank"]);
const spelt = (value) => (HIDDEN.has(value) ? `(${value.trim()})` : value);

// A value on the page: no longer than there is room for.
function brief(value, most = 20) {
  const plain = spelt(value);
  return plain.length > most ? `${plain.slice(0, most - 2)}..` : plain;
}

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

// Per person the values of all rounds together. That somebody has left one out tells no value.
function merged(rounds) {
  const rows = new Map();
  for (const people of rounds)
    for (const [person, row] of people) {
      const plain = Object.entries(row).filter(([, value]) => !HIDDEN.has(value));
      rows.set(person, { ...rows.get(person), ...Object.fromEntries(plain) });
    }
  return rows;
}

// The people of a view: all of them, or of other people in every round, round by round.
function crowds(bill, known) {
  if (bill.fixed) return [{ users: bill.people, pinned: known.pinned, counted: known.counted }];
  const rounds = new Set([...known.counted.map((one) => one.round), ...known.byRound.keys()]);
  return [...rounds].sort((a, b) => a - b).map((round) => {
    const counted = known.counted.filter((one) => one.round === round);
    const pinned = known.byRound.get(round) || new Map();
    const users = counted.length ? Math.max(...counted.map((one) => one.people)) : pinned.size;
    return { users, pinned, counted };
  });
}

// How many (person, column) values are known for certain: pinned, or all who are left agree.
function certain(bill, known, eyes) {
  let cells = 0;
  for (const crowd of known.crowds)
    if (bill.reports) cells += ownAlone(bill, crowd, eyes);
    else bill.sizes.forEach((size, column) => (cells += certainIn(crowd, column, size)));
  return cells + (bill.reports ? bill.people * bill.sizes.filter((size) => size === 1).length : 0);
}

// Whether `certainIn` finds all that is certain: where everybody was counted, nobody has hidden a
// value, and no two joint counts overlap. Else it finds some, and more may follow from the counts.
function exact(crowd) {
  const joint = crowd.counted.filter((one) => one.columns.length > 1);
  const hidden = crowd.counted.some((one) => one.counts.some(([values]) => values.some((value) => HIDDEN.has(value))));
  return joint.length <= 1 && !hidden && crowd.counted.every((one) => one.people === crowd.users);
}

// A report that is linked is no value: only members know theirs, and everybody what cannot vary.
function ownAlone(bill, crowd, eyes) {
  const members = [...crowd.pinned.keys()].filter((person) => eyes.has(`user-${person + 1}`));
  return members.length * bill.sizes.filter((size) => size > 1).length;
}

function certainIn(crowd, column, size) {
  if (size === 1) return crowd.users;
  const rows = [...crowd.pinned.values()].filter((row) => column in row);
  for (const seen of crowd.counted) {
    const place = seen.columns.indexOf(column);
    if (place < 0 || seen.people !== crowd.users) continue;
    const rest = new Map();
    for (const [values, people] of seen.counts)
      rest.set(values[place], (rest.get(values[place]) || 0) + people);
    if ([...rest.keys()].some((value) => HIDDEN.has(value))) continue;
    for (const row of rows) rest.set(row[column], (rest.get(row[column]) || 0) - 1);
    if ([...rest.values()].filter((people) => people > 0).length <= 1) return crowd.users;
  }
  return rows.length;
}
