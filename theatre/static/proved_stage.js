// The picture of a verified mix: people on the left, the board with its rows of locked boxes in the
// middle, keyholders on the right, the network below. What the eyes do not see is not drawn.

function layout(bill) {
  const places = new Map();
  const { wide, high } = STAGE;
  const side = wide * 0.24; // people on the left
  const right = wide * 0.21; // keyholders
  const inner = { x: side + 16, width: wide - side - right - 40 };
  places.set("board", { ...inner, y: 8, height: high - 90 });
  places.set("network", { ...inner, y: high - 74, height: 64 });
  const x = wide - right - 8;
  const small = Math.min(104, (high * 0.4) / bill.shufflers);
  for (let i = 0; i < bill.shufflers; i += 1) places.set(`shuffler-${i + 1}`, { x, y: 8 + i * small, width: right, height: small - 8 });
  const top = 8 + bill.shufflers * small;
  const each = (high - top - 10) / 2;
  ["curator", "analyst"].forEach((party, i) => places.set(party, { x, y: top + i * each, width: right, height: each - 8 }));
  return { places, ...crowdLayout(bill, side) };
}

function spot(map, party) {
  if (party.startsWith("user-")) return map.centre(Number(party.slice(5)) - 1);
  return middle(map.places.get(party) || map.places.get("network"));
}

function sceneAt(bill, moves, position, eyes, chosen = null) {
  const state = fold(bill, moves, position);
  const known = knows(bill, moves, position, eyes);
  const last = position ? moves[position - 1] : null;
  return {
    state,
    known,
    eyes,
    way: chosen === null ? null : wayOf(bill, state, eyes, chosen, known),
    last,
    lastSeen: last !== null && sees(eyes, last),
    seesSend: (name) => eyes.has(name) || eyes.has("network") || state.openers.some((party) => eyes.has(party)),
    // Who said so in the round, as far as the eyes can tell.
    whoSaid(ask, values, box) {
      const rows = known.byRound.get(box.round) || new Map();
      return [...rows.keys()].filter((who) => (state.answers.get(`${box.round}/${who}`)?.[ask] || []).join("\n") === values.join("\n"));
    },
  };
}

// The things that fly while a move is made. many: how many people's boxes go together.
function flights(map, scene, many) {
  const move = scene.last;
  if (!move || !scene.lastSeen) return [];
  if (move.what === "post") return [{ from: spot(map, move.by), to: spot(map, "board"), glyph: card(64) }];
  if (move.what !== "send") return [];
  const one = () => lockedBox(70, scene.state.openers, new Set(), "");
  return [{ from: spot(map, move.by), to: spot(map, move.to), glyph: many > 1 ? pile(one, many, 70) : one() }];
}

function drawStage(bill, map, scene) {
  const group = el("g");
  group.append(...drawPeople(bill, map, scene));
  for (const [party, place] of map.places)
    if (party === "board") group.append(drawBoard(bill, place, scene));
    else if (party === "network") group.append(drawNetwork(place, scene));
    else group.append(drawKeyholder(bill, party, place, scene));
  return group;
}

// A box that keyholders have locked: a small lock of each, gone where its key is turned. words: on the box.
function lockedBox(size, openers, turned, words, open = false) {
  const [width, height] = [size * 0.94, size * 0.62];
  const group = el("g", { class: "lockbox" });
  group.append(el("rect", { class: open ? "core clear" : "core", x: -width / 2, y: -height / 2, width, height, rx: size * 0.08 }));
  if (words) group.append(fitted(0, open ? 0 : -height * 0.16, words, width * 0.96, open ? height * 0.95 : height * 0.5));
  if (open) return group;
  const step = width / (openers.length + 1);
  openers.forEach((party, i) => {
    const at = { cx: -width / 2 + step * (i + 1), cy: height * 0.29, r: Math.min(step * 0.36, height * 0.15) };
    group.append(el("circle", { class: `${hueOf(party)} lock ${turned.has(party) ? "turned" : ""}`, ...at }));
  });
  return group;
}

// The seal of a row: a tick where its proof holds, a cross where it does not.
function sealSign(size, row) {
  const broken = row.seal === "broken";
  const group = el("g", { class: "seal" }, el("circle", { class: hueOf(row.by), r: size / 2 }));
  if (row.seal !== "unchecked") group.append(broken ? cross(size * 0.2) : tick(size * 0.2));
  return titled(group, t(`seal-${row.seal}`));
}

function drawBoard(bill, place, scene) {
  const { posts, round, rows, openers } = scene.state;
  const node = at(place.x, place.y, frame(place, "box board"));
  const room = place.width - 28 - (round ? 110 : 0);
  node.append(fittedLeft(14, 21, longestOf(shorter("board-title"), room, 21), room, 21));
  if (round) node.append(text(place.width - 14, 28, t("round", { round }), "label", "end"));
  const last = posts.at(-1);
  if (last) node.append(at(30, 62, card(32)), fittedLeft(58, 62, t("posted-by", { what: t(`kind-${last.kind}`), who: named(last.by) }), place.width - 72, 24));
  const lines = Math.max(openers.length, 2); // a row as handed in, and one after each shuffler
  const high = (place.height - 88) / lines;
  const due = round ? [null, ...openers.slice(0, -1)] : [];
  due.forEach((by, i) => node.append(at(10, 84 + i * high, drawRow(bill, scene, by, by === null ? null : rows[i - 1], i, { width: place.width - 20, height: high - 6 }))));
  return node;
}

