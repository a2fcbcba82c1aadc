// Step 2: who is a person. Both numbers of people stand beside each other; where an identifier comes again,
// the page stops here until one of both is chosen.
import { el, field, note, p, selection, told } from "./dom.js";
import { moreOptions } from "./fields.js";
import { t } from "./words.js";

export const title = () => t("persons-title");

const byColumn = (way) => Boolean(way.set.person);

function pick(way, at, tools, ...inside) {
  const id = `way-${at}`;
  const radio = el("input", { type: "radio", name: "way", id, checked: way.chosen, onchange: () => tools.change(way.set) });
  return el("div", { class: "pick" }, el("label", { class: "head", for: id }, radio, el("span", { lang: way.text.lang }, way.text.text)), inside, told("p", way.headline, { class: "big" }), told("p", way.exposed, { class: "soft" }));
}

// The column with a person's number: any column may be it.
function column(part, way, tools) {
  const names = part.candidates.map(({ column: name }) => name);
  const chosen = way?.set.person ?? null;
  if (chosen && !names.includes(chosen)) names.unshift(chosen);
  const options = [...(chosen ? [] : [["", t("choose")]]), ...names.map((name) => [name, name])];
  const select = selection("option-person", options, chosen ?? "", (name) => name && tools.change({ person: name, each_row: false }));
  const said = part.candidates.find(({ column: name }) => name === chosen);
  return [field(t("persons-column"), select), told("p", said?.text, { class: "soft" })];
}

function another(part, tools) {
  const [first] = part.candidates;
  if (!first) return null;
  const radio = el("input", { type: "radio", name: "way", id: "way-column", onchange: () => tools.change({ person: first.column, each_row: false }) });
  return el("div", { class: "pick" }, el("label", { class: "head", for: "way-column" }, radio, t("persons-several")), column(part, null, tools), told("p", first.text, { class: "soft" }));
}

function oneRow(state, part, tools) {
  const option = state.options.find(({ name }) => name === "one_row");
  if (!option || !part.one_row?.length || !part.ways.some((way) => way.chosen && byColumn(way))) return null;
  const options = [["", t("persons-all-rows")], ...part.one_row.map(([value, label]) => [value, label.text ?? label])];
  return field(t("persons-one-row"), selection("option-one_row", options, option.value ?? "", (value) => tools.change({ one_row: value || null })));
}

export function draw(state, part, tools) {
  const several = part.ways.findIndex(byColumn);
  return [
    p(t("persons-why")),
    part.status === "blocked" ? note(p(t("persons-stop", { column: part.column }))) : null,
    el(
      "fieldset",
      { class: "two" },
      el("legend", { class: "heard" }, t("persons-title")),
      part.ways.map((way, at) => pick(way, at, tools, at === several ? column(part, way, tools) : null)),
      several < 0 ? another(part, tools) : null,
    ),
    part.status === "blocked" ? null : told("p", part.sentence, { class: "soft" }),
    oneRow(state, part, tools),
    moreOptions(state, "persons", tools, ["one_row", "person", "each_row"]),
  ];
}
