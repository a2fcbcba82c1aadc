// Glyphs, all of them drawn: no picture depends on what a font has. A layer is a ring with the sign
// of the party that opens it; the rings that the eyes can open are dashed and see-through, and a seal names who must open the next.

// The stage in its own units, which `fitStage` (figures.js) chooses by the room there is: least is the
// smallest letter, 14 px high where the page is wide enough for a picture beside its text.
const STAGE = { wide: 1200, high: 880, least: 15.4 };

const SVG = "http://www.w3.org/2000/svg";

function el(name, attributes = {}, ...children) {
  const node = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  node.append(...children);
  return node;
}

function at(x, y, ...children) {
  return el("g", { transform: `translate(${x} ${y})` }, ...children);
}

function text(x, y, words, kind = "", anchor = "middle") {
  return el("text", { x, y, class: kind, "text-anchor": anchor }, words);
}

function titled(node, words) {
  node.prepend(el("title", {}, words));
  return node;
}

// The one sign of a party: the number of a shuffler or a peer, a letter for a reader.
function signOf(party) {
  if (party === "?") return party;
  return party.includes("-") ? party.split("-")[1] : t(`sign-${party}`);
}

// The hue of a party's layer: shufflers and peers take turns, readers have their own; "?": not known.
function hueOf(party) {
  if (party === "?") return "hue-none";
  return party.includes("-") ? `hue-${(Number(party.split("-")[1]) - 1) % 4}` : `hue-${party}`;
}

function person(size, kind) {
  const s = size / 60;
  return el(
    "g",
    { class: `person ${kind}`, transform: `scale(${s})` },
    el("circle", { cx: 0, cy: -13, r: 12 }),
    el("path", { d: "M-24 26 a24 22 0 0 1 48 0 z" }),
  );
}

function eye(open, size) {
  const lid = "M-12 0 Q0 -11 12 0 Q0 11 -12 0 z";
  const shut = "M-12 -2 Q0 9 12 -2 M-8 3 l-3 5 M0 5 v6 M8 3 l3 5";
  const group = el("g", { class: `eye ${open ? "open" : "shut"}`, transform: `scale(${size / 24})` });
  group.append(el("path", { d: open ? lid : shut }));
  if (open) group.append(el("circle", { cx: 0, cy: 0, r: 4 }));
  return group;
}

// The seal that is still shut: the hue and the sign of the party that opens it.
function seal(size, party) {
  const group = el("g", { class: "seal" }, el("circle", { r: size / 2, class: hueOf(party) }));
  const sign = fitted(0, 0, signOf(party), size * 0.9, size * 0.72);
  if (sign.textContent) group.append(sign);
  else group.classList.add("small");
  return group;
}

function cross(size) {
  const d = `M${-size} ${-size} L${size} ${size} M${size} ${-size} L${-size} ${size}`;
  return el("path", { class: "cross", d });
}

function warning(size) {
  return el(
    "g",
    { class: "warning", transform: `scale(${size / 20})` },
    el("path", { d: "M0 -10 L11 9 H-11 z" }),
    el("path", { class: "mark", d: "M0 -3 v6 M0 6 v1" }),
  );
}

// An onion around (0, 0). openers: the layers still on it, outermost first. opened: how many of them
// the eyes can open. core: what is said inside, shown only if the eyes can open all.
function onion(size, openers, opened, core) {
  const group = el("g", { class: "onion" });
  const step = Math.min(size * 0.1, size / (2 * openers.length + 6));
  openers.forEach((party, i) => {
    const side = size - 2 * step * i;
    const through = i < opened;
    group.append(
      el("rect", {
        x: -side / 2,
        y: -side / 2,
        width: side,
        height: side,
        rx: side * 0.22,
        class: `layer ${hueOf(party)} ${through ? "through" : "closed"}`,
      }),
    );
  });
  const inner = size - 2 * step * openers.length;
  const clear = opened >= openers.length;
  group.append(
    el("rect", {
      x: -inner / 2,
      y: -inner / 2,
      width: inner,
      height: inner,
      rx: inner * 0.2,
      class: clear ? "core clear" : "core",
    }),
  );
  if (clear && core !== undefined) group.append(fitted(0, 0, core, inner * 0.95, inner * 0.75));
  else if (!clear) group.append(seal(Math.max(inner * 0.94, size * 0.42), openers[opened]));
  return group;
}

// A word in the middle of (x, y), no wider than `width` and no higher than `height`: cut where it has
// no room, and left out where what would be left is too small to be read from the last row.
function fitted(x, y, words, width, height) {
  const { least } = STAGE;
  const high = height < least && least <= 1.35 * height ? least : height;
  let size = Math.min(high, width / Math.max(0.62 * words.length, 0.62));
  if (size < least) {
    const room = Math.floor(width / (0.62 * least));
    if (high < least || room < Math.min(4, words.length)) return el("g");
    if (room < words.length) words = `${words.slice(0, room - 2)}..`;
    size = least;
  }
  const node = text(x, y + size * 0.35, words, "said");
  node.setAttribute("font-size", size.toFixed(1));
  return node;
}

// An envelope around (0, 0): the first opener's layer around a person's onions.
function envelope(size, openers, opened, cores, fault) {
  const width = size;
  const height = size * 0.68;
  const through = opened > 0;
  const group = el("g", { class: "envelope" });
  group.append(
    el("rect", {
      x: -width / 2,
      y: -height / 2,
      width,
      height,
      rx: size * 0.06,
      class: `layer ${hueOf(openers[0])} ${through ? "through" : "closed"}`,
    }),
  );
  const each = Math.min(height * (through ? 0.9 : 0.5), (width * 0.97) / cores.length);
  const y = through ? 0 : height * 0.22;
  cores.forEach((core, i) => {
    const x = (i - (cores.length - 1) / 2) * each;
    group.append(at(x, y, onion(each * 0.92, openers.slice(1), through ? opened - 1 : 0, core)));
  });
  if (!through) {
    const flap = `M${-width / 2} ${-height / 2} L0 ${-height * 0.02} L${width / 2} ${-height / 2}`;
    group.append(el("path", { class: "flap", d: flap }));
    group.append(at(0, -height * 0.18, seal(size * 0.27, openers[0])));
  }
  if (fault) group.append(at(width / 2, -height / 2, warning(size * 0.3)));
  return group;
}

// Many things alike: three of them on a heap, and how many there are.
function pile(glyph, count, size) {
  const group = el("g", { class: "pile" });
  for (const shift of [2, 1, 0])
    group.append(at(-shift * size * 0.08, -shift * size * 0.1, glyph()));
  const label = digits(count);
  const letter = Math.max(size * 0.36, STAGE.least);
  const width = letter * (0.8 + 0.68 * label.length);
  group.append(
    at(
      size * 0.42,
      size * 0.42,
      el("rect", { class: "badge", x: -width / 2, y: -letter * 0.62, width, height: letter * 1.24, rx: letter * 0.55 }),
      fitted(0, 0, label, width * 0.94, letter),
    ),
  );
  return group;
}
