// One person's way: person, envelope, onions, count; as far as these eyes can follow it, and why, by
// the rules of protocol/derivation.py in the words of `show --why` (scenarios/verification/
// explanation.py; a test compares them). Behind the last layer they can open there is only the crowd.

function wayOf(bill, moves, position, eyes, who, known) {
  const rounds = new Map();
  const slots = new Map(); // onions in an envelope of the round
  for (const move of moves.slice(0, position)) {
    if (move.kind === "call") slots.set(move.round, move.slots);
    if (move.what === "send" && move.person === who && !move.unlinked && !rounds.has(move.round))
      rounds.set(move.round, { round: move.round, to: move.to, at: 1, said: move.answers || [], slots: slots.get(move.round), ...known.rounds.get(move.round) });
    const here = rounds.get(move.round);
    if (here && move.what === "batch") here.at += 1;
    if (here && move.what === "count") here.counted = true;
  }
  const own = eyes.has(`user-${who + 1}`);
  for (const one of rounds.values()) {
    one.own = own;
    one.seenBy = [...eyes].filter((name) => name === one.to || name === "network").sort();
    one.linked = Boolean(known.byRound.get(one.round)?.has(who));
    one.traced = one.seenBy.length > 0 || Boolean(one.shown.get(1)?.has(who));
    one.opens = one.asks.map((_, ask) => reached(one, eyes, who, ask)); // per question, layers from the outside
    one.opened = Math.min(...one.opens);
    one.audited = one.openers.map((_, layer) => one.asks.some((_, ask) => shownTo(one, layer, who, ask)));
    one.reach = own || one.traced ? Math.min(1 + one.opened, one.openers.length) : 0;
  }
  const all = [...rounds.values()].sort((a, b) => a.round - b.round);
  const linked = all.filter((one) => one.linked);
  const traced = all.filter((one) => one.traced); // audits may have opened the first round's only
  const shown = [linked, traced, all].find((some) => some.length)?.at(-1) || null;
  return { who, name: nameOf(bill, who), shown, linked: linked.length > 0, steps: waySteps(bill, linked.length ? linked : traced, who), ...wayEnding(all, linked, eyes, who) };
}

// The last round is told; an earlier one too, where audits let it be followed by another rule.
function waySteps(bill, rounds, who) {
  const told = rounds.map((one) => wayReasons(bill, one, who));
  const last = told.pop() || [];
  const other = (steps) => steps.some((step) => !last.some((same) => same.rule === step.rule));
  const steps = [...told.filter(other).flat(), ...last];
  return steps.filter((step, i) => steps.findIndex((same) => same.text === step.text) === i);
}

function wayEnding(all, linked, eyes, who) {
  const about = `user-${who + 1}`;
  const names = [...eyes].sort().join(" + ") || "anybody";
  if (linked.length) return { ending: `${about} is linked by ${names}`, missing: [] };
  const stuck = all.filter((one) => one.traced && one.opened < one.openers.length);
  if (!stuck.length) return { ending: `${names} has nothing that it could know to be from ${about}`, missing: [] };
  const missing = [...new Set(stuck.flatMap((one) => one.opens.filter((opened) => opened < one.openers.length).map((opened) => one.openers[opened])))];
  return {
    missing,
    ending: `there the trail ends: the next layer opens with the key of ${missing.join(" and ")}, which is not among theirs; behind it ${about} is one of all whose messages leave in that batch${all.some((one) => one.shown.size) ? ", less those whom audits tell from it" : ""}`,
  };
}

