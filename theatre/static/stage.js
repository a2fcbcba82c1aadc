// The picture: people on the left, shufflers in the middle, curator and analyst on the right, the
// board above and the network below. What the eyes do not see is not drawn, and said to be hidden.

function layout(bill) {
  const places = new Map();
  const { wide, high } = STAGE;
  const side = wide * 0.275; // people on the left, readers on the right
  const inner = { x: side + 20, width: wide - 2 * side - 60 };
  places.set("board", { ...inner, y: 8, height: 100 });
  places.set("network", { ...inner, y: high - 72, height: 64 });
  places.set("curator", { x: wide - side - 8, y: 8, width: side, height: high / 2 - 14 });
  places.set("analyst", { x: wide - side - 8, y: high / 2 + 6, width: side, height: high / 2 - 14 });
  const many = bill.shufflers;
  const columns = many <= 3 ? many : Math.ceil(Math.sqrt(many));
  const rows = Math.ceil(many / columns);
  const [width, height] = [inner.width / columns, (high - 204) / rows];
  for (let i = 0; i < many; i += 1) {
    const x = inner.x + (i % columns) * width;
    const y = 120 + Math.floor(i / columns) * height;
    places.set(`shuffler-${i + 1}`, { x: x + 5, y, width: width - 10, height: height - 12 });
  }
  return { places, ...crowdLayout(bill, side) };
}

// Where people stand: each for itself, or in piles of neighbours. room: the width that they have.
function crowdLayout(bill, room) {
  const each = bill.people > PILES_ABOVE ? Math.ceil(bill.people / 12) : 1;
  const groups = Math.ceil(bill.people / each);
  const { columns, width, height } = roomiest(groups, room);
  const centre = (index) => {
    const group = Math.floor(index / each);
    return {
      x: 8 + (group % columns) * width + width / 2,
      y: 82 + Math.floor(group / columns) * height + height / 2,
    };
  };
  return { each, groups, room, cell: { width, height }, centre };
}

// The number of columns in which figures are largest.
function roomiest(groups, room) {
  let best = { size: 0, columns: 1, width: room, height: 200 };
  for (let columns = 1; columns <= groups; columns += 1) {
    const width = room / columns;
    const height = Math.min((STAGE.high - 90) / Math.ceil(groups / columns), 200);
    const size = Math.min(width * 0.72, height * 0.56);
    if (size > best.size) best = { columns, width, height, size };
  }
  return best;
}

function spot(map, party) {
  if (party.startsWith("user-")) return map.centre(Number(party.slice(5)) - 1);
  return middle(map.places.get(party) || map.places.get("network"));
}

function drawStage(bill, map, scene) {
  const group = el("g");
  group.append(...drawPeople(bill, map, scene));
  for (const [party, place] of map.places)
    if (party === "board") group.append(drawBoard(place, scene));
    else group.append(drawBox(bill, party, place, scene));
  group.append(drawWay(bill, map, scene));
  return group;
}

function drawPeople(bill, map, scene) {
  if (bill.outside && !bill.people) return [text(map.room / 2, 36, "people", "heading"), fitted(map.room / 2, 64, "how many is not said yet", map.room * 0.95, 22)];
  const made = (bill.simulated || []).length; // those who are no people, but stand for some
  const named = `${bill.people.toLocaleString("en")} people${made ? `, ${made} simulated` : ""}`;
  const middle = map.room / 2;
  const nodes = [made ? fitted(middle, 36, named, map.room * 0.97, 30) : text(middle, 36, named, "heading")];
  const { linked } = scene.known;
  const words = linked ? `${linked.toLocaleString("en")} identified` : longestOf(["what they say is hidden", "answers hidden", "hidden"], map.room - 60, 22);
  nodes.push(at(30, 64, eye(linked > 0, 26)), fittedLeft(52, 64, words, map.room - 60, 22));
  for (let group = 0; group < map.groups; group += 1) {
    const first = group * map.each;
    const { x, y } = map.centre(first);
    const last = Math.min(first + map.each, bill.people);
    const draw = map.each > 1 ? drawCrowd : drawPerson;
    nodes.push(at(x, y, draw(bill, map, scene, first, last)));
  }
  return nodes;
}

