// The editor of the questions, on the teacher's page: what was typed, its mistakes, and where it is saved.
//
// Nothing is judged here: the program judges a draft as it judges a file of questions (poll/editor.py).
import { giveDraft } from "./drafts.js";
import { el, p } from "./draw.js";
import { number, t } from "./sentences.js";

const PERCENT = "policy.max_exposure"; // a share in the file, percent on the page
const base = location.pathname;
const part = (id) => document.getElementById(id);
const copied = (value) => JSON.parse(JSON.stringify(value));

let known = null; // as the program has them
let draft = null; // as they were typed
let mistakes = [];
let phase = "";

const LABELS = {
  "policy.k": () => t("editor-k"),
  "policy.max_exposure": () => t("editor-exposure"),
  "mix.deadline": () => t("editor-deadline"),
  "mix.min_batch": () => t("editor-least"),
  "defence.min_dropout": () => t("editor-dropout"),
};

const dirty = () => draft !== null && JSON.stringify(sent()) !== JSON.stringify(sent(known));

// A number as it was typed; other text as it is. A point or comma is a decimal sign in percent alone:
// elsewhere it may stand for thousands, and the program says that it accepts whole numbers.
function valueOf(key, typed) {
  const plain = typed.trim();
  if (key === PERCENT && /^-?\d+([.,]\d+)?$/.test(plain)) return Number((Number(plain.replace(",", ".")) / 100).toPrecision(12));
  return key !== PERCENT && /^-?\d+$/.test(plain) ? Number(plain) : typed;
}

const typedOf = (key, value) => number(key === PERCENT ? Number((100 * value).toPrecision(12)) : value);

function sent(from = draft) {
  const settings = Object.entries(from.settings).map(([key, typed]) => [key, valueOf(key, typed)]);
  return { title: from.title, lang: from.lang, feature: from.feature, settings: Object.fromEntries(settings) };
}

async function ask(what, body = null) {
  const given = body === null ? {} : { method: "POST", body: JSON.stringify(body) };
  const answer = await fetch(`${base}/editor/${what}`, { cache: "no-store", credentials: "omit", ...given });
  if (!answer.ok) throw new Error(await answer.text());
  return answer.json();
}

// Run what a button is for; whether the program has answered it. A refusal is a sentence of its own.
async function attempt(act) {
  tell("");
  try {
    await act();
  } catch (wrong) {
    tell(wrong instanceof TypeError ? t("teacher-gone") : wrong.message, true);
  }
}

function tell(words, wrong = false) {
  const line = part("editor-told");
  if (!line) return;
  line.className = wrong ? "bad" : "note";
  line.textContent = words;
  line.hidden = !words;
  if (words) line.scrollIntoView({ block: "nearest" });
}

async function load() {
  const found = await ask("questions");
  const settings = Object.entries(found.settings).map(([key, value]) => [key, typedOf(key, value)]);
  known = { ...found, settings: Object.fromEntries(settings) };
  draft = copied(known);
  mistakes = [];
  draw();
}

// Mistakes: each at the field with the longest path that begins its own; else in the list alone.
const idOf = (path) => `field-${path.join("-")}`;

function fieldOf({ path }) {
  for (let length = path.length; length; length -= 1) {
    const field = part(idOf(path.slice(0, length)));
    if (field) return field;
  }
  return null;
}

// Mistakes with their fields, in the order of the page; those without a field at the end.
function placed() {
  const found = mistakes.map((mistake) => ({ mistake, field: fieldOf(mistake) }));
  const after = (one, other) => one.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_PRECEDING;
  return found.sort(({ field: one }, { field: other }) => {
    if (one === other) return 0;
    return !one || (other && after(one, other)) ? 1 : -1;
  });
}

// What the program says is English in every language, as `veilmix check` says it.
const said = ({ message }) => el("span", { lang: "en", dir: "ltr" }, message);

