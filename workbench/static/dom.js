// Pieces of a page. What a file says becomes text; nothing is ever read as HTML.
const SVG = "http://www.w3.org/2000/svg";

function filled(made, given, inside) {
  for (const [key, value] of Object.entries(given)) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (value === true) made.setAttribute(key, "");
    else if (value !== false && value !== null && value !== undefined) made.setAttribute(key, value);
  }
  made.append(...inside.flat(Infinity).filter((one) => one !== null && one !== undefined && one !== ""));
  return made;
}

// An element of HTML. given: attributes, and listeners as onNAME.
export const el = (name, given = {}, ...inside) => filled(document.createElement(name), given, inside);

// An element of SVG.
export const shape = (name, given = {}, ...inside) => filled(document.createElementNS(SVG, name), given, inside);

export const p = (words, kind = null) => el("p", { class: kind }, words);

// A text of the program's, {text, lang}: it may be in another language than the page.
export const told = (name, text, given = {}) => (text ? el(name, { lang: text.lang, dir: "auto", ...given }, text.text) : null);

export const button = (id, words, act, kind = "button", given = {}) => el("button", { type: "button", id, class: kind, onclick: act, ...given }, words);

export const card = (title, ...inside) => el("section", { class: "card" }, el("h2", {}, title), inside);

export const note = (...inside) => el("div", { class: "note" }, inside);

// A refusal or a mistake: {text, lang}. With inside: what to do.
export const wrong = (error, ...inside) => el("div", { class: "wrong" }, told("p", error), inside);

// A field with its label above it. control: has an id.
export const field = (label, control) => el("div", { class: "field" }, el("label", { for: control.id }, label), control);

// A list to choose from. options: [value, text]; changed(value).
export const selection = (id, options, chosen, changed, given = {}) =>
  el(
    "select",
    { id, onchange: (event) => changed(event.target.value), ...given },
    options.map(([value, text]) => el("option", { value, selected: value === chosen }, text)),
  );

// What is too wide scrolls by itself, with the keyboard too.
export const scroll = (id, label, inside) => el("div", { id, class: "scroll", tabindex: "0", role: "region", "aria-label": label }, inside);

// The first rows of a table. found: {names, rows}.
export const preview = (id, label, { names, rows }) =>
  scroll(
    id,
    label,
    el(
      "table",
      {},
      el("thead", {}, el("tr", { class: "names" }, names.map((name) => el("th", { scope: "col" }, name)))),
      el("tbody", {}, rows.map((row) => el("tr", {}, row.map((cell) => el("td", {}, cell ?? ""))))),
    ),
  );

// A table as the command line prints it. found: {headings, rows, right, lang}.
export function grid(id, label, { headings, rows, right, lang }) {
  const kind = (at) => (right.includes(at) ? "n" : null);
  const head = el("tr", {}, headings.map((words, at) => (words ? el("th", { scope: "col", class: kind(at) }, words) : el("td"))));
  const body = rows.map((row) => el("tr", {}, row.map((words, at) => el("td", { class: kind(at) }, words))));
  return scroll(id, label, el("table", { lang }, el("thead", {}, head), el("tbody", {}, body)));
}

// A long text of the command line's, behind its title.
export const output = (id, title, text) => el("details", { class: "card", id }, el("summary", {}, title), el("pre", { class: "scroll code", id: `${id}-text`, tabindex: "0", lang: "en", dir: "ltr" }, text));

const WIDE = matchMedia("(min-width: 700px)");

// Whether a table has room beside the steps.
export const isWide = () => WIDE.matches;

// Draw again as the page becomes wide or narrow.
export const watchWidth = (draw) => WIDE.addEventListener("change", () => draw());
