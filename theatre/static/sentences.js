// The sentences of this page, in its language: found by a key, with {placeholders} to fill in. Numbers
// are written as the language writes them; a sentence with a count `n` has a form for each kind of number.

const page = JSON.parse(document.getElementById("run").textContent);
const { tag: TAG, sentences: SENTENCES } = page.language;
const FORMS = new Intl.PluralRules(TAG);
const NUMBERS = new Intl.NumberFormat(TAG);
const digits = (number) => NUMBERS.format(number);

function t(key, values = {}) {
  const found = SENTENCES[key];
  if (found === undefined) throw new Error(key);
  const words = typeof found === "string" ? found : (found[FORMS.select(values.n)] ?? found.other);
  return words.replace(/\{(\w+)\}/g, (_, name) => (typeof values[name] === "number" ? digits(values[name]) : String(values[name])));
}

// The longest of some sentences, which stand in one line of the file in falling length.
const shorter = (key, values) => t(key, values).split(" | ");

// A party by its name in the protocol, as people call it. form: `party` for a label, `the` for who acts,
// `to` for who is given something: languages decline.
function named(party, form = "party") {
  const [role, number] = party.split("-");
  return t(`${form}-${role}`, { number });
}

function percent(share) {
  let places = 1;
  while (share > 0 && share < 1 && places < 6 && [0, 100].includes(Number((100 * share).toFixed(places)))) places += 1;
  const written = new Intl.NumberFormat(TAG, { useGrouping: false, minimumFractionDigits: places, maximumFractionDigits: places });
  return `${written.format(100 * share)}\u00a0%`;
}
