// How things are said: names, numbers and values, as plain text.

// What a person is called, by its index.
const nameOf = (bill, index) => `${bill.person}-${index + 1}`;

// How a value is spelt that its owner has hidden (protocol/hiding.py); as plain text, in brackets.
const HIDDEN = new Set([" other", " blank"]);
const spelt = (value) => (HIDDEN.has(value) ? `(${value.trim()})` : value);

// A value on the page: no longer than there is room for.
function brief(value, most = 20) {
  const plain = spelt(value);
  return plain.length > most ? `${plain.slice(0, most - 2)}..` : plain;
}

function said(bill, row) {
  return Object.entries(row).map(([column, value]) => `${bill.columns[column]} = ${brief(value)}`).join(", ");
}

function theParty(party) {
  return party.includes("-") ? party : `the ${party}`;
}

function capital(words) {
  return words[0].toUpperCase() + words.slice(1);
}

function count(many, noun) {
  return `${many.toLocaleString("en")} ${noun}${many === 1 ? "" : "s"}`;
}

function percent(share) {
  let digits = 1;
  while (share > 0 && share < 1 && digits < 6 && [0, 100].includes(Number((100 * share).toFixed(digits)))) digits += 1;
  return `${(100 * share).toFixed(digits)}\u00a0%`;
}
