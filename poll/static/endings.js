// What a phone shows when all is over: what was published, what was promised, and what became of both.
import { el, p, release, shares, show } from "./draw.js";
import { atMost, estimated, noiseOf } from "./noise.js";
import { alike, excluded, exposed, openOf, saidIn } from "./opened.js";
import { showsWay } from "./path.js";
import { drawn, people, percent, promised } from "./screens.js";
import { utf8 } from "./sodium.js";
import { shapeOf } from "./threshold.js";

// How many are in a smaller crowd than was promised: anybody can count it in what was published.
function proof({ told }, counts) {
  const shape = shapeOf(told);
  if (shape) {
    const few = exposed(counts, told.k);
    const known = excluded(counts, told.k, told.features.map(({ values }) => values.length), shape);
    const rest = `In it nothing is said that fewer than ${told.k} people share, but everybody knows what ${people(known)} did not say, and these are too few to hide: known by exclusion.`;
    if (!few && known) return p(rest, "bad");
    return few
      ? p(`In it something is said of ${people(few)} that fewer than ${told.k} share: the promise was BROKEN.`, "bad")
      : p(`In it nothing is said that fewer than ${told.k} people share: the promise was kept.`, "good");
  }
  if (told.program !== "two-round") return null;
  const sum = (cells) => cells.reduce((total, [, many]) => total + many, 0);
  const small = sum(counts.filter(([, many]) => many < told.k));
  const broken = small > told.max_exposure * sum(counts);
  return p(
    `In it ${small} of ${people(sum(counts))} (${percent(small / sum(counts))}) are in a crowd smaller than ${told.k}: the promise was ${broken ? "BROKEN" : "kept"}.`,
    broken ? "bad" : "good",
  );
}

// Where only k people open what is said: how far this phone's own answers are open, by its own reckoning.
function ownOpened({ told }, state, counts, { simulated }) {
  const shape = shapeOf(told);
  if (!shape || !state.rounds[1]) return null;
  const [said, many] = openOf(counts, state.row, shape.ends);
  if (!many) return p(`Of what you said nothing was opened: fewer than ${told.k} people gave it, or their answers were not counted.`);
  const some = said.length < state.row.length ? "; the rest stayed closed" : "";
  const made = simulated ? ` Those who are simulated count among them, ${simulated} in all, and hide you from everybody but the computer that made them up.` : "";
  return p(`Of what you said this was opened: ${said.join(", ")}. ${people(many)} gave it${some}.${made}`);
}

// What a phone can show of an attack by itself, by the attack's name.
const read = (session, state) => {
  const sizes = session.told.features.flatMap((feature) => feature.values.map((one) => utf8(one).length));
  const known = state.row.filter((one) => sizes.filter((size) => size === utf8(one).length).length === 1);
  return known.length
    ? [`Of what you said it knows for certain, for no other answer is as long: ${known.join(", ")}.`, "bad"]
    : ["Every answer of yours is as long as another one, so it knows none for certain.", "good"];
};
const lost = (session) => {
  const [came, counted] = session.tallies.map((_, at) => session.counted(at + 1)).reduce(
    ([all, some], { people: here, least }) => [all + here, some + least], [0, 0]);
  return counted < came
    ? [`The board shows it to everybody: answers of ${came - counted} of ${came} people are missing, and nobody knows whose.`, "bad"]
    : ["No answer was lost this time.", "good"];
};
const unseen = () => ["Nothing on the board shows it: as many answers went on as came.", "bad"];
const SHOWS = { size: read, drop: lost, surround: unseen };

// What whoever ran this had a party do wrong; it is told when all is over.
function cheated(session, state, { happened }) {
  if (!happened) return null;
  const own = SHOWS[happened.attack]?.(session, state);
  return [
    el("h2", {}, "Somebody has cheated"),
    p(`Whoever runs this had it done, for a lesson. ${happened.told}`, "note"),
    own ? p(...own) : null,
  ];
}

