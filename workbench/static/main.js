// The page of `veilmix open`: one state of the program, drawn a step at a time.
//
// The program waits with news until the state is newer (news/VERSION); what a person changes goes to it and
// comes back as the next state. The page computes no figure. What was typed and not yet sent outlives a
// drawing, and the end of the program.
import { button, el, p, watchWidth } from "./dom.js";
import { optionOf } from "./fields.js";
import { isBusy } from "./further.js";
import { kept, keepTyped, markWrong } from "./kept.js";
import { Refused, give, leave, news, send, sentences, stopNews } from "./program.js";
import * as choices from "./step_choices.js";
import * as columns from "./step_columns.js";
import * as file from "./step_file.js";
import * as goal from "./step_goal.js";
import * as persons from "./step_persons.js";
import * as result from "./step_result.js";
import { notices, unready } from "./states.js";
import { speak, t } from "./words.js";

const STEPS = { file, persons, columns, goal, choices, result };
const NAMES = Object.keys(STEPS);
const AGAIN = 2_000; // milliseconds until a program that is gone is asked again
const place = (id) => document.getElementById(id);

let state = null;
let drawn = null; // the step on the page
let ended = false; // by "Done, and forget the file"
const told = { lost: false, earlier: null, refused: null, elsewhere: false, saved: null, upload: null };

const say = (words) => {
  place("said").textContent = words;
};

// The step of the address, or the last before it that can be opened.
function current() {
  const asked = NAMES.indexOf(location.hash.slice(1));
  for (let at = Math.max(asked, 0); at > 0; at -= 1) if (state[NAMES[at]].status !== "empty") return NAMES[at];
  return "file";
}

function go(step) {
  Object.assign(told, { refused: null, elsewhere: false, saved: null });
  if (location.hash === `#${step}`) draw();
  else location.hash = step;
}

// -- what the program is asked --

// Run it and take the state that comes; a refusal is shown where the person is. Whether it was answered.
async function attempt(act) {
  Object.assign(told, { refused: null, elsewhere: false, saved: null });
  try {
    const next = await act();
    told.lost = false;
    if (next) accept(next);
    return true;
  } catch (wrong) {
    if (wrong instanceof Refused) told.refused = { text: wrong.message, lang: wrong.lang, field: keepTyped() };
    else if (wrong instanceof TypeError) told.lost = true;
    else throw wrong;
    draw();
    say(told.refused?.text ?? t("lost-title"));
    return false;
  }
}

// What options were, so that a change can be undone. A role that was guessed is guessed again.
function earlier(set) {
  const was = Object.fromEntries(Object.keys(set).map((name) => [name, optionOf(state, name)?.value ?? null]));
  const guessed = Object.fromEntries(Object.keys(set.roles ?? {}).map((column) => [column, null]));
  return set.roles ? { ...was, roles: { ...guessed, ...was.roles } } : was;
}

// Change options. Refused where another tab has changed them since: its state is shown.
async function changed(set) {
  const was = earlier(set);
  try {
    const next = await send("change", { revision: state.revision, set });
    told.earlier = was;
    return next;
  } catch (wrong) {
    if (!(wrong instanceof Refused) || wrong.status !== 409) throw wrong;
  }
  accept(await news(0));
  told.elsewhere = true;
  draw();
  say(t("elsewhere"));
  return null;
}

let last = Promise.resolve();
const inTurn = (act) => {
  last = last.then(act);
  return last;
};

const change = (set, words = "") =>
  inTurn(async () => {
    if ((await attempt(() => changed(set))) && words) say(words);
  });

const upload = (path, from) =>
  inTurn(async () => {
    if (from.size > (state.limits?.upload ?? Infinity)) return attempt(() => Promise.reject(new Refused(413, { error: { text: t("too-large") } })));
    const sending = give(path, from, (share) => {
      told.upload = { ...told.upload, share };
      notice();
    });
    Object.assign(told, { earlier: null, upload: { name: from.name, share: 0, stop: sending.stop } });
    draw();
    await attempt(() => sending.done.finally(() => (told.upload = null)));
    draw();
    return null;
  });

const tools = {
  change,
  go,
  say,
  get names() {
    return state.columns.columns?.map(({ name }) => name) ?? state.file.preview?.names ?? [];
  },
  upload: (from) => upload(`upload/${encodeURIComponent(from.name)}`, from),
  give: (column, from) => upload(`hierarchy/${encodeURIComponent(column)}`, from),
  attach: (option, from) => upload(`given/${option}/${encodeURIComponent(from.name)}`, from),
  open: (path) =>
    inTurn(() => {
      told.earlier = null;
      return attempt(() => send("open", { path }));
    }),
  save: (what) =>
    inTurn(async () => {
      const saved = await attempt(async () => {
        told.saved = await send("save", what);
        return null;
      });
      if (saved) draw();
    }),
  // A button that undoes the last change; null where there was none.
  get undo() {
    return told.earlier && button("undo", t("undo"), () => change(told.earlier));
  },
  cancel: () => attempt(() => send("cancel")),
  again: () => attempt(() => send("again")),
  async ask(path, body) {
    let found = null;
    await attempt(async () => {
      found = await send(path, body);
      return null;
    });
    return found;
  },
  redraw(focus = null) {
    draw();
    if (focus) place(focus)?.focus();
  },
};

// Done: the program ends and forgets the file. It may be gone before it has answered.
async function end() {
  ended = true;
  try {
    await send("end");
    stopNews();
  } catch (wrong) {
    if (wrong instanceof Refused) {
      ended = false;
      told.refused = { text: wrong.message, lang: wrong.lang, field: null };
      draw();
      return;
    }
  }
  const heading = el("h1", { tabindex: "-1" }, t("ended-title"));
  place("step").replaceChildren(heading, p(t("ended")));
  for (const id of ["steps", "turn", "file"]) place(id).replaceChildren();
  heading.focus();
}

