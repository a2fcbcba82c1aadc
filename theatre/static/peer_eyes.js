// What a set of peers knows together after so many moves: the rule of protocol/peers/view.py. A test
// compares it with Python, for coalitions of a run. Nothing here draws.

const EVERYBODY = "everybody"; // who works out what follows from the posts

// Everything is posted, but for what a peer that stays silent has sealed.
function sees(eyes, move) {
  return move.what !== "silent" || eyes.has(move.by);
}

// The ways of a round's onions as far as they are posted: onion -> {onion, origin, stops}.
function waysOf(moves, at) {
  const rounds = new Map(); // round -> {asks, slots, path, step, over, answers, ways}
  for (const move of moves.slice(0, at)) {
    if (move.what === "call") rounds.set(move.round, { ...move, step: 0, answers: new Map(), ways: new Map(), shares: new Set(), secrets: new Set(), counts: null });
    const here = rounds.get(move.round);
    if (!here) continue;
    if (move.step) here.step = move.step;
    if (move.answers) here.answers.set(move.person, move.answers);
    if (move.what === "relay") handOn(here, move);
    if (move.kind === "share") here.shares.add(move.by);
    if (move.kind === "secret") here.secrets.add(move.by);
    if (move.what === "count") here.counts = move.counts;
  }
  return rounds;
}

function handOn(here, { person, step, bags }) {
  for (const [receiver, onions] of bags)
    for (const onion of onions) {
      const origin = Math.floor(onion / here.slots);
      if (onion >= 0 && step === 1 && origin === person) here.ways.set(onion, { onion, origin, stops: [] });
      const way = here.ways.get(onion);
      if (way && way.stops.length === step - 1 && (step === 1 || way.stops[step - 2] === person)) way.stops.push(receiver);
    }
}

// How many steps of a round are complete: those before the one that is being posted.
const complete = (here) => Math.min(here.path, Math.max(here.step - 1, 0));

// Whether these members can open the ballots of a round: all secrets that are not shown are theirs.
function readable(here, eyes) {
  const kept = [...here.shares].filter((name) => !here.secrets.has(name));
  return here.shares.size > 0 && here.step >= here.path + 4 && kept.every((name) => eyes.has(name));
}

// Which onions of others these members follow through so many steps: at a member its way is seen; at
// anybody else it is lost, unless all that are left in the batch are one sender's.
function followed(ways, members, steps) {
  const others = ways.filter((way) => !members.has(way.origin) && way.stops.length >= steps);
  let known = new Set(others);
  for (let step = 0; step < steps; step += 1) {
    const senders = new Map();
    for (const way of others) {
      const stop = way.stops[step];
      if (members.has(stop)) continue;
      if (!senders.has(stop)) senders.set(stop, new Set());
      senders.get(stop).add(known.has(way) ? way.origin : -1);
    }
    known = new Set([...known].filter(({ stops }) => members.has(stops[step]) || senders.get(stops[step]).size === 1));
  }
  return known;
}

// The peers whose eyes these are, by index.
function membersOf(bill, eyes) {
  return new Set([...eyes].filter((name) => name.startsWith("peer-")).map((name) => Number(name.slice(5)) - 1));
}

function knows(bill, moves, at, eyes) {
  const members = membersOf(bill, eyes);
  const ways = waysOf(moves, at);
  const known = { rounds: new Map(), byRound: new Map(), counted: [], alike: [], seen: 0, unseen: 0, ways, members };
  for (const move of moves.slice(0, at)) {
    if (move.alike) known.alike = move.alike;
    if (move.by !== EVERYBODY && move.what !== "silent") known.seen += 1;
  }
  for (const [round, here] of ways) {
    const opened = readable(here, eyes);
    const rows = rowsOf(here, members, opened);
    if (rows.size) known.byRound.set(round, rows);
    here.asks.forEach((columns, ask) => {
      const counts = here.counts ? here.counts[ask] : opened ? countsOf(here, ask) : [];
      const people = counts.reduce((sum, cell) => sum + cell[1], 0);
      if (people) known.counted.push({ round, columns, counts, people });
    });
  }
  known.pinned = merged([...known.byRound.values()]);
  known.crowds = crowds(bill, known);
  known.linked = known.pinned.size;
  known.certain = certain(bill, known, eyes);
  known.sure = known.crowds.every(exact);
  known.cells = bill.people * bill.sizes.length;
  return known;
}

// Per person what these members know it to have said in a round: their own, and what they followed.
function rowsOf(here, members, opened) {
  const rows = new Map();
  const pin = (who, place) => {
    const row = rows.get(who) || {};
    const said = here.answers.get(who)?.[place] || [];
    if (place < here.asks.length) said.forEach((value, i) => (row[here.asks[place][i]] = value));
    if (Object.keys(row).length) rows.set(who, row);
  };
  for (const who of members) for (let place = 0; place < here.slots; place += 1) pin(who, place);
  if (opened)
    for (const { onion, origin } of followed([...here.ways.values()], members, here.path)) pin(origin, onion % here.slots);
  return rows;
}

// What the ballots of a round hold that everybody did not agree on, for who can open them.
function countsOf(here, ask) {
  const said = [...here.ways.values()].filter(({ onion, stops }) => onion % here.slots === ask && stops.length === here.path);
  const cells = new Map();
  for (const { onion, origin } of said) {
    const values = here.answers.get(origin)[onion % here.slots];
    const key = values.join("\n");
    cells.set(key, [values, (cells.get(key)?.[1] || 0) + 1]);
  }
  return [...cells.keys()].sort().map((key) => cells.get(key));
}
