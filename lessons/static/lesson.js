// The frame of a lesson: guess, send it to the class if there is one, verdict, then the picture.
// `picture(root, table, t)` is the lesson's own, in the script before this one.
const place = (id) => document.getElementById(id);
const storeName = `veilmix-lesson-${data.number}`;

// What this tab has stored: a guess, and the secret of this phone. A browser may refuse storage.
function stored(name) {
  try {
    return sessionStorage.getItem(name);
  } catch {
    return null;
  }
}

function store(name, text) {
  try {
    sessionStorage.setItem(name, text);
  } catch {
    // the page then forgets the guess when it is loaded again
  }
}

function phone() {
  const known = stored("veilmix-phone");
  if (known) return known;
  const drawn = [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  store("veilmix-phone", drawn);
  return drawn;
}

async function send(guess) {
  if (!data.post) return;
  try {
    const body = JSON.stringify({ phone: phone(), guess });
    const answer = await fetch(data.post, { method: "POST", body, credentials: "omit" });
    place("sent").textContent = answer.ok ? t("guess-sent") : await answer.text();
  } catch {
    place("sent").textContent = t("guess-not-sent");
  }
}

function askNumber(field) {
  const shown = element("output", { class: "own" });
  const axis = element("div");
  const button = element("button", { type: "button" }, t("that-is-my-guess"));
  field.replaceChildren(shown, axis, button);
  const value = drawSlider(axis, data.guess.start, t("your-guess"), (guess) => {
    shown.textContent = valueText(guess);
  });
  button.addEventListener("click", () => decide(value()));
}

function askChoice(field) {
  const boxes = [];
  const options = [...Array(data.guess.choices).keys()].map((at) => {
    const box = element("input", { type: "radio", name: "guess", value: at + 1 });
    boxes.push(box);
    return element("label", { class: "choice" }, box, element("span", {}, own(`choice-${at + 1}`)));
  });
  const set = element("fieldset", { "aria-label": t("your-guess") }, ...options);
  const button = element("button", { type: "button" }, t("that-is-my-guess"));
  field.replaceChildren(set, button);
  button.addEventListener("click", () => {
    const chosen = boxes.find((box) => box.checked);
    if (chosen) decide(Number(chosen.value));
    else place("said").textContent = place("sent").textContent = t("choose-first");
  });
}

function drawChoices(root, guess) {
  const items = [...Array(data.guess.choices).keys()].map((at) => {
    const number = at + 1;
    const marks = [number === data.truth ? `✓ ${t("the-truth")}` : "", number === guess ? `● ${t("your-guess")}` : ""];
    return element("li", { class: number === data.truth ? "choice true" : "choice" }, own(`choice-${number}`), element("b", {}, marks.filter(Boolean).join(" ")));
  });
  root.replaceChildren(element("ul", { class: "plainly" }, ...items));
}

function verdictText(guess) {
  const side = judged(guess);
  const names = data.kind === "choice" ? ["right", "wrong"] : ["right", "high", "low"];
  return own(names.at(side), { guess: valueText(guess) });
}

function decide(guess) {
  store(storeName, JSON.stringify(guess));
  place("sent").textContent = "";
  send(guess);
  reveal(guess);
  place("verdict").focus();
}

function reveal(guess) {
  const verdict = place("verdict");
  verdict.textContent = `${judged(guess) === 0 ? "✓" : "✗"} ${verdictText(guess)}`;
  verdict.classList.add(judged(guess) === 0 ? "good" : "bad");
  place("said").textContent = verdictText(guess);
  place("guess").hidden = true;
  place("answer").hidden = place("play").hidden = false;
  (data.kind === "choice" ? drawChoices : drawVerdict)(place("truth"), guess);
  picture(place("picture"), data.picture, t);
}

const before = JSON.parse(stored(storeName) ?? "null");
if (before === null) (data.kind === "choice" ? askChoice : askNumber)(place("field"));
else reveal(before);
