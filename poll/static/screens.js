// The screens, one after the other: each says one thing and asks for one thing.
import { boxes, button, el, envelope, p, show } from "./draw.js";
import { expects } from "./expected.js";
import { whoMixes } from "./mixes.js";
import { atMost, chances, noiseOf } from "./noise.js";
import { partyName, people } from "./parties.js";
import { number, percent, t } from "./sentences.js";
import { shapeOf } from "./threshold.js";
import { keyWords, sessionWords } from "./words.js";

// What leaves the phone, in a sentence; and who could read it all the same.
function leaves(facts) {
  const plain = facts.slips ? t("leaves-slip") : t("leaves-name");
  const asking = facts.slips ? t("leaves-slip-opens") : t("leaves-name-opens");
  if (facts.verified) return [p(facts.slips ? t("leaves-slip-locked") : t("leaves-name-locked")), whoMixes(facts)];
  const words = facts.opens === null ? t("leaves", { what: plain }) : t("leaves-opens", { what: asking, k: facts.opens });
  return [p(words), whoMixes(facts)];
}

// A field to type into, with its label.
const typed = (id, label, given) => [
  el("label", { class: "field", for: id }, label),
  el("input", { type: "text", id, autocomplete: "off", ...given }),
];

// slip: the code that the phone was opened with; "" if there was none.
export function asksName(facts, problem, slip, join) {
  const described = { "aria-describedby": problem ? "problem" : null };
  const value = (id) => document.querySelector(id)?.value ?? "";
  const submit = (event) => {
    event.preventDefault();
    join(value("#name"), value("#slip"));
  };
  show(
    `name ${facts.title} ${problem}`,
    facts.title,
    problem ? el("p", { class: "bad", id: "problem", role: "alert" }, problem) : null,
    facts.slips ? p(t("slip-explains")) : null,
    leaves(facts),
    el(
      "form",
      { onsubmit: submit },
      facts.slips ? typed("slip", t("slip-label"), { maxlength: "40", autocapitalize: "characters", spellcheck: "false", value: value("#slip") || slip, ...described }) : null,
      typed("name", t("name-label"), { maxlength: "40", value: value("#name"), ...described }),
      el("button", {}, t("join")),
    ),
    p(facts.verified ? t("name-small-locked") : t("name-small"), "small"),
  );
}

export function waits(state, facts) {
  const few = facts.people < facts.needed;
  const count = { people: people(facts.people), simulated: facts.simulated, needed: facts.needed };
  show(
    "wait",
    t("hello", { name: state.name }),
    facts.attempt > 1 ? p(t("again-begins"), "note") : null,
    p(facts.started ? t("making-keys") : t("joined")),
    p(facts.simulated ? t("here-simulated", count) : t("here", count), few ? "note" : null),
    expects(facts),
    facts.others === null ? null : whoMixes(facts),
    p(t("questions", { n: facts.questions, seconds: facts.seconds })),
    facts.slips ? p(t("slip-keep")) : null,
    p(facts.once ? t("please-once") : t("please")),
  );
}

// What is promised, and how much noise stands behind it, in words.
const protects = ({ whole }) =>
  t("protects", { factor: number(atMost(Math.exp(whole))), epsilon: number(whole) });

// Where only k people open what is said: what is opened, in words.
const opensWhat = ({ needed, prefixes }) =>
  prefixes ? t("opens-prefixes", { k: needed }) : t("opens-row", { k: needed });

export function promised(told) {
  const noise = noiseOf(told);
  const shape = shapeOf(told);
  if (shape) return t("promised-opens", { opens: opensWhat(shape) });
  return noise
    ? t("promised-noise", { protects: protects(noise) })
    : t("promised-share", { share: percent(told.max_exposure), k: told.k });
}

