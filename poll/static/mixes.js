// Who mixes, and who could therefore read what is said: the same words wherever a page says so.
import { p } from "./draw.js";
import { partyName } from "./parties.js";
import { t } from "./sentences.js";

const called = ({ party, who, host, here }) =>
  t("mixes-one", { party: partyName(party), who, host: here ? t("mixes-itself") : host });

// facts.others: null where all parties are on the computer that shows the page; else those who
// have come to mix: {party, who, host, here}, here: it is that computer after all.
export function whoMixes(facts) {
  if (facts.others === null) {
    const kept = facts.kept ? t("mixes-kept") : "";
    const here = p(t("mixes-here", { kept, noisy: facts.noisy ? t("mixes-noisy") : "" }), "note");
    return facts.verified ? [here, p(facts.once ? t("mixes-linked-once") : t("mixes-linked"))] : here;
  }
  const names = facts.others.map(called);
  const missing = facts.shufflers - names.length;
  if (missing > 0) names.push(t("mixes-missing", { n: missing }));
  const apart = facts.others.some(({ here }) => !here);
  const could = apart ? t("mixes-apart") : missing > 0 ? t("mixes-wait") : t("mixes-all-here");
  const tries = facts.opens === null ? "" : t("mixes-tries");
  return p(t("mixes-others", { names: names.join("; "), could, tries }), apart ? "" : "note");
}
