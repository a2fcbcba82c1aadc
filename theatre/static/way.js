// One person's way: person, envelope, onions, count; as far as these eyes can follow it, and why, by
// the rules of protocol/knowledge/derivation.py in the words of `show --why` (scenarios/records/
// verification/explanation.py; a test compares them). Behind the last layer they can open there is only the crowd.

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
  return { who, name: calledOf(bill, who), shown, linked: linked.length > 0, steps: waySteps(bill, linked.length ? linked : traced, who), ...wayEnding(bill, all, linked, eyes, who) };
}

// The last round is told; an earlier one too, where audits let it be followed by another rule.
function waySteps(bill, rounds, who) {
  const told = rounds.map((one) => wayReasons(bill, one, who));
  const last = told.pop() || [];
  const other = (steps) => steps.some((step) => !last.some((same) => same.rule === step.rule));
  const steps = [...told.filter(other).flat(), ...last];
  return steps.filter((step, i) => steps.findIndex((same) => same.text === step.text) === i);
}

function wayEnding(bill, all, linked, eyes, who) {
  const name = calledOf(bill, who);
  const names = eyesTogether(eyes);
  if (linked.length) return { ending: t("way-linked", { name, names }), missing: [] };
  const stuck = all.filter((one) => one.traced && one.opened < one.openers.length);
  if (!stuck.length) return { ending: t("way-none", { names, name }), missing: [] };
  const missing = [...new Set(stuck.flatMap((one) => one.opens.filter((opened) => opened < one.openers.length).map((opened) => one.openers[opened])))];
  const key = all.some((one) => one.shown.size) ? "way-ends-audited" : "way-ends";
  return { missing, ending: t(key, { missing: missing.map((party) => named(party)).join(t("and")), name }) };
}

// The steps, each {rule, text}; the onions of a person take the same way and are told together.
function wayReasons(bill, one, who) {
  const name = calledOf(bill, who);
  const said = one.asks.map((columns, ask) => columns.map((column, i) => `${bill.columns[column]}=${brief(one.said[ask]?.[i] ?? "?")}`).join(" ")).join(", ");
  if (one.own) return [{ rule: "own", text: t("way-own", { name, said, round: one.round }) }];
  if (!one.traced) return [];
  const saw = { rule: "saw", text: t("way-saw", { names: one.seenBy.map((party) => named(party)).join(t("and")), name, to: named(one.to, "to"), round: one.round }) };
  const steps = one.audited[0]
    ? [{ rule: "shown", text: t("way-accepted", { name }) }]
    : [...(one.opened ? [saw] : []), { rule: "sender", text: t("way-handed-in", { name }) }];
  one.openers.slice(0, one.opened).forEach((opener, layer) => {
    const last = layer === one.openers.length - 1;
    const things = layer ? "onions" : "envelope";
    const party = named(opener);
    if (one.audited[layer]) steps.push({ rule: "shown", text: t(`way-audit-${things}`, { party }) });
    else {
      if (one.audited[0] && !one.audited[layer - 1]) steps.push({ rule: "saw", text: t("way-saw-batch", { party, from: named(one.openers[layer - 1]), round: one.round }) });
      steps.push({ rule: "key", text: t("way-key", { who: named(opener, "the") }) });
      const whose = t(`way-open-${things}`, { party });
      steps.push({ rule: "open", text: last && one.linked ? `${whose}: ${said}` : whose });
    }
    if (!last) steps.push({ rule: "follow", text: t(`way-follow-${things}`, { name }) });
  });
  if (one.linked) steps.push({ rule: "read", text: t("way-read", { name, said, round: one.round }) });
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
  const words = told ? t("crowd-most", { n: told }) : t("crowd-of", { people: bill.people });
  return el("g", { class: "unlit" }, el("rect", { class: "plate", x: -62, y: -20, width: 124, height: 40, rx: 20 }), fitted(0, 0, words, 112, 20));
}