// What the phone is about to do to the answers, where it adds noise.
function randomizes(told) {
  const noise = noiseOf(told);
  if (!noise) return [];
  const chance = told.features.map(({ name, values }) => [
    el("dt", {}, name),
    el("dd", {}, t("noise-chance", { share: percent(chances(values.length, noise.each).truth) })),
  ]);
  return [
    p(t("noise-lot", { protects: protects(noise) }), "note"),
    el("details", { "data-at": "chances" }, el("summary", {}, t("noise-chances")), el("dl", {}, chance)),
  ];
}

export function compares(session, facts, agree) {
  const { told } = session;
  const keys = session.openers({ reader: "curator" }).concat("analyst");
  const rows = keys.flatMap((party) => [
    el("dt", {}, t("compare-key", { party: partyName(party) })),
    el("dd", {}, keyWords(session.encodedKey(party))),
  ]);
  show(
    "compare",
    t("compare-title"),
    facts.attempt > 1 ? p(t("again-words"), "note") : null,
    p(sessionWords(session.compared), "words"),
    p(told.verified ? t("compare-explains-locked") : t("compare-explains")),
    told.verified ? null : el("details", { "data-at": "keys" }, el("summary", {}, t("compare-keys")), el("dl", {}, rows)),
    told.lesson ? p(t("compare-lesson"), "note") : null,
    p(t("promised-least", { promised: promised(told), n: told.min_batch })),
    told.program === "two-round" && facts.others === null ? p(t("compare-silent")) : null,
    session.once ? p(t("compare-once")) : null,
    facts.others === null ? null : whoMixes(facts),
    button(t("compare-same"), agree),
  );
}

