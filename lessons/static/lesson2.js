// A crowd buys columns: people, k and the share that may stand out are dragged; columns light up.
// table: `people`, `k`, `shares`, the places of each at the start, `columns` with their numbers of
// values, and `released`, the number of columns by share, k and people.
function picture(root, table, t) {
  const chosen = [...table.start];
  const tiles = element("ul", { class: "tiles" });
  const line = element("p", { role: "status" });
  const draw = () => {
    const [people, k, share] = chosen;
    const many = table.released[share][k][people];
    tiles.replaceChildren(
      ...table.columns.map((column, at) =>
        element(
          "li",
          { class: at < many ? "tile on" : "tile" },
          element("strong", {}, t(column.key)),
          t("l2-values", { n: column.values }),
          element("br"),
          element("span", { class: "state" }, at < many ? `✓ ${t("l2-released")}` : t("l2-kept-back")),
        ),
      ),
    );
    line.textContent = t("l2-now", { people: table.people[people], k: table.k[k], share: percent(table.shares[share]), n: many, all: table.columns.length });
  };
  const set = (which) => (place) => {
    chosen[which] = place;
    draw();
  };
  root.append(
    element(
      "div",
      { class: "dials" },
      dial(t("l2-people"), table.people.map(figure), chosen[0], set(0)),
      dial(t("l2-k"), table.k.map(figure), chosen[1], set(1)),
      selection(t("l2-share"), table.shares.map(percent), chosen[2], set(2)),
    ),
    tiles,
    line,
  );
  draw();
}
