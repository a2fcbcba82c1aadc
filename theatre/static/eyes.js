// What a set of parties knows together after so many moves: the rule of protocol/knowledge/view.py. A test
// compares it with Python, for every coalition of a run, move by move. Nothing here draws.

const MESSAGES = new Set(["post", "send", "batch"]);

// Whether these eyes saw a move. A post is everybody's; a message that of both ends and the wire.
function sees(eyes, move) {
  if (move.what === "post") return true;
  if (eyes.has(move.by)) return true;
  return MESSAGES.has(move.what) && (eyes.has(move.to) || eyes.has("network"));
}

function openedLayers(eyes, openers) {
  const closed = openers.findIndex((party) => !eyes.has(party));
  return closed < 0 ? openers.length : closed;
}

// Whether a reader among these eyes reads an audited round without all keys: no lock is left on it.
function readable(bill, round, eyes) {
  if (!round.shown.size || !eyes.has(round.openers.at(-1))) return false;
  return !bill.locked || round.shares === round.openers.length - 1;
}

function opens(round, eyes, layer, person, ask) {
  return eyes.has(round.openers[layer]) || shownTo(round, layer, person, ask);
}

// Whether an audit has opened a layer before everybody: an envelope is a person's, an onion a question's.
function shownTo(round, layer, person, ask) {
  const shown = round.shown.get(layer + 1);
  return Boolean(shown && shown.has(layer ? person * round.slots + (round.slots > 1 ? ask : 0) : person));
}

// How many layers of a person's answer open from the outside, where pairs of hops are audited.
function reached(round, eyes, person, ask) {
  const closed = round.openers.findIndex((_, layer) => !opens(round, eyes, layer, person, ask));
  return closed < 0 ? round.openers.length : closed;
}

// Per person the smallest crowd that audits leave it (protocol/knowledge/audit_paths.py): behind a hop that is not
// followed, those who were closed there are told from all others. Crowds that overlap are one here.
function auditedCrowds(known, handed, eyes) {
  const hiding = new Map();
  for (const [number, round] of known.rounds) {
    if (!round.shown.size) continue;
    const people = [...handed].filter((place) => place.startsWith(`${number}/`)).map((place) => Number(place.split("/")[1]));
    round.asks.forEach((_, ask) => {
      let crowds = [];
      for (const layer of round.openers.slice(0, -1).keys()) {
        let block = new Set(people.filter((person) => !opens(round, eyes, layer, person, ask)));
        const apart = crowds.filter((crowd) => ![...crowd].some((person) => block.has(person)));
        for (const crowd of crowds) if (!apart.includes(crowd)) block = new Set([...block, ...crowd]);
        if (block.size) crowds = [...apart, block];
      }
      for (const crowd of crowds) for (const person of crowd) hiding.set(person, Math.min(crowd.size, hiding.get(person) || crowd.size));
    });
  }
  return hiding;
}

// The parties that together link an answer, and how many of them are among these eyes: layers open in turn,
// the keys of a verified mix in any order. sets: of such parties; counted is that of which the fewest are missing.
function heldBy(bill, eyes, sets) {
  if (bill.mix !== "verified") return heldInTurn(eyes, sets[0]);
  const missing = (openers) => openers.filter((party) => !eyes.has(party)).length;
  const openers = sets.reduce((best, other) => (missing(other) < missing(best) ? other : best));
  return { sets, openers, opened: openers.length - missing(openers), broken: missing(openers) === 0 };
}

function heldInTurn(eyes, openers) {
  const opened = openedLayers(eyes, openers);
  return { openers, opened, broken: opened === openers.length };
}

// Who links the answers of a call. Who answers once answers the analyst too, whose keys are those of the release.
function linkersOf(bill, move) {
  const [shufflers, reader] = [move.openers.slice(0, -1), move.openers.at(-1)];
  return bill.once && reader !== "analyst" ? [move.openers, [...shufflers, "analyst"]] : [move.openers];
}

// A reader that has posted its shares is not needed any more: the orders of the shufflers lead to the names.
function readerShared(bill, eyes, round, move) {
  if (move.by !== round.reader) return;
  const [all, ...others] = round.sets;
  Object.assign(round, heldBy(bill, eyes, [all.slice(0, -1), ...others]));
}

// The answers of a call that mixes the boxes of round 1 again: of each person there, the asked columns.
function answersAgain(move, answerOf) {
  const people = (move.asks && move.taken) || [];
  const there = people.filter((person) => answerOf(`1/${person}`));
  const columns = (person) => move.asks.map((asked) => asked.map((column) => answerOf(`1/${person}`)[column][0]));
  return there.map((person) => ({ round: move.round, person, answers: columns(person) }));
}

