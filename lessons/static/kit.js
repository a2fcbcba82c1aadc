// What every script of a page uses: the data, sentences, elements, things to drag. Scripts of a page
// are one text (pages.py): kit.js first, then axis.js, the picture of the lesson, and lesson.js.
const data = JSON.parse(document.getElementById("data").textContent);
const forms = new Intl.PluralRules(data.language);
const written = (value, given) => new Intl.NumberFormat(data.language, given).format(value);

// A number as the language writes it. A share is a percentage.
const figure = (value) => written(value, { maximumSignificantDigits: 10 });
const percent = (share) => `${written(100 * share, { maximumFractionDigits: 4 })} %`;

// A sentence by its key, its placeholders filled in: numbers are written as the language does.
function t(key, values = {}) {
  const found = data.texts[key];
  if (found === undefined) throw new Error(key);
  const all = { ...data.facts, ...values };
  const sentence = typeof found === "string" ? found : (found[forms.select(all.n)] ?? found.other);
  return sentence.replace(/\{(\w+)\}/g, (_, name) => (typeof all[name] === "number" ? figure(all[name]) : String(all[name])));
}

// The sentence of this lesson with a name: own("low") is `l2-low` in lesson 2.
const own = (name, values) => t(`l${data.number}-${name}`, values);

// A guess as text: a number with its unit, or an answer.
function valueText(value) {
  if (data.kind === "choice") return own(`choice-${value}`);
  return own("value", { n: value, value: data.guess.share ? percent(value) : figure(value) });
}

// -1: too low, 0: right, 1: too high; of a choice only 0 and 1.
function judged(guess) {
  const { truth } = data;
  if (data.kind === "choice") return guess === truth ? 0 : 1;
  const { scale, tolerance } = data.guess;
  const near = scale === "linear" ? Math.abs(guess - truth) <= tolerance + 1e-9 : guess <= truth * tolerance && truth <= guess * tolerance;
  return near ? 0 : Math.sign(guess - truth);
}

// An element of HTML. given: attributes; what: children or texts.
function element(name, given = {}, ...what) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(given)) made.setAttribute(key, value);
  made.append(...what);
  return made;
}

// An element of SVG.
function shape(name, given = {}, text = "") {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(given)) made.setAttribute(key, String(value));
  made.textContent = text;
  return made;
}

// A slider over a list: its label, and the chosen item as text. changed(place) is called at each change.
function dial(label, items, start, changed) {
  const input = element("input", { type: "range", min: 0, max: items.length - 1, value: start, step: 1 });
  const shown = element("b");
  const show = () => {
    shown.textContent = items[input.value];
    input.setAttribute("aria-valuetext", items[input.value]);
  };
  input.addEventListener("input", () => {
    show();
    changed(Number(input.value));
  });
  show();
  return element("label", { class: "dial" }, label, shown, input);
}

// A list to choose from. changed(place) is called at each change.
function selection(label, items, start, changed) {
  const options = items.map((item, at) => element("option", at === start ? { value: at, selected: "" } : { value: at }, item));
  const select = element("select", {}, ...options);
  select.addEventListener("change", () => changed(Number(select.value)));
  return element("label", { class: "dial" }, label, select);
}