function mark() {
  const list = part("mistakes");
  list.replaceChildren();
  for (const one of document.querySelectorAll("#questions [data-mistake]")) one.remove();
  for (const one of document.querySelectorAll("#questions [aria-invalid]")) {
    one.removeAttribute("aria-invalid");
    one.removeAttribute("aria-describedby");
  }
  const lines = placed().map(({ mistake, field }, at) => {
    if (!field) return el("li", {}, `${mistake.where}: `, said(mistake));
    const id = `mistake-${at}`;
    const line = el("p", { class: "bad", id, "data-mistake": true }, said(mistake));
    const before = field.getAttribute("aria-describedby");
    field.setAttribute("aria-invalid", "true");
    field.setAttribute("aria-describedby", before ? `${before} ${id}` : id);
    (field.closest(".row") ?? field).after(line);
    const go = (event) => {
      event.preventDefault();
      field.focus();
    };
    return el("li", {}, el("a", { href: `#${field.id}`, onclick: go }, field.getAttribute("aria-label") ?? field.labels[0].textContent), ": ", said(mistake));
  });
  if (!mistakes.length) return;
  const title = el("h2", { id: "mistakes-title", tabindex: "-1" }, t("editor-mistakes", { n: mistakes.length }));
  list.append(title, el("ul", {}, lines));
  title.focus();
}

// Change the draft, draw it, and leave the focus where it was meant: focus, an id, or the first of several.
function change(act, words, ...focus) {
  act();
  mistakes = [];
  draw();
  const place = focus.map(part).find((one) => one && !one.disabled);
  place?.focus();
  part("said").textContent = words;
}

const moved = (list, from, to) => list.splice(to, 0, ...list.splice(from, 1));

const tool = (id, sign, words, act, possible = true) =>
  el("button", { type: "button", class: "plain", id, "aria-label": words, title: words, disabled: !possible, onclick: act }, el("span", { "aria-hidden": "true" }, sign));

// Buttons of one of a list: up, down, away. list: () => of the draft; name: of the ids; words: of it.
function tools(list, at, id, words, least) {
  const end = list.length - 1;
  const go = (to) => () =>
    change(() => moved(list, at, to), t("editor-moved", { what: words(at), number: to + 1 }), `${id(to)}-${to < at ? "up" : "down"}`, `${id(to)}-${to < at ? "down" : "up"}`);
  const drop = () =>
    change(() => list.splice(at, 1), t("editor-removed", { what: words(at) }), `${id(Math.min(at, end - 1))}-away`, `${id(0)}-up`, `${id(0)}-down`, "add-question");
  return [
    tool(`${id(at)}-up`, "↑", t("editor-up", { what: words(at) }), go(at - 1), at > 0),
    tool(`${id(at)}-down`, "↓", t("editor-down", { what: words(at) }), go(at + 1), at < end),
    tool(`${id(at)}-away`, "×", t("editor-remove", { what: words(at) }), drop, list.length > least),
  ];
}

const input = (id, value, keep, given = {}) =>
  el("input", { type: "text", id, value, autocomplete: "off", oninput: (event) => keep(event.target.value), ...given });

function drawAnswer(feature, q, a) {
  const what = (at) => t("editor-answer-of", { number: at + 1, question: q + 1 });
  const id = idOf(["feature", q, "values", a]);
  return el(
    "div",
    { class: "row" },
    input(id, feature.values[a], (typed) => (feature.values[a] = typed), { "aria-label": what(a) }),
    tools(feature.values, a, (at) => `tool-${q}-${at}`, what, 0),
  );
}

function drawQuestion(feature, q) {
  const name = idOf(["feature", q, "name"]);
  const what = (at) => t("editor-question", { number: at + 1 });
  const values = idOf(["feature", q, "values"]);
  const add = () =>
    change(() => feature.values.push(""), "", idOf(["feature", q, "values", feature.values.length]));
  return el(
    "fieldset",
    { id: idOf(["feature", q]), tabindex: "-1", "aria-label": what(q) },
    el("legend", {}, what(q)),
    el("label", { class: "field", for: name }, t("editor-text")),
    input(name, feature.name, (typed) => (feature.name = typed)),
    el("div", { id: values, tabindex: "-1", role: "group", "aria-label": t("editor-answers", { number: q + 1 }) },
      el("p", { class: "answers" }, t("editor-answers", { number: q + 1 })),
      feature.values.map((_, a) => drawAnswer(feature, q, a)),
    ),
    el("button", { type: "button", class: "plain", onclick: add }, t("editor-add-answer")),
    el("div", { class: "tools" }, tools(draft.feature, q, (at) => `tool-${at}`, what, 1)),
  );
}

