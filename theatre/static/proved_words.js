// What just happened in a verified mix, in one plain sentence, and what these eyes make of it.

const FAULTS = {
  altered: "It is not the box that was signed, so nobody puts it on the board.",
  repeated: "It is the second one of this person; one counts.",
  late: "It comes too late.",
};

function sentence(bill, scene) {
  const move = scene.last;
  if (!move) return ["Nothing has happened yet.", "Press the space bar to play, or an arrow key to step."];
  if (!scene.lastSeen) return ["Something passes that these eyes do not see.", "Hidden: who sent it, and to whom. Soon it stands on the board, locked."];
  return TELL[move.what](move, scene, bill);
}

const TELL = {
  post(move) {
    const [said, more = ""] = move.says.split("\n");
    return [said, more];
  },
  send(move, scene, bill) {
    const fault = move.fault && scene.eyes.has(move.to) ? `${FAULTS[move.fault]} ` : "";
    const many = scene.state.openers.length;
    const more = bill.once ? ", and as many for the analyst on the same answer" : "";
    return [`${capital(move.by)} hands ${theParty(move.to)} its locked boxes.`, `${fault}They have ${count(many, "lock")}${more}; so it does with each of the ${many} keyholders, and one honest one is enough to be counted.`];
  },
  silent: (move) => [`${capital(move.by)} has locked its boxes, but handed in none in time.`, ""],
  count(move) {
    const total = move.counts.reduce((sum, cells) => sum + cells.reduce((all, cell) => all + cell[1], 0), 0);
    return [`${capital(theParty(move.by))} turns the last key and counts ${count(total, "answer")}.`, "What was said is now readable; whose it is is on none of the boxes."];
  },
  refuse: (move) => [`${capital(theParty(move.by))} refuses ${count(move.number, "message")}: ${move.reason}.`, "It is left out; the others go on."],
};
