// The names of parties and crowds, in the language of the page.
import { t } from "./sentences.js";

const SHUFFLER = /^shuffler[ -](\d+)$/;
const NAMES = {
  curator: () => t("party-curator"),
  analyst: () => t("party-analyst"),
  randomness: () => t("party-randomness"),
};

// party: as the board and sessions call it, `shuffler 1` or `shuffler-1`, `curator`, ..
export function partyName(party) {
  const found = SHUFFLER.exec(party);
  return found ? t("party-shuffler", { number: found[1] }) : NAMES[party]();
}

export const people = (n) => t("people", { n });