function drawPerson(bill, map, scene, index) {
  const { state, known, eyes } = scene;
  const name = `user-${index + 1}`;
  const row = known.pinned.get(index);
  const size = Math.min(map.cell.height * 0.56, map.cell.width * 0.72);
  const kinds = [row ? "pinned" : "", eyes.has(name) ? "looking" : "", scene.way?.who === index ? "chosen" : ""];
  const group = el("g", { class: "someone", "data-party": name });
  const { width, height } = map.cell;
  group.append(el("rect", { class: "hit", x: -width / 2, y: -height / 2, width, height }));
  group.append(at(0, -size * 0.3, person(size, kinds.join(" "))));
  group.append(fitted(0, -size * 0.06, String(index + 1), size * 0.6, size * 0.4));
  if (eyes.has(name)) group.append(at(size * 0.5, -size * 0.6, eye(true, size * 0.36)));
  if (bill.simulated?.includes(index)) group.append(fitted(0, size * 0.72, "simulated", width * 0.96, 20));
  if (row) group.append(...pinnedLines(bill, row, size, map.cell.width));
  if (state.silent.has(index) && eyes.has(name)) group.append(at(0, -size * 0.3, cross(size * 0.4)));
  const sent = state.sent.get(index);
  if (sent !== undefined && scene.seesSend(name)) group.append(at(-size * 0.5, -size * 0.55, tick(size * 0.12)));
  return titled(group, `${name}: ${row ? said(bill, row) : "nothing pinned"}; click to light its way`);
}

function drawCrowd(bill, map, scene, first, last) {
  const { state, known } = scene;
  const size = Math.min(map.cell.height * 0.5, map.cell.width * 0.62);
  let pinned = 0;
  let sent = 0;
  for (let i = first; i < last; i += 1) {
    pinned += known.pinned.has(i);
    sent += state.sent.has(i) && scene.seesSend(`user-${i + 1}`);
  }
  const kind = pinned ? "pinned" : "";
  const group = el("g", { class: "someone" });
  group.append(at(0, -size * 0.35, pile(() => person(size, kind), last - first, size)));
  const range = [`${first + 1}-`, `${last}`];
  const label = pinned ? `${pinned} pinned` : sent ? `${sent} sent` : range.join("");
  // Neighbours' labels may not touch: numbers of four digits stand in two lines.
  const lines = label.length > 8 && !pinned && !sent ? range : [label];
  lines.forEach((line, at) => group.append(fitted(0, size * 0.72 + 22 * at, line, map.cell.width * 0.94, 22)));
  return titled(group, `people ${first + 1} to ${last}: ${pinned} pinned`);
}

function drawBoard(place, scene) {
  const { posts } = scene.state;
  const node = at(place.x, place.y, frame(place, "box board"));
  const { round } = scene.state;
  const room = place.width - 28 - (round ? 110 : 0);
  node.append(fittedLeft(14, 21, longestOf(["the board, for everybody", "the board"], room, 21), room, 21));
  const last = posts.slice(-1)[0];
  if (last) {
    const line = `${last.kind} by ${last.by}`;
    node.append(at(30, 66, card(36)), fittedLeft(62, 66, line, place.width - 76, 26));
  }
  if (round) node.append(text(place.width - 14, 28, `round ${round}`, "label", "end"));
  return node;
}

