// Parts of the picture that are the same whoever carries messages.

const PIXELS = 0.8; // of a unit of the stage, at least, beside the text
const SMALLEST = 14.1; // pixels of a letter
const BESIDE = 600; // pixels of the stage from which on the text stands beside it
const MOST_WIDE = 1200; // units
const FEWEST = 700;
const PILES_ABOVE = 48; // people; more are drawn as piles
const ONE_BY_ONE = 64; // things in a box that are drawn one by one
const LINES = 12; // of counts in a reader's box

// Choose the units of the stage: as many as there is room for with letters of 14 px. width, height: of
// the picture, in pixels. Narrower pages have the text below, and the picture of a large one, small.
function fitStage(width, height) {
  const beside = width >= BESIDE && height > 0;
  STAGE.wide = beside ? Math.min(MOST_WIDE, Math.max(FEWEST, width / PIXELS)) : MOST_WIDE;
  const shape = beside ? Math.min(Math.max(height / width, 0.7), 1.1) : 880 / 1200;
  STAGE.high = STAGE.wide * shape;
  const scale = beside ? Math.min(width / STAGE.wide, height / STAGE.high) : 0.916;
  STAGE.least = SMALLEST / scale;
}

function middle(place) {
  return { x: place.x + place.width / 2, y: place.y + place.height / 2 };
}

function tick(size) {
  return el("path", { class: "tick", d: `M${-size} 0 l${size * 0.8} ${size * 0.8} l${size * 1.4} ${-size * 1.7}` });
}

// What is pinned on somebody, under the figure, in one line or two.
function pinnedLines(bill, row, size, width) {
  const values = Object.values(row).map((value) => brief(value, 9));
  const half = values.join(" ").length > 10 ? Math.ceil(values.length / 2) : values.length;
  const lines = [values.slice(0, half), values.slice(half)].filter((line) => line.length);
  const high = Math.max(size * (lines.length > 1 ? 0.28 : 0.36), STAGE.least + 1);
  const room = Math.floor((width * 0.94) / (0.62 * STAGE.least)); // letters
  return lines.map((line, i) => {
    const whole = line.join(" ");
    const each = Math.max(1, Math.floor(room / line.length) - 1);
    const words = whole.length <= room || line.length === 1 ? whole : line.map((value) => value.slice(0, each)).join(" ");
    const node = fitted(0, size * 0.34 + i * high, words, width * 0.94, high);
    node.setAttribute("class", "pinned-line");
    return node;
  });
}

function frame(place, kind) {
  return el("rect", { width: place.width, height: place.height, rx: 14, class: kind });
}

function fittedLeft(x, y, words, width, height) {
  const node = fitted(x, y, words, width, height);
  node.setAttribute("text-anchor", "start");
  return node;
}

// The longest of some words, in falling length, that need not be cut.
const longestOf = (all, width, height) => all.find((words) => words.length * 0.62 * Math.min(height, STAGE.least) <= width) ?? all.at(-1);

function card(size) {
  const lines = [-0.2, 0, 0.2].map((y) => `M${-size * 0.25} ${size * y} h${size * 0.5}`).join(" ");
  return el(
    "g",
    { class: "card" },
    el("rect", { x: -size * 0.38, y: -size * 0.45, width: size * 0.76, height: size * 0.9, rx: 3 }),
    el("path", { d: lines }),
  );
}

function hidden(inside, size) {
  const x = inside.x + inside.width / 2;
  const y = inside.y + inside.height / 2;
  const wide = Math.min(size, inside.width / 4.2);
  const word = fitted(x, y + wide, t("hidden"), wide * 4, wide);
  return [at(x, y - wide * 0.6, eye(false, wide * 2)), word];
}

