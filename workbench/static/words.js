// The sentences of this page, in its language, and numbers as the language writes them.
//
// The server chooses the language and names it in `lang`. A sentence with a count `n` has a form for each
// kind of number; a whole number among the placeholders is grouped.
let known = {};
const language = document.documentElement.lang;
const forms = new Intl.PluralRules(language);
const written = (value, given) => new Intl.NumberFormat(language, given).format(value);

// Take the sentences: nothing is drawn before. all: as languages/ has them.
export function speak(all) {
  known = all;
}

export const knows = (key) => key in known;

export function t(key, values = {}) {
  const found = known[key];
  if (found === undefined) throw new Error(key);
  const sentence = typeof found === "string" ? found : (found[forms.select(values.n)] ?? found.other);
  return sentence.replace(/\{(\w+)\}/g, (_, name) => (typeof values[name] === "number" ? number(values[name]) : String(values[name])));
}

// A number with at most so many digits after the sign.
export const number = (value, most = 3, useGrouping = true) => written(value, { maximumFractionDigits: most, useGrouping });

// A share in a field: "1.5 %".
export const percentOf = (share) => `${number(Number((100 * share).toPrecision(12)), 12, false)} %`;

// A share as it was typed in percent, "1.5", "1,5" or "1.5 %"; other text as it is.
export function typedShare(typed) {
  const plain = typed.replace("%", "").trim().replace(",", ".");
  return /^\d+(\.\d+)?$/.test(plain) ? Number((Number(plain) / 100).toPrecision(12)) : typed;
}
