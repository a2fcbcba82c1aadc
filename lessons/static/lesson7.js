// Your own table: choose columns, coarser steps and k; see the share of people in a crowd below k.
// table: `columns`, each with the keys of its name and of its coarser values, and its number of values;
// `k` with the place at the `start`; `people`; `crowds`, for each choice of levels (exact, coarser, out;
// the last column fastest), the sizes of crowds and the people in crowds of each.
const [TOP, TALL, GUTTER] = [8, 110, 62];

function picture(root, table, t) {
  const levels = table.columns.map(() => 0);
  let k = table.k[table.start];
  const chart = element("div");
  const line = element("p", { role: "status" });
  const chosen = () => table.crowds[levels.reduce((sum, level) => 3 * sum + level, 0)];
  const below = () => chosen().sizes.reduce((sum, size, at) => sum + (size < k ? chosen().people[at] : 0), 0) / table.people;
  const shown = (share) => percent(Number(share.toFixed(3)));

  const show = () => {
    const { sizes, people } = chosen();
    const n = sizes.reduce((sum, size, at) => sum + people[at] / size, 0);
    line.textContent = t("l7-now", { share: shown(below()), people: table.people, k, n });
    if (chart.clientWidth) draw(chart.clientWidth);
  };

  const draw = (width) => {
    const largest = Math.max(2 * k, ...chosen().sizes);
    const height = (size) => (TALL * Math.log(size + 1)) / Math.log(largest + 1);
    const wide = (people) => ((width - GUTTER) * people) / table.people;
    const floor = TOP + TALL;
    const svg = blank(width, floor + 34);
    svg.setAttribute("role", "img");
    svg.setAttribute("aria-label", line.textContent);
    let x = GUTTER;
    chosen().sizes.forEach((size, at) => {
      const block = wide(chosen().people[at]);
      svg.append(shape("rect", { x, y: floor - height(size), width: block, height: height(size), class: size < k ? "small" : "large" }));
      x += block;
    });
    const level = floor - height(k);
    svg.append(shape("line", { x1: GUTTER - 6, x2: width, y1: level, y2: level, class: "level" }));
    svg.append(shape("text", { x: 0, y: level + 5, "font-size": 16 }, `k = ${figure(k)}`));
    const share = below();
    const middle = GUTTER + wide(table.people * share);
    if (share > 0) svg.append(label((GUTTER + middle) / 2, floor + 24, `□ ${shown(share)}`, 17, width, { class: "right" }));
    if (share < 1) svg.append(label((middle + width) / 2, floor + 24, `■ ${shown(1 - share)}`, 17, width, { class: "right" }));
    chart.replaceChildren(svg);
  };

  const choices = table.columns.map(({ key, coarser, values }, column) =>
    selection(t(key), [t("l7-exact", { n: values }), t(coarser), t("l7-out")], 0, (level) => {
      levels[column] = level;
      show();
    }),
  );
  const crowd = dial(t("l7-k"), table.k.map(figure), table.start, (place) => {
    k = table.k[place];
    show();
  });
  const steps = [t("l7-own-1"), t("l7-own-2"), t("l7-own-3")].map((step) => element("li", {}, step));
  const own = [element("h3", {}, t("l7-own")), element("ol", { class: "steps" }, ...steps)];
  root.append(element("div", { class: "facts" }, ...choices, crowd), line, chart, element("p", { class: "small" }, t("l7-legend")), ...own);
  show();
  fitted(chart, draw);
}
