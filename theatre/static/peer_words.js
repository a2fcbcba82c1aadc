// What just happened among peers, in one plain sentence, and what these eyes make of it.

function sentence(bill, scene) {
  const move = scene.last;
  if (!move) return ["Nothing has happened yet.", "Press the space bar to play, or an arrow key to step."];
  if (!scene.lastSeen) return ["Something happens that these eyes do not see.", "Hidden: whom it is about."];
  const [said, more] = (move.says || TOLD[move.what](move)).split("\n");
  return [said, more || ASIDE[move.what]?.(move, scene, bill) || ""];
}

const TOLD = {
  silent: (move) => `${capital(move.by)} has sealed its answers, and posts none of them.`,
  count(move) {
    const total = move.counts.reduce((sum, cells) => sum + cells.reduce((all, cell) => all + cell[1], 0), 0);
    return `Everybody counts ${count(total, "answer")}.`;
  },
};

const ASIDE = {
  relay(move, scene) {
    if (move.step === 1) return "All see whose they are and who gets them. Nobody sees what is in them.";
    if (scene.eyes.has(move.by)) return "These eyes have opened them: they know which came in as which.";
    return `Which came in as which only ${move.by} knows.`;
  },
  found: () => "Nobody can open them before everybody has shown its secret; whose they are is not on them.",
  count: () => "Each works it out alone, from what is posted.",
};
