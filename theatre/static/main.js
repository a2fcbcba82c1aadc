// The controls: eyes, position, play. The URL's fragment keeps eyes and position:
// #eyes=curator+shuffler-1&at=17 (and &presenter, and &way=4 for the way of a person).

const CALM = matchMedia("(prefers-reduced-motion: reduce)");
const GIVEN = location.hash; // the address as it was opened; afterwards the page keeps it
const find = (id) => document.getElementById(id);

const show = {
  bill: page.bill,
  moves: page.moves,
  choices: page.choices,
  at: 0,
  eyes: new Set(),
  playing: false,
  presenter: false,
  covered: false,
  chosen: null, // the person whose way is lit, from 0
  map: null,
};

let timer = 0;
let wings = 0; // the number of the flight that is on; an older one ends without effect
let landing = null; // the position at which the flight that is on ends; null: none is on
let keptPlace = GIVEN; // the fragment that the page wrote or read last

function names() {
  return [...show.bill.parties];
}

function everybody() {
  if (show.bill.outside) return new Set(show.bill.watch || []);
  const people = Array.from({ length: show.bill.people }, (_, i) => nameOf(show.bill, i));
  return new Set([...names(), ...people]);
}

// Whether these are the eyes of all; at a board seen from outside there are no eyes to choose.
const seesAll = () => !show.bill.outside && show.eyes.size === everybody().size;

const isPerson = (name) => name.startsWith(`${show.bill.person}-`);
const singled = () => [...show.eyes].filter((name) => isPerson(name) && !names().includes(name));

function sceneNow(position = show.at) {
  return sceneAt(show.bill, show.moves, position, show.eyes, show.chosen);
}

// The picture in units of the room that it has; a flight that is on lands.
function fit() {
  const { width, height } = find("stage").getBoundingClientRect();
  fitStage(width, height);
  find("stage").setAttribute("viewBox", `0 0 ${STAGE.wide} ${STAGE.high}`);
  show.map = layout(show.bill);
}

function render() {
  const scene = sceneNow();
  find("picture").replaceChildren(drawStage(show.bill, show.map, scene));
  drawPanel(show.bill, scene, show.choices, show.at);
  drawControls();
  keepPlace();
}

function drawControls() {
  const total = show.moves.length;
  find("scrub").max = total;
  find("scrub").value = show.at;
  put("place", `${show.at} / ${total}`);
  find("back").disabled = find("start").disabled = show.at === 0;
  find("step").disabled = show.at >= total;
  find("play").setAttribute("aria-pressed", String(show.playing));
  find("play").classList.toggle("on", show.playing);
  put("play-word", t(show.playing ? "pause" : "play"));
  put("state", show.at < total ? "" : t(ended() ? "finished" : "waits"));
  const all = seesAll();
  for (const box of document.querySelectorAll("#eyes input[type=checkbox]"))
    box.checked = box.value === "everything" ? all : show.eyes.has(box.value);
  const people = singled();
  put("people-eyes", all || !people.length ? "" : people.length > 6 ? t("people", { n: people.length }) : people.map((name) => named(name)).join(", "));
  find("no-people").hidden = all || !people.length;
  find("curtain").hidden = !(show.presenter && show.covered);
  find("main").classList.toggle("covered", show.presenter && show.covered);
  find("main").inert = false;
  find("presenter").setAttribute("aria-pressed", String(show.presenter));
  find("reveal").hidden = !show.presenter;
  put("reveal-word", t(show.covered ? "reveal" : "cover"));
  put("whose", show.eyes.size ? t("you-are", { whose: eyesSaid() }) : t("you-are-nobody"));
}

function eyesSaid() {
  if (seesAll()) return t("everybody-at-once");
  const said = names().filter((name) => show.eyes.has(name));
  const people = singled();
  return [...said.map((name) => named(name)), ...(people.length > 3 ? [t("people", { n: people.length })] : people.map((name) => named(name)))].join(t("and"));
}

function keepPlace() {
  const eyes = seesAll() ? "everything" : [...show.eyes].join("+");
  const way = show.chosen === null ? "" : `&way=${show.chosen + 1}`;
  const place = `#eyes=${eyes}&at=${show.at}${show.presenter ? "&presenter" : ""}${way}`;
  if (location.hash !== keptPlace) return; // a new address, which is read as soon as its event comes
  if (place !== location.hash) history.replaceState(null, "", place);
  keptPlace = location.hash;
}