function drawSetting(key) {
  const id = idOf(key.split("."));
  const hint = key === PERCENT ? el("p", { class: "small", id: `${id}-hint` }, t("editor-as-share", { share: number("0.1") })) : null;
  return [
    el("label", { class: "field", for: id }, LABELS[key]()),
    input(id, draft.settings[key], (typed) => (draft.settings[key] = typed), { inputmode: "decimal", "aria-describedby": hint && hint.id }),
    hint,
  ];
}

function drawLanguage() {
  const option = ([tag, name]) => el("option", { value: tag, lang: tag, selected: draft.lang === tag }, name);
  return [
    el("label", { class: "field", for: "field-lang" }, t("editor-language")),
    el(
      "select",
      { id: "field-lang", onchange: (event) => (draft.lang = event.target.value || null) },
      el("option", { value: "", selected: draft.lang === null }, t("editor-language-free")),
      known.languages.map(option),
    ),
  ];
}

function drawSaves() {
  const act = (where) => () => attempt(() => save(where));
  const file = known.file;
  return [
    el("button", { type: "button", class: "plain", id: "check", onclick: () => attempt(check) }, t("editor-check")),
    file ? el("button", { type: "button", id: "save", onclick: act("file") }, t("editor-save", { file })) : null,
    el("button", { type: "button", class: file ? "plain" : null, id: "use", onclick: act("session") }, t("editor-use")),
    el("label", { class: "field", for: "new-file" }, t("editor-new-file")),
    el("p", { class: "small", id: "new-hint" }, t("editor-folder", { folder: known.folder })),
    el("div", {}, input("new-file", "", () => {}, { "aria-describedby": "new-hint", spellcheck: "false" })),
    el("button", { type: "button", class: "plain", id: "save-new", onclick: act("new") }, t("editor-save-new")),
    el("button", { type: "button", class: "plain", id: "again", onclick: () => attempt(load) }, t("editor-again")),
  ];
}

function draw() {
  const add = () =>
    change(() => draft.feature.push({ name: "", values: ["", ""] }), "", idOf(["feature", draft.feature.length, "name"]));
  part("questions").replaceChildren(
    el("label", { class: "field", for: "field-title" }, t("editor-name-label")),
    input("field-title", draft.title, (typed) => (draft.title = typed)),
    ...drawLanguage(),
    el("div", { id: "field-feature", tabindex: "-1", role: "group", "aria-label": t("editor-questions") }, draft.feature.map(drawQuestion)),
    el("button", { type: "button", class: "plain", id: "add-question", onclick: add }, t("editor-add-question")),
    ...Object.keys(draft.settings).flatMap(drawSetting).filter(Boolean),
    el("div", { id: "mistakes" }),
    el("p", { id: "editor-told", role: "status", tabindex: "-1", hidden: true }),
    ...drawSaves().filter(Boolean),
  );
}

async function check() {
  mistakes = (await ask("check", sent())).problems;
  mark();
  if (!mistakes.length) tell(t("editor-right"));
}

async function save(where) {
  const name = part("new-file").value.trim();
  const done = await ask("save", { edition: known.edition, where, name: where === "new" ? name : "", draft: sent() });
  mistakes = done.problems;
  mark();
  if (mistakes.length) return;
  await load();
  const written = done.saved ? t("editor-saved", { file: done.saved }) : "";
  const copy = done.copy ? t("editor-copy", { file: done.copy }) : "";
  const asked = done.begun ? t("editor-saved-begun") : t("editor-asked");
  tell([written, copy, asked].filter(Boolean).join(" "));
  part("editor-told").focus(); // the button that was pressed is drawn anew
}

// Follow the session. What was typed stays when the session begins meanwhile: it can still be saved.
export function showEditor(now) {
  const place = part("editor");
  place.hidden = !now.editor || (now.phase !== "joining" && !dirty());
  part("preview").hidden = !now.editor;
  if (phase === "joining" && now.phase !== phase && dirty()) tell(t("editor-begun"), true);
  phase = now.phase;
}

part("editor").addEventListener("toggle", () => {
  if (part("editor").open && draft === null) attempt(load);
});
part("questions").addEventListener("submit", (event) => event.preventDefault());

part("preview").href = `${base}/preview`;
part("preview").addEventListener("click", () => giveDraft(dirty() ? sent() : null));
