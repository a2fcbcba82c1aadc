// A phone takes part: it follows the board, asks its person, seals, hands in.
//
// What it sends: once a name, then sealed envelopes. What it keeps is gone with its tab (store.js), but
// for the phone that a slip has made of it (slip.js).
import { mayRest, stayAwake } from "./awake.js";
import { openRound } from "./envelope.js";
import { Session } from "./follow.js";
import { reusesBallots } from "./locks.js";
import { madeFor } from "./made.js";
import { pause, untilOffline } from "./network.js";
import { asks, asksName, compares, consults, handed, lastStanding, maybeAgain, progress, seals, stops, waits } from "./screens.js";
import { ends } from "./endings.js";
import { forgotten, gone, reasonOf, stopped, unanswered } from "./farewell.js";
import { arrived, speaks, t } from "./sentences.js";
import { forgetSlip, givenSlip } from "./slip.js";
import { Refused, hex, ready, sodium, unhex } from "./sodium.js";
import { say, status } from "./draw.js";
import { repeated } from "./repeat.js";
import { ask, code, comeBack, enter, handOver } from "./requests.js";
import { again as renewed, forget, keep, keepEnd, recall, recallEnd } from "./store.js";
import { question } from "./threshold.js";

const SOONEST = 500; // milliseconds
const LATEST = 5_000;
const RETRY = 1_000;
const PAUSE = 5_000;

let state;
let session;
let facts = null;
let at = 0; // the question that is on the screen
let problem = "";
let said = {}; // when a person was told what a round is for
let sealing = false; // the envelope was closed just now, for all to see
let asking = false; // for what is sealed with, just now
let alone = false; // the computer has not answered the last time
let heard = 0; // when facts came, in milliseconds
let posts = []; // as they came
let ended = false; // its end is on the screen
let over = false; // nothing will come any more, or this phone does not go on

document.documentElement.dataset.began = ""; // else old.js says that this browser is too old

const save = () => keep(code, state);

async function join(name, slip) {
  try {
    [, problem] = await enter(state, facts, name, slip);
    save();
  } catch {
    problem = t("unreached");
  }
  draw();
}

// Make what is handed in for a call; from now on this is what the phone says in that round. answer: of
// `randomness`, where it was asked.
function seal(call, answer = null) {
  state.rounds[call.body.round] = { ...madeFor(session, state, call, answer), handed: false, problem: "" };
  state.asked = null;
  sealing = true;
  save();
}

// Where only k people open a row: ask `randomness`, and seal with what it answers. What does not arrive
// is asked again later, in the same bytes, for it answers a person once. False: there is no connection.
async function consult() {
  const { asked } = state;
  if (!asked || asked.problem || asking || session.mints[1] === undefined) return true;
  const sent = { method: "POST", body: unhex(asked.frame), headers: { "x-phone": state.phone } };
  let answer;
  let said;
  asking = true;
  try {
    answer = await ask("seed", sent);
    said = new Uint8Array(await answer.arrayBuffer());
  } catch {
    return false;
  } finally {
    asking = false;
  }
  if (answer.status === 429) return false;
  try {
    if (answer.ok) seal(session.calls[0], said);
    else asked.problem = sodium.to_string(said);
    save();
  } catch (wrong) {
    if (!(wrong instanceof Refused)) throw wrong;
    stopFor(t("refused-answered"));
  }
  return true;
}

// Hand in whatever is sealed and not yet handed in; what does not arrive is sent again later. False:
// there is no connection.
async function handIn() {
  for (const made of Object.values(state.rounds)) {
    if (made.handed || made.problem || over) continue;
    try {
      await handOver(state, made);
      save();
    } catch {
      return false;
    }
  }
  return true;
}

// What a phone does without being asked: it answers the rounds after the first, some seconds after
// it has said what will be published and what was promised.
function goOn() {
  const last = session.calls[session.calls.length - 1];
  if (!last || last.body.round === 1 || !session.ready || reusesBallots(session.told, last.body)) return;
  const { round } = last.body;
  if (!state.rounds[1]?.handed || state.rounds[round] || !facts.collecting) return;
  const rest = Math.min(PAUSE, (facts.left * 1000) / 3);
  if (said[round] === undefined) {
    said[round] = Date.now();
    setTimeout(proceed, rest);
  } else if (Date.now() - said[round] >= rest) seal(last);
}

async function proceed() {
  if (over || facts === null) return;
  goOn();
  draw();
  const reached = (await consult()) && (draw(), await handIn());
  if (!reached) again();
  sealing = false;
  draw();
}

let waiting = null;

// Try once more, soon: what is sealed does not wait for the next news.
function again() {
  waiting ??= setTimeout(() => {
    waiting = null;
    proceed();
  }, RETRY);
}

function agree() {
  state.agreed = true;
  state.session = hex(session.session);
  save();
  draw();
}

function answered(value) {
  state.row[at] = value;
  at += 1;
  save();
  draw();
}

function back() {
  at = Math.max(0, at - 1);
  draw();
}

async function sealFirst() {
  const [first] = session.calls;
  const plan = openRound(session.announced, first.data);
  if (plan.shape) {
    state.asked = { ...question(plan, state.row), problem: "" };
    save();
  } else seal(first);
  await proceed();
}

// Go no further, and say why.
function stopFor(words) {
  over = true;
  stops(t("stop-title"), t("stop", { why: words }));
}

