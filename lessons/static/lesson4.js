// Why the slack: c and the number of people are dragged, and each run is a sign: broken or kept.
// table: `runs` at each point, `people`, `c`, `kinds` of tables (their keys), the places of each at
// the start, and `broken`: by kind, people and c the runs in which the promise is broken, without the
// term and with it.
const ACROSS = 10;

// A run in which the promise is broken is a cross, one in which it is kept a ring.
function drawRuns(width, runs, broken, name) {
  const step = Math.min(26, width / ACROSS);
  const svg = blank(step * ACROSS, step * Math.ceil(runs / ACROSS));
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", name);
  svg.classList.add("runs");
  const half = step * 0.3;
  for (let at = 0; at < runs; at += 1) {
    const x = ((at % ACROSS) + 0.5) * step;
    const y = (Math.floor(at / ACROSS) + 0.5) * step;
    if (at < broken) svg.append(shape("path", { d: `M${x - half} ${y - half}L${x + half} ${y + half}M${x - half} ${y + half}L${x + half} ${y - half}`, class: "broken" }));
    else svg.append(shape("circle", { cx: x, cy: y, r: half, class: "kept" }));
  }
  return svg;
}

function picture(root, table, t) {
  const chosen = [...table.start];
  let width = 0;
  const pair = element("div", { class: "pair" });
  const line = element("p", { role: "status" });
  const side = (title, formula, broken) => {
    const said = t("l4-broken", { n: broken, runs: table.runs });
    const sign = broken ? "✗" : "✓";
    return element("figure", {}, element("figcaption", {}, element("strong", {}, title), element("span", {}, formula), element("b", {}, `${sign} ${said}`)), drawRuns(width / 2 - 12, table.runs, broken, `${title}: ${said}`));
  };
  const draw = () => {
    const [people, c, kind] = chosen;
    const [without, withTerm] = table.broken[kind][people][c];
    const value = table.c[c];
    pair.replaceChildren(side(t("l4-without"), t("l4-nobody-below"), without), side(t("l4-with"), t("l4-at-most", { most: percent(value) }), withTerm));
    line.textContent = t("l4-now", { c: value, people: table.people[people], n: without, runs: table.runs, kept: withTerm });
  };
  const set = (which) => (place) => {
    chosen[which] = place;
    draw();
  };
  root.append(
    element(
      "div",
      { class: "dials" },
      dial(t("l4-c"), table.c.map(figure), chosen[1], set(1)),
      dial(t("l4-people"), table.people.map(figure), chosen[0], set(0)),
      selection(t("l4-kind"), table.kinds.map((key) => t(key)), chosen[2], set(2)),
    ),
    pair,
    line,
  );
  fitted(pair, (wide) => {
    width = wide;
    draw();
  });
}
