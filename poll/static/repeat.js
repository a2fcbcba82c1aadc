// After an end that may be repeated a phone goes on asking for news, without a word of it on its screen.
import { pause } from "./network.js";

const SOONEST = 500; // milliseconds
const LATEST = 5_000;
const LONG = 60_000; // without an answer: then the computer is gone

// Whether the session is repeated; waits for it. ask: sends a request. facts: of the end. posts: so many are known.
export async function repeated(ask, facts, posts) {
  if (!facts.again) return false;
  let { version } = facts;
  let wait = SOONEST;
  for (let heard = performance.now(); performance.now() - heard < LONG; ) {
    try {
      const answer = await ask(`news/${version}/${posts}`);
      if (answer.status === 404) return false;
      if (!answer.ok) throw new Error(String(answer.status));
      const news = await answer.json();
      if (news.attempt !== facts.attempt) return true;
      if (!news.again) return false;
      ({ version } = news);
      heard = performance.now();
      wait = SOONEST;
    } catch {
      await pause(wait);
      wait = Math.min(LATEST, 2 * wait);
    }
  }
  return false;
}
