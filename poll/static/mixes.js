// Who mixes, and who could therefore read what is said: the same words wherever a page says so.
import { p } from "./draw.js";

const called = ({ party, who, host, here }) =>
  `${party.replace("-", " ")} is ${who} (${here ? "on this computer itself" : host})`;

const KEPT = " It also writes down at the end who said what, so that the class can look at it.";

const NOISY = " What your phone says is not what you answer for certain: it adds noise first.";

// facts.others: null where all parties are on the computer that shows the page; else those who
// have come to mix: {party, who, host, here}, here: it is that computer after all.
export function whoMixes(facts) {
  if (facts.others === null) {
    return p(
      `But here all parties run on one computer, the one that shows you this page: it holds every key, so whoever runs it could read what you say.${facts.kept ? KEPT : ""}${facts.noisy ? NOISY : ""} Answer only what that person may know.`,
      "note",
    );
  }
  const names = facts.others.map(called);
  const missing = facts.shufflers - names.length;
  if (missing > 0) names.push(`${missing} not here yet`);
  const apart = facts.others.some(({ here }) => !here);
  const could = apart
    ? "While all of these keep to the rules, nobody can tell who said what unless all of them and the computer that shows you this page put their keys together. One that breaks the rules can read some answers."
    : missing > 0
      ? "Nothing is asked before all are here."
      : "But all of them run on the computer that shows you this page, so whoever runs it could read what you say.";
  const tries = facts.opens === null
    ? ""
    : " What stays closed that computer could open all the same, without knowing whose it is: analyst and randomness are both on it.";
  return p(`Others mix: ${names.join("; ")}. ${could}${tries}`, apart ? "" : "note");
}