function readPlace(place = location.hash) {
  const given = new URLSearchParams(place.slice(1).replaceAll("+", "%2B"));
  const all = everybody();
  const eyes = (given.get("eyes") || "").split("+").filter((name) => all.has(name));
  show.eyes = given.get("eyes") === "everything" ? all : new Set(show.bill.watch || eyes);
  if (given.has("presenter") && !show.presenter) present(true);
  choose(Number.parseInt(given.get("way"), 10) - 1);
  const wanted = Number.parseInt(given.get("at"), 10);
  show.at = Math.max(0, Math.min(Number.isNaN(wanted) ? 0 : wanted, show.moves.length));
}

// Where the show stands: a flight that is on counts as landed.
const here = () => landing ?? show.at;

function go(position) {
  wings += 1;
  landing = null;
  find("flight").replaceChildren();
  show.at = Math.max(0, Math.min(position, show.moves.length));
  render();
}

// Make the next moves. A flight that is on lands first, so each press of a key is a step.
async function step(slow = 700, many = 1) {
  if (landing !== null) go(landing);
  if (show.at >= show.moves.length) return;
  const after = show.at + many;
  const scene = sceneNow(after);
  const things = CALM.matches || slow < 60 ? [] : flights(show.map, scene, many);
  if (!things.length) return go(after);
  go(show.at);
  const mine = (wings += 1);
  landing = after;
  drawPanel(show.bill, scene, show.choices, after);
  const flown = things.map(({ from, to, glyph }, i) => {
    const node = at(0, 0, glyph);
    find("flight").append(node);
    const path = [from, to].map(({ x, y }) => ({ transform: `translate(${x}px, ${y}px)` }));
    const delay = things.length > 1 ? (slow * 0.3 * i) / things.length : 0;
    return node.animate(path, { duration: slow * 0.7, delay, easing: "ease-in-out", fill: "both" }).finished;
  });
  await Promise.allSettled(flown);
  if (mine === wings) go(after);
}

// Whether no more moves will come.
function ended() {
  return !page.live || Boolean(page.over) || show.moves.some((move) => move.kind === "closed");
}

function pause() {
  const behind = page.live ? Math.max(show.moves.length - show.at - 1, 0) : 0;
  return 2600 / 2 ** Number(find("speed").value) / (1 + behind / 3);
}

async function play() {
  clearTimeout(timer);
  if (landing !== null) go(landing);
  show.playing = true;
  if (show.at >= show.moves.length && ended()) go(0);
  drawControls();
  const turn = async () => {
    if (!show.playing) return;
    if (show.at >= show.moves.length && ended()) return stop();
    await step(pause(), burst());
    if (show.playing) timer = setTimeout(turn, pause() * 0.35);
  };
  await turn();
}

function stop() {
  clearTimeout(timer);
  show.playing = false;
  drawControls();
}

function look(name, on) {
  if (name === "everything") show.eyes = on ? everybody() : new Set();
  else if (on) show.eyes.add(name);
  else show.eyes.delete(name);
  if (show.presenter) show.covered = true;
  go(here());
}

// Light the way of a person (from 0); of nobody if there is none.
function choose(person) {
  const can = !show.bill.outside && person >= 0 && person < show.bill.people;
  show.chosen = can ? person : null;
}

function present(on) {
  show.presenter = on;
  show.covered = on;
}

function reveal() {
  if (show.presenter) show.covered = !show.covered;
  drawControls();
}

function eyeBox(value, words, sign) {
  const box = html("input", { type: "checkbox", value, id: `eye-${value}` });
  box.addEventListener("change", () => look(value, box.checked));
  const title = value === "everything" ? words : named(value);
  return html("label", { class: `chip ${sign}`, for: box.id, title }, box, words);
}

function open(bill) {
  show.bill = bill;
  find("title").textContent = bill.title;
  document.title = t("page-title", { title: bill.title });
  const secret = bill.seed === null ? "" : t("seed", { seed: String(bill.seed) });
  put("seed", secret);
  const boxes = [eyeBox("everything", t("everything"), ""), ...bill.parties.map((name) => eyeBox(name, isPerson(name) ? signOf(name) : named(name), hueOf(name)))];
  find("boxes").replaceChildren(...boxes);
  find("eyes").hidden = find("presenter").hidden = Boolean(bill.outside);
  find("outside").hidden = !bill.outside;
  if (bill.note) put("outside", bill.note);
  if (bill.watch) show.eyes = new Set(bill.watch); // what anybody near it sees: nothing to choose
  find("who-eyes").max = bill.people;
  find("someone-eyes").hidden = bill.parties.includes(nameOf(bill, bill.people - 1)); // everybody has a box of its own
  put("decision-title", bill.decision);
  find("stage").setAttribute("aria-label", bill.picture);
  for (const node of document.querySelectorAll("#keys [data-among]")) node.hidden = node.dataset.among !== bill.topology;
  fit(); // when the rows above it are as high as they will be
}