// A row of boxes on the board. by: the shuffler that posts it, null for the row as handed in.
function drawRow(bill, scene, by, row, number, room) {
  const { state } = scene;
  const group = el("g", { class: "boxrow" }, el("rect", { class: "shelf", width: room.width, height: room.height, rx: 10 }));
  const there = by === null ? state.listed.length > 0 : Boolean(row);
  const words = by === null ? shorter(state.again ? "row-again" : "row-handed-in") : shorter("row-after", { who: named(by, "to") });
  const side = 150; // beside the boxes, which are of one size in all rows
  group.append(fittedLeft(12, 18, longestOf(words, room.width - 24, 21), room.width - 24, 21));
  if (!there) return group;
  const inside = { x: 8, y: 36, width: room.width - 16 - side, height: room.height - 42 };
  group.append(...arranged(boxesOf(bill, scene, by, number), inside));
  if (row) {
    const x = room.width - side / 2;
    group.append(at(x, room.height * 0.42, sealSign(Math.min(72, room.height * 0.42), row)));
    group.append(fitted(x, room.height * 0.82, longestOf(shorter(`row-${row.seal}`), side - 20, 21), side - 20, 21));
  }
  return group;
}

// The boxes of a row: with names as handed in; open in the last row once all keys are turned.
function boxesOf(bill, scene, by, number) {
  const { state, known } = scene;
  const many = state.asks.length;
  const closed = (words, turned = new Set()) => ({ wide: 1, draw: (size) => lockedBox(size, state.openers, turned, words) });
  if (by === null)
    return state.listed.flatMap((who) =>
      state.asks.map((columns, ask) => {
        const row = known.byRound.get(state.round)?.get(who);
        const values = row && columns.every((column) => column in row) ? columns.map((column) => row[column]) : null;
        return values ? { wide: 1, draw: (size) => lockedBox(size, state.openers, new Set(), coreOf(values), true) } : closed(String(who + 1));
      }),
    );
  const last = number === state.openers.length - 1;
  const counted = known.counted.filter((one) => one.round === state.round);
  if (last && counted.length) {
    const values = counted.flatMap((one) => one.counts.flatMap(([said, people]) => Array.from({ length: people }, () => said)));
    return values.map((said) => ({ wide: 1, draw: (size) => lockedBox(size, state.openers, new Set(), coreOf(said), true) }));
  }
  return Array.from({ length: state.listed.length * many }, () => closed("", last ? state.keys : new Set()));
}

function drawNetwork(place, scene) {
  const node = at(place.x, place.y, frame(place, `box hue-network ${scene.eyes.has("network") ? "open" : "shut"}`));
  const title = fittedLeft(64, 0, named("network"), 110, 22);
  node.append(title, ...wires(place, scene.eyes.has("network"), title));
  return node;
}

// A keyholder: whether its key is still in its pocket, and what a reader has counted.
function drawKeyholder(bill, party, place, scene) {
  const { state, eyes } = scene;
  const open = eyes.has(party);
  const active = scene.last && (scene.last.by === party || scene.last.to === party) && scene.lastSeen;
  const node = at(place.x, place.y, frame(place, `box ${hueOf(party)} ${open ? "open" : "shut"} ${active ? "active" : ""}`));
  node.append(at(24, 22, seal(28, party)), fittedLeft(46, 22, named(party), place.width - (state.cheats.has(party) ? 92 : 52), 22));
  const said = keyWords(party, state, open);
  const room = place.width - 16;
  node.append(fitted(place.width / 2, 52, longestOf(said, room, 20), room, 20));
  if (state.cheats.has(party)) node.append(at(place.width - 24, 24, warning(34)));
  const counts = open ? state.counts.get(party) : null;
  if (counts) {
    const box = { counts, asks: state.asks, round: state.round };
    node.append(...countedLines(bill, box, { x: 8, y: 72, width: room, height: place.height - 80 }, scene));
  } else if (place.height > 130) node.append(...(open ? [] : hidden({ x: 8, y: 66, width: room, height: place.height - 74 }, 30)));
  return titled(node, t(open ? "box-open" : "box-shut", { who: named(party) }));
}

function keyWords(party, state, open) {
  if (state.cheats.has(party)) return shorter("key-broken");
  if (!state.openers.includes(party)) return shorter("key-none");
  if (state.keys.has(party)) return shorter("key-turned");
  if (open && state.counts.has(party)) return shorter("key-private");
  const boxes = state.doors.get(party);
  if (boxes) return shorter("key-handed", { boxes });
  return shorter("key-kept");
}

// What is known of the way of a person: its box stands on the board, and behind an order it is lost.
function wayOf(bill, state, eyes, who, known) {
  const name = calledOf(bill, who);
  const names = eyesTogether(eyes);
  const rounds = [...known.rounds].filter(([round]) => state.answers.has(`${round}/${who}`));
  const linked = [...known.byRound].filter(([, people]) => people.has(who));
  const steps = rounds.map(([round]) => ({ rule: "shown", text: t(bill.once && round > 1 ? "way-box-again" : "way-box", { name, round }) }));
  for (const [round, people] of linked) steps.push({ rule: "read", text: t("way-read", { name, said: said(bill, people.get(who)), round }) });
  if (linked.length) return { who, name, shown: true, linked: true, steps, ending: t("way-linked", { name, names }), missing: [] };
  const missing = [...new Set(rounds.flatMap(([, round]) => round.openers.filter((party) => !eyes.has(party))))];
  const ending = rounds.length
    ? t("way-box-ends", { missing: missing.map((party) => named(party)).join(t("and")), name, people: bill.people })
    : t("way-box-none", { names, name });
  return { who, name, shown: rounds.length > 0, linked: false, steps, ending, missing };
}
