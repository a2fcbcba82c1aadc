// The screens, one after the other: each says one thing and asks for one thing.
import { button, el, envelope, p, release, shares, show } from "./draw.js";
import { whoMixes } from "./mixes.js";
import { atMost, chances, estimated, noiseOf } from "./noise.js";
import { showsWay } from "./path.js";
import { utf8 } from "./sodium.js";
import { keyWords, sessionWords } from "./words.js";

const percent = (share) => `${Math.round(share * 1000) / 10} %`;
const people = (many) => (many === 1 ? "1 person" : `${many} people`);

// What leaves the phone, in a sentence; and who could read it all the same.
function leaves(facts) {
  return [
    p("Only the name you choose and your sealed answers leave this phone; while each layer is opened by another party, none of them alone learns what you said."),
    whoMixes(facts),
  ];
}

export function asksName(facts, problem, join) {
  const field = el("input", { type: "text", id: "name", maxlength: "40", autocomplete: "off", "aria-describedby": problem ? "problem" : null });
  const submit = (event) => {
    event.preventDefault();
    join(field.value);
  };
  show(
    `name ${problem}`,
    facts.title,
    problem ? el("p", { class: "bad", id: "problem", role: "alert" }, problem) : null,
    leaves(facts),
    el(
      "form",
      { onsubmit: submit },
      el("label", { class: "field", for: "name" }, "What are you called here?"),
      field,
      el("button", {}, "Join"),
    ),
    p("A nickname will do. It is not sent with your answers, but this computer knows which phone sends which envelope.", "small"),
  );
}

export function waits(state, facts) {
  const few = facts.people < facts.needed;
  show(
    "wait",
    `Hello, ${state.name}`,
    p(facts.started ? "The parties are making their keys." : "You have joined. It begins when whoever runs this says so."),
    p(`${people(facts.people)} here${facts.simulated ? `, ${facts.simulated} of them simulated` : ""}; fewer than ${facts.needed} are not asked anything.`, few ? "note" : null),
    facts.others === null ? null : whoMixes(facts),
    p(`There ${facts.questions === 1 ? "is 1 question" : `are ${facts.questions} questions`}, and ${facts.seconds} seconds to answer once it begins. If this tab is closed, your answers and your keys are gone.`),
  );
}

// What is promised, and how much noise stands behind it, in words.
const protects = ({ whole }) =>
  `whatever anybody sees of it, the odds between any two answers of yours change by a factor of ${atMost(Math.exp(whole))} at most (local epsilon = ${whole} nats)`;

function promised(told) {
  const noise = noiseOf(told);
  return noise
    ? `Promised: your phone adds noise to your answers before it seals them; ${protects(noise)}.`
    : `Promised: at most ${percent(told.max_exposure)} of those who answer will be in a crowd smaller than ${told.k} in what is published.`;
}

// What the phone is about to do to the answers, where it adds noise.
function randomizes(told) {
  const noise = noiseOf(told);
  if (!noise) return [];
  const chance = told.features.map(({ name, values }) => [
    el("dt", {}, name),
    el("dd", {}, `${percent(chances(values.length, noise.each).truth)} that it says yours; else one of the others, by lot`),
  ]);
  return [
    p(`Your phone now draws by lot what it says. What it says is not your answer for certain: ${protects(noise)}.`, "note"),
    el("details", { "data-at": "chances" }, el("summary", {}, "how likely it says yours"), el("dl", {}, chance)),
  ];
}

export function compares(session, facts, agree) {
  const { told } = session;
  const keys = session.openers({ reader: "curator" }).concat("analyst");
  const rows = keys.flatMap((party) => [
    el("dt", {}, `key of ${party}`),
    el("dd", {}, keyWords(session.encodedKey(party))),
  ]);
  show(
    "compare",
    "Do all of you see these words?",
    p(sessionWords(session.session), "words"),
    p("They stand for all that is asked and promised, and for the keys that your answers are sealed for. Somebody reads them aloud from the wall: whoever sees other words was told something else, and should not answer."),
    el("details", { "data-at": "keys" }, el("summary", {}, "the keys, one by one"), el("dl", {}, rows)),
    told.lesson ? p("A guard is missing in this session, on purpose, for a lesson: say nothing that others may not know.", "note") : null,
    p(`${promised(told)} Fewer than ${told.min_batch} answers are not counted.`),
    facts.others === null ? null : whoMixes(facts),
    button("They are the same: begin", agree),
  );
}

export function asks(session, state, number, answer, back) {
  const { features } = session.told;
  const feature = features[number];
  const choices = feature.values.map((value, i) =>
    el(
      "label",
      { class: "choice", for: `answer-${i}` },
      el("input", {
        type: "radio",
        name: "answer",
        id: `answer-${i}`,
        value,
        checked: state.row[number] === value,
        onchange: () => (document.querySelector("#next").disabled = false),
      }),
      el("span", {}, value),
    ),
  );
  const submit = (event) => {
    event.preventDefault();
    const chosen = document.querySelector("input[name=answer]:checked");
    if (chosen) answer(chosen.value);
  };
  show(
    `question ${number}`,
    `Question ${number + 1} of ${features.length}`,
    el(
      "form",
      { onsubmit: submit },
      el("fieldset", {}, el("legend", {}, feature.name), choices),
      el("button", { id: "next", disabled: state.row[number] === undefined }, "Next"),
    ),
    number > 0 ? button("Back", back, "plain") : null,
  );
}

