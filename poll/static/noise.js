// Randomized response: what a phone says in place of an answer (program `randomized`), and what all
// of these reports together say.
//
// The announced rule is `grr epsilon=E each of D`: E nats for a whole answer, E / D for each of D
// questions. Of a answers the own one is said with probability 1 / (1 + (a - 1) exp(-E / D)), else
// one of the others, all alike (analysis/randomizers/grr.py).
import { t } from "./sentences.js";
import { Refused, required, sodium } from "./sodium.js";

const RULE = /^grr epsilon=(\d+(?:\.\d+)?(?:e[+-]\d+)?) each of (\d+)$/;
const MOST = 20; // nats for one question; poll/questions.py
const RISK = 0.025; // with which either limit of a 95 % interval misses the truth
const HALF = 2 ** 26;

// The noise of a session: {whole, each} in nats; null where phones add none.
export function noiseOf(told) {
  if (told.program !== "randomized") return null;
  const found = RULE.exec(told.rule);
  const many = found ? Number(found[2]) : 0;
  const whole = found ? Number(found[1]) : 0;
  if (many !== told.features.length || !(whole > 0 && whole / many <= MOST)) {
    throw new Refused("unexpected", t("unable-noise", { rule: told.rule }));
  }
  return { whole, each: whole / many };
}

// Probability that one of so many answers is said as it is, and of each of the others.
export function chances(answers, each) {
  const truth = 1 / (1 + (answers - 1) * Math.exp(-each));
  return { truth, lie: Math.exp(-each) * truth };
}

// A number from 0 to below 1, of 53 bits of two words of 32.
export const unitOf = (high, low) => ((high >>> 5) * HALF + (low >>> 6)) / (HALF * HALF * 2);

// The phone's own randomness. `unit`: as above; `below`: 0 to n - 1, all alike.
export const DRAW = {
  unit: () => unitOf(sodium.randombytes_random(), sodium.randombytes_random()),
  below: (n) => sodium.randombytes_uniform(n),
};

// What is said in place of the answer with this number.
export function reported(answers, own, each, draw = DRAW) {
  if (draw.unit() < chances(answers, each).truth) return own;
  const other = draw.below(answers - 1);
  return other + (other >= own ? 1 : 0); // any but one's own
}

// What a person says to all questions: its row, or a report of it where the session asks for noise.
export function spoken(told, row, draw = DRAW) {
  const noise = noiseOf(told);
  if (noise === null) return row;
  return row.map((value, column) => {
    const { values } = told.features[column];
    const own = values.indexOf(value);
    required(own >= 0, "outside-domain");
    return values[reported(values.length, own, noise.each, draw)];
  });
}

// A bound above 0 with three digits, never below it.
export function atMost(value) {
  const scale = 10 ** (2 - Math.floor(Math.log10(value)));
  return String(Number((Math.ceil(value * scale) / scale).toPrecision(3)));
}

// Of so many people: the least number m of them who have an answer for which at least `count` reports
// say it with probability above RISK; people + 1 where there is none. Of m people who have it each says
// it with probability `truth`, of the others with `lie` (analysis/randomizers/share_limits.py).
function leastHolders(people) {
  const logs = [0]; // of k!
  for (let k = 1; k <= people; k++) logs.push(logs[k - 1] + Math.log(k));
  const binomial = (trials, chance) =>
    Array.from({ length: trials + 1 }, (_, k) => {
      const ways = logs[trials] - logs[k] - logs[trials - k];
      return Math.exp(ways + k * Math.log(chance) + (trials - k) * Math.log1p(-chance));
    });
  const tail = (holders, count, truth, lie) => {
    const rest = binomial(people - holders, lie);
    for (let k = rest.length - 2; k >= 0; k--) rest[k] += rest[k + 1]; // now: at least k
    const others = (k) => (k <= 0 ? 1 : (rest[k] ?? 0));
    return binomial(holders, truth).reduce((sum, law, own) => sum + law * others(count - own), 0);
  };
  return (count, truth, lie) => {
    let [low, high] = [-1, people + 1];
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (tail(middle, count, truth, lie) > RISK) high = middle;
      else low = middle;
    }
    return high;
  };
}

// Of each answer: [answer, estimated share of people, low and high end of its 95 % interval].
// counts: [[answer], people] as the board shows them. The estimate is unbiased, so it may leave 0 to 1.
export function estimated(values, counts, each) {
  const { truth, lie } = chances(values.length, each);
  const said = new Map(counts.map(([[answer], people]) => [answer, people]));
  const people = [...said.values()].reduce((sum, many) => sum + many, 0);
  const least = leastHolders(people);
  return values.map((answer) => {
    const count = said.get(answer) ?? 0;
    const share = (count / people - lie) / (truth - lie);
    // People without the answer, of reports that do not say it: the same law.
    let high = Math.max(0, people - least(people - count, 1 - lie, 1 - truth));
    let low = Math.min(people, least(count, truth, lie));
    if (low === high) [low, high] = [Math.max(0, low - 1), Math.min(people, high + 1)];
    return [answer, share, low / people, high / people];
  });
}