function knows(bill, moves, at, eyes) {
  const known = {
    rounds: new Map(), // round -> {openers, asks, opened, broken}
    byRound: new Map(), // round -> person -> {column: value}
    counted: [], // {round, columns, counts, people}
    alike: [], // sentences: what the release tells of people who are alike
    seen: 0,
    unseen: 0,
    sealed: false, // the certificate
  };
  const answers = new Map();
  const followed = new Set();
  const handed = new Set(); // as followed, whoever saw it: an audit shows whose an envelope is
  const counts = new Map();
  for (const move of moves.slice(0, at)) {
    const seen = sees(eyes, move);
    if (MESSAGES.has(move.what)) known[seen ? "seen" : "unseen"] += 1;
    if (move.asks) {
      known.rounds.set(move.round, { ...heldBy(bill, eyes, linkersOf(bill, move)), reader: move.openers.at(-1), asks: move.asks, slots: move.slots, shown: new Map(), shares: 0 });
    }
    if (move.kind === "committed") known.sealed = true;
    if (move.kind === "certificate") known.sealed = false;
    if (move.opened) known.rounds.get(move.round).shown.set(move.hop, new Set(move.opened));
    if (move.kind === "shown") known.rounds.get(move.round).shares += 1;
    if (move.kind === "shared") readerShared(bill, eyes, known.rounds.get(move.round), move);
    if (move.counts && (move.what === "post" || (move.what === "count" && seen))) {
      counts.set(move.round, move.counts);
      known.alike = move.alike || known.alike;
    }
    for (const again of answersAgain(move, (place) => answers.get(place)?.answers)) {
      answers.set(`${again.round}/${again.person}`, again);
      handed.add(`${again.round}/${again.person}`);
    }
    const place = `${move.round}/${move.person}`;
    if (move.answers) answers.set(place, move);
    if (move.what === "send" && !move.unlinked) {
      handed.add(place);
      if (seen) followed.add(place);
    }
    if (move.copies !== undefined) {
      followed.delete(`${move.round}/${move.copies}`);
      handed.delete(`${move.round}/${move.copies}`);
    }
  }
  for (const round of [...counts.keys()].sort((a, b) => a - b))
    known.rounds.get(round).asks.forEach((columns, ask) => {
      const here = [...answers.values()].filter((one) => one.round === round);
      const rows = here.filter((one) => handed.has(`${round}/${one.person}`)).map((one) => one.answers[ask]);
      const held = here.filter((one) => eyes.has(`user-${one.person + 1}`)).map((one) => one.answers[ask]);
      const cells = countsSeen(bill, eyes, counts.get(round)[ask], rows, held);
      known.counted.push({ round, columns, counts: cells, people: totalOf(cells) });
    });
  for (const [place, { round, person, answers: said }] of answers) {
    const here = known.rounds.get(round);
    const own = eyes.has(`user-${person + 1}`);
    const whole = own || (here.broken && (bill.mix === "verified" ? handed : followed).has(place)); // names stand on the board
    const audited = handed.has(place) && readable(bill, here, eyes);
    let row = {};
    here.asks.forEach((columns, ask) => {
      if (!said[ask].length || !(whole || (audited && reached(here, eyes, person, ask) === here.openers.length))) return;
      columns.forEach((column, i) => (row[column] = said[ask][i]));
    });
    if (bill.opens && !own) row = openValues(row, known.counted.filter((one) => one.round === round).flatMap((one) => one.counts));
    if (!Object.keys(row).length && (bill.opens || !whole)) continue; // a message that is followed may stay closed
    if (!known.byRound.has(round)) known.byRound.set(round, new Map());
    known.byRound.get(round).set(person, row);
  }
  known.pinned = merged([...known.byRound.values()]);
  known.crowds = crowds(bill, known);
  known.linked = known.crowds.reduce((sum, crowd) => sum + crowd.pinned.size, 0);
  known.certain = certain(bill, known, eyes);
  const audits = [...known.rounds.values()].some((round) => round.shown.size);
  const more = known.sealed && eyes.has("analyst") && !eyes.has("curator"); // by the certificate
  known.sure = !audits && !more && (bill.reports || known.crowds.every(exact));
  known.hiding = auditedCrowds(known, handed, eyes);
  known.cells = bill.people * bill.sizes.length;
  return known;
}
