// Who must collude: parties are ticked; their keys make shufflers transparent, and people are linked
// if a line leads from a person to an answer that is read.
// table: `people`, `shufflers`, the place of their number at the start, and by this place `linked`,
// the people linked by each coalition, and `smallest`, the smallest coalitions that link anybody. A
// coalition is the sum of its parties' bits: the shufflers in order, the curator, the analyst.
const BESIDE = 112;
const BAND = 46;

// The place at which a shuffler hands on what came at a place. Drawn, not measured.
const handedOn = (at, shuffler) => {
  const size = 5 + (shuffler % 2);
  return at - (at % size) + size - 1 - (at % size);
};

function drawWay(svg, width, people, shufflers, reads, linked) {
  const step = (width - BESIDE - 8) / (people - 1);
  const x = (at) => BESIDE + 4 + at * step;
  const name = (y, text, given = {}) => svg.append(shape("text", { x: 0, y, "font-size": 14, ...given }, text));
  const bottom = 36 + shufflers.length * BAND;
  let places = [...Array(people).keys()];
  name(24, t("l3-people"));
  for (const at of places) svg.append(shape("circle", { cx: x(at), cy: 20, r: Math.min(5, step * 0.36), class: "guess" }));
  shufflers.forEach((tells, at) => {
    const top = 30 + at * BAND;
    name(top + 20, t("l3-shuffler", { at: at + 1 }), { class: "right" });
    name(top + 37, tells ? t("l3-tells") : t("l3-quiet"), { class: "soft" });
    svg.append(shape("rect", { x: BESIDE - 4, y: top, width: width - BESIDE + 4, height: BAND, class: tells ? "glass" : "veiled" }));
    if (!tells) svg.append(shape("text", { x: (BESIDE + width) / 2, y: top + BAND / 2 + 8, "font-size": 24, "text-anchor": "middle", class: "right" }, "?"));
    const left = places.map((place) => handedOn(place, at));
    if (tells) places.forEach((place, who) => svg.append(shape("line", { x1: x(place), x2: x(left[who]), y1: top, y2: top + BAND, class: linked ? "linked" : "way" })));
    places = left;
  });
  name(bottom + 12, t("l3-answers"));
  name(bottom + 29, reads ? t("l3-read") : t("l3-sealed"), { class: "soft" });
  const side = Math.min(10, step * 0.7);
  for (const place of places) svg.append(shape("rect", { x: x(place) - side / 2, y: bottom, width: side, height: side, class: reads ? "read" : "slip" }));
}

function picture(root, table, t) {
  const people = table.people;
  const members = new Set();
  let at = table.start;
  let width = 0;
  const boxes = element("div", { class: "dials" });
  const way = element("div");
  const line = element("p", { role: "status" });
  const names = () => [...Array(table.shufflers[at]).keys(), "curator", "analyst"];
  const coalition = () => names().reduce((sum, name, bit) => sum + (members.has(name) ? 2 ** bit : 0), 0);
  const draw = () => {
    const mask = coalition();
    const linked = table.linked[at][mask];
    const svg = blank(width, 76 + table.shufflers[at] * BAND);
    svg.setAttribute("aria-hidden", "true");
    const tells = names().map((name) => members.has(name));
    drawWay(svg, width, people, tells.slice(0, -2), tells.slice(-2).includes(true), linked > 0);
    way.replaceChildren(svg);
    const few = table.smallest[at].includes(mask) ? t("l3-smallest") : "";
    line.textContent = mask ? `${t("l3-now", { n: linked, people })} ${few}` : t("l3-nobody");
  };
  const spoken = (name) => {
    if (name === "curator") return t("l3-curator");
    return name === "analyst" ? t("l3-analyst") : t("l3-shuffler", { at: name + 1 });
  };
  const box = (name) => {
    const input = element("input", members.has(name) ? { type: "checkbox", checked: "" } : { type: "checkbox" });
    input.addEventListener("change", () => {
      if (input.checked) members.add(name);
      else members.delete(name);
      draw();
    });
    return element("label", { class: "choice" }, input, element("span", {}, spoken(name)));
  };
  const offer = () => boxes.replaceChildren(...names().map(box));
  offer();
  root.append(
    dial(t("l3-shufflers"), table.shufflers.map(figure), at, (place) => {
      at = place;
      offer();
      draw();
    }),
    element("p", {}, t("l3-choose")),
    boxes,
    line,
    way,
    element("p", {}, t("l3-cheats")),
  );
  fitted(way, (wide) => {
    width = wide;
    draw();
  });
}
