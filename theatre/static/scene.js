// What the picture may show: the state of things, seen through the eyes, after so many moves.

function sceneAt(bill, moves, position, eyes, chosen = null) {
  const state = fold(bill, moves, position);
  const known = knows(bill, moves, position, eyes);
  const last = position ? moves[position - 1] : null;
  const answersOf = (round, who) => state.answers.get(`${round}/${who}`) || [];
  return {
    state,
    known,
    eyes,
    way: chosen === null ? null : wayOf(bill, moves, position, eyes, chosen, known),
    last,
    lastSeen: last !== null && sees(eyes, last),
    seesSend: (name) => eyes.has(name) || eyes.has("network") || eyes.has("shuffler-1"),
    envelope(size, who, round, fault) {
      const opened = openedLayers(eyes, state.openers);
      const cores = Array.from({ length: state.slots }, (_, slot) => coreIn(round, who, slot));
      return envelope(size, state.openers, opened, cores, eyes.has("shuffler-1") && fault);
    },
    onion(size, party, number) {
      const hop = state.openers.indexOf(party);
      const box = state.boxes.get(party);
      const left = state.openers.slice(hop + (box.stage === "sorted" || box.stage === "passed-on"));
      return onionOf(size, left, number);
    },
    // An onion on its way from a shuffler, whose own layer is off.
    flying: (size, from, number) =>
      onionOf(size, state.openers.slice(state.openers.indexOf(from) + 1), number),
    // Who said so in a counted round, as far as the eyes can tell.
    whoSaid(ask, values, box) {
      const rows = known.byRound.get(box.round) || new Map();
      return [...rows.keys()].filter((who) => {
        const said = answersOf(box.round, who)[ask] || [];
        return said.join("\n") === values.join("\n");
      });
    },
  };

  function onionOf(size, left, number) {
    const who = Math.floor(number / state.slots);
    const core = number < 0 ? "?" : coreIn(state.round, who, number % state.slots);
    return onion(size, left, openedLayers(eyes, left), core);
  }

  function coreIn(round, who, slot) {
    const said = answersOf(round, who);
    return coreOf(state.slots === 1 ? said.flat() : said[slot]);
  }
}

// The things that fly while a move is made, each with where it comes from and where it goes.
// many: how many people's envelopes go together, when a pile hands in at once.
function flights(map, scene, many) {
  const move = scene.last;
  if (!move || !scene.lastSeen) return [];
  if (move.what === "post") return [{ from: spot(map, move.by), to: spot(map, "board"), glyph: card(64) }];
  if (move.what === "send") {
    const one = () => scene.envelope(96, move.person, move.round, move.fault);
    const glyph = many > 1 ? pile(one, many, 80) : one();
    return [{ from: spot(map, move.by), to: spot(map, move.to), glyph }];
  }
  return move.what === "batch" ? batchFlights(map, scene, move) : [];
}

function batchFlights(map, scene, move) {
  const [from, to] = [spot(map, move.by), spot(map, move.to)];
  const heaps = Math.min(move.onions.length, move.onions.length > ONE_BY_ONE ? 12 : move.onions.length);
  const each = Math.ceil(move.onions.length / (heaps || 1));
  const columns = Math.ceil(Math.sqrt(heaps));
  const size = Math.min(44, 190 / (columns || 1));
  const found = [];
  for (let i = 0; i * each < move.onions.length; i += 1) {
    const x = ((i % columns) - (columns - 1) / 2) * size;
    const y = (Math.floor(i / columns) - (Math.ceil(heaps / columns) - 1) / 2) * size;
    const one = () => scene.flying(size * 0.86, move.by, move.onions[i * each]);
    const count = Math.min(each, move.onions.length - i * each);
    const glyph = each > 1 ? pile(one, count, size) : one();
    found.push({ from: { x: from.x + x, y: from.y + y }, to: { x: to.x + x, y: to.y + y }, glyph });
  }
  return found;
}