// The steps, each {rule, text}; the onions of a person take the same way and are told together.
function wayReasons(bill, one, who) {
  const about = `user-${who + 1}`;
  const said = one.asks.map((columns, ask) => columns.map((column, i) => `${bill.columns[column]}=${brief(one.said[ask]?.[i] ?? "?")}`).join(" ")).join(", ");
  if (one.own) return [{ rule: "own", text: `${about} said ${said} itself in round ${one.round}` }];
  if (!one.traced) return [];
  const saw = { rule: "saw", text: `${one.seenBy.join(" and ")} saw the envelope in the submission from ${about} to ${one.to}, round ${one.round}` };
  const steps = one.audited[0]
    ? [{ rule: "shown", text: `the envelope was accepted from ${about}, as the board shows` }]
    : [...(one.opened ? [saw] : []), { rule: "sender", text: `the envelope was handed in by ${about}, who is seen to send it` }];
  one.openers.slice(0, one.opened).forEach((opener, layer) => {
    const last = layer === one.openers.length - 1;
    const what = layer ? "the onions" : "the envelope";
    if (one.audited[layer]) steps.push({ rule: "shown", text: `an audit has opened ${what} (${layer ? "their" : "its"} layer is for ${opener})` });
    else {
      if (one.audited[0] && !one.audited[layer - 1]) steps.push({ rule: "saw", text: `${opener} saw the onions in the batch from ${one.openers[layer - 1]} to ${opener}, round ${one.round}` });
      steps.push({ rule: "key", text: `${opener} has its own key` });
      const whose = `so ${layer ? "the onions open (their" : "the envelope opens (its"} layer is for ${opener})`;
      steps.push({ rule: "open", text: last && one.linked ? `${whose}: ${said}` : whose });
    }
    if (!last) steps.push({ rule: "follow", text: layer ? `so what is inside is ${about}'s: it came out of the onions` : `so the onions are ${about}'s: they came out of the envelope` });
  });
  if (one.linked) steps.push({ rule: "read", text: `so ${about} said ${said} in round ${one.round}` });
  return steps;
}

// The way over the stage: full where the eyes can follow, dashed where there is only the crowd.
function drawWay(bill, map, scene) {
  const { way } = scene;
  const group = el("g", { class: "way" });
  if (!way || !way.shown) return group;
  const { shown, who } = way;
  const { x, y } = map.centre(who);
  const stations = [{ x: x + map.cell.width * 0.3, y }, ...shown.openers.map((party) => waySpot(map, party))];
  const reader = map.places.get(shown.openers.at(-1));
  const readable = shown.linked && shown.counted && !shown.own; // then its cells are lit in the counts
  if (readable) stations[shown.openers.length] = { x: reader.x, y: reader.y + reader.height / 2 };
  const here = Math.min(shown.at, shown.openers.length);
  for (let i = 0; i < here; i += 1) {
    const [a, b] = [stations[i], stations[i + 1]];
    const full = i < shown.reach;
    group.append(el("path", { class: full ? "trail" : "trail crowd", d: `M${a.x} ${a.y} L${b.x} ${b.y}` }));
  }
  for (let i = 1; i <= here; i += 1) {
    const place = stations[i];
    if (readable && i === shown.openers.length) group.append(el("circle", { class: "trail-end", cx: place.x, cy: place.y, r: 9 }));
    else if (i <= shown.reach) group.append(at(place.x, place.y, wayGlyph(shown, i)));
    else group.append(at(place.x, place.y, crowdSign(scene, bill, who)));
  }
  return group;
}

// In a party's box, above its middle, clear of what is written at its foot.
function waySpot(map, party) {
  const place = map.places.get(party);
  const reader = party === "curator" || party === "analyst";
  return { x: place.x + place.width * 0.5, y: place.y + place.height * (reader ? 0.84 : 0.3) };
}

function wayGlyph(one, station) {
  const size = 118;
  const plate = el("rect", { class: "plate", x: -size / 2 - 7, y: -size * 0.4, width: size + 14, height: size * 0.8, rx: 10 });
  const cores = Array.from({ length: one.slots }, (_, slot) => coreOf(one.slots === 1 ? one.said.flat() : one.said[slot]));
  if (station === 1) return el("g", { class: "lit" }, plate, envelope(size, one.openers, one.own ? one.openers.length : one.opened, cores));
  const left = one.openers.slice(station - 1);
  const each = Math.min(size / cores.length, size * 0.6);
  const opened = one.own ? left.length : Math.max(one.opened - station + 1, 0);
  const onions = cores.map((core, i) => at((i - (cores.length - 1) / 2) * each, 0, onion(each * 0.92, left, opened, core)));
  return el("g", { class: "lit" }, plate, ...onions);
}

function crowdSign(scene, bill, who) {
  const told = scene.known.hiding.get(who); // where audits have told crowds apart
  const words = told ? `at most ${told.toLocaleString("en")}` : `one of ${bill.people.toLocaleString("en")}`;
  return el("g", { class: "unlit" }, el("rect", { class: "plate", x: -62, y: -20, width: 124, height: 40, rx: 20 }), fitted(0, 0, words, 112, 20));
}
