// The picture of peers: they stand in a ring around the board, on which everything is posted. Onions
// go from hand to hand; what is inside one shows only where the eyes can open it.

const RING = { x: 600, y: 446, wide: 486, high: 352 }; // units of a large stage; `layout` makes them this one's
const GROUPS = 20; // figures in the ring; of more people, neighbours stand together
const BOARD = { x: 322, y: 236, width: 556, height: 420 };
const LARGE = { ring: { ...RING }, board: { ...BOARD } };

function layout(bill) {
  const [across, down] = [STAGE.wide / 1200, STAGE.high / 880];
  const { ring, board } = LARGE;
  Object.assign(RING, { x: ring.x * across, y: ring.y * down, wide: ring.wide * across, high: ring.high * down });
  Object.assign(BOARD, { x: board.x * across, y: board.y * down, width: board.width * across, height: board.height * down });
  const each = bill.people > GROUPS ? Math.ceil(bill.people / GROUPS) : 1;
  const groups = Math.ceil(bill.people / each);
  const turn = (2 * Math.PI) / groups;
  const centre = (index) => {
    const angle = turn * Math.floor(index / each) - Math.PI / 2;
    return { x: RING.x + RING.wide * Math.cos(angle), y: RING.y + RING.high * Math.sin(angle) };
  };
  const high = groups > 4 ? Math.min(132, RING.high * Math.sin(turn) * 1.02) : 132;
  const cell = { width: Math.min(190, (2650 / groups) * 0.94) * across, height: high };
  return { places: new Map([["board", BOARD]]), each, groups, cell, centre };
}

function spot(map, party) {
  if (party.startsWith("peer-")) return map.centre(Number(party.slice(5)) - 1);
  return middle(BOARD);
}

function sceneAt(bill, moves, position, eyes, chosen = null) {
  const state = fold(bill, moves, position);
  const known = knows(bill, moves, position, eyes);
  const last = position ? moves[position - 1] : null;
  const way = chosen === null ? null : wayOf(bill, moves, position, eyes, chosen, known);
  return {
    state,
    known,
    eyes,
    way,
    last,
    lastSeen: last !== null && sees(eyes, last),
    // Who said so in a counted round, as far as the eyes can tell.
    whoSaid(ask, values, box) {
      const { asks } = box;
      return [...(known.byRound.get(box.round) || new Map())]
        .filter(([, row]) => asks[ask].every((column, i) => row[column] === values[i]))
        .map(([who]) => who);
    },
    onion: (size, holder, held) => heldOnion(bill, state, known, size, holder, held),
  };
}

// An onion in somebody's hands: its own layer, and those below, of which nobody else knows whose they
// are. Who made it knows what it says; below the last layer is a ballot that is sealed to everybody.
function heldOnion(bill, state, known, size, holder, { onion: number, step }) {
  const left = Array.from({ length: state.path - step + 1 }, (_, i) => (i ? "?" : nameOf(bill, holder)));
  const origin = Math.floor(number / state.slots);
  const own = number >= 0 && known.members.has(origin);
  const opens = known.members.has(holder);
  const opened = own ? left.length : opens ? 1 : 0;
  const said = own ? known.ways.get(state.round)?.answers.get(origin)?.[number % state.slots] : null;
  const core = !own ? "?" : said?.length ? coreOf(said) : "-";
  return onion(size, left, opened, core);
}

function drawStage(bill, map, scene) {
  const group = el("g");
  group.append(at(BOARD.x, BOARD.y, frame(BOARD, "box board")), drawWay(bill, map, scene), drawBoard(bill, scene));
  for (let place = 0; place < map.groups; place += 1) {
    const first = place * map.each;
    const { x, y } = map.centre(first);
    const last = Math.min(first + map.each, bill.people);
    const draw = map.each > 1 ? drawNeighbours : drawPeer;
    group.append(at(x, y, draw(bill, map, scene, first, last)));
  }
  return group;
}

function drawPeer(bill, map, scene, index) {
  const { state, known, eyes } = scene;
  const { width, height } = map.cell;
  const name = nameOf(bill, index);
  const row = known.pinned.get(index);
  const size = Math.min(height * 0.6, width * 0.5);
  const kinds = [row ? "pinned" : "", eyes.has(name) ? "looking" : "", scene.way?.who === index ? "chosen" : ""];
  const group = el("g", { class: "someone", "data-party": name });
  group.append(el("rect", { class: "hit", x: -width / 2, y: -height / 2, width, height }));
  const x = -width * 0.22;
  group.append(at(x, -size * 0.16, person(size, kinds.join(" "))));
  group.append(fitted(x, size * 0.1, String(index + 1), size * 0.6, size * 0.4));
  if (eyes.has(name)) group.append(at(x + size * 0.42, -size * 0.6, eye(true, size * 0.36)));
  if (row) group.append(at(x * 0.4, size * 0.2, ...pinnedLines(bill, row, size, width)));
  if (state.posted.has(index)) group.append(at(x - size * 0.46, -size * 0.52, tick(size * 0.12)));
  if (state.silent.has(index) && eyes.has(name)) group.append(at(x, -size * 0.16, cross(size * 0.4)));
  if (state.named.has(name)) group.append(at(x + size * 0.4, size * 0.1, warning(size * 0.5)));
  group.append(at(width * 0.24, -height * 0.04, inHand(scene, index, size * 0.62)));
  const held = state.hands.get(index)?.length || 0;
  return titled(group, t("peer-title", { who: named(name), said: row ? said(bill, row) : t("nothing-pinned"), onions: t("onions", { n: held }) }));
}

