// Where everything is after so many moves of peers: who holds which onions, and what is on the board.

function fold(bill, moves, at) {
  const state = {
    round: 0,
    step: 0,
    asks: [],
    slots: 1,
    path: 1,
    hands: new Map(), // index -> onions that came to it and that it has not handed on
    posted: new Set(), // indices of who has posted in this step
    silent: new Set(),
    named: new Set(),
    found: 0, // sealed ballots of this round on the board
    counted: null, // {counts, asks, round}
    posts: [],
    burned: null,
    decided: null,
  };
  const take = {
    post(move) {
      state.posts.push(move);
      if (move.kind === "decision") state.decided = move;
      if (move.kind === "burned") Object.assign(state, { burned: move, named: new Set(move.named) });
    },
    call({ round, asks, slots, path }) {
      Object.assign(state, { round, asks, slots, path, step: 0, found: 0, counted: null });
      for (const table of [state.hands, state.posted, state.silent]) table.clear();
    },
    relay(move) {
      state.posts.push(move);
      const who = move.person;
      state.hands.set(who, (state.hands.get(who) || []).filter((held) => held.step === move.step));
      for (const [receiver, onions] of move.bags)
        state.hands.set(receiver, [...(state.hands.get(receiver) || []), ...onions.map((onion) => ({ onion, step: move.step }))]);
    },
    found(move) {
      state.posts.push(move);
      state.hands.set(Number(move.by.slice(5)) - 1, []);
      state.found += move.number;
    },
    silent: (move) => state.silent.add(move.person),
    count: ({ counts, round }) => (state.counted = { counts, round, asks: state.asks }),
  };
  for (const move of moves.slice(0, at)) {
    if (move.step && move.step !== state.step) {
      state.step = move.step;
      state.posted.clear();
    }
    if (move.by.startsWith("peer-")) state.posted.add(Number(move.by.slice(5)) - 1);
    take[move.what](move);
  }
  return state;
}
