// The ways of one peer's answers: from hand to hand, as far as these eyes can follow them, and why.
// Behind a peer that is not theirs there is only the crowd of that batch.

function wayOf(bill, moves, position, eyes, who, known) {
  const own = known.members.has(who);
  const rounds = [...known.ways].filter(([, here]) => here.answers.has(who));
  const linked = [...known.byRound].some(([, rows]) => rows.has(who));
  const shown = rounds.length ? lastWays(rounds, known, who, own) : null;
  const steps = shown ? shown.ways.flatMap((way) => wayReasons(bill, shown, way, who, own)) : [];
  return { who, name: nameOf(bill, who), shown, linked, own, steps, ...wayEnding(bill, eyes, who, shown, linked) };
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
  const stops = way.stops.slice(0, way.reach).map((stop) => nameOf(bill, stop));
  const said = here.answers.get(who)[way.onion % here.slots].map((value) => brief(value)).join(" ");
  const whole = own || (way.reach >= here.path && shown.linked && steps === here.path);
  const says = whole ? `: ${said}` : "";
  const through = `its onion for ${columns} went to ${stops.join(", then ")}${says}`;
  if (whole || way.reach > way.stops.length) return [{ rule: "path", text: through }];
  if (way.stops.length < here.path && way.reach === way.stops.length) return [{ rule: "path", text: `${through}, so far` }];
  const batch = [...here.ways.values()].filter((other) => other.stops[way.reach - 1] === way.stops[way.reach - 1]);
  const senders = new Set(batch.map(({ origin }) => origin)).size;
  return [{ rule: "crowd", text: `${through}, where it is one of ${count(batch.length, "onion")} of ${count(senders, "sender")}` }];
}

function wayEnding(bill, eyes, who, shown, linked) {
  const about = nameOf(bill, who);
  const names = [...eyes].sort().join(" + ") || "anybody";
  if (linked) return { ending: `${about} is linked by ${names}`, missing: [] };
  if (!shown) return { ending: `${about} has posted no onion yet`, missing: [] };
  const missing = [...new Set(shown.ways.filter((way) => way.reach < way.stops.length).map((way) => nameOf(bill, way.stops[way.reach - 1])))];
  const ending = missing.length
    ? `there the trail ends for ${names}: which came in as which is known to ${missing.join(" and ")} alone`
    : `${names} sees where its onions are, and not what is in them`;
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
