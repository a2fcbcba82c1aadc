// What a phone shows when all is over: what was published, what was promised, and what became of both.
import { el, p, release, shares, show } from "./draw.js";
import { atMost, estimated, noiseOf } from "./noise.js";
import { alike, excluded, exposed, openOf, saidIn } from "./opened.js";
import { showsWay } from "./path.js";
import { people } from "./parties.js";
import { drawn, maybeAgain, promised } from "./screens.js";
import { number, percent, t } from "./sentences.js";
import { utf8 } from "./sodium.js";
import { shapeOf } from "./threshold.js";

// How many are in a smaller crowd than was promised: anybody can count it in what was published.
function proof({ told }, counts) {
  const shape = shapeOf(told);
  if (shape) {
    const few = exposed(counts, told.k);
    const known = excluded(counts, told.k, told.features.map(({ values }) => values.length), shape);
    const { k } = told;
    if (!few && known) return p(t("proof-excluded", { k, people: people(known) }), "bad");
    return few
      ? p(t("proof-open-broken", { k, people: people(few) }), "bad")
      : p(t("proof-open-kept", { k }), "good");
  }
  if (!["two-round", "two-round-once"].includes(told.program)) return null;
  const sum = (cells) => cells.reduce((total, [, many]) => total + many, 0);
  const small = sum(counts.filter(([, many]) => many < told.k));
  const broken = small > told.max_exposure * sum(counts);
  const found = { small, people: people(sum(counts)), share: percent(small / sum(counts)), k: told.k };
  return broken ? p(t("proof-broken", found), "bad") : p(t("proof-kept", found), "good");
}

// Where only k people open what is said: how far this phone's own answers are open, by its own reckoning.
function ownOpened({ told }, state, counts, { simulated }) {
  const shape = shapeOf(told);
  if (!shape || !state.rounds[1]) return null;
  const [said, many] = openOf(counts, state.row, shape.ends);
  if (!many) return p(t("own-none", { k: told.k }));
  const some = said.length < state.row.length ? t("own-rest") : "";
  const made = simulated ? t("own-simulated", { n: simulated }) : "";
  return p(t("own-opened", { said: said.join(", "), people: people(many), rest: some, simulated: made }));
}

// What a phone can show of an attack by itself, by the attack's name.
const read = (session, state) => {
  const sizes = session.told.features.flatMap((feature) => feature.values.map((one) => utf8(one).length));
  const known = state.row.filter((one) => sizes.filter((size) => size === utf8(one).length).length === 1);
  return known.length
    ? [t("size-known", { values: known.join(", ") }), "bad"]
    : [t("size-unknown"), "good"];
};
const lost = (session) => {
  const [came, counted] = session.tallies.map((_, at) => session.counted(at + 1)).reduce(
    ([all, some], { people: here, least }) => [all + here, some + least], [0, 0]);
  return counted < came
    ? [t("drop-lost", { n: came - counted, people: people(came) }), "bad"]
    : [t("drop-none"), "good"];
};
const unseen = () => [t("surround-unseen"), "bad"];
const SHOWS = { size: read, drop: lost, surround: unseen };

// What whoever ran this had a party do wrong; it is told when all is over.
function cheated(session, state, { happened }) {
  if (!happened) return null;
  const own = SHOWS[happened.attack]?.(session, state);
  return [
    el("h2", {}, t("cheated-title")),
    p(t("cheated", { told: happened.told }), "note"),
    own ? p(...own) : null,
  ];
}

// What reports with noise say: this phone has worked it out from what the board shows everybody.
function estimates({ told, tallies, burned }, { noise }) {
  const counts = tallies[0]?.counts;
  if (burned || !counts) return null;
  const { whole, each } = noiseOf(told);
  const mixed = noise?.shuffled
    ? t("estimates-mixed", { epsilon: number(atMost(noise.shuffled)), delta: number(noise.delta), people: people(noise.people) })
    : "";
  return [
    told.features.map(({ name, values }, i) => shares(name, estimated(values, counts[i], each))),
    p(t("estimates-explain")),
    p(t("estimates-promised", { epsilon: number(whole), mixed })),
  ];
}

// Why nothing was published: as the computer says it in this language, else in the words of the board.
const reason = (session, facts) => session.burned && (facts.ended || session.burned);

export function ends(session, state, facts) {
  if (session.told.program === "randomized") return endsNoisy(session, state, facts);
  return endsCounted(session, state, facts);
}

function endsNoisy(session, state, facts) {
  const found = estimates(session, facts);
  show(
    `end ${facts.noise ? "told" : ""}`,
    found ? t("published-title") : t("ended-title"),
    found ?? p(t("published-nothing", { why: reason(session, facts) || t("unread") }), "note"),
    Object.keys(state.rounds).length ? showsWay(session, state) : null,
    drawn(session, state, false),
    facts.kept ? p(t("kept-noisy"), "note") : null,
    p(t("close-tab"), "small"),
  );
}

// A released cell, to be read: what did not open of it is called so.
const inWords = (cell) => (saidIn(cell).length < cell.length ? [...saidIn(cell), t("closed")] : cell);

// Each question by itself, where the second round was given up for phones that were silent.
function endsAlone(session, state, facts) {
  const { people: came, missing, counts } = facts.singles;
  const own = (name, answer) => state.row[session.told.features.findIndex((feature) => feature.name === name)] === answer;
  show(
    "end alone",
    t("published-title"),
    Object.entries(counts).map(([name, cells]) => release([name], cells.map(([answer, many]) => [[own(name, answer) ? `\u25b8 ${answer}` : answer], many]))),
    p(t("alone-own"), "small"),
    p(t("alone-silent", { n: missing, people: people(came) }), "note"),
    p(t("alone-unchecked"), "small"),
    Object.keys(state.rounds).length ? showsWay(session, state) : null,
    drawn(session, state, false),
    facts.kept ? p(t("kept-record"), "note") : null,
    p(t("close-tab"), "small"),
  );
}

function endsCounted(session, state, facts) {
  const last = session.tallies[session.tallies.length - 1];
  const kept = session.decision?.kept ?? [];
  const names = kept.map((column) => session.told.features[column].name);
  const published = kept.length > 0 && !session.burned && last?.counts;
  if (facts.singles) return endsAlone(session, state, facts);
  const what = session.burned
    ? p(t("published-nothing", { why: reason(session, facts) }), "note")
    : published
      ? release(names, last.counts[0].map(([cell, many]) => [inWords(cell), many]))
      : p(t("published-unsafe"), "note");
  show(
    "end",
    published ? t("published-title") : t("ended-title"),
    cheated(session, state, facts),
    what,
    maybeAgain(facts),
    published
      ? p(shapeOf(session.told) ? promised(session.told) : t("promised-you", { share: percent(session.told.max_exposure), k: session.told.k }))
      : null,
    published ? proof(session, last.counts[0]) : null,
    published ? alike(names, last.counts[0]).map((line) => p(line, "bad")) : null,
    published ? ownOpened(session, state, last.counts[0], facts) : null,
    published && session.once ? p(t("once-release")) : null,
    Object.keys(state.rounds).length ? showsWay(session, state) : null,
    drawn(session, state, false),
    facts.kept ? p(t("kept-record"), "note") : null,
    p(t("close-tab"), "small"),
  );
}
