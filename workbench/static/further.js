// What can be done with the table besides the six steps: each place runs a command of the program, and shows
// the lines and tables that it prints.
import { button, el, grid, note, p, told, wrong } from "./dom.js";
import { drawOption, moreOptions, optionOf } from "./fields.js";
import { t } from "./words.js";

const NEVER = ["identifier", "text"]; // roles whose columns are not counted

// Lines and tables in their order. A table is named after the line before it.
function printed(name, title, blocks) {
  let above = title;
  return blocks.map(({ line, grid: table, style }, at) => {
    if (table) return grid(`${name}-table-${at}`, t("further-table", { title: above, number: at }), table);
    if (!line.text) return null;
    above = line.text;
    return style === "yellow" ? note(told("p", line)) : told("p", line, { class: style === "dim" ? "soft" : null });
  });
}

const href = (name, option) => `further/${name}/${option}`;

const link = (name, file) => el("a", { id: `further-${file.option}`, class: "button", href: href(name, file.option), download: file.name }, t("download-named", { name: file.name }));

const picture = (name, file) => (/_figure$/.test(file.option) ? el("img", { src: href(name, file.option), alt: t("further-figure"), class: "figure" }) : null);

function files(name, part) {
  const found = part.files ?? [];
  if (!found.length) return null;
  const sign = found.some(({ option }) => option === "score_save") ? el("a", { id: "further-sign", class: "button", href: href(name, "sign"), download: true }, t("sign")) : null;
  return [found.map((file) => picture(name, file)), el("div", { class: "row" }, found.map((file) => link(name, file)), sign)];
}

// What the command printed, or why there is nothing yet.
function outcome(name, title, part, tools) {
  if (part.status === "cancelled") return [note(p(t("cancelled"))), el("div", {}, button(`again-${name}`, t("again"), tools.again, "button main"))];
  if (part.status === "working" && !part.printed) return p(t("wait"), "soft");
  if (part.status === "empty") return null;
  return [part.error ? wrong(part.error) : null, (part.warnings ?? []).map((warning) => note(told("p", warning))), files(name, part), part.printed?.length ? el("div", { class: "printed" }, printed(name, title, part.printed)) : null];
}

const fold = (name, title, part, ...inside) => el("details", { class: "card", id: `place-${name}`, open: part.status !== "empty" }, el("summary", {}, title), el("div", { class: "stack" }, inside));

function scored(state, part, tools) {
  const title = t("scored-title");
  const wanted = part.status !== "empty";
  const go = button("scored", t(wanted ? "scored-away" : "scored-go"), () => tools.change({ scored: !wanted }), wanted ? "button" : "button main");
  return fold("scored", title, part, p(t("scored-why"), "soft"), moreOptions(state, "scored", tools), el("div", {}, go), outcome("scored", title, part, tools));
}

// The tables that were chosen, and the columns of one more.
function tables(state, tools) {
  const chosen = optionOf(state, "counts_tables").value;
  const items = chosen.map((table, at) =>
    el("li", { class: "row even" }, el("b", {}, table), button(`counts-away-${at}`, t("remove"), () => tools.change({ counts_tables: chosen.filter((_, other) => other !== at) }), "button", { "aria-label": t("remove-of", { what: table }) })),
  );
  const names = state.columns.columns.filter(({ role }) => role && !NEVER.includes(role)).map(({ name }) => name);
  const boxes = names.map((name, at) => el("input", { type: "checkbox", id: `counts-column-${at}`, "data-own": true, value: name }));
  const add = () => {
    const picked = boxes.filter(({ checked }) => checked);
    const table = picked.map(({ value }) => value).join(",");
    for (const box of picked) box.checked = false;
    if (table) tools.change({ counts_tables: [...chosen, table] });
    else tools.say(t("counts-none"));
  };
  return [
    chosen.length ? el("ul", { class: "stack tight", "aria-label": t("counts-chosen") }, items) : null,
    el("fieldset", { class: "field" }, el("legend", { class: "label" }, t("counts-columns")), el("div", { class: "row" }, boxes.map((box) => el("label", { class: "check", for: box.id }, box, box.value)))),
    el("div", {}, button("counts-add", t("counts-add"), add, "button main")),
  ];
}

const BRIEF = ["counts_k", "counts_round", "counts_table"];

function counts(state, part, tools) {
  const title = t("counts-title");
  const fields = BRIEF.map((name) => drawOption(optionOf(state, name), tools, { brief: true }));
  return fold("counts", title, part, p(t("counts-why"), "soft"), tables(state, tools), el("div", { class: "row" }, fields), p(t("counts-closed"), "soft"), moreOptions(state, "counts", tools, BRIEF), outcome("counts", title, part, tools));
}

function judged(state, part, tools) {
  const title = t("judged-title");
  const fields = ["release", "control"].map((name) => drawOption(optionOf(state, name), tools));
  return fold("judged", title, part, p(t("judged-why"), "soft"), el("div", { class: "options" }, fields), outcome("judged", title, part, tools));
}

// All three, as soon as the table is read; while it is read again they stay.
export function further(state, tools) {
  if (!state.goal.presets) return null;
  const parts = state.further;
  return el("section", { class: "stack", id: "further" }, el("h2", {}, t("further-title")), scored(state, parts.scored, tools), counts(state, parts.counts, tools), judged(state, parts.judged, tools));
}

export const isBusy = (state) => Object.values(state.further).some(({ status }) => status === "working");
