// The ways of one peer's answers: from hand to hand, as far as these eyes can follow them, and why.
// Behind a peer that is not theirs there is only the crowd of that batch.

function wayOf(bill, moves, position, eyes, who, known) {
  const own = known.members.has(who);
  const rounds = [...known.ways].filter(([, here]) => here.answers.has(who));
  const linked = [...known.byRound].some(([, rows]) => rows.has(who));
  const shown = rounds.length ? lastWays(rounds, known, who, own) : null;
  const steps = shown ? shown.ways.flatMap((way) => wayReasons(bill, shown, way, who, own)) : [];
  return { who, name: calledOf(bill, who), shown, linked, own, steps, ...wayEnding(bill, eyes, who, shown, linked) };
}

// Those of the last round in which it was linked, or has answered.
function lastWays(rounds, known, who, own) {
  const pinned = rounds.filter(([round]) => known.byRound.get(round)?.has(who));
  const [round, here] = (pinned.length ? pinned : rounds).at(-1);
  const steps = complete(here);
  const all = [...here.ways.values()];
  const seen = Array.from({ length: steps + 1 }, (_, step) => followed(all, known.members, step));
  const ways = all
    .filter(({ onion, origin }) => origin === who && onion % here.slots < here.asks.length)
    .map((way) => ({ ...way, reach: own ? way.stops.length : reached(way, seen) }));
  return { round, here, steps, ways, linked: Boolean(known.byRound.get(round)?.has(who)) };
}

// The stops of an onion that these eyes know: it is seen to be given to the first.
function reached(way, seen) {
  let reach = 1;
  seen.forEach((some, step) => {
    if ([...some].some(({ onion }) => onion === way.onion)) reach = Math.max(reach, Math.min(step + 1, way.stops.length));
  });
  return reach;
}

function wayReasons(bill, shown, way, who, own) {
  const { here, steps } = shown;
  const columns = here.asks[way.onion % here.slots].map((column) => bill.columns[column]).join(" x ");
  const stops = way.stops.slice(0, way.reach).map((stop) => calledOf(bill, stop)).join(t("peer-way-then"));
  const said = here.answers.get(who)[way.onion % here.slots].map((value) => brief(value)).join(" ");
  const whole = own || (way.reach >= here.path && shown.linked && steps === here.path);
  if (whole) return [{ rule: "path", text: t("peer-way-says", { columns, stops, said }) }];
  if (way.reach > way.stops.length) return [{ rule: "path", text: t("peer-way", { columns, stops }) }];
  if (way.stops.length < here.path && way.reach === way.stops.length) return [{ rule: "path", text: t("peer-way-so-far", { columns, stops }) }];
  const batch = [...here.ways.values()].filter((other) => other.stops[way.reach - 1] === way.stops[way.reach - 1]);
  const senders = new Set(batch.map(({ origin }) => origin)).size;
  return [{ rule: "crowd", text: t("peer-way-crowd", { columns, stops, onions: t("onions", { n: batch.length }), senders: t("senders", { n: senders }) }) }];
}

function wayEnding(bill, eyes, who, shown, linked) {
  const name = calledOf(bill, who);
  const names = eyesTogether(eyes);
  if (linked) return { ending: t("way-linked", { name, names }), missing: [] };
  if (!shown) return { ending: t("peer-way-none", { name }), missing: [] };
  const missing = [...new Set(shown.ways.filter((way) => way.reach < way.stops.length).map((way) => nameOf(bill, way.stops[way.reach - 1])))];
  const ending = missing.length
    ? t("peer-way-ends", { names, missing: missing.map((party) => named(party)).join(t("and")) })
    : t("peer-way-closed", { names });
  return { ending, missing };
}

// The ways over the stage: full where the eyes can follow, dashed where there is only the crowd.
function drawWay(bill, map, scene) {
  const { way } = scene;
  const group = el("g", { class: "way" });
  if (!way || !way.shown) return group;
  for (const one of way.shown.ways) {
    const places = [way.who, ...one.stops].map((index) => {
      const { x, y } = map.centre(index);
      return { x: x - map.cell.width * 0.22, y }; // where the figure stands
    });
    places.slice(1).forEach((b, i) => {
      const a = places[i];
      const kind = i < one.reach ? "trail" : "trail crowd";
      group.append(el("path", { class: kind, d: `M${a.x} ${a.y} L${b.x} ${b.y}` }));
    });
    const end = places[Math.min(one.reach, places.length - 1)];
    group.append(el("circle", { class: "trail-end", cx: end.x, cy: end.y, r: 11 }));
  }
  return group;
}
