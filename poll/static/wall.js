// The wall: one screen for the whole room, chosen by the state of the session; no key is needed.
//
// At the end several screens take turns, until somebody turns them by a key, a clicker or a button.
import { footing, screensOf, tick } from "./wall_screens.js";
import { el } from "./draw.js";
import { arrived, speaks, t } from "./sentences.js";

const RETRY = 1_000; // milliseconds
const TURN = 20_000; // milliseconds that a screen of the end stays by itself
const STEPS = {
  join: () => t("wall-step-join"),
  words: () => t("wall-step-words"),
  answering: () => t("wall-step-answering"),
  mixing: () => t("wall-step-mixing"),
  over: () => t("wall-step-over"),
};
const ROWS = [14, 11, 9, 7, 5, 4, 3, 2]; // bars on a screen: as many as have room
const FORWARD = ["ArrowRight", "PageDown", " "];
const BACK = ["ArrowLeft", "PageUp"];
const part = (id) => document.getElementById(id);
let now = null; // the state
let came = 0; // when it came, in milliseconds
let screens = []; // made from it
let at = 0; // the number of the screen
let shown = ""; // what is on the wall, to say and draw only what is new
let turning = null; // the timer of the turns; null: they stand still

document.documentElement.dataset.began = ""; // else old.js says that this browser is too old

const rightToLeft = () => document.documentElement.dir === "rtl";

function steps() {
  const items = Object.entries(STEPS).map(([step, name]) => el("li", { "aria-current": step === now.screen ? "step" : null }, name()));
  part("steps").replaceChildren(...items);
}

function buttons(many) {
  part("turn").hidden = many < 2;
  if (many < 2) return stand();
  const place = t("wall-page", { number: at + 1, n: many });
  const drawn = JSON.stringify([place, turning !== null, document.documentElement.lang]);
  if (part("turn").dataset.drawn === drawn) return;
  const held = document.activeElement?.id;
  part("turn").dataset.drawn = drawn;
  part("turn").setAttribute("aria-label", t("wall-step-over"));
  const button = (id, words, act) => el("button", { type: "button", id, onclick: act }, words);
  part("turn").replaceChildren(
    button("back", t("wall-back"), () => turn(-1)),
    el("span", {}, place),
    button("next", t("wall-next"), () => turn(1)),
    ...(turning === null ? [] : [button("pause", t("wall-pause"), () => (stand(), draw()))]),
  );
  if (["back", "next"].includes(held)) part(held).focus();
}

function stand() {
  clearInterval(turning);
  turning = null;
}

// Turn to another screen of the end. by: 1 or -1; whoever turns them has them stand still.
function turn(by) {
  stand();
  step(by);
}

function step(by) {
  at = (at + by + screens.length) % screens.length;
  draw();
}

function fits([id, , pieces]) {
  if (!id.startsWith("results")) return true;
  part("screen").replaceChildren(...pieces);
  return part("screen").scrollHeight <= part("screen").clientHeight;
}

// Make the screens for the state and for the size of this window.
function make() {
  if (now.screen === "over") buttons(2); // their height counts too
  part("foot").textContent = footing(now);
  for (const rows of now.screen === "over" ? ROWS : [0]) {
    screens = screensOf(now, rows);
    if (now.screen !== "over" || screens.every(fits)) break;
  }
  shown = "";
  draw();
}

function draw() {
  at = Math.min(at, screens.length - 1);
  const [id, title, pieces] = screens[at];
  const drawn = JSON.stringify([id, title, pieces.map((one) => one.outerHTML)]);
  part("title").textContent = now.title;
  part("address").textContent = now.screen === "join" ? "" : now.address;
  if (drawn !== shown) part("screen").replaceChildren(...pieces);
  if (part("screen").dataset.id !== id) {
    part("screen").dataset.id = id;
    part("said").textContent = title;
  }
  shown = drawn;
  steps();
  buttons(screens.length);
  clock();
}

const clock = () => now && tick(now, (performance.now() - came) / 1000);

async function take(state) {
  const ended = state.screen === "over" && now?.screen !== "over";
  if (state.screen !== "over" || ended) at = 0;
  now = state;
  came = performance.now();
  await speaks(now.language);
  if (ended) {
    stand();
    turning = setInterval(() => step(1), TURN);
  } else if (state.screen !== "over") stand();
  make();
}

async function follow() {
  for (let version = 0; ; ) {
    try {
      const answer = await fetch(`${location.pathname}/news/${version}`, { cache: "no-store", credentials: "omit" });
      if (!answer.ok) throw new Error(await answer.text());
      const state = await answer.json();
      await take(state);
      version = state.version;
    } catch {
      await new Promise((done) => setTimeout(done, RETRY));
    }
  }
}

document.addEventListener("keydown", (event) => {
  if (now === null || part("turn").hidden || event.target.closest("button, a")) return;
  const [on, off] = rightToLeft() ? [["ArrowLeft", ...FORWARD.slice(1)], ["ArrowRight", "PageUp"]] : [FORWARD, BACK];
  if (on.includes(event.key)) turn(1);
  else if (off.includes(event.key)) turn(-1);
  else return;
  event.preventDefault();
});
window.addEventListener("resize", () => now && make());
setInterval(clock, 250);
arrived().then(follow, () => (part("screen").textContent = document.body.dataset.lost));