// The onions that a peer holds: one of them, and how many there are.
function inHand(scene, index, size) {
  const held = scene.state.hands.get(index) || [];
  if (!held.length) return el("g");
  const { known, state } = scene; // rather one that is not these eyes' own
  const one = held.find(({ onion: number }) => !known.members.has(Math.floor(number / state.slots))) || held[0];
  const glyph = () => scene.onion(size, index, one);
  return held.length > 1 ? pile(glyph, held.length, size) : glyph();
}

function drawNeighbours(bill, map, scene, first, last) {
  const { state, known } = scene;
  const size = Math.min(map.cell.height * 0.42, map.cell.width * 0.46);
  let [pinned, held] = [0, 0];
  for (let i = first; i < last; i += 1) {
    pinned += known.pinned.has(i);
    held += state.hands.get(i)?.length || 0;
  }
  const group = el("g", { class: "someone" });
  group.append(at(-size * 0.5, -size * 0.3, pile(() => person(size, pinned ? "pinned" : ""), last - first, size)));
  if (held) group.append(at(size * 0.6, -size * 0.2, pile(() => onion(size * 0.56, ["?"], 0), held, size * 0.56)));
  const label = pinned ? t("some-pinned", { n: pinned }) : `${first + 1}-${last}`;
  group.append(fitted(0, size * 0.78, label, map.cell.width * 0.94, 20));
  return titled(group, t("peers-title", { first: first + 1, last, pinned: t("some-pinned", { n: pinned }), onions: t("onions", { n: held }) }));
}

// The board: where the round stands, what was posted last, the ballots that are shown, the counts.
function drawBoard(bill, scene) {
  const { state } = scene;
  const node = at(BOARD.x, BOARD.y);
  node.append(text(16, 32, shorter("board-title").at(-1), "label", "start"));
  if (state.round) node.append(text(BOARD.width - 16, 32, stepSaid(state), "label", "end"));
  const last = state.posts.at(-1);
  if (last) node.append(at(34, 72, card(38)), fittedLeft(66, 72, postSaid(last), BOARD.width - 84, 24));
  const inside = { x: 16, y: 104, width: BOARD.width - 32, height: BOARD.height - 124 };
  if (state.counted) node.append(...countedLines(bill, state.counted, inside, scene));
  else if (state.found) node.append(...arranged(Array.from({ length: state.found }, () => BALLOT), inside));
  else node.append(...waiting(bill, state, inside));
  return titled(node, t("board-explains"));
}

const FOLLOWS = new Set(["decision", "burned", "closed"]); // what all work out from the posts
const postSaid = (move) => t(`${FOLLOWS.has(move.kind) ? "peers" : "peer"}-${move.what === "post" ? move.kind : move.what}`, { who: named(move.by) });
const stepSaid = (state) => t("peer-step", { round: state.round, step: state.step, steps: state.path + 5 });

// A ballot that no one peer can open: everybody's secret is in its seal.
const BALLOT = { wide: 1.2, wrong: false, draw: (size) => ballotGlyph(size) };

function ballotGlyph(size) {
  const group = el("g", { class: "onion" });
  group.append(el("rect", { class: "layer hue-none", x: -size / 2, y: -size * 0.34, width: size, height: size * 0.68, rx: 4 }));
  group.append(seal(size * 0.5, "?"));
  return group;
}

function waiting(bill, state, inside) {
  const key = state.burned ? "peers-unused" : state.round ? "peers-posted" : state.posts.length ? "peers-keys" : "peers-nothing";
  const words = t(key, { posted: state.posted.size, people: bill.people });
  return [fitted(inside.x + inside.width / 2, inside.y + inside.height / 2, words, inside.width, 30)];
}

// The things that fly while a move is made: bags of onions to their receivers, posts to the board.
function flights(map, scene) {
  const move = scene.last;
  if (!move || !scene.lastSeen || move.by === EVERYBODY) return [];
  const from = spot(map, move.by);
  if (move.what === "relay")
    return move.bags.map(([receiver, onions]) => ({ from, to: map.centre(receiver), glyph: bagGlyph(scene, move, receiver, onions) }));
  if (move.what === "found") {
    const glyph = () => ballotGlyph(52);
    return [{ from, to: middle(BOARD), glyph: move.number > 1 ? pile(glyph, move.number, 52) : glyph() }];
  }
  return [{ from, to: middle(BOARD), glyph: card(56) }];
}

function bagGlyph(scene, move, receiver, onions) {
  const glyph = () => scene.onion(50, receiver, { onion: onions[0], step: move.step });
  return onions.length > 1 ? pile(glyph, onions.length, 50) : glyph();
}

// With neighbours that stand together, so many of them post at once while it plays.
function burst() {
  const many = show.map.each > 1 ? Math.ceil(show.bill.people / GROUPS) : 1;
  const first = show.moves[show.at];
  let made = 0;
  while (made < many && show.moves[show.at + made]?.what === first?.what && show.moves[show.at + made]?.step === first?.step) made += 1;
  return Math.max(made, 1);
}
