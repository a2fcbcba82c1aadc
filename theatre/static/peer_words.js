// What just happened among peers, in one plain sentence, and what these eyes make of it.

function sentence(bill, scene) {
  const move = scene.last;
  if (!move) return [t("nothing-yet"), t("press-play")];
  if (!scene.lastSeen) return [t("unseen-event"), t("peer-hidden")];
  const [said, more] = posted(move.says || TOLD[move.what](move));
  return [said, more || ASIDE[move.what]?.(move, scene) || ""];
}

const TOLD = {
  silent: (move) => t("peer-silent", { who: actor(move.by) }),
  count: (move) => t("peers-counted", { answers: t("answers", { n: totalCounted(move.counts) }) }),
};

const ASIDE = {
  relay(move, scene) {
    if (move.step === 1) return t("relay-first");
    if (scene.eyes.has(move.by)) return t("relay-opened");
    return t("relay-closed", { who: named(move.by, "the") });
  },
  found: () => t("found-aside"),
  count: () => t("peers-counted-aside"),
};