function drawBox(bill, party, place, scene) {
  const open = scene.eyes.has(party);
  const active = scene.last && (scene.last.by === party || scene.last.to === party) && scene.lastSeen;
  const node = at(place.x, place.y);
  node.append(frame(place, `box ${hueOf(party)} ${open ? "open" : "shut"} ${active ? "active" : ""}`));
  const size = Math.min(26, place.width / 6);
  const left = party === "network" ? 64 : size * 1.7;
  const room = place.width - left - 6;
  const title = fittedLeft(left, size * 0.95, longestOf([party, party.split("-")[0]], room, 22), room, Math.min(size, 22));
  node.append(title);
  if (party === "network") node.append(...wires(place, open, title));
  else {
    node.append(at(size * 0.95, size * 0.95, seal(size * 1.15, party)));
    const inside = { x: 8, y: size * 1.9, width: place.width - 16, height: place.height - size * 1.9 - 8 };
    node.append(...contents(bill, party, open, inside, scene));
  }
  return titled(node, `${party}: ${open ? "you look through these eyes" : "hidden from these eyes"}`);
}

// The network is no place where things stay: it hears what is on the wires, and has no key.
function wires(place, open, title) {
  title.setAttribute("y", place.height / 2 + 8);
  const y = place.height / 2;
  const room = place.width - 190;
  const words = open ? longestOf(["hears every wire, has no key", "hears wires, no key", "no key"], room, 22) : "hidden";
  return [at(34, y, eye(open, 36)), fittedLeft(176, y, words, room, 22)];
}

function contents(bill, party, open, inside, scene) {
  if (!open) return hidden(inside, 30);
  const box = scene.state.boxes.get(party) || emptied();
  if (box.stage === "counted") return countedLines(bill, box, inside, scene);
  const whole = [
    ...box.envelopes.map((number) => envelopeThing(scene, number)),
    ...box.crossed.map((number) => envelopeThing(scene, number)),
    ...box.onions.map((number) => onionThing(scene, party, number, false)),
    ...box.dropped.map((number) => onionThing(scene, party, number, true)),
  ];
  const wrong = whole.filter((thing) => thing.wrong);
  const fine = whole.filter((thing) => !thing.wrong);
  const words = note(box, party, scene);
  const foot = fitted(inside.x + inside.width / 2, inside.y + inside.height - 12, words, inside.width, 21);
  const high = inside.height - 30;
  if (!wrong.length || whole.length <= ONE_BY_ONE) return [...arranged(whole, { ...inside, height: high }), foot];
  const top = { ...inside, height: Math.min(high * 0.3, 80) }; // faults are never in a heap with the rest
  const rest = { ...inside, y: inside.y + top.height, height: high - top.height };
  return [...arranged(wrong, top), ...arranged(fine, rest), foot];
}

function note(box, party, scene) {
  if (box.dropped.length) return `${box.dropped.length} dropped`;
  if (box.refused) return `${box.refused} refused`;
  const many = box.envelopes.length || box.onions.length;
  const words = count(many, box.envelopes.length ? "envelope" : "onion");
  if (box.stage === "sorted") return `${words}, sorted`;
  return many ? words : box.stage;
}

function envelopeThing(scene, number) {
  const { person: who, refused, fault } = scene.state.envelopes[number];
  return {
    wide: 1.35,
    wrong: Boolean(refused || (fault && scene.eyes.has("shuffler-1"))),
    draw: (size) => {
      const glyph = scene.envelope(size, who, scene.state.round, fault);
      if (refused) glyph.append(cross(size * 0.3));
      return glyph;
    },
  };
}

function onionThing(scene, party, number, dropped) {
  return {
    wide: 1,
    wrong: dropped || number < 0,
    draw: (size) => {
      const glyph = scene.onion(size, party, number);
      if (dropped) glyph.append(cross(size * 0.4));
      if (number < 0) glyph.append(at(size * 0.35, -size * 0.35, warning(size * 0.6)));
      return glyph;
    },
  };
}

// With piles, so many people hand in their envelopes at once while it plays.
function burst() {
  const many = show.bill.people > PILES_ABOVE ? Math.ceil(show.bill.people / 25) : 1;
  let sent = 0;
  while (sent < many && show.moves[show.at + sent]?.what === "send") sent += 1;
  return Math.max(sent, 1);
}