// -- what is drawn --

function steps(at) {
  const items = NAMES.map((name, index) => {
    const part = state[name];
    const now = name === at;
    const done = !now && index < NAMES.indexOf(at);
    const sign = el("i", { "aria-hidden": "true" }, done ? "✓" : String(index + 1));
    const words = el("span", {}, t(`step-${name}`), part.summary && !now ? el("small", {}, part.summary) : null);
    const given = { class: done ? "done" : null, "aria-current": now ? "step" : null, id: `go-${name}` };
    const inside = part.status === "empty" || now ? el("span", given, sign, words) : el("button", { type: "button", ...given, onclick: () => go(name) }, sign, words);
    return el("li", {}, inside);
  });
  const short = t("step-of", { number: NAMES.indexOf(at) + 1, steps: NAMES.length, name: t(`step-${at}`) });
  place("steps").replaceChildren(p(short, "short"), el("ol", {}, items));
}

function turn(at) {
  const index = NAMES.indexOf(at);
  const [back, next] = [NAMES[index - 1], NAMES[index + 1]];
  const hint = state[at].status === "ready" ? STEPS[at].hint?.(state[at]) : null;
  const open = next && state[next].status !== "empty";
  place("turn").replaceChildren(
    ...[
      back ? button("back", t("back"), () => go(back)) : null,
      hint ?? null,
      next ? button("next", t("next", { name: t(`step-${next}`) }), () => go(next), "button main", { disabled: !open }) : button("done", t("done"), end, "button main", { disabled: state.result.status !== "ready" }),
    ].filter(Boolean),
  );
}

const notice = () => place("notices")?.replaceChildren(...notices(state, told, tools));

// The title of a step is the program's where it has one: {text, lang}.
function heading(step, part) {
  const title = step.title(part);
  return el("h1", { tabindex: "-1", lang: title.lang ?? null }, title.text ?? title);
}

// A button that is replaced between the press and its end is not clicked: drawing waits for the end. A list
// unfolds at the press, and some browsers say nothing of the end then; nor is the end of a drag said.
const LONGEST_PRESS = 1_000; // milliseconds
let pressed = null; // the timer of a press
let waiting = false;

function release() {
  clearTimeout(pressed);
  pressed = null;
  if (waiting) setTimeout(draw); // after the click
}

function press(event) {
  clearTimeout(pressed);
  pressed = event.target.closest("select") ? null : setTimeout(release, LONGEST_PRESS);
}
addEventListener("pointerdown", press, true);
for (const end of ["pointerup", "pointercancel", "change"]) addEventListener(end, release, true);

function draw() {
  waiting = pressed !== null;
  if (!state || ended || waiting) return;
  const at = current();
  const fresh = at !== drawn;
  const part = state[at];
  const step = STEPS[at];
  kept(fresh, () => {
    const inside = unready(at, part, state, tools) ?? [step.draw(state, part, tools)];
    const busy = part.status === "working" || part.stale || (at === "result" && isBusy(state));
    const title = heading(step, part);
    place("step").replaceChildren(title, el("div", { id: "notices", class: "stack" }, notices(state, told, tools)), el("div", { class: "stack", "aria-busy": busy ? "true" : null }, inside));
    steps(at);
    turn(at);
    place("file").textContent = state.file.name ?? "";
    markWrong(told.refused?.field, "refused");
    document.title = [t("step-of", { number: NAMES.indexOf(at) + 1, steps: NAMES.length, name: t(`step-${at}`) }), state.file.name, "veilmix open"].filter(Boolean).join(" · ");
  });
  if (fresh && drawn !== null) {
    place("step").querySelector("h1").focus();
    scrollTo(0, 0);
  }
  drawn = at;
}

const apart = ({ version, work, ...rest }) => JSON.stringify(rest);

// Progress alone leaves the controls as they are: a list may be unfolded.
function accept(next) {
  if (state && next.version < state.version) return;
  const [before, now] = [state?.work, next.work];
  const alike = state && apart(state) === apart(next);
  state = next;
  if (alike) notice();
  else draw();
  if (now && !before) say(t("working"));
  if (before && !now) say(t("ready"));
}

// -- news, and the end --

addEventListener("pagehide", () => ended || leave());
addEventListener("dragover", (event) => event.preventDefault()); // else a browser shows the file that is dropped
addEventListener("drop", (event) => {
  event.preventDefault();
  if (state && event.dataTransfer.files[0]) tools.upload(event.dataTransfer.files[0]);
});
document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault(); // the address names the step
  place("step").focus();
});
addEventListener("hashchange", () => NAMES.includes(location.hash.slice(1)) && draw());
watchWidth(draw);

const pause = () => new Promise((done) => setTimeout(done, AGAIN));

async function follow() {
  for (;;) {
    try {
      const next = await news(state?.version ?? 0);
      const back = told.lost;
      told.lost = false;
      if (!state || next.version !== state.version) accept(next);
      if (back) {
        draw();
        say(t("ready"));
      }
      if (ended) return;
    } catch {
      if (ended) return;
      if (!told.lost) {
        told.lost = true;
        if (state) draw();
        else lost();
      }
      await pause();
    }
  }
}

const lost = () => place("step").append(p(place("step").dataset.lost));

try {
  speak(await sentences());
  await follow();
} catch (wrong) {
  lost();
  throw wrong;
}