export function seals(session, state, facts, seal, back) {
  const said = session.told.features.flatMap((feature, i) => [
    el("dt", {}, feature.name),
    el("dd", {}, state.row[i]),
  ]);
  show(
    "seal",
    "Seal your answers?",
    el("dl", {}, said),
    randomizes(session.told),
    leaves(facts),
    button("Seal and hand in", seal),
    button("Change an answer", back, "plain"),
  );
}

function promise(session) {
  const { told, decision } = session;
  if (decision === null) return [];
  const kept = decision.kept.map((column) => told.features[column].name);
  const gone = told.features.map((feature) => feature.name).filter((name) => !kept.includes(name));
  if (!kept.length) {
    return [el("h2", {}, "The decision"), p("Nothing will be published: no question is safe enough for what was promised.")];
  }
  return [
    el("h2", {}, "What will be published"),
    p(`How many gave each combination of answers to: ${kept.join("; ")}.`),
    gone.length ? p(`Not: ${gone.join("; ")}.`) : null,
    p(`Promised: at most ${percent(told.max_exposure)} of you in a crowd smaller than ${told.k}. Your phone answers this by itself, with what you have said before.`),
  ];
}

// What became of one round's envelope, and how it is shown.
function standing(session, state, round) {
  const made = state.rounds[round];
  const counted = session.counted(round, made.receipts);
  if (counted === true) return ["Your answer was counted: its receipt is on the board.", "good"];
  if (counted === false) {
    return ["Your answer was NOT counted: its receipt is missing on the board. Say so.", "bad"];
  }
  if (made.problem) return [made.problem, "bad"];
  if (!made.handed) return ["Your envelope is sealed, and not yet handed in.", null];
  return ["Your envelope was handed in. Your phone keeps a receipt, and looks for it on the board.", null];
}

// The same of the last round, to be read aloud.
export function lastStanding(session, state) {
  const round = Object.keys(state.rounds).pop();
  return round ? `Round ${round}: ${standing(session, state, round)[0]}` : "";
}

function drawn(session, state, closing) {
  const rounds = Object.keys(state.rounds);
  return rounds.map((round) => {
    const made = state.rounds[round];
    const call = session.calls.find(({ body }) => body.round === Number(round));
    return call
      ? [
          el("h2", {}, `Round ${round}`),
          p(...standing(session, state, round)),
          p("Tap a layer to look inside:", "small"),
          envelope(session.openers(call.body), made.answers, round, closing),
        ]
      : [];
  });
}

export function handed(session, state, closing) {
  show("handed", "Your sealed envelope", promise(session), drawn(session, state, closing));
}

// How many are in a smaller crowd than was promised: anybody can count it in what was published.
function proof({ told }, counts) {
  if (told.program !== "two-round") return null;
  const sum = (cells) => cells.reduce((total, [, many]) => total + many, 0);
  const small = sum(counts.filter(([, many]) => many < told.k));
  const broken = small > told.max_exposure * sum(counts);
  return p(
    `In it ${small} of ${people(sum(counts))} (${percent(small / sum(counts))}) are in a crowd smaller than ${told.k}: the promise was ${broken ? "BROKEN" : "kept"}.`,
    broken ? "bad" : "good",
  );
}

// What a phone can show of an attack by itself, by the attack's name.
const read = (session, state) => {
  const sizes = session.told.features.flatMap((feature) => feature.values.map((one) => utf8(one).length));
  const known = state.row.filter((one) => sizes.filter((size) => size === utf8(one).length).length === 1);
  return known.length
    ? [`Of what you said it knows for certain, for no other answer is as long: ${known.join(", ")}.`, "bad"]
    : ["Every answer of yours is as long as another one, so it knows none for certain.", "good"];
};
const missed = (session, state) => {
  const lost = Object.entries(state.rounds).filter(([round, made]) => session.counted(round, made.receipts) === false);
  return lost.length
    ? ["Your receipt is missing on the board: that is how you know.", "bad"]
    : ["Your own answers are all there. Ask the others whose receipt is missing.", "good"];
};
const SHOWS = { size: read, drop: missed, surround: missed };

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
    p("Shares of people, the noise taken off; by chance one may lie below 0 or above 100 %."),
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

function endsCounted(session, state, facts) {
  const last = session.tallies[session.tallies.length - 1];
  const kept = session.decision?.kept ?? [];
  const names = kept.map((column) => session.told.features[column].name);
  const published = kept.length > 0 && !session.burned && last?.counts;
  const what = session.burned
    ? p(`Nothing was published: ${session.burned}.`, "note")
    : published
      ? release(names, last.counts[0])
      : p("Nothing was published: no question is safe enough for what was promised.", "note");
  show(
    "end",
    published ? "This was published" : "It is over",
    what,
    published
      ? p(`Promised: at most ${percent(session.told.max_exposure)} of you in a crowd smaller than ${session.told.k}.`)
      : null,
    published ? proof(session, last.counts[0]) : null,
    cheated(session, state, facts),
    Object.keys(state.rounds).length ? showsWay(session, state) : null,
    drawn(session, state, false),
    facts.kept ? p("The computer that ran this has kept a record of who said what, to be looked at in class.", "note") : null,
    p("Close this tab, and your answers and keys are gone from this phone.", "small"),
  );
}

export function stops(title, words) {
  show(`stop ${title}`, title, p(words, "note"));
}