// Whether the first round has closed without this phone; where it has to ask before it seals, whether
// the time for that has.
const missed = () =>
  !state.rounds[1] && (session.mixed > 0 || session.closed || (session.ready && !(facts.collecting && mayAsk())));
const mayAsk = () => facts.opens === null || facts.asking > 0 || (state.asked !== null && !state.asked.problem);

let drawn = "";

// Put up the screen that is due. A form is put up once: what is typed there is not lost.
function draw() {
  if (state.name && !over) stayAwake();
  const questions = session.told?.features.length ?? 0;
  const form = (id, put) => {
    if (drawn !== id) put();
    drawn = id;
  };
  const plain = (put) => {
    drawn = "";
    put();
  };
  if (facts.stopped && !session.closed) return plain(() => stopped(state, facts, forgets));
  if (over && !session.closed) return;
  if (!state.name && facts.ended) plain(() => stops(t("ended-title"), t("ended-without")));
  else if (state.late) plain(() => stops(t("too-late-title"), state.late, maybeAgain(facts)));
  else if (!state.name) form(`name ${facts.title} ${problem}`, () => asksName(facts, problem, state.slip, join));
  else if (facts.ended && !session.closed && !session.calls.length) {
    plain(() => stops(t("unasked-title"), facts.ended, maybeAgain(facts)));
  } else if (state.before) {
    plain(() => (session.closed ? ends(session, state, facts) : stops(t("before-title"), t("before"))));
  } else if (!session.ready && !state.rounds[1] && session.calls.length < 2) plain(() => waits(state, facts));
  else if (missed()) {
    plain(() => stops(t("too-late-title"), t("too-late"), maybeAgain(facts)));
  } else if (!state.agreed) form("compare", () => compares(session, facts, agree));
  else if (!state.rounds[1] && at < questions) {
    form(`question ${at}`, () => asks(session, state, at, answered, back));
  } else if (state.asked) plain(() => consults(state));
  else if (!state.rounds[1]) form("seal", () => seals(session, state, facts, sealFirst, back));
  else if (session.closed) plain(() => ends(session, state, facts));
  else plain(() => handed(session, state, sealing));
  tellStatus();
  say(lastStanding(session, state));
}

function tellStatus() {
  const since = (performance.now() - heard) / 1000;
  if (alone) return status(unanswered(state, since));
  return status(facts?.collecting && !session.closed ? progress(facts, state, since) : "");
}

// Take what is new; Refused if it is not what it must be.
function take(news) {
  facts = news;
  state.attempt = news.attempt;
  heard = performance.now();
  alone = false;
  for (const [author, data] of news.posts.slice(session.posts - news.from)) {
    session.take(author, unhex(data));
    posts.push([author, data]);
  }
  if (state.name && session.posts) {
    state.mark = session.mark;
    save();
  }
}

async function follow() {
  let version = 0;
  let wait = SOONEST;
  while (!over) {
    try {
      const answer = await ask(`news/${version}/${session.posts}`, { signal: untilOffline() });
      if (answer.status === 404) {
        if (facts === null || !session.closed) gone(state, await answer.text());
        return;
      }
      if (!answer.ok) throw new Error(String(answer.status));
      const news = await answer.json();
      if (state.attempt && news.attempt !== state.attempt) {
        startAgain(news.attempt);
        version = 0;
        continue;
      }
      if (await speaks(news.language)) drawn = "";
      take(news);
      version = facts.version;
      await comeBack(state, facts);
      save();
      wait = SOONEST;
      await proceed();
      if (facts.ended && (session.closed || facts.stopped || !facts.started)) finish();
    } catch (wrong) {
      if (wrong instanceof Refused) {
        stopFor(reasonOf(wrong));
        return;
      }
      if (!alone) say(unanswered(state, 0));
      alone = true;
      tellStatus();
      await pause(wait);
      wait = Math.min(LATEST, 2 * wait);
    }
  }
}

// The end: from here on its page needs nobody else.
function finish() {
  over = ended = true;
  if (state.name) keepEnd(code, { posts, facts: { ...facts, posts: [], from: 0 } });
}

function forgets() {
  over = true;
  forget(code);
  forgetSlip();
  forgotten();
}

// Put up the end that this phone has kept, checked as if it came now; whether there is one.
function endsAgain() {
  const end = recallEnd(code);
  if (end === null) return false;
  over = ended = true;
  take({ ...end.facts, posts: end.posts });
  draw();
  return true;
}

async function begin() {
  try {
    await arrived();
  } catch {
    stops(document.body.dataset.lostTitle, document.body.dataset.lost);
    return;
  }
  try {
    await ready;
  } catch {
    stops(t("old-title"), t("old-seals"));
    return;
  }
  state = recall(code);
  state.slip = givenSlip() || state.slip;
  save();
  session = new Session(state);
  at = state.row.length;
  setInterval(() => over || tellStatus(), RETRY);
  do if (!endsAgain()) await follow();
  while (await repeats());
}

// Whether the session is repeated after its end, and this phone takes part.
async function repeats() {
  if (!ended) return false;
  const again = Boolean(state.name || state.was) && (await repeated(ask, facts, session.posts));
  if (again) startAgain(facts.attempt + 1);
  else {
    mayRest();
    forgetSlip();
  }
  return again;
}

// Nothing of the attempt before is left but which phone this is.
function startAgain(attempt) {
  state = renewed(code, state, attempt);
  save();
  session = new Session(state);
  [facts, at, problem, drawn, said, posts] = [null, 0, "", "", {}, []];
  sealing = asking = over = ended = false;
}

begin();
