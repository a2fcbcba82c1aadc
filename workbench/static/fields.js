// The options of the program as form controls: drawn from what the program says of each.
import { button, el, field, selection } from "./dom.js";
import { knows, number, percentOf, t, typedShare } from "./words.js";

const said = (text) => text?.text ?? text ?? "";
const labelOf = ({ name, label }) => {
  const key = `option-${name.replaceAll("_", "-")}`;
  return knows(key) ? { text: t(key), lang: null } : label;
};
const idFor = (option) => `option-${option.name}`;

// What a person typed, as the program accepts it; the program refuses all else, and says why.
function valueOf(kind, typed) {
  const plain = typed.trim();
  if (plain === "") return null;
  if (kind === "whole" && /^-?\d+$/.test(plain)) return Number(plain);
  if (kind === "number" && /^-?\d+([.,]\d+)?$/.test(plain)) return Number(plain.replace(",", "."));
  return kind === "share" ? typedShare(plain) : plain;
}

const typedOf = (kind, value) => {
  if (value === null || value === undefined) return "";
  if (kind === "share") return percentOf(value);
  return typeof value === "number" ? number(value, 12, false) : String(value);
};

const NUMBERS = ["whole", "number", "share"];

// A line of text. changed(value) as it is left.
export function line(id, kind, value, changed, given = {}) {
  const short = NUMBERS.includes(kind);
  return el("input", {
    id,
    type: "text",
    class: short ? "short" : null,
    inputmode: kind === "whole" ? "numeric" : short ? "decimal" : null,
    autocomplete: "off",
    spellcheck: "false",
    value: typedOf(kind, value),
    onchange: (event) => changed(valueOf(kind, event.target.value)),
    ...given,
  });
}

const coded = (value) => JSON.stringify(value);

// A list to choose from, where nothing chosen is what was found out.
function choice(option, change) {
  const { choices, value, found, default: usual } = option;
  const named = (one, label) => (knows(`choice-${one}`) ? t(`choice-${one}`) : said(label) || label);
  const first = found ? t("found", { what: named(said(found), found) }) : t("not-given");
  const options = choices.map(([one, label]) => [coded(one), named(one, label)]);
  if (!choices.some(([one]) => one === null) && (value === null || usual === null)) options.unshift([coded(null), first]);
  if (!options.some(([one]) => one === coded(value))) options.push([coded(value), String(value)]);
  return selection(idFor(option), options, coded(value), (picked) => change({ [option.name]: JSON.parse(picked) }));
}

const YES_NO = () => [[true, t("yes")], [false, t("no")]];

// Each item a line of its own.
const texts = (option, change) =>
  el("input", {
    id: idFor(option),
    type: "text",
    autocomplete: "off",
    spellcheck: "false",
    placeholder: option.found ? said(option.found) : null,
    value: (option.value ?? []).join(", "),
    onchange: (event) => change({ [option.name]: split(event.target.value) }),
  });