const ACTIONS = {
  start: () => (stop(), go(0)),
  back: () => (stop(), go(here() - 1)),
  play: () => (show.playing ? stop() : play()),
  step: () => (stop(), step()),
  presenter: () => (present(!show.presenter), render()),
  reveal,
  "curtain-reveal": reveal,
  help: () => find("keys").showModal(),
  "add-person": () => look(nameOf(show.bill, find("who-eyes").valueAsNumber - 1), true),
  "way-person": () => (choose(find("who-eyes").valueAsNumber - 1), go(here())),
  "way-close": () => (choose(-1), go(here())),
  "way-eyes": () => toggle(nameOf(show.bill, show.chosen)),
  "no-people": () => {
    show.eyes = new Set([...show.eyes].filter((name) => !singled().includes(name)));
    look("", false);
  },
};

const KEYS = {
  " ": ACTIONS.play,
  ArrowRight: ACTIONS.step,
  ArrowLeft: ACTIONS.back,
  Home: ACTIONS.start,
  End: () => (stop(), go(show.moves.length)),
  e: () => toggle("everything"),
  c: () => toggle("curator"),
  a: () => toggle("analyst"),
  n: () => toggle("network"),
  p: ACTIONS.presenter,
  r: reveal,
  "?": ACTIONS.help,
  "+": () => (find("speed").stepUp(), undefined),
  "-": () => (find("speed").stepDown(), undefined),
};

function toggle(name) {
  const on = name === "everything" ? seesAll() : show.eyes.has(name);
  if (everybody().has(name) || (name === "everything" && !show.bill.outside)) look(name, !on);
}

function pressed(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || find("keys").open) return;
  if (event.target.matches("input:not([type=checkbox])")) return;
  const focused = event.target.matches("button, input") && event.target.checkVisibility();
  if (event.key === " " && focused) return; // it presses what has the focus
  const act = /^[1-9]$/.test(event.key) ? () => toggle(`${show.bill.numbered}-${event.key}`) : KEYS[event.key];
  if (!act) return;
  event.preventDefault();
  act();
}

function clicked(event) {
  const someone = event.target.closest("[data-party]");
  if (!someone) return;
  const person = Number(someone.dataset.party.slice(5)) - 1;
  choose(person === show.chosen ? -1 : person);
  go(here());
}

for (const [id, act] of Object.entries(ACTIONS)) find(id).addEventListener("click", act);
find("scrub").addEventListener("input", () => (stop(), go(find("scrub").valueAsNumber)));
find("stage").addEventListener("click", clicked);
document.addEventListener("keydown", pressed);
addEventListener("hashchange", () => {
  keptPlace = location.hash;
  readPlace();
  go(show.at);
});
open(show.bill);
readPlace();
render();
new ResizeObserver(() => (fit(), go(here()))).observe(find("stage")); // rows above it come and go

// For tests and the curious: what some eyes know after so many moves, as plain data.
window.veilmix = {
  show,
  cheating: (eyes) => ifTheyCheat(show.bill, new Set(eyes)),
  way(eyes, position, person) {
    const these = new Set(eyes);
    const known = knows(show.bill, show.moves, position, these);
    const { steps, ending, missing, linked } = wayOf(show.bill, show.moves, position, these, person, known);
    return { rules: steps.map((step) => step.rule), ending, missing, linked };
  },
  knows(eyes, position) {
    const known = knows(show.bill, show.moves, position, new Set(eyes));
    const rows = (people) => Object.fromEntries([...people].map(([who, row]) => [who, row]));
    return {
      linked: known.linked,
      certain: known.certain,
      sure: known.sure,
      seen: known.seen,
      pinned: rows(known.pinned),
      byRound: Object.fromEntries([...known.byRound].map(([round, people]) => [round, rows(people)])),
      counted: known.counted.map((one) => [one.round, one.columns, one.counts]),
      opened: Object.fromEntries([...known.rounds].map(([round, one]) => [round, [one.opened, one.openers.length]])),
    };
  },
};
