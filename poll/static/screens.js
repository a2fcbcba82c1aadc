// The screens, one after the other: each says one thing and asks for one thing.
import { PLEASE } from "./awake.js";
import { button, el, envelope, p, show } from "./draw.js";
import { expects } from "./expected.js";
import { whoMixes } from "./mixes.js";
import { atMost, chances, noiseOf } from "./noise.js";
import { shapeOf } from "./threshold.js";
import { keyWords, sessionWords } from "./words.js";

export const percent = (share) => `${Math.round(share * 1000) / 10} %`;
export const people = (many) => (many === 1 ? "1 person" : `${many} people`);

// What leaves the phone, in a sentence; and who could read it all the same.
function leaves(facts) {
  const what = facts.opens === null
    ? "the name you choose and your sealed answers"
    : "the name you choose, a question to the party randomness from which it learns nothing, and your sealed answers";
  const last = facts.opens === null ? "" : `, and the last opens only what ${facts.opens} people have said alike`;
  return [
    p(`Only ${what} leave this phone; while each layer is opened by another party, none of them alone learns what you said${last}.`),
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
    expects(facts),
    facts.others === null ? null : whoMixes(facts),
    p(`There ${facts.questions === 1 ? "is 1 question" : `are ${facts.questions} questions`}, and ${facts.seconds} seconds to answer once it begins. If this tab is closed, your answers and your keys are gone.`),
    p(PLEASE),
  );
}

// What is promised, and how much noise stands behind it, in words.
const protects = ({ whole }) =>
  `whatever anybody sees of it, the odds between any two answers of yours change by a factor of ${atMost(Math.exp(whole))} at most (local epsilon = ${whole} nats)`;

// Where only k people open what is said: what is opened, in words.
const opensWhat = ({ needed, prefixes }) =>
  prefixes
    ? `your first answer is opened if ${needed} people or more gave the same, the next one with it if as many gave both, and so on`
    : `your answers are opened if ${needed} people or more gave all the same`;

export function promised(told) {
  const noise = noiseOf(told);
  const shape = shapeOf(told);
  if (shape) {
    return `Promised: ${opensWhat(shape)}; the rest stays closed, unless the analyst and the party randomness put together what they have.`;
  }
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
    told.program === "two-round" && facts.others === null ? p("If phones fall silent in the second round, the questions that would be shown together are shown each by itself: keep your screen on until the end.") : null,
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

// What the phone does before it seals, where only k people open a row.
function consulting(told) {
  const shape = shapeOf(told);
  if (!shape) return [];
  return [
    p(`Your phone now asks randomness for a secret that only people with your answers get. It asks blindly: nobody can tell from the question what you said. With it the phone locks your answers, so that ${opensWhat(shape)}.`, "note"),
  ];
}

// While the phone waits for what it seals with.
export function consults({ asked }) {
  show(
    "consult",
    asked.problem ? "Nothing was sealed" : "Asking randomness",
    asked.problem
      ? p(asked.problem, "bad")
      : p("Your phone has asked for what it seals with. The answer must be proved to be of the one key on the board, which is the same for everybody."),
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
    consulting(session.told),
    leaves(facts),
    button("Seal and hand in", seal),
    button("Change an answer", back, "plain"),
  );
}

function promise(session) {
  const { told, decision } = session;
  if (decision === null) return [];
  if (shapeOf(told)) return [el("h2", {}, "What will be published"), p(`How many gave the same answers, as far as they open. ${promised(told)}`)];
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

// What became of one round's envelope, and how it is shown. Of what was counted every phone says the
// same: a phone that missed its own answer, and whose owner said so, would tell the reader whose it was.
function standing(session, state, round) {
  const made = state.rounds[round];
  if (made.problem) return [made.problem, "bad"];
  if (!made.handed) return ["Your envelope is sealed, and not yet handed in.", null];
  const counted = session.counted(round);
  if (counted === null) return ["Your envelope was handed in.", null];
  const all = counted.least === counted.people;
  return [`Your envelope was handed in. Answers of ${counted.least} of ${people(counted.people)} were counted.`, all ? "good" : "bad"];
}

// The same of the last round, to be read aloud.
export function lastStanding(session, state) {
  const round = Object.keys(state.rounds).pop();
  return round ? `Round ${round}: ${standing(session, state, round)[0]}` : "";
}

export function drawn(session, state, closing) {
  const rounds = Object.keys(state.rounds);
  return rounds.map((round) => {
    const made = state.rounds[round];
    const call = session.calls.find(({ body }) => body.round === Number(round));
    return call
      ? [
          el("h2", {}, `Round ${round}`),
          p(...standing(session, state, round)),
          p("Tap a layer to look inside:", "small"),
          envelope(session.openers(call.body), made, round, closing, session.told.k),
        ]
      : [];
  });
}

export function handed(session, state, closing) {
  const again = session.told.program === "randomized" || shapeOf(session.told) ? null : p(PLEASE, "note");
  show("handed", "Your sealed envelope", session.closed ? null : again, promise(session), drawn(session, state, closing));
}

export function stops(title, words) {
  show(`stop ${title}`, title, p(words, "note"));
}
