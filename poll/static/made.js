// What a phone makes for a call, and keeps: an envelope of layers, or locked answers for a verified mix.
import { frameBallots, lockAnswers } from "./ballots.js";
import { openRound, sealAnswers } from "./envelope.js";
import { frameSubmission } from "./frames.js";
import { hex, unhex } from "./sodium.js";
import { levelsOf, seedsOf } from "./threshold.js";

// {frame, answers, levels, ballots}: the message to hand in; the answers in it, as texts; locks of rows that
// only k people open, or null; locked answers, or null. answer: of `randomness`, where it was asked.
export function madeFor(session, state, { body, data }, answer) {
  const plan = openRound(session.announced, data);
  const make = plan.told.verified ? locked : sealed;
  const { features } = session.told;
  const made = make(plan, session, state, body.round, answer);
  const answers = made.answers.map(({ ask: columns, values }) =>
    columns.map((column, i) => `${features[column].name} ${values[i]}`).join("; "),
  );
  return { levels: null, ballots: null, ...made, answers };
}

function sealed(plan, session, state, round, answer) {
  const seeds = plan.shape && seedsOf(plan, state.row, state.asked.factors, answer, session.mints[round]);
  const { envelope, answers } = sealAnswers(plan, state.row, seeds);
  const frame = frameSubmission(session.session, round, envelope, session.board.witness);
  const levels = plan.shape && levelsOf(plan.shape, state.row).map((said) => said.join(", "));
  return { frame: hex(frame), answers, levels };
}

// They stand on the board under the number of this phone.
function locked(plan, session, state, round) {
  const { ballots, answers } = lockAnswers(plan, session.locks[round], session.place, state.row);
  const frame = frameBallots(plan, ballots, session.board.witness, unhex(state.seed));
  return { frame: hex(frame), answers, ballots: hex(ballots) };
}
