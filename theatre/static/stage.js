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

function drawBoard(place, scene) {
  const { posts } = scene.state;
  const node = at(place.x, place.y, frame(place, "box board"));
  const { round } = scene.state;
  const room = place.width - 28 - (round ? 110 : 0);
  node.append(fittedLeft(14, 21, longestOf(shorter("board-title"), room, 21), room, 21));
  const last = posts.slice(-1)[0];
  if (last) {
    const line = t("posted-by", { what: t(`kind-${last.kind}`), who: named(last.by) });
    node.append(at(30, 66, card(36)), fittedLeft(62, 66, line, place.width - 76, 26));
  }
  if (round) node.append(text(place.width - 14, 28, t("round", { round }), "label", "end"));
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
  const title = fittedLeft(left, size * 0.95, longestOf([named(party), t(`short-${party.split("-")[0]}`)], room, 22), room, Math.min(size, 22));
  node.append(title);
  if (party === "network") node.append(...wires(place, open, title));
  else {
    node.append(at(size * 0.95, size * 0.95, seal(size * 1.15, party)));
    const inside = { x: 8, y: size * 1.9, width: place.width - 16, height: place.height - size * 1.9 - 8 };
    node.append(...contents(bill, party, open, inside, scene));
  }
  return titled(node, t(open ? "box-open" : "box-shut", { who: named(party) }));
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
  const words = longestOf(note(box), inside.width, 21);
  const foot = fitted(inside.x + inside.width / 2, inside.y + inside.height - 12, words, inside.width, 21);
  const high = inside.height - 30;
  if (!wrong.length || whole.length <= ONE_BY_ONE) return [...arranged(whole, { ...inside, height: high }), foot];
  const top = { ...inside, height: Math.min(high * 0.3, 80) }; // faults are never in a heap with the rest
  const rest = { ...inside, y: inside.y + top.height, height: high - top.height };
  return [...arranged(wrong, top), ...arranged(fine, rest), foot];
}

// What stands at the foot of a box, and the same shorter.
function note(box) {
  if (box.dropped.length) return shorter("some-dropped", { n: box.dropped.length });
  if (box.refused) return shorter("some-refused", { n: box.refused });
  const many = box.envelopes.length || box.onions.length;
  const words = t(box.envelopes.length ? "envelopes" : "onions", { n: many });
  if (box.stage === "sorted") return shorter("some-sorted", { words });
  return many ? [words] : shorter(`stage-${box.stage}`);
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
