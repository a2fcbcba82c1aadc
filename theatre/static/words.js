// What just happened, in one plain sentence, and what these eyes make of it.

const FAULTS = {
  altered: "It is not the envelope that was sealed.",
  repeated: "It is the second one of this person.",
  late: "It comes too late.",
  uninvited: "Only who was counted in the round before is asked again.",
  copied: "It is a copy of somebody else's.",
  forged: "Nobody who takes part has sealed it.",
};

function sentence(bill, scene, position) {
  const move = scene.last;
  if (!move) return ["Nothing has happened yet.", "Press the space bar to play, or an arrow key to step."];
  if (!scene.lastSeen) {
    const what = MESSAGES.has(move.what) ? "A message passes" : "Something happens";
    return [`${what} that these eyes do not see.`, "Hidden: who sent it, to whom, and what is in it."];
  }
  return TELL[move.what](move, scene, bill);
}

const TELL = {
  post: (move) => posted(move.says),
  send(move, scene, bill) {
    const fault = move.fault && scene.eyes.has(move.to) ? FAULTS[move.fault] : "";
    const seen = layersSeen(scene.eyes, scene.state.openers, "layer");
    const read = seen.all && !move.fault ? ` It says ${saidIn(bill, scene, move)}.` : "";
    return [`${capital(move.by)} hands ${move.to} one sealed envelope.`, `${fault} ${seen.words}${read}`.trim()];
  },
  batch(move, scene, bill) {
    const left = scene.state.openers.slice(scene.state.openers.indexOf(move.by) + 1);
    const many = count(move.onions.length, "onion");
    return [`${capital(move.by)} hands all ${many} to ${theParty(move.to)} at once, ${bill.sorted ? "sorted: who came when is gone" : "in the order in which they came"}.`, layersSeen(scene.eyes, left, "layer").words];
  },
  silent: (move) => [`${capital(move.by)} has sealed an envelope, but it did not arrive in time.`, ""],
  count(move) {
    const total = move.counts.reduce((sum, cells) => sum + cells.reduce((s, cell) => s + cell[1], 0), 0);
    return [`${capital(theParty(move.by))} opens the last layer and counts ${count(total, "answer")}.`, "What was said is now readable; who said it is not on it."];
  },
  refuse: (move) => [`${capital(theParty(move.by))} refuses ${count(move.number, "message")}: ${move.reason}.`, "It is counted and left out; the others go on."],
};

// What a post says; below it in smaller letters what stands behind a line's end.
function posted(says) {
  const [said, more = ""] = says.split("\n");
  return [said, more];
}

function saidIn(bill, scene, move) {
  const said = scene.state.answers.get(`${move.round}/${move.person}`) || [];
  return scene.state.asks
    .flatMap((columns, ask) => columns.map((column, i) => `${bill.columns[column]} = ${brief(said[ask][i])}`))
    .join(", ");
}

function layersSeen(eyes, openers, noun) {
  const opened = openedLayers(eyes, openers);
  const all = opened === openers.length;
  if (openers.length === 1) return { all, words: `These eyes ${all ? "can" : "cannot"} open the last ${noun}.` };
  const layers = `its ${openers.length} ${noun}s`;
  if (all) return { all, words: `These eyes can open all of ${layers}.` };
  if (!opened) return { all, words: `These eyes can open none of ${layers}.` };
  return { all, words: `These eyes can open ${opened} of ${layers}; the rest stays shut.` };
}
