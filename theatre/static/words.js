// What just happened, in one plain sentence, and what these eyes make of it.

function sentence(bill, scene) {
  const move = scene.last;
  if (!move) return [t("nothing-yet"), t("press-play")];
  if (!scene.lastSeen) return [t(MESSAGES.has(move.what) ? "unseen-message" : "unseen-event"), t("unseen-hidden")];
  return TELL[move.what](move, scene, bill);
}

const TELL = {
  post: (move) => posted(move.says),
  send(move, scene, bill) {
    const fault = move.fault && scene.eyes.has(move.to) ? t(`fault-${move.fault}`) : "";
    const seen = layersSeen(scene.eyes, scene.state.openers);
    const read = seen.all && !move.fault ? t("sent-says", { said: saidIn(bill, scene, move) }) : "";
    const aside = [fault, seen.words, read].filter(Boolean).join(" ");
    return [t("sent", { who: actor(move.by), whom: named(move.to, "to") }), aside];
  },
  batch(move, scene, bill) {
    const left = scene.state.openers.slice(scene.state.openers.indexOf(move.by) + 1);
    const given = { who: actor(move.by), onions: t("onions", { n: move.onions.length }), whom: named(move.to, "to") };
    return [t(bill.sorted ? "batch-sorted" : "batch-kept", given), layersSeen(scene.eyes, left).words];
  },
  silent: (move) => [t("silent", { who: actor(move.by) }), ""],
  count(move) {
    const answers = t("answers", { n: totalCounted(move.counts) });
    return [t("counted", { who: actor(move.by), answers }), t("counted-aside")];
  },
  refuse: (move) => [refusal(move), t("refused-aside")],
};

const refusal = (move) => t("refused", { who: actor(move.by), messages: t("messages", { n: move.number }), reason: t(`reason-${move.reason}`) });

function saidIn(bill, scene, move) {
  const said = scene.state.answers.get(`${move.round}/${move.person}`) || [];
  return scene.state.asks
    .flatMap((columns, ask) => columns.map((column, i) => `${bill.columns[column]} = ${brief(said[ask][i])}`))
    .join(", ");
}

function layersSeen(eyes, openers) {
  const opened = openedLayers(eyes, openers);
  const layers = openers.length;
  const all = opened === layers;
  if (layers === 1) return { all, words: t(all ? "layer-opens" : "layer-shut") };
  return { all, words: t(all ? "layers-open" : opened ? "layers-some" : "layers-shut", { layers, opened }) };
}
