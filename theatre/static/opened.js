// Where only what k people share opens: what the reader has opened, and what is open of a person
// (protocol/rounds/opened_prefixes.py, protocol/knowledge/opened_views.py). Nothing here draws.

const CLOSED = " blank"; // what stands in a cell for what did not open
const beginning = (row, end) => JSON.stringify(row.slice(0, end));
const totalOf = (cells) => cells.reduce((sum, cell) => sum + cell[1], 0);

// How many values a released cell says: those before the first that did not open.
const saidLength = (cell) => (cell.includes(CLOSED) ? cell.indexOf(CLOSED) : cell.length);

function inOrder([one], [other]) {
  const column = one.findIndex((value, i) => value !== other[i]);
  return column < 0 ? 0 : one[column] < other[column] ? -1 : 1;
}

// The counts of what opens of whole rows, before the reader keeps anything to itself. held: rows of users who
// help it; what is equal to a beginning of one opens too.
function openedCells(rows, { k, prefixes }, held) {
  const known = new Set(held.flatMap((row) => row.map((_, column) => beginning(row, column + 1))));
  const shared = new Map();
  for (const row of rows)
    for (let end = 1; end <= row.length; end += 1) shared.set(beginning(row, end), (shared.get(beginning(row, end)) || 0) + 1);
  const cells = new Map();
  for (const row of rows) {
    let end = row.length;
    while (end && shared.get(beginning(row, end)) < k && !known.has(beginning(row, end))) end = prefixes ? end - 1 : 0;
    const cell = JSON.stringify(row.map((value, column) => (column < end ? value : CLOSED)));
    cells.set(cell, (cells.get(cell) || 0) + 1);
  }
  return [...cells].map(([cell, people]) => [JSON.parse(cell), people]).sort(inOrder);
}

// The counts that these eyes have: a reader that publishes less than it opens has seen all that it opened.
function countsSeen(bill, eyes, cells, rows, held) {
  const sawMore = bill.opens && eyes.has("analyst") && (bill.opens.closes || held.length) && rows.length === totalOf(cells);
  return sawMore ? openedCells(rows, bill.opens, held) : cells;
}

// The values of a person that are open, by column: its longest beginning that some released cell says.
function openValues(row, cells) {
  const whole = Object.keys(row).sort((a, b) => a - b).map((column) => row[column]);
  const ends = new Set(cells.map(([cell]) => beginning(cell, saidLength(cell))));
  let end = whole.length;
  while (end && !ends.has(beginning(whole, end))) end -= 1;
  return Object.fromEntries(whole.slice(0, end).map((value, column) => [column, value]));
}
