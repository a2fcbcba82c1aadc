// What just happened in a verified mix, in one plain sentence, and what these eyes make of it.

function sentence(bill, scene) {
  const move = scene.last;
  if (!move) return [t("nothing-yet"), t("press-play")];
  if (!scene.lastSeen) return [t("proved-unseen"), t("proved-hidden")];
  return TELL[move.what](move, scene, bill);
}

const TELL = {
  post: (move) => posted(move.says),
  send(move, scene, bill) {
    const fault = move.fault && scene.eyes.has(move.to) ? `${t(`box-${move.fault}`)} ` : "";
    const many = scene.state.openers.length;
    const locks = t(bill.once ? "boxes-locked-once" : "boxes-locked", { locks: t("locks", { n: many }), many });
    return [t("boxes-sent", { who: actor(move.by), whom: named(move.to, "to") }), `${fault}${locks}`];
  },
  silent: (move) => [t("boxes-silent", { who: actor(move.by) }), ""],
  count(move) {
    const answers = t("answers", { n: totalCounted(move.counts) });
    return [t("boxes-counted", { who: actor(move.by), answers }), t("boxes-counted-aside")];
  },
  refuse: (move) => [t("refused", { who: actor(move.by), messages: t("messages", { n: move.number }), reason: t(`reason-${move.reason}`) }), t("refused-left-out")],
};
