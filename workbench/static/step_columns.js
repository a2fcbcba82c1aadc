// Step 3: what each column is, with the reason. Each column of the file is there; narrow pages have cards.
import { button, el, isWide, p, scroll, selection, told } from "./dom.js";
import { moreOptions, optionOf } from "./fields.js";
import { knows, t } from "./words.js";

const OUT = "-"; // a choice of the page's: the column is not taken at all

export const title = () => t("columns-title");

const isOut = (state, name) => {
  const only = optionOf(state, "columns")?.value;
  return Boolean(only?.length) && !only.includes(name);
};

// Take a column in or leave it out: the option `columns` lists those that stay; none listed are all.
function stays(state, name, taken) {
  const all = state.columns.columns.map((column) => column.name);
  const left = all.filter((one) => (one === name ? taken : !isOut(state, one)));
  return left.length === all.length ? null : left;
}

function role(state, column, at, tools) {
  const out = isOut(state, column.name);
  const change = (value) => {
    if (value === OUT) return tools.change({ columns: stays(state, column.name, false) });
    const set = { roles: { [column.name]: value } };
    return tools.change(out ? { ...set, columns: stays(state, column.name, true) } : set);
  };
  const options = [...state.columns.roles.map(([value, label]) => [value, knows(`role-${value}`) ? t(`role-${value}`) : (label.text ?? label)]), [OUT, t("role-out")]];
  const chosen = out ? OUT : column.role;
  return selection(`role-${at}`, options, chosen, change, { class: `role ${out ? "out" : column.role}`, "aria-label": t("role-of", { column: column.name }) });
}

// The column of the person was said to be it.
const isSaid = (state, { name, said }) => said || optionOf(state, "person")?.value === name;

const reason = (state, column) => [told("span", column.reason), isSaid(state, column) ? null : el("span", { class: "tag doubt" }, t("guessed"))];

const table = (state, part, tools) =>
  scroll(
    "columns",
    t("columns-title"),
    el(
      "table",
      {},
      el("thead", {}, el("tr", {}, ["column", "like", "different", "missing", "it-is", "because"].map((key) => el("th", { scope: "col", class: ["different", "missing"].includes(key) ? "n" : null }, t(`columns-${key}`))))),
      el(
        "tbody",
        {},
        part.columns.map((column, at) =>
          el(
            "tr",
            {},
            el("th", { scope: "row" }, column.name),
            el("td", { class: "soft" }, column.like),
            told("td", column.different, { class: "n" }),
            told("td", column.missing, { class: "n" }),
            el("td", {}, role(state, column, at, tools)),
            el("td", { class: "soft wrap" }, reason(state, column).flatMap((one) => [one, " "])),
          ),
        ),
      ),
    ),
  );

const cards = (state, part, tools) =>
  el(
    "ul",
    { class: "cards" },
    part.columns.map((column, at) =>
      el(
        "li",
        { class: "card" },
        p([el("b", {}, column.name), " ", el("span", { class: "soft" }, t("columns-card", { different: column.different.text, missing: column.missing.text, like: column.like }))]),
        el("p", { class: "soft" }, reason(state, column).flatMap((one) => [one, " "])),
        role(state, column, at, tools),
      ),
    ),
  );

export function draw(state, part, tools) {
  const agree = () => tools.change({ roles: Object.fromEntries(part.columns.filter(({ role: one }) => one).map(({ name, role: one }) => [name, one])) });
  return [
    p(t("columns-why"), "soft"),
    (isWide() ? table : cards)(state, part, tools),
    part.all_said ? null : el("div", { class: "row even" }, button("agree", t("columns-agree"), agree), el("span", { class: "soft" }, t("columns-agree-why"))),
    moreOptions(state, "columns", tools, ["roles"]),
  ];
}

export const hint = (part) => told("span", part.never, { class: "soft" });
