import { partyName } from "./parties.js";
import { percent, t } from "./sentences.js";

// What a person sees: pieces of a page, made of text alone. Nothing here is ever read as HTML.
export function el(name, given = {}, ...inside) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(given)) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (value === true) made.setAttribute(key, "");
    else if (value !== false && value !== null) made.setAttribute(key, value);
  }
  made.append(...inside.flat(Infinity).filter((one) => one !== null && one !== ""));
  return made;
}

export const p = (words, kind = null) => el("p", { class: kind }, words);
export const button = (words, act, kind = null) =>
  el("button", { type: "button", class: kind, onclick: act }, words);

// Put a screen up, and say its title to whoever hears it. id: of what it is about: the same screen
// again leaves the focus, and what was typed, alone.
export function show(id, title, ...inside) {
  const screen = document.querySelector("#screen");
  const again = screen.dataset.id === id;
  const open = new Set(
    again ? [...screen.querySelectorAll("details[open]")].map((one) => one.dataset.at) : [],
  );
  screen.dataset.id = id;
  const heading = el("h1", { tabindex: "-1" }, title);
  screen.replaceChildren(heading, ...inside.flat(Infinity).filter((one) => one !== null));
  for (const one of screen.querySelectorAll("details")) one.open = open.has(one.dataset.at);
  if (!again) {
    heading.focus();
    window.scrollTo(0, 0);
  }
}

function write(place, words) {
  const line = document.querySelector(place);
  if (line.textContent !== words) line.textContent = words;
}

// What is seen below every screen: it changes too often to be read aloud.
export const status = (words) => write("#status", words);

// What is read aloud when it has changed, by whatever reads the page to somebody.
export const say = (words) => write("#said", words);

function sees(party, hop, many) {
  if (hop === 0) return t("sees-first", { n: many });
  if (party === "curator") return t("sees-curator");
  return party === "analyst" ? t("sees-analyst") : t("sees-later");
}

// One layer: it opens at a tap. at: its name, by which it stays open.
const layer = (kind, at, title, words, inside) =>
  el("details", { class: `layer ${kind}`, "data-at": at }, el("summary", {}, title), p(words), inside);

// What the reader finds: the answers; where only k people open them, lock in lock.
function innermost({ answers, levels }, round, k) {
  const own = p(t("written-here"), "small");
  const said = answers.map((answer) => p(answer, "words"));
  if (!levels) return el("div", {}, said, own);
  return levels.reduceRight((inside, words, at) => {
    const last = at === levels.length - 1;
    const what = el("div", {}, p(words, "words"), last ? own : inside);
    const opens = at ? t("lock-next", { k }) : t("lock-first", { k });
    return layer("hop-lock", `${round}-lock-${at}`, t("lock-title", { k }), opens, what);
  }, null);
}

// An envelope: layer in layer, the outermost first. made: what was sealed, {answers, levels}, texts.
export function envelope(parties, made, round, closing, k) {
  let inside = innermost(made, round, k);
  for (let hop = parties.length - 1; hop >= 0; hop -= 1) {
    const last = hop === parties.length - 1;
    const kind = `hop-${last ? "last" : Math.min(hop, 3)}${closing ? " closing" : ""}`;
    const words = last && made.levels ? t("sees-locked") : sees(parties[hop], hop, made.answers.length);
    inside = layer(kind, `${round}-${hop}`, t("layer-for", { party: partyName(parties[hop]) }), words, inside);
  }
  return inside;
}

// Answers that stand on the board, each locked by itself. opens: who opens them, in words.
export const boxes = (answers, opens, round, closing) =>
  answers.map((answer, i) => {
    const inside = el("div", {}, p(answer, "words"), p(t("written-here"), "small"));
    const kind = `hop-last${closing ? " closing" : ""}`;
    return layer(kind, `${round}-box-${i}`, t("locked-box", { number: i + 1 }), opens, inside);
  });

// An interval as a bar on a scale from 0 to 1, with a mark at the estimate, where that says anything.
function interval(share, low, high, said) {
  const scale = (share_) => 4 + 192 * Math.min(1, Math.max(0, share_));
  const drawing = (name, given) => {
    const made = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(given)) made.setAttribute(key, value);
    return made;
  };
  const whole = drawing("svg", { viewBox: "0 0 200 16", class: "interval", "aria-hidden": "true" });
  whole.append(
    drawing("line", { x1: scale(0), x2: scale(1), y1: 8, y2: 8, class: "scale" }),
    drawing("line", { x1: scale(low), x2: scale(high), y1: 8, y2: 8, class: "limits" }),
  );
  if (said) whole.append(drawing("circle", { cx: scale(share), cy: 8, r: 5, class: "half" }));
  return whole;
}

const TOO_WIDE = 0.25; // half of an interval, as a share of people: its estimate says nothing

// Estimated shares of the answers to one question, each with its interval. rows: as noise.js has them.
export function shares(name, rows) {
  const exact = (share) => percent(share, 1, 1);
  const says = (low, high) => (high - low) / 2 < TOO_WIDE;
  const drawn = rows.map(([answer, share, low, high]) =>
    el(
      "tr",
      {},
      el("th", { scope: "row" }, answer),
      el("td", {}, says(low, high) ? exact(share) : t("verdict-little")),
      el("td", {}, t("from-to", { low: exact(low), high: exact(high) }), interval(share, low, high, says(low, high))),
    ),
  );
  const titles = [t("table-answer"), t("table-estimate"), t("table-interval")].map((one) => el("th", { scope: "col" }, one));
  const head = el("thead", {}, el("tr", {}, titles));
  return el("table", {}, el("caption", {}, name), head, el("tbody", {}, drawn));
}

// Counts of a release: the kept questions, and how many people. Two columns, for a phone is narrow.
export function release(names, counts) {
  const rows = counts.map(([cell, people]) =>
    el("tr", {}, el("th", { scope: "row" }, cell.join(", ")), el("td", {}, String(people))),
  );
  const titles = [t("table-answers"), t("table-people")].map((title) => el("th", { scope: "col" }, title));
  return el(
    "table",
    {},
    el("caption", {}, t("table-caption", { names: names.join("; ") })),
    el("thead", {}, el("tr", {}, titles)),
    el("tbody", {}, rows),
  );
}
