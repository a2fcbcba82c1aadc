// The live page: what happens comes as server-sent events. Whoever joins late is given all there
// was, and then follows; whoever plays or scrubs goes at a pace of their own.

const came = { present: false, waiting: false, place: GIVEN.includes("at=") };

function heard(entry) {
  if (entry.what === "run") begun(entry.bill);
  else if (entry.what === "choices") show.choices = entry.choices;
  else if (entry.what === "over") page.over = true;
  else if (entry.what === "word") put("live-word", entry.word);
  else if (entry.what === "people") crowd(entry);
  else if (entry.what === "note") put("outside", (show.bill.note = entry.note));
  else if (entry.what === "told") tell(entry);
  else if (entry.what === "expected") expectPrecision(entry);
  else show.moves.push(entry);
  if (!came.waiting) requestAnimationFrame(caughtUp);
  came.waiting = true;
}

// Only now it is known how many there are: somebody has said so on the board.
function crowd({ people, simulated = [] }) {
  Object.assign(show.bill, { people, simulated });
  show.map = layout(show.bill);
  if (show.at >= show.moves.length) render(); // else the next move shows it
}

// What the answers of a class say, worked out from the board where the board alone does not say it.
function tell({ title, tables, notes }) {
  const row = (cells, kind) => html("tr", {}, ...cells.map((cell, i) => html(i ? kind : "th", {}, cell)));
  const drawn = tables.map(({ caption, headings, rows }) =>
    html("table", {}, html("caption", {}, caption), row(headings, "th"), ...rows.map((cells) => row(cells, "td"))),
  );
  find("told").replaceChildren(html("h2", {}, title), ...drawn, ...notes.map((note) => html("p", {}, note)));
  find("told").hidden = false;
}

// A run begins: the first, or another in its place.
function begun(bill) {
  const again = show.moves.length > 0;
  const all = seesAll();
  stop();
  Object.assign(show, { moves: [], choices: [], at: 0, chosen: null });
  page.over = false;
  find("told").hidden = true;
  expectedBox.hidden = true; // what is asked now needs no forecast
  open(bill);
  const here = everybody();
  show.eyes = all ? here : new Set([...show.eyes].filter((name) => here.has(name)));
  setSliders(bill);
  go(0);
  if (again || came.present) play();
}

function setSliders(bill) {
  for (const [name, { now }] of Object.entries(bill.sliders)) {
    const slider = find(`live-${name}`);
    slider.max = Math.max(slider.max, now);
    slider.value = now;
    find(`live-${name}-out`).textContent = now;
  }
  put("live-problem", "");
}

// What came since the last frame is in; show it.
function caughtUp() {
  came.waiting = false;
  if (show.playing) drawControls();
  else render();
}

// All that was missed has come: take up the place of the address, or follow from here on.
function present_() {
  if (came.present) return;
  came.present = true;
  const total = show.moves.length;
  if (came.place) readPlace(GIVEN);
  go(came.place ? show.at : total);
  if (show.at >= total && !ended()) play();
}

async function again() {
  const wish = Object.fromEntries(Object.keys(show.bill.sliders).map((name) => [name, find(`live-${name}`).valueAsNumber]));
  const answer = await fetch("/again", { method: "POST", body: JSON.stringify(wish) });
  put("live-problem", answer.ok ? "" : (await answer.text()).split("\n")[0]);
}

function listen() {
  const events = new EventSource("events");
  events.addEventListener("message", (event) => heard(JSON.parse(event.data)));
  events.addEventListener("present", present_);
  events.addEventListener("open", () => put("live-word", t("live")));
  events.addEventListener("error", () => put("live-word", t("live-gone")));
}

// A slider for each number that a new run may have.
function addSliders(bill) {
  const labels = Object.entries(bill.sliders).map(([name, { least, most }]) => {
    const slider = html("input", { id: `live-${name}`, type: "range", min: least, max: most });
    const out = html("output", { id: `live-${name}-out` });
    slider.addEventListener("input", () => (out.textContent = slider.value));
    slider.addEventListener("change", again);
    return html("label", {}, `${t(`slider-${name}`)} `, slider, out);
  });
  find("slider-boxes").replaceChildren(...labels);
}

addSliders(show.bill);
find("live").hidden = false;
find("sliders").hidden = !Object.keys(show.bill.sliders).length;
listen();
