// Where everything is after so many moves of a verified mix, whoever sees it: locked boxes stand on the
// board, a row of them as handed in and a row after each shuffler, and each row has a seal.

const DECIDES = new Set(["decision", "committed", "certificate"]);

function fold(bill, moves, at) {
  const state = {
    round: 0,
    asks: [],
    openers: [],
    sent: new Map(), // person -> how many keyholders have its box
    doors: new Map(), // keyholder -> boxes that it was handed and has not posted
    wrong: new Map(), // person -> its fault
    silent: new Set(),
    answers: new Map(), // "round/person" -> what was locked in
    listed: [], // people whose boxes stand on the board
    again: false, // whether they are the boxes of round 1
    rows: [], // of each hop: {by, seal}
    keys: new Set(), // keyholders whose shares stand on the board
    cheats: new Set(), // keyholders whose seal is broken
    counts: new Map(), // party -> counts of this round
    posts: [],
    burned: false,
    decided: null,
    follows: "", // what the last counts tell of people of whom they show nothing
  };
  const take = {
    call(move) {
      Object.assign(state, { round: move.round, asks: move.asks, openers: move.openers, listed: move.taken || [], again: Boolean(move.taken), rows: [], burned: false });
      for (const some of [state.sent, state.doors, state.wrong, state.silent, state.keys, state.counts]) some.clear();
    },
    handed(move) {
      state.listed = [...new Set([...state.listed, ...move.taken])].sort((a, b) => a - b);
      state.doors.clear();
    },
    shuffled: (move) => state.rows.push({ by: move.by, seal: move.seal }),
    shared: (move) => state.keys.add(move.by),
    burned: () => (state.burned = true),
    tally(move) {
      state.follows = posted(move.says)[1];
      if (move.counts) state.counts.set("board", move.counts);
    },
  };
  for (const move of moves.slice(0, at)) {
    if (move.answers) state.answers.set(`${move.round}/${move.person}`, move.answers);
    for (const { round, person, answers } of answersAgain(move, (place) => state.answers.get(place))) state.answers.set(`${round}/${person}`, answers);
    if (move.seal === "broken") state.cheats.add(move.by);
    if (move.what === "post") {
      state.posts.push(move);
      take[move.kind]?.(move);
      if (DECIDES.has(move.kind)) state.decided = move;
    }
    if (move.what === "send") {
      if (move.fault) state.wrong.set(move.person, move.fault);
      else state.sent.set(move.person, (state.sent.get(move.person) || 0) + 1);
      state.doors.set(move.to, (state.doors.get(move.to) || 0) + 1);
    }
    if (move.what === "silent") state.silent.add(move.person);
    if (move.what === "count") state.counts.set(move.by, move.counts);
  }
  return state;
}