// Things in rows, as large as there is room for; too many of them in piles.
function arranged(things, room) {
  if (!things.length) return [];
  const heaps = things.length > ONE_BY_ONE ? 12 : things.length;
  const each = Math.ceil(things.length / heaps);
  const shown = things.filter((_, i) => i % each === 0);
  const { size, columns } = grid(shown.length, things[0].wide, room);
  return shown.map((thing, i) => {
    const x = room.x + room.width / 2 + ((i % columns) - (Math.min(columns, shown.length) - 1) / 2) * size * thing.wide;
    const y = room.y + (Math.floor(i / columns) + 0.5) * size;
    const count = Math.min(each, things.length - i * each);
    const glyph = () => thing.draw(size * 0.92 * thing.wide);
    return at(x, y, each > 1 ? pile(() => thing.draw(size * 0.66), count, size * 0.7) : glyph());
  });
}

function grid(many, wide, room, most = 92) {
  let best = { size: 0, columns: 1 };
  for (let columns = 1; columns <= many; columns += 1) {
    const size = Math.min(room.width / (columns * wide), room.height / Math.ceil(many / columns), most);
    if (size > best.size + 0.01) best = { size, columns };
  }
  return { ...best, side: best.size };
}

// A reader's counts: a line for every value, a square for every person, or a bar where they are many.
function countedLines(bill, box, inside, scene) {
  const lines = [];
  box.counts.forEach((cells, ask) => {
    for (const [values, people] of cells) lines.push({ ask, values, people });
  });
  const shown = lines.length > LINES ? lines.slice(0, LINES - 1) : lines;
  const step = Math.min(62, inside.height / (shown.length + (lines.length > shown.length)));
  const most = Math.max(...lines.map((line) => line.people), 1);
  const longest = Math.max(...shown.map((line) => lineName(bill, box, line).length));
  const label = Math.min(inside.width * 0.5, longest * 0.6 * STAGE.least * 1.35 + 8);
  const nodes = shown.map((line, i) => at(inside.x, inside.y + (i + 0.5) * step, countedLine(bill, line, { width: inside.width, label, step, most }, scene, box)));
  if (lines.length > shown.length)
    nodes.push(fitted(inside.x + inside.width / 2, inside.y + (shown.length + 0.5) * step, t("more-lines", { n: lines.length - shown.length }), inside.width, step * 0.6));
  return nodes;
}

// A joint count names its values alone: there is no room for their columns too.
function lineName(bill, box, { ask, values }) {
  const most = values.length > 1 ? 8 : 12;
  if (values.length > 1) return values.map((value) => brief(value, most)).join(" ");
  return `${brief(bill.columns[box.asks[ask][0]], 12)} = ${brief(values[0], most)}`;
}

function countedLine(bill, line, { width, label, step, most }, scene, box) {
  const { ask, values, people } = line;
  const group = el("g", {}, fittedLeft(0, 0, lineName(bill, box, line), label - 8, Math.min(22, step * 0.6)));
  const room = width - label - 58;
  group.append(fittedLeft(width - 52, 0, digits(people), 52, Math.min(24, step * 0.7)));
  const { side, columns } = grid(most, 1, { width: room, height: step * 0.86 }, 34);
  if (side < 9) {
    group.append(el("rect", { class: "bar", x: label, y: -step * 0.3, width: (room * people) / most, height: step * 0.6, rx: 3 }));
    return group;
  }
  const who = scene.whoSaid(ask, values, box);
  const rows = Math.ceil(people / columns);
  for (let i = 0; i < people; i += 1) {
    const cell = at(label + ((i % columns) + 0.5) * side, (Math.floor(i / columns) - (rows - 1) / 2) * side);
    const kind = who[i] === undefined ? "cell" : who[i] === scene.way?.who ? "cell known chosen" : "cell known";
    cell.append(el("rect", { class: kind, x: -side * 0.45, y: -side * 0.45, width: side * 0.9, height: side * 0.9, rx: 3 }));
    if (who[i] !== undefined) cell.append(fitted(0, 0, String(who[i] + 1), side * 0.84, side * 0.7));
    group.append(cell);
  }
  return group;
}

function coreOf(values) {
  return values && values.length ? values.map((value) => value.trim().slice(0, 4)).join(" ") : "?";
}
