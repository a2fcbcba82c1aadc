// Step 1: which table, and how it was read. All that was found out is a field; a doubt is answered by a button.
import { button, card, el, field, note, p, preview, scroll, told, wrong } from "./dom.js";
import { drawOption, moreOptions, optionOf } from "./fields.js";
import { t } from "./words.js";

// What each file has: its fields stand on the page at once; all other options are folded.
const COMMON = ["separator", "encoding", "header", "header_row", "last_row", "sheet", "decimal", "missing_text"];
let listing = null; // of a folder of this computer, once it was asked for

export const title = () => t("file-title");

// The table that is open, and the three ways to another: a file of the browser's choice, a path, a folder.
function chooser(part, tools) {
  const picked = el("input", { id: "upload", type: "file", hidden: true, "aria-label": t("choose-file"), onchange: (event) => event.target.files[0] && tools.upload(event.target.files[0]) });
  const over = (on) => (event) => {
    event.preventDefault();
    event.currentTarget.classList.toggle("over", on);
  };
  const size = part.shape ? [" ", el("span", { lang: part.shape.lang }, `${part.size.text}, ${part.shape.text}`)] : null;
  return el(
    "div",
    { class: "drop", ondragover: over(true), ondragleave: over(false), ondrop: over(false) },
    el("div", {}, part.name ? el("p", {}, el("b", {}, part.name), size) : null, p(part.name ? t("drop-another") : t("drop-here"), "soft")),
    picked,
    button("choose-file", t("choose-file"), () => picked.click(), part.name ? "button" : "button main"),
  );
}

function paths(state, part, tools) {
  const open = (path) => tools.open(path);
  const path = el("input", { id: "path", type: "text", autocomplete: "off", spellcheck: "false", dir: "ltr", "data-own": true });
  const submit = (event) => {
    event.preventDefault();
    if (path.value.trim()) open(path.value.trim());
  };
  const look = async (folder) => {
    listing = await tools.ask("folder", { path: folder });
    tools.redraw("folder-title");
  };
  return el(
    "details",
    { class: "card", id: "paths", open: !part.name },
    el("summary", {}, t("by-path")),
    el("form", { class: "row end", onsubmit: submit }, field(t("path"), path), el("button", { class: "button", id: "open-path" }, t("open"))),
    listing ? folder(listing, look, open) : button("folders", t("look-in-folder"), () => look("")),
  );
}

function folder({ path, above, folders, files }, look, open) {
  const join = (name) => `${path.replace(/[\\/]$/, "")}${path.includes("\\") ? "\\" : "/"}${name}`;
  const up = above === null ? null : el("li", {}, button("folder-above", t("folder-above"), () => look(above)));
  const inside = folders.map((name, at) => el("li", {}, button(`folder-${at}`, `${name} ›`, () => look(join(name)), "button", { "aria-label": t("folder-named", { name }) })));
  const tables = files.map(({ name }, at) => el("li", {}, button(`file-${at}`, name, () => open(join(name)), "button main")));
  return el("div", { class: "stack" }, el("p", { id: "folder-title", tabindex: "-1", class: "code strong", dir: "ltr" }, path), el("ul", { class: "row" }, up, inside, tables), files.length ? null : p(t("folder-empty"), "soft"));
}

function reading(state, part, tools) {
  const options = COMMON.map((name) => optionOf(state, name)).filter(Boolean);
  const shown = part.sheets ? options : options.filter((option) => option.name !== "sheet");
  return el(
    "section",
    { class: "card" },
    el("h2", {}, t("how-read"), " ", el("span", { class: "tag" }, t("found-out"))),
    told("p", part.note, { class: "soft" }),
    el("div", { class: "row" }, shown.map((option) => drawOption(option, tools, { brief: true }))),
  );
}

// The lines as they lie in the file: the one with the names is chosen by a click.
function lines(state, part, tools) {
  if (!part.lines?.length) return null;
  const rows = optionOf(state, "header_row");
  const possible = (at) => Boolean(rows) || at === 0;
  const take = (at) => tools.change(rows ? { header: null, header_row: at + 1 } : { header: at === 0 });
  const namedIn = part.preview?.named_in ?? null;
  const drawn = part.lines.map((words, at) => {
    const names = namedIn === at + 1;
    const label = t(names ? "line-has-names" : "line-take", { number: at + 1 });
    const control = possible(at) ? button(`line-${at}`, String(at + 1), () => take(at), null, { "aria-label": label, title: label, "aria-pressed": String(names) }) : el("span", {}, String(at + 1));
    return el("tr", { class: names ? "names" : namedIn > at + 1 ? "above" : null }, el("td", { class: "line" }, control), el("td", { class: "code whole", dir: "ltr" }, words));
  });
  const none = namedIn === null ? null : button("no-names", t("no-names"), () => tools.change(rows ? { header: false, header_row: null } : { header: false }));
  return el("section", { class: "stack" }, el("h2", {}, t("lines-title")), rows && p(t("lines-do"), "soft"), scroll("lines", t("lines-title"), el("table", {}, el("tbody", {}, drawn))), none && el("div", {}, none));
}

const doubts = (part, tools) =>
  (part.doubts ?? []).map((doubt, at) =>
    note(
      told("p", doubt.text),
      el("div", { class: "row even" }, el("span", {}, t("doubt-missing")), button(`doubt-yes-${at}`, t("yes"), () => tools.change(doubt.yes), "button main"), button(`doubt-no-${at}`, t("no"), () => tools.change(doubt.no))),
    ),
  );

export function draw(state, part, tools) {
  const failed = part.error ? wrong(part.error, tools.undo) : null;
  if (!part.preview) return [failed, chooser(part, tools), failed && [reading(state, part, tools), lines(state, part, tools)], paths(state, part, tools)];
  return [
    failed,
    chooser(part, tools),
    doubts(part, tools),
    reading(state, part, tools),
    lines(state, part, tools),
    el("section", { class: "stack" }, el("h2", {}, t("as-table")), preview("preview", t("as-table"), part.preview)),
    (part.warnings ?? []).map((warning) => note(told("p", warning))),
    moreOptions(state, "file", tools, COMMON),
    paths(state, part, tools),
  ];
}
