// How things are said: names and values, as plain text.

// The name of a person in the protocol, by its index, and what it is called on the page.
const nameOf = (bill, index) => `${bill.person}-${index + 1}`;
const calledOf = (bill, index) => named(nameOf(bill, index));

// How a value is spelt that its owner has hidden (protocol/wire/hiding_rules.py); as plain text, in brackets.
const HIDDEN = new Map([[" other", "value-other"], [" blank", "value-blank"]]);
const spelt = (value) => (HIDDEN.has(value) ? t(HIDDEN.get(value)) : value);

// A value on the page: no longer than there is room for.
function brief(value, most = 20) {
  const plain = spelt(value);
  return plain.length > most ? `${plain.slice(0, most - 2)}..` : plain;
}

function said(bill, row) {
  return Object.entries(row).map(([column, value]) => `${bill.columns[column]} = ${brief(value)}`).join(", ");
}

function capital(words) {
  return words[0].toUpperCase() + words.slice(1);
}

// Who acts, at the beginning of a sentence.
const actor = (party) => capital(named(party, "the"));

const totalCounted = (tables) => tables.reduce((sum, cells) => sum + cells.reduce((some, cell) => some + cell[1], 0), 0);

// What a post says; below it in smaller letters what stands behind a line's end.
function posted(says) {
  const [first, more = ""] = says.split("\n");
  return [first, more];
}

// A set of eyes by the names of its parties.
const eyesTogether = (eyes) => [...eyes].sort().map((name) => named(name)).join(" + ") || t("anybody");
