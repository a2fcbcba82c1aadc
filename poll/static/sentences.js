// The sentences of this page, in its language: found by a key, with {placeholders} to fill in.
//
// The server chooses the language (languages/language.py) and says it in `lang`; pages call this before
// anything else: `await arrived()`. A sentence with a count `n` has a form for each kind of number.
let known = {};
let forms = new Intl.PluralRules("en");
let language = "en";

export async function arrived(tag = document.documentElement.lang || language) {
  const answer = await fetch(`/sentences/${tag}.json`, { credentials: "omit" });
  if (!answer.ok) throw new Error(String(answer.status));
  known = await answer.json();
  language = tag;
  forms = new Intl.PluralRules(language);
}

// Speak the language that the questions ask for: [tag, direction], or null; whether it is another.
export async function speaks(asked) {
  if (!asked || asked[0] === language) return false;
  const [lang, dir] = asked;
  await arrived(lang);
  Object.assign(document.documentElement, { lang, dir });
  return true;
}

export function t(key, values = {}) {
  const found = known[key];
  if (found === undefined) throw new Error(key);
  const sentence = typeof found === "string" ? found : (found[forms.select(values.n)] ?? found.other);
  return sentence.replace(/\{(\w+)\}/g, (_, name) => String(values[name]));
}

const written = (value, given) => new Intl.NumberFormat(language, { useGrouping: false, ...given }).format(value);

// A share as a percentage, with at most so many decimals, and at least so many.
export function percent(share, most = 1, least = 0) {
  const digits = written(100 * share, { maximumFractionDigits: most, minimumFractionDigits: least });
  return `${digits} %`;
}

// A number with all its digits, as the language writes them. value: may be text, 1.5.
export const number = (value) => String(value).replace(".", written(0.5, {})[1]);