// Items between commas. A comma within brackets or quotation marks belongs to its item: sex.fold=["case", "space"].
function split(typed) {
  const items = typed.match(/(?:"[^"]*"|\[[^\]]*\]|\{[^}]*\}|[^,])+/g) ?? [];
  return items.map((item) => item.trim()).filter(Boolean);
}

// A check box for each column.
function columns(option, names, change) {
  const chosen = new Set(option.value ?? []);
  const boxes = names.map((name, at) => {
    const toggle = (event) => {
      if (event.target.checked) chosen.add(name);
      else chosen.delete(name);
      change({ [option.name]: names.filter((one) => chosen.has(one)) });
    };
    const id = `${idFor(option)}-${at}`;
    return el("label", { class: "check", for: id }, el("input", { type: "checkbox", id, checked: chosen.has(name), onchange: toggle }), name);
  });
  return el("div", { class: "row" }, boxes);
}

// A set for the program: the value of a column is another, or, null, none.
export const withColumn = ({ name, value }, column, given) => ({ [name]: Object.fromEntries(Object.entries({ ...value, [column]: given }).filter(([, one]) => one !== null)) });

// A value for each of some columns: what is there, and a line to add one. adds(name): the control.
function perColumn(option, names, change, adds) {
  const value = option.value ?? {};
  const given = Object.entries(value).map(([name, one], at) =>
    el("li", { class: "row even" }, el("b", {}, name), typedOf("number", one), button(`${idFor(option)}-away-${at}`, t("remove"), () => change(withColumn(option, name, null)), "button", { "aria-label": t("remove-of", { what: name }) })),
  );
  const left = names.filter((name) => !(name in value));
  const select = selection(`${idFor(option)}-column`, left.map((name) => [name, name]), left[0], () => {}, { "aria-label": t("column-of", { what: said(labelOf(option)) }) });
  return el("div", { class: "stack" }, given.length ? el("ul", { class: "stack" }, given) : null, left.length ? el("div", { class: "row even" }, select, adds(() => select.value)) : null);
}

const numbers = (option, names, change) =>
  perColumn(option, names, change, (column) =>
    line(`${idFor(option)}-value`, "number", null, (value) => value !== null && change(withColumn(option, column(), value)), { "aria-label": said(labelOf(option)) }),
  );

const files = (option, names, change, give) =>
  perColumn(option, names, change, (column) =>
    el("input", { id: `${idFor(option)}-file`, type: "file", "aria-label": said(labelOf(option)), onchange: (event) => event.target.files[0] && give(column(), event.target.files[0]) }),
  );

// A file of this computer: handed in, or named by its path.
function given(option, { change, attach }) {
  const id = idFor(option);
  const what = said(labelOf(option));
  const now = option.value ? el("div", { class: "row even" }, el("b", { class: "code", dir: "ltr" }, option.value), button(`${id}-away`, t("remove"), () => change({ [option.name]: null }), "button", { "aria-label": t("remove-of", { what }) })) : null;
  const picked = el("input", { id: `${id}-file`, type: "file", "aria-label": what, onchange: (event) => event.target.files[0] && attach(option.name, event.target.files[0]) });
  const path = line(`${id}-path`, "text", null, (value) => value && change({ [option.name]: value }), { "data-own": true, dir: "ltr" });
  return el("div", { class: "stack tight" }, now, picked, field(t("given-path", { what }), path));
}

const DRAWN = {
  flag: (option, { change }) => el("input", { id: idFor(option), type: "checkbox", checked: option.value, onchange: (event) => change({ [option.name]: event.target.checked }) }),
  maybe: (option, { change }) => choice({ ...option, choices: YES_NO() }, change),
  choice: (option, { change }) => choice(option, change),
  column: (option, { change, names }) => choice({ ...option, choices: names.map((name) => [name, name]) }, change),
  texts: (option, { change }) => texts(option, change),
  columns: (option, { change, names }) => columns(option, names, change),
  numbers: (option, { change, names }) => numbers(option, names, change),
  files: (option, { change, names, give }) => files(option, names, change, give),
  file: given,
  written: (option, { change }) => choice({ ...option, choices: option.default === null ? [[null, t("no-file")], ...option.choices] : option.choices }, change),
};

const GROUPS = ["columns", "numbers", "files", "file"];

// An option with its label, what it is for, and its flag. tools: {change(set), names, give(column, file),
// attach(option, file)}.
export function drawOption(option, tools, { brief = false } = {}) {
  const id = idFor(option);
  const given = { placeholder: option.found ? said(option.found) : option.default === null ? null : typedOf(option.kind, option.default) };
  const control = DRAWN[option.kind]?.(option, tools) ?? line(id, option.kind, option.value, (value) => tools.change({ [option.name]: value ?? option.default }), given);
  const help = brief || !option.help ? null : el("p", { class: "soft", id: `${id}-help`, lang: option.help.lang }, said(option.help), " ", option.flag ? el("code", { class: "code", dir: "ltr" }, option.flag) : null);
  const label = option.kind === "share" ? t("in-percent", { what: said(labelOf(option)) }) : said(labelOf(option));
  if (GROUPS.includes(option.kind)) return el("fieldset", { id, class: "field" }, el("legend", { class: "label", lang: labelOf(option).lang }, label), control, help);
  if (help) control.setAttribute("aria-describedby", help.id);
  if (option.kind === "flag") return el("div", { class: "field" }, el("label", { class: "check", for: id, lang: labelOf(option).lang }, control, label), help);
  const made = field(label, control);
  if (labelOf(option).lang) made.firstChild.lang = labelOf(option).lang;
  if (help) made.append(help);
  return made;
}

// All options of a step that have no control of their own on the page.
export function moreOptions(state, step, tools, without = []) {
  const left = state.options.filter((option) => option.step === step && !option.special && !without.includes(option.name));
  if (!left.length) return null;
  return el("details", { class: "card", id: `more-${step}` }, el("summary", {}, t("more-options", { n: left.length })), el("div", { class: "options" }, left.map((option) => drawOption(option, tools))));
}

export const optionOf = (state, name) => state.options.find((option) => option.name === name);
