// What follows from what a set of parties read and linked, whoever carries messages: the two counts of
// analysis/trust/received_view.py that the page shows. Nothing here draws.

// Per person the values of all rounds together. That somebody has left one out tells no value.
function merged(rounds) {
  const rows = new Map();
  for (const people of rounds)
    for (const [person, row] of people) {
      const plain = Object.entries(row).filter(([, value]) => !HIDDEN.has(value));
      rows.set(person, { ...rows.get(person), ...Object.fromEntries(plain) });
    }
  return rows;
}

// The people of a view: all of them, or of other people in every round, round by round.
function crowds(bill, known) {
  if (bill.fixed) return [{ users: bill.people, pinned: known.pinned, counted: known.counted }];
  const rounds = new Set([...known.counted.map((one) => one.round), ...known.byRound.keys()]);
  return [...rounds].sort((a, b) => a - b).map((round) => {
    const counted = known.counted.filter((one) => one.round === round);
    const pinned = known.byRound.get(round) || new Map();
    const users = counted.length ? Math.max(...counted.map((one) => one.people)) : pinned.size;
    return { users, pinned, counted };
  });
}

// How many (person, column) values are known for certain: pinned, or all who are left agree.
function certain(bill, known, eyes) {
  let cells = 0;
  for (const crowd of known.crowds)
    if (bill.reports) cells += ownAlone(bill, crowd, eyes);
    else bill.sizes.forEach((size, column) => (cells += certainIn(crowd, column, size)));
  return cells + (bill.reports ? bill.people * bill.sizes.filter((size) => size === 1).length : 0);
}

// Whether `certainIn` finds all that is certain: where everybody was counted, nobody has hidden a
// value, and no two joint counts overlap. Else it finds some, and more may follow from the counts.
function exact(crowd) {
  const joint = crowd.counted.filter((one) => one.columns.length > 1);
  const hidden = crowd.counted.some((one) => one.counts.some(([values]) => values.some((value) => HIDDEN.has(value))));
  return joint.length <= 1 && !hidden && crowd.counted.every((one) => one.people === crowd.users);
}

// A report that is linked is no value: only members know theirs, and everybody what cannot vary.
function ownAlone(bill, crowd, eyes) {
  const members = [...crowd.pinned.keys()].filter((person) => eyes.has(nameOf(bill, person)));
  return members.length * bill.sizes.filter((size) => size > 1).length;
}

function certainIn(crowd, column, size) {
  if (size === 1) return crowd.users;
  const rows = [...crowd.pinned.values()].filter((row) => column in row);
  for (const seen of crowd.counted) {
    const place = seen.columns.indexOf(column);
    if (place < 0 || seen.people !== crowd.users) continue;
    const rest = new Map();
    for (const [values, people] of seen.counts)
      rest.set(values[place], (rest.get(values[place]) || 0) + people);
    if ([...rest.keys()].some((value) => HIDDEN.has(value))) continue;
    for (const row of rows) rest.set(row[column], (rest.get(row[column]) || 0) - 1);
    if ([...rest.values()].filter((people) => people > 0).length <= 1) return crowd.users;
  }
  return rows.length;
}
