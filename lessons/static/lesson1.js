// Envelopes: parties are ticked, the answer is dragged along its way; layers open with their keys.
// table: `people`, `says`, the key of the answer, and by group of parties (the sum of their bits:
// the two shufflers, the curator, the network) `has`, whether it has the answer at each place of its
// way, `whose`, whether it knows there whose it is, and `opened`, whether it opens each layer.
const SHEET = 42;
const PLACE = 12;

// A lock, closed or open, at a place.
function drawLock(svg, x, y, open) {
  const bow = open ? `M${x + 2} ${y}v-4a4 4 0 0 1 8 0` : `M${x + 2} ${y}v-3a4 4 0 0 1 8 0v3`;
  svg.append(shape("path", { d: bow, class: "bow" }), shape("rect", { x, y, width: 12, height: 9, rx: 2, class: open ? "slip" : "read" }));
}

// The people, of whom one is known to have sent the answer, or none.
function drawPeople(svg, width, people, known) {
  const step = Math.min(40, (width - 2 * PLACE) / people);
  const left = (width - step * (people - 1)) / 2;
  for (let at = 0; at < people; at += 1) {
    const own = known && at === 0;
    svg.append(shape("circle", { cx: left + at * step, cy: 34, r: 9, class: own ? "guess" : "slip" }));
    if (!known) svg.append(shape("text", { x: left + at * step, y: 39, "font-size": 13, "text-anchor": "middle" }, "?"));
  }
  if (known) svg.append(label(left, 17, t("l1-anna"), 14, width, { class: "right" }));
}

// The layers from a place on, one inside the other, and the slip in them.
function drawLayers(svg, width, from, opens, names, slip) {
  const outer = Math.min(width, 460);
  names.slice(from).forEach((name, depth) => {
    const x = (width - outer) / 2 + depth * PLACE;
    const y = 58 + depth * SHEET;
    const size = { x, y, width: outer - 2 * depth * PLACE, height: (names.length - from - depth) * (SHEET + PLACE) + 40 };
    svg.append(shape("rect", { ...size, rx: 8, class: opens(from + depth) ? "glass" : "veiled" }));
    drawLock(svg, x + 12, y + 18, opens(from + depth));
    svg.append(shape("text", { x: x + 34, y: y + 27, "font-size": 14, class: opens(from + depth) ? "soft" : "right" }, name));
  });
  const y = 58 + (names.length - from) * SHEET;
  svg.append(shape("rect", { x: width / 2 - 44, y, width: 88, height: 40, rx: 3, class: slip ? "truth" : "slip" }));
  svg.append(shape("text", { x: width / 2, y: y + 26, "font-size": 17, "text-anchor": "middle", class: slip ? "onslip" : "right" }, slip || "?"));
}

function picture(root, table, t) {
  const parties = [t("l1-first"), t("l1-second"), t("l1-curator"), t("l1-network")];
  const places = [t("l1-place-first"), t("l1-place-second"), t("l1-place-curator"), t("l1-place-opened")];
  const layers = parties.slice(0, 3);
  let group = 0;
  let place = 0;
  let width = 0;
  const way = element("div");
  const tiles = element("ul", { class: "tiles" });
  const line = element("p", { role: "status" });
  const tile = (title, found, text) => element("li", { class: found ? "tile on" : "tile" }, element("strong", {}, title), element("span", { class: "state" }, found ? `✓ ${text}` : text));
  const draw = () => {
    const has = table.has[group][place];
    const whose = has && table.whose[group][place];
    const shut = layers.findIndex((_, layer) => layer >= place && !table.opened[group][layer]);
    const reads = has && shut === -1;
    const opens = (layer) => has && (shut === -1 || layer < shut);
    const svg = blank(width, 108 + (layers.length - place) * (SHEET + PLACE));
    svg.setAttribute("aria-hidden", "true");
    drawPeople(svg, width, table.people, whose);
    drawLayers(svg, width, place, opens, layers, reads ? t(table.says) : "");
    way.replaceChildren(svg);
    const missing = t("l1-not-here");
    const sealed = () => t("l1-sealed", { party: layers[shut] });
    tiles.replaceChildren(
      tile(t("l1-whose"), whose, whose ? t("l1-annas") : has ? t("l1-one-of", { people: table.people }) : missing),
      tile(t("l1-what"), reads, reads ? t(table.says) : has ? sealed() : missing),
    );
    const both = whose && reads ? t("l1-both") : t("l1-not-both");
    line.textContent = group ? both : t("l1-nobody");
  };
  const box = (name, bit) => {
    const input = element("input", { type: "checkbox" });
    input.addEventListener("change", () => {
      group += input.checked ? 2 ** bit : -(2 ** bit);
      draw();
    });
    return element("label", { class: "choice" }, input, element("span", {}, name));
  };
  root.append(
    element("p", {}, t("l1-choose")),
    element("div", { class: "dials" }, ...parties.map(box)),
    dial(t("l1-place"), places, 0, (at) => {
      place = at;
      draw();
    }),
    way,
    tiles,
    line,
  );
  fitted(way, (wide) => {
    width = wide;
    draw();
  });
}
