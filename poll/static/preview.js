// The preview: the phones' own screens for the questions, one after the other, on the teacher's page.
//
// It asks the program once what a phone would be told, and sends nothing afterwards: no name, no answer.
import { sessionOf } from "./announcement.js";
import { readAnnouncement } from "./bodies.js";
import { givenDraft } from "./drafts.js";
import { button, el, p, show } from "./draw.js";
import { checkAbilities } from "./envelope.js";
import { Session } from "./follow.js";
import { spoken } from "./noise.js";
import { asks, asksName, compares, handed, seals, stops, waits } from "./screens.js";
import { arrived, speaks, t } from "./sentences.js";
import { Refused, ready, unhex } from "./sodium.js";
import { levelsOf, shapeOf } from "./threshold.js";

const { lost, lostTitle } = document.body.dataset;
const state = { name: "", slip: "", row: [], rounds: {} };
let facts;
let session;
let steps = []; // functions that put up a screen
let at = 0;

document.documentElement.dataset.began = ""; // else old.js says that this browser is too old

function go(to) {
  at = Math.max(0, Math.min(steps.length - 1, to));
  steps[at]();
  const note = document.querySelector("#preview-note");
  note.textContent = t("preview-note");
  const last = at === steps.length - 1;
  const buttons = [
    at ? button(t("preview-back"), back, "plain") : "",
    last ? button(t("preview-first"), () => go(0), "plain") : button(t("preview-next"), on, "plain"),
  ];
  const place = t("preview-place", { number: at + 1, n: steps.length });
  const nav = document.querySelector("#steps");
  nav.setAttribute("aria-label", t("preview-steps"));
  nav.replaceChildren(p(last ? `${place}. ${t("preview-end")}` : place, "small"), el("div", { class: "row" }, buttons));
}

const on = () => go(at + 1);
const back = () => go(at - 1);

// A session as a phone has it when the first round is open, without a board.
function sessionFrom(announcement) {
  const made = new Session({ name: "", session: "", mark: null });
  const encoded = unhex(announcement);
  const told = readAnnouncement(encoded);
  checkAbilities(told);
  const { features } = told;
  const reader = told.program === "randomized" || told.program === "threshold" ? "analyst" : "curator";
  const every = features.map((_, i) => [i]);
  const body = { round: 1, reader, asks: told.program === "threshold" ? [every.flat()] : every, hidden: [] };
  Object.assign(made, { told, announced: encoded, session: sessionOf(encoded), calls: [{ body, data: null }] });
  made.board.people = made.session;
  return made;
}

// What the envelope would hold: nothing is sealed. A question that was skipped has its first answer.
function closes() {
  const { told, calls } = session;
  const { features } = told;
  const row = features.map(({ values }, i) => state.row[i] ?? values[0]);
  const said = spoken(told, row);
  const shape = shapeOf(told);
  const answers = calls[0].body.asks.map((ask) => ask.map((i) => `${features[i].name} ${said[i]}`).join("; "));
  const levels = shape && levelsOf(shape, row).map((words) => words.join(", "));
  state.rounds = { 1: { answers, levels, ballots: told.verified, handed: false, problem: "" } };
  handed(session, state, false);
}

function answers(i) {
  asks(session, state, i, (value) => {
    state.row[i] = value;
    on();
  }, back);
}

function sealsAll() {
  state.row = session.told.features.map(({ values }, i) => state.row[i] ?? values[0]);
  seals(session, state, facts, on, back);
}

const named = (name) => {
  state.name = name;
  on();
};

function screens() {
  return [
    () => asksName(facts, "", state.slip, named),
    () => waits({ name: state.name || t("preview-name") }, facts),
    () => compares(session, facts, on),
    ...session.told.features.map((_, i) => () => answers(i)),
    sealsAll,
    closes,
  ];
}

function showMistakes(problems) {
  const line = ({ where, message }) => el("li", {}, `${where}: `, el("span", { lang: "en", dir: "ltr" }, message));
  show("mistakes", t("editor-mistakes", { n: problems.length }), p(t("preview-mistakes")), el("ul", {}, problems.map(line)));
}

async function begin() {
  try {
    await Promise.all([arrived(), ready]);
  } catch {
    stops(lostTitle, lost);
    return;
  }
  try {
    const path = location.pathname.replace(/preview$/, "editor/preview");
    const answer = await fetch(path, { method: "POST", body: givenDraft(), cache: "no-store", credentials: "omit" });
    if (!answer.ok) throw new Refused("unexpected", await answer.text());
    const found = await answer.json();
    if (found.problems.length) {
      showMistakes(found.problems);
      return;
    }
    facts = found.facts;
    await speaks(facts.language);
    session = sessionFrom(found.announcement);
    steps = screens();
    go(0);
  } catch (wrong) {
    stops(t("preview-none"), wrong instanceof Refused ? wrong.message : t("teacher-gone"));
  }
}

begin();
