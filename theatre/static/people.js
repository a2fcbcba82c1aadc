// The people on the left, each for itself or in piles, and the network, whatever mix carries their messages.

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

function drawPeople(bill, map, scene) {
  if (bill.outside && !bill.people) return [text(map.room / 2, 36, t("people-heading"), "heading"), fitted(map.room / 2, 64, t("people-unknown"), map.room * 0.95, 22)];
  const made = (bill.simulated || []).length; // those who are no people, but stand for some
  const heading = t(made ? "people-simulated" : "people", { n: bill.people, made });
  const middle = map.room / 2;
  const nodes = [made ? fitted(middle, 36, heading, map.room * 0.97, 30) : text(middle, 36, heading, "heading")];
  const { linked } = scene.known;
  const words = linked ? t("some-identified", { n: linked }) : longestOf(shorter("answers-hidden"), map.room - 60, 22);
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
  if (bill.simulated?.includes(index)) group.append(fitted(0, size * 0.72, t("simulated"), width * 0.96, 20));
  if (row) group.append(...pinnedLines(bill, row, size, map.cell.width));
  if (state.silent.has(index) && eyes.has(name)) group.append(at(0, -size * 0.3, cross(size * 0.4)));
  const sent = state.sent.get(index);
  if (sent !== undefined && scene.seesSend(name)) group.append(at(-size * 0.5, -size * 0.55, tick(size * 0.12)));
  return titled(group, t("someone-title", { who: named(name), said: row ? said(bill, row) : t("nothing-pinned") }));
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
  const label = pinned ? t("some-pinned", { n: pinned }) : sent ? t("some-sent", { n: sent }) : range.join("");
  // Neighbours' labels may not touch: numbers of four digits stand in two lines.
  const lines = label.length > 8 && !pinned && !sent ? range : [label];
  lines.forEach((line, at) => group.append(fitted(0, size * 0.72 + 22 * at, line, map.cell.width * 0.94, 22)));
  return titled(group, t("crowd-title", { first: first + 1, last, pinned: t("some-pinned", { n: pinned }) }));
}

// The network is no place where things stay: it hears what is on the wires, and has no key.
function wires(place, open, title) {
  title.setAttribute("y", place.height / 2 + 8);
  const y = place.height / 2;
  const room = place.width - 190;
  const words = open ? longestOf(shorter("network-hears"), room, 22) : t("hidden");
  return [at(34, y, eye(open, 36)), fittedLeft(176, y, words, room, 22)];
}

// With piles, so many people hand in their envelopes at once while it plays.
function burst() {
  const many = show.bill.people > PILES_ABOVE ? Math.ceil(show.bill.people / 25) : 1;
  let sent = 0;
  while (sent < many && show.moves[show.at + sent]?.what === "send") sent += 1;
  return Math.max(sent, 1);
}
