// Where everything is after so many moves, whoever sees it. Drawing (stage.js) leaves out what the
// eyes do not see. Envelopes are numbered through the session; onions as in theatre/moves.py.

const DECIDES = new Set(["decision", "committed", "certificate"]);

function fold(bill, moves, at) {
  const state = {
    round: 0,
    asks: [],
    slots: 1, // onions in an envelope: one a question, or (a design error) one in all
    openers: [],
    envelopes: [], // {person, round, fault, refused}
    sent: new Map(), // person -> number of its last envelope of this round
    silent: new Set(),
    answers: new Map(), // "round/person" -> what was sealed
    boxes: new Map(), // party -> {stage, envelopes, onions, dropped, refused (how many), counts}
    posts: [],
    burned: false,
    decided: null,
    follows: "", // what the last counts tell of people of whom they show nothing
  };
  const box = (party) => {
    if (!state.boxes.has(party)) state.boxes.set(party, emptied());
    return state.boxes.get(party);
  };
  const take = {
    post(move) {
      state.posts.push(move);
      if (move.kind === "call") {
        const { round, asks, openers, slots } = move;
        Object.assign(state, { round, asks, openers, slots });
        state.sent.clear();
        state.silent.clear();
        for (const party of move.openers) state.boxes.set(party, emptied());
      }
      if (move.kind === "mixed") mixed(state, box(move.by), move);
      if (DECIDES.has(move.kind)) state.decided = move;
      if (move.kind === "burned") state.burned = true;
      if (move.kind === "tally") state.follows = posted(move.says)[1];
    },
    send(move) {
      const number = state.envelopes.length;
      state.envelopes.push({ person: move.person, round: move.round, fault: move.fault });
      if (move.fault !== "late") state.sent.set(move.person, number);
      box(move.to).envelopes.push(number);
    },
    silent(move) {
      state.silent.add(move.person);
    },
    batch(move) {
      const from = box(move.by);
      const left = new Set(move.onions);
      from.dropped = from.onions.filter((onion) => onion >= 0 && !left.has(onion));
      from.onions = [];
      from.envelopes = [];
      from.stage = "passed-on";
      const to = box(move.to);
      to.onions.push(...move.onions);
      to.stage = "sealed";
    },
    count(move) {
      const { asks, round } = state;
      Object.assign(box(move.by), { stage: "counted", counts: move.counts, asks, round });
    },
    refuse(move) {
      box(move.by).refused += move.number;
      for (const number of move.envelopes) state.envelopes[number].refused = move.reason;
    },
  };
  for (const move of moves.slice(0, at)) {
    if (move.answers) state.answers.set(`${move.round}/${move.person}`, move.answers);
    take[move.what](move);
  }
  return state;
}

function emptied() {
  const nothing = { envelopes: [], crossed: [], onions: [], dropped: [] };
  return { stage: "waiting", refused: 0, counts: null, ...nothing };
}

function mixed(state, box, move) {
  box.stage = "sorted";
  if (move.hop > 1) return;
  const { slots } = state;
  const kept = box.envelopes.filter((number) => {
    const { fault, refused, round } = state.envelopes[number];
    return !refused && round === move.round && fault !== "late";
  });
  box.crossed = box.envelopes.filter((number) => state.envelopes[number].refused);
  box.onions = kept.flatMap((number) =>
    Array.from({ length: slots }, (_, slot) => state.envelopes[number].person * slots + slot),
  );
  box.envelopes = [];
}