// What reports with noise say: this phone has worked it out from what the board shows everybody.
function estimates({ told, tallies, burned }, { noise }) {
  const counts = tallies[0]?.counts;
  if (burned || !counts) return null;
  const { whole, each } = noiseOf(told);
  const mixed = noise?.shuffled
    ? ` After the mix, to whoever cannot tell whose answer is whose, epsilon is at most ${atMost(noise.shuffled)} nats (delta = ${noise.delta}, ${people(noise.people)}; worked out by the computer that asks).`
    : "";
  return [
    told.features.map(({ name, values }, i) => shares(name, estimated(values, counts[i], each))),
    p("Shares of people, the noise taken off; by chance an estimate may lie below 0 or above 100 %, its interval not."),
    p(`Promised to each of you: local epsilon = ${whole} nats, whatever is seen of your answers.${mixed}`),
  ];
}

export function ends(session, state, facts) {
  if (session.told.program === "randomized") return endsNoisy(session, state, facts);
  return endsCounted(session, state, facts);
}

function endsNoisy(session, state, facts) {
  const found = estimates(session, facts);
  show(
    `end ${facts.noise ? "told" : ""}`,
    found ? "This was published" : "It is over",
    found ?? p(`Nothing was published: ${session.burned || "no answer could be read"}.`, "note"),
    Object.keys(state.rounds).length ? showsWay(session, state) : null,
    drawn(session, state, false),
    facts.kept ? p("The computer that ran this has kept a record of who said what after the noise. What you have answered never left this phone.", "note") : null,
    p("Close this tab, and your answers and keys are gone from this phone.", "small"),
  );
}

// A released cell, to be read: what did not open of it is called so.
const inWords = (cell) => (saidIn(cell).length < cell.length ? [...saidIn(cell), "closed"] : cell);

// Each question by itself, where the second round was given up for phones that were silent.
function endsAlone(session, state, facts) {
  const { people: came, missing, counts } = facts.singles;
  const silent = missing === 1 ? "1 phone was" : `${missing} phones were`;
  const own = (name, answer) => state.row[session.told.features.findIndex((feature) => feature.name === name)] === answer;
  show(
    "end alone",
    "This was published",
    Object.entries(counts).map(([name, cells]) => release([name], cells.map(([answer, many]) => [[own(name, answer) ? `\u25b8 ${answer}` : answer], many]))),
    p("\u25b8 is what you said.", "small"),
    p(`${silent} silent in the second round. So the questions are not shown together, where the missing could be found by subtraction; each by itself was counted in the first round, of ${people(came)}, and tells less than what was promised to be shown.`, "note"),
    p("The computer that ran this says so: these counts are not on the board, and this phone cannot check them.", "small"),
    Object.keys(state.rounds).length ? showsWay(session, state) : null,
    drawn(session, state, false),
    facts.kept ? p("The computer that ran this has kept a record of who said what, to be looked at in class.", "note") : null,
    p("Close this tab, and your answers and keys are gone from this phone.", "small"),
  );
}

function endsCounted(session, state, facts) {
  const last = session.tallies[session.tallies.length - 1];
  const kept = session.decision?.kept ?? [];
  const names = kept.map((column) => session.told.features[column].name);
  const published = kept.length > 0 && !session.burned && last?.counts;
  if (facts.singles) return endsAlone(session, state, facts);
  const what = session.burned
    ? p(`Nothing was published: ${session.burned}.`, "note")
    : published
      ? release(names, last.counts[0].map(([cell, many]) => [inWords(cell), many]))
      : p("Nothing was published: no question is safe enough for what was promised.", "note");
  show(
    "end",
    published ? "This was published" : "It is over",
    cheated(session, state, facts),
    what,
    published
      ? p(shapeOf(session.told) ? promised(session.told) : `Promised: at most ${percent(session.told.max_exposure)} of you in a crowd smaller than ${session.told.k}.`)
      : null,
    published ? proof(session, last.counts[0]) : null,
    published ? alike(names, last.counts[0]).map((line) => p(line, "bad")) : null,
    published ? ownOpened(session, state, last.counts[0], facts) : null,
    Object.keys(state.rounds).length ? showsWay(session, state) : null,
    drawn(session, state, false),
    facts.kept ? p("The computer that ran this has kept a record of who said what, to be looked at in class.", "note") : null,
    p("Close this tab, and your answers and keys are gone from this phone.", "small"),
  );
}
