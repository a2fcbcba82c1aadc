// Lie a little: epsilon and people are dragged; the estimate's interval, and what an answer may tell.
// table: `epsilons`, `people`, the places of both at the start, `yes`, the true share; `truths`, the
// share of true answers, and `alone`, the factor of a suspicion, by epsilon; `shuffled`, the factor, and
// `draws`, some times low, estimated and high share, by epsilon and people.
const TEXT = 16;

function picture(root, table, t) {
  const chosen = [...table.start];
  let turn = 0;
  const [axis, bar] = [element("div"), element("div")];
  const tiles = element("ul", { class: "tiles" });
  const line = element("p", { role: "status" });
  const drawn = () => table.draws[chosen[1]][chosen[0]][turn];

  const show = () => {
    const [people, epsilon] = chosen;
    const [low, , high] = drawn();
    const held = low <= table.yes && table.yes <= high;
    const factors = [table.alone[epsilon], table.shuffled[epsilon][people]];
    const helps = factors[1] < factors[0];
    line.textContent = [
      t("l5-now", { people: table.people[people], epsilon: table.epsilons[epsilon], low: percent(low), high: percent(high) }),
      held ? `✓ ${t("l5-held")}` : `✗ ${t("l5-missed")}`,
    ].join(" ");
    tiles.replaceChildren(
      tile("l5-alone", factors[0], "", ""),
      tile("l5-shuffled", factors[1], helps ? " on" : "", helps ? `✓ ${t("l5-helps")}` : t("l5-nothing")),
    );
    if (axis.clientWidth) drawInterval(axis.clientWidth);
    if (bar.clientWidth) drawBar(bar.clientWidth);
  };
  const tile = (key, factor, on, state) =>
    element("li", { class: `tile${on}` }, t(key), element("strong", { class: "own" }, `× ${figure(factor)}`), element("span", { class: "state" }, state));

  const drawInterval = (width) => {
    const [low, middle, high] = drawn();
    const { place } = scaleOf({ low: 0, high: 1, scale: "linear", digits: 3 }, width);
    const svg = blank(width, 96);
    svg.setAttribute("role", "img");
    svg.setAttribute("aria-label", line.textContent);
    rail(svg, width, 40);
    svg.append(shape("line", { x1: place(low), x2: place(high), y1: 40, y2: 40, class: "range" }));
    for (const end of [low, high]) svg.append(shape("line", { x1: place(end), x2: place(end), y1: 30, y2: 50, class: "end" }));
    const side = 2 * SQUARE;
    svg.append(shape("rect", { x: place(table.yes) - SQUARE, y: 40 - SQUARE, width: side, height: side, class: "truth" }));
    svg.append(shape("circle", { cx: place(middle), cy: 40, r: 7, class: "guess" }));
    svg.append(label(place(middle), 20, `● ${t("l5-estimate", { share: percent(middle) })}`, TEXT, width, { class: "right" }));
    svg.append(label(place(table.yes), 70, `■ ${t("the-truth")}: ${percent(table.yes)}`, TEXT, width));
    for (const end of [0, 1]) svg.append(label(place(end), 92, percent(end), TEXT, width, { class: "soft" }));
    axis.replaceChildren(svg);
  };

  const drawBar = (width) => {
    const share = table.truths[chosen[1]];
    const svg = blank(width, 52);
    svg.setAttribute("aria-hidden", "true");
    svg.append(shape("rect", { x: 1, y: 26, width: width - 2, height: 22, class: "hollow" }));
    svg.append(shape("rect", { x: 1, y: 26, width: (width - 2) * share, height: 22, class: "truth" }));
    bar.replaceChildren(svg);
    svg.append(label(0, 18, `■ ${t("l5-true", { share: percent(share) })}`, TEXT, width));
    svg.append(label(width, 18, `□ ${t("l5-lies", { share: percent(1 - share) })}`, TEXT, width));
  };

  const set = (which) => (place) => {
    chosen[which] = place;
    show();
  };
  const again = element("button", { type: "button" }, t("l5-again"));
  again.addEventListener("click", () => {
    turn = (turn + 1) % table.draws[0][0].length;
    show();
  });
  const epsilon = dial(t("l5-epsilon"), table.epsilons.map(figure), chosen[1], set(1));
  const people = dial(t("l5-people"), table.people.map(figure), chosen[0], set(0));
  root.append(element("div", { class: "dials" }, epsilon, people), bar, line, axis, again, element("h3", {}, t("l5-suspicion")), tiles);
  show();
  fitted(axis, drawInterval);
  fitted(bar, drawBar);
}