export function asks(session, state, at, answer, back) {
  const { features } = session.told;
  const feature = features[at];
  const choices = feature.values.map((value, i) =>
    el(
      "label",
      { class: "choice", for: `answer-${i}` },
      el("input", {
        type: "radio",
        name: "answer",
        id: `answer-${i}`,
        value,
        checked: state.row[at] === value,
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
    `question ${at}`,
    t("question", { number: at + 1, n: features.length }),
    el(
      "form",
      { onsubmit: submit },
      el("fieldset", {}, el("legend", {}, feature.name), choices),
      el("button", { id: "next", disabled: state.row[at] === undefined }, t("next")),
    ),
    at > 0 ? button(t("back"), back, "plain") : null,
  );
}

// What the phone does before it seals, where only k people open a row.
function consulting(told) {
  const shape = shapeOf(told);
  if (!shape) return [];
  return [
    p(t("consult-before", { opens: opensWhat(shape) }), "note"),
  ];
}

// While the phone waits for what it seals with.
export function consults({ asked }) {
  show(
    "consult",
    asked.problem ? t("consult-failed") : t("consult-title"),
    asked.problem
      ? p(asked.problem, "bad")
      : p(t("consult-explains")),
  );
}

export function seals(session, state, facts, seal, back) {
  const said = session.told.features.flatMap((feature, i) => [
    el("dt", {}, feature.name),
    el("dd", {}, state.row[i]),
  ]);
  show(
    "seal",
    t("seal-title"),
    el("dl", {}, said),
    randomizes(session.told),
    consulting(session.told),
    leaves(facts),
    button(t("seal-button"), seal),
    button(t("seal-change"), back, "plain"),
  );
}

function promise(session) {
  const { told, decision } = session;
  if (decision === null) return [];
  const title = el("h2", {}, t("will-publish"));
  if (shapeOf(told)) return [title, p(t("will-publish-opened", { promised: promised(told) }))];
  const crowd = { share: percent(told.max_exposure), k: told.k };
  const kept = decision.kept.map((column) => told.features[column].name);
  const gone = told.features.map((feature) => feature.name).filter((name) => !kept.includes(name));
  if (!kept.length) {
    return [el("h2", {}, t("decision-title")), p(t("decision-nothing"))];
  }
  return [
    title,
    p(t("decision-kept", { names: kept.join("; ") })),
    gone.length ? p(t("decision-not", { names: gone.join("; ") })) : null,
    p(session.once ? t("decision-promised-once", crowd) : t("decision-promised", crowd)),
  ];
}

// What became of one round's envelope, and how it is shown. Of what was counted every phone says the
// same: a phone that missed its own answer, and whose owner said so, would tell the reader whose it was.
function standing(session, state, round) {
  const made = state.rounds[round];
  if (made.problem) return [made.problem, "bad"];
  if (made.ballots) return standingOnBoard(session, made, Number(round));
  if (!made.handed) return [t("envelope-waits"), null];
  const counted = session.counted(round);
  if (counted === null) return [t("envelope-handed"), null];
  const all = counted.least === counted.people;
  return [t("envelope-counted", { least: counted.least, people: people(counted.people) }), all ? "good" : "bad"];
}

const ON_BOARD = {
  waits: () => [t("locked-handed"), null],
  missing: () => [t("locked-missing"), "bad"],
  other: () => [t("locked-other"), "bad"],
  found: (session, round) => [t("locked-found", { number: session.place + 1, people: people(session.lists.closed[round].size) }), "good"],
};

// The same of locked answers: they stand on the board before anything is mixed, so a phone that misses its
// own can say so, and tells nobody what they are.
function standingOnBoard(session, made, round) {
  if (!made.handed) return [t("locked-waits"), null];
  const [words, kind] = ON_BOARD[session.lists.standing(round, session.place, made.ballots)](session, round);
  const signers = session.lists.checked[round]?.size ?? 0;
  const signed = signers === session.told.shufflers.length + 1 ? t("locked-signed", { n: signers }) : "";
  const counted = session.counted(round);
  const sum = counted ? t("locked-counted", { least: counted.least, people: people(counted.people) }) : "";
  return [[words, signed, sum].filter(Boolean).join(" "), kind];
}

// The same of the last round, to be read aloud.
export function lastStanding(session, state) {
  const round = Object.keys(state.rounds).pop();
  return round ? t("standing", { round, standing: standing(session, state, round)[0] }) : "";
}

// Locked answers, each to be looked into on this phone alone.
function lockedAnswers(session, made, call, closing) {
  const parties = session.openers(call).map(partyName).join(", ");
  const opens = session.once ? t("locked-opens-once", { parties }) : t("locked-opens", { parties });
  return boxes(made.answers, opens, call.round, closing);
}

export function drawn(session, state, closing) {
  const rounds = Object.keys(state.rounds);
  return rounds.map((round) => {
    const made = state.rounds[round];
    const call = session.calls.find(({ body }) => body.round === Number(round));
    return call
      ? [
          el("h2", {}, t("round", { round })),
          p(...standing(session, state, round)),
          p(made.ballots ? t("locked-tap") : t("envelope-tap"), "small"),
          made.ballots
            ? lockedAnswers(session, made, call.body, closing)
            : envelope(session.openers(call.body), made, round, closing, session.told.k),
        ]
      : [];
  });
}

export function handed(session, state, closing) {
  const asked = session.once ? t("once-done") : t("please");
  const again = session.told.program === "randomized" || shapeOf(session.told) ? null : p(asked, "note");
  const title = session.told.verified ? t("locked-title") : t("envelope-title");
  show("handed", title, session.closed ? null : again, promise(session), drawn(session, state, closing));
}

// Below the screen, while a round is open. since: seconds since the computer told what is left.
export function progress(facts, state, since) {
  const left = (seconds) => Math.max(0, Math.round(seconds - since));
  const sealing = facts.opens !== null && !state.rounds[1];
  const rest = sealing ? t("left-to-seal", { n: left(facts.asking) }) : t("left", { n: left(facts.left) });
  return t("progress", { round: facts.round, answered: facts.answered, n: facts.people, left: rest });
}

// Below an end that may be repeated.
export const maybeAgain = ({ again }) => (again ? p(t("again-maybe"), "note") : null);

export function stops(title, words, more = null) {
  show(`stop ${title}`, title, p(words, "note"), more);
}
