// Find me: choose a household and the columns that somebody knows of it; the crowd shrinks.
// table: `columns`, the keys of their names; `rows`, the answers of each household as digits; `found`,
// the number of households that a set of columns finds, by the bits of the set; `start`, a household.
const DOT = 17; // pixels of a place, at least

function picture(root, table, t) {
  const known = new Set();
  let chosen = table.start;
  const total = table.rows.length;
  const crowd = element("div");
  const [fitting, all] = [element("p", { role: "status" }), element("p")];
  const answers = table.columns.map(() => element("b"));
  const fits = (row) => [...known].every((column) => row[column] === table.rows[chosen][column]);

  const show = () => {
    answers.forEach((place, column) => {
      place.textContent = t(table.rows[chosen][column] === "1" ? "l6-yes" : "l6-no");
    });
    const n = table.rows.filter(fits).length;
    const set = [...known].reduce((sum, column) => sum + 2 ** column, 0);
    fitting.textContent = `${n === 1 ? "✗ " : ""}${t("l6-now", { household: chosen + 1, known: known.size, n })}`;
    all.textContent = t("l6-total", { found: table.found[set], people: total });
    if (crowd.clientWidth) draw(crowd.clientWidth);
  };

  const draw = (width) => {
    const across = Math.floor(width / DOT);
    const step = width / across;
    const svg = blank(width, Math.ceil(total / across) * step);
    svg.setAttribute("role", "img");
    svg.setAttribute("aria-label", fitting.textContent);
    table.rows.forEach((row, at) => svg.append(dot(at === chosen, fits(row), ((at % across) + 0.5) * step, (Math.floor(at / across) + 0.5) * step)));
    svg.addEventListener("click", (event) => {
      const box = svg.getBoundingClientRect();
      const place = Math.floor((event.clientY - box.top) / step) * across + Math.floor((event.clientX - box.left) / step);
      if (place < 0 || place >= total) return;
      households.querySelector("input").value = place;
      households.querySelector("input").dispatchEvent(new Event("input"));
    });
    crowd.replaceChildren(svg);
  };

  const households = dial(t("l6-household"), table.rows.map((_, at) => figure(at + 1)), chosen, (place) => {
    chosen = place;
    show();
  });
  const boxes = table.columns.map((key, column) => {
    const box = element("input", { type: "checkbox" });
    box.addEventListener("change", () => {
      known[box.checked ? "add" : "delete"](column);
      show();
    });
    return element("label", { class: "choice" }, box, element("span", {}, t(key)), answers[column]);
  });
  const legend = element("p", { class: "small" }, t("l6-legend"));
  root.append(households, fitting, crowd, legend, all, element("fieldset", { class: "facts" }, element("legend", {}, t("l6-known")), ...boxes));
  show();
  fitted(crowd, draw);
}

// A household: the one that is sought, one that fits what is known, or another.
function dot(sought, fits, x, y) {
  if (sought) return shape("rect", { x: x - SQUARE, y: y - SQUARE, width: 2 * SQUARE, height: 2 * SQUARE, class: "truth" });
  return shape("circle", { cx: x, cy: y, r: fits ? 6 : 2, class: fits ? "guess" : "faint" });
}
